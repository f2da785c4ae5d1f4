"""Whole traces on DuckDB give the rows that they give on Spark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import predtrace
from predtrace.engines.duckdb import DuckEngine, why_not
from predtrace.frontends.sql import target_condition
from predtrace.ir.spark_sql import column_name
from predtrace.trace.evaluation import Evaluation

QUERIES = Path(__file__).parents[1] / "data" / "tpch"


@pytest.mark.parametrize("name", ["q02", "q04", "q13", "q16", "q18", "q21"])
def test_traces_of_tpch(tpch: SparkSession, tmp_path: Path, name: str) -> None:
    pipeline = predtrace.capture(tpch.sql((QUERIES / f"{name}.sql").read_text(encoding="utf-8")))
    output = pipeline.run()
    plan, descriptors = pipeline.plan, pipeline.captured.descriptors
    assert why_not(plan, descriptors, ansi=True) is None
    saved = {node: _files(rows, tmp_path / f"node {node}") for node, rows in pipeline._saved.items()}
    written = _files(output.toDF(*map(column_name, plan.target)), tmp_path / "output")
    row = output.collect()[0]
    engine = DuckEngine(descriptors, saved)
    named = [replace(column, name=name) for column, name in zip(plan.target, output.columns, strict=True)]
    evaluation = Evaluation(plan, engine, engine.rows(written, plan.target, target_condition(named, row)))
    lineage = pipeline.trace(row)
    assert lineage.exact
    for source in lineage.sources:
        references = [number for number, descriptor in descriptors.items() if descriptor.name == source]
        expected = lineage[source].to_arrow()
        found = evaluation.lineage(references).to_arrow().rename_columns(expected.column_names)
        assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, expected.to_pylist()))
    engine.close()


def _files(rows: DataFrame, folder: Path) -> list[str]:
    rows.write.parquet(str(folder))
    return [str(path) for path in folder.glob("*.parquet")]
