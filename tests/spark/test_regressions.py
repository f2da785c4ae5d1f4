"""One test per bug that was found, named after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from tests.spark.oracle import Oracle

import predtrace
from predtrace.reference.reexecution import Outcome, Reexecution


@pytest.fixture
def tables(spark: SparkSession, tmp_path: Path) -> SparkSession:
    """Two small Parquet tables, t1 and t2, with NULLs and duplicates."""
    rows = {
        "t1": [(1, "a", 5), (2, "a", 3), (3, "b", 7), (4, None, 7), (5, "b", None)],
        "t2": [(10, "a", 5), (20, "a", 5), (30, "b", 1), (40, "c", 7)],
    }
    for name, values in rows.items():
        spark.createDataFrame(values, "id int, k string, v int").coalesce(1).write.parquet(
            str(tmp_path / name)
        )
        spark.read.parquet(str(tmp_path / name)).createOrReplaceTempView(name)
    return spark


def assert_consistent(frame: DataFrame) -> Oracle:
    """Spark's rows, the same lineage as written and decorrelated, and every row back from its lineage."""
    oracle = Oracle(frame)
    written = oracle.tracked(oracle.captured.written)
    assert written.rows == oracle.spark_rows()
    assert oracle.tracked(oracle.captured.operators).lineage == written.lineage
    check = Reexecution(frame)
    for key, values in written.values.items():
        verdict = check.check(values, oracle.claimed(written.lineage[key]))
        assert verdict.outcome is Outcome.REPRODUCED, str(verdict)
    return oracle


def ids(lineage: predtrace.Lineage, source: str) -> list[int]:
    return sorted(row["id"] for row in lineage[source].to_spark().collect())


def test_grouping_by_a_subquery_is_decorrelated(tables: SparkSession) -> None:
    frame = tables.sql("select (select max(v) from t2 where t2.k = t1.k) as m, count(*) from t1 group by 1")
    assert_consistent(frame)
    assert ids(predtrace.capture(frame).trace("m = 5"), "t2") == [10, 20]


def test_not_in_under_or_does_not_match_unknown_rows(tables: SparkSession) -> None:
    frame = tables.sql("select id from t1 where v > 6 or (k, v) not in (select k, v from t2)")
    assert_consistent(frame)
    # (NULL, 7) compared with ('c', 7) is unknown, not equal.
    assert ids(predtrace.capture(frame).trace("id = 4"), "t2") == []


def test_two_subqueries_over_one_table_can_be_reexecuted(tables: SparkSession) -> None:
    total = "(select sum(v) from t2 where t2.k = t1.k)"
    exists = "exists (select 1 from t2 where t2.k = t1.k)"
    assert_consistent(tables.sql(f"select id, case when {exists} then {total} else -1 end as z from t1"))


def test_metadata_columns_are_read_like_others(tables: SparkSession) -> None:
    files = tables.table("t1").inputFiles()
    frame = tables.read.parquet(*files).selectExpr(
        "id", "_metadata.row_index as at", "_metadata.file_name as f"
    )
    assert_consistent(frame)


def test_a_row_with_nan_is_found_in_memory(spark: SparkSession) -> None:
    spark.createDataFrame([(1, float("nan")), (2, 1.0)], "id int, x double").createOrReplaceTempView(
        "numbers"
    )
    assert ids(
        predtrace.capture(spark.sql("select x from numbers")).trace({"x": float("nan")}), "numbers"
    ) == [1]


def test_a_recursive_cte_is_refused(tables: SparkSession) -> None:
    frame = tables.sql(
        "with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) "
        "select n from r join t1 on n = id"
    )
    with pytest.raises(predtrace.PredtraceError, match=r"UnionLoop.*recursive CTE"):
        predtrace.capture(frame)


def test_output_columns_whose_names_differ_in_case_only_are_told_apart(tables: SparkSession) -> None:
    frame = tables.sql("select id as x, v as X from t1")
    assert ids(predtrace.capture(frame).trace({"x": 3, "X": 7}), "t1") == [3]


@pytest.mark.parametrize(
    "condition",
    [
        "not (v not in (select v from t2))",
        "not (v not in (select v from t2) and k = 'a')",
        "not (v in (select v from t2 where v is not null) or k = 'a')",
        "(v in (select v from t2)) = false",
        "not (not (v in (select v from t2)))",
    ],
)
def test_negations_above_in_mean_what_spark_makes_of_them(tables: SparkSession, condition: str) -> None:
    for frame in (
        tables.sql(f"select id from t1 where {condition}"),
        tables.sql(f"select id, {condition} as c from t1"),
    ):
        oracle = Oracle(frame)
        assert oracle.tracked(oracle.captured.written).rows == oracle.spark_rows()


def test_a_window_inside_a_correlated_subquery(tables: SparkSession) -> None:
    window = "(select max(v) over (partition by k) from t2 where t2.k = t1.k)"
    oracle = Oracle(tables.sql(f"select id from t1 where v in {window}"))
    assert oracle.tracked(oracle.captured.written).rows == oracle.spark_rows()


def test_a_map_under_a_limit_is_refused_clearly(spark: SparkSession) -> None:
    spark.sql("select 1 as id, map('a', 1) as m").createOrReplaceTempView("maps")
    frame = spark.sql("select id, m from maps order by id limit 1")
    with pytest.raises(predtrace.PredtraceError, match=r"cannot run TopK.*What to do"):
        predtrace.capture(frame).trace("id = 1")
