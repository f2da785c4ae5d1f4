"""The evaluation: `python -m benchmarks --sf 1`, or `make bench`. Writes benchmarks/report.

Baselines are checked first, at scale factor 0.01, against the reference tracker. Then each query is measured; what
was found is written after each, so that a run that was stopped can be continued with `--keep`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from benchmarks import machine
from benchmarks.checking import BASELINES, Verdict, verdicts
from benchmarks.corpora import CORPORA, Entry, measure_pipeline
from benchmarks.queries import EVERYTHING, GROWTH, QUERIES, STORED, UNSAVED, Settings, measure_query
from benchmarks.records import VERSION, Document, read_document
from benchmarks.summary import shown
from pyspark.sql import SparkSession
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from predtrace.cli import tpch
from predtrace.frontends.spark.session import local_session

REPORT = Path(__file__).parent / "report"
CHECKED_AT = 0.01
QUICK_QUERIES = ("q01", "q03", "q04", "q06", "q12")
QUICK_JOBS = 3
"""A quick run has a report of its own: its figures are not for comparing."""

CORES = 2
MEMORY = {"spark.driver.memory": "6g"}
"""Eager tracking of a whole SF 1 query needs it."""

PRESETS = {
    "everything": ("bench", EVERYTHING),
    "growth": ("bench", GROWTH),
    "stored": ("stored_traces", STORED),
    "unsaved": ("unsaved_traces", UNSAVED),
}
"""What is measured, and the name of the report it goes to."""

_WIDE = 220
_SECONDS_PER_QUERY = {0.01: 20.0, 0.1: 35.0, 1.0: 150.0}
"""Rough, for the estimate that is printed before anything is known."""


@dataclass(frozen=True)
class Asked:
    """What the command line asks for."""

    scale_factors: Sequence[float]
    queries: Sequence[str]
    preset: str
    corpora: Sequence[str]
    most_pipelines: int | None
    settings: Settings
    report: Path
    keep: bool


def asked_for(arguments: Sequence[str] | None = None) -> Asked:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="The evaluation.")
    parser.add_argument("--sf", type=float, nargs="+", default=[1.0], help="scale factors of TPC-H")
    parser.add_argument("--queries", nargs="*", default=[], help="numbers or names; all if none is given")
    parser.add_argument("--only", choices=sorted(PRESETS), default="everything")
    parser.add_argument("--corpora", nargs="*", choices=sorted(CORPORA), default=list(CORPORA))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which a step is cut")
    parser.add_argument("--quick", action="store_true", help="some queries at SF 0.1, one turn")
    parser.add_argument("--keep", action="store_true", help="go on with the report that is there")
    parser.add_argument("--report", type=Path, help="the folder to write to")
    found = parser.parse_args(arguments)
    every = sorted(path.stem for path in QUERIES.glob("q*.sql"))
    queries = [f"q{int(name.lstrip('q')):02}" for name in found.queries] or every
    scale_factors, turns = found.sf, found.turns
    if found.quick:
        queries = [query for query in queries if query in QUICK_QUERIES or found.queries]
        scale_factors, turns = [min(0.1, *found.sf)], 1
    return Asked(
        scale_factors,
        queries,
        found.only,
        found.corpora if found.only == "everything" else (),
        QUICK_JOBS if found.quick else None,
        Settings(turns, 20.0 if found.quick else found.limit, PRESETS[found.only][1]),
        found.report or (REPORT / "quick" if found.quick else REPORT),
        found.keep,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    asked = asked_for(arguments)
    console = Console()
    spark = local_session("predtrace benchmark", cores=CORES, **MEMORY)
    checked = _checked(spark, asked, console)
    for scale_factor in asked.scale_factors:
        _measure(spark, scale_factor, asked, checked, console)


def _checked(spark: SparkSession, asked: Asked, console: Console) -> dict[str, dict[str, Verdict]]:
    """Every baseline's verdict on every query that is to be measured, on small data."""
    wanted = {name: made for name, made in BASELINES.items() if name in asked.settings.steps}
    if not wanted:
        return {}
    tpch.register(spark, tpch.generate(CHECKED_AT, console))
    left = {query for scale_factor in asked.scale_factors for query in _left(asked, scale_factor)}
    found = {}
    with _progress(console) as progress:
        task = progress.add_task("checking baselines", total=len(left))
        for query in sorted(left):
            progress.update(task, description=f"checking baselines: {query}")
            text = (QUERIES / f"{query}.sql").read_text(encoding="utf-8")
            found[query] = verdicts(spark.sql(text), query, wanted)
            progress.advance(task)
    return found


def _measure(
    spark: SparkSession,
    scale_factor: float,
    asked: Asked,
    checked: Mapping[str, Mapping[str, Verdict]],
    console: Console,
) -> None:
    tpch.register(spark, tpch.generate(scale_factor, console))
    path = _path(asked, scale_factor)
    document = _begun(spark, scale_factor, asked, path)
    queries = _left(asked, scale_factor)
    guess = _SECONDS_PER_QUERY.get(scale_factor, 150.0 * scale_factor) * len(queries) / 60
    console.print(
        f"TPC-H at scale factor {scale_factor:g}: {len(queries)} queries, roughly {guess:.0f} minutes"
    )
    with _progress(console) as progress:
        task = progress.add_task("", total=len(queries))
        settings = replace(asked.settings, told=lambda what: progress.update(task, description=what))
        for query in queries:
            started = time.perf_counter()
            record = measure_query(spark, query, settings, checked.get(query, {}))
            progress.console.print(f"{query}: measured in {time.perf_counter() - started:.0f} s")
            document = replace(document, queries=(*document.queries, record))
            document.write(path)
            progress.advance(task)
    _measure_corpora(spark, asked, document, path, console)


def _measure_corpora(
    spark: SparkSession, asked: Asked, document: Document, path: Path, console: Console
) -> None:
    with tempfile.TemporaryDirectory() as folder, _progress(console) as progress:
        entries: list[Entry] = []
        for corpus in asked.corpora if asked.scale_factors[0] == document.scale_factor else ():
            entries += list(CORPORA[corpus](spark, Path(folder)))[: asked.most_pipelines]
        known = {(record.corpus, record.name) for record in document.pipelines}
        entries = [entry for entry in entries if (entry.corpus, entry.name) not in known]
        task = progress.add_task("", total=len(entries))
        settings = replace(asked.settings, turns=1, told=lambda what: progress.update(task, description=what))
        for entry in entries:
            record = measure_pipeline(spark, entry, settings)
            if record is not None:
                document = replace(document, pipelines=(*document.pipelines, record))
                document.write(path)
            progress.advance(task)
    # Where nobody looks at a screen, the widest table has room.
    wide = console if console.is_terminal else Console(width=_WIDE)
    for table in shown(document):
        wide.print(table)
    console.print(f"Written to {path.name}")


def _path(asked: Asked, scale_factor: float) -> Path:
    return asked.report / f"{PRESETS[asked.preset][0]}-sf{scale_factor:g}.json"


def _left(asked: Asked, scale_factor: float) -> list[str]:
    """The queries that are not measured yet."""
    path = _path(asked, scale_factor)
    known = (
        {record.query for record in read_document(path).queries} if asked.keep and path.exists() else set()
    )
    return [query for query in asked.queries if query not in known]


def _begun(spark: SparkSession, scale_factor: float, asked: Asked, path: Path) -> Document:
    if asked.keep and path.exists():
        return read_document(path)
    made = datetime.now(timezone.utc).date().isoformat()
    settings = asked.settings
    return Document(
        VERSION,
        made,
        machine.description(spark),
        scale_factor,
        settings.turns,
        settings.limit_seconds,
        (),
        (),
    )


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True)


if __name__ == "__main__":
    main()
