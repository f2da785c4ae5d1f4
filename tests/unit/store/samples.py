"""A manifest and a source without Spark."""

from __future__ import annotations

from pathlib import Path

from tests.unit.ir.samples import ORDER_KEY
from tests.unit.plan.samples import decided

from predtrace.ir.operators import FileState, Fingerprint, SourceDescriptor
from predtrace.ir.types import INTEGER, Field, StructType
from predtrace.plan.building import lineage_plan
from predtrace.store.files import LocalFiles
from predtrace.store.manifest import Manifest, SavedFunction, SavedResult, SavedRows, SavedSource

SCHEMA = StructType("struct", (Field("id", INTEGER),))


def source_at(*locations: str, options: tuple[tuple[str, str], ...] = ()) -> SourceDescriptor:
    """A source as it is captured: with the state of its data files, named as Spark names them."""
    states = [state for location in locations for state in LocalFiles(location).states()]
    data = (s for s in states if s.size and not Path(s.path).name.startswith((".", "_")))
    files = tuple(FileState(f"file:{s.path}", s.size, s.modified) for s in data)
    roots = tuple(f"file:{location}" for location in locations)
    return SourceDescriptor("t", "parquet", roots, options, SCHEMA, Fingerprint("files", files))


def manifest(run: str = "a run") -> Manifest:
    operators, outcome = decided()
    plan = lineage_plan(outcome, operators)
    saved = SavedRows("results/1", (ORDER_KEY,), 3, 0)
    return Manifest(
        name="daily",
        run=run,
        created="2026-11-15T12:03:01+00:00",
        written_by="0.1.0",
        operators=operators,
        plan=plan,
        output=saved,
        output_schema='{"type":"struct","fields":[]}',
        results=(SavedResult(1, saved),),
        counted=((1, 3),),
        sources=(SavedSource(0, source_at(), None), SavedSource(1, source_at(), saved)),
        functions=(SavedFunction("f", "functions/0.pickle", "abc", "3.11", 100, '"integer"'),),
        settings=(("spark.sql.session.timeZone", "Europe/Zürich"),),
    )
