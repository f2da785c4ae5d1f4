"""Operators check themselves, and know what they read of queries around them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir.samples import PAIRS, K, V, call, column, pairs

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import (
    Exists,
    OuterColumn,
)
from predtrace.ir.operators import (
    Filter,
    GroupBy,
    Join,
    JoinKind,
    Limit,
    Named,
    Project,
    Union,
    Window,
)
from predtrace.ir.types import INTEGER, LONG


def test_a_column_from_nowhere_is_named() -> None:
    stranger = column(77, "stranger", INTEGER)
    with pytest.raises(PlanIntegrityError, match="Filter reads stranger#77"):
        Filter(input=PAIRS, condition=call("=", stranger, K))


def test_a_repeated_column_is_named() -> None:
    with pytest.raises(PlanIntegrityError, match=r"Project outputs column ids \['1'\] twice"):
        Project(input=PAIRS, columns=(Named(K, K), Named(K, V)))
    with pytest.raises(PlanIntegrityError, match="CrossJoin outputs"):
        Join(left=PAIRS, right=PAIRS, kind=JoinKind.CROSS)


def test_other_rules_of_operators() -> None:
    with pytest.raises(PlanIntegrityError, match="flag"):
        Join(left=PAIRS, right=pairs(3), kind=JoinKind.EXISTENCE)
    with pytest.raises(PlanIntegrityError, match="no aggregate"):
        GroupBy(input=PAIRS, keys=(), aggregates=(Named(K, K),))
    with pytest.raises(PlanIntegrityError, match="limit of -1"):
        Limit(input=PAIRS, count=-1)
    with pytest.raises(PlanIntegrityError, match="another width"):
        Union(branches=(PAIRS, PAIRS), columns=(K,), keep_duplicates=True)
    with pytest.raises(PlanIntegrityError, match="no window function"):
        Window(input=PAIRS, functions=(Named(column(5, "w", LONG), K),))


def test_what_a_subquery_reads_of_the_query_around_it() -> None:
    inner = pairs(3, 1)
    correlated = Filter(input=inner, condition=call("=", inner.columns[0], OuterColumn(K)))
    assert correlated.outer_columns() == {K}
    around = Filter(input=PAIRS, condition=Exists(correlated))
    assert around.outer_columns() == set()
    # Two deep: the middle query only passes on what the inner one reads of the outermost.
    middle = Filter(input=pairs(5, 2), condition=Exists(correlated))
    assert middle.outer_columns() == {K}


def test_outer_joins_make_columns_nullable() -> None:
    sure = replace(PAIRS, columns=tuple(replace(c, is_nullable=False) for c in PAIRS.columns))
    other = replace(pairs(3), columns=tuple(replace(c, is_nullable=False) for c in pairs(3).columns))
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
