"""Tables like the paper's, from a document: for the terminal, the page and the README."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.bars import bars
from benchmarks.figures_of import Statistics, added_ms, best, covered, median, overhead, statistics_of
from benchmarks.records import Document, QueryRecord, Timed, ratio
from rich.table import Table

METHODS = {
    "saved_duckdb": "predtrace, saved (DuckDB)",
    "saved_spark": "predtrace, saved (Spark)",
    "unsaved": "predtrace, nothing saved",
    "superset_duckdb": "predtrace, superset (DuckDB)",
    "superset_spark": "predtrace, superset (Spark)",
    "gprom": "GProM",
    "panda": "Panda",
    "trace": "Trace",
    "eager": "eager tracking",
    "naive": "naive push-down",
}
RUNS = {"run": "predtrace", "run_panda": "Panda", "run_eager": "eager tracking"}


@dataclass(frozen=True)
class Sheet:
    """A table as plain text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def shown(document: Document) -> Iterator[Table]:
    """The tables for a terminal."""
    for sheet in sheets(document):
        table = Table(*sheet.header, title=sheet.title, caption=sheet.note or None)
        for row in sheet.rows:
            table.add_row(*row)
        yield table


def sheets(document: Document) -> Iterator[Sheet]:
    """All tables that the document has figures for."""
    every = (
        bars_sheet(document),
        coverage(document),
        added(document),
        stored(document),
        times(document),
        deferring(document),
        false_positives(document),
        each_query(document),
        pipelines(document),
    )
    return (sheet for sheet in every if sheet.rows)


def bars_sheet(document: Document) -> Sheet:
    words = {True: "yes", False: "no", None: "–"}
    rows = ((bar.what, bar.wanted, bar.found, words[bar.cleared]) for bar in bars(document))
    note = "" if document.scale_factor == 1 else "The bars are meant for scale factor 1."
    return Sheet("The bars", ("what", "bar", "found", "cleared"), tuple(rows), note)


def coverage(document: Document) -> Sheet:
    rows = []
    for step, name in METHODS.items():
        asked = [record for record in document.queries if step in record.steps]
        if asked:
            without = [
                f"{r.query[1:].lstrip('0')} ({_in_words(r.steps[step])})"
                for r in asked
                if not r.steps[step].times_ms
            ]
            rows.append((name, f"{len(covered(document, step))} of {len(asked)}", ", ".join(without)))
    return Sheet("TPC-H queries answered", ("method", "queries", "not answered"), tuple(rows))


def _in_words(timed: Timed) -> str:
    return timed.status if timed.status == "over the limit" else f"{timed.status}: {timed.why}"


def added(document: Document) -> Sheet:
    rows = []
    for step, name in RUNS.items():
        found = statistics_of(added_ms(record, step) for record in document.queries)
        share = statistics_of(overhead(record, step) for record in document.queries)
        if found and share:
            rows.append((name, str(found.count), *_figures(found), f"{share.mean:.1%}"))
    header = ("method", "queries", "min ms", "max ms", "avg ms", "avg share of the query")
    return Sheet("Added to the run", header, tuple(rows))


def stored(document: Document) -> Sheet:
    rows = []
    for step, name in RUNS.items():
        sizes = [record.saved[step].bytes / 1000 for record in document.queries if step in record.saved]
        found = statistics_of(sizes)
        if found:
            rows.append((name, str(found.count), *_figures(found)))
    return Sheet("Saved besides the output", ("method", "queries", "min KB", "max KB", "avg KB"), tuple(rows))


def times(document: Document) -> Sheet:
    rows = []
    for step, name in METHODS.items():
        found = statistics_of(median(record, step) for record in document.queries)
        if found:
            common = [(median(r, step), best(r)) for r in document.queries if median(r, step) is not None]
            ours = statistics_of(timed.median for _, timed in common if timed is not None)
            times = "" if ours is None else f"{found.mean / ours.mean:.1f}"
            rows.append((name, str(found.count), *_figures(found), times))
    header = (
        "method",
        "queries",
        "min ms",
        "max ms",
        "avg ms",
        "times ours (saved, best engine, same queries)",
    )
    note = f"Queries that were cut after {document.limit_seconds:g} s are not in these figures."
    return Sheet("Lineage query time", header, tuple(rows), note)


def deferring(document: Document) -> Sheet:
    rows = []
    for record in document.queries:
        early, late = record.saved.get("run_not_deferred"), record.saved.get("run")
        if early and late:
            quick, slow = record.steps.get("saved_duckdb"), record.steps.get("saved_not_deferred")
            gain = ratio(slow, quick)
            shown = (
                f"{early.rows:,}",
                f"{early.bytes:,}",
                _ms(slow),
                f"{late.rows:,}",
                f"{late.bytes:,}",
                _ms(quick),
            )
            rows.append((record.query, *shown, "" if gain is None else f"{gain:.1f}"))
    header = ("query", "rows", "bytes", "trace ms", "rows, deferred", "bytes", "trace ms", "times as quick")
    return Sheet(
        "With and without Algorithm 2", header, tuple(rows), "Queries where it changes what is saved."
    )


def false_positives(document: Document) -> Sheet:
    found = [record for record in document.queries if record.false_positives]
    rows = [(r.query, *(f"{r.false_positives[name]:.1%}" for name in ("naive", "iterative"))) for r in found]
    if found:
        means = (sum(r.false_positives[name] for r in found) / len(found) for name in ("naive", "iterative"))
        rows.append(("average", *(f"{mean:.1%}" for mean in means)))
    return Sheet("False positives with nothing saved", ("query", "naive", "iterative"), tuple(rows))


def each_query(document: Document) -> Sheet:
    steps = [
        step
        for step in ("query", "run", "inference", *METHODS)
        if any(step in r.steps for r in document.queries)
    ]
    rows = tuple(
        (
            record.query,
            _saved(record),
            f"{sum(record.lineage_rows.values()):,}",
            *(_ms(record.steps.get(s)) for s in steps),
        )
        for record in document.queries
    )
    spread = statistics_of(
        t.spread for r in document.queries for t in r.steps.values() if len(t.times_ms) > 1
    )
    note = f"Medians of {document.turns} turns, in milliseconds."
    if spread:
        note += f" Slowest and quickest turn are {spread.mean:.0%} of the median apart on average."
    return Sheet("Each query", ("query", "saved rows", "lineage rows", *steps), rows, note)


def pipelines(document: Document) -> Sheet:
    rows = []
    for record in sorted(document.pipelines, key=lambda each: (each.corpus, each.input_rows)):
        saved = record.saved.get("run")
        figures = (
            f"{record.input_rows:,}",
            str(record.operators),
            "" if saved is None else str(saved.results),
        )
        runs = (_plain(added_ms(record, "run")), _plain(added_ms(record, "run_eager")))
        steps = (_ms(record.steps.get(step)) for step in ("inference", "saved", "eager"))
        rows.append((record.corpus, record.name, *figures, record.method, *runs, *steps))
    header = ("corpus", "pipeline", "input rows", "operators", "results saved", "traced by")
    more = ("added ms", "added by eager ms", "inference ms", "trace ms", "eager trace ms")
    return Sheet("Pipelines", (*header, *more), tuple(rows))


def _figures(found: Statistics) -> Iterable[str]:
    return tuple(f"{value:,.1f}" for value in (found.least, found.most, found.mean))


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _ms(timed: Timed | None) -> str:
    if timed is None:
        return ""
    return _plain(timed.median) if timed.times_ms else f"({timed.status})"


def _saved(record: QueryRecord) -> str:
    found = record.saved.get("run")
    return "" if found is None else f"{found.rows:,}"
