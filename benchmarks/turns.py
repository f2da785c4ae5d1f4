"""How the benchmarks measure: in turns, in one process, until every row has been read.

Steps take turns, so that a noisy machine hits all alike, and the first two turns of each are thrown away: Java is
still compiling in them. A step that takes longer than the limit is cut. One that takes long is not repeated: its
first turn is its time. Others that take a while have fewer turns, or the slowest methods would take up all the time.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.baselines.answers import NotSupported
from benchmarks.records import FAILED, MEASURED, NOT_SUPPORTED, OVER_THE_LIMIT, Timed
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from predtrace import Lineage
from predtrace.errors import PredtraceError
from predtrace.frontends.spark.quiet import quiet_spark

_SLOW_SECONDS = 20.0
"""A step that takes as long as this, or a third of the limit, is not repeated."""

_SPENT_SECONDS = 12.0
"""A step has no more turns than fit into this, or a fifth of the limit, but one that counts."""

_WARM_UPS = 2
"""No more than there are turns: a quick run has one."""

_AGAIN_SECONDS = 0.5

_PATH = re.compile(r"(\w+:)?/[^\s'\"]+")


@dataclass(frozen=True)
class Step:
    """Something to measure, and what must be done before each time, which is not measured.

    `once`: it takes so long that its first turn has to do."""

    work: Callable[[], object]
    before: Callable[[], object] = lambda: None
    once: bool = False


class OverTheLimit(Exception):
    """A step was cut."""


def to_nothing(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def read_all(lineage: Lineage) -> None:
    """Read every lineage row of every source where the engine puts it: into Arrow batches, or into Spark's sink for
    nothing."""
    for rows in map(lineage.__getitem__, lineage.sources):
        if lineage.engine == "duckdb":
            rows.to_arrow()
        else:
            to_nothing(rows.to_spark())


@contextmanager
def cut_after(spark: SparkSession, seconds: float) -> Iterator[None]:
    """Cut whatever Spark does for too long: every job, again and again, because one job may follow another."""
    ended, cut = threading.Event(), threading.Event()

    def watch() -> None:
        wait = seconds
        while not ended.wait(wait):
            cut.set()
            spark.sparkContext.cancelAllJobs()
            wait = _AGAIN_SECONDS

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except Exception:
        if cut.is_set():
            raise OverTheLimit from None
        raise
    finally:
        ended.set()
        watcher.join()


def in_short(problem: Exception) -> str:
    """The first line of an error, without the paths of this machine."""
    first_line = str(problem).strip().split("\n")[0]
    return _PATH.sub("…", first_line)[:200]


def timed(
    spark: SparkSession,
    steps: Mapping[str, Step],
    turns: int,
    limit_seconds: float,
    told: Callable[[str], object] = lambda name: None,
) -> dict[str, Timed]:
    """Each step's times. `told` hears which step is next."""
    results: dict[str, Timed] = {}
    times: dict[str, list[float]] = {}
    allowed: dict[str, int] = {}
    warm_ups = min(_WARM_UPS, turns) - 1  # besides the first turn
    slow, spent = min(_SLOW_SECONDS, limit_seconds / 3), min(_SPENT_SECONDS, limit_seconds / 5)
    for name, step in steps.items():
        told(name)
        first = _once(spark, step, limit_seconds)
        if isinstance(first, Timed):
            results[name] = first
        elif step.once or first > 1000 * slow:
            results[name] = Timed(MEASURED, "", (first,))
        else:
            times[name] = []
            allowed[name] = max(warm_ups + 1, int(1000 * spent / max(first, 1)))
    for turn in range(warm_ups + turns):
        wanted = [name for name in times if turn < allowed[name]]
        for name in wanted if turn % 2 == 0 else reversed(wanted):
            told(name)
            taken = _once(spark, steps[name], limit_seconds)
            if isinstance(taken, Timed):
                results[name] = taken
                del times[name]
            else:
                times[name].append(taken)
    for name, of_step in times.items():
        results[name] = Timed(MEASURED, "", tuple(of_step[warm_ups:]))
    return {name: results[name] for name in steps}


def _once(spark: SparkSession, step: Step, limit_seconds: float) -> float | Timed:
    """The milliseconds of a step, or what became of it."""
    step.before()
    started = time.perf_counter()
    try:
        with quiet_spark(), cut_after(spark, limit_seconds):
            step.work()
    except NotSupported as problem:
        return Timed(NOT_SUPPORTED, problem.what)
    except OverTheLimit:
        return Timed(OVER_THE_LIMIT, f"cut after {limit_seconds:g} s")
    except (PredtraceError, PySparkException, Py4JJavaError) as problem:
        return Timed(FAILED, in_short(problem))
    return 1000 * (time.perf_counter() - started)
