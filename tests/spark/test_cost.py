"""Quotes through the public interface: every file with lineage rows is counted, and no job is started."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from predtrace import Pipeline, capture
from predtrace.errors import InputError

_ROWS = """select cast(id as int) as id, cast(id % 4 as int) as day, concat('s/', id % 3) as shop,
    if(id % 10 = 0, null, cast(id as double)) as price from range(600)"""


@pytest.fixture
def sales(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Rows in folders by day and shop; 2 files in each, with ids of their own."""
    rows = spark.sql(_ROWS).repartitionByRange(2, "id")
    rows.write.partitionBy("day", "shop").parquet(str(tmp_path / "sales"))
    return spark.read.parquet(str(tmp_path / "sales"))


def per_shop(spark: SparkSession, sales: DataFrame) -> Pipeline:
    query = "select day, shop, sum(price) as total from {sales} where id >= 300 group by day, shop"
    return capture(spark.sql(query, sales=sales))


def test_a_quote_says_what_is_left(spark: SparkSession, sales: DataFrame) -> None:
    pipeline = per_shop(spark, sales)
    # The pipeline's own condition leaves one of the two files of each folder.
    expected = {
        "day = 1 and shop = 's/2'": 1,
        "shop = 's/2'": 4,
        "day in (1, 2)": 6,
        "total > 5": 12,
        "day = 9": 0,
    }
    for condition, files in expected.items():
        cost = pipeline.cost(condition)
        assert (cost["sales"].files, cost["sales"].files_left) == (24, files), condition
        assert cost.last is None
    assert pipeline.cost({"day": 1, "shop": "s/2"}).files_left == 1
    assert pipeline.cost("shop = 's/2'", exact=False).files_left == 4


@pytest.mark.parametrize("run", [False, True])
def test_every_file_with_lineage_rows_is_counted(spark: SparkSession, sales: DataFrame, run: bool) -> None:
    pipeline = per_shop(spark, sales)
    if run:
        pipeline.run()
    for condition in ("day = 1 and shop = 's/2'", "shop = 's/0'", "day in (0, 3)", "total > 100"):
        ids = pipeline.trace(condition)["sales"].to_pandas()["id"].tolist()
        files = sales.filter(F.col("id").isin(ids)).select("_metadata.file_path").distinct().count()
        left = pipeline.cost(condition)["sales"].files_left
        assert left is not None
        assert left >= files > 0


def test_a_quote_starts_no_job(spark: SparkSession, sales: DataFrame) -> None:
    pipeline = per_shop(spark, sales)
    before = _jobs(spark)
    assert "12 of 24 files" in str(pipeline.cost("total > 5"))
    pipeline.cost("day = 1", exact=False).show()
    assert _jobs(spark) == before
    sales.count()
    assert _jobs(spark) > before


def _jobs(spark: SparkSession) -> int:
    store = spark.sparkContext._jsc.sc().statusStore()
    return int(store.jobsList(None).size())


def test_a_source_without_lineage_is_scanned_only_if_the_pipeline_runs_again(
    spark: SparkSession, sales: DataFrame, tmp_path: Path
) -> None:
    closed = spark.createDataFrame([("s/1",)], "shop string")
    query = "select id from {sales} where not exists (select 1 from {closed} c where c.shop = sales.shop)"
    sales.createOrReplaceTempView("sales")
    closed.createOrReplaceTempView("closed")
    pipeline = capture(spark.sql(query.format(sales="sales", closed="closed")))
    assert pipeline.cost("id = 2")["closed"].scanned
    assert pipeline.cost("id = 2")["closed"].note == "in memory"
    pipeline.run(store=str(tmp_path / "runs"))
    assert not pipeline.cost("id = 2")["closed"].scanned
    assert pipeline.cost("id = 2")["sales"].files_left == 3  # by their smallest and greatest id


def test_where_rows_are_tracked_everything_is_read(spark: SparkSession, sales: DataFrame) -> None:
    pipeline = capture(sales.filter("day = 1").withColumn("luck", F.rand()))
    assert pipeline.cost("shop = 's/1'")["sales"].files_left == 24


def test_the_last_similar_trace(spark: SparkSession, sales: DataFrame) -> None:
    pipeline = per_shop(spark, sales)
    lineage = pipeline.trace("shop = 's/1' and total > 0", engine="spark")
    assert pipeline.cost("shop = 's/2'").last is None  # nothing has been read yet
    lineage.counts()
    last = pipeline.cost("shop = 's/2'").last
    assert last is not None
    assert last > 0
    lineage.counts()
    assert pipeline.cost("shop = 's/0'").last == last  # reading again does not count
    assert pipeline.cost("shop = 's/0'", engine="duckdb").last is None
    assert pipeline.cost("shop = 's/0'", exact=False).last is None
    assert pipeline.cost("day = 1 and shop = 's/0'").last is None


def test_wrong_questions(spark: SparkSession, sales: DataFrame) -> None:
    pipeline = per_shop(spark, sales)
    with pytest.raises(InputError):
        pipeline.cost("nothing = 1")
    with pytest.raises(InputError):
        pipeline.cost("day = 1", engine="abacus")
