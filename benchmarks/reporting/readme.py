"""The README's table of figures, written between two marks from the JSON of a run."""

from __future__ import annotations

from pathlib import Path

from benchmarks.figures_of import added_ms, best, median, overhead, statistics_of
from benchmarks.records import Document
from benchmarks.summary import METHODS

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
PICTURE = "benchmarks/report/lineage_query_time.png"
COMPARED = ("gprom", "trace", "panda", "eager")


def written_into(text: str, document: Document) -> str:
    """The README with the figures of a run between its marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("the README has no place for figures")
    return f"{before}{BEGIN}\n{figures(document)}\n{END}{after}"


def figures(document: Document) -> str:
    """The headline table as Markdown, with the command that makes it."""
    queries = document.queries
    lines = [
        f"| TPC-H at scale factor {document.scale_factor:g} | queries | lineage query, average | at most |",
        "|---|---|---|---|",
    ]
    every = {"predtrace, saved": [best(record) for record in queries]}
    every |= {METHODS[step]: [r.steps.get(step) for r in queries] for step in ("unsaved", *COMPARED)}
    for name, timed in every.items():
        found = statistics_of(None if each is None else each.median for each in timed)
        if found is not None:
            lines.append(
                f"| {name} | {found.count} of {len(queries)} | {found.mean:,.0f} ms | {found.most:,.0f} ms |"
            )
    added, share = (statistics_of(of(r, "run") for r in queries) for of in (added_ms, overhead))
    saved = statistics_of(r.saved["run"].bytes for r in queries if "run" in r.saved)
    inference = statistics_of(median(record, "inference") for record in queries)
    parts = []
    if added and share:
        parts.append(f"a run takes {added.mean:,.0f} ms longer on average ({share.mean:.1%})")
    if saved:
        parts.append(f"it saves {saved.mean / 1e6:.1f} MB on average, {saved.most / 1e6:.1f} MB at most")
    if inference:
        parts.append(f"capture and inference take {inference.mean:,.0f} ms")
    cores = document.machine.get("cores of Spark", "?")
    told = "; ".join(parts)
    return "\n".join(
        [
            *lines,
            "",
            f"{told[:1].upper()}{told[1:]}. Measured on {cores} cores by `make bench SF={document.scale_factor:g}`, "
            f"{document.made}; queries that a method does not answer, or not within {document.limit_seconds:g} s, "
            "are not in its average. The whole of it: [docs/evaluation.md](docs/evaluation.md), "
            "[benchmarks/report](benchmarks/report).",
            "",
            f"![Lineage query time of each query and method]({PICTURE})",
        ]
    )


def write(readme: Path, document: Document) -> None:
    readme.write_text(written_into(readme.read_text(encoding="utf-8"), document), encoding="utf-8")
