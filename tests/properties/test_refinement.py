"""Supersets by refinement miss no row of the tracker's lineage, on generated pipelines."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import given, note
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from tests.properties.generate import GeneratedPipeline, pipelines
from tests.properties.settings import examples, in_rounds
from tests.properties.traces import built
from tests.spark.oracle import comparable
from tests.spark.refining import missed, sizes, supersets

from predtrace.infer.refinement import refine
from predtrace.ir.determinism import unstable_steps
from predtrace.operators.hidden import with_hidden_columns
from predtrace.plan.refinement_plan import refinement_plan


@in_rounds
def test_supersets_of_generated_pipelines(spark: SparkSession, tmp_path: Path, number: int) -> None:
    counts: Counter[str] = Counter()

    @examples(20, number)
    @given(pipelines(), st.sampled_from([0, 1, 9]))
    def examine(pipeline: GeneratedPipeline, evaluate: int) -> None:
        note(repr(pipeline))
        examine_superset(pipeline, evaluate, spark, tmp_path / str(counts["drawn"]), counts)

    examine()
    print(dict(counts))
    assert counts["compared"]


def examine_superset(
    generated: GeneratedPipeline, evaluate: int, spark: SparkSession, folder: Path, counts: Counter[str]
) -> None:
    """Every row of a generated pipeline, if Spark accepts it and another run gives the same rows."""
    oracle = built(generated, spark, folder, counts)
    if oracle is None:
        return
    captured = oracle.captured
    if unstable_steps(captured.operators):
        counts["unstable"] += 1
        return
    operators = with_hidden_columns(captured.operators)
    plan = refinement_plan(refine(operators, evaluate), operators)
    rows = {comparable(tuple(row)): row for row in oracle.frame.collect()}
    expected = oracle.tracked(captured.written).lineage
    if not rows or not rows.keys() <= expected.keys():
        counts["no rows to compare"] += 1
        return
    found, _ = supersets(oracle, plan, rows)
    assert not missed(expected, found), f"evaluate={evaluate}"
    counts["compared"] += 1
    counts["narrowed"] += any(one.narrowings for one in plan.sets)
    counts["evaluated"] += any(one.plan_node is not None for one in plan.sets)
    lineage, returned = sizes(oracle, expected, found)
    counts["rows of the lineage"] += lineage
    counts["rows returned"] += returned
