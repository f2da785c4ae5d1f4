from __future__ import annotations

from predtrace.ir.expressions import Call, Column, ColumnId, Expression, Literal
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN, DOUBLE, LONG
from predtrace.trace.evaluation import without_implied

KEY, PRICE = Column(ColumnId("1"), "key", LONG), Column(ColumnId("2"), "price", DOUBLE)
SAME_KEY = Call("=", (KEY, Parameter("needed_1.9", LONG)), BOOLEAN)


def cheap(limit: float) -> Expression:
    return Call("<", (PRICE, Literal(limit, DOUBLE)), BOOLEAN)


def both(one: Expression, other: Expression) -> Expression:
    return Call("and", (one, other), BOOLEAN)


def test_what_asks_for_more_of_the_same_tuples_is_implied() -> None:
    less, more = (SAME_KEY, "needed_1"), (both(cheap(1.0), SAME_KEY), "needed_1")
    assert without_implied([more, less]) == [less]
    assert without_implied([less, more]) == [less]
    assert without_implied([more, (None, "needed_1")]) == [(None, "needed_1")]


def test_of_equal_ones_the_first_stays() -> None:
    one = (SAME_KEY, "needed_1")
    assert without_implied([one, one, one]) == [one]


def test_tuples_of_other_relations_imply_nothing() -> None:
    both_needed = [(SAME_KEY, "needed_1"), (both(cheap(1.0), SAME_KEY), "needed_2")]
    assert without_implied(both_needed) == both_needed


def test_conditions_that_differ_stay() -> None:
    apart = [(both(cheap(1.0), SAME_KEY), "needed_1"), (both(cheap(2.0), SAME_KEY), "needed_1")]
    assert without_implied(apart) == apart


def test_negative_zero_is_another_condition() -> None:
    apart = [(both(cheap(0.0), SAME_KEY), "needed_1"), (both(cheap(-0.0), SAME_KEY), "needed_1")]
    assert without_implied(apart) == apart
