"""What all sides of an OR have in common, by every value that its parts can have."""

from __future__ import annotations

from itertools import product

import pytest
from tests.unit.ir.samples import call, column

from predtrace.ir.expressions import Call, Column, Expression
from predtrace.ir.printing import describe
from predtrace.ir.types import BOOLEAN
from predtrace.operators.pushing import all_of, factored

A, B, C = (column(name, name, BOOLEAN) for name in "abc")


def value(expression: Expression | None, given: dict[str, bool | None]) -> bool | None:
    """By the tables of three-valued logic."""
    if expression is None:
        return True
    if isinstance(expression, Column):
        return given[expression.name]
    assert isinstance(expression, Call)
    found = [value(argument, given) for argument in expression.arguments]
    decisive = expression.function == "or"
    return decisive if decisive in found else None if None in found else not decisive


@pytest.mark.parametrize(
    ("condition", "conjuncts"),
    [
        (call("or", call("and", A, B), call("and", A, C)), ["a", "b or c"]),
        (call("or", call("and", B, A), call("or", call("and", A, C), call("and", C, A))), ["a", "b or c"]),
        (call("or", A, call("and", A, C)), ["a"]),
        (call("or", call("and", A, B), call("and", B, A)), ["a", "b"]),
        (call("or", A, B), ["a or b"]),
        (call("or", call("and", A, B), C), ["a and b or c"]),
        (A, ["a"]),
    ],
    ids=describe,
)
def test_what_is_common_stands_apart(condition: Expression, conjuncts: list[str]) -> None:
    found = factored(condition)
    assert [describe(part) for part in found] == conjuncts
    for values in product((True, False, None), repeat=3):
        given = dict(zip("abc", values, strict=True))
        assert value(all_of(found), given) is value(condition, given), given
