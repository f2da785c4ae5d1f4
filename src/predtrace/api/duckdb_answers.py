"""Traces answered by DuckDB, straight on the files: for stored runs without Spark and Java.

Only where it is certain that Spark would select the same rows; otherwise `NotInDuckDB` or `AskSpark` says why not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow
import pyarrow.parquet

from predtrace.api.asking import no_such_row, steps_of
from predtrace.api.lineage import Answer, Rows
from predtrace.engines.arrow_types import arrow_schema
from predtrace.engines.duckdb import DuckEngine, KeptSource
from predtrace.engines.duckdb_frames import DuckFrame
from predtrace.engines.duckdb_functions import Functions, no_functions
from predtrace.engines.duckdb_sql import NotInDuckDB
from predtrace.frontends.sql import target_condition
from predtrace.ir.expressions import Column, Expression
from predtrace.ir.operators import SourceDescriptor
from predtrace.plan.lineage_plan import LineagePlan
from predtrace.store.files import LocalFiles
from predtrace.store.forms import stored_type
from predtrace.store.manifest import Manifest, SavedRows
from predtrace.store.runs import Runs
from predtrace.trace.evaluation import Evaluation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")

_EXPECTED = {"spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false"}
_TIME_ZONE = "spark.sql.session.timeZone"
_HARMLESS = re.compile(
    r"spark\.sql\.(session\.timeZone|shuffle\.|adaptive\.|autoBroadcastJoinThreshold|broadcastTimeout|codegen\."
    r"|parquet\.filterPushdown|orc\.filterPushdown|execution\.arrow\.|files\.|warehouse\.dir"
    r"|catalogImplementation|cbo\.|statistics\.|repl\.|ui\.|debug\."
    r"|artifact\.|inMemoryColumnarStorage\.|sources\.parallelPartitionDiscovery\.|streaming\.|event\.|pyspark\.)"
)
"""Settings that say how Spark works, not what an expression or a file means to it. (What reads a time by the time
zone is left to Spark anyway.)"""


@dataclass(frozen=True)
class DuckAnswer:
    """Predicates select the rows from Parquet files. `spark` answers the same trace on Spark."""

    plan: LineagePlan
    evaluation: Evaluation[DuckFrame]
    found: Mapping[tuple[int, ...], DuckFrame]
    """The lineage in each source, by the references to it."""
    descriptors: Mapping[int, SourceDescriptor]
    time_zone: str
    spark: Callable[[], Answer]
    run_again: str = ""
    engine: str = "duckdb"
    method: str = "predicates"

    @classmethod
    def of_run(
        cls,
        runs: Runs,
        manifest: Manifest,
        rows: Any,
        spark: Callable[[], Answer],
        functions: Functions = no_functions,
    ) -> DuckAnswer:
        """The answer for rows of a stored run, described as the user did."""
        settings = dict(manifest.settings)
        check_settings(settings)
        plan = manifest.plan
        names = zip(plan.target, manifest.output_names, strict=True)
        named = [replace(column, name=name) for column, name in names]
        condition = target_condition(named, rows)
        descriptors = {source.reference: source.descriptor for source in manifest.sources}
        saved = {result.plan_node: _files(runs, manifest, result.saved) for result in manifest.results}
        kept = {
            source.reference: KeptSource(_files(runs, manifest, source.saved), source.saved.columns)
            for source in manifest.sources
            if source.saved is not None
        }
        engine = DuckEngine(descriptors, saved, kept, functions)
        engine.check(plan)
        check_schemas(descriptors, settings)
        targets = engine.rows(_files(runs, manifest, manifest.output), plan.target, condition)
        return cls.of(plan, engine, targets, condition, descriptors, settings, spark)

    @classmethod
    def of(
        cls,
        plan: LineagePlan,
        engine: DuckEngine,
        targets: DuckFrame,
        condition: Expression,
        descriptors: Mapping[int, SourceDescriptor],
        settings: Mapping[str, str],
        spark: Callable[[], Answer],
        run_again: str = "",
    ) -> DuckAnswer:
        """The answer for the output rows that the condition selected. All that was saved is read now, and functions
        are called: if one of them is for Spark to call, it must be known before there is an answer."""
        evaluation = Evaluation(plan, engine, targets)
        if evaluation.is_empty():
            raise no_such_row(condition)
        by_name: dict[str, list[int]] = {}
        for reference, descriptor in sorted(descriptors.items()):
            by_name.setdefault(descriptor.name, []).append(reference)
        found = {tuple(group): evaluation.lineage(group) for group in by_name.values()}
        return cls(plan, evaluation, found, descriptors, settings.get(_TIME_ZONE, "UTC"), spark, run_again)

    def steps(self) -> Iterator[str]:
        return steps_of(self.plan, self.run_again)

    def rows(self, references: Sequence[int]) -> DuckRows:
        schema = arrow_schema(self.descriptors[references[0]].schema, self.time_zone)
        found = self.found.get(tuple(references))
        rows = self.evaluation.lineage(references) if found is None else found
        return DuckRows(rows, schema, lambda: self.spark().rows(references))


@dataclass(frozen=True)
class DuckRows:
    """Rows of a source, selected by DuckDB; by Spark, should DuckDB fail on a value."""

    frame: DuckFrame
    schema: pyarrow.Schema
    spark: Callable[[], Rows]

    def count(self) -> int:
        return self._or_spark(self.frame.count, lambda rows: rows.count())

    def to_arrow(self, limit: int | None = None) -> pyarrow.Table:
        return self._or_spark(lambda: self._typed(limit), lambda rows: rows.to_arrow(limit))

    def to_spark(self) -> DataFrame:
        return self.spark().to_spark()

    def write_parquet(self, folder: str) -> None:
        self._or_spark(lambda: self._write(Path(folder)), lambda rows: rows.write_parquet(folder))

    def _or_spark(self, here: Callable[[], T], there: Callable[[Rows], T]) -> T:
        try:
            return here()
        except NotInDuckDB:
            return there(self.spark())

    def _typed(self, limit: int | None) -> pyarrow.Table:
        rows = self.frame.to_arrow(limit)
        return rows.rename_columns(self.schema.names).cast(self.schema)

    def _write(self, folder: Path) -> None:
        batches = self.frame.batches()
        folder.mkdir(parents=True)
        part = folder / "part-0.parquet"
        try:
            with pyarrow.parquet.ParquetWriter(part, self.schema, compression="zstd") as writer:
                for batch in batches:
                    rows = pyarrow.Table.from_batches([batch]).rename_columns(self.schema.names)
                    writer.write_table(rows.cast(self.schema))
        except BaseException:
            part.unlink(missing_ok=True)
            folder.rmdir()
            raise


def check_schemas(descriptors: Mapping[int, SourceDescriptor], settings: Mapping[str, str]) -> None:
    """Raise `NotInDuckDB` if a source has values that Arrow would show otherwise than Spark does."""
    for descriptor in descriptors.values():
        arrow_schema(descriptor.schema, settings.get(_TIME_ZONE, "UTC"))


def check_kept(columns: Iterable[Column]) -> None:
    """Raise `NotInDuckDB` if columns are saved in another form than they have."""
    for column in columns:
        if stored_type(column.type) != column.type:
            raise NotInDuckDB(f"values of type {column.type}")


def check_settings(settings: Mapping[str, str]) -> None:
    """Raise `NotInDuckDB` if a session has something set that gives expressions or files another meaning."""
    for name, value in settings.items():
        if _EXPECTED.get(name, value).lower() != value.lower():
            raise NotInDuckDB(f"a pipeline built with {name} = {value}")
        if name not in _EXPECTED and not _HARMLESS.match(name):
            raise NotInDuckDB(f"a pipeline built with the setting {name}")


def _files(runs: Runs, manifest: Manifest, saved: SavedRows) -> list[str]:
    """The files of rows that a run saved."""
    runs.check_rows(manifest.run, saved)
    if not isinstance(runs.files, LocalFiles):
        raise NotInDuckDB("a store that is not on this machine")
    check_kept(saved.columns)
    return parquet_files_in(Path(runs.files.location(f"{manifest.run}/{saved.folder}")))


def parquet_files_in(folder: Path) -> list[str]:
    """The files that Spark wrote to a folder."""
    return sorted(str(file) for file in folder.glob("*.parquet"))
