"""The lineage of many output rows at once, by predicates alone, as addresses that the tracker's can be compared with.

A trace answers for all its target rows together. To compare row by row without a trace for each, relations carry
here, besides their tuples, the number of the target row they belong to, and sources the address of each row.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType
from tests.spark.oracle import Key, Oracle, comparable

from predtrace.api import Pipeline
from predtrace.api.keeping import InMemory
from predtrace.engines.spark import SparkEngine, sql
from predtrace.ir.expressions import Column
from predtrace.ir.spark_sql import column_name
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING
from predtrace.plan.lineage_plan import LineagePlan, SourcePlan
from predtrace.reference.addresses import ADDRESS
from predtrace.reference.tracker import Tracker
from predtrace.trace.evaluation import Evaluation

NUMBER = "target_number"
Lineages = dict[Key, dict[int, set[int]]]


@dataclass(frozen=True)
class NumberedTargets(SparkEngine):
    """The Spark engine, with the number of the target row along with every row it selects."""

    tracker: Tracker = field(kw_only=True)

    def where(self, rows: DataFrame, selections: Sequence[tuple[Selection, DataFrame]]) -> DataFrame:
        wanted = [(predicate, relation) for predicate, relation in selections if predicate != NOTHING]
        if NUMBER in rows.columns:
            rows = rows.drop(NUMBER)
        if not wanted:
            return rows.limit(0).withColumn(NUMBER, F.lit(0))
        found = [rows.join(relation, F.expr(sql(predicate))) for predicate, relation in wanted]
        return reduce(DataFrame.unionAll, (f.select(*rows.columns, NUMBER) for f in found)).distinct()

    def cut_down(self, rows: DataFrame, selection: Selection, given: DataFrame) -> DataFrame:
        return super().where(rows, [(selection, given.drop(NUMBER))])

    def relation(self, name: str, columns: Sequence[Column], rows: DataFrame) -> DataFrame:
        numbered = rows.withColumnRenamed(NUMBER, "number")
        plain = self.parameters(name, columns, numbered, ["number"])
        return plain.withColumnRenamed("number", NUMBER).distinct().localCheckpoint()

    def source(self, source: SourcePlan) -> DataFrame:
        rows = self.tracker.addresses.rows(source.reference)
        return rows.toDF(*map(column_name, source.columns), ADDRESS)


def lineages_by_predicates(
    oracle: Oracle,
    plan: LineagePlan,
    rows: Mapping[Key, Row],
    saved: Mapping[int, DataFrame] | None = None,
    most: int = 50,
) -> Lineages:
    """The addresses behind each output row (behind `most` of them, if there are more) in each reference."""
    captured = oracle.captured
    keys = some_keys(rows, most)
    if not keys:
        return {}
    schema = StructType([*oracle.frame.schema.fields, StructField(NUMBER, IntegerType())])
    values = [(*rows[key], number) for number, key in enumerate(keys)]
    targets = captured.session.createDataFrame(values, schema)
    engine = NumberedTargets(
        captured.session, captured.nodes, captured.source_rows, saved or {}, tracker=oracle.tracker
    )
    names = [*map(column_name, plan.target), NUMBER]
    evaluation = Evaluation(plan, engine, targets.toDF(*names))
    found: Lineages = {key: {reference: set() for reference in captured.descriptors} for key in keys}
    selected = (
        evaluation.lineage([reference]).select(F.lit(reference), ADDRESS, NUMBER)
        for reference in captured.descriptors
    )
    for reference, address, number in reduce(DataFrame.unionAll, selected).collect():
        found[keys[number]][reference].add(address)
    return found


def lineages_by_another_run(
    oracle: Oracle, pipeline: Pipeline, rows: Mapping[Key, Row], most: int = 50
) -> Lineages:
    """The same for a pipeline that did not run: it runs again, cut down for the rows."""
    chosen = some_keys(rows, most)
    if not chosen:
        return {}
    rerun = pipeline.rerun([rows[key] for key in chosen])
    kept = rerun.kept(InMemory())
    output = kept[rerun.output].select(*(f"`{column_name(column)}`" for column in pipeline.plan.target))
    found = _by_key(output.toDF(*oracle.frame.columns))
    assert found.keys() >= set(chosen), "the rows that came out again are others"
    asked = {key: found[key] for key in chosen}
    return lineages_by_predicates(oracle, pipeline.plan, asked, kept, most)


def some_keys(rows: Mapping[Key, Row], most: int) -> list[Key]:
    keys = sorted(rows, key=repr)
    return random.Random(0).sample(keys, most) if len(keys) > most else keys


def assert_traced_exactly(
    oracle: Oracle, expected: Mapping[Key, Mapping[int, set[int]]], most: int = 50
) -> Pipeline:
    """Run again and saved, predicates give what is expected, row by row; and a run changes nothing."""
    pipeline = Pipeline(oracle.captured)
    run_again = lineages_by_another_run(oracle, pipeline, _by_key(oracle.frame), most)
    assert run_again == {key: expected[key] for key in run_again}, "run again"
    output = pipeline.run()
    assert output.schema == oracle.frame.schema
    assert Counter(comparable(tuple(row)) for row in output.collect()) == oracle.spark_rows()
    saved = lineages_by_predicates(oracle, pipeline.plan, _by_key(output), pipeline.saved, most)
    assert saved == {key: expected[key] for key in saved}, "saved"
    return pipeline


def _by_key(frame: DataFrame) -> dict[Key, Row]:
    return {comparable(tuple(row)): row for row in frame.collect()}
