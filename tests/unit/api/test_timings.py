"""How long traces took: reading counts, once per source."""

from __future__ import annotations

import pytest

from predtrace.api import timings as module
from predtrace.api.timings import Fixed, Timings, fixed_columns
from predtrace.ir.expressions import Call, Column, ColumnId, Literal
from predtrace.ir.types import BOOLEAN, INTEGER

NOTHING: Fixed = frozenset()
ONE: Fixed = frozenset({ColumnId("1")})


class Clock:
    """Goes on when told so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "perf_counter", clock)
    return clock


def test_a_trace_takes_tracing_and_the_first_reading_of_each_source(clock: Clock) -> None:
    timings = Timings()
    watch = timings.stopwatch()
    with watch.tracing():
        clock.now += 2
        watch.answered_by("predicates", "spark")
    clock.now += 50  # whatever the user does in between
    assert timings.last("predicates", NOTHING) is None  # nothing was read
    for source, seconds in (("orders", 3.0), ("orders", 10.0), ("lines", 4.0)):
        with watch.reading(source):
            clock.now += seconds
    assert timings.last("predicates", NOTHING) == 9


def test_what_fails_does_not_count(clock: Clock) -> None:
    timings = Timings()
    watch = timings.stopwatch()
    watch.answered_by("predicates", "spark")
    with pytest.raises(ZeroDivisionError), watch.reading("orders"):
        clock.now /= 0
    assert timings.last("predicates", NOTHING) is None


def test_only_similar_traces_are_told(clock: Clock) -> None:
    timings = Timings()
    for seconds, method, engine, fixed in (
        (1, "predicates", "spark", ONE),
        (2, "predicates", "duckdb", ONE),
        (3, "refinement", "duckdb", ONE),
        (4, "predicates", "spark", NOTHING),
    ):
        watch = timings.stopwatch(lambda fixed=fixed: fixed)  # type: ignore[misc]
        watch.answered_by(method, engine)
        with watch.reading("orders"):
            clock.now += seconds
    assert timings.last("predicates", ONE) == 2
    assert timings.last("predicates", ONE, "spark") == 1
    assert timings.last("refinement", ONE, "spark") is None
    assert timings.last("tracking", ONE) is None


def test_old_traces_are_forgotten(clock: Clock) -> None:
    timings = Timings()
    first = timings.stopwatch(lambda: ONE)
    for watch in (first, *(timings.stopwatch() for _ in range(100))):
        with watch.reading("orders"):
            clock.now += 1
    assert timings.last("", NOTHING) == 1
    assert timings.last("", ONE) is None


def test_fixed_columns() -> None:
    a, b = (Column(ColumnId(name), name, INTEGER) for name in "ab")
    one = Literal(1, INTEGER)
    both = Call("and", (Call("=", (a, one), BOOLEAN), Call(">", (b, one), BOOLEAN)), BOOLEAN)
    assert fixed_columns(both) == {ColumnId("a")}
