"""What is implied of the arguments: true of all that a function returns the value for, and worth having."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.symbolic.python import functions as f
from tests.unit.symbolic.python.plain_evaluation import evaluated
from tests.unit.symbolic.python.test_understanding import EDGES, GENERATED, TYPES, WHOLE, Function, parameters

from predtrace.ir.expressions import Call, Column, ColumnId, Expression, LambdaVariable, Literal, UserCall
from predtrace.ir.parts import cannot_fail, transform
from predtrace.ir.types import BOOLEAN, DOUBLE, LONG, STRING, DataType
from predtrace.symbolic.python import implied, understand


def equation(function: Function, returns: DataType, value: Any) -> Expression:
    columns = tuple(
        Column(ColumnId(f"p{at}"), f"p{at}", TYPES[n]) for at, n in enumerate(parameters(function))
    )
    call = UserCall("f", "f", columns, returns)
    meaning = understand(call, function).meaning
    assert meaning is not None
    call = UserCall("f", "f", columns, returns, meaning=meaning)
    return Call("<=>", (call, Literal(value, returns)), BOOLEAN)


def holds(condition: Expression, values: tuple[Any, ...]) -> bool:
    """By a second opinion, over variables instead of columns."""

    def change(part: Expression) -> Expression:
        return LambdaVariable(part.id, part.name, part.type) if isinstance(part, Column) else part

    return (
        evaluated(transform(condition, change), {f"p{at}": value for at, value in enumerate(values)}) is True
    )


def outcome(function: Function, values: tuple[Any, ...]) -> Any:
    try:
        return function(*values)
    except Exception:
        return Exception


def check(
    function: Function, returns: DataType, values: tuple[Any, ...], others: list[tuple[Any, ...]]
) -> None:
    value = outcome(function, values)
    if value is Exception or (isinstance(value, int) and not -(2**63) <= value < 2**63):
        return
    found = implied(equation(function, returns, value))
    if found is None:
        return
    assert cannot_fail(found)
    for other in (values, *others):
        back = outcome(function, other)
        if back is not Exception and type(back) is type(value) and back == value:
            assert holds(found, other), (value, other, found)


@pytest.mark.parametrize(("function", "returns"), WHOLE, ids=lambda x: getattr(x, "__name__", ""))
def test_it_holds_for_all_arguments_that_give_the_value(function: Function, returns: DataType) -> None:
    every = list(product(*(EDGES[p] for p in parameters(function))))
    for values in every[:: max(1, len(every) // 25)]:
        check(function, returns, values, every)

    @settings(max_examples=30, deadline=None, derandomize=True)
    @given(st.tuples(*(GENERATED[p] for p in parameters(function))))
    def generated(values: tuple[Any, ...]) -> None:
        check(function, returns, values, [])

    generated()


def lowered(text: str) -> Any:
    return text.lower() if text is not None else None


def raised(text: str) -> Any:
    return text.upper() if text is not None else None


def scaled(x: float) -> Any:
    return x * 1.8 + 32 if x is not None else None


def cents(n: int) -> Any:
    return n * 100 if n is not None else None


def half(n: int) -> Any:
    return 1 - n / 4 if n is not None else None


def million(n: int) -> Any:
    return n * 0.000001 - 9e12 if n is not None else None


def initial(text: str) -> Any:
    return text[0] if text else None


def start(text: str) -> Any:
    return text[:2] if text is not None else None


def suffix(text: str) -> Any:
    return "id-" + text + "!" if text is not None else None


def tens(n: int) -> Any:
    return n // 10 if n is not None else None


def absolute(x: float) -> Any:
    return abs(-x) if x is not None else None


def whole(x: float) -> Any:
    return int(x) if x is not None and abs(x) < 1e15 else None


def nearly(x: float) -> Any:
    return round(x, 2) if x is not None and abs(x) < 1e15 else None


def number(n: int) -> Any:
    return str(n) if n is not None else None


INVERTED: list[tuple[Function, DataType]] = [
    (lowered, STRING),
    (raised, STRING),
    (scaled, DOUBLE),
    (cents, LONG),
    (half, DOUBLE),
    (million, DOUBLE),
    (initial, STRING),
    (start, STRING),
    (suffix, STRING),
    (tens, LONG),
    (absolute, DOUBLE),
    (whole, LONG),
    (nearly, DOUBLE),
    (number, STRING),
]


@pytest.mark.parametrize(("function", "returns"), INVERTED, ids=lambda x: getattr(x, "__name__", ""))
def test_what_is_gone_back_holds_for_all_arguments(function: Function, returns: DataType) -> None:
    test_it_holds_for_all_arguments_that_give_the_value(function, returns)

    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(st.tuples(*(GENERATED[p] for p in parameters(function))))
    def generated(values: tuple[Any, ...]) -> None:
        check(function, returns, values, [])

    generated()


SELECTIVE: list[tuple[Function, DataType, Any, tuple[Any, ...], tuple[Any, ...]]] = [
    (f.grade, STRING, "B", (80,), (95,)),
    (f.fourteen, STRING, "teen", (15,), (30,)),
    (f.region, STRING, "EU", ("de",), ("us",)),
    (f.rate, DOUBLE, 0.9, ("USD",), ("EUR",)),
    (f.nested_table, LONG, 2, ("b",), ("a",)),
    (f.sometimes_none, STRING, "three", (3,), (1,)),
    (lowered, STRING, "kiwi", ("KiWi",), ("lemon",)),
    (raised, STRING, "KIWI", ("kiwi",), ("lemon",)),
    (scaled, DOUBLE, 50.0, (10.0,), (10.1,)),
    (cents, LONG, 500, (5,), (6,)),
    (half, DOUBLE, 0.5, (2,), (3,)),
    (start, STRING, "ab", ("abc",), ("ac",)),
    (initial, STRING, "a", ("abc",), ("bc",)),
    (suffix, STRING, "id-7!", ("7",), ("8",)),
    (tens, LONG, 4, (42,), (50,)),
    (number, STRING, "12", (12,), (13,)),
    (f.above_three, BOOLEAN, True, (4,), (3,)),
]


@pytest.mark.parametrize(
    ("function", "returns", "value", "inside", "outside"), SELECTIVE, ids=lambda x: getattr(x, "__name__", "")
)
def test_it_leaves_other_arguments_out(
    function: Function, returns: DataType, value: Any, inside: tuple[Any, ...], outside: tuple[Any, ...]
) -> None:
    found = implied(equation(function, returns, value))
    assert found is not None
    assert holds(found, inside)
    assert not holds(found, outside)


@pytest.mark.parametrize(
    ("function", "returns", "value"), [(cents, LONG, 501), (suffix, STRING, "id-7"), (f.grade, STRING, "E")]
)
def test_a_value_that_is_never_returned(function: Function, returns: DataType, value: Any) -> None:
    assert implied(equation(function, returns, value)) == Literal(False, BOOLEAN)


def test_ascii_letters_come_from_the_first_planes_only() -> None:
    for change in (str.lower, str.upper):
        beyond = (chr(n) for n in range(0x10000, 0x110000))
        assert not [c for c in beyond if change(c)[:1].isascii()]


def test_a_float_that_was_rounded_is_found() -> None:
    """The nearest integers to a float are farther apart than one beyond 2**53."""
    for n in (2**53 + 1, 2**60 + 1, 2**62 - 1, -(2**61) - 3):
        check(million, DOUBLE, (n,), [(n + 1,), (n - 1,)])


def test_nan_comes_from_nan() -> None:
    found = implied(equation(scaled, DOUBLE, math.nan))
    assert found is not None
    assert holds(found, (math.nan,))
    assert not holds(found, (None,))


def test_a_condition_without_a_function_is_nobodys_business() -> None:
    column = Column(ColumnId("x"), "x", LONG)
    assert implied(Call("=", (column, Literal(1, LONG)), BOOLEAN)) is None
