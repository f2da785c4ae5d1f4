"""Aggregates written in Python: where it was proved that one row's value is returned, its row; else the group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas import functions as pandas_functions
from tests.properties.traces import Judge
from tests.spark.oracle import Oracle

from predtrace import capture

Aggregate = Callable[..., Any]


@pytest.fixture(scope="module")
def prices(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = str(tmp_path_factory.mktemp("prices") / "prices")
    rows = [
        (1, "a", 10, 1),
        (2, "a", 30, 2),
        (3, "a", 20, 3),
        (4, "a", 30, 0),
        (5, "b", None, 1),
        (6, "b", 7, 2),
        (7, "c", None, 1),
    ]
    spark.createDataFrame(rows, "id int, shop string, price int, day int").coalesce(1).write.parquet(path)
    return spark.read.parquet(path)


def largest(price: pd.Series) -> int:
    return price.max()  # type: ignore[no-any-return]


def latest(price: pd.Series, day: pd.Series) -> int:
    return price.loc[day.idxmax()]  # type: ignore[no-any-return]


def first(price: pd.Series) -> int:
    """Named like one of Spark's, and none of them."""
    return price.fillna(0).sum()  # type: ignore[no-any-return]


CASES: list[tuple[Aggregate, list[str], bool, dict[str, list[int]]]] = [
    (largest, ["price"], True, {"a": [2, 4], "b": [6], "c": [7]}),
    (latest, ["price", "day"], False, {"a": [3], "b": [6], "c": [7]}),
    (first, ["price"], True, {"a": [1, 2, 3, 4], "b": [5, 6], "c": [7]}),
]


@pytest.mark.parametrize(
    ("function", "columns", "stable", "expected"), CASES, ids=lambda c: getattr(c, "__name__", "")
)
def test_the_rows_that_count(
    prices: DataFrame, function: Aggregate, columns: list[str], stable: bool, expected: dict[str, list[int]]
) -> None:
    pandas_udf: Any = pandas_functions.pandas_udf
    result = pandas_udf(function, "int")(*columns)
    frame = prices.groupBy("shop").agg(result.alias("result"))
    judge = Judge(Oracle(frame))
    pipeline = capture(frame)
    before = pipeline.trace("shop = 'a'")
    assert before.exact is stable
    judge.check_run(pipeline)
    for key in judge.output:
        judge.check_trace(pipeline, [key])
    for shop, ids in expected.items():
        lineage = pipeline.trace(f"shop = '{shop}'")
        assert lineage.exact
        assert sorted(row.id for row in lineage[pipeline.sources[0]].to_spark().collect()) == ids
        wider = pipeline.trace({"shop": shop}, exact=False)[pipeline.sources[0]].to_spark()
        assert {row.id for row in wider.collect()} >= set(ids)
