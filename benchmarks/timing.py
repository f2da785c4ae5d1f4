"""How the benchmarks measure: in turns, in one process, until every row has been read."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from pyspark.sql import DataFrame

from predtrace import Lineage

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
