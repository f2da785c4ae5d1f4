"""Functions as expressions, against the functions themselves: over edge values and generated ones."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.symbolic.python import functions as f
from tests.unit.symbolic.python.loud import Loud
from tests.unit.symbolic.python.plain_evaluation import ITSELF, evaluated

from predtrace.ir.expressions import Call, Case, Column, ColumnId, LambdaVariable, Literal, UserCall
from predtrace.ir.parts import walk
from predtrace.ir.types import BOOLEAN, DOUBLE, LONG, STRING, DataType
from predtrace.symbolic.functions import BLIND_TO_SIGN_OF_ZERO
from predtrace.symbolic.python import understand

Function = Callable[..., Any]

WHOLE: list[tuple[Function, DataType]] = [
    (f.grade, STRING),
    (f.fourteen, STRING),
    (f.cleaned, STRING),
    (f.domain, STRING),
    (f.region, STRING),
    (f.rate, DOUBLE),
    (f.level, STRING),
    (f.arithmetic, LONG),
    (f.power, LONG),
    (f.halves, DOUBLE),
    (f.compared_floats, BOOLEAN),
    (f.not_equal, BOOLEAN),
    (f.mixed_numbers, BOOLEAN),
    (f.chained, BOOLEAN),
    (f.membership, BOOLEAN),
    (f.by_value, STRING),
    (f.truthy, STRING),
    (f.loops, LONG),
    (f.while_loop, LONG),
    (f.any_word, BOOLEAN),
    (f.comprehension, LONG),
    (f.sliced, STRING),
    (f.replaced, STRING),
    (f.starts, BOOLEAN),
    (f.formatted, STRING),
    (f.number_format, STRING),
    (f.nested_calls, DOUBLE),
    (f.inner_function, LONG),
    (f.module_math, LONG),
    (f.smallest, LONG),
    (f.clipped, DOUBLE),
    (f.rounded, DOUBLE),
    (f.converted_simply, LONG),
    (f.nested_table, LONG),
    (f.sometimes_none, STRING),
    (f.instance, LONG),
    (f.boolean, BOOLEAN),
    (f.boolean_sum, LONG),
    (f.raises_sometimes, LONG),
    (f.overflows, LONG),
    (f.above_three, BOOLEAN),
    (f.shared, BOOLEAN),
    (f.line, BOOLEAN),
    (f.joined, STRING),
    (f.unpacked, LONG),
    (f.count_vowels, LONG),
]
"""Functions of which nothing is left open."""

IN_PART: list[tuple[Function, DataType]] = [(f.partly, STRING), (f.converted, LONG)]
NOT_AT_ALL: list[tuple[Function, DataType]] = [(f.tries, DOUBLE)]

TYPES = {"int": LONG, "float": DOUBLE, "str": STRING, "bool": BOOLEAN}
EDGES: dict[str, list[Any]] = {
    "int": [None, 0, 1, -1, 2, 3, 4, 5, 6, 7, 10, 49, 50, 75, 90, -7, 100, 2**31, -(2**63), 2**63 - 1],
    "float": [None, 0.0, -0.0, 1.0, 1.5, -2.5, 3.0, 1e-300, 1e308, math.inf, -math.inf, math.nan, 0.3],
    "str": [
        None,
        "",
        " ",
        "a",
        "A",
        "b",
        "x@Y.com",
        "@",
        "a@b@c",
        "EUR",
        "de",
        "xx",
        "foo-bar",
        "12",
        "٣",
        "zz",
    ],
    "bool": [None, True, False],
}
GENERATED = {
    "int": st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-20, 110),
    "float": st.none() | st.floats(),
    "str": st.none()
    | st.text(st.characters(codec="utf-8"), max_size=8)
    | st.text("ab@-xy \tAB1", max_size=8),
    "bool": st.none() | st.booleans(),
}


def parameters(function: Function) -> list[str]:
    hints = function.__annotations__
    return [hints.get(name, "int") for name in function.__code__.co_varnames[: function.__code__.co_argcount]]


def called(function: Function, returns: DataType) -> UserCall:
    columns = tuple(Column(ColumnId(n), n, TYPES[n]) for n in parameters(function))
    return UserCall("f", "f", columns, returns)


def agrees(function: Function, returns: DataType, meaning: Any, values: tuple[Any, ...]) -> None:
    try:
        expected = function(*values)
    except Exception:
        return  # it says nothing of these
    if type(expected) is int and not -(2**63) <= expected < 2**63:
        return  # Spark has no such number
    found = evaluated(meaning.body, {f"p{at}": value for at, value in enumerate(values)})
    if found is ITSELF:
        return
    same_nan = isinstance(expected, float) and math.isnan(expected) and isinstance(found, float)
    assert type(found) is type(expected), (values, found, expected)
    assert repr(found) == repr(expected) or (same_nan and math.isnan(found)), (values, found, expected)


@pytest.mark.parametrize(("function", "returns"), WHOLE + IN_PART, ids=lambda x: getattr(x, "__name__", ""))
def test_the_expression_is_the_function(function: Function, returns: DataType) -> None:
    meaning = understand(called(function, returns), function).meaning
    assert meaning is not None
    for values in product(*(EDGES[p] for p in parameters(function))):
        agrees(function, returns, meaning, values)

    @settings(max_examples=40, deadline=None, derandomize=True)
    @given(st.tuples(*(GENERATED[p] for p in parameters(function))))
    def generated(values: tuple[Any, ...]) -> None:
        agrees(function, returns, meaning, values)

    generated()


@pytest.mark.parametrize(("function", "returns"), WHOLE, ids=lambda x: getattr(x, "__name__", ""))
def test_nothing_is_left_open(function: Function, returns: DataType) -> None:
    found = understand(called(function, returns), function)
    assert found.gaps == ()
    assert found.meaning is not None
    body = found.meaning.body
    assert isinstance(body, Case)
    assert body.default is None
    numbers = returns == LONG  # what does not fit into the type is cut off by Spark: the call itself
    assert numbers or not any(isinstance(part, UserCall) for part in walk(body))


@pytest.mark.parametrize(
    ("function", "returns"), IN_PART + NOT_AT_ALL, ids=lambda x: getattr(x, "__name__", "")
)
def test_what_is_left_open_is_said(function: Function, returns: DataType) -> None:
    found = understand(called(function, returns), function)
    assert found.gaps
    assert (found.meaning is None) == ((function, returns) in NOT_AT_ALL)


def test_an_infinite_loop_is_left() -> None:
    def forever(n: int) -> Any:
        if n == 1:
            return "one"
        while True:
            n = n + 1 if n is not None else 0

    started = time.monotonic()
    found = understand(called(forever, STRING), forever)
    assert time.monotonic() - started < 2
    assert found.gaps == ("too many ways through it",)


def test_nothing_of_the_users_runs() -> None:
    loud = Loud()

    def uses(n: int) -> Any:
        if n == 1:
            return loud == n
        if n == 2:
            return n in {loud: 1}
        if n == 3:
            return 1 if loud else 2
        if n == 4:
            return loud(n)
        return loud.limit

    assert understand(called(uses, LONG), uses).meaning is None
    assert not loud.happened


def test_a_large_constant_is_not_computed() -> None:
    def large(n: int) -> Any:
        return len("a" * 10**12) if n == 1 else 9**9**9 if n == 2 else len("a".zfill(10**12)) if n == 3 else 4

    found = understand(called(large, LONG), large)
    assert found.gaps
    assert evaluated(found.meaning.body, {"p0": 7}) == 4  # type: ignore[union-attr]


def test_without_source_the_bytecode_is_read() -> None:
    namespace: dict[str, Any] = {}
    exec("def made(n): return n", namespace)
    made = namespace["made"]
    found = understand(UserCall("f", "f", (Column(ColumnId("n"), "n", LONG),), LONG), made)
    assert found.gaps == ()
    assert found.meaning is not None
    assert evaluated(found.meaning.body, {"p0": 7}) == 7


def test_what_stands_in_the_way_of_the_bytecode_is_said() -> None:
    namespace: dict[str, Any] = {}
    exec("def made(n):\n  try:\n    return int(n)\n  except ValueError:\n    return 0", namespace)
    made = namespace["made"]
    found = understand(UserCall("f", "f", (Column(ColumnId("n"), "n", LONG),), LONG), made)
    assert found.meaning is None
    assert len(found.gaps) == 1
    assert found.gaps[0].startswith("no source, and its bytecode has ")


def test_a_source_that_was_changed_is_not_taken() -> None:
    def other(n: int) -> Any:
        return n + 12

    constants = tuple(13 if constant == 12 else constant for constant in other.__code__.co_consts)
    other.__code__ = other.__code__.replace(co_consts=constants)
    found = understand(called(other, LONG), other)
    assert found.meaning is not None
    assert evaluated(found.meaning.body, {"p0": 1}) == 14


def test_a_global_that_was_changed_is_not_taken_for_a_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f, "LIMIT", 11)
    found = understand(called(f.formatted, STRING), f.formatted)
    assert found.gaps


def test_an_argument_of_another_kind_can_be_none() -> None:
    def missing(day: Any) -> Any:
        return "none" if day is None else "some"

    day = Column(ColumnId("d"), "d", DataType("date"))
    meaning = understand(UserCall("f", "f", (day,), STRING), missing).meaning
    assert meaning is not None
    assert evaluated(meaning.body, {"p0": None}) == "none"
    assert evaluated(meaning.body, {"p0": "any"}) == "some"


PYTHON_BLIND_TO_ZEROS = sorted(name for name in BLIND_TO_SIGN_OF_ZERO if name.startswith("python "))
OF_TWO = {f"python {name}" for name in ("+", "-", "*", "/", "//", "%", "**")}


@pytest.mark.parametrize("function", PYTHON_BLIND_TO_ZEROS)
def test_functions_of_python_that_do_not_see_the_sign_of_zero(function: str) -> None:
    x = LambdaVariable(ColumnId("x"), "x", DOUBLE)
    others = [Literal(value, DOUBLE) for value in (0.0, -0.0, 1.5, -1.0, 2.0, math.inf, -math.inf, math.nan)]
    pairs = [pair for other in others for pair in ((x, other), (other, x))]
    for arguments in [*pairs, (x, x)] if function in OF_TWO else [(x,)]:
        call = Call(function, arguments, DOUBLE)
        plus, minus = (evaluated(call, {"x": zero}) for zero in (0.0, -0.0))
        assert plus == minus or (plus != plus and minus != minus), arguments
