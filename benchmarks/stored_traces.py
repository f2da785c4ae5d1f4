"""What a stored run costs and what its traces take: every TPC-H query, DuckDB beside Spark, in one process.

    make bench-stored SF=1          # the table below, and benchmarks/report/stored_traces.json

For each query: the rows and bytes saved besides the output, the seconds of the query alone and of `run(store=...)`
(both written to nothing resp. to the store), and the milliseconds of a trace of one row on each engine. A trace is
timed from `trace()` until all lineage rows of all sources have been read. Engines take turns and the first turn of
each is thrown away, so that a noisy machine hits both alike.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Row, SparkSession
from rich.table import Table
from timing import measure_queries, medians, read_all, seconds, to_nothing

from predtrace import StoredRun, capture

ENGINES = ("duckdb", "spark")


@dataclass(frozen=True)
class Measured:
    """One query."""

    query: str
    saved_rows: int
    saved_bytes: int
    output_bytes: int
    query_seconds: float
    run_seconds: float
    inference_seconds: float
    lineage_rows: int
    duckdb_ms: float
    spark_ms: float


def trace_times(run: StoredRun, row: Row, turns: int) -> dict[str, float]:
    """The median milliseconds of each engine."""
    return medians({engine: lambda e=engine: read_all(run.trace(row, engine=e)) for engine in ENGINES}, turns)  # type: ignore[misc]


def measured(spark: SparkSession, query: Path, turns: int) -> Measured:
    text = query.read_text(encoding="utf-8")
    to_nothing(spark.sql(text))  # warm
    alone = seconds(lambda: to_nothing(spark.sql(text)))
    pipeline = capture(spark.sql(text))
    inference = seconds(lambda: pipeline.plan)
    with tempfile.TemporaryDirectory() as store:
        running = seconds(lambda: pipeline.run(store=store))
        run = pipeline.stored
        assert run is not None
        output = run.manifest.output
        row = spark.read.parquet(f"{store}/{run.manifest.run}/{output.folder}").first()
        assert row is not None, f"{query.stem} has no rows"
        names = run.manifest.output_names
        target = dict(zip(names, row[: len(names)], strict=True))
        saved = [r.saved for r in run.manifest.results if r.saved.folder != output.folder]
        times = trace_times(run, target, turns)
        rows = read_all(run.trace(target, engine="duckdb"))
    return Measured(
        query.stem,
        sum(part.rows for part in saved),
        sum(part.bytes for part in saved),
        output.bytes,
        alone,
        running,
        inference,
        rows,
        times["duckdb"],
        times["spark"],
    )


def table(all_measured: Sequence[Measured]) -> Table:
    names = (
        "query",
        "saved rows",
        "saved bytes",
        "query s",
        "run s",
        "infer s",
        "lineage rows",
        "DuckDB ms",
        "Spark ms",
    )
    shown = Table(*names)
    for m in all_measured:
        figures = (m.query_seconds, m.run_seconds, m.inference_seconds)
        shown.add_row(
            m.query,
            f"{m.saved_rows:,}",
            f"{m.saved_bytes:,}",
            *(f"{figure:.2f}" for figure in figures),
            f"{m.lineage_rows:,}",
            f"{m.duckdb_ms:.0f}",
            f"{m.spark_ms:.0f}",
        )
    return shown


def summary(found: Sequence[Measured]) -> str:
    average = statistics.mean(m.spark_ms for m in found) / statistics.mean(m.duckdb_ms for m in found)
    return (
        f"Saved: {statistics.mean(m.saved_bytes for m in found):,.0f} bytes on average, "
        f"{max(m.saved_bytes for m in found):,} at most. "
        f"DuckDB takes {statistics.mean(m.duckdb_ms for m in found):.0f} ms on average, "
        f"Spark {average:.1f} times that."
    )


if __name__ == "__main__":
    measure_queries(
        "stored_traces", "What a stored run costs and what its traces take", measured, table, summary
    )
