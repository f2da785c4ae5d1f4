"""Whether baselines answer rightly: against the reference tracker, on data small enough for it.

A baseline that answers wrongly is not timed: what it saves may be what it leaves out.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from benchmarks.baselines.answers import Answer, Baseline, NotSupported
from benchmarks.baselines.eager import Eager
from benchmarks.baselines.gprom import GProM
from benchmarks.baselines.inverse import InverseQueries
from benchmarks.baselines.naive import NaivePushDown
from benchmarks.baselines.panda import Panda
from benchmarks.records import FAILED, MEASURED, NOT_SUPPORTED, WRONG
from benchmarks.turns import in_short
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row
from tests.spark.oracle import Key, comparable

from predtrace import Pipeline
from predtrace.errors import PredtraceError
from predtrace.frontends.spark.capture import Captured, capture_dataframe

BASELINES: Mapping[str, Callable[[Captured], Baseline]] = {
    "gprom": GProM,
    "trace": InverseQueries,
    "panda": Panda,
    "naive": lambda captured: NaivePushDown(Pipeline(captured)),
}
"""By the names of their steps. The tracker is the judge, so it is not judged."""

SUPERSETS = frozenset({"naive"})


@dataclass(frozen=True)
class Verdict:
    """`MEASURED` if a method may be measured; else why not."""

    status: str
    why: str = ""


def chosen_row(frame: DataFrame, seed: str) -> Row | None:
    """One output row, the same whenever the output is; None if there is none."""
    rows = sorted(frame.collect(), key=repr)
    return random.Random(seed).choice(rows) if rows else None


def verdicts(
    frame: DataFrame,
    seed: str,
    names: Collection[str] = tuple(BASELINES),
    supersets: Collection[str] = SUPERSETS,
) -> dict[str, Verdict]:
    """Each baseline's verdict on one row of a pipeline; on an empty output, that it cannot be checked.

    `supersets` are those that may have rows too many."""
    row = chosen_row(frame, seed)
    if row is None:
        return {name: Verdict(FAILED, "no output row to check it with") for name in names}
    captured = capture_dataframe(frame)
    with tempfile.TemporaryDirectory() as folder:
        eager = Eager(captured)
        eager.run(folder)
        expected = _values(eager.trace(row))
        found = {name: _answered(name, captured, row, folder) for name in names}
    return {
        name: answer
        if isinstance(answer, Verdict)
        else _judged(captured, expected, answer, name in supersets)
        for name, answer in found.items()
    }


def _answered(name: str, captured: Captured, row: Row, folder: str) -> dict[int, set[Key]] | Verdict:
    try:
        baseline = BASELINES[name](captured)
        if isinstance(baseline, Panda):
            baseline.run(folder)
        return _values(baseline.trace(row))
    except NotSupported as problem:
        return Verdict(NOT_SUPPORTED, problem.what)
    except (PredtraceError, PySparkException, Py4JJavaError) as problem:
        return Verdict(FAILED, in_short(problem))


def _judged(
    captured: Captured,
    expected: Mapping[int, set[Key]],
    found: Mapping[int, set[Key]],
    may_have_more: bool,
) -> Verdict:
    for reference, rows in expected.items():
        missed, more = rows - found.get(reference, set()), found.get(reference, set()) - rows
        if missed or (more and not may_have_more):
            source = captured.descriptors[reference].name
            return Verdict(WRONG, f"{len(missed)} rows of {source} missed, {len(more)} too many")
    return Verdict(MEASURED)


def _values(answer: Answer) -> dict[int, set[Key]]:
    kept = [frame.persist() for frame in answer.read]  # several references may be split from one frame
    values = {
        reference: {comparable(tuple(row)) for row in rows.collect()}
        for reference, rows in answer.rows.items()
    }
    for frame in kept:
        frame.unpersist()
    return values
