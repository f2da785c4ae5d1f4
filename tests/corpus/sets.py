"""UNION, UNION ALL, unionByName, INTERSECT (ALL), EXCEPT (ALL)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

sql_pipeline(
    "union_all",
    "SELECT k, v FROM t1 UNION ALL SELECT k, v FROM t2",
    covers=("union_all", "note_equal_rows", "note_null_group"),
    expected=[
        ({"k": "a", "v": 10}, {"t1": {1}, "t2": {1}}),
        ({"k": None, "v": 40}, {"t1": {6}, "t2": {5}}),  # NULL equals NULL between the branches
        ({"k": "a", "v": 20}, {"t1": {2}}),
    ],
)
sql_pipeline(
    "union_distinct",
    "SELECT k FROM t1 UNION SELECT k FROM t2",
    covers=("distinct", "union_all"),
    expected=[({"k": "b"}, {"t1": {3, 4}, "t2": {3, 7}}), ({"k": None}, {"t1": {6, 8}, "t2": {5}})],
    expected_rows=6,
)
sql_pipeline(
    "union_all_tagged",
    "SELECT 't1' AS src, k FROM t1 UNION ALL SELECT 't2', k FROM t2",
    covers=("union_all",),
    # The tag keeps the branches apart.
    expected=[({"src": "t1", "k": "a"}, {"t1": {1, 2}}), ({"src": "t2", "k": None}, {"t2": {5}})],
)
sql_pipeline(
    "union_all_of_one_table",
    "SELECT k FROM t1 WHERE v >= 20 UNION ALL SELECT k FROM t1 WHERE v <= 20",
    covers=("union_all", "note_references"),
    expected=[({"k": "a"}, {"t1": {1, 2}}), ({"k": None}, {"t1": {6, 8}}), ({"k": "b"}, {"t1": {3}})],
)
sql_pipeline(
    "union_all_with_empty",
    "SELECT id, k, v FROM nothing UNION ALL SELECT id, k, v FROM t1",
    covers=("union_all", "empty_input"),
    expected=[({"id": 7}, {"t1": {7}})],
)
sql_pipeline(
    "union_all_widened",
    "SELECT v FROM t1 UNION ALL SELECT price FROM items UNION ALL SELECT CAST(x AS DECIMAL(10,2)) "
    "FROM measures "
    "WHERE x = 1.5",
    covers=("union_all", "drop_rename_cast", "decimal"),
    expected=[({"v": 1.5}, {"items": {1}, "measures": {2}}), ({"v": 10}, {"t1": {1, 3, 8}})],
)
sql_pipeline(
    "group_over_union",
    "SELECT k, count(*) AS n FROM (SELECT k FROM t1 UNION ALL SELECT k FROM t2) GROUP BY k",
    covers=("union_all", "group_by"),
    expected=[({"k": "b"}, {"t1": {3, 4}, "t2": {3, 7}}), ({"k": "e"}, {"t2": {6}})],
)
sql_pipeline(
    "max_over_union",
    "SELECT max(v) AS m FROM (SELECT v FROM t1 UNION ALL SELECT v FROM t2)",
    covers=("union_all", "global_aggregate"),
    expected=[({"m": 50}, {"t2": {6}})],
)
sql_pipeline(
    "intersect",
    "SELECT k, v FROM t1 INTERSECT SELECT k, v FROM t2",
    covers=("intersect", "note_null_group"),
    # Unlike a join on =, NULL meets NULL here.
    expected=[({"k": None}, {"t1": {6}, "t2": {5}}), ({"k": "b"}, {"t1": {3}, "t2": {3}})],
    expected_rows=3,
)
sql_pipeline(
    "intersect_all",
    "SELECT k FROM t1 INTERSECT ALL SELECT k FROM t2",
    covers=("intersect", "note_equal_rows_below_limit"),
    # One NULL survives (2 against 1), but the equal rows cannot be told apart.
    expected=[({"k": None}, {"t1": {6, 8}, "t2": {5}}), ({"k": "b"}, {"t1": {3, 4}, "t2": {3, 7}})],
    expected_rows=6,
)
sql_pipeline(
    "intersect_all_bags",
    "SELECT * FROM bag INTERSECT ALL SELECT * FROM bag2",
    covers=("intersect", "note_equal_rows"),
    expected=[({"k": "b"}, {"bag": {("b", 1)}, "bag2": {("b", 1)}})],
    expected_rows=4,
)
sql_pipeline(
    "intersect_doubles",
    "SELECT x FROM measures WHERE id <= 4 INTERSECT SELECT x FROM measures WHERE id >= 4",
    covers=("intersect", "note_nan_and_zero", "note_references"),
    expected=[({"x": float("nan")}, {"measures": {1, 5, 6}}), ({"x": 0.0}, {"measures": {3, 4}})],
    expected_rows=2,
)
sql_pipeline(
    "except_distinct",
    "SELECT v FROM t1 EXCEPT SELECT v FROM t2",
    covers=("except", "note_failed_to_match"),
    # The NULLs of t1 are removed by t2's NULL.
    expected=[({"v": 20}, {"t1": {2}}), ({"v": 30}, {"t1": {5}})],
    expected_rows=2,
)
sql_pipeline(
    "except_merges_left",
    "SELECT name FROM people EXCEPT SELECT kind FROM items",
    covers=("except",),
    expected=[({"name": "Ann"}, {"people": {1, 8}})],
    expected_rows=7,
)
sql_pipeline(
    "except_all",
    "SELECT k FROM t1 EXCEPT ALL SELECT k FROM t2",
    covers=("except", "note_equal_rows_below_limit"),
    # Two NULLs less one: the one left has the lineage of both; nothing of t2.
    expected=[({"k": None}, {"t1": {6, 8}}), ({"k": "d"}, {"t1": {7}})],
    expected_rows=2,
)
sql_pipeline(
    "except_of_union",
    "(SELECT k FROM t1 UNION SELECT k FROM t2) EXCEPT SELECT k FROM bag",
    covers=("except", "union_all"),
    expected=[({"k": "d"}, {"t1": {7}}), ({"k": "e"}, {"t2": {6}})],
    expected_rows=2,
)
sql_pipeline(
    "except_all_bags",
    "SELECT * FROM bag EXCEPT ALL SELECT * FROM bag2",
    covers=("except", "note_equal_rows"),
    expected=[({"k": "a", "v": 1}, {"bag": {("a", 1)}})],
    expected_rows=4,
)


@pipeline(
    "api_union_by_name_missing",
    covers=("union_all",),
    # A missing column is NULL, and a row with a NULL there is not told from one without.
    expected=[({"id": None, "k": "e"}, {"t2": {6}}), ({"id": 7}, {"t1": {7}})],
)
def api_union_by_name_missing(spark: SparkSession) -> DataFrame:
    left = spark.table("t1").select("id", "k")
    return left.unionByName(spark.table("t2").select("v", "k"), allowMissingColumns=True)


@pipeline(
    "api_union_by_name_reordered",
    covers=("union_all", "distinct"),
    expected=[({"k": "b", "v": 10}, {"t1": {3}, "t2": {3}})],
)
def api_union_by_name_reordered(spark: SparkSession) -> DataFrame:
    left = spark.table("t1").select("k", "v")
    return left.unionByName(spark.table("t2").select("v", "k")).distinct()


@pipeline(
    "api_except_and_intersect",
    covers=("except", "intersect"),
    expected=[({"k": "c"}, {"t1": {5}, "t2": {4}})],
    expected_rows=1,
)
def api_except_and_intersect(spark: SparkSession) -> DataFrame:
    both = spark.table("t1").select("k").intersect(spark.table("t2").select("k"))
    return both.exceptAll(spark.table("bag").where("v = 1").select("k"))
