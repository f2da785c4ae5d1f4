"""Operators check themselves, know what they read of queries around them, and what may differ between runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir import samples
from tests.unit.ir.samples import column

from predtrace.errors import PlanIntegrityError
from predtrace.ir.determinism import unstable_steps
from predtrace.ir.expressions import (
    AggregateCall,
    Call,
    Column,
    Exists,
    Expression,
    Frame,
    FrameKind,
    Literal,
    OuterColumn,
    SortKey,
    WindowCall,
)
from predtrace.ir.operators import (
    Distinct,
    Filter,
    GroupBy,
    Join,
    JoinKind,
    Limit,
    Named,
    Operator,
    Project,
    Sort,
    Source,
    Union,
    Window,
)
from predtrace.ir.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING


def source(first: int, reference: int = 0) -> Source:
    return samples.source("t", column(first, "k"), column(first + 1, "v", DOUBLE), reference=reference)


T = source(1)
K, V = T.columns


def equal(left: Expression, right: Expression) -> Call:
    return Call("=", (left, right), BOOLEAN)


def summed(key: Column = K) -> GroupBy:
    total = column(9, "total", DOUBLE)
    return GroupBy(
        input=T, keys=(Named(key, key),), aggregates=(Named(total, AggregateCall("sum", (V,), DOUBLE)),)
    )


def test_a_column_from_nowhere_is_named() -> None:
    stranger = column(77, "stranger", INTEGER)
    with pytest.raises(PlanIntegrityError, match="Filter reads stranger#77"):
        Filter(input=T, condition=equal(stranger, K))


def test_a_repeated_column_is_named() -> None:
    with pytest.raises(PlanIntegrityError, match=r"Project outputs column ids \['1'\] twice"):
        Project(input=T, columns=(Named(K, K), Named(K, V)))
    with pytest.raises(PlanIntegrityError, match="CrossJoin outputs"):
        Join(left=T, right=T, kind=JoinKind.CROSS)


def test_other_rules_of_operators() -> None:
    with pytest.raises(PlanIntegrityError, match="flag"):
        Join(left=T, right=source(3), kind=JoinKind.EXISTENCE)
    with pytest.raises(PlanIntegrityError, match="no aggregate"):
        GroupBy(input=T, keys=(), aggregates=(Named(K, K),))
    with pytest.raises(PlanIntegrityError, match="limit of -1"):
        Limit(input=T, count=-1)
    with pytest.raises(PlanIntegrityError, match="another width"):
        Union(branches=(T, T), columns=(K,), keep_duplicates=True)
    with pytest.raises(PlanIntegrityError, match="no window function"):
        Window(input=T, functions=(Named(column(5, "w", LONG), K),))


def test_what_a_subquery_reads_of_the_query_around_it() -> None:
    inner = source(3, 1)
    correlated = Filter(input=inner, condition=equal(inner.columns[0], OuterColumn(K)))
    assert correlated.outer_columns() == {K}
    around = Filter(input=T, condition=Exists(correlated))
    assert around.outer_columns() == set()
    # Two deep: the middle query only passes on what the inner one reads of the outermost.
    middle = Filter(input=source(5, 2), condition=Exists(correlated))
    assert middle.outer_columns() == {K}


def test_outer_joins_make_columns_nullable() -> None:
    sure = replace(T, columns=tuple(replace(c, is_nullable=False) for c in T.columns))
    other = replace(source(3), columns=tuple(replace(c, is_nullable=False) for c in source(3).columns))
    nullable = {
        kind: [c.nullable for c in Join(left=sure, right=other, kind=kind).output]
        for kind in (JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL, JoinKind.SEMI)
    }
    assert nullable == {
        JoinKind.INNER: [False] * 4,
        JoinKind.LEFT: [False, False, True, True],
        JoinKind.RIGHT: [True, True, False, False],
        JoinKind.FULL: [True] * 4,
        JoinKind.SEMI: [False, False],
    }


NO_TWO_ALIKE = Distinct(input=T, on=(K, V))
ORDERED = Sort(input=T, keys=(SortKey(K),))
TOTALLY_ORDERED = Sort(input=T, keys=(SortKey(V), SortKey(K)))
TWICE_V = Named(column(9, "twice", DOUBLE), Call("+", (V, V), DOUBLE))
RANDOM = Named(column(9, "random", DOUBLE), Call("rand", (), DOUBLE, deterministic=False))


def numbered(
    *order: Column, partition: tuple[Column, ...] = (), rows: Operator = T, function: str = "row_number"
) -> Window:
    frame = Frame(FrameKind.ROWS, "unbounded", "current")
    call = WindowCall(Call(function, (), INTEGER), partition, tuple(map(SortKey, order)), frame)
    return Window(input=rows, functions=(Named(column(8, "n", INTEGER), call),))


def both(one: Window, other: Window) -> Window:
    """The window functions of both, as one operator."""
    again = (replace(named, column=column(7, "again", INTEGER)) for named in other.functions)
    return replace(one, functions=(*one.functions, *again))


def with_column(computed: Named) -> Project:
    return Project(input=T, columns=(Named(K, K), Named(V, V), computed))


def taken_by(*key: Expression) -> GroupBy:
    by = Call("named_struct", key, K.type)
    return GroupBy(
        input=T,
        keys=(),
        aggregates=(Named(column(8, "m", V.type), AggregateCall("max_by", (V, by), V.type)),),
    )


@pytest.mark.parametrize(
    ("operator", "words"),
    [
        (T, None),
        (summed(), None),
        (Limit(input=T, count=1), "unordered"),
        (Limit(input=ORDERED, count=1), None),
        (GroupBy(input=Limit(input=ORDERED, count=1), keys=(), aggregates=()), "tie"),
        (GroupBy(input=Limit(input=TOTALLY_ORDERED, count=1), keys=(), aggregates=()), None),
        (
            Filter(input=summed(), condition=equal(summed().output[1], Literal(1.0, DOUBLE))),
            "differ between runs",
        ),
        (Filter(input=summed(), condition=equal(K, Literal(1, INTEGER))), None),
        (Filter(input=T, condition=equal(Call("rand", (), DOUBLE, deterministic=False), V)), "differ"),
        (Project(input=T, columns=(Named(K, Call("rand", (), DOUBLE, deterministic=False)),)), None),
        (Distinct(input=T, on=(K, V)), None),
        (Distinct(input=T, on=(K,)), "duplicates"),
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
