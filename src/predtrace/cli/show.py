"""`predtrace show`: what is in a store."""

from __future__ import annotations

import json
from typing import Any

from rich.console import RenderableType
from rich.filesize import decimal

from predtrace.api.tables import table
from predtrace.cli.reporting import Report
from predtrace.cli.stores import chosen_run, missing_rows, runs_in
from predtrace.errors import StoreProblem
from predtrace.store.files import Files, is_local
from predtrace.store.fingerprints import changes, unnoticed
from predtrace.store.manifest import Manifest, SavedRows, SavedSource
from predtrace.store.runs import Runs


def show_store(location: str, asked: str | None) -> Report:
    """List the runs of a store, and say more of one: the latest, or the one asked for."""
    runs = runs_in(location)
    detailed = runs.manifest(chosen_run(runs, asked))
    documents: list[dict[str, Any]] = []
    damaged: list[dict[str, str]] = []
    for run in runs.complete():
        try:
            documents.append(_document(runs, runs.manifest(run)))
        except StoreProblem as problem:
            damaged.append({"run": run, "why": str(problem)})
    unfinished = [{"run": u.run, "running": u.is_running} for u in runs.unfinished()]
    chosen = next(document for document in documents if document["run"] == detailed.run)
    document = {
        "store": runs.files.location(),
        "runs": documents,
        "shown": chosen["run"],
        "damaged": damaged,
        "unfinished": unfinished,
    }
    return Report(document, [*_overview(document), *_details(chosen)])


def source_state(source: SavedSource, files: Files, run: str) -> tuple[str, list[str]]:
    """Whether a source is `unchanged`, `changed` or `unknown`, and what changed."""
    if source.saved is not None:
        kept = files.exists(f"{run}/{source.saved.folder}")
        return ("unchanged", []) if kept else ("changed", ["the rows that were kept with the run are gone"])
    descriptor = source.descriptor
    if unnoticed([descriptor]) or not all(map(is_local, descriptor.locations)):
        return "unknown", []
    found = changes(descriptor)
    return ("changed" if found else "unchanged"), found


def _document(runs: Runs, manifest: Manifest) -> dict[str, Any]:
    fields = json.loads(manifest.output_schema)["fields"]
    sources: dict[str, dict[str, Any]] = {}
    for source in manifest.sources:
        state, found = source_state(source, runs.files, manifest.run)
        sources[source.descriptor.name] = {
            "name": source.descriptor.name,
            "format": source.descriptor.format,
            "locations": [o.path for o in source.descriptor.originals[:1]]
            or list(source.descriptor.locations),
            "state": state,
            "changes": found,
            "saved": _saved(source.saved) if source.saved else None,
        }
    needed: dict[int, list[str]] = {}
    operators: dict[int, str] = {}
    for result in manifest.plan.results:
        needed.setdefault(result.plan_node, []).append(result.name)
        operators[result.plan_node] = result.operator
    return {
        "run": manifest.run,
        "target": manifest.name,
        "created": manifest.created,
        "written_by": manifest.written_by,
        "exact": manifest.plan.exact,
        "output": {
            **_saved(manifest.output),
            "columns": [{"name": field["name"], "type": _type_name(field["type"])} for field in fields],
        },
        "saved": [
            {
                "what": operators.get(result.plan_node, "the output"),
                "needed_as": needed.get(result.plan_node, []),
                **_saved(result.saved),
            }
            for result in manifest.results
        ],
        "sources": list(sources.values()),
        "functions": [function.name for function in manifest.functions if not function.recipe],
        "missing": missing_rows(runs, manifest),
    }


def _saved(saved: SavedRows) -> dict[str, Any]:
    return {"folder": saved.folder, "rows": saved.rows, "bytes": saved.bytes}


def _type_name(spark_type: Any) -> str:
    return spark_type if isinstance(spark_type, str) else str(spark_type["type"])


def _overview(document: dict[str, Any]) -> list[RenderableType]:
    rows = [
        (
            run["run"],
            run["target"],
            run["created"][:19].replace("T", " "),
            f"{run['output']['rows']:,}",
            "exact" if run["exact"] else "superset",
        )
        for run in document["runs"]
    ]
    columns = ("run", "written to", "created", "rows", "traces")
    shown: list[RenderableType] = [table(f"Runs in {document['store']}", columns, rows, numbers=("rows",))]
    for damaged in document["damaged"]:
        shown.append(f"Damaged: {damaged['run']}: {damaged['why']}")
    for unfinished in document["unfinished"]:
        state = "still running" if unfinished["running"] else "killed; `predtrace clean` removes it"
        shown.append(f"Not complete: {unfinished['run']}: {state}")
    return shown


def _details(run: dict[str, Any]) -> list[RenderableType]:
    sources = [
        (s["name"], s["format"], s["state"], "; ".join(s["changes"]) or ", ".join(s["locations"]))
        for s in run["sources"]
    ]
    saved = [
        (s["what"], ", ".join(s["needed_as"]), f"{s['rows']:,}", decimal(s["bytes"])) for s in run["saved"]
    ]
    columns = [(c["name"], c["type"]) for c in run["output"]["columns"]]
    shown: list[RenderableType] = [
        f"\nRun {run['run']}" + (f", written to {run['target']}" if run["target"] else ""),
        table("Sources", ("source", "format", "state", "where"), sources),
        table("Saved", ("rows of", "needed as", "rows", "size"), saved, numbers=("rows", "size")),
        table("Output columns", ("column", "type"), columns),
    ]
    if run["missing"]:
        shown.append(f"Missing or changed: {', '.join(run['missing'])}. What to do: run the pipeline again.")
    if run["functions"]:
        shown.append(
            f"Its traces call Python functions: {', '.join(run['functions'])}. "
            "`predtrace trace` loads them from the store with --trust-udfs only."
        )
    return shown
