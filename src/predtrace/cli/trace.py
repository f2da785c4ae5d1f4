"""`predtrace trace`: the source rows behind output rows of a run in a store."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType

from predtrace.api.tables import json_rows, rows_table
from predtrace.cli.reporting import Report, progress
from predtrace.cli.stores import chosen_run, runs_in
from predtrace.errors import InputError, NoSuchRow, StaleSource, UntrustedFunctions
from predtrace.frontends.spark.quiet import quiet_spark

if TYPE_CHECKING:
    import pyarrow

    from predtrace.api import Lineage, SourceRows, StoredRun


class Engine(str, Enum):
    """Who selects the rows."""

    auto = "auto"
    duckdb = "duckdb"
    spark = "spark"


@dataclass(frozen=True)
class TraceRequest:
    """What the user asks for."""

    store: str
    where: str
    sources: Sequence[str]
    limit: int
    out: Path | None
    run: str | None
    engine: Engine
    allow_stale: bool
    trust_udfs: bool


@dataclass(frozen=True)
class _Found:
    """The lineage in one source: the first rows, how many there are in all, and the file they went to."""

    source: str
    first: pyarrow.Table
    count: int
    file: Path | None


def trace_store(request: TraceRequest) -> Report:
    """Trace rows of a run's output."""
    import predtrace

    runs = runs_in(request.store)
    manifest = runs.manifest(chosen_run(runs, request.run))
    stored = predtrace.open(request.store, manifest.run)
    for source in request.sources:
        stored.source(source)  # an error, if there is none of this name
    sources = list(dict.fromkeys(request.sources)) or stored.sources
    files = _files(request.out, sources)
    lineage = _lineage(stored, request, f"{runs.files.location(manifest.run)}/{manifest.output.folder}")
    found = [_found(lineage[source], request.limit, files.get(source)) for source in sources]
    document = {
        "run": manifest.run,
        "target": manifest.name,
        "where": request.where,
        "engine": lineage.engine,
        "exact": lineage.exact,
        "why_not_exact": lineage.why_not_exact,
        "sources": [_document(part) for part in found],
    }
    return Report(document, _shown(document, found))


def _lineage(stored: StoredRun, request: TraceRequest, output: str) -> Lineage:
    """The lineage of the rows asked for. What to do about an error is said in words of the command line."""
    try:
        with progress("Tracing"), quiet_spark():
            return stored.trace(
                request.where,
                engine=request.engine.value,
                allow_stale=request.allow_stale,
                trust_udfs=request.trust_udfs,
            )
    except StaleSource as problem:
        todo = "run the pipeline again, or give --allow-stale to trace in what is there now"
        raise StaleSource(problem.what, problem.where, todo) from None
    except UntrustedFunctions as problem:
        todo = "give --trust-udfs if you trust whoever can write to the store"
        raise UntrustedFunctions(problem.what, problem.where, todo) from None
    except NoSuchRow as problem:
        todo = f"look at the output, which is in {output}, and describe a row that is there"
        raise NoSuchRow(problem.what, problem.where, todo) from None


def _found(rows: SourceRows, limit: int, file: Path | None) -> _Found:
    with progress(f"Reading {rows.source}"):
        first, count = _first_rows(rows, limit)
        if file is not None:
            rows.write_parquet(str(file))
    return _Found(rows.source, first, count, file)


def _first_rows(rows: SourceRows, limit: int) -> tuple[pyarrow.Table, int]:
    """The first rows, and how many there are in all."""
    # One more than is shown: if it is not there, nothing is left to count.
    first = rows.first(limit + 1)
    if first.num_rows <= limit:
        return first, first.num_rows
    return first.slice(0, limit), rows.count()


def _files(out: Path | None, sources: Sequence[str]) -> dict[str, Path]:
    """A new file for each source."""
    if out is None:
        return {}
    files: dict[str, Path] = {}
    for source in sources:
        name = re.sub(r"[^\w.#-]", "_", source)
        while out / f"{name}.parquet" in files.values():
            name += "_"
        files[source] = out / f"{name}.parquet"
    there = [str(file) for file in files.values() if file.exists()]
    if there:
        raise InputError(f"there is {there[0]} already", where="in --out", todo="give a new folder")
    return files


def _document(found: _Found) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": found.source,
        "count": found.count,
        "shown": found.first.num_rows,
        "rows": json_rows(found.first),
    }
    if found.file is not None:
        document["file"] = str(found.file)
    return document


def _shown(document: dict[str, Any], found: Sequence[_Found]) -> list[RenderableType]:
    target = f" ({document['target']})" if document["target"] else ""
    verdict = "exact" if document["exact"] else f"not exact, may hold more rows: {document['why_not_exact']}"
    shown: list[RenderableType] = [f"Run {document['run']}{target}, where {document['where']}: {verdict}"]
    width = Console().width
    for part in found:
        title = f"{part.source}: {part.first.num_rows:,} of {part.count:,} rows"
        shown.append(rows_table(title, part.first, width) if part.first.num_rows else title)
        if part.file is not None:
            shown.append(f"all {part.count:,} rows are in {part.file}")
    return shown
