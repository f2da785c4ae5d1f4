"""One test per bug that was found, named after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from tests.properties.settings import configured
from tests.spark.oracle import Oracle

import predtrace
from predtrace.ir.operators import Join, walk_operators
from predtrace.reference.reexecution import Outcome, Reexecution, skip_reasons


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


def assert_same_lineage(frame: DataFrame) -> Oracle:
    """Spark's rows, and the same lineage as written and decorrelated."""
    oracle = Oracle(frame)
    written = oracle.tracked(oracle.captured.written)
    assert written.rows == oracle.spark_rows()
    assert oracle.tracked(oracle.captured.operators).lineage == written.lineage
    return oracle


def assert_consistent(frame: DataFrame) -> Oracle:
    """The same lineage both ways, and every row back from its lineage."""
    oracle = assert_same_lineage(frame)
    written = oracle.tracked(oracle.captured.written)
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


def test_a_frame_with_a_subquery_united_with_itself_can_be_reexecuted(tables: SparkSession) -> None:
    # The subquery has one expression id in both branches, so Spark ran one branch's plan of it for both.
    with configured(tables, {"spark.sql.adaptive.enabled": "true"}):  # as users have it: it goes by the ids
        large = tables.sql("select id from t1 where v > (select min(v) from t2)")
        assert_consistent(large.selectExpr("id", "1 as branch").union(large.selectExpr("id", "2 as branch")))


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
        assert_same_lineage(frame)


def test_a_window_inside_a_correlated_subquery(tables: SparkSession) -> None:
    for function in ("max(v) over (partition by k)", "count(*) over (order by id)"):
        query = f"(select {function} from t2 where t2.k = t1.k)"
        assert_same_lineage(tables.sql(f"select id from t1 where v in {query} or id in {query}"))


def test_a_map_under_a_limit_is_refused_clearly(spark: SparkSession) -> None:
    spark.sql("select 1 as id, map('a', 1) as m").createOrReplaceTempView("maps")
    frame = spark.sql("select id, m from maps order by id limit 1")
    with pytest.raises(predtrace.PredtraceError, match=r"cannot run TopK.*What to do"):
        predtrace.capture(frame).trace("id = 1")


@pytest.mark.parametrize(
    "value",
    [
        "coalesce(max(v), (select max(v) from t1))",
        "count(*) + (select count(*) from t1 where k = 'b')",
        "if(count(*) between 1 and (select max(v) from t1), 1, 0)",
    ],
)
def test_a_subquery_that_catalyst_copies_keeps_its_lineage(tables: SparkSession, value: str) -> None:
    # For rows without a partner Catalyst evaluates the subquery's SELECT list a second time, outside of it.
    assert_same_lineage(tables.sql(f"select id, (select {value} from t2 where t2.k = t1.k) as x from t1"))


@pytest.mark.parametrize(
    "query",
    [
        "select id, (select count(*) from t2 where t2.v < t1.v) as n from t1",
        "select t1.id, x.v from t1, lateral (select max(v) as v from t2 where t2.v < t1.v) x",
        "select id, (select count(*) from t2 where t2.v < t1.v) as n from t1 where v in (select v from t2)",
        "select id from t1 where exists (select count(*) from t2 where t2.k = t1.k having count(*) > 1)",
    ],
)
def test_the_domain_of_a_subquery_is_no_reference(tables: SparkSession, query: str) -> None:
    assert_same_lineage(tables.sql(query))


def test_a_subquery_inside_a_generator(tables: SparkSession) -> None:
    array = "array(v, (select max(v) from t2))"
    assert_same_lineage(tables.sql(f"select id, x from t1 lateral view explode({array}) as x"))


def test_a_subquery_inside_between_is_joined_once(tables: SparkSession) -> None:
    frame = tables.sql("select id from t1 where (select max(v) from t2) between v and 9")
    oracle = assert_same_lineage(frame)
    joins = [o for o in walk_operators(oracle.captured.operators) if isinstance(o, Join)]
    assert len(joins) == 1


def test_exists_with_the_condition_of_a_not_in_matches_unknown_rows(tables: SparkSession) -> None:
    # Spark makes `(a = b) OR ((a = b) IS NULL)` of a NOT IN; here somebody wrote it.
    exists = "exists (select 1 from t2 where (t2.v = t1.v) or (t2.v = t1.v) is null)"
    frame = tables.sql(f"select id, {exists} as e, v not in (select v from t2) as n from t1")
    assert_same_lineage(frame)
    assert ids(predtrace.capture(frame).trace("id = 5"), "t2") == [10, 20, 30, 40]


def test_reexecution_skips_not_in_as_a_value_only(tables: SparkSession) -> None:
    def reasons(query: str) -> list[str]:
        return skip_reasons(tables.sql(query))

    unknown = ["a NOT IN as a value, where comparisons may be unknown"]
    for value in ("v not in (select v from t2)", "not (v in (select v from t2) or k = 'a')"):
        frame = tables.sql(f"select id, {value} as x from t1")
        oracle = Oracle(frame)
        written = oracle.tracked(oracle.captured.written)
        check = Reexecution(frame)
        # NULL NOT IN (...) is false, but from an empty lineage it is true.
        verdict = check.check((5, False), oracle.claimed(written.lineage[5, False]))
        assert verdict.outcome is Outcome.SKIPPED
        assert list(verdict.reasons) == unknown
        assert check.check((1, False), oracle.claimed(written.lineage[1, False])).reproduced
    assert reasons("select if((v in (select v from t2)) = false, 1, 2) from t1") == unknown
    assert reasons("select id, not (v not in (select v from t2)) from t1") == []
    assert reasons("select id, v in (select v from t2) from t1") == []
    assert reasons("select id from t1 where k = 'a' or v not in (select v from t2)") == []
    assert reasons("select v not in (select 1) from (select coalesce(v, 0) as v from t1)") == []


def test_in_may_look_for_the_value_of_a_subquery(tables: SparkSession) -> None:
    for test in ("in", "not in"):
        value = f"(select max(v) from t2 where t2.k = t1.k) {test} (select v from t1)"
        assert_same_lineage(tables.sql(f"select id from t1 where {value} or id = 3"))


def test_a_filter_on_a_projected_not_in_meets_it_where_spark_does(tables: SparkSession) -> None:
    flagged = "select id, v not in (select v from t2) as f from t1"
    assert_same_lineage(tables.sql(f"select id from ({flagged}) where not f"))


def test_unpivot_beside_columns_that_are_carried_along(tables: SparkSession) -> None:
    """Spark's pruning lost them below an explode of a join with a group."""
    assert_same_lineage(
        tables.sql(
            "select k, n, v from (select y.v as k, y.v as a, 2 as b from (select k, max(v) as m from t1 group by k) x"
            " join t2 y on x.m <=> y.v) unpivot include nulls (v for n in (a, b))"
        )
    )
