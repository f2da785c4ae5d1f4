"""How the benchmarks measure: in turns, in one process, until every row has been read."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from pyspark.sql import DataFrame, SparkSession
from rich.console import Console
from rich.table import Table

from predtrace import Lineage
from predtrace.cli import tpch
from predtrace.frontends.spark.session import local_session

Measured = TypeVar("Measured")

QUERIES = Path(__file__).parents[1] / "tests" / "data" / "tpch"


def seconds(step: Callable[[], object]) -> float:
    started = time.perf_counter()
    step()
    return time.perf_counter() - started


def to_nothing(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def read_all(lineage: Lineage) -> int:
    """Read every lineage row where the engine puts it: into Arrow batches, or into Spark's sink for nothing."""
    if lineage.engine == "duckdb":
        return sum(rows.to_arrow().num_rows for rows in lineage.references)
    for rows in lineage.references:
        to_nothing(rows.to_spark())
    return 0


def medians(steps: Mapping[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """The median milliseconds of each step. Steps take turns, so that a noisy machine hits all alike, and the first
    turn of each is thrown away."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(turns + 1):
        for name, step in steps.items():
            taken = seconds(step)
            if turn:
                times[name].append(taken * 1000)
    return {name: statistics.median(of_step) for name, of_step in times.items()}


def measure_queries(
    report: str,
    description: str,
    measured: Callable[[SparkSession, Path, int], Measured],
    table: Callable[[Sequence[Measured]], Table],
    summary: Callable[[Sequence[Measured]], str],
) -> None:
    """Measure the queries that the command line asks for, print them and write them to a report."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--sf", type=float, default=1.0)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--queries", nargs="*", default=[])
    parser.add_argument("--report", type=Path, default=Path(__file__).parent / "report")
    asked = parser.parse_args()
    console = Console()
    spark = local_session("predtrace benchmark")
    tpch.register(spark, tpch.generate(asked.sf, console))
    found: list[Any] = []
    for query in sorted(QUERIES.glob("q*.sql")):
        if asked.queries and query.stem not in asked.queries:
            continue
        with console.status(f"{query.stem}"):
            found.append(measured(spark, query, asked.turns))
        console.print(table(found[-1:]))
    console.print(table(found), summary(found))
    asked.report.mkdir(parents=True, exist_ok=True)
    document = {"scale_factor": asked.sf, "turns": asked.turns, "queries": [asdict(m) for m in found]}
    (asked.report / f"{report}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
