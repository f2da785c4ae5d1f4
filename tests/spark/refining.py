"""Supersets for many output rows at once, as addresses, and how many of their rows are not in the lineage.

Like `predicates`, sets carry the number of the target row they belong to: a row is narrowed by tuples of its own
target only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType
from tests.spark.oracle import Key, Oracle
from tests.spark.predicates import NUMBER, Lineages, NumberedTargets, some_keys

from predtrace.engines.spark import SparkEngine, sql
from predtrace.ir.expressions import Column
from predtrace.ir.spark_sql import column_name
from predtrace.operators import Selection
from predtrace.plan.lineage_plan import LineagePlan
from predtrace.plan.refinement_plan import RefinementPlan
from predtrace.reference.addresses import ADDRESS
from predtrace.trace.evaluation import Evaluation
from predtrace.trace.refining import Refinement

_OWN = "own_number"


@dataclass(frozen=True)
class NumberedSets(NumberedTargets):
    """The Spark engine, where what a row is compared with has the number of the row's target."""

    def where(self, rows: DataFrame, selections: Sequence[tuple[Selection, DataFrame]]) -> DataFrame:
        if NUMBER not in rows.columns:
            return super().where(rows, selections)
        ((predicate, relation),) = selections
        return self._joined(rows, predicate, relation, "left_semi")

    def without(self, rows: DataFrame, predicate: Selection, relation: DataFrame) -> DataFrame:
        return self._joined(rows, predicate, relation, "left_anti")

    def cut_down(self, rows: DataFrame, selection: Selection, given: DataFrame) -> DataFrame:
        return SparkEngine.where(self, rows, [(selection, given.drop(NUMBER))])

    def _joined(self, rows: DataFrame, predicate: Selection, relation: DataFrame, how: str) -> DataFrame:
        theirs = relation.withColumnRenamed(NUMBER, _OWN)
        return rows.join(theirs, F.expr(f"({sql(predicate)}) AND {NUMBER} = {_OWN}"), how)


def supersets(
    oracle: Oracle, plan: RefinementPlan, rows: Mapping[Key, Row], most: int = 50
) -> tuple[Lineages, list[dict[str, int]]]:
    """The addresses that are left for each output row in each reference, and the rounds it took."""
    captured, plan = oracle.captured, plan.knowing(plan.target)
    keys = some_keys(rows, most)
    if not keys:
        return {}, []
    refinement = Refinement(plan, _engine(oracle), _targets(oracle, plan.target, [rows[key] for key in keys]))
    found: Lineages = {key: {reference: set() for reference in captured.descriptors} for key in keys}
    selected = (
        refinement.lineage([reference]).select(F.lit(reference), ADDRESS, NUMBER)
        for reference in captured.descriptors
    )
    for reference, address, number in reduce(DataFrame.unionAll, selected).collect():
        found[keys[number]][reference].add(address)
    return found, refinement.rounds


def rows_by_plain_push_down(
    oracle: Oracle, plan: LineagePlan, rows: Mapping[Key, Row], most: int = 50
) -> int:
    """How many rows plain push-down returns, references to one table together: too many to look at."""
    targets = _targets(oracle, plan.target, [rows[key] for key in some_keys(rows, most)])
    evaluation = Evaluation(plan, _engine(oracle), targets)
    return sum(evaluation.lineage(references).count() for references in _tables(oracle))


def _targets(oracle: Oracle, columns: Sequence[Column], rows: Sequence[Row]) -> DataFrame:
    schema = StructType([*oracle.frame.schema.fields, StructField(NUMBER, IntegerType())])
    values = [(*row, number) for number, row in enumerate(rows)]
    return oracle.captured.session.createDataFrame(values, schema).toDF(*map(column_name, columns), NUMBER)


def _engine(oracle: Oracle) -> NumberedSets:
    captured = oracle.captured
    return NumberedSets(captured.session, captured.nodes, captured.source_rows, tracker=oracle.tracker)


def _tables(oracle: Oracle) -> list[list[int]]:
    """The references to each table."""
    tables: dict[str, list[int]] = {}
    for reference, descriptor in oracle.captured.descriptors.items():
        tables.setdefault(descriptor.name, []).append(reference)
    return list(tables.values())


def missed(
    expected: Mapping[Key, Mapping[int, set[int]]], found: Lineages
) -> dict[tuple[Key, int], set[int]]:
    """The lineage rows that are not in a superset, by output row and reference."""
    return {
        (key, reference): lost
        for key, of_row in found.items()
        for reference, addresses in of_row.items()
        if (lost := expected[key].get(reference, set()) - addresses)
    }


def sizes(oracle: Oracle, expected: Mapping[Key, Mapping[int, set[int]]], found: Lineages) -> tuple[int, int]:
    """How many rows the lineage and a superset have: references to one table together, tables and rows pooled."""
    tables = _tables(oracle)

    def size(lineages: Mapping[Key, Mapping[int, set[int]]]) -> int:
        return sum(
            len(set[int]().union(*(lineages[key].get(reference, set()) for reference in references)))
            for key in found
            for references in tables
        )

    return size(expected), size(found)


def false_positive_rate(lineage: int, returned: int) -> float:
    """As semantics.md defines it, for a superset that misses no row."""
    return 1 - lineage / returned if returned else 0.0
