"""Groups of rows that may not exist, and their aggregates, on known values; unknown aggregates by proof."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.symbolic.by_hand import column
from tests.unit.symbolic.ground_expressions import ground

from predtrace.ir.types import INTEGER, LONG
from predtrace.symbolic.claims import Claim
from predtrace.symbolic.groups import chosen_by, counted, extreme, grouped, unknown_aggregate
from predtrace.symbolic.solver import prove
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable
from predtrace.symbolic.terms import FALSE, TRUE, Term, boolean_value, negation
from predtrace.symbolic.values import SymbolicValue, fresh_value, known_value, less, null_safe_equal

K, X = column("k"), column("x")


def table(*rows: tuple[bool, Any, Any]) -> SymbolicTable:
    """Rows as (exists, k, x)."""
    made = (
        SymbolicRow(boolean_value(exists), (known_value(k, INTEGER), known_value(x, INTEGER)))
        for exists, k, x in rows
    )
    return SymbolicTable("t", (K, X), tuple(made))


def flags(terms: tuple[Term, ...]) -> list[bool | int | Any]:
    return [term.value for term in terms]


def test_a_group_stands_at_its_first_row_that_exists() -> None:
    """A row that is not there begins no group, and takes no other row's place as the first."""
    groups = grouped(table((False, 1, 0), (True, 1, 0), (True, 2, 0), (True, 1, 0), (False, 3, 0)), (K,))
    assert [group.is_first.value for group in groups] == [False, True, True, False, False]
    assert flags(groups[1].members) == [False, True, False, True, False]


def test_nulls_are_one_group() -> None:
    groups = grouped(table((True, None, 1), (True, None, 2), (True, 0, 3)), (K,))
    assert [group.is_first.value for group in groups] == [True, False, True]


def test_without_keys_all_rows_are_one_group() -> None:
    groups = grouped(table((False, 1, 0), (True, 1, 0), (True, 2, 0)), ())
    assert [group.is_first.value for group in groups] == [False, True, False]
    assert flags(groups[1].members) == [False, True, True]


MEMBERS = (TRUE, FALSE, TRUE, TRUE)


def values(*known: int | None) -> list[SymbolicValue]:
    return [known_value(value, INTEGER) for value in known]


def test_a_count_is_any_number_but_at_least_one_where_a_row_is_shown() -> None:
    """A small table stands for larger ones: a condition on the count must not shut violators out."""
    unseen = fresh_value("n", LONG)
    count = counted(MEMBERS, unseen)
    assert prove(Claim(less(known_value(0, LONG), count))).is_proved
    assert prove(Claim(less(known_value(-1, LONG), counted((FALSE,), unseen)))).is_proved
    for number in (1, 3, 1000):
        assert prove(Claim(negation(null_safe_equal(count, known_value(number, LONG))))).is_refuted
    assert prove(Claim(null_safe_equal(counted((FALSE,), unseen), known_value(0, LONG)))).is_refuted


CASES: list[tuple[tuple[int | None, ...], int | None, int | None, int | None]] = [
    ((1, 9, 3, 3), None, 3, 1),
    ((1, 9, 3, 3), 2, 3, 1),
    ((1, 9, 3, 3), 4, 4, 1),
    ((1, 9, 3, 3), 0, 3, 0),
    ((None, 9, -2, None), None, -2, -2),
    ((None, 9, None, None), None, None, None),
    ((None, 9, None, None), 5, 5, 5),
]


@pytest.mark.parametrize(("known", "unseen", "largest", "smallest"), CASES)
def test_extremes_of_the_members_shown_and_of_the_others(
    known: tuple[int | None, ...], unseen: int | None, largest: int | None, smallest: int | None
) -> None:
    (others,) = values(unseen)
    assert ground(extreme(MEMBERS, values(*known), others, largest=True)) == largest
    assert ground(extreme(MEMBERS, values(*known), others, largest=False)) == smallest


BESIDE: list[tuple[tuple[int | None, int | None], int | None]] = [
    ((None, None), 30),
    ((7, None), 30),
    ((7, 2), 30),
    ((7, 4), 7),
    ((None, 4), None),
]


@pytest.mark.parametrize(("unseen", "beside_largest"), BESIDE)
def test_the_value_beside_the_extreme(
    unseen: tuple[int | None, int | None], beside_largest: int | None
) -> None:
    value, by = values(*unseen)
    found = chosen_by(MEMBERS, values(10, 90, 20, 30), values(1, 9, 2, 3), (value, by), largest=True)
    assert ground(found) == beside_largest


def of(members: tuple[Term, ...], *arguments: SymbolicValue) -> SymbolicValue:
    return unknown_aggregate("sum", members, [(argument,) for argument in arguments], LONG)


def test_an_unknown_aggregate_sees_the_members_and_no_one_else() -> None:
    x, y, z = (fresh_value(name, INTEGER) for name in "xyz")
    assert prove(Claim(null_safe_equal(of((TRUE, FALSE), x, y), of((TRUE, FALSE), x, z)))).is_proved
    assert prove(Claim(null_safe_equal(of((TRUE, TRUE), x, y), of((TRUE, TRUE), x, z)))).is_refuted
    assert prove(Claim(null_safe_equal(of((TRUE, FALSE), x, y), of((TRUE, TRUE), x, y)))).is_refuted


def test_a_member_that_is_null_is_not_a_row_that_is_missing() -> None:
    x, null = fresh_value("x", INTEGER), known_value(None, INTEGER)
    assert prove(Claim(null_safe_equal(of((TRUE, FALSE), x, null), of((TRUE, TRUE), x, null)))).is_refuted
