"""The bars of the evaluation, and whether a run cleared them. They are meant for scale factor 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.figures_of import (
    covered,
    median,
    of_queries,
    overhead,
    statistics_of,
    step_of,
    times_as_long,
)
from benchmarks.records import Document

SMOKE_QUERIES = ("q01", "q03", "q10", "q12")
"""Those that the paper compares with SMOKE on."""

PAPER_ROWS = {"q03": 30_519, "q05": 7_243, "q07": 5_924, "q19": 121}
"""What the paper saves with Algorithm 2 at scale factor 1."""

PAPER_BYTES, PAPER_MOST_BYTES = 4_531 * 1024, 33_792 * 1024
"""What it saves on average over all queries, and at most."""


@dataclass(frozen=True)
class Bar:
    """`found` as text; `cleared` is None if nothing was measured."""

    what: str
    wanted: str
    found: str
    cleared: bool | None


def bars(document: Document) -> Iterator[Bar]:
    yield _at_least("saved, best engine: times as quick as GProM", times_as_long(document, "gprom"), 98)
    yield _at_least(
        "saved, Spark: times as quick as GProM", times_as_long(document, "gprom", step_of("saved_spark")), 0
    )
    unsaved = step_of("unsaved")
    yield _at_least(
        "nothing saved, exact: times as quick as GProM", times_as_long(document, "gprom", unsaved), 6
    )
    yield _at_least("saved, best engine: times as quick as Trace", times_as_long(document, "trace"), 10)
    some = of_queries(document, SMOKE_QUERIES)
    of_some = statistics_of(overhead(record, "run") for record in some)
    of_all = statistics_of(overhead(record, "run") for record in document.queries)
    yield _below("added to the run, Q1 3 10 12 on average", of_some.mean if of_some else None, 0.10)
    yield _below("added to the run, all queries on average", of_all.mean if of_all else None, 0.08)
    inference = statistics_of(median(record, "inference") for record in document.queries)
    yield _below_ms("capture and inference, at most", inference.most if inference else None, 1000)
    exact = covered(document, "saved_duckdb")
    every = len(document.queries)
    yield Bar(
        "queries traced exactly", f"{every} of {every}", f"{len(exact)} of {every}", len(exact) == every
    )
    iterative = [r.false_positives["iterative"] for r in document.queries if "iterative" in r.false_positives]
    if iterative:
        mean = sum(iterative) / len(iterative)
        yield Bar("false positives, iterative, on average", "at most 6.6 %", f"{mean:.1%}", mean <= 0.066)
    if document.scale_factor == 1:
        yield from _saved(document)


def _saved(document: Document) -> Iterator[Bar]:
    sizes = statistics_of(record.saved["run"].bytes for record in document.queries if "run" in record.saved)
    if sizes is not None:
        for what, found, wanted in (
            ("average", sizes.mean, PAPER_BYTES),
            ("most", sizes.most, PAPER_MOST_BYTES),
        ):
            yield Bar(f"bytes saved, {what}", f"at most {wanted:,}", f"{found:,.0f}", found <= wanted)
    for record in of_queries(document, list(PAPER_ROWS)):
        saved, wanted = record.saved.get("run"), PAPER_ROWS[record.query]
        if saved is not None:
            yield Bar(
                f"rows saved for {record.query}", f"{wanted:,}", f"{saved.rows:,}", saved.rows <= wanted
            )


def _at_least(what: str, found: float | None, wanted: float) -> Bar:
    if not wanted:
        return Bar(what, "(no bar)", "–" if found is None else f"{found:.1f}", None)
    if found is None:
        return Bar(what, f"{wanted:g}", "–", None)
    missing = "" if found >= wanted else f", {wanted / found:.1f} times too few"
    return Bar(what, f"at least {wanted:g}", f"{found:.1f}{missing}", found >= wanted)


def _below(what: str, found: float | None, wanted: float) -> Bar:
    if found is None:
        return Bar(what, f"under {wanted:.0%}", "–", None)
    missing = "" if found < wanted else f", {100 * (found - wanted):.1f} points too many"
    return Bar(what, f"under {wanted:.0%}", f"{found:.1%}{missing}", found < wanted)


def _below_ms(what: str, found: float | None, wanted: float) -> Bar:
    shown = "–" if found is None else f"{found:,.0f} ms"
    return Bar(what, f"under {wanted:,.0f} ms", shown, None if found is None else found < wanted)
