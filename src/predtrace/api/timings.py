"""How long traces took, remembered as long as the pipeline object lives.

A lineage is lazy: a trace takes what `trace` takes, and what it takes to read the rows of each source for the first
time. Reading them again is not counted. A trace of which nothing was read is not remembered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

from predtrace.ir.expressions import ColumnId, Expression
from predtrace.trace.known_targets import known_targets

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

    from predtrace.api.lineage import Rows

Fixed = frozenset[ColumnId]
"""The output columns whose values a condition fixes: traces that fix the same ones prune alike."""

_REMEMBERED = 20


def fixed_columns(condition: Expression) -> Fixed:
    """The output columns whose values a condition fixes."""
    return frozenset(column.id for column in known_targets(condition).columns)


class Stopwatch:
    """Measures one trace."""

    def __init__(self, timings: Timings, fixed: Callable[[], Fixed]) -> None:
        self._timings = timings
        self._find_fixed = fixed
        self._read: set[str] = set()
        self.seconds = 0.0
        self.method = self.engine = ""

    @cached_property
    def fixed(self) -> Fixed:
        """The columns that the trace's condition fixes; found out when a quote asks, so that no trace pays for it."""
        return self._find_fixed()

    @contextmanager
    def tracing(self) -> Iterator[None]:
        """Measure `trace` itself."""
        start = perf_counter()
        yield
        self.seconds += perf_counter() - start

    def answered_by(self, method: str, engine: str) -> None:
        """Say who answers."""
        self.method, self.engine = method, engine

    @contextmanager
    def reading(self, source: str) -> Iterator[None]:
        """Measure the reading of a source's rows; what fails does not count."""
        start = perf_counter()
        yield
        if source not in self._read:
            self._read.add(source)
            self.seconds += perf_counter() - start
            self._timings.remember(self)


class Timings:
    """The latest traces of one pipeline.

    >>> timings = Timings()
    >>> watch = timings.stopwatch(lambda: frozenset({ColumnId("7")}))
    >>> with watch.tracing():
    ...     watch.answered_by("predicates", "duckdb")
    >>> with watch.reading("orders"):
    ...     pass
    >>> timings.last("predicates", frozenset({ColumnId("7")})) == watch.seconds
    True
    >>> print(timings.last("predicates", frozenset()))
    None
    """

    def __init__(self) -> None:
        self._traces: deque[Stopwatch] = deque(maxlen=_REMEMBERED)

    def stopwatch(self, fixed: Callable[[], Fixed] = frozenset) -> Stopwatch:
        """One for a new trace."""
        return Stopwatch(self, fixed)

    def remember(self, trace: Stopwatch) -> None:
        """Take note of a trace; one that is known already stays where it is."""
        if trace not in self._traces:
            self._traces.append(trace)

    def last(self, method: str, fixed: Fixed, engine: str | None = None) -> float | None:
        """The seconds of the last similar trace, by one engine or by any; None if there was none."""
        for trace in reversed(self._traces):
            same_engine = engine in (None, trace.engine)
            if same_engine and trace.method == method and trace.fixed == fixed:
                return trace.seconds
        return None


@dataclass(frozen=True)
class WatchedRows:
    """Rows of a source whose reading is measured. A Spark DataFrame is read by whoever gets it."""

    rows: Rows
    source: str
    watch: Stopwatch

    def count(self) -> int:
        with self.watch.reading(self.source):
            return self.rows.count()

    def to_arrow(self, limit: int | None = None) -> pyarrow.Table:
        with self.watch.reading(self.source):
            return self.rows.to_arrow(limit)

    def to_spark(self) -> DataFrame:
        return self.rows.to_spark()

    def write_parquet(self, folder: str) -> None:
        with self.watch.reading(self.source):
            self.rows.write_parquet(folder)
