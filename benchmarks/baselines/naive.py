"""Naive push-down: the row's values, pushed down to each source as far as they go, and nothing else.

What the paper compares its refinement with: no result is saved or computed, no source narrows another. Every
predicate is sound, so that no lineage row is missed; most are far from exact.
"""

from __future__ import annotations

from benchmarks.baselines.answers import Answer
from pyspark.sql import DataFrame, Row

from predtrace import Pipeline
from predtrace.engines.spark import SparkEngine
from predtrace.ir.spark_sql import column_name
from predtrace.trace.evaluation import Evaluation


class NaivePushDown:
    """Traces by predicates on the sources alone: a superset."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.captured = pipeline.captured
        self.plan = pipeline.decided.plan_without_results

    def trace(self, row: Row) -> Answer:
        evaluation, found = self._evaluated(row), dict[int, DataFrame]()
        for reference, descriptor in self.captured.descriptors.items():
            names = [part.name for part in descriptor.schema.fields]
            found[reference] = evaluation.lineage([reference]).toDF(*names)
        return Answer(tuple(found.values()), found)

    def counts(self, row: Row) -> dict[str, int]:
        """How many rows of each source it returns, those of several references to one source once."""
        references: dict[str, list[int]] = {}
        for reference, descriptor in self.captured.descriptors.items():
            references.setdefault(descriptor.name, []).append(reference)
        evaluation = self._evaluated(row)
        return {name: evaluation.lineage(numbers).count() for name, numbers in references.items()}

    def _evaluated(self, row: Row) -> Evaluation[DataFrame]:
        captured = self.captured
        engine = SparkEngine(captured.session, captured.nodes, captured.source_rows, {})
        targets = captured.session.createDataFrame([tuple(row)], captured.dataframe.schema)
        return Evaluation(self.plan, engine, targets.toDF(*map(column_name, self.plan.target)))
