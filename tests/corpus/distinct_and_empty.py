"""DISTINCT, dropDuplicates, GROUP BY without aggregates, global aggregates, and empty inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

sql_pipeline(
    "distinct_columns",
    "SELECT DISTINCT name, team FROM people",
    covers=("distinct",),
    expected=[({"name": "Ann"}, {"people": {1, 8}})],
)
sql_pipeline(
    "distinct_doubles",
    "SELECT DISTINCT x FROM measures",
    covers=("distinct", "note_nan_and_zero"),
    expected=[({"x": float("nan")}, {"measures": {1, 5, 6}}), ({"x": 0.0}, {"measures": {3, 4}})],
    expected_rows=5,
)
sql_pipeline(
    "distinct_bag",
    "SELECT DISTINCT * FROM bag",
    covers=("distinct", "note_equal_rows", "note_null_group"),
    expected=[
        ({"k": "a", "v": 1}, {"bag": {("a", 1)}}),
        ({"k": "c"}, {"bag": {("c", None)}}),
        ({"k": None}, {"bag": {(None, 1)}}),
    ],
    expected_rows=5,
)
sql_pipeline(
    "group_by_without_aggregate",
    "SELECT city FROM people GROUP BY city",
    covers=("note_group_by_no_aggregate", "distinct"),
    expected=[({"city": "Rome"}, {"people": {1, 3, 7}}), ({"city": None}, {"people": {4}})],
)
sql_pipeline(
    "group_by_without_aggregate_having",
    "SELECT upper(city) AS c FROM people GROUP BY city, team HAVING team = 'red'",
    covers=("note_group_by_no_aggregate", "note_having"),
    expected=[({"c": "OSLO"}, {"people": {2, 8}})],
)
sql_pipeline(
    "count_over_distinct",
    "SELECT count(*) AS n FROM (SELECT DISTINCT city FROM people WHERE city <> 'Lima')",
    covers=("distinct", "global_aggregate"),
    expected=[({"n": 2}, {"people": {1, 2, 3, 5, 7, 8}})],
)
sql_pipeline(
    "global_max",
    "SELECT max(score) AS best FROM people",
    covers=("global_aggregate", "group_by_one_row"),
    expected=[({"best": 90}, {"people": {7}})],
)
sql_pipeline(
    "global_sum",
    "SELECT sum(score) AS s FROM people",
    covers=("global_aggregate", "note_whole_group"),
    expected=[({"s": 460}, {"people": {1, 2, 3, 4, 5, 6, 7, 8}})],
)
sql_pipeline(
    "count_of_nothing",
    "SELECT count(*) AS n FROM nothing",
    covers=("global_aggregate", "empty_input", "note_nothing_reached"),
    expected=[({"n": 0}, {})],
)
sql_pipeline(
    "max_of_nothing",
    "SELECT max(v) AS m, count(v) AS n FROM t1 WHERE v > 1000",
    covers=("global_aggregate", "empty_input", "note_nothing_reached"),
    # NULL not for want of values but for want of rows.
    expected=[({"n": 0}, {})],
)
sql_pipeline(
    "count_over_join_that_is_empty",
    "SELECT count(*) AS n FROM t1 JOIN nothing ON t1.k = nothing.k",
    covers=("global_aggregate", "empty_input", "note_nothing_reached"),
    expected=[({"n": 0}, {})],
)
sql_pipeline(
    "group_by_over_nothing",
    "SELECT k, count(*) AS n FROM nothing GROUP BY k",
    covers=("group_by", "empty_input"),
    expected_rows=0,
)
sql_pipeline(
    "global_count_crossed",
    "SELECT t1.id, c.n FROM t1 CROSS JOIN (SELECT count(*) AS n FROM t2 WHERE v > 100) c",
    covers=("cross_join", "global_aggregate", "note_nothing_reached"),
    expected=[({"id": 3}, {"t1": {3}})],
)


@pipeline(
    "api_drop_duplicates",
    covers=("distinct",),
    expected=[({"team": "red", "city": "Oslo"}, {"people": {2, 8}})],
)
def api_drop_duplicates(spark: SparkSession) -> DataFrame:
    return spark.table("people").select("team", "city").dropDuplicates()


@pipeline(
    "api_drop_duplicates_subset",
    covers=("distinct", "note_determinism"),
    deterministic=False,
    # Whichever row stands for the team, its lineage is every row of the team.
    expected=[({"team": "red"}, {"people": {1, 2, 8}}), ({"team": None}, {"people": {5}})],
)
def api_drop_duplicates_subset(spark: SparkSession) -> DataFrame:
    return spark.table("people").dropDuplicates(["team"])


@pipeline(
    "api_drop_duplicates_then_aggregate",
    covers=("distinct", "group_by", "note_determinism"),
    deterministic=False,
    expected=[({"team": "blue"}, {"people": {3, 4, 7}})],
)
def api_drop_duplicates_then_aggregate(spark: SparkSession) -> DataFrame:
    # Unique per (team, city): blue keeps one Rome and one NULL, whichever they are.
    return spark.table("people").dropDuplicates(["team", "city"]).groupBy("team").count()
