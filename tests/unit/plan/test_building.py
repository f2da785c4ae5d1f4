"""What a plan keeps of what was inferred: the columns that are asked for, the cuts that pay."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir.samples import LINE_KEY, ORDER_KEY, PRIORITY, call, column, lines, number, orders, source
from tests.unit.plan.samples import (
    COUNT,
    ORDER_COUNT,
    QUANTITY,
    at,
    cut,
    decided,
    equal,
    group,
    inferred,
    needed,
    orders_per_priority,
    selected,
    semi_join,
)

from predtrace.errors import PlanIntegrityError
from predtrace.infer.selections import Cut
from predtrace.ir import operators as op
from predtrace.operators import Selection
from predtrace.plan.building import lineage_plan
from predtrace.plan.lineage_plan import NodeCut


def cuts_below(operator: op.Operator, its_cut: Cut) -> dict[int, Selection]:
    """What is cut but the output itself."""
    *below, output = lineage_plan(inferred(None, its_cut=its_cut), operator).cuts
    assert output.plan_node == operator.plan_node
    assert len({found.plan_node for found in below}) == len(below)
    return {found.plan_node: found.selection for found in below}


def test_a_plan_has_the_results_and_sources_in_order() -> None:
    operator, outcome = decided()
    plan = lineage_plan(outcome, operator)
    assert plan.exact
    assert plan.target == (PRIORITY, ORDER_COUNT)
    (result,) = plan.results
    assert (result.name, result.plan_node, result.given) == ("needed_1", 4, "target")
    assert plan.cuts == (NodeCut(1, equal(PRIORITY, "target")), NodeCut(5, equal(PRIORITY, "target")))
    assert [(s.reference, s.given, s.columns) for s in plan.sources] == [
        (0, "needed_1", orders().columns),
        (1, "needed_1", lines().columns),
    ]


WIDE = source("wide", ORDER_KEY, PRIORITY, LINE_KEY, QUANTITY)


@pytest.mark.parametrize(
    ("lookup", "predicate", "kept"),
    [
        (equal(PRIORITY, "target"), equal(ORDER_KEY, "needed_1", LINE_KEY), (PRIORITY, LINE_KEY)),
        (None, equal(ORDER_KEY, "needed_1", QUANTITY), (QUANTITY,)),
        (equal(PRIORITY, "target"), None, (PRIORITY,)),
        (None, None, (ORDER_KEY,)),
    ],
    ids=["read and asked for", "asked for", "read", "neither: one column says that there is a row"],
)
def test_a_result_has_the_columns_that_are_read_or_asked_for(
    lookup: Selection, predicate: Selection, kept: tuple[object, ...]
) -> None:
    operator = at(1, WIDE)
    need = needed(operator, lookup)
    (result,) = lineage_plan(inferred(need, selected(0, predicate)), operator).results
    assert result.columns == kept


def test_columns_that_a_later_lookup_asks_for_are_kept() -> None:
    operator = at(2, op.Sort(input=at(1, WIDE), keys=()))
    first, lookup = needed(operator, None), equal(ORDER_KEY, "needed_1", LINE_KEY)
    second = replace(needed(operator, lookup), name="needed_2", given="needed_1")
    its_cut = cut(None, cut(None))
    outcome = replace(inferred(first, selected(0, None, "needed_2"), its_cut=its_cut), needed=(first, second))
    assert lineage_plan(outcome, operator).results[0].columns == (LINE_KEY,)


def test_a_column_of_another_relation_with_the_same_id_is_not_kept() -> None:
    operator = at(1, WIDE)
    need = needed(operator, equal(PRIORITY, "target", ORDER_KEY))
    (result,) = lineage_plan(inferred(need, selected(0, None)), operator).results
    assert result.columns == (PRIORITY,)


def test_row_wise_operators_are_not_cut_again() -> None:
    by_key = equal(ORDER_KEY, "target")
    operator = at(3, op.Sort(input=at(2, op.Sort(input=at(1, orders()), keys=())), keys=()))
    assert cuts_below(operator, cut(by_key, cut(by_key, cut(by_key)))) == {1: by_key}


def test_a_node_is_cut_again_where_some_of_the_selection_could_not_pass() -> None:
    by_group = call("and", equal(PRIORITY, "target"), equal(COUNT, "target"))
    by_key = equal(PRIORITY, "target")
    operator = op.Sort(input=group(), keys=(), plan_node=6)
    found = cuts_below(operator, cut(by_group, cut(by_group, cut(by_key, cut(by_key), cut(None, cut(None))))))
    assert found == {1: by_key, 5: by_group}
    assert list(found) == [1, 5], "inputs come before consumers"


def test_nothing_is_cut_below_a_limit_but_the_limit_itself_is() -> None:
    by_key = equal(ORDER_KEY, "target")
    limit = op.Limit(input=at(1, orders()), count=3, plan_node=2)
    operator = op.Sort(input=limit, keys=(), plan_node=3)
    assert cuts_below(operator, cut(by_key, cut(by_key, cut(None)))) == {2: by_key}


def test_conditions_of_the_pipeline_itself_are_no_cuts() -> None:
    large = call(">", QUANTITY, number(3))
    operator = op.Filter(input=at(1, lines()), condition=large, plan_node=2)
    both = call("and", large, equal(LINE_KEY, "target"))
    assert cuts_below(operator, cut(both, cut(both))) == {1: equal(LINE_KEY, "target")}


def test_operators_of_one_node_are_cut_as_one_by_the_columns_of_the_outermost() -> None:
    above = call("and", equal(PRIORITY, "target"), equal(ORDER_COUNT, "target"))
    inside = call("and", equal(PRIORITY, "target"), equal(COUNT, "target", ORDER_COUNT))
    by_key = equal(PRIORITY, "target")
    below = cut(by_key, cut(by_key), cut(None, cut(None)))
    operator = op.Sort(input=orders_per_priority(), keys=(), plan_node=6)
    assert cuts_below(operator, cut(above, cut(above, cut(inside, below)))) == {1: by_key, 5: above}


def test_a_join_that_is_no_plan_node_is_looked_through() -> None:
    """It cannot be cut, so the nodes around it answer for what it does not pass on."""
    flag = column(9, "flag")
    one = op.GroupBy(input=at(2, lines()), keys=(), aggregates=(), plan_node=3)
    scalar = op.Join(left=at(1, orders()), right=one, kind=op.JoinKind.SCALAR)
    project = op.Project(
        input=scalar, columns=(op.Named(PRIORITY, PRIORITY), op.Named(flag, number(1))), plan_node=4
    )
    operator = op.Sort(input=project, keys=(), plan_node=5)
    above = call("and", equal(PRIORITY, "target"), equal(flag, "target"))
    joined = cut(above, cut(equal(PRIORITY, "target")), cut(None, cut(None)))
    assert cuts_below(operator, cut(above, cut(above, joined))) == {1: equal(PRIORITY, "target"), 4: above}


def test_a_node_with_two_consumers_is_not_cut() -> None:
    twice = op.Union(
        branches=(at(1, orders()), at(1, orders())),
        columns=(ORDER_KEY, PRIORITY),
        keep_duplicates=True,
        plan_node=2,
    )
    by_key = equal(ORDER_KEY, "target")
    assert cuts_below(twice, cut(by_key, cut(by_key), cut(None))) == {}


def test_a_run_for_rows_of_which_nothing_is_known_is_not_cut() -> None:
    operator = op.Sort(input=at(1, orders()), keys=(), plan_node=2)
    assert lineage_plan(inferred(None, its_cut=cut(None, cut(None))), operator).cuts == ()


def test_rows_that_no_plan_node_has_cannot_be_needed() -> None:
    operator = at(None, semi_join())
    need = needed(operator, None)
    with pytest.raises(PlanIntegrityError, match="the rows of SemiJoin are needed"):
        lineage_plan(inferred(need), operator)
