"""Where a baseline is quicker than predtrace, and why, as far as the figures tell."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figures_of import best, slower_than
from benchmarks.records import Document, QueryRecord
from benchmarks.summary import METHODS

MANY_ROWS = 50_000
COMPARED = ("gprom", "panda", "trace", "eager", "naive")


def losses(document: Document) -> Iterator[str]:
    """One sentence for each query that some method answers more quickly."""
    by_query = {record.query: record for record in document.queries}
    for method in COMPARED:
        for query, times in slower_than(document, method):
            yield f"{query.upper()}: {METHODS[method]} is {times:.1f} times as quick. {_why(by_query[query], method)}"


def _why(record: QueryRecord, method: str) -> str:
    lineage, ours = sum(record.lineage_rows.values()), best(record)
    saved = record.saved.get("run")
    if method == "naive":
        share = record.false_positives.get("naive")
        too_many = "" if share is None else f", of which {share:.0%} are no lineage"
        return f"It runs predicates on the sources and returns what they select{too_many}."
    if lineage > MANY_ROWS:
        return (
            f"The lineage has {lineage:,} rows: reading them is what takes time, whoever found them, and ours are "
            "handed to Python as Arrow, theirs to a sink inside Spark."
        )
    if method == "eager":
        return "Its addresses are looked up directly; that was paid for when the query ran."
    if saved is not None and not saved.results:
        return "Nothing had to be looked up, so both run the same predicate on the sources."
    engine = "Spark" if ours is record.steps.get("saved_spark") else "DuckDB"
    rows = 0 if saved is None else saved.rows
    return f"Ours ({engine}) first looks up rows among {rows:,} saved ones, then reads the sources."
