"""Supersets of the lineage: predicates and semi joins on the sources alone, the pipeline is never run.

The rows to trace are known only as far as the user's condition fixes their values (`trace.known_targets`), and nobody
looks whether they exist. Runs in DuckDB where all sources are Parquet files that it reads as Spark does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyspark.sql import DataFrame

from predtrace.api.asking import not_in_duckdb
from predtrace.api.duckdb_answers import (
    DuckRows,
    check_kept,
    check_schemas,
    check_settings,
)
from predtrace.api.handing_over import check_same_machine, handing_over
from predtrace.api.keeping import RowsToKeep, folder_of
from predtrace.api.spark_answers import SparkRows, running
from predtrace.engines.arrow_types import arrow_schema
from predtrace.engines.duckdb import DuckEngine
from predtrace.engines.duckdb_frames import DuckFrame
from predtrace.engines.duckdb_functions import Functions
from predtrace.engines.duckdb_sql import NotInDuckDB
from predtrace.engines.spark import SparkEngine
from predtrace.infer.selections import TARGET
from predtrace.ir.expressions import Column, Expression
from predtrace.ir.operators import SourceDescriptor
from predtrace.plan.lineage_plan import NodeCut, SourcePlan
from predtrace.plan.refinement_plan import RefinementPlan
from predtrace.store.settings import settings_of
from predtrace.trace.known_targets import KnownTargets, known_targets
from predtrace.trace.refining import Refinement

NOT_CHECKED = "whether such an output row exists was not checked"


@dataclass(frozen=True)
class Superset:
    """What is asked: the plan, as far as the condition fixes its target, and where the sources are."""

    plan: RefinementPlan
    targets: KnownTargets
    descriptors: Mapping[int, SourceDescriptor]

    @classmethod
    def of(
        cls, plan: RefinementPlan, condition: Expression, descriptors: Mapping[int, SourceDescriptor]
    ) -> Superset:
        targets = known_targets(condition)
        return cls(plan.knowing(targets.columns), targets, descriptors)

    @property
    def reasons(self) -> list[str]:
        """Why the rows may be too many."""
        found = {one.why_not_exact for one in self.plan.sets} - {""}
        found.update(source.why_not_exact for source in self.plan.whole)
        if not self.targets.is_all:
            found.add("the condition says more than the values of columns, and that was not used")
        return [*sorted(found), NOT_CHECKED]


@dataclass(frozen=True)
class SupersetOnSpark:
    asked: Superset
    refinement: Refinement[DataFrame]
    engine: str = "spark"
    method: str = "refinement"

    @classmethod
    def of(cls, asked: Superset, engine: SparkEngine) -> SupersetOnSpark:
        targets = engine.constants(asked.targets.columns, asked.targets.rows)
        return cls(asked, running(lambda: Refinement(asked.plan, engine, targets)))

    def rows(self, references: Sequence[int]) -> SparkRows:
        names = [field.name for field in self.asked.descriptors[references[0]].schema.fields]
        return SparkRows(self.refinement.lineage(references).toDF(*names))

    def steps(self) -> Iterator[str]:
        return _rounds(self.refinement)


@dataclass(frozen=True)
class SupersetOnDuckDB:
    asked: Superset
    refinement: Refinement[DuckFrame]
    spark: SparkEngine
    time_zone: str
    engine: str = "duckdb"
    method: str = "refinement"

    @classmethod
    def of(cls, asked: Superset, spark: SparkEngine, functions: Functions) -> SupersetOnDuckDB:
        """Raises `NotInDuckDB` where Spark must answer."""
        settings = dict(settings_of(spark.session))
        check_settings(settings)
        time_zone = settings["spark.sql.session.timeZone"]
        check_schemas(asked.descriptors, settings)
        engine = _DuckDBBesideSpark(asked, spark, functions)
        engine.check_plan(asked.plan)
        targets = engine.constants(asked.targets.columns, asked.targets.rows)
        refinement = Refinement(asked.plan, engine, targets)
        # Functions are called now: if one of them is for Spark to call, it must be known before there is an answer.
        for reference in asked.descriptors:
            refinement.lineage([reference])
        return cls(asked, refinement, spark, time_zone)

    def rows(self, references: Sequence[int]) -> DuckRows:
        schema = arrow_schema(self.asked.descriptors[references[0]].schema, self.time_zone)
        return DuckRows(
            self.refinement.lineage(references),
            schema,
            lambda: self._on_spark.rows(references),
        )

    @cached_property
    def _on_spark(self) -> SupersetOnSpark:
        """The same by Spark, narrowed once for all references."""
        return SupersetOnSpark.of(self.asked, self.spark)

    def steps(self) -> Iterator[str]:
        return _rounds(self.refinement)


class _DuckDBBesideSpark(DuckEngine):
    """DuckDB, with what operators of the pipeline compute from Spark, handed over in files."""

    def __init__(self, asked: Superset, spark: SparkEngine, functions: Functions) -> None:
        super().__init__(asked.descriptors, functions=functions)
        self._asked, self._spark = asked, spark

    def check_plan(self, plan: RefinementPlan) -> None:
        """Raise `NotInDuckDB` unless all sources can be read and all predicates asked, before anything runs."""
        self.check_selections(one.predicate for one in plan.sets)
        self.check_selections(n.predicate for one in plan.sets for n in one.narrowings)
        for one in plan.sets:
            if one.plan_node is not None:
                check_same_machine(self._spark.session)
                check_kept(one.columns)
            if one.reference is not None:
                self.source(SourcePlan(one.reference, one.columns, None, TARGET, ""))

    def computed(
        self, plan_node: int, columns: Sequence[Column], cuts: Sequence[NodeCut], given: DuckFrame
    ) -> DuckFrame:
        spark, targets = self._spark, self._asked.targets
        constants = spark.parameters(TARGET, targets.columns, spark.constants(targets.columns, targets.rows))
        rows = spark.computed(plan_node, columns, cuts, constants)
        with handing_over() as handed:
            what = RowsToKeep(folder_of(plan_node), rows, tuple(columns))
            running(lambda: handed.keeping.keep(what))
            return self.rows(handed.files(plan_node), columns).stored("*")


def superset(
    asked: Superset, spark: SparkEngine, engine: str, functions: Functions
) -> SupersetOnSpark | SupersetOnDuckDB:
    """The answer, by the engine asked for."""
    if engine != "spark":
        try:
            return SupersetOnDuckDB.of(asked, spark, functions)
        except NotInDuckDB as problem:
            if engine == "duckdb":
                raise not_in_duckdb(problem.reason) from None
    return SupersetOnSpark.of(asked, spark)


def _rounds(refinement: Refinement[Any]) -> Iterator[str]:
    for number, sizes in enumerate(refinement.rounds):
        what = "filled by predicates" if number == 0 else f"round {number}"
        tuples = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        yield f"{what}: {tuples or 'nothing to narrow'}"
