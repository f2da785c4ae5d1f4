"""Scalar subqueries: correlated and not, in every clause, the count bug, correlated LIMIT, CASE branches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

sql_pipeline(
    "scalar_min_in_where",
    "SELECT id FROM t1 WHERE v > (SELECT min(v) FROM t2)",
    covers=("scalar_subquery", "uncorrelated", "note_scalar_composes"),
    # Only the inner rows attaining the minimum.
    expected=[({"id": 2}, {"t1": {2}, "t2": {1, 3}})],
)
sql_pipeline(
    "scalar_average_in_where",
    "SELECT id FROM t1 WHERE v > (SELECT avg(v) FROM t2)",
    covers=("scalar_subquery", "uncorrelated", "note_whole_group"),
    # avg uses every inner row, the one with NULL too.
    expected=[({"id": 5}, {"t1": {5}, "t2": {1, 2, 3, 4, 5, 6, 7}})],
    expected_rows=2,
)
sql_pipeline(
    "scalar_row_value",
    "SELECT id, v - (SELECT v FROM t2 WHERE id = 2) AS above FROM t1",
    covers=("scalar_subquery", "uncorrelated", "subquery_in_select"),
    expected=[({"id": 4}, {"t1": {4}, "t2": {2}})],
)
sql_pipeline(
    "scalar_over_empty",
    "SELECT id, coalesce((SELECT v FROM nothing), v) AS w FROM t1",
    covers=("scalar_subquery", "empty_input"),
    expected=[({"id": 1}, {"t1": {1}})],
)
sql_pipeline(
    "scalar_correlated_max",
    "SELECT id, (SELECT max(v) FROM t2 WHERE t2.k = t1.k) AS m FROM t1",
    covers=("scalar_subquery", "subquery_in_select", "note_nothing_reached"),
    expected=[
        ({"id": 1}, {"t1": {1}, "t2": {2}}),
        ({"id": 5}, {"t1": {5}, "t2": {4}}),  # NULL from a NULL input
        ({"id": 7}, {"t1": {7}}),  # NULL from no input
        ({"id": 6}, {"t1": {6}}),  # NULL = NULL is no match
    ],
)
sql_pipeline(
    "scalar_correlated_value_only",
    "SELECT (SELECT max(v) FROM t2 WHERE t2.k = t1.k) AS m FROM t1",
    covers=("scalar_subquery", "note_equal_rows"),
    # NULL is made by row 5 (from t2 4) and by 6, 7, 8 (from nothing).
    expected=[({"m": None}, {"t1": {5, 6, 7, 8}, "t2": {4}}), ({"m": 25}, {"t1": {3, 4}, "t2": {7}})],
)
sql_pipeline(
    "scalar_correlated_in_where",
    """SELECT s.sid FROM sales s WHERE s.qty > (SELECT avg(x.qty) FROM sales x WHERE x.item = s.item)""",
    covers=("scalar_subquery", "self_join", "note_references"),
    # The whole pen group, 104 with its NULL too.
    expected=[({"sid": 103}, {"sales": {101, 103, 104, 106, 111}})],
    expected_rows=3,
)
sql_pipeline(
    "scalar_non_equality",
    "SELECT id, (SELECT sum(t2.v) FROM t2 WHERE t2.v < t1.v) AS below FROM t1",
    covers=("scalar_subquery", "non_equality_correlation", "note_rewriting"),
    # The domain copy of t1 that decorrelation adds must not show: id 1 has v = 10 like 3 and 8.
    expected=[
        ({"id": 2}, {"t1": {2}, "t2": {1, 2, 3}}),
        ({"id": 1}, {"t1": {1}}),
        ({"id": 4}, {"t1": {4}}),
    ],
)
sql_pipeline(
    "scalar_several_correlations",
    """SELECT item_no, (SELECT count(*) FROM sales s WHERE s.item = i.item AND s.price = i.price) AS n
       FROM items i""",
    covers=("scalar_subquery", "several_correlations"),
    expected=[({"item_no": 1}, {"items": {1}, "sales": {101, 103, 106}}), ({"item_no": 6}, {"items": {6}})],
)
sql_pipeline(
    "scalar_count_is_zero",
    "SELECT id FROM t1 WHERE (SELECT count(*) FROM t2 WHERE t2.k = t1.k) = 0",
    covers=("scalar_subquery", "count_bug", "note_nothing_reached"),
    expected=[({"id": 7}, {"t1": {7}}), ({"id": 6}, {"t1": {6}})],
    expected_rows=3,
)
sql_pipeline(
    "scalar_count_of_nulls",
    "SELECT id, (SELECT count(v) FROM t2 WHERE t2.k = t1.k) AS n FROM t1",
    covers=("scalar_subquery", "count_bug"),
    # Both are 0: for 5 counted from a row with NULL, for 7 from no row.
    expected=[({"id": 5}, {"t1": {5}, "t2": {4}}), ({"id": 7}, {"t1": {7}})],
)
sql_pipeline(
    "scalar_correlated_limit",
    "SELECT id, (SELECT t2.id FROM t2 WHERE t2.k = t1.k ORDER BY t2.v DESC, t2.id LIMIT 1) AS top FROM t1",
    covers=("scalar_subquery", "limit", "note_rewriting"),
    # A Limit has the same row; the row_number Spark invents would bring in the rows before it.
    expected=[
        ({"id": 1}, {"t1": {1}, "t2": {2}}),
        ({"id": 3}, {"t1": {3}, "t2": {7}}),
        ({"id": 7}, {"t1": {7}}),
    ],
)
sql_pipeline(
    "scalar_in_case_branch",
    "SELECT id, CASE WHEN k = 'a' THEN (SELECT max(v) FROM t2) ELSE 0 END AS m FROM t1",
    covers=("scalar_subquery", "note_case_branch"),
    # 5 does not take the branch; the subquery's rows count all the same.
    expected=[({"id": 5}, {"t1": {5}, "t2": {6}}), ({"id": 1}, {"t1": {1}, "t2": {6}})],
)
sql_pipeline(
    "scalar_correlated_in_case_branch",
    """SELECT id, CASE WHEN v > 15 THEN (SELECT count(*) FROM t2 WHERE t2.k = t1.k) END AS n FROM t1""",
    covers=("scalar_subquery", "note_case_branch"),
    expected=[({"id": 1}, {"t1": {1}, "t2": {1, 2}}), ({"id": 6}, {"t1": {6}})],
)
sql_pipeline(
    "scalar_inside_exists",
    """SELECT pid FROM people p WHERE EXISTS (SELECT 1 FROM sales s WHERE s.pid = p.pid
         AND s.qty > (SELECT avg(x.qty) FROM sales x WHERE x.item = s.item))""",
    covers=("semi_join", "scalar_subquery", "nested_subquery", "note_references"),
    expected=[
        ({"pid": 2}, {"people": {2}, "sales": {101, 103, 104, 106, 111}}),
        ({"pid": 7}, {"people": {7}, "sales": {102, 109}}),
    ],
    expected_rows=3,
)
sql_pipeline(
    "scalar_inside_scalar",
    "SELECT id FROM t1 WHERE v >= (SELECT max(v) FROM t2 WHERE v < (SELECT max(v) FROM t2))",
    covers=("scalar_subquery", "nested_subquery", "note_scalar_composes"),
    # Second largest of t2: 40 (row 5), found through the largest, 50 (row 6).
    expected=[({"id": 6}, {"t1": {6}, "t2": {5, 6}})],
    expected_rows=1,
)
sql_pipeline(
    "having_scalar",
    "SELECT k, max(v) AS m FROM t1 GROUP BY k HAVING max(v) > (SELECT min(v) FROM t2)",
    covers=("scalar_subquery", "note_having", "group_by_one_row"),
    expected=[({"k": "a"}, {"t1": {2}, "t2": {1, 3}}), ({"k": None}, {"t1": {6}, "t2": {1, 3}})],
    expected_rows=3,
)
sql_pipeline(
    "scalar_under_or",
    """SELECT id FROM t1 WHERE k = 'd' OR v = (SELECT max(v) FROM t2 WHERE t2.k IS NULL)""",
    covers=("scalar_subquery",),
    expected=[({"id": 7}, {"t1": {7}, "t2": {5}}), ({"id": 6}, {"t1": {6}, "t2": {5}})],
    expected_rows=2,
)
sql_pipeline(
    "scalar_inside_sum",
    """SELECT k, sum((SELECT count(*) FROM t2 WHERE t2.k = t1.k)) AS pairs FROM t1 GROUP BY k""",
    covers=("scalar_subquery", "group_by"),
    expected=[({"k": "b"}, {"t1": {3, 4}, "t2": {3, 7}}), ({"k": "d"}, {"t1": {7}})],
)
sql_pipeline(
    "global_count_nothing_reached",
    "SELECT count(*) AS n FROM t1 WHERE v > (SELECT max(v) FROM t2)",
    covers=("global_aggregate", "scalar_subquery", "note_nothing_reached"),
    # 0 rows passed: neither t1 nor the threshold's rows of t2.
    expected=[({"n": 0}, {})],
)
sql_pipeline(
    "global_count_reached",
    "SELECT count(*) AS n FROM t1 WHERE v < (SELECT max(v) FROM t2)",
    covers=("global_aggregate", "scalar_subquery"),
    expected=[({"n": 6}, {"t1": {1, 2, 3, 5, 6, 8}, "t2": {6}})],
)
sql_pipeline(
    "threshold_raised_by_anti_join",
    """SELECT id FROM t1 WHERE v >= (SELECT min(t2.v) FROM t2
       WHERE NOT EXISTS (SELECT 1 FROM t1 x WHERE x.k = t2.k))""",
    covers=("scalar_subquery", "anti_join", "note_not_closed", "note_failed_to_match"),
    # t2 rows without partner: 5 (NULL key, 40) and 6 (50); the partners of the others are not lineage.
    expected=[({"id": 6}, {"t1": {6}, "t2": {5}})],
    expected_rows=1,
)
sql_pipeline(
    "scalar_two_in_one_select",
    """SELECT (SELECT min(v) FROM t1) AS low, (SELECT max(v) FROM t1) AS high,
       (SELECT count(*) FROM nothing) AS n""",
    covers=("scalar_subquery", "note_references", "empty_input"),
    expected=[({"low": 10}, {"t1": {1, 3, 6, 8}})],
)


@pipeline(
    "api_scalar_subquery",
    covers=("scalar_subquery", "api_subquery"),
    expected=[({"pid": 2, "best": 10}, {"people": {2}, "sales": {103}}), ({"pid": 6}, {"people": {6}})],
)
def api_scalar_subquery(spark: SparkSession) -> DataFrame:
    inner = spark.table("sales").alias("s").where(sf.col("s.pid") == sf.col("p.pid").outer())
    best = inner.select(sf.max("s.qty")).scalar().alias("best")
    return spark.table("people").alias("p").select("p.pid", best)
