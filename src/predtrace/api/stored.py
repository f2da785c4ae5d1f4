"""Runs in a store: written by `Pipeline.run`, traced by whoever opens them."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version

from pyspark.sql import DataFrame, SparkSession

from predtrace.api.answers import PredicateAnswer, check_engine, running
from predtrace.api.keeping import InStore, Keeping, RowsToKeep
from predtrace.api.lineage import Lineage, source_names, unknown_source
from predtrace.engines.spark import SparkEngine
from predtrace.errors import StoreProblem
from predtrace.frontends.spark.capture import Captured
from predtrace.frontends.spark.session import local_session
from predtrace.frontends.spark.source_readers import read_source
from predtrace.frontends.spark.targets import Target, columns_by_id, target_condition
from predtrace.ir.expressions import UserCall, walk
from predtrace.ir.operators import FileState, Operator, SourceDescriptor
from predtrace.ir.spark_sql import column_name
from predtrace.plan.explaining import decisions
from predtrace.plan.lineage_plan import LineagePlan
from predtrace.store.files import Files, HadoopFiles, LocalFiles, is_local
from predtrace.store.fingerprints import check_unchanged, unnoticed
from predtrace.store.manifest import Manifest, SavedResult, SavedRows, SavedSource
from predtrace.store.runs import Runs
from predtrace.store.saving import saved_rows
from predtrace.store.settings import active, session_like, settings_of

_KEPT_BY_NOBODY = frozenset({"memory", "range"})

Keep = Callable[[Keeping, bool], dict[int, DataFrame]]


def folder_of(plan_node: int) -> str:
    return f"results/{plan_node}"


def files_at(location: str, session: SparkSession | None = None) -> Files:
    """The files of a store."""
    location = os.fspath(location)
    if is_local(location):
        return LocalFiles(location)
    return HadoopFiles(session or _session(), location)


def _remote_states(location: str) -> Iterator[FileState]:
    return HadoopFiles(_session(), location).states()


def run_into_store(
    captured: Captured, operators: Operator, plan: LineagePlan, store: str, keep: Keep
) -> dict[int, DataFrame]:
    """Run a pipeline so that its traces can be answered from a store; what was kept, by plan node."""
    check_unchanged(captured.descriptors.values(), _remote_states)
    files = files_at(store, captured.session)
    runs = Runs(files)
    run = runs.begin()
    keeping = InStore(files, run)
    try:
        kept = keep(keeping, True)
        root = captured.operators.plan_node
        assert root is not None
        manifest = Manifest(
            run=run,
            created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            written_by=version("predtrace"),
            operators=operators,
            plan=plan,
            output=keeping.saved[folder_of(root)],
            output_schema=captured.dataframe.schema.json(),
            results=tuple(SavedResult(number, keeping.saved[folder_of(number)]) for number in sorted(kept)),
            sources=_sources(captured, plan, keeping),
            functions=_functions(plan),
            settings=settings_of(captured.session),
        )
        runs.commit(manifest)
    except BaseException:
        files.remove(run)
        raise
    return kept


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


def open_run(location: str, run: str | None = None) -> StoredRun:
    """Open the latest complete run of a store, or the one named, to trace rows of its output.

    >>> from tempfile import mkdtemp
    >>> from predtrace import capture
    >>> folder = mkdtemp()
    >>> hours = spark.createDataFrame([("ann", 3), ("bob", 5), ("ann", 4)], "who string, hours int")
    >>> hours.createOrReplaceTempView("hours")
    >>> out = capture(spark.sql("select who, sum(hours) as all from hours group by who")).run(store=folder)
    >>> open_run(folder).trace({"who": "ann"}).counts()
    {'hours': 2}
    """
    runs = Runs(files_at(location))
    return StoredRun(runs, runs.manifest(run))


@dataclass(frozen=True)
class _InSession:
    """An answer that is worked out by the settings of a session."""

    session: SparkSession
    answer: PredicateAnswer

    def rows(self, references: Sequence[int]) -> DataFrame:
        with active(self.session):
            return self.answer.rows(references)


class StoredRun:
    """A complete run in a store. Made by `predtrace.open`."""

    def __init__(self, runs: Runs, manifest: Manifest) -> None:
        self._runs = runs
        self.manifest = manifest
        self._descriptors: dict[int, SourceDescriptor] = {s.reference: s.descriptor for s in manifest.sources}

    @property
    def sources(self) -> list[str]:
        """The names of the sources, in the order the pipeline reads them first."""
        return source_names(self._descriptors)

    def source(self, name: str) -> SourceDescriptor:
        """What is known of a source: format, location, options, schema and fingerprint."""
        for descriptor in self._descriptors.values():
            if descriptor.name == name:
                return descriptor
        raise unknown_source(name, self.sources)

    def explain(self) -> str:
        """What was saved and why, and how the lineage is selected from each source."""
        lines = [decisions(self.manifest.plan, self.manifest.operators)]
        unknown = unnoticed(self._descriptors.values())
        if unknown:
            lines += ["", f"Nobody notices if these change after the run: {', '.join(unknown)}"]
        return "\n".join(lines)

    def trace(self, rows: Target, engine: str = "auto", allow_stale: bool = False) -> Lineage:
        """The source rows that the given output rows of the run were derived from, as `Pipeline.trace` gives them.

        If a source has changed since the run, this is an error; `allow_stale` selects from what is there now.
        """
        check_engine(engine)
        if not allow_stale:
            check_unchanged(self._descriptors.values(), _remote_states)
        manifest = self.manifest
        if manifest.functions:
            raise StoreProblem(
                f"the run's predicates call Python functions ({', '.join(manifest.functions)}), and a store has none",
                todo="trace with predtrace.capture(df) in the process that has them",
            )
        session = session_like(_session(), manifest.settings)
        with active(session):
            answer = self._answer(session, rows)
        reasons = sorted({source.why_not_exact for source in manifest.plan.sources if source.why_not_exact})
        return Lineage(self._descriptors, _InSession(session, answer), reasons)

    def _answer(self, session: SparkSession, rows: Target) -> PredicateAnswer:
        plan, results = self.manifest.plan, self.manifest.results
        names = [field["name"] for field in json.loads(self.manifest.output_schema)["fields"]]
        output = self._rows(session, self.manifest.output)
        output = output.select(*output.columns[: len(names)])  # hidden columns come after those of the user
        named = output.toDF(*names)
        condition = target_condition(named, columns_by_id(named, plan.target), rows)
        saved = {result.plan_node: self._rows(session, result.saved) for result in results}
        engine = SparkEngine(session, None, lambda reference: self._source_rows(session, reference), saved)
        return PredicateAnswer.of(plan, engine, output, condition, self._descriptors)

    def _rows(self, session: SparkSession, saved: SavedRows) -> DataFrame:
        self._runs.check_rows(self.manifest.run, saved)
        return saved_rows(session, self._runs.files, self.manifest.run, saved)

    def _source_rows(self, session: SparkSession, reference: int) -> DataFrame:
        source = next(s for s in self.manifest.sources if s.reference == reference)
        if source.saved is not None:
            return self._rows(session, source.saved)
        return running(lambda: read_source(session, source.descriptor))

    def __repr__(self) -> str:
        return f"<StoredRun {self.manifest.run} over {', '.join(self.sources)}>"

    def __str__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.explain())}</pre>"


def _session() -> SparkSession:
    return SparkSession.getActiveSession() or local_session()
