"""What rows tell of the rows above them and beside them: proved where it holds, refuted where it does not."""

from __future__ import annotations

import pytest
from tests.unit.ir import samples
from tests.unit.ir.samples import call, column, number
from tests.unit.operators import cases as c

from predtrace.infer.models import Models
from predtrace.infer.push_up import (
    apart,
    compares_only,
    needed_beside,
    premise,
    pushed_below,
    sideways,
    upward,
)
from predtrace.ir.expressions import Cast, ColumnId, Expression
from predtrace.ir.operators import Join, JoinKind, Operator
from predtrace.ir.predicates import Parameter
from predtrace.ir.printing import describe
from predtrace.ir.types import DOUBLE, STRING
from predtrace.operators import Selection
from predtrace.symbolic.claims import Claim
from predtrace.symbolic.laws import Run
from predtrace.symbolic.refinement_laws import accompanied, determined, other, unmatched
from predtrace.symbolic.solver import prove

BOTH = call("and", c.EQUAL, call("<", c.X, c.Y))
NULL_AWARE = call("or", c.EQUAL, call("isnull", c.EQUAL))


def _run(operator: Operator) -> Run:
    model = Models().of(operator)
    assert model is not None
    return Run(model.inputs, model.output)


def _is_proved(claim: Claim) -> bool:
    verdict = prove(claim)
    assert verdict.is_proved or verdict.is_refuted, "undecided"
    return verdict.is_proved


def _up(operator: Operator, at: int = 0, known: Selection = None) -> dict[str, str]:
    return {c: describe(e) for c, e in upward(operator, at, known, Models()).items()}


@pytest.mark.parametrize(
    ("operator", "at", "told"),
    [
        (c.FILTER, 0, {"1": "k", "2": "x"}),
        (c.PROJECT, 0, {"1": "k", "9": "x + x"}),
        (c.SORT, 0, {"1": "k", "2": "x"}),
        (c.LIMIT, 0, {"1": "k", "2": "x"}),
        (c.DISTINCT, 0, {"1": "k", "2": "x"}),
        (c.DROP_DUPLICATES, 0, {"1": "k", "2": "x"}),
        (c.group(c.COUNTED), 0, {"1": "k"}),
        # Sound, not complete: the row that attains a maximum may be one of the group's rows that proofs do not show.
        (c.group(c.LARGEST), 0, {}),
        # A global aggregate of nothing has a row, and nothing behind it.
        (c.group(c.COUNTED, keys=False), 0, {}),
        (c.EXPAND, 0, {"10": "k"}),
        (c.join(JoinKind.INNER), 0, {"1": "k", "2": "x"}),
        (c.join(JoinKind.INNER), 1, {"3": "j", "4": "y"}),
        (c.join(JoinKind.LEFT), 0, {"1": "k", "2": "x"}),
        (c.join(JoinKind.LEFT), 1, {}),
        (c.join(JoinKind.FULL), 0, {}),
        (c.join(JoinKind.SEMI), 0, {"1": "k", "2": "x"}),
        (c.join(JoinKind.ANTI), 1, {}),
        (c.join(JoinKind.EXISTENCE), 0, {"1": "k", "2": "x"}),
        # The row comes from one branch or the other.
        (c.UNION, 0, {}),
        (c.UNION, 1, {}),
        (c.INTERSECT, 0, {"10": "k", "11": "x"}),
        (c.INTERSECT, 1, {"10": "j", "11": "y"}),
        (c.EXCEPT, 0, {"10": "k", "11": "x"}),
        (c.EXCEPT, 1, {}),
    ],
    ids=lambda value: value.title() if isinstance(value, Operator) else None,
)
def test_what_a_row_tells_of_the_row_above(operator: Operator, at: int, told: dict[str, str]) -> None:
    assert _up(operator, at) == told


def test_below_a_condition_that_no_null_meets_an_outer_join_is_an_inner_one() -> None:
    assert _up(c.join(JoinKind.LEFT), 1, call(">", c.Y, number(0))) == {"3": "j", "4": "y"}


@pytest.mark.parametrize(
    ("operator", "columns"),
    [
        (c.PROJECT, {c.DOUBLED.id: c.X}),
        (c.join(JoinKind.INNER), {c.X.id: c.K}),
        (c.group(c.COUNTED), {c.K.id: c.X}),
        (c.group(c.SUMMED), {c.TOTAL.id: Cast(c.X, c.TOTAL.type)}),
        # Some row has the maximum, but nothing says that it is among those shown.
        (c.group(c.LARGEST, c.COUNTED), {c.K.id: c.K, c.MAXIMUM.id: c.X}),
    ],
)
def test_a_wrong_push_up_is_refuted(operator: Operator, columns: dict[ColumnId, Expression]) -> None:
    assert not _is_proved(determined(_run(operator), 0, None, columns))


@pytest.mark.parametrize(
    ("operator", "of", "by", "tie"),
    [
        (c.join(JoinKind.INNER), 0, 1, "k = :other.3"),
        (c.join(JoinKind.INNER), 1, 0, ":other.1 = j"),
        (c.join(JoinKind.INNER, BOTH), 0, 1, "k = :other.3 and x < :other.4"),
        (c.join(JoinKind.SEMI), 0, 1, "k = :other.3"),
        (c.join(JoinKind.SEMI), 1, 0, ":other.1 = j"),
        (c.join(JoinKind.LEFT), 0, 1, None),
        (c.join(JoinKind.LEFT), 1, 0, ":other.1 = j"),
        (c.join(JoinKind.FULL), 0, 1, None),
        (c.join(JoinKind.EXISTENCE), 0, 1, None),
        (c.join(JoinKind.EXISTENCE), 1, 0, ":other.1 = j"),
        (c.join(JoinKind.ANTI), 0, 1, None),
        (c.INTERSECT, 0, 1, "k <=> :other.3 and x <=> :other.4"),
        (c.EXCEPT, 0, 1, None),
        (c.UNION, 0, 1, None),
    ],
    ids=lambda value: value.title() if isinstance(value, Operator) else None,
)
def test_what_ties_rows_to_rows_of_the_other_input(
    operator: Operator, of: int, by: int, tie: str | None
) -> None:
    found = sideways(operator, of, by, None, Models())
    assert (found and describe(found)) == tie


@pytest.mark.parametrize(
    ("operator", "of", "by", "tie"),
    [
        (c.join(JoinKind.INNER), 0, 1, "k = :other.3"),
        (c.join(JoinKind.INNER, BOTH), 1, 0, ":other.1 = j and :other.2 < y"),
        (c.join(JoinKind.SEMI), 0, 1, "k = :other.3"),
        (c.join(JoinKind.SEMI), 1, 0, ":other.1 = j"),
        (c.join(JoinKind.LEFT), 0, 1, None),
        (c.join(JoinKind.LEFT), 1, 0, ":other.1 = j"),
        (c.join(JoinKind.RIGHT), 0, 1, "k = :other.3"),
        (c.join(JoinKind.FULL), 0, 1, None),
        (c.join(JoinKind.FULL), 1, 0, None),
        (c.join(JoinKind.EXISTENCE), 0, 1, None),
        (c.join(JoinKind.EXISTENCE), 1, 0, ":other.1 = j"),
        (c.join(JoinKind.ANTI), 0, 1, None),
        # None of them is in anyone's lineage, and yet those that match are needed to leave rows out.
        (c.join(JoinKind.ANTI), 1, 0, ":other.1 = j"),
        (c.INTERSECT, 0, 1, "k <=> :other.3 and x <=> :other.4"),
        (c.EXCEPT, 0, 1, None),
        (c.EXCEPT, 1, 0, "j <=> :other.1 and y <=> :other.2"),
        (c.UNION, 0, 1, None),
        (c.UNION, 1, 0, None),
    ],
    ids=lambda value: value.title() if isinstance(value, Operator) else None,
)
def test_what_rows_must_meet_to_be_needed(operator: Operator, of: int, by: int, tie: str | None) -> None:
    found = needed_beside(operator, of, by, None, Models())
    assert (found and describe(found)) == tie


def test_a_null_aware_anti_join_needs_the_rows_that_may_match() -> None:
    found = needed_beside(c.join(JoinKind.ANTI, NULL_AWARE), 1, 0, None, Models())
    assert found is not None
    assert describe(found) == ":other.1 = j or (:other.1 = j) is null"


def test_below_a_condition_that_no_null_meets_both_sides_of_an_outer_join_must_match() -> None:
    found = needed_beside(c.join(JoinKind.LEFT), 0, 1, call(">", c.Y, number(0)), Models())
    assert found is not None
    assert describe(found) == "k = :other.3"


def test_a_condition_above_a_join_ties_its_inputs_too() -> None:
    known = premise(call("and", call("<", c.X, c.Y), call("<=>", c.X, Parameter("target.2", c.X.type))))
    found = sideways(c.join(JoinKind.LEFT), 0, 1, known, Models())
    assert found is not None
    assert describe(found) == "k = :other.3 and x < :other.4"


@pytest.mark.parametrize(
    ("operator", "condition"),
    [
        (c.join(JoinKind.INNER), call("=", c.K, other(c.Y))),
        (c.join(JoinKind.LEFT), call("=", c.K, other(c.J))),
        (c.join(JoinKind.ANTI), None),
        (c.join(JoinKind.SEMI, call("or", c.EQUAL, c.POSITIVE)), call("=", c.K, other(c.J))),
        (c.UNION, call("<=>", c.K, other(c.J))),
    ],
)
def test_a_wrong_tie_is_refuted(operator: Operator, condition: Selection) -> None:
    assert not _is_proved(accompanied(_run(operator), 0, 1, None, condition))


def test_rows_equal_but_for_the_sign_of_zero_are_behind_the_same_row() -> None:
    """-0.0 joins 0.0's partner by nobody's text: a tie that tells them apart would lose it."""
    one, another = column(1, "one", DOUBLE), column(2, "other", DOUBLE)
    left, right = samples.source("a", one), samples.source("b", another, reference=1)
    texts = call("=", Cast(one, STRING), Cast(another, STRING))
    join = Join(left=left, right=right, kind=JoinKind.SEMI, condition=texts)
    assert sideways(join, 0, 1, None, Models()) is None
    assert not compares_only(call("=", Cast(one, STRING), Parameter("s.2", STRING)))
    assert not compares_only(call("=", column(3, "t", STRING), Cast(Parameter("s.2", DOUBLE), STRING)))
    assert compares_only(call("<", one, Parameter("s.2", DOUBLE)))


@pytest.mark.parametrize(
    ("operator", "is_apart"),
    [
        (c.join(JoinKind.ANTI), True),
        (c.join(JoinKind.ANTI, BOTH), True),
        (c.join(JoinKind.ANTI, NULL_AWARE), True),
        (c.EXCEPT, True),
        # One copy too many of a row stays, matched or not.
        (c.EXCEPT_ALL, False),
        (c.join(JoinKind.SEMI), False),
        (c.join(JoinKind.LEFT), False),
    ],
    ids=lambda value: value.title() if isinstance(value, Operator) else None,
)
def test_which_rows_have_no_match(operator: Operator, is_apart: bool) -> None:
    assert (apart(operator, 0, 1, None, Models()) is not None) is is_apart


def test_a_wrong_exclusion_is_refuted() -> None:
    anti = _run(c.join(JoinKind.ANTI, BOTH))
    assert not _is_proved(unmatched(anti, 0, 1, None, call("=", c.K, other(c.J))))


def test_a_predicate_over_another_sets_tuple_is_pushed_down_soundly() -> None:
    of_set = call("=", c.K, Parameter("source_1.3", c.K.type))
    total = call("=", c.TOTAL, Parameter("source_1.8", c.TOTAL.type))
    (pushed,) = pushed_below(c.group(c.SUMMED), call("and", of_set, total), Models())
    assert pushed == of_set
