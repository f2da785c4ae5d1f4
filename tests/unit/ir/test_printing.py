"""Golden texts: what people read."""

from __future__ import annotations

import pytest
from tests.unit.ir.samples import (
    LINE_KEY,
    ORDER_KEY,
    PRIORITY,
    QUANTITY,
    call,
    column,
    late_orders,
    lines,
    number,
    orders,
    source,
    text,
)

from predtrace.ir import expressions as ir
from predtrace.ir import operators as op
from predtrace.ir.printing import describe, explain
from predtrace.ir.types import BOOLEAN, DATE, INTEGER, LONG


def test_a_tree_is_drawn_from_the_result_to_the_sources() -> None:
    assert explain(late_orders()) == "\n".join(
        [
            "Sort by priority",
            "└─ GroupBy priority: orders = count(*)",
            "   └─ SemiJoin on line_key = order_key",
            "      ├─ Source orders (parquet: orders.parquet)",
            "      └─ Filter quantity > 3",
            "         └─ Source lines (parquet: lines.parquet)",
        ]
    )


def test_subqueries_stand_below_their_operator_under_their_number() -> None:
    inner = op.Filter(input=lines(), condition=call("=", LINE_KEY, ir.OuterColumn(ORDER_KEY)))
    condition = call("and", call("not", ir.Exists(inner)), ir.InSubquery(orders_again(), (ORDER_KEY,)))
    assert explain(op.Filter(input=orders(), condition=condition)) == "\n".join(
        [
            "Filter not exists (subquery 1) and order_key in (subquery 2)",
            "├─ Source orders (parquet: orders.parquet)",
            "├─ subquery 1:",
            "│     Filter line_key = outer order_key",
            "│     └─ Source lines (parquet: lines.parquet)",
            "└─ subquery 2:",
            "      Source orders (parquet: orders.parquet)",
        ]
    )


def orders_again() -> op.Source:
    return source("orders", column(11, "order_key", LONG), reference=2)


def test_ids_are_shown_only_where_names_clash() -> None:
    keys = call("=", ORDER_KEY, column(11, "order_key"))
    join = op.Join(
        left=orders(),
        right=orders_again(),
        kind=op.JoinKind.LEFT,
        condition=call("and", keys, call("=", PRIORITY, text("it's"))),
    )
    assert explain(join).splitlines()[0] == (
        "LeftOuterJoin on order_key#1 = order_key#11 and priority = 'it''s'"
    )


def test_project_limit_distinct_and_union() -> None:
    doubled = op.Named(column(7, "doubled"), call("*", QUANTITY, number(2), type_=INTEGER))
    project = op.Project(input=lines(), columns=(op.Named(LINE_KEY, LINE_KEY), doubled))
    union = op.Union(
        branches=(project, project),
        columns=(column(8, "key", LONG), column(9, "doubled")),
        keep_duplicates=True,
    )
    distinct = op.Distinct(input=union, on=union.columns[:1])
    top = op.Limit(input=op.Sort(input=distinct, keys=(ir.SortKey(union.columns[1], False, False),)), count=1)
    assert explain(top) == "\n".join(
        [
            "TopK 1 row",
            "└─ Sort by doubled desc",
            "   └─ DropDuplicates key",
            "      └─ UnionAll key, doubled#9",
            "         ├─ Project line_key, doubled = quantity * 2",
            "         │  └─ Source lines (parquet: lines.parquet)",
            "         └─ Project line_key, doubled = quantity * 2",
            "            └─ Source lines (parquet: lines.parquet)",
        ]
    )


A, B = column(1, "a"), column(2, "b")
X = ir.LambdaVariable(ir.ColumnId("9"), "x", INTEGER)
FRAME = ir.Frame(ir.FrameKind.RANGE, "unbounded", "current")

DESCRIPTIONS = [
    (call("and", call("or", A, B), A), "(a or b) and a"),
    (call("or", call("and", A, B), A), "a and b or a"),
    (call("-", A, call("-", A, B)), "a - (a - b)"),
    (call("-", call("-", A, B), A), "a - b - a"),
    (call("*", call("+", A, B), number(2)), "(a + b) * 2"),
    (call("not", call("=", A, B)), "not a = b"),
    (call("=", call("=", A, B), B), "(a = b) = b"),
    (call("isnull", call("+", A, B)), "a + b is null"),
    (call("in", A, number(1), number(2)), "a in (1, 2)"),
    (call("between", A, number(1), B), "a between 1 and b"),
    (call("negative", call("+", A, B)), "-(a + b)"),
    (call("getfield", call("getitem", A, number(0))), "a[0].None"),
    (ir.Cast(number(1), LONG), "1"),
    (ir.Cast(A, LONG, attempt=True), "try_cast(a as bigint)"),
    (ir.Case(((A, B),), None), "case when a then b end"),
    (ir.Literal(None, DATE), "null"),
    (ir.UserCall("f0", "shout", (A,), INTEGER), "shout(a)"),
    (
        ir.AggregateCall("sum", (A,), LONG, True, call(">", B, number(0))),
        "sum(distinct a) filter (where b > 0)",
    ),
    (
        ir.WindowCall(call("row_number"), (A,), (ir.SortKey(B, False, True),), FRAME),
        "row_number() over (partition by a order by b desc nulls first)",
    ),
    (
        ir.WindowCall(
            ir.AggregateCall("max", (A,), LONG), (), (), ir.Frame(ir.FrameKind.ROWS, number(-2), "unbounded")
        ),
        "max(a) over (rows between 2 preceding and unbounded following)",
    ),
    (
        call("filter", A, ir.Lambda((X,), call(">", X, B))),
        "filter(a, x -> x > b)",
    ),
]


@pytest.mark.parametrize(("expression", "wanted"), DESCRIPTIONS, ids=[wanted for _, wanted in DESCRIPTIONS])
def test_an_expression_reads_as_people_write_it(expression: ir.Expression, wanted: str) -> None:
    assert describe(expression) == wanted


def test_the_type_of_a_constant_is_no_noise() -> None:
    assert describe(ir.Literal(True, BOOLEAN)) == "true"
