"""Traces of pipelines that never ran through predtrace: run again over less, on either engine."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions import udf
from tests.spark.stored_pipelines import sales
from tests.spark.test_duckdb_traces import assert_same, plain

from predtrace import Lineage, Pipeline, capture
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
    rows = ["shop = 'nowhere'", {"shop": "nowhere", "most": 1.0, "n": 1}]
    for engine, row in product(("auto", "spark"), rows):
        with pytest.raises(NoSuchRow, match="no output row satisfies"):
            pipeline.trace(row, engine=engine)  # type: ignore[arg-type]


def test_a_whole_row(pipeline: Pipeline) -> None:
    """Its values are known, so only whether it is there has to be found out."""
    for row in pipeline.captured.dataframe.collect():
        assert_same(pipeline.trace(row), pipeline.trace(row, engine="spark"))
        other = {**row.asDict(), "n": row.n + 1}
        with pytest.raises(NoSuchRow):
            pipeline.trace(other)
    several = pipeline.captured.dataframe.collect()
    assert_same(pipeline.trace(several), pipeline.trace("true", engine="spark"))


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


GUARDED = {
    "division": ("select id, 12 div n as q from {sales} where n <> 0", "q = 6L"),
    "group": ("select 12 div n as q, count(*) as c from {sales} where n <> 0 group by 1", "q = 6L"),
    "cast": ("select id, cast(shop as int) as q from {sales} where shop rlike '^[0-9]+$'", "q = 7"),
}


@pytest.mark.parametrize("name", sorted(GUARDED))
def test_what_may_fail_is_asked_of_no_row_that_the_pipeline_does_not_ask(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    rows = [(1, "7", 2), (2, "x", 0), (3, "8", 3), (4, "", 0), (5, "7", 2)]
    spark.createDataFrame(rows, "id int, shop string, n int").write.parquet(str(tmp_path / "guarded"))
    query, condition = GUARDED[name]
    frame = spark.sql(query, sales=spark.read.parquet(str(tmp_path / "guarded")))
    pipeline = capture(frame)
    assert frame.filter(condition).count(), "Spark itself does not fail on this"
    for engine in ("auto", "spark"):
        assert ids(pipeline.trace(condition, engine=engine)) == {1, 5}
    pipeline.run(store=str(tmp_path / "store"))
    for engine in ("auto", "spark"):
        assert ids(pipeline.trace(condition, engine=engine)) == {1, 5}


def ids(lineage: Lineage) -> set[int]:
    return {row["id"] for row in lineage.references[0].to_arrow().to_pylist()}


def scored(spark: SparkSession, score: Callable[[int], int]) -> Pipeline:
    """A pipeline with a function that has the same name in all of them."""
    function = udf(score, "int")
    return capture(spark.range(12).select("id", function(F.col("id") % 4).alias("n")))


def test_functions_of_one_name_are_told_apart(spark: SparkSession) -> None:
    first, second = scored(spark, lambda x: x * 51), scored(spark, lambda x: 102 if x >= 2 else 0)
    of_first = first.trace("n = 102")
    of_second = second.trace("n = 102")
    assert (of_first.counts(), of_second.counts()) == ({"range": 3}, {"range": 6})


def test_a_trace_is_nothing_that_the_user_observes(spark: SparkSession, tmp_path: Path) -> None:
    observation = Observation()
    observed = sales(spark, tmp_path).observe(observation, F.count(F.lit(1)).alias("rows"))
    frame = observed.groupBy("shop").count()
    assert capture(frame).trace("shop = 'a'").counts() == {"sales": 4}
    frame.collect()
    assert observation.get == {"rows": 12}


def test_all_operators_of_a_plan_node_are_cut_down_alike(spark: SparkSession) -> None:
    """A window is kept under the lookup of its own columns, and the projection above it asks for more."""
    spark.createDataFrame([(0, None), (3, 1)], "i int, m int").createOrReplaceTempView("t0")
    spark.createDataFrame([(0, 2), (3, 2), (0, 1), (1, 1)], "i int, b int").createOrReplaceTempView("t1")
    query = (
        "select a.i, nth_value(a.m, 1) over (order by a.m desc nulls first, a.i desc, b.i desc, b.b) as c"
        " from t0 a right join t1 b on a.i = b.i"
    )
    pipeline, other = capture(spark.sql(query)), capture(spark.sql(query))
    rows = other.run().distinct().collect()
    assert len(rows) == 3
    for row in rows:
        found, expected = pipeline.trace(row), other.trace(row)
        for one, same in zip(found.references, expected.references, strict=True):
            assert plain(one.to_arrow()) == plain(same.to_arrow())


def test_spark_skips_partitions_by_what_the_condition_fixes(spark: SparkSession, tmp_path: Path) -> None:
    """The day is a value of the target, and through the lookup of the needed semi join one of its rows too."""
    rows = [(n, n % 3, n % 2) for n in range(12)]
    path = str(tmp_path / "days")
    spark.createDataFrame(rows, "id int, day int, k int").write.partitionBy("day").parquet(path)
    query = (
        "select day, count(*) as n from {d} a where exists (select 1 from {d} b where b.k = a.k) group by day"
    )
    pipeline = capture(spark.sql(query, d=spark.read.parquet(path)))
    pipeline.run()
    found = pipeline.trace("day = 1", engine="spark").references[0].to_spark()
    assert sorted(row.id for row in found.collect()) == [1, 4, 7, 10]
    plan = found._jdf.queryExecution().executedPlan().toString()
    assert re.search(r"PartitionFilters: \[\(day#\d+ <=> 1\)\]", plan), plan
