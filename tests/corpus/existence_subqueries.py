"""EXISTS, IN, NOT EXISTS, NOT IN: as filters, under OR, in SELECT and HAVING, nested, with NULLs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

sql_pipeline(
    "exists_correlated",
    "SELECT pid, name FROM people p WHERE EXISTS (SELECT 1 FROM sales s WHERE s.pid = p.pid)",
    covers=("semi_join",),
    expected=[({"pid": 1}, {"people": {1}, "sales": {101, 102, 111}})],
)
sql_pipeline(
    "exists_uncorrelated",
    "SELECT id FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE v > 20)",
    covers=("semi_join", "uncorrelated"),
    # Every inner row is a match, not only the first found.
    expected=[({"id": 4}, {"t1": {4}, "t2": {5, 6, 7}})],
)
sql_pipeline(
    "exists_over_empty",
    "SELECT id FROM t1 WHERE EXISTS (SELECT * FROM nothing)",
    covers=("semi_join", "empty_input"),
    expected_rows=0,
)
sql_pipeline(
    "exists_two_columns",
    """SELECT item_no FROM items i WHERE EXISTS
       (SELECT 1 FROM sales s WHERE s.item = i.item AND s.price = i.price)""",
    covers=("semi_join", "several_correlations"),
    expected=[({"item_no": 1}, {"items": {1}, "sales": {101, 103, 106}})],
    expected_rows=2,
)
sql_pipeline(
    "exists_non_equality",
    "SELECT id FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.v > t1.v AND t2.k <> t1.k)",
    covers=("semi_join", "non_equality_correlation"),
    expected=[({"id": 2}, {"t1": {2}, "t2": {6, 7}}), ({"id": 5}, {"t1": {5}, "t2": {6}})],
)
sql_pipeline(
    "exists_nested_two_deep",
    """SELECT pid FROM people p WHERE EXISTS (SELECT 1 FROM sales s WHERE s.pid = p.pid AND EXISTS
         (SELECT 1 FROM items i WHERE i.item = s.item AND i.kind = 'office'))""",
    covers=("semi_join", "nested_subquery"),
    # Sale 105 of person 3 is a cup: person 3 is out; the gift pen (item 6) never matches.
    expected=[({"pid": 1}, {"people": {1}, "sales": {101, 102, 111}, "items": {1, 2}})],
    expected_rows=3,
)
sql_pipeline(
    "exists_with_not_exists_inside",
    """SELECT pid FROM people p WHERE EXISTS (SELECT 1 FROM sales s WHERE s.pid = p.pid AND NOT EXISTS
         (SELECT 1 FROM items i WHERE i.item = s.item))""",
    covers=("semi_join", "anti_join", "nested_subquery", "note_failed_to_match"),
    # 108 has no item and 110 an unlisted one; person 3's cup (105) is listed and no match.
    expected=[({"pid": 3}, {"people": {3}, "sales": {108}}), ({"pid": 5}, {"people": {5}, "sales": {110}})],
)
sql_pipeline(
    "not_exists",
    "SELECT pid FROM people p WHERE NOT EXISTS (SELECT 1 FROM sales s WHERE s.pid = p.pid)",
    covers=("anti_join", "note_failed_to_match"),
    expected=[({"pid": 4}, {"people": {4}})],
    expected_rows=3,
)
sql_pipeline(
    "not_exists_nested",
    """SELECT item_no FROM items i WHERE NOT EXISTS (SELECT 1 FROM sales s WHERE s.item = i.item
         AND NOT EXISTS (SELECT 1 FROM people p WHERE p.pid = s.pid))""",
    covers=("anti_join", "nested_subquery"),
    # Pens (106) and cups (107) have a sale without a person; whatever is below an anti join is none.
    expected=[({"item_no": 2}, {"items": {2}}), ({"item_no": 5}, {"items": {5}})],
    expected_rows=3,
)
sql_pipeline(
    "in_values",
    "SELECT id FROM t1 WHERE v IN (SELECT v FROM t2)",
    covers=("semi_join", "uncorrelated"),
    # Both inner rows with 10; the inner NULL matches nothing.
    expected=[({"id": 8}, {"t1": {8}, "t2": {1, 3}}), ({"id": 6}, {"t1": {6}, "t2": {5}})],
    expected_rows=4,
)
sql_pipeline(
    "in_two_columns",
    "SELECT id FROM t1 WHERE (k, v) IN (SELECT k, v FROM t2)",
    covers=("semi_join",),
    # (NULL, 40) is in both tables but does not match under =.
    expected=[({"id": 3}, {"t1": {3}, "t2": {3}})],
    expected_rows=2,
)
sql_pipeline(
    "in_correlated",
    "SELECT id FROM t1 WHERE v IN (SELECT v FROM t2 WHERE t2.k = t1.k)",
    covers=("semi_join",),
    expected=[({"id": 1}, {"t1": {1}, "t2": {1}})],
    expected_rows=2,
)
sql_pipeline(
    "in_over_group_by",
    "SELECT id FROM t1 WHERE k IN (SELECT k FROM t2 GROUP BY k HAVING count(*) > 1)",
    covers=("semi_join", "group_by"),
    expected=[({"id": 4}, {"t1": {4}, "t2": {3, 7}})],
    expected_rows=4,
)
sql_pipeline(
    "in_over_maxima",
    "SELECT id FROM t1 WHERE v IN (SELECT max(v) FROM t2 GROUP BY k)",
    covers=("semi_join", "group_by_one_row"),
    expected=[({"id": 6}, {"t1": {6}, "t2": {5}})],
    expected_rows=1,
)
sql_pipeline(
    "not_in_inner_null",
    "SELECT id FROM t1 WHERE k NOT IN (SELECT k FROM t2)",
    covers=("anti_join", "null_aware"),
    # The inner NULL makes every comparison unknown.
    expected_rows=0,
)
sql_pipeline(
    "not_in_outer_null",
    "SELECT id FROM t1 WHERE v NOT IN (SELECT v FROM t2 WHERE v IS NOT NULL)",
    covers=("anti_join", "null_aware"),
    expected=[({"id": 2}, {"t1": {2}})],
    expected_rows=2,
)
sql_pipeline(
    "not_in_empty",
    "SELECT id FROM t1 WHERE k NOT IN (SELECT k FROM nothing)",
    covers=("anti_join", "null_aware", "empty_input"),
    # NULL NOT IN (nothing) is true.
    expected=[({"id": 6}, {"t1": {6}})],
    expected_rows=8,
)
sql_pipeline(
    "not_in_correlated",
    "SELECT id FROM t1 WHERE v NOT IN (SELECT v FROM t2 WHERE t2.k = t1.k)",
    covers=("anti_join", "null_aware"),
    # 7: v is NULL but its inner set is empty; 5: dropped by the inner NULL.
    expected=[({"id": 7}, {"t1": {7}}), ({"id": 2}, {"t1": {2}})],
    expected_rows=4,
)
sql_pipeline(
    "exists_under_or",
    "SELECT id FROM t1 WHERE v >= 30 OR EXISTS (SELECT 1 FROM t2 WHERE t2.k = t1.k)",
    covers=("existence_flag",),
    expected=[
        ({"id": 5}, {"t1": {5}, "t2": {4}}),  # true by v alone, yet its matching inner row counts
        ({"id": 6}, {"t1": {6}}),
        ({"id": 4}, {"t1": {4}, "t2": {3, 7}}),
    ],
)
sql_pipeline(
    "in_under_or",
    "SELECT id FROM t1 WHERE k = 'd' OR v IN (SELECT v FROM t2)",
    covers=("existence_flag",),
    expected=[({"id": 7}, {"t1": {7}}), ({"id": 1}, {"t1": {1}, "t2": {1, 3}})],
)
sql_pipeline(
    "not_exists_under_or",
    "SELECT id FROM t1 WHERE v = 10 OR NOT EXISTS (SELECT 1 FROM t2 WHERE t2.k = t1.k)",
    covers=("existence_flag",),
    # 1 is kept by v although its partners exist: they match, so the flag carries them. 7: none match.
    expected=[({"id": 1}, {"t1": {1}, "t2": {1, 2}}), ({"id": 7}, {"t1": {7}})],
)
sql_pipeline(
    "two_flags_under_or",
    """SELECT pid FROM people p WHERE EXISTS (SELECT 1 FROM sales s WHERE s.pid = p.pid AND s.item = 'ink')
       OR p.city IN (SELECT q.city FROM people q WHERE q.score >= 85)""",
    covers=("existence_flag", "note_references"),
    # Cities of people with 85 or more: Oslo (2), Rome (3, 7).
    expected=[
        ({"pid": 7}, {"people": {3, 7}, "sales": {109}}),
        ({"pid": 5}, {"people": {2, 5}}),
    ],
)
sql_pipeline(
    "exists_in_select",
    "SELECT id, EXISTS (SELECT 1 FROM t2 WHERE t2.k = t1.k AND t2.v > 10) AS found FROM t1",
    covers=("existence_flag", "subquery_in_select"),
    expected=[({"id": 1}, {"t1": {1}, "t2": {2}}), ({"id": 5}, {"t1": {5}})],
)
sql_pipeline(
    "exists_in_select_alone",
    "SELECT EXISTS (SELECT 1 FROM t2 WHERE t2.k = t1.k AND t2.v > 10) AS found FROM t1",
    covers=("existence_flag", "subquery_in_select", "note_equal_rows"),
    expected=[
        ({"found": True}, {"t1": {1, 2, 3, 4}, "t2": {2, 7}}),
        ({"found": False}, {"t1": {5, 6, 7, 8}}),
    ],
)
sql_pipeline(
    "in_in_select",
    "SELECT id, v IN (SELECT v FROM t2) AS found FROM t1",
    covers=("existence_flag", "subquery_in_select", "null_aware"),
    # 2: unknown, because of the inner NULL; nothing matched.
    expected=[
        ({"id": 2}, {"t1": {2}}),
        ({"id": 1, "found": True}, {"t1": {1}, "t2": {1, 3}}),
        ({"id": 7}, {"t1": {7}}),
    ],
)
sql_pipeline(
    "exists_in_case",
    """SELECT id, CASE WHEN EXISTS (SELECT 1 FROM t2 WHERE t2.k = t1.k) THEN 'both' ELSE 'left' END AS side
       FROM t1""",
    covers=("existence_flag", "subquery_in_select"),
    expected=[({"id": 3}, {"t1": {3}, "t2": {3, 7}}), ({"id": 8}, {"t1": {8}})],
)
sql_pipeline(
    "having_exists",
    """SELECT k, count(*) AS n FROM t1 GROUP BY k
       HAVING EXISTS (SELECT 1 FROM t2 WHERE t2.k = t1.k AND t2.v >= 15)""",
    covers=("semi_join", "note_having"),
    expected=[({"k": "b"}, {"t1": {3, 4}, "t2": {7}})],
    expected_rows=2,
)
sql_pipeline(
    "having_max_in",
    "SELECT k, max(v) AS m FROM t1 GROUP BY k HAVING max(v) IN (SELECT v FROM t2)",
    covers=("semi_join", "note_having", "group_by_one_row"),
    expected=[({"k": "b"}, {"t1": {3}, "t2": {1, 3}}), ({"k": None}, {"t1": {6}, "t2": {5}})],
    expected_rows=2,
)
sql_pipeline(
    "exists_over_global_aggregate",
    "SELECT id FROM t1 WHERE EXISTS (SELECT count(*) FROM t2 WHERE t2.k = t1.k)",
    covers=("semi_join", "global_aggregate", "note_nothing_reached", "note_rewriting"),
    # Always true; 7 is kept by an aggregate row that nothing reached.
    expected=[({"id": 1}, {"t1": {1}, "t2": {1, 2}}), ({"id": 7}, {"t1": {7}})],
    expected_rows=8,
)
sql_pipeline(
    "exists_over_having",
    "SELECT id FROM t1 WHERE EXISTS (SELECT max(v) FROM t2 WHERE t2.k = t1.k HAVING max(v) > 12)",
    covers=("semi_join", "global_aggregate", "note_having"),
    expected=[({"id": 4}, {"t1": {4}, "t2": {7}})],
    expected_rows=4,
)
sql_pipeline(
    "exists_over_aggregate_with_threshold",
    """SELECT id FROM t1 WHERE EXISTS (SELECT count(*) FROM t2
       WHERE t2.k = t1.k AND t2.v > (SELECT min(v) FROM t1 AS low))""",
    covers=("note_nothing_reached", "note_references", "nested_subquery"),
    expected=[
        ({"id": 1}, {"t1": {1, 3, 8}, "t2": {2}}),  # the threshold 10 comes from 1, 3, 8
        ({"id": 7}, {"t1": {7}}),  # nothing reached the count: not even the threshold's rows
    ],
)
sql_pipeline(
    "exists_over_union",
    """SELECT id FROM t1 WHERE EXISTS (SELECT 1 FROM (SELECT k FROM t2 UNION ALL SELECT item FROM items) u
       WHERE u.k = t1.k)""",
    covers=("semi_join", "union_all"),
    expected=[({"id": 5}, {"t1": {5}, "t2": {4}})],
)


@pipeline(
    "api_exists_subquery",
    covers=("semi_join", "api_subquery"),
    expected=[({"pid": 2}, {"people": {2}, "sales": {103, 104}})],
)
def api_exists_subquery(spark: SparkSession) -> DataFrame:
    inner = spark.table("sales").alias("s").where(sf.col("s.pid") == sf.col("p.pid").outer())
    return spark.table("people").alias("p").where(inner.exists()).select("p.pid", "p.name")


@pipeline(
    "api_in_and_not_exists",
    covers=("semi_join", "anti_join", "api_subquery"),
    expected=[({"id": 5}, {"t1": {5}, "t2": {4}})],
    expected_rows=1,
)
def api_in_and_not_exists(spark: SparkSession) -> DataFrame:
    outer = spark.table("t1").alias("o")
    known = spark.table("t2").select("k")
    larger = (
        spark.table("t2").alias("i").where((sf.col("i.k") == sf.col("o.k").outer()) & (sf.col("i.v") >= 10))
    )
    return outer.where(sf.col("o.k").isin(known)).where(~larger.exists()).select("o.id")
