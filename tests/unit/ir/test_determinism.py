"""What may differ between runs: values that depend on the order of rows, and steps that decide by them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir.samples import PAIRS, K, V, call, column

from predtrace.ir.determinism import unstable_steps
from predtrace.ir.expressions import (
    AggregateCall,
    Call,
    Column,
    Expression,
    Frame,
    FrameKind,
    Literal,
    SortKey,
    WindowCall,
)
from predtrace.ir.operators import (
    Distinct,
    Filter,
    GroupBy,
    Limit,
    Named,
    Operator,
    Project,
    Sort,
    Window,
)
from predtrace.ir.types import BOOLEAN, DOUBLE, INTEGER, STRING, ArrayType, DataType


def summed() -> GroupBy:
    total = Named(column(9, "total", DOUBLE), AggregateCall("sum", (V,), DOUBLE))
    return GroupBy(input=PAIRS, keys=(Named(K, K),), aggregates=(total,))


NO_TWO_ALIKE = Distinct(input=PAIRS, on=(K, V))
ORDERED = Sort(input=PAIRS, keys=(SortKey(K),))
TOTALLY_ORDERED = Sort(input=PAIRS, keys=(SortKey(V), SortKey(K)))
TWICE_V = Named(column(9, "twice", DOUBLE), Call("+", (V, V), DOUBLE))
RANDOM = Named(column(9, "random", DOUBLE), Call("rand", (), DOUBLE, deterministic=False))


def numbered(
    *order: Column, partition: tuple[Column, ...] = (), rows: Operator = PAIRS, function: str = "row_number"
) -> Window:
    frame = Frame(FrameKind.ROWS, "unbounded", "current")
    call = WindowCall(Call(function, (), INTEGER), partition, tuple(map(SortKey, order)), frame)
    return Window(input=rows, functions=(Named(column(8, "n", INTEGER), call),))


def both(one: Window, other: Window) -> Window:
    """The window functions of both, as one operator."""
    again = (replace(named, column=column(7, "again", INTEGER)) for named in other.functions)
    return replace(one, functions=(*one.functions, *again))


def with_column(computed: Named) -> Project:
    return Project(input=PAIRS, columns=(Named(K, K), Named(V, V), computed))


def taken_by(*key: Expression) -> GroupBy:
    by = Call("named_struct", key, K.type)
    return GroupBy(
        input=PAIRS,
        keys=(),
        aggregates=(Named(column(8, "m", V.type), AggregateCall("max_by", (V, by), V.type)),),
    )


@pytest.mark.parametrize(
    ("operator", "words"),
    [
        (PAIRS, None),
        (summed(), None),
        (Limit(input=PAIRS, count=1), "unordered"),
        (Limit(input=ORDERED, count=1), None),
        (GroupBy(input=Limit(input=ORDERED, count=1), keys=(), aggregates=()), "tie"),
        (GroupBy(input=Limit(input=TOTALLY_ORDERED, count=1), keys=(), aggregates=()), None),
        (
            Filter(input=summed(), condition=call("=", summed().output[1], Literal(1.0, DOUBLE))),
            "differ between runs",
        ),
        (Filter(input=summed(), condition=call("=", K, Literal(1, INTEGER))), None),
        (
            Filter(input=PAIRS, condition=call("=", Call("rand", (), DOUBLE, deterministic=False), V)),
            "differ",
        ),
        (Project(input=PAIRS, columns=(Named(K, Call("rand", (), DOUBLE, deterministic=False)),)), None),
        (Distinct(input=PAIRS, on=(K, V)), None),
        (Distinct(input=PAIRS, on=(K,)), "duplicates"),
        (numbered(K), "tie"),
        (numbered(K, V), None),
        (numbered(V, partition=(K,)), None),
        (numbered(K, V, rows=with_column(TWICE_V)), None),
        (both(numbered(K, V), numbered(K, V)), None),
        (both(numbered(K, V), numbered(V, K)), "another order"),
        (both(numbered(K, V, rows=NO_TWO_ALIKE), numbered(V, K, rows=NO_TWO_ALIKE)), None),
        (both(numbered(K, V, rows=NO_TWO_ALIKE), numbered(V, partition=(K,), rows=NO_TWO_ALIKE)), None),
        (both(numbered(K, V, rows=NO_TWO_ALIKE), numbered(V, rows=NO_TWO_ALIKE)), "tie"),
        (numbered(K, function="rank"), None),
        (numbered(K, function="dense_rank"), None),
        (numbered(K, function="percent_rank"), None),
        (numbered(K, function="ntile"), "tie"),
        (numbered(K, function="sum"), "tie"),
        (both(numbered(K, V), numbered(V, K, function="rank")), None),
        (numbered(K, V, rows=with_column(RANDOM)), "tie"),
        (taken_by(Literal("k", STRING), K), "tie"),
        (taken_by(Literal("k", STRING), K, Literal("v", STRING), V), None),
    ],
)
def test_what_may_differ_between_runs(operator: Operator, words: str | None) -> None:
    steps = unstable_steps(operator)
    if words is None:
        assert steps == []
    else:
        assert len(steps) == 1
        assert words in steps[0]


LIST = column(8, "list", ArrayType("array", DOUBLE))


def listed(function: str) -> GroupBy:
    return GroupBy(
        input=PAIRS, keys=(Named(K, K),), aggregates=(Named(LIST, AggregateCall(function, (V,), LIST.type)),)
    )


def of_list(function: str, *more: Expression) -> Call:
    return Call(function, (LIST, *more), LIST.type)


ASCENDING = Literal(True, BOOLEAN)
AGAIN = column(9, "again", LIST.type)


@pytest.mark.parametrize(
    ("read", "is_stable"),
    [
        (LIST, False),
        (of_list("sort_array", ASCENDING), True),
        (of_list("array_sort"), True),
        (of_list("array_sort", V), False),  # by a comparator, for which different values may be alike
        (of_list("size"), True),
        (of_list("array_size"), True),
        (of_list("array_contains", V), True),
        (of_list("array_min"), True),
        (of_list("array_max"), True),
        (of_list("reverse"), False),
        (Call("concat", (of_list("sort_array", ASCENDING), LIST), LIST.type), False),
        (Call("sort_array", (of_list("reverse"), ASCENDING), LIST.type), False),
    ],
)
@pytest.mark.parametrize("function", ["collect_list", "collect_set"])
def test_of_a_list_only_the_order_differs(read: Expression, is_stable: bool, function: str) -> None:
    rows = Project(input=listed(function), columns=(Named(V, Literal(1.0, DOUBLE)), Named(LIST, LIST)))
    decides = Filter(input=rows, condition=call("=", read, Literal(None, LIST.type)))
    assert (unstable_steps(decides) == []) is is_stable
    computed = Project(input=rows, columns=(Named(AGAIN, read),))
    assert (unstable_steps(Distinct(input=computed, on=(AGAIN,))) == []) is is_stable


def test_a_sorted_list_of_values_that_differ_differs() -> None:
    lists = Named(LIST, AggregateCall("collect_list", (summed().output[1],), LIST.type))
    rows = GroupBy(input=summed(), keys=(), aggregates=(lists,))
    ordered = of_list("sort_array", ASCENDING)
    assert len(unstable_steps(Filter(input=rows, condition=call("=", ordered, ordered)))) == 1


@pytest.mark.parametrize(
    ("rows", "order", "is_stable"),
    [
        (NO_TWO_ALIKE, (V, K), True),
        (NO_TWO_ALIKE, (V,), False),
        (PAIRS, (V, K), False),
        (NO_TWO_ALIKE, (), False),
    ],
)
def test_a_window_adds_up_in_its_order(rows: Operator, order: tuple[Column, ...], is_stable: bool) -> None:
    frame = Frame(FrameKind.RANGE, "unbounded", "unbounded")
    added = WindowCall(AggregateCall("sum", (V,), DOUBLE), (), tuple(map(SortKey, order)), frame)
    total = Named(column(9, "total", DOUBLE), added)
    decides = Filter(input=Window(input=rows, functions=(total,)), condition=call("=", total.column, V))
    assert (unstable_steps(decides) == []) is is_stable


@pytest.mark.parametrize("function", ["median", "percentile", "max"])
def test_what_takes_a_value_does_not_depend_on_the_order(function: str) -> None:
    total = column(9, "total", DOUBLE)
    taken = GroupBy(input=PAIRS, keys=(), aggregates=(Named(total, AggregateCall(function, (V,), DOUBLE)),))
    assert unstable_steps(Filter(input=taken, condition=call("=", total, total))) == []


TEXT = DataType("string collate UTF8_LCASE")


def test_equal_texts_are_not_sorted_apart() -> None:
    text = column(10, "text", TEXT)
    rows = Project(input=PAIRS, columns=(Named(text, Literal("a", TEXT)),))
    lists = ArrayType("array", TEXT)
    texts = Named(column(12, "texts", lists), AggregateCall("collect_list", (text,), lists))
    made = GroupBy(input=rows, keys=(), aggregates=(texts,))
    shown = Call("hex", (Call("array_sort", (texts.column,), lists),), STRING)
    assert len(unstable_steps(Filter(input=made, condition=call("=", shown, shown)))) == 1
