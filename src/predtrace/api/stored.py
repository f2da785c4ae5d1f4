"""Runs in a store, traced by whoever opens them: by DuckDB where it can, else by Spark.

Nothing of Spark is imported before it is needed: opening and tracing a run starts no Java where DuckDB answers.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from predtrace.api.asking import check_engine, not_in_duckdb, source_named, source_names
from predtrace.api.depth import deep
from predtrace.api.lineage import Answer, Lineage, Rows
from predtrace.errors import UntrustedFunctions
from predtrace.ir.operators import FileState, SourceDescriptor
from predtrace.plan.explaining import decisions
from predtrace.store.files import Files, HadoopFiles, LocalFiles, is_local
from predtrace.store.fingerprints import check_unchanged, unnoticed
from predtrace.store.manifest import Manifest, SavedRows
from predtrace.store.runs import Runs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from predtrace.engines.duckdb_functions import Functions
    from predtrace.frontends.spark.targets import Target


def files_at(location: str, session: SparkSession | None = None) -> Files:
    """The files of a store."""
    location = os.fspath(location)
    if is_local(location):
        return LocalFiles(location)
    return HadoopFiles(session or _session(), location)


def remote_states(location: str) -> Iterator[FileState]:
    """The files at a location that is not on the local disk."""
    return HadoopFiles(_session(), location).states()


@deep
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
        return source_named(name, self._descriptors)

    @deep
    def explain(self) -> str:
        """What was saved and why, and how the lineage is selected from each source."""
        lines = [decisions(self.manifest.plan, self.manifest.operators)]
        unknown = unnoticed(self._descriptors.values())
        if unknown:
            lines += ["", f"Nobody notices if these change after the run: {', '.join(unknown)}"]
        return "\n".join(lines)

    @deep
    def trace(
        self, rows: Target, engine: str = "auto", allow_stale: bool = False, trust_udfs: bool = False
    ) -> Lineage:
        """The source rows that the given output rows of the run were derived from, as `Pipeline.trace` gives them.

        If a source has changed since the run, this is an error; `allow_stale` selects from what is there now.
        `engine`: `auto` asks DuckDB where it is certain to select what Spark would, and Spark otherwise.
        `trust_udfs` lets Python functions that the predicates call be loaded from the store: that runs the code that
        whoever wrote the store put there.
        """
        check_engine(engine)
        if not allow_stale:
            check_unchanged(self._descriptors.values(), remote_states)
        pickles = [function.name for function in self.manifest.functions if not function.recipe]
        if pickles and not trust_udfs:
            names = ", ".join(pickles)
            raise UntrustedFunctions(
                f"the run's predicates call Python functions ({names}), which the store keeps as pickles; loading a "
                "pickle runs whatever code is in it",
                todo="trace with trust_udfs=True if you trust whoever can write to the store, or trace with "
                "predtrace.capture(df) in the process that has the functions",
            )
        runs, manifest = self._runs, self.manifest
        functions = None
        if manifest.functions and engine != "spark":
            from predtrace.api.functions import saved_functions

            functions = saved_functions(runs.files, manifest.run, manifest.functions)
        return self.traced(rows, engine, functions, lambda: _AnswerOfSpark.of(runs, manifest, rows))

    def traced(
        self, rows: Target, engine: str, functions: Functions | None, by_spark: Callable[[], Answer]
    ) -> Lineage:
        """The lineage, by functions from somewhere, and by Spark where DuckDB does not answer."""
        reasons = {source.why_not_exact for source in self.manifest.plan.sources if source.why_not_exact}
        by_spark = cache(by_spark)  # each reference may ask for it
        answer = by_spark() if engine == "spark" else self._answer(rows, engine, functions, by_spark)
        return Lineage(self._descriptors, answer, sorted(reasons))

    def _answer(
        self, rows: Target, engine: str, functions: Functions | None, by_spark: Callable[[], Answer]
    ) -> Answer:
        from predtrace.api.duckdb_answers import DuckAnswer
        from predtrace.engines.duckdb_functions import no_functions
        from predtrace.engines.duckdb_sql import NotInDuckDB
        from predtrace.frontends.sql import AskSpark

        try:
            return DuckAnswer.of_run(self._runs, self.manifest, rows, by_spark, functions or no_functions)
        except (NotInDuckDB, AskSpark) as problem:
            if engine == "auto":
                return by_spark()
            raise not_in_duckdb(problem.reason) from None

    def remove(self) -> None:
        """Delete the run from its store."""
        self._runs.files.remove(self.manifest.run)

    def __repr__(self) -> str:
        return f"<StoredRun {self.manifest.run} over {', '.join(self.sources)}>"

    def __str__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.explain())}</pre>"


@dataclass(frozen=True)
class _AnswerOfSpark:
    """An answer that is worked out in a session with the settings of the run."""

    session: SparkSession
    answer: Answer
    engine: str = "spark"
    method: str = "predicates"

    @classmethod
    def of(cls, runs: Runs, manifest: Manifest, target: Target) -> _AnswerOfSpark:
        from predtrace.store.settings import active, session_like

        session = session_like(_session(), manifest.settings)
        with active(session):
            return cls(session, _predicate_answer(session, runs, manifest, target))

    def steps(self) -> Iterator[str]:
        return self.answer.steps()

    def rows(self, references: Sequence[int]) -> Rows:
        from predtrace.store.settings import active

        with active(self.session):
            return self.answer.rows(references)


def _predicate_answer(session: SparkSession, runs: Runs, manifest: Manifest, target: Target) -> Answer:
    from predtrace.api.functions import load_functions
    from predtrace.api.spark_answers import PredicateAnswer, running
    from predtrace.engines.spark import SparkEngine
    from predtrace.frontends.spark.source_readers import read_source
    from predtrace.frontends.spark.targets import columns_by_id, target_condition
    from predtrace.store.saving import saved_rows

    load_functions(session, runs.files, manifest.run, manifest.functions)

    def kept(saved: SavedRows) -> DataFrame:
        runs.check_rows(manifest.run, saved)
        return saved_rows(session, runs.files, manifest.run, saved)

    sources = {source.reference: source for source in manifest.sources}

    def rows_of_reference(reference: int) -> DataFrame:
        source = sources[reference]
        if source.saved is not None:
            return kept(source.saved)
        return running(lambda: read_source(session, source.descriptor))

    plan, names = manifest.plan, manifest.output_names
    output = kept(manifest.output)
    output = output.select(*output.columns[: len(names)])  # hidden columns come after those of the user
    named = output.toDF(*names)
    condition = target_condition(named, columns_by_id(named, plan.target), target)
    saved = {result.plan_node: kept(result.saved) for result in manifest.results}
    engine = SparkEngine(session, None, rows_of_reference, saved)
    descriptors = {reference: source.descriptor for reference, source in sources.items()}
    return PredicateAnswer.of(plan, engine, output, condition, descriptors)


def _session() -> SparkSession:
    from pyspark.sql import SparkSession

    from predtrace.frontends.spark.session import local_session

    return SparkSession.getActiveSession() or local_session()
