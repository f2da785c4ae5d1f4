"""Functions that are easily misread: what is claimed of them is true, and reading them does not fail or take long."""

from __future__ import annotations

import time
from itertools import product
from typing import Any

import pytest
from tests.unit.symbolic.python import deceptive as d
from tests.unit.symbolic.python.test_implied import check, holds
from tests.unit.symbolic.python.test_understanding import EDGES, Function, agrees, called, parameters

from predtrace.ir.expressions import Call, Cast, Column, ColumnId, Literal, UserCall
from predtrace.ir.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, DataType
from predtrace.symbolic.python import implied, understand

CASES: list[tuple[Function, DataType]] = [
    (d.same, STRING),
    (d.counted_from_one, LONG),
    (d.cached, STRING),
    (d.overwritten, LONG),
    (d.shadowed_global, LONG),
    (d.inner_name, LONG),
    (d.by_truth, LONG),
    (d.not_nan, STRING),
    (d.bound_late, LONG),
    (d.used_twice, STRING),
    (d.a_generator_is_true, STRING),
    (d.among_itself, BOOLEAN),
    (d.of_none, STRING),
    (d.late_lambdas, LONG),
    (d.text_of_a_set, STRING),
    (d.signs_of_zero, STRING),
    (d.yielding, STRING),
    (d.many_words, BOOLEAN),
    (d.newton, DOUBLE),
    (d.many_steps, LONG),
    (d.unhashable, STRING),
    (d.walrus, LONG),
]


@pytest.mark.parametrize(("function", "returns"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_what_is_claimed_is_true(function: Function, returns: DataType) -> None:
    started = time.process_time()
    meaning = understand(called(function, returns), function).meaning
    every = list(product(*(EDGES[p] for p in parameters(function))))[:100]
    for values in every if meaning is not None else []:
        agrees(function, returns, meaning, values)
        check(function, returns, values, every)
    assert time.process_time() - started < 10


@pytest.mark.parametrize("function", [d.far, d.default, d.many_digits], ids=lambda f: f.__name__)
def test_it_is_left_alone(function: Function) -> None:
    call = UserCall("f", "f", (Column(ColumnId("n"), "n", LONG),), LONG)
    started = time.process_time()
    understand(call, function)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("type_", [INTEGER, LONG])
def test_a_cast_that_loses_something_is_not_gone_back(type_: DataType) -> None:
    """`f(cast(x as int)) = 4` holds for 3.7 as well."""

    def following(n: int) -> Any:
        return n + 1 if n is not None else None

    x = Column(ColumnId("p0"), "p0", DOUBLE)
    call = UserCall("f", "f", (Cast(x, type_),), LONG)
    meaning = understand(call, following).meaning
    call = UserCall("f", "f", (Cast(x, type_),), LONG, meaning=meaning)
    found = implied(Call("<=>", (call, Literal(4, LONG)), BOOLEAN))
    assert found is None or holds(found, (3.7,))
