"""Sort, limit, top-k, offset, sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

sql_pipeline(
    "sort_by_dropped_column",
    "SELECT k FROM t1 ORDER BY v DESC NULLS LAST, id",
    covers=("sort", "project"),
    expected=[({"k": "a"}, {"t1": {1, 2}})],
)
sql_pipeline(
    "topk_through_projection",
    "SELECT k FROM t1 ORDER BY v DESC, id LIMIT 2",
    covers=("topk", "limit", "note_equal_rows_below_limit", "note_written_plan"),
    # As analyzed, the Limit stands above the projection to k: its two NULL rows (6, 8) are equal there.
    expected=[({"k": None}, {"t1": {6, 8}}), ({"k": "c"}, {"t1": {5}})],
    expected_rows=2,
)
sql_pipeline(
    "topk_whole_rows",
    "SELECT * FROM sales ORDER BY price DESC, sid LIMIT 3",
    covers=("topk",),
    expected=[({"sid": 109}, {"sales": {109}})],
    expected_rows=3,
)
sql_pipeline(
    "topk_with_ties",
    "SELECT pid, score FROM people ORDER BY score DESC LIMIT 2",
    covers=("topk", "note_determinism"),
    deterministic=False,
    # 85 is 2 or 3; 90 is certain.
    expected=[({"pid": 7}, {"people": {7}})],
)
sql_pipeline(
    "limit_offset",
    "SELECT id FROM t1 ORDER BY id LIMIT 2 OFFSET 3",
    covers=("limit", "note_not_closed"),
    reexecutable=False,
    expected=[({"id": 4}, {"t1": {4}})],
    expected_rows=2,
)
sql_pipeline(
    "offset_only",
    "SELECT id, v FROM t1 ORDER BY id OFFSET 6",
    covers=("limit", "note_not_closed"),
    reexecutable=False,
    expected=[({"id": 8}, {"t1": {8}})],
    expected_rows=2,
)
sql_pipeline(
    "sum_over_limit",
    "SELECT sum(v) AS s FROM (SELECT id, v FROM t1 ORDER BY id LIMIT 3)",
    covers=("topk", "global_aggregate"),
    expected=[({"s": 40}, {"t1": {1, 2, 3}})],
)
sql_pipeline(
    "count_over_limit_of_equal_rows",
    "SELECT count(*) AS n FROM (SELECT k FROM t1 ORDER BY k NULLS FIRST LIMIT 1)",
    covers=("topk", "note_equal_rows_below_limit"),
    # One NULL was counted; it cannot be told from the other.
    expected=[({"n": 1}, {"t1": {6, 8}})],
)
sql_pipeline(
    "limit_of_bag",
    "SELECT * FROM bag ORDER BY k NULLS LAST, v LIMIT 1",
    covers=("topk", "note_equal_rows_below_limit", "note_equal_rows"),
    expected=[({"k": "a"}, {"bag": {("a", 1)}})],
    expected_rows=1,
)
sql_pipeline("limit_zero", "SELECT * FROM t1 LIMIT 0", covers=("limit", "empty_input"), expected_rows=0)
sql_pipeline(
    "limit_unordered",
    "SELECT * FROM people LIMIT 3",
    covers=("limit", "note_determinism"),
    deterministic=False,
    expected_rows=3,
)
sql_pipeline(
    "topk_of_groups",
    "SELECT team, count(*) AS n FROM people GROUP BY team ORDER BY n DESC, team LIMIT 1",
    covers=("topk", "group_by"),
    expected=[({"team": "blue"}, {"people": {3, 4, 7}})],
    expected_rows=1,
)
sql_pipeline(
    "topk_joined",
    """SELECT s.sid, p.name FROM (SELECT * FROM sales WHERE pid IS NOT NULL ORDER BY day DESC, sid LIMIT 2) s
       JOIN people p ON p.pid = s.pid""",
    covers=("topk", "inner_join"),
    expected=[({"sid": 111}, {"sales": {111}, "people": {1}})],
)
sql_pipeline(
    "sort_in_partitions",
    "SELECT id, k FROM t1 DISTRIBUTE BY k SORT BY id",
    covers=("sort",),
    expected=[({"id": 6}, {"t1": {6}})],
)
sql_pipeline(
    "table_sample",
    "SELECT id, k FROM t1 TABLESAMPLE (100 PERCENT) REPEATABLE (3)",
    covers=("sample",),
    expected=[({"id": 6}, {"t1": {6}})],
    expected_rows=8,
)


@pipeline(
    "api_topk_then_projection",
    covers=("topk", "note_written_plan"),
    # Here the limit stands below the projection: the other NULL row (8) is no lineage.
    expected=[({"k": None}, {"t1": {6}})],
    expected_rows=1,
)
def api_topk_then_projection(spark: SparkSession) -> DataFrame:
    return spark.table("t1").orderBy(sf.desc("v"), "id").limit(1).select("k")


@pipeline(
    "api_sample_with_seed",
    covers=("sample", "note_determinism"),
    deterministic=False,
)
def api_sample_with_seed(spark: SparkSession) -> DataFrame:
    return spark.table("people").sample(fraction=0.5, seed=7)


@pipeline("api_sample_with_replacement", covers=("sample", "note_determinism"), deterministic=False)
def api_sample_with_replacement(spark: SparkSession) -> DataFrame:
    return spark.table("people").sample(withReplacement=True, fraction=1.5, seed=3).select("pid")


@pipeline("api_random_split", covers=("sample", "sort", "note_determinism"), deterministic=False)
def api_random_split(spark: SparkSession) -> DataFrame:
    return spark.table("people").randomSplit([0.5, 0.5], seed=5)[0]


@pipeline("api_sample_by", covers=("sample", "note_determinism"), deterministic=False)
def api_sample_by(spark: SparkSession) -> DataFrame:
    return spark.table("people").sampleBy("team", {"red": 0.5, "blue": 1.0}, seed=1)


@pipeline(
    "api_sort_repartition",
    covers=("sort", "repartition"),
    expected=[({"pid": 4}, {"people": {4}})],
)
def api_sort_repartition(spark: SparkSession) -> DataFrame:
    spread = spark.table("people").repartition(2, "team").sortWithinPartitions("pid")
    return spread.coalesce(1).orderBy(sf.col("score").asc_nulls_last(), "pid")


@pipeline(
    "api_offset",
    covers=("limit", "note_not_closed"),
    reexecutable=False,
    expected=[({"pid": 8}, {"people": {8}})],
    expected_rows=1,
)
def api_offset(spark: SparkSession) -> DataFrame:
    return spark.table("people").orderBy("pid").offset(7)
