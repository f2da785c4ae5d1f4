"""Window aggregates over every kind of frame, and ranking functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql.window import Window

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Part A: 1 to 5 by (ord, id), 4 and 5 peers in ord. B: 6 (ord 1), 7 (3), 8 (6). NULL: 9, 10. C: 11.

sql_pipeline(
    "window_default_frame",
    "SELECT id, sum(v) OVER (PARTITION BY part ORDER BY ord) AS s FROM series",
    covers=("window_frame", "note_null_group"),
    expected=[
        ({"id": 4}, {"series": {1, 2, 3, 4, 5}}),  # RANGE by default: the peer 5 is in
        ({"id": 3}, {"series": {1, 2, 3}}),
        ({"id": 10}, {"series": {9, 10}}),  # NULL is a partition
    ],
)
sql_pipeline(
    "window_rows_frame",
    "SELECT id, sum(v) OVER (PARTITION BY part ORDER BY ord, id ROWS BETWEEN 1 PRECEDING "
    "AND CURRENT ROW) AS s "
    "FROM series",
    covers=("window_frame",),
    expected=[({"id": 4}, {"series": {3, 4}}), ({"id": 6}, {"series": {6}})],
)
sql_pipeline(
    "window_rows_following",
    "SELECT id, count(v) OVER (PARTITION BY part ORDER BY ord, id ROWS BETWEEN 1 FOLLOWING "
    "AND 2 FOLLOWING) AS n "
    "FROM series",
    covers=("window_frame",),
    # The frame leaves the row out, the lineage does not; at the end the frame is empty.
    expected=[({"id": 1}, {"series": {1, 2, 3}}), ({"id": 5}, {"series": {5}})],
)
sql_pipeline(
    "window_rows_centered",
    "SELECT id, avg(v) OVER (PARTITION BY part ORDER BY ord, id ROWS BETWEEN 1 PRECEDING "
    "AND 1 FOLLOWING) AS a "
    "FROM series",
    covers=("window_frame",),
    expected=[({"id": 7}, {"series": {6, 7, 8}}), ({"id": 1}, {"series": {1, 2}})],
)
sql_pipeline(
    "window_range_frame",
    "SELECT id, count(*) OVER (PARTITION BY part ORDER BY ord RANGE BETWEEN 2 PRECEDING "
    "AND CURRENT ROW) AS n "
    "FROM series",
    covers=("window_frame",),
    expected=[
        ({"id": 7}, {"series": {6, 7}}),
        ({"id": 8}, {"series": {8}}),  # ord 6: nothing within 2
        ({"id": 4}, {"series": {2, 3, 4, 5}}),
    ],
)
sql_pipeline(
    "window_range_of_days",
    "SELECT sid, sum(qty) OVER (ORDER BY day RANGE BETWEEN INTERVAL 10 DAYS PRECEDING "
    "AND CURRENT ROW) AS q FROM sales",
    covers=("window_frame", "date"),
    expected=[
        ({"sid": 105}, {"sales": {103, 104, 105, 110}}),  # 31 January is exactly 10 days before
        ({"sid": 108}, {"sales": {108}}),  # NULL day: its peers are the NULLs
    ],
)
sql_pipeline(
    "window_whole_partition",
    "SELECT id, v - avg(v) OVER (PARTITION BY part) AS d FROM series",
    covers=("window_frame",),
    expected=[({"id": 6}, {"series": {6, 7, 8}}), ({"id": 11}, {"series": {11}})],
)
sql_pipeline(
    "window_max_over_everything",
    "SELECT id, max(v) OVER () AS m FROM series WHERE part IS NOT NULL",
    covers=("window_frame",),
    # No exception for max in a window: its frame.
    expected=[({"id": 6}, {"series": {1, 2, 3, 4, 5, 6, 7, 8, 11}})],
)
sql_pipeline(
    "window_value_only",
    "SELECT count(*) OVER (PARTITION BY part) AS n FROM series",
    covers=("window_frame", "note_equal_rows"),
    expected=[({"n": 1}, {"series": {11}}), ({"n": 2}, {"series": {9, 10}})],
)
sql_pipeline(
    "window_equal_rows",
    "SELECT k, v, sum(v) OVER (PARTITION BY k ORDER BY v) AS s FROM bag",
    covers=("window_frame", "note_equal_rows"),
    expected=[({"k": "a", "v": 2}, {"bag": {("a", 1), ("a", 2)}}), ({"k": "a", "v": 1}, {"bag": {("a", 1)}})],
)
sql_pipeline(
    "rank_and_dense_rank",
    "SELECT id, rank() OVER (PARTITION BY part ORDER BY ord) AS r, "
    "dense_rank() OVER (PARTITION BY part ORDER BY ord) AS d FROM series",
    covers=("window_ranking",),
    # Peers belong to the rank of either.
    expected=[({"id": 4}, {"series": {1, 2, 3, 4, 5}}), ({"id": 2}, {"series": {1, 2}})],
)
sql_pipeline(
    "row_number_unique",
    "SELECT id, row_number() OVER (PARTITION BY part ORDER BY ord, id) AS n FROM series",
    covers=("window_ranking",),
    expected=[({"id": 4}, {"series": {1, 2, 3, 4}}), ({"id": 9}, {"series": {9}})],
)
sql_pipeline(
    "row_number_with_ties",
    "SELECT id, row_number() OVER (PARTITION BY part ORDER BY ord) AS n FROM series",
    covers=("window_ranking", "note_determinism"),
    deterministic=False,
    expected=[({"id": 3}, {"series": {1, 2, 3}})],
)
sql_pipeline(
    "row_number_is_one",
    "SELECT id, v FROM (SELECT *, row_number() OVER (PARTITION BY part ORDER BY v DESC, id) AS n "
    "FROM series) "
    "WHERE n = 1",
    covers=("window_ranking", "filter"),
    # Rank 1 needs nothing before it.
    expected=[({"id": 5}, {"series": {5}}), ({"id": 8}, {"series": {8}})],
    expected_rows=4,
)
sql_pipeline(
    "row_number_is_two",
    "SELECT id FROM (SELECT *, row_number() OVER (PARTITION BY part ORDER BY v DESC, id) AS n "
    "FROM series) WHERE n = 2",
    covers=("window_ranking", "filter"),
    # To be second, the first is needed.
    expected=[({"id": 2}, {"series": {2, 5}}), ({"id": 6}, {"series": {6, 8}})],
    expected_rows=3,
)
sql_pipeline(
    "row_number_of_equal_rows",
    "SELECT k FROM (SELECT k, row_number() OVER (PARTITION BY k ORDER BY k) AS n FROM t1) WHERE n = 1",
    covers=("window_ranking", "note_equal_rows_below_limit"),
    # As analyzed, the window sees k alone: rows with equal k are equal rows there.
    expected=[({"k": None}, {"t1": {6, 8}}), ({"k": "a"}, {"t1": {1, 2}}), ({"k": "d"}, {"t1": {7}})],
    expected_rows=5,
)
sql_pipeline(
    "row_number_of_bag",
    "SELECT k, v FROM (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS n FROM bag) WHERE n = 1",
    covers=("window_ranking", "note_equal_rows_below_limit"),
    expected=[({"k": "a"}, {"bag": {("a", 1)}}), ({"k": "c"}, {"bag": {("c", None)}})],
    expected_rows=4,
)
sql_pipeline(
    "ntile_percent_rank_cume_dist",
    "SELECT id, ntile(2) OVER w AS t, percent_rank() OVER w AS p, cume_dist() OVER w AS c FROM series "
    "WINDOW w AS (PARTITION BY part ORDER BY ord, id)",
    covers=("window_partition",),
    expected=[({"id": 1}, {"series": {1, 2, 3, 4, 5}}), ({"id": 6}, {"series": {6, 7, 8}})],
)
sql_pipeline(
    "cume_dist_alone",
    "SELECT id, cume_dist() OVER (PARTITION BY part ORDER BY ord) AS c FROM series",
    covers=("window_partition",),
    # It counts the partition, rows after it too.
    expected=[({"id": 2}, {"series": {1, 2, 3, 4, 5}})],
)
sql_pipeline(
    "window_over_group_by",
    "SELECT team, sum(score) AS s, rank() OVER (ORDER BY sum(score) DESC) AS r FROM people GROUP BY team",
    covers=("window_ranking", "group_by"),
    expected=[({"team": "red"}, {"people": {1, 2, 8}}), ({"team": "blue"}, {"people": {1, 2, 3, 4, 7, 8}})],
)
sql_pipeline(
    "windows_of_two_specifications",
    "SELECT id, sum(v) OVER (PARTITION BY part ORDER BY ord, id ROWS 1 PRECEDING) AS a, "
    "sum(v) OVER (PARTITION BY ord) AS b FROM series",
    covers=("note_windows_one_select", "window_frame"),
    expected=[
        # Frame by part: 1, 2. By ord 2: 2, 10. Not 9, which is before 10 in 10's own frame by part.
        ({"id": 2}, {"series": {1, 2, 10}}),
        ({"id": 7}, {"series": {3, 6, 7}}),
    ],
)
sql_pipeline(
    "window_over_window",
    "SELECT id, sum(s) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS t FROM "
    "(SELECT id, sum(v) OVER (PARTITION BY part ORDER BY ord) AS s FROM series)",
    covers=("note_window_over_window", "window_frame"),
    # 6 takes 5's running sum with it, and so all of part A.
    expected=[({"id": 6}, {"series": {1, 2, 3, 4, 5, 6}}), ({"id": 2}, {"series": {1, 2}})],
)
sql_pipeline(
    "window_then_sum",
    "SELECT part, sum(n) AS s FROM (SELECT part, count(*) OVER (PARTITION BY ord) AS n FROM series) "
    "GROUP BY part",
    covers=("window_frame", "group_by", "note_not_closed"),
    # C is row 11, whose frame is everything with ord 1.
    expected=[({"part": "C"}, {"series": {1, 6, 9, 11}})],
)


@pipeline(
    "api_window_running_total",
    covers=("window_frame",),
    expected=[({"sid": 111}, {"sales": {101, 102, 111}}), ({"sid": 106}, {"sales": {106}})],
)
def api_window_running_total(spark: SparkSession) -> DataFrame:
    frame = Window.partitionBy("pid").orderBy("sid").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    return spark.table("sales").select("sid", sf.sum("qty").over(frame).alias("total"))


@pipeline(
    "api_window_with_column_chain",
    covers=("window_ranking", "note_window_over_window"),
    expected=[({"id": 3}, {"series": {1, 2, 3}})],
)
def api_window_with_column_chain(spark: SparkSession) -> DataFrame:
    window = Window.partitionBy("part").orderBy("ord", "id")
    numbered = spark.table("series").withColumn("n", sf.row_number().over(window))
    return numbered.withColumn("before", sf.lag("n").over(window)).select("id", "before")
