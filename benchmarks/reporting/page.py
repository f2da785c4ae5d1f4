"""The report as one HTML page that needs nothing else: pictures are in it."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.records import Document
from benchmarks.reporting.losses import losses
from benchmarks.summary import Sheet, sheets

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: .5rem 0; font-size: 13px; display: block; overflow-x: auto }
th, td { border: 1px solid #ccc; padding: .2rem .5rem; text-align: left } td { font-variant-numeric: tabular-nums }
img { max-width: 100% } .note { color: #666 }
"""

_INTRODUCTION = (
    "Everything here was measured in one process. Steps take turns, and ratios are of steps of the same turn, so "
    "that a noisy machine hits all alike. Baselines run on Spark, over the same Parquet files; their answers were "
    "compared with the reference tracker's before, and one that is wrong is not timed. A trace is of one output row, "
    "chosen at random with a fixed seed, and ends when every lineage row of every source has been read. A run is "
    "compared with the query itself, both written to Parquet."
)


def page(documents: Sequence[Document], main: Document, pictures: Mapping[str, Path], notes: str) -> str:
    body = "\n".join(_parts(documents, main, pictures, notes))
    head = f'<meta charset="utf-8"><title>predtrace: the evaluation</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _parts(
    documents: Sequence[Document], main: Document, pictures: Mapping[str, Path], notes: str
) -> Iterator[str]:
    yield f"<h1>The evaluation, TPC-H at scale factor {main.scale_factor:g}</h1>"
    yield f"<p>{html.escape(_INTRODUCTION)} Made on {main.made}; turns: {main.turns}.</p>"
    for paragraph in filter(None, notes.split("\n\n")):
        yield f"<p>{html.escape(paragraph)}</p>"
    for path in pictures.values():
        content = base64.b64encode(path.read_bytes()).decode()
        yield f'<p><img alt="{path.stem.replace("_", " ")}" src="data:image/png;base64,{content}"></p>'
    yield from map(_table, sheets(main))
    found = list(losses(main))
    yield "<h2>Where others are quicker</h2>"
    listed = "".join(f"<li>{html.escape(each)}</li>" for each in found)
    yield f"<ul>{listed}</ul>" if found else "<p>Nowhere in this run.</p>"
    others = [document for document in documents if document is not main]
    for document in others:
        yield f"<h2>Scale factor {document.scale_factor:g}, made on {document.made}</h2>"
        yield from map(_table, list(sheets(document))[:-1])
    yield _table(Sheet("The machine", ("what", "value"), tuple(main.machine.items())))


def _table(sheet: Sheet) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in sheet.header)
    rows = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>\n" for row in sheet.rows
    )
    note = f'<p class="note">{html.escape(sheet.note)}</p>' if sheet.note else ""
    return f"<h2>{html.escape(sheet.title)}</h2>\n<table><tr>{head}</tr>\n{rows}</table>{note}"
