"""Unpivot, stack, explode and its kin, ROLLUP, CUBE and GROUPING SETS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

sql_pipeline(
    "unpivot_sql",
    "SELECT region, q, amount FROM quarterly UNPIVOT (amount FOR q IN (q1, q2, q3))",
    covers=("unpivot", "note_equal_rows"),
    expected=[
        ({"region": "north", "q": "q1"}, {"quarterly": {1, 3}}),
        ({"region": None, "q": "q2"}, {"quarterly": {4}}),
    ],
)
sql_pipeline(
    "unpivot_including_nulls",
    "SELECT region, q, amount FROM quarterly UNPIVOT INCLUDE NULLS (amount FOR q IN (q2, q3))",
    covers=("unpivot",),
    expected=[
        ({"region": "north", "q": "q3"}, {"quarterly": {1, 3}}),
        ({"region": "north", "q": "q2", "amount": None}, {"quarterly": {3}}),
    ],
    expected_rows=8,
)
sql_pipeline(
    "unpivot_then_group",
    "SELECT q, max(amount) AS top FROM quarterly UNPIVOT (amount FOR q IN (q1, q2, q3)) GROUP BY q",
    covers=("unpivot", "group_by_one_row"),
    expected=[({"q": "q1"}, {"quarterly": {1, 3}}), ({"q": "q3"}, {"quarterly": {4}})],
)
sql_pipeline(
    "stack",
    "SELECT id, stack(3, 'q1', q1, 'q2', q2, 'q3', q3) AS (q, amount) FROM quarterly",
    covers=("row_expand",),
    expected=[({"id": 1, "q": "q3"}, {"quarterly": {1}})],
    expected_rows=12,
)
sql_pipeline(
    "stack_with_cells_left_out",
    "SELECT id, stack(2, 'q1', q1, 'q2') AS (q, amount) FROM quarterly",
    covers=("row_expand",),
    expected=[({"id": 1, "q": "q2"}, {"quarterly": {1}})],
    expected_rows=8,
)
sql_pipeline(
    "stack_of_aggregates",
    "SELECT stack(2, 'mean', m, 'top', t) AS (name, value)"
    " FROM (SELECT avg(cast(q1 AS double)) AS m, cast(max(q2) AS double) AS t FROM quarterly)",
    covers=("row_expand", "global_aggregate"),
    expected=[
        ({"name": "top"}, {"quarterly": {1, 2, 3, 4}}),
        ({"name": "mean"}, {"quarterly": {1, 2, 3, 4}}),
    ],
)
sql_pipeline(
    "lateral_stack",
    "SELECT quarterly.id, half.name, half.amount FROM quarterly,"
    " LATERAL (SELECT * FROM stack(2, 'first', q1 + q2, 'second', q3) AS s (name, amount) WHERE amount > 0) AS half",
    covers=("row_expand", "lateral_join"),
    expected=[({"id": 1, "name": "first"}, {"quarterly": {1}})],
)
sql_pipeline(
    "explode_value_only",
    "SELECT explode(tags) AS tag FROM nested",
    covers=("row_expand", "note_equal_rows"),
    expected=[({"tag": "y"}, {"nested": {1, 4}}), ({"tag": None}, {"nested": {4}})],
)
sql_pipeline(
    "explode_outer_value_only",
    "SELECT explode_outer(tags) AS tag FROM nested",
    covers=("row_expand",),
    # NULL from an empty list (2), from no list (3), and from an element (4).
    expected=[({"tag": None}, {"nested": {2, 3, 4}})],
)
sql_pipeline(
    "lateral_view_group",
    "SELECT tag, count(*) AS n FROM nested LATERAL VIEW explode(tags) t AS tag GROUP BY tag",
    covers=("row_expand", "group_by"),
    expected=[({"tag": "y"}, {"nested": {1, 4}}), ({"tag": "z"}, {"nested": {5}})],
)
sql_pipeline(
    "two_lateral_views",
    """SELECT id, tag, name, amount FROM nested LATERAL VIEW OUTER posexplode(tags) t AS place, tag
       LATERAL VIEW explode(props) p AS name, amount""",
    covers=("row_expand",),
    expected=[({"id": 1, "tag": "y", "name": "a"}, {"nested": {1}})],
)
sql_pipeline(
    "inline_structs",
    "SELECT inline(lines) FROM nested",
    covers=("row_expand", "struct"),
    expected=[({"sku": "s1", "n": 2}, {"nested": {1, 5}}), ({"sku": "s3"}, {"nested": {5}})],
)
sql_pipeline(
    "lateral_generator_function",
    "SELECT n.id, e.col AS tag FROM nested n, LATERAL explode(n.tags) e WHERE e.col <> 'x'",
    covers=("row_expand", "lateral"),
    expected=[({"id": 4}, {"nested": {4}})],
)
sql_pipeline(
    "explode_split",
    "SELECT id, word FROM (SELECT id, explode(split(s, '[,;]')) AS word FROM texts) WHERE length(word) = 1",
    covers=("row_expand", "filter"),
    expected=[({"word": "b"}, {"texts": {11}})],
    expected_rows=3,
)
sql_pipeline(
    "rollup_with_grouping_id",
    "SELECT team, city, count(*) AS n, grouping_id() AS g FROM people GROUP BY ROLLUP (team, city)",
    covers=("grouping_sets", "note_null_group"),
    expected=[
        ({"team": "blue", "g": 1}, {"people": {3, 4, 7}}),
        ({"team": "blue", "city": None, "g": 0}, {"people": {4}}),  # a real NULL city, not the subtotal
        ({"team": None, "g": 1}, {"people": {5}}),  # subtotal of the NULL team
        ({"g": 3}, {"people": {1, 2, 3, 4, 5, 6, 7, 8}}),
    ],
)
sql_pipeline(
    "rollup_max",
    "SELECT team, max(score) AS best, grouping(team) AS g FROM people GROUP BY ROLLUP (team)",
    covers=("grouping_sets", "group_by_one_row"),
    expected=[({"team": None, "g": 1}, {"people": {7}}), ({"team": None, "g": 0}, {"people": {5}})],
)
sql_pipeline(
    "rollup_levels_dropped",
    "SELECT count(*) AS n FROM people GROUP BY ROLLUP (team)",
    covers=("grouping_sets", "note_equal_rows"),
    expected=[({"n": 1}, {"people": {5, 6}}), ({"n": 3}, {"people": {1, 2, 3, 4, 7, 8}})],
    expected_rows=5,
)
sql_pipeline(
    "cube",
    "SELECT k, v, count(*) AS n, grouping_id() AS g FROM t1 GROUP BY CUBE (k, v)",
    covers=("grouping_sets",),
    expected=[
        ({"v": 10, "g": 2}, {"t1": {1, 3, 8}}),
        ({"k": None, "v": 10, "g": 0}, {"t1": {8}}),
        ({"k": None, "g": 1}, {"t1": {6, 8}}),
        ({"v": None, "g": 2}, {"t1": {4, 7}}),
    ],
)
sql_pipeline(
    "grouping_sets",
    """SELECT team, city, sum(score) AS s, grouping_id() AS g FROM people
       GROUP BY GROUPING SETS ((team), (city), ()) HAVING count(*) > 1""",
    covers=("grouping_sets", "note_having"),
    expected=[
        ({"city": "Rome", "g": 2}, {"people": {1, 3, 7}}),
        ({"team": "red", "g": 1}, {"people": {1, 2, 8}}),
    ],
)
sql_pipeline(
    "grouping_sets_without_aggregate",
    "SELECT team, city FROM people GROUP BY GROUPING SETS ((team), (city))",
    covers=("grouping_sets", "note_group_by_no_aggregate"),
    # (NULL, NULL) is the NULL team and the NULL city in one row value.
    expected=[({"team": None, "city": None}, {"people": {4, 5}}), ({"city": "Oslo"}, {"people": {2, 5, 8}})],
)
sql_pipeline(
    "rollup_of_nothing",
    "SELECT k, count(*) AS n FROM nothing GROUP BY ROLLUP (k)",
    covers=("grouping_sets", "empty_input"),
    expected_rows=0,
)


@pipeline(
    "api_unpivot_keeps_nulls",
    covers=("unpivot",),
    expected=[({"id": 1, "q": "q3"}, {"quarterly": {1}}), ({"id": 4, "q": "q1"}, {"quarterly": {4}})],
    expected_rows=12,
)
def api_unpivot_keeps_nulls(spark: SparkSession) -> DataFrame:
    return spark.table("quarterly").unpivot(["id", "region"], ["q1", "q2", "q3"], "q", "amount")


@pipeline(
    "api_melt_value_only",
    covers=("unpivot", "note_equal_rows"),
    expected=[({"amount": 7}, {"quarterly": {4}}), ({"amount": None}, {"quarterly": {1, 2, 3}})],
)
def api_melt_value_only(spark: SparkSession) -> DataFrame:
    return spark.table("quarterly").melt("id", ["q1", "q2", "q3"], "q", "amount").select("amount")


@pipeline(
    "api_posexplode_outer",
    covers=("row_expand",),
    expected=[({"id": 4, "place": 2}, {"nested": {4}}), ({"id": 2}, {"nested": {2}})],
)
def api_posexplode_outer(spark: SparkSession) -> DataFrame:
    return spark.table("nested").select("id", sf.posexplode_outer("tags").alias("place", "tag"))


@pipeline(
    "api_explode_sequence",
    covers=("row_expand",),
    # One row per unit sold.
    expected=[({"sid": 105, "unit": 2}, {"sales": {105}})],
)
def api_explode_sequence(spark: SparkSession) -> DataFrame:
    sold = spark.table("sales").where("qty is not null")
    return sold.select("sid", sf.explode(sf.sequence(sf.lit(1), "qty")).alias("unit"))


@pipeline(
    "api_rollup",
    covers=("grouping_sets",),
    expected=[
        ({"part": "B", "ord": None}, {"series": {6, 7, 8}}),
        ({"part": "B", "ord": 6}, {"series": {8}}),
    ],
)
def api_rollup(spark: SparkSession) -> DataFrame:
    return spark.table("series").rollup("part", "ord").agg(sf.sum("v").alias("s"))


@pipeline(
    "api_cube_and_grouping_id",
    covers=("grouping_sets",),
    expected=[({"g": 3}, {"series": {9}}), ({"ord": 3, "g": 2}, {"series": {3, 7}})],
)
def api_cube_and_grouping_id(spark: SparkSession) -> DataFrame:
    # (ord = 3) holds NULLs only, so max takes all of it; the total's max, 100, is row 9's.
    return spark.table("series").cube("part", "ord").agg(sf.max("v").alias("m"), sf.grouping_id().alias("g"))


@pipeline(
    "api_grouping_sets",
    covers=("grouping_sets",),
    expected=[({"k": "b", "v": None}, {"t1": {3, 4}})],
)
def api_grouping_sets(spark: SparkSession) -> DataFrame:
    frame = spark.table("t1")
    return frame.groupingSets([["k"], []], "k", "v").agg(sf.count("*").alias("n"))


@pipeline(
    "api_indicator_columns",
    covers=("project", "group_by"),
    # One column per tag, as get_dummies would make.
    expected=[({"id": 4}, {"nested": {4}}), ({"id": 1}, {"nested": {1}})],
)
def api_indicator_columns(spark: SparkSession) -> DataFrame:
    tags = spark.table("nested").select("id", sf.explode("tags").alias("tag"))
    flags = [sf.max((sf.col("tag") == tag).cast("int")).alias(f"is_{tag}") for tag in ("x", "y")]
    return tags.groupBy("id").agg(*flags)
