"""Functions over partitions that are declared to treat each row by itself: `predtrace.rowwise`."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from tests.properties.settings import configured
from tests.spark.oracle import Oracle
from tests.spark.predicates import assert_traced_exactly

import predtrace
from predtrace.errors import InputError
from predtrace.ir.operators import GroupedMap, Opaque, walk_operators

if TYPE_CHECKING:
    import pyarrow

VALUES = """
    select * from values
    (1, 9007199254740993L, double('NaN'), timestamp'2024-11-03 05:30:00.123456Z', 1.50BD, X'00FF', array(1D, null)),
    (2, 9007199254740993L, double(null), timestamp'2024-11-03 06:30:00.123456Z', 1.50BD, X'00FF', array(1D, null)),
    (2, 9007199254740993L, double(null), timestamp'2024-11-03 06:30:00.123456Z', 1.50BD, X'00FF', array(1D, null)),
    (1, 9007199254740992L, double('NaN'), timestamp'1900-01-01 00:00:00Z', 0.00BD, X'', array()),
    (1, null, double('-0.0'), null, null, null, null)
    as t(n, l, d, t, c, b, a)
"""
"""Values that pandas does not keep apart: NULL and NaN, large numbers beside a NULL, an hour that came twice."""


def repeated(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for batch in batches:
        yield batch.loc[batch.index.repeat(batch["n"])][["n"]]


@pytest.fixture
def rows(spark: SparkSession) -> Iterator[DataFrame]:
    with configured(spark, {"spark.sql.session.timeZone": "America/New_York"}):
        yield spark.sql(VALUES)


def _row_maps(frame: DataFrame) -> list[GroupedMap]:
    operators = walk_operators(predtrace.capture(frame).captured.operators)
    return [o for o in operators if isinstance(o, GroupedMap) and o.by_row]


def _traced(frame: DataFrame) -> predtrace.Pipeline:
    oracle = Oracle(frame)
    return assert_traced_exactly(oracle, oracle.tracked(oracle.captured.written).lineage)


def test_every_kind_of_value_tells_its_row(rows: DataFrame) -> None:
    def numbers(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            yield batch.select(["n", "d"])

    def in_pandas(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield batch[["d"]].assign(n=batch["n"], t=batch["t"].isna())[["n", "t"]]

    assert _traced(rows.mapInArrow(predtrace.rowwise(numbers), "n int, d double")).plan.exact
    # Spark cannot bring the repeated hour back from pandas; a function may still read it.
    assert _traced(rows.mapInPandas(predtrace.rowwise(in_pandas), "n int, t boolean")).plan.exact


def test_the_declaration_is_found_again_in_the_plan(spark: SparkSession) -> None:
    class Repeat:
        def __call__(self, batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
            yield from batches

    def of_two(batches: Iterator[pd.DataFrame], factor: int) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield batch * factor

    functions: list[Any] = [
        repeated,  # one of a module, which is not sent but imported
        lambda batches: batches,
        functools.partial(of_two, factor=2),
        Repeat(),
    ]
    numbers = spark.createDataFrame([(1,), (2,)], "n int")
    for function in functions:
        declared: Any = predtrace.rowwise(function)
        assert len(_row_maps(numbers.mapInPandas(declared, "n int"))) == 1, function
    assert not _row_maps(numbers.mapInPandas(repeated, "n int")), "the user's own function stays as it is"


def test_a_function_without_the_declaration_is_told_of_it(spark: SparkSession) -> None:
    def same(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield from batches

    numbers = spark.createDataFrame([(1,), (2,)], "n int")
    pipeline = predtrace.capture(numbers.mapInPandas(same, "n int"))
    assert any(isinstance(o, Opaque) for o in walk_operators(pipeline.captured.operators))
    assert "predtrace.rowwise" in pipeline.trace({"n": 1}).why_not_exact
    with pytest.raises(InputError, match="not <class"):
        predtrace.rowwise(DataFrame)


def test_a_row_with_a_map_is_tracked(spark: SparkSession) -> None:
    def doubled(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield batch[["n"]] * 2

    computed = spark.sql("select id as n, map(id, 'a') as m from range(3)")
    in_source = spark.createDataFrame([(n, {n: "a"}) for n in range(3)], "n bigint, m map<bigint, string>")
    for rows, method in ((computed, "predicates"), (in_source, "tracking")):
        pipeline = predtrace.capture(rows.mapInPandas(predtrace.rowwise(doubled), "n bigint"))
        for _ in range(2):
            lineage = pipeline.trace({"n": 4})
            assert (lineage.exact, lineage.method) == (True, method)
            assert list(lineage.counts().values()) == [1]
            assert sorted(row.n for row in pipeline.run().collect()) == [0, 2, 4]


def test_declared_functions_in_a_store(spark: SparkSession, tmp_path: Path) -> None:
    def halves(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield pd.DataFrame({"half": batch["n"] // 2})

    spark.range(10).toDF("n").write.parquet(str(tmp_path / "numbers"))
    numbers = spark.read.parquet(str(tmp_path / "numbers"))
    pipeline = predtrace.capture(
        numbers.mapInPandas(predtrace.rowwise(halves), "half bigint").groupBy("half").count()
    )
    pipeline.run(store=str(tmp_path / "run"))
    lineage = predtrace.open(str(tmp_path / "run")).trace({"half": 3})
    assert (lineage.exact, lineage.engine) == (True, "duckdb")
    assert sorted(lineage["numbers"].to_pandas()["n"]) == [6, 7]
    superset = pipeline.trace({"half": 3}, exact=False)
    assert set(superset["numbers"].to_pandas()["n"]) >= {6, 7}


@pytest.mark.parametrize("size", [10, 2_000_000])
def test_functions_with_broadcasts_and_large_ones(spark: SparkSession, size: int) -> None:
    """Spark sends a function of more than a megabyte by a broadcast of its own."""
    names = spark.sparkContext.broadcast({1: "one", 2: "two"})
    padding = "x" * size

    def named(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield pd.DataFrame({"name": batch["n"].map(names.value), "size": len(padding)})

    numbers = spark.createDataFrame([(1,), (2,), (1,)], "n int")
    by_row = numbers.mapInPandas(predtrace.rowwise(named), "name string, size int")
    assert _traced(by_row).plan.exact

    def largest(group: Any) -> Any:
        return pd.DataFrame({"name": [names.value[group["n"].max()]], "size": len(padding)})

    assert _traced(numbers.groupBy("n").applyInPandas(largest, "name string, size int")).plan.exact
