"""Running a pipeline into a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version

from pyspark.sql import DataFrame

from predtrace.api.decisions import Decisions
from predtrace.api.functions import save_functions
from predtrace.api.keeping import InStore, Keeping, ReadWhenAsked, RowsToKeep, folder_of
from predtrace.api.stored import StoredRun, files_at, remote_states
from predtrace.frontends.spark.capture import Captured
from predtrace.ir.expressions import UserCall
from predtrace.ir.operators import Operator
from predtrace.ir.parts import walk
from predtrace.ir.spark_sql import column_name
from predtrace.plan.lineage_plan import LineagePlan
from predtrace.store.earlier import rows_counted
from predtrace.store.fingerprints import check_unchanged
from predtrace.store.manifest import Manifest, SavedResult, SavedRows, SavedSource
from predtrace.store.runs import Runs
from predtrace.store.settings import settings_of

_KEPT_BY_NOBODY = frozenset({"memory", "range"})

Keep = Callable[[LineagePlan, Keeping, int], dict[int, DataFrame]]
"""Runs what a plan needs, and the plan node that has the output, and keeps it; gives what was kept, by plan node."""


@dataclass(frozen=True)
class Store:
    """Where a run goes, what the user calls it, and how much it may take besides its output."""

    location: str
    name: str = ""
    max_saved_bytes: int | None = None

    def rows_counted(self, captured: Captured, operators: Operator) -> dict[int, int]:
        """How many rows plan nodes had in the last run of the same pipeline."""
        return rows_counted(Runs(files_at(self.location, captured.session)), operators)


@dataclass(frozen=True)
class Work:
    """A pipeline to run, what was decided of it, and how many rows its nodes had in earlier runs."""

    captured: Captured
    decided: Decisions
    counted: Mapping[int, int]
    keep: Keep


def run_into_store(work: Work, store: Store) -> tuple[StoredRun, Mapping[int, DataFrame]]:
    """Run a pipeline so that its traces can be answered from a store; what was kept, by plan node."""
    captured = work.captured
    check_unchanged(captured.descriptors.values(), remote_states)
    files = files_at(store.location, captured.session)
    runs = Runs(files)
    run = runs.begin()
    keeping = InStore(files, run)
    try:
        saves_results = store.max_saved_bytes != 0 and work.decided.plan.results_can_be_looked_up
        plan = work.decided.plan if saves_results else work.decided.plan_without_results
        root = captured.operators.plan_node
        assert root is not None  # the output is a node of the plan
        kept = set(work.keep(plan, keeping, root))
        counted = {**work.counted, **{number: keeping.saved[folder_of(number)].rows for number in kept}}
        needed = {result.plan_node for result in plan.results} - {root}
        spent = sum(keeping.saved[folder_of(number)].bytes for number in needed)
        if store.max_saved_bytes is not None and spent > store.max_saved_bytes:
            plan = work.decided.plan_without_results
            kept = {root}
            for number in needed:
                files.remove(f"{run}/{folder_of(number)}")
        manifest = Manifest(
            run=run,
            name=store.name,
            created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            written_by=version("predtrace"),
            operators=work.decided.operators,
            plan=plan,
            output=keeping.saved[folder_of(root)],
            output_schema=captured.dataframe.schema.json(),
            results=tuple(SavedResult(number, keeping.saved[folder_of(number)]) for number in sorted(kept)),
            counted=tuple(sorted(counted.items())),
            sources=_sources(captured, plan, keeping),
            functions=save_functions(files, run, _functions(plan), captured.functions),
            settings=settings_of(captured.session),
        )
        runs.commit(manifest)
    except BaseException:
        files.remove(run)
        raise
    return StoredRun(runs, manifest), ReadWhenAsked({n: keeping.kept[folder_of(n)] for n in kept})


def _sources(captured: Captured, plan: LineagePlan, keeping: InStore) -> tuple[SavedSource, ...]:
    """The sources; rows that only this process has are saved with the run, once for all references to them."""
    found: list[SavedSource] = []
    folders: dict[str, SavedRows] = {}
    for reference, descriptor in sorted(captured.descriptors.items()):
        if descriptor.format not in _KEPT_BY_NOBODY:
            found.append(SavedSource(reference, descriptor, None))
            continue
        if descriptor.name not in folders:
            folder = f"sources/{reference}"
            columns = next(source.columns for source in plan.sources if source.reference == reference)
            rows = captured.source_rows(reference).toDF(*map(column_name, columns))
            keeping.keep(RowsToKeep(folder, rows, tuple(columns)))
            folders[descriptor.name] = keeping.saved[folder]
        found.append(SavedSource(reference, descriptor, folders[descriptor.name]))
    return tuple(found)


def _functions(plan: LineagePlan) -> tuple[str, ...]:
    """The user's functions that predicates call."""
    predicates = (*(source.predicate for source in plan.sources), *(result.lookup for result in plan.results))
    parts = (part for predicate in predicates if predicate is not None for part in walk(predicate))
    return tuple(sorted({part.function for part in parts if isinstance(part, UserCall)}))
