"""What traces take with and without a run: every TPC-H query beside the query itself, in one process.

    make bench-unsaved SF=1         # the table below, and benchmarks/report/unsaved_traces.json

For each query the milliseconds of the query (written to nothing); of an exact trace of one row of a pipeline that was
not run, so that it runs again; of the same after `run(store=...)`; and of a superset on each engine. A trace is timed
from `trace()` until all lineage rows of all sources have been read. All take turns, and the first turn is thrown
away; but the superset on Spark, which takes longest by far, is timed once.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession
from rich.table import Table
from timing import measure_queries, medians, read_all, seconds, to_nothing

from predtrace import capture
from predtrace.errors import PredtraceError


@dataclass(frozen=True)
class Measured:
    """One query: milliseconds; a superset on an engine that cannot answer has none."""

    query: str
    query_ms: float
    exact_ms: float
    saved_ms: float
    superset_spark_ms: float
    superset_duckdb_ms: float | None

    @property
    def ratio(self) -> float:
        return self.exact_ms / self.query_ms


def measured(spark: SparkSession, query: Path, turns: int) -> Measured:
    with tempfile.TemporaryDirectory() as store:
        return measured_with(spark, query, store, turns)


def measured_with(spark: SparkSession, query: Path, store: str, turns: int) -> Measured:
    text = query.read_text(encoding="utf-8")
    frame = spark.sql(text)
    pipeline, stored = capture(frame), capture(frame)
    row = frame.first()
    assert row is not None, f"{query.stem} has no rows"
    stored.run(store=store)
    steps = {
        "query": lambda: to_nothing(spark.sql(text)),
        "exact": lambda: read_all(pipeline.trace(row)),
        "saved": lambda: read_all(stored.trace(row)),
        "duckdb": lambda: read_all(pipeline.trace(row, exact=False, engine="duckdb")),
    }
    try:
        steps["duckdb"]()
    except PredtraceError:
        del steps["duckdb"]
    times = medians(steps, turns)
    times["spark"] = 1000 * seconds(lambda: read_all(pipeline.trace(row, exact=False, engine="spark")))
    return Measured(
        query.stem, times["query"], times["exact"], times["saved"], times["spark"], times.get("duckdb")
    )


def table(all_measured: Sequence[Measured]) -> Table:
    shown = Table(
        "query", "query ms", "exact ms", "exact / query", "saved ms", "superset: Spark ms", "DuckDB ms"
    )
    for m in all_measured:
        duckdb = "-" if m.superset_duckdb_ms is None else f"{m.superset_duckdb_ms:.0f}"
        spark = f"{m.superset_spark_ms:.0f}"
        exact = f"{m.exact_ms:.0f}", f"{m.ratio:.2f}", f"{m.saved_ms:.0f}"
        shown.add_row(m.query, f"{m.query_ms:.0f}", *exact, spark, duckdb)
    return shown


def summary(all_measured: Sequence[Measured]) -> str:
    ratios = [m.ratio for m in all_measured]
    return f"An exact trace takes {statistics.mean(ratios):.2f} times the query, {max(ratios):.2f} at most."


if __name__ == "__main__":
    measure_queries("unsaved_traces", "What traces take with and without a run", measured, table, summary)
