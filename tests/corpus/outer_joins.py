"""Left, right and full outer joins: null-extended rows, matched NULLs, coalesced keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

sql_pipeline(
    "left_join",
    "SELECT t1.id, t2.v FROM t1 LEFT JOIN t2 ON t1.k = t2.k",
    covers=("left_outer_join", "note_null_join_key"),
    expected=[
        ({"id": 1, "v": 15}, {"t1": {1}, "t2": {2}}),
        ({"id": 5}, {"t1": {5}, "t2": {4}}),  # matched a row whose value is NULL: not null-extended
        ({"id": 6}, {"t1": {6}}),  # NULL key: null-extended, although t2 has a NULL key too
        ({"id": 7}, {"t1": {7}}),
    ],
)

sql_pipeline(
    "left_join_value_only",
    "SELECT t2.v FROM t1 LEFT JOIN t2 ON t1.k = t2.k",
    covers=("left_outer_join", "note_equal_rows"),
    expected=[
        # One row value made both by a matched NULL (5 with 4) and by null-extension (6, 7, 8).
        ({"v": None}, {"t1": {5, 6, 7, 8}, "t2": {4}}),
        ({"v": 10}, {"t1": {1, 2, 3, 4}, "t2": {1, 3}}),
    ],
)

sql_pipeline(
    "left_join_condition_on_left",
    "SELECT t1.id AS a, t2.id AS b FROM t1 LEFT JOIN t2 ON t1.k = t2.k AND t1.v > 15",
    covers=("left_outer_join",),
    # Row 1 fails the left-only condition and is null-extended although its key has partners.
    expected=[({"a": 1}, {"t1": {1}}), ({"a": 2, "b": 1}, {"t1": {2}, "t2": {1}})],
)

sql_pipeline(
    "left_join_then_filter",
    "SELECT t1.id, t2.v FROM t1 LEFT JOIN t2 ON t1.k = t2.k WHERE t2.id IS NULL OR t2.v > 12",
    covers=("left_outer_join", "filter"),
    expected=[({"id": 3}, {"t1": {3}, "t2": {7}}), ({"id": 8}, {"t1": {8}})],
)

sql_pipeline(
    "right_join",
    "SELECT t1.id AS a, t2.id AS b FROM t1 RIGHT JOIN t2 ON t1.k = t2.k AND t2.v > 10",
    covers=("right_outer_join",),
    # t2 1 fails the condition: preserved, nothing of t1.
    expected=[({"b": 1}, {"t2": {1}}), ({"a": 4, "b": 7}, {"t1": {4}, "t2": {7}})],
)

sql_pipeline(
    "full_join",
    "SELECT t1.k AS k1, t2.k AS k2 FROM t1 FULL JOIN t2 ON t1.k = t2.k",
    covers=("full_outer_join", "note_equal_rows", "note_null_join_key"),
    expected=[
        # NULL keys of either side never match, but their null-extended rows are one row value.
        ({"k1": None, "k2": None}, {"t1": {6, 8}, "t2": {5}}),
        ({"k1": "d"}, {"t1": {7}}),
        ({"k2": "e"}, {"t2": {6}}),
        ({"k1": "b"}, {"t1": {3, 4}, "t2": {3, 7}}),
    ],
)

sql_pipeline(
    "full_join_using",
    "SELECT k, t1.v AS v1, t2.v AS v2 FROM t1 FULL JOIN t2 USING (k)",
    covers=("full_outer_join", "using"),
    expected=[
        ({"k": "c"}, {"t1": {5}, "t2": {4}}),
        ({"k": "d"}, {"t1": {7}}),
        ({"k": None, "v1": 40}, {"t1": {6}}),
        ({"k": None, "v2": 40}, {"t2": {5}}),
    ],
)

sql_pipeline(
    "full_join_counts",
    """SELECT coalesce(t1.k, t2.k) AS k, count(t1.id) AS n1, count(t2.id) AS n2
       FROM t1 FULL JOIN t2 ON t1.k = t2.k GROUP BY coalesce(t1.k, t2.k)""",
    covers=("full_outer_join", "group_by", "group_by_expression"),
    expected=[
        ({"k": "e"}, {"t2": {6}}),
        ({"k": None}, {"t1": {6, 8}, "t2": {5}}),
        ({"k": "a"}, {"t1": {1, 2}, "t2": {1, 2}}),
    ],
)

sql_pipeline(
    "left_join_empty_table",
    "SELECT t1.id, n.v AS w FROM t1 LEFT JOIN nothing n ON t1.k = n.k",
    covers=("left_outer_join", "empty_input"),
    expected=[({"id": 1}, {"t1": {1}})],
)

sql_pipeline(
    "left_join_self_boss",
    "SELECT e.name, b.name AS boss FROM emp e LEFT JOIN emp b ON e.boss = b.id",
    covers=("left_outer_join", "self_join", "note_references"),
    expected=[({"name": "Kim"}, {"emp": {2, 4}}), ({"name": "Max"}, {"emp": {1}})],
)

sql_pipeline(
    "left_join_aggregated_side",
    """SELECT p.pid, coalesce(s.n, 0) AS n FROM people p
       LEFT JOIN (SELECT pid, count(*) AS n FROM sales GROUP BY pid) s ON p.pid = s.pid""",
    covers=("left_outer_join", "group_by"),
    # 0 by null-extension has no sales; the NULL-pid group of sales is joined by nobody.
    expected=[({"pid": 1}, {"people": {1}, "sales": {101, 102, 111}}), ({"pid": 4}, {"people": {4}})],
)

sql_pipeline(
    "left_join_chain",
    """SELECT p.name, s.sid, i.kind FROM people p LEFT JOIN sales s ON p.pid = s.pid
       LEFT JOIN items i ON s.item = i.item AND i.kind <> 'gift'""",
    covers=("left_outer_join",),
    expected=[
        ({"sid": 110}, {"people": {5}, "sales": {110}}),  # a map is no item
        ({"sid": 108}, {"people": {3}, "sales": {108}}),  # NULL item does not match the NULL item
        ({"sid": 101}, {"people": {1}, "sales": {101}, "items": {1}}),
        ({"name": "Dee"}, {"people": {4}}),
    ],
)

sql_pipeline(
    "left_lateral_join",
    """SELECT t1.id, l.w FROM t1 LEFT JOIN LATERAL
       (SELECT t2.v AS w FROM t2 WHERE t2.k = t1.k AND t2.v > 12) l""",
    covers=("left_outer_join", "lateral", "note_rewriting"),
    expected=[({"id": 1}, {"t1": {1}, "t2": {2}}), ({"id": 5}, {"t1": {5}})],
)

sql_pipeline(
    "left_join_always_false",
    "SELECT t1.id, t2.k FROM t1 LEFT JOIN t2 ON false",
    covers=("left_outer_join",),
    expected=[({"id": 1}, {"t1": {1}})],
    expected_rows=8,
)

sql_pipeline(
    "sum_above_left_join",
    """SELECT p.team, sum(s.qty) AS q FROM people p LEFT JOIN sales s
       ON p.pid = s.pid AND s.item = 'pen' GROUP BY p.team""",
    covers=("left_outer_join", "group_by", "note_whole_group", "note_not_closed"),
    expected=[
        # 8 is in the group though it sold nothing; 104 added NULL.
        ({"team": "red"}, {"people": {1, 2, 8}, "sales": {101, 103, 104, 111}}),
        ({"team": "blue"}, {"people": {3, 4, 7}}),
    ],
)


@pipeline(
    "api_right_join_on_name",
    covers=("right_outer_join", "using"),
    expected=[({"k": "e"}, {"t2": {6}}), ({"k": "c"}, {"t1": {5}, "t2": {4}})],
)
def api_right_join_on_name(spark: SparkSession) -> DataFrame:
    left = spark.table("t1").select("k", sf.col("v").alias("left_v"))
    return left.join(spark.table("t2").select("k", "v"), "k", "right")
