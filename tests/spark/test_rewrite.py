"""Rebuilding Spark's plans: the same rows with every leaf exchanged, and one number for each reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType

from predtrace.errors import PlanIntegrityError, UnsupportedOperator
from predtrace.frontends.spark.leaves import Output, dataframe_of, empty_like, with_output_of
from predtrace.frontends.spark.rewrite import PlanTree, inline_ctes, replace_leaves

SQL = {
    "exists": "SELECT a FROM t WHERE EXISTS (SELECT * FROM s WHERE s.k = t.k AND s.x > 1)",
    "not exists": "SELECT a FROM t WHERE NOT EXISTS (SELECT * FROM s WHERE s.k = t.k)",
    "not in": "SELECT a FROM t WHERE k NOT IN (SELECT k FROM s WHERE x = 3)",
    "under or": "SELECT a FROM t WHERE a = 1 OR k IN (SELECT k FROM s)"
    " OR EXISTS (SELECT 1 FROM s WHERE x > 9)",
    "scalar in select": "SELECT a, (SELECT max(x) FROM s WHERE s.k = t.k) AS m FROM t",
    "scalar in where": "SELECT a FROM t WHERE a > (SELECT avg(x) FROM s)",
    "nested": "SELECT a FROM t WHERE k IN (SELECT k FROM s"
    " WHERE x > (SELECT min(x) FROM s AS s2 WHERE s2.k = s.k))",
    "having": "SELECT k, sum(a) FROM t GROUP BY k HAVING sum(a) > (SELECT min(x) FROM s)",
    "join condition": "SELECT t.a, s.x FROM t JOIN s ON t.k = s.k AND s.x > (SELECT min(x) FROM s)",
    "order by": "SELECT a FROM t ORDER BY a % (SELECT max(x) FROM s), a",
    "case": "SELECT CASE WHEN EXISTS (SELECT 1 FROM s WHERE s.k = t.k) THEN 1 ELSE 0 END AS f FROM t",
    "in aggregate": "SELECT sum(CASE WHEN k IN (SELECT k FROM s) THEN a END) AS f FROM t",
    "group by subquery": "SELECT (SELECT max(x) FROM s WHERE s.k = t.k) m, count(*) c FROM t GROUP BY 1",
    "lateral": "SELECT a, y FROM t, LATERAL (SELECT sum(x) AS y FROM s WHERE s.k = t.k)",
    "left lateral": "SELECT a, y FROM t LEFT JOIN LATERAL (SELECT x AS y FROM s WHERE s.k = t.k) ON y > 1",
    "window": "SELECT a, sum(a) OVER (PARTITION BY k ORDER BY a) + (SELECT max(x) FROM s) AS w FROM t",
    "nested cte twice": "WITH c AS (SELECT * FROM t), d AS (SELECT c.k FROM c JOIN c AS e ON c.k = e.k)"
    " SELECT * FROM d UNION ALL SELECT k FROM d WHERE k IN (SELECT k FROM c)",
    "rollup": "SELECT k, count(*) FROM t GROUP BY ROLLUP (k)",
    "set operations": "(SELECT k FROM t INTERSECT SELECT k FROM s)"
    " UNION (SELECT k FROM t EXCEPT SELECT k FROM s)",
    "recursive": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r JOIN t ON a = n)"
    " SELECT * FROM r",
    "no source": "SELECT 1 AS one",
}


@pytest.fixture(autouse=True, scope="module")
def views(spark: SparkSession) -> Iterator[None]:
    rows = [(1, 10), (2, 10), (3, 20), (4, None), (4, None)]
    spark.createDataFrame(rows, "a int, k int").createOrReplaceTempView("t")
    spark.createDataFrame([(10, 1), (10, 2), (20, 3), (None, 4)], "k int, x int").createOrReplaceTempView("s")
    yield
    spark.catalog.dropTempView("t")
    spark.catalog.dropTempView("s")


def analyzed(df: DataFrame) -> Any:
    execution: Any = df._jdf.queryExecution()
    return inline_ctes(df.sparkSession, execution.analyzed())


def with_fresh_leaves(df: DataFrame) -> DataFrame:
    """The same program over new instances of its leaves, whose attributes all have other ids."""
    plan = replace_leaves(analyzed(df), lambda leaf, index: with_output_of(Output(leaf), leaf.newInstance()))
    return dataframe_of(df.sparkSession, plan)


def bag(df: DataFrame) -> Counter[str]:
    return Counter(map(repr, df.collect()))


def sources(df: DataFrame) -> list[str]:
    """The first column of each reference, which tells the views t (a) and s (k) apart."""
    references = PlanTree.of(analyzed(df)).references()
    assert list(references) == sorted(references) == list(range(len(references)))
    return [leaf.output().apply(0).name() for leaf in references.values()]


@pytest.mark.parametrize("text", SQL.values(), ids=SQL)
def test_exchanged_leaves_keep_the_result(spark: SparkSession, text: str) -> None:
    df = spark.sql(text)
    rebuilt = with_fresh_leaves(df)
    assert bag(rebuilt) == bag(df) != Counter()
    assert rebuilt.schema.simpleString() == df.schema.simpleString()


@pytest.mark.parametrize("text", [text for name, text in SQL.items() if name != "no source"])
def test_a_plan_over_empty_leaves_reads_no_source(spark: SparkSession, text: str) -> None:
    plan = replace_leaves(analyzed(spark.sql(text)), lambda leaf, index: empty_like(leaf))
    leaves = [leaf.getClass().getSimpleName() for leaf in PlanTree.of(plan).references().values()]
    assert set(leaves) == {"LocalRelation"}


def test_keeping_every_leaf_gives_the_plan_itself(spark: SparkSession) -> None:
    plan = analyzed(spark.sql(SQL["nested"]))
    assert replace_leaves(plan, lambda leaf, index: None) is plan


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scalar in select", "a k"),
        ("nested", "a k k"),
        ("under or", "a k k"),
        ("join condition", "a k k"),
        ("lateral", "a k"),
        ("nested cte twice", "a a a a a"),
        ("group by subquery", "a k"),
        ("recursive", "a"),
        ("no source", ""),
    ],
)
def test_numbers_count_children_before_subqueries(spark: SparkSession, name: str, expected: str) -> None:
    assert " ".join(sources(spark.sql(SQL[name]))) == expected


def test_a_subquery_copied_into_the_grouping_keys_is_one_reference(spark: SparkSession) -> None:
    asked: list[int] = []

    def record(leaf: Any, index: int) -> None:
        asked.append(index)

    replace_leaves(analyzed(spark.sql(SQL["group by subquery"])), record)
    assert asked == [0, 1, 1]
    written_twice = "SELECT {0} m, count(*) FROM t GROUP BY {0}".format(
        "(SELECT max(x) FROM s WHERE s.k = t.k)",
    )
    asked.clear()
    replace_leaves(analyzed(spark.sql(written_twice)), record)
    assert asked == [0, 1, 1]
    no_keys = spark.sql("SELECT sum(a) + (SELECT max(x) FROM s), (SELECT max(x) FROM s) FROM t")
    assert sources(no_keys) == ["a", "k", "k"]


def test_two_equal_subqueries_of_one_filter_are_two_references(spark: SparkSession) -> None:
    df = spark.sql("SELECT a FROM t WHERE a < (SELECT max(x) FROM s) OR a < (SELECT max(x) FROM s)")
    assert sources(df) == ["a", "k", "k"]

    def without(*emptied: int) -> DataFrame:
        def empty(leaf: Any, index: int) -> Any:
            return empty_like(leaf) if index in emptied else None

        return dataframe_of(spark, replace_leaves(analyzed(df), empty))

    assert bag(without(1)) == bag(without(2)) == bag(df) != Counter()
    assert without(1, 2).collect() == []


def test_the_two_references_of_a_self_union_are_cut_down_apart(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1,), (2,)], "v int")
    plan = analyzed(frame.union(frame))
    first = replace_leaves(plan, lambda leaf, index: None if index == 0 else empty_like(leaf))
    assert [row.v for row in dataframe_of(spark, first).collect()] == [1, 2]
    other = analyzed(frame.where("v = 2"))
    second = replace_leaves(plan, lambda leaf, index: with_output_of(Output(leaf), other) if index else None)
    assert sorted(row.v for row in dataframe_of(spark, second).collect()) == [1, 2, 2]


def grouped_map(spark: SparkSession) -> DataFrame:
    def total(rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"k": rows["k"][:1], "total": [rows["a"].sum()]})

    return spark.table("t").where("k is not null").groupBy("k").applyInPandas(total, "k int, total long")


def map_in_pandas(spark: SparkSession) -> DataFrame:
    def double(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield pd.DataFrame({"b": batch["a"] * 2})

    return spark.table("t").mapInPandas(double, "b int")


def python_udf(spark: SparkSession) -> DataFrame:
    add_one = F.udf(lambda value: value + 1, IntegerType())
    return spark.table("t").withColumn("b", add_one("a")).where(F.col("b") > 2)


def cached(spark: SparkSession) -> DataFrame:
    frame = spark.table("t").where("a > 1").cache()
    frame.count()
    return frame.groupBy("k").count()


def from_pandas(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(pd.DataFrame({"p": [1, 2], "q": ["x", None]})).where("p > 1")


def self_join(spark: SparkSession) -> DataFrame:
    t = spark.table("t")
    return (
        t.alias("l").join(t.alias("r"), F.col("l.k") == F.col("r.k")).select("l.a", F.col("r.a").alias("b"))
    )


def ranges(spark: SparkSession) -> DataFrame:
    return spark.range(5).crossJoin(spark.range(2).withColumnRenamed("id", "other"))


def pivot(spark: SparkSession) -> DataFrame:
    return spark.table("t").groupBy("a").pivot("k", [10, 20]).count()


def checkpointed(spark: SparkSession) -> DataFrame:
    return spark.table("t").where("a > 1").localCheckpoint().dropDuplicates(["k"]).select("k")


PROGRAMS = (
    grouped_map, map_in_pandas, python_udf, cached, from_pandas, self_join, ranges, pivot, checkpointed
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs_keep_their_result(
    spark: SparkSession, program: Callable[[SparkSession], DataFrame]
) -> None:
    df = program(spark)
    assert bag(with_fresh_leaves(df)) == bag(df) != Counter()
    spark.catalog.clearCache()


@pytest.mark.parametrize("form", ["parquet", "csv", "json", "orc"])
def test_file_sources_keep_their_result(spark: SparkSession, tmp_path: Path, form: str) -> None:
    path = str(tmp_path / "data")
    spark.table("s").write.format(form).save(path)
    df = spark.read.schema("k int, x int").format(form).load(path).where("x > 1")
    assert bag(with_fresh_leaves(df)) == bag(df) != Counter()


def test_metadata_columns_go_on_working(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "data")
    spark.table("s").coalesce(1).write.parquet(path)
    df = spark.read.parquet(path).select("x", "_metadata.row_index")
    cut_down = analyzed(spark.read.parquet(path).where("x = 3"))
    plan = replace_leaves(analyzed(df), lambda leaf, index: with_output_of(Output(leaf), cut_down))
    assert [tuple(row) for row in dataframe_of(spark, plan).collect()] == [(3, 2)]
    in_memory = analyzed(spark.table("s"))
    with pytest.raises(UnsupportedOperator, match="_metadata"):
        replace_leaves(analyzed(df), lambda leaf, index: with_output_of(Output(leaf), in_memory))


def test_a_replacement_with_other_columns_is_refused(spark: SparkSession) -> None:
    plan = analyzed(spark.table("t"))
    for schema in ("a int, k string", "a int, k int, more int"):
        other = analyzed(spark.createDataFrame([], schema))
        with pytest.raises(PlanIntegrityError, match="columns"):
            with_output_of(Output(plan.collectLeaves().apply(0)), other)


def test_a_plan_with_its_ctes_is_refused(spark: SparkSession) -> None:
    execution: Any = spark.sql("WITH c AS (SELECT * FROM t) SELECT * FROM c")._jdf.queryExecution()
    with pytest.raises(PlanIntegrityError, match="CTE"):
        PlanTree.of(execution.analyzed())
