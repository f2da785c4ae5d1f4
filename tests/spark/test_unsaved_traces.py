"""Traces of pipelines that never ran through predtrace: run again over less, on either engine."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from tests.spark.stored_pipelines import sales
from tests.spark.test_duckdb_traces import assert_same

from predtrace import Pipeline, capture
from predtrace.errors import InputError, NoSuchRow, SourceProblem

QUERY = """
    select s.shop, max(s.price) as most, count(*) as n from {sales} s
    where exists (select 1 from {sales} o where o.n = s.n and o.id <> s.id) group by s.shop
"""


@pytest.fixture
def pipeline(spark: SparkSession, tmp_path: Path) -> Pipeline:
    return capture(spark.sql(QUERY, sales=sales(spark, tmp_path)))


@pytest.mark.parametrize(
    "condition",
    ["shop = 'a'", "shop in ('a', 'b')", "n > 0", "shop = 'a' and most > 0", {"shop": "b"}, "true"],
    ids=str,
)
def test_both_engines_find_what_a_run_finds(pipeline: Pipeline, condition: object) -> None:
    of_duckdb = pipeline.trace(condition)  # type: ignore[arg-type]
    of_spark = pipeline.trace(condition, engine="spark")  # type: ignore[arg-type]
    assert_same(of_duckdb, of_spark)
    pipeline.run()
    assert pipeline.trace(condition).counts() == of_duckdb.counts()  # type: ignore[arg-type]


def test_what_ran_is_told(pipeline: Pipeline) -> None:
    told = pipeline.trace("shop = 'a'").explain()
    assert "the pipeline was run again, sales cut down to what the rows need" in told
    assert "needed_1, the SemiJoin of sales: looked up there" in told
    assert "run again, over every row" in pipeline.trace("n > 0").explain()


def test_the_run_reads_less(spark: SparkSession, tmp_path: Path) -> None:
    """Rows that cannot matter to the target do not reach the pipeline's operators: these would fail."""
    query = "select shop, count(*) as n, max(1 div (id - 2)) as m from {sales} group by shop"
    frame = spark.sql(query, sales=sales(spark, tmp_path))
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        frame.collect()
    assert capture(frame).trace("shop = 'a'").counts() == {"sales": 4}
    with pytest.raises(SourceProblem, match="DIVIDE_BY_ZERO"):
        capture(frame).trace("shop = 'c'")


def test_nothing_is_left_behind(pipeline: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "temporary"
    own.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    lineage = pipeline.trace("shop = 'a'")
    assert lineage.engine == "duckdb"
    assert not list(own.iterdir())
    assert lineage.counts()["sales"] > 0, "the sources are read later"


def test_a_row_that_is_not_there(pipeline: Pipeline) -> None:
    for engine in ("auto", "spark"):
        with pytest.raises(NoSuchRow, match="no output row satisfies"):
            pipeline.trace("shop = 'nowhere'", engine=engine)


def other_format(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.sql(QUERY, sales=sales(spark, folder, "csv"))


def test_other_formats_are_left_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = capture(other_format(spark, tmp_path))
    assert pipeline.trace("shop = 'a'").engine == "spark"
    with pytest.raises(InputError, match="DuckDB cannot answer this as Spark would"):
        pipeline.trace("shop = 'a'", engine="duckdb")


@pytest.mark.parametrize("exact", [True, False])
def test_a_source_that_is_gone(spark: SparkSession, tmp_path: Path, exact: bool) -> None:
    pipeline = capture(spark.sql(QUERY, sales=sales(spark, tmp_path)))
    shutil.rmtree(tmp_path / "sales.parquet")
    with pytest.raises(SourceProblem, match="that the sources are still there"):
        pipeline.trace("shop = 'a'", exact=exact).counts()
