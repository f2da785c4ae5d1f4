"""Figures that are drawn from a document: averages, ratios, what was added to a run."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.records import MEASURED, Document, PipelineRecord, QueryRecord, Timed, ratio

Figure = Callable[[QueryRecord], "float | None"]

OURS = ("saved_duckdb", "saved_spark")


def median(record: QueryRecord | PipelineRecord, step: str) -> float | None:
    """The median milliseconds of a step, if it was measured."""
    found = record.steps.get(step)
    return None if found is None else found.median


def best(record: QueryRecord) -> Timed | None:
    """Our trace after a run, by whichever engine is quicker."""
    found = [record.steps[step] for step in OURS if step in record.steps]
    measured = [step for step in found if step.median is not None]
    return min(measured, key=lambda step: step.median or 0.0) if measured else None


def added_ms(record: QueryRecord | PipelineRecord, run: str) -> float | None:
    """What a run takes longer than the query, turn by turn; a noisy machine may make it negative."""
    alone, through = record.steps.get("query"), record.steps.get(run)
    if alone is None or through is None or not alone.times_ms or not through.times_ms:
        return None
    if len(alone.times_ms) == len(through.times_ms):
        pairs = zip(through.times_ms, alone.times_ms, strict=True)
        return statistics.median(one - other for one, other in pairs)
    return statistics.median(through.times_ms) - statistics.median(alone.times_ms)


def overhead(record: QueryRecord | PipelineRecord, run: str) -> float | None:
    """The same as a share of the query."""
    found = ratio(record.steps.get(run), record.steps.get("query"))
    return None if found is None else found - 1


@dataclass(frozen=True)
class Statistics:
    """Of one figure over the queries that have it."""

    count: int
    least: float
    most: float
    mean: float


def statistics_of(values: Iterable[float | None]) -> Statistics | None:
    found = [value for value in values if value is not None]
    return Statistics(len(found), min(found), max(found), statistics.mean(found)) if found else None


def covered(document: Document, step: str) -> list[str]:
    """The queries that a method answers, rightly and within the limit."""
    return [r.query for r in document.queries if step in r.steps and r.steps[step].status == MEASURED]


def times_as_long(
    document: Document, step: str, ours: Callable[[QueryRecord], Timed | None] = best
) -> float | None:
    """A method's average lineage query in terms of ours, over the queries that both answer.

    A query that was cut counts with the time after which it was cut: it would have taken longer."""
    theirs, own = [], []
    for record in document.queries:
        of_method, of_us = record.steps.get(step), ours(record)
        if of_method is None or of_us is None or of_us.median is None:
            continue
        taken = of_method.median
        if of_method.status == "over the limit":
            taken = 1000 * document.limit_seconds
        if taken is not None:
            theirs.append(taken)
            own.append(of_us.median)
    return statistics.mean(theirs) / statistics.mean(own) if own else None


def step_of(name: str) -> Callable[[QueryRecord], Timed | None]:
    return lambda record: record.steps.get(name)


def slower_than(document: Document, step: str) -> list[tuple[str, float]]:
    """The queries where a method is quicker than our best trace after a run, and how many times."""
    found = []
    for record in document.queries:
        times = ratio(best(record), record.steps.get(step))
        if times is not None and times > 1:
            found.append((record.query, times))
    return found


def of_queries(document: Document, names: Sequence[str]) -> list[QueryRecord]:
    return [record for record in document.queries if record.query in names]
