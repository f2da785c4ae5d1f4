"""What people read about a plan."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir.samples import LINE_KEY, ORDER_KEY, PRIORITY, call, column, lines, number, orders, source
from tests.unit.plan.samples import (
    at,
    cut,
    decided,
    equal,
    group,
    inferred,
    needed,
    selected,
    semi_join,
)

from predtrace.infer.selections import EXACT, Step
from predtrace.ir import operators as op
from predtrace.ir.expressions import Column
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import LONG
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, all_of
from predtrace.plan.building import lineage_plan
from predtrace.plan.explaining import decisions, explain
from predtrace.plan.predicate_text import PredicateText
from predtrace.plan.wording import listed, operator_name, reason_in_words

NEEDLESS = "row 2 of input {} is selected although it is in the lineage of no target row"


def test_a_plan_is_explained_from_the_output_to_the_sources() -> None:
    operator, outcome = decided()
    project, group_by, join = operator, operator.inputs[0], outcome.needed[0].operator
    left, right = join.inputs
    by_priority, of_order = outcome.needed[0].lookup, outcome.sources[1].predicate
    steps = (
        Step(project, by_priority, "target", "", (EXACT,)),
        Step(group_by, by_priority, "target", "", (EXACT,)),
        Step(join, by_priority, "target", "needed_1", (EXACT, EXACT)),
        Step(left, outcome.sources[0].predicate, "needed_1", "", ()),
        Step(right, of_order, "needed_1", "", (EXACT,)),
        Step(right.inputs[0], of_order, "needed_1", "", ()),
    )
    text = explain(operator, steps, lineage_plan(outcome, operator))
    assert (
        text
        == """\
Project priority, order_count = count
│    exact: priority = target.priority
└─ GroupBy priority: count = count(*)
   │    exact: priority = target.priority
   └─ SemiJoin on line_key = order_key
      │    exact from needed_1, looked up by: priority = target.priority
      ├─ Source orders (parquet: orders.parquet)   (line 1)
      │       lineage: order_key = needed_1.order_key and priority = needed_1.priority
      └─ Filter quantity > 3
         │    exact: line_key = needed_1.order_key and quantity > 3
         └─ Source lines (parquet: lines.parquet)   (line 1)
                 lineage: line_key = needed_1.order_key and quantity > 3

Saved or recomputed
  needed_1: the SemiJoin of orders and lines
    needed because rows of orders would be selected that make no traced row when matched with lines
    columns: order_key and priority
    looked up where priority = target.priority
  or, if nothing was saved, run again:
    orders where priority = target.priority
    the Project of orders and lines where priority = target.priority
    lines, every row

Lineage
  orders: exact
    where order_key = needed_1.order_key
    and priority = needed_1.priority
  lines: exact
    where line_key = needed_1.order_key
    and quantity > 3

target: the output rows to trace; needed_1 and so on: the rows looked up in a saved or recomputed result.
Compared with their values NULL equals NULL, except where the comparison is the pipeline's own, as in a join."""
    )


def test_what_only_hands_columns_on_is_left_out_and_what_a_rewriting_made_belongs_to_the_step_above() -> None:
    kept = op.Filter(input=orders(), condition=call(">", ORDER_KEY, number(3, LONG)))
    handed_on = op.Project(
        input=kept, columns=(op.Named(PRIORITY, PRIORITY),), plan_node=2, origin="in line 2"
    )
    again = op.Project(input=handed_on, columns=(op.Named(PRIORITY, PRIORITY),), plan_node=3)
    top = op.Project(input=again, columns=(op.Named(PRIORITY, PRIORITY),), plan_node=4, origin="in line 3")
    steps = [Step(each, None, "target", "", (EXACT,)) for each in (top, again, handed_on, kept)]

    whole = cut(None, cut(None, cut(None, cut(None, cut(None)))))
    plan = lineage_plan(inferred(None, selected(0, None), its_cut=whole), top)

    def shown() -> list[str]:
        found = explain(top, steps, plan).splitlines()
        return [line for line in found if "(line" in line]

    assert shown() == [
        "Project priority   (line 3)",
        "└─ Filter order_key > 3   (line 3)",
        "   └─ Source orders (parquet: orders.parquet)   (line 1)",
    ]
    steps[2] = Step(handed_on, None, "target", "needed_1", (EXACT,))
    assert shown()[1:3] == [
        "└─ Project priority   (line 2)",
        "   └─ Filter order_key > 3   (line 2)",
    ]
    steps[2] = Step(handed_on, None, "target", "", ("no rule",))
    assert shown()[1] == "└─ Project priority   (line 2)"


def test_values_that_are_asked_for_only_on_the_way_are_shown_too() -> None:
    sort = op.Sort(input=at(1, orders()), keys=(), plan_node=2)
    need = needed(sort, None)
    plan = lineage_plan(
        inferred(need, selected(0, equal(ORDER_KEY, "needed_1")), its_cut=cut(None, cut(None))), sort
    )
    assert plan.results[0].columns == (ORDER_KEY,)
    steps = (
        Step(sort, None, "target", "needed_1", (EXACT,)),
        Step(sort.input, equal(PRIORITY, "needed_1"), "needed_1", "", ()),
    )
    assert "lineage: priority = needed_1.priority" in explain(sort, steps, plan)


def test_what_is_not_exact_says_why() -> None:
    operator = at(1, orders())
    outcome = inferred(None, selected(0, None, "target", f"GroupBy: {NEEDLESS.format(1)}"))
    text = decisions(lineage_plan(outcome, operator), operator)
    assert (
        text
        == """\
Saved or recomputed
  nothing

Lineage
  orders: not exact: GroupBy: rows would be selected that make no traced row
    where every row"""
    )
    step = Step(op.Sort(input=operator, keys=()), None, "target", "", ("no rule",))
    assert "not exact: every row" in explain(step.operator, (step,), lineage_plan(outcome, operator))


def test_references_of_one_source_are_told_apart_and_so_are_columns_of_one_name() -> None:
    other = tuple(replace(c, id=column(i, "").id) for i, c in enumerate(orders().columns, start=20))
    again = at(2, source("orders", *other, reference=1))
    join = op.Join(left=at(1, orders()), right=again, kind=op.JoinKind.CROSS, plan_node=3)
    of_both = call("and", equal(PRIORITY, "needed_1"), equal(PRIORITY, "needed_1", other[1]))
    its_cut = cut(None, cut(None), cut(equal(other[1], "target", PRIORITY)))
    outcome = inferred(needed(join, None), selected(0, of_both), selected(1, NOTHING), its_cut=its_cut)
    plan = lineage_plan(outcome, join)
    assert (
        decisions(plan, join)
        == """\
Saved or recomputed
  needed_1: the CrossJoin of orders
    needed because because
    columns: priority[1], priority[2]
    looked up where every row
  or, if nothing was saved, run again:
    orders (2 of 2) where priority <=> target.priority[1]
    orders (1 of 2), every row

Lineage
  orders (1 of 2): exact
    where priority <=> needed_1.priority[1]
    and priority <=> needed_1.priority[2]
  orders (2 of 2): exact
    where no row"""
    )
    assert "priority = needed_1.priority#21" in explain(join, (), plan)


MANY = tuple(column(30 + i, f"c{i}") for i in range(6))
RELATIONS = {"needed_1": (*MANY, LINE_KEY), "target": (ORDER_KEY,)}


@pytest.mark.parametrize(
    ("predicate", "columns", "text"),
    [
        (all_of(equal(c, "needed_1") for c in MANY), MANY, "all 6 columns = those of needed_1"),
        (
            all_of((*(equal(c, "needed_1") for c in MANY[:5]), call(">", MANY[5], number(1)))),
            MANY,
            "(c0, c1, c2 and 2 more) = those of needed_1 and c5 > 1",
        ),
        (
            all_of(equal(c, "needed_1", LINE_KEY) for c in MANY[:5]),
            MANY,
            " and ".join(f"c{i} = needed_1.line_key" for i in range(5)),
        ),
        (
            all_of((equal(LINE_KEY, "target", ORDER_KEY), call("=", Parameter("target.1", LONG), LINE_KEY))),
            (LINE_KEY,),
            "line_key = target.order_key",
        ),
        (
            all_of(
                (call("or", equal(MANY[0], "needed_1"), call("isnull", MANY[0])), equal(MANY[1], "needed_1"))
            ),
            MANY,
            "(c0 = needed_1.c0 or c0 is null) and c1 = needed_1.c1",
        ),
        (call("<=>", MANY[0], MANY[1]), MANY, "c0 <=> c1"),
    ],
    ids=["whole row", "many", "not namesakes", "said twice", "or", "the pipeline's own"],
)
def test_short_predicates(predicate: Selection, columns: tuple[Column, ...], text: str) -> None:
    assert PredicateText(RELATIONS).text(predicate, columns) == text


def test_the_precise_form_leaves_nothing_out() -> None:
    predicate = all_of(
        (*(equal(c, "needed_1") for c in MANY), call("=", Parameter("target.1", LONG), MANY[0]))
    )
    assert PredicateText(RELATIONS, precise=True).conjuncts(predicate, MANY) == [
        *(f"c{i} <=> needed_1.c{i}" for i in range(6)),
        "target.order_key = c0",
    ]


def test_an_operator_in_the_tree_shows_few_conjuncts() -> None:
    table = at(1, source("wide", *MANY))
    bounds = all_of(call(">", c, number(1)) for c in MANY)
    selection = replace(selected(0, bounds, "target"), columns=table.columns)
    plan = lineage_plan(inferred(None, selection), table)
    tree = explain(table, (Step(table, bounds, "target", "", ()),), plan)
    assert "lineage: c0 > 1 and c1 > 1 and c2 > 1 and 3 more\n" in tree


@pytest.mark.parametrize(
    ("operator", "number_of_input", "text"),
    [
        (
            semi_join(),
            2,
            "rows of lines would be selected that make no traced row when matched with orders",
        ),
        (
            group(),
            1,
            "rows of orders would be selected that belong to other groups",
        ),
        (
            op.Limit(input=orders(), count=1),
            1,
            "rows of orders would be selected that make no traced row",
        ),
    ],
    ids=["join", "group", "limit"],
)
def test_a_counterexample_names_the_input(operator: op.Operator, number_of_input: int, text: str) -> None:
    assert reason_in_words(NEEDLESS.format(number_of_input), operator) == text


def test_a_reason_that_may_be_of_other_operators_names_none() -> None:
    of_another = f"GroupBy: {NEEDLESS.format(1)}"
    assert (
        reason_in_words(of_another, semi_join()) == "GroupBy: rows would be selected that make no traced row"
    )
    reasons = "; ".join((NEEDLESS.format(1), NEEDLESS.format(2), "no proof was found within the budget"))
    expected = "rows would be selected that make no traced row; no proof was found within the budget"
    assert reason_in_words(reasons, semi_join()) == expected


def test_lists_are_cut_short_only_when_too_long() -> None:
    assert [listed("abcd"[:n], 3) for n in range(5)] == ["", "a", "a and b", "a, b and c", "a, b and 2 more"]
    assert listed(["a", "a", "b"]) == "a and b"


def test_an_operator_without_sources_has_its_title() -> None:
    assert operator_name(op.OneRow()) == "the OneRow"
    assert operator_name(lines()) == "lines"
