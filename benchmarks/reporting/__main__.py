"""Write the report from every `bench-sf*.json` in the report folder: `python -m benchmarks.reporting`.

The page is about the run at scale factor 1, or the largest there is; others are for growth. `--readme` also writes
the README's table. What people have to say about a run stands in `notes.md` there, in paragraphs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.records import Document, read_document
from benchmarks.reporting.page import page
from benchmarks.reporting.pictures import pictures
from benchmarks.reporting.readme import write

REPORT = Path(__file__).parents[1] / "report"
README = Path(__file__).parents[2] / "README.md"


def documents_in(folder: Path) -> list[Document]:
    found = [read_document(path) for path in folder.glob("bench-sf*.json")]
    return sorted((each for each in found if each.queries), key=lambda document: document.scale_factor)


def main_of(documents: list[Document]) -> Document:
    """The run that the report is about."""
    return next((each for each in documents if each.scale_factor == 1), documents[-1])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reporting")
    parser.add_argument("--report", type=Path, default=REPORT)
    parser.add_argument("--readme", action="store_true", help="write the README's table, too")
    asked = parser.parse_args()
    documents = documents_in(asked.report)
    if not documents:
        parser.error(f"no bench-sf*.json in the folder {asked.report.name}: run `make bench` first")
    of_report = main_of(documents)
    notes = asked.report / "notes.md"
    text = notes.read_text(encoding="utf-8") if notes.exists() else ""
    drawn = pictures(documents, of_report, asked.report)
    (asked.report / "index.html").write_text(page(documents, of_report, drawn, text), encoding="utf-8")
    if asked.readme:
        write(README, of_report)


if __name__ == "__main__":
    main()
