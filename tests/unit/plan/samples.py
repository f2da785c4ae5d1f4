"""Small plans whose operators know their plan nodes, and predicates over relations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.unit.ir.samples import LINE_KEY, ORDER_KEY, PRIORITY, call, column, lines, number, orders

from predtrace.infer.selections import Cut, Inferred, NeededResult, SourceSelection
from predtrace.ir import expressions as ir
from predtrace.ir import operators as op
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import LONG
from predtrace.operators import Selection

COUNT = column(5, "count", LONG)
ORDER_COUNT = column(6, "order_count", LONG)
QUANTITY = lines().columns[1]


def at(node: int | None, operator: Any) -> Any:
    return replace(operator, plan_node=node)


def equal(own: ir.Column, relation: str, value: ir.Column | None = None) -> ir.Call:
    """The column has the value of the relation's column, its namesake if none is given."""
    value = own if value is None else value
    return call("<=>", own, Parameter(f"{relation}.{value.id}", value.type))


def semi_join() -> op.Join:
    condition = call("=", LINE_KEY, ORDER_KEY)
    large = op.Filter(input=at(2, lines()), condition=call(">", QUANTITY, number(3)), plan_node=3)
    return op.Join(left=at(1, orders()), right=large, kind=op.JoinKind.SEMI, condition=condition, plan_node=4)


def group() -> op.GroupBy:
    count = ir.AggregateCall("count", (number(1),), LONG)
    keys = (op.Named(PRIORITY, PRIORITY),)
    return op.GroupBy(input=semi_join(), keys=keys, aggregates=(op.Named(COUNT, count),), plan_node=5)


def orders_per_priority() -> op.Project:
    """Spark's Aggregate, a GroupBy and a Project in one plan node, above a semi join."""
    columns = (op.Named(PRIORITY, PRIORITY), op.Named(ORDER_COUNT, COUNT))
    return op.Project(input=group(), columns=columns, plan_node=5)


def cut(selection: Selection, *inputs: Cut) -> Cut:
    return Cut(selection, inputs)


def needed(operator: op.Operator, lookup: Selection, why: str = "because") -> NeededResult:
    return NeededResult("needed_1", operator, lookup, "target", why)


def selected(reference: int, predicate: Selection, given: str = "needed_1", why: str = "") -> SourceSelection:
    return SourceSelection(reference, (orders(), lines())[reference].columns, predicate, given, why)


def inferred(need: NeededResult | None, *sources: SourceSelection, its_cut: Cut | None = None) -> Inferred:
    """What is decided; a run is not cut down unless told so."""
    return Inferred(() if need is None else (need,), sources, (), its_cut or Cut(None, ()))


def decided() -> tuple[op.Operator, Inferred]:
    """What is decided for `orders_per_priority`: the semi join is needed."""
    plan = orders_per_priority()
    by_priority = equal(PRIORITY, "target")
    below = cut(by_priority, cut(by_priority), cut(None, cut(call(">", QUANTITY, number(3)))))
    its_cut = cut(by_priority, cut(by_priority, below))
    why = "row 2 of input 1 is selected although it is in the lineage of no target row"
    need = needed(plan.input.inputs[0], by_priority, why)
    own = call("and", equal(ORDER_KEY, "needed_1"), equal(PRIORITY, "needed_1"))
    of_order = call("=", LINE_KEY, Parameter(f"needed_1.{ORDER_KEY.id}", LONG))
    large = call("and", of_order, call(">", QUANTITY, number(3)))
    return plan, inferred(need, selected(0, own), selected(1, large), its_cut=its_cut)
