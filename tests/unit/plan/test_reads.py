"""The passes over the sources that a trace makes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.unit.ir.samples import LINE_KEY, ORDER_KEY, PRIORITY, call, column, lines, number, orders, source
from tests.unit.plan.samples import QUANTITY, at, decided, equal, orders_per_priority

from predtrace.ir import expressions as ir
from predtrace.ir import operators as op
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import LONG
from predtrace.operators.pushing import NOTHING, all_of
from predtrace.plan.building import lineage_plan
from predtrace.plan.lineage_plan import LineagePlan, NodeCut, SourcePlan
from predtrace.plan.reads import SourceRead, lineage_reads, run_reads, superset_reads, tracking_reads
from predtrace.plan.refinement_plan import RefinementPlan, SetPlan

DESCRIPTORS = {0: orders().descriptor, 1: lines().descriptor}
LARGE = call(">", QUANTITY, number(3))


def read(of: op.Source, *parts: ir.Expression) -> SourceRead:
    return SourceRead(of.descriptor.name, of.columns, all_of(parts))


def test_what_a_result_was_looked_up_by_is_known_of_it() -> None:
    operators, outcome = decided()
    found = list(lineage_reads(lineage_plan(outcome, operators), DESCRIPTORS))
    by_target = call("<=>", PRIORITY, Parameter(f"target.{PRIORITY.id}", PRIORITY.type))
    key = Parameter(f"needed_1.{ORDER_KEY.id}", LONG)  # known when the result has been looked up
    assert found == [
        read(orders(), equal(ORDER_KEY, "needed_1"), by_target),
        read(lines(), call("=", LINE_KEY, key), LARGE),
    ]


def test_a_source_without_lineage_is_not_read() -> None:
    of_orders = SourcePlan(0, orders().columns, None, "target", "")
    of_lines = SourcePlan(1, lines().columns, NOTHING, "target", "")
    plan = LineagePlan((PRIORITY,), (), (of_orders, of_lines))
    assert list(lineage_reads(plan, DESCRIPTORS)) == [read(orders())]


def test_a_run_reads_what_cuts_and_the_conditions_right_above_a_source_leave() -> None:
    plan = orders_per_priority()
    cut = equal(PRIORITY, "target")
    assert list(run_reads(plan)) == [read(orders()), read(lines(), LARGE)]
    assert list(run_reads(plan, [NodeCut(1, cut)])) == [read(orders(), cut), read(lines(), LARGE)]
    assert list(run_reads(plan, saved={3})) == [read(orders())]
    assert list(run_reads(plan, saved={4})) == []
    small = equal(QUANTITY, "target")
    assert list(run_reads(plan, [NodeCut(3, small)]))[1] == read(lines(), small, LARGE)


def test_a_run_reads_the_sources_of_subqueries() -> None:
    query = ir.Exists(op.Filter(input=lines(), condition=LARGE))
    plan = op.Filter(input=at(1, orders()), condition=query)
    found = list(run_reads(plan))
    assert [one.source for one in found] == ["lines", "orders"]
    assert found[0] == read(lines(), LARGE)
    assert list(tracking_reads(plan)) == [read(orders()), read(lines())]


def test_a_superset_fills_each_set_once() -> None:
    other = source("other", column(9, "x"), reference=2)
    plan = orders_per_priority()
    by_target = equal(PRIORITY, "target")

    def of(source: op.Source, **differences: Any) -> SetPlan:
        plain = SetPlan("s", "", source.reference, None, source.columns, None, (), (), False, (), "")
        return replace(plain, **differences)

    sets = (of(orders(), predicate=by_target), of(lines(), predicate=NOTHING))
    evaluated = of(lines(), reference=None, plan_node=3)
    whole = SourcePlan(2, other.columns, None, "target", "because")
    descriptors = {**DESCRIPTORS, 2: other.descriptor}
    found = superset_reads(RefinementPlan((), (*sets, evaluated), (whole,)), plan, descriptors)
    assert list(found) == [read(orders(), by_target), read(lines(), LARGE), read(other)]
