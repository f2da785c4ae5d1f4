"""GROUP BY with every kind of aggregate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Teams: red 1 (70), 2 (85), 8 (70); blue 3 (85), 4 (NULL), 7 (90); NULL 5 (60); green 6 (NULL).

sql_pipeline(
    "max_by_group",
    "SELECT team, max(score) AS best FROM people GROUP BY team",
    covers=("group_by_one_row", "group_by_all_null", "note_null_group"),
    expected=[
        ({"team": "red"}, {"people": {2}}),
        ({"team": "blue"}, {"people": {7}}),
        ({"team": "green"}, {"people": {6}}),  # all inputs NULL: the whole group
        ({"team": None}, {"people": {5}}),
    ],
)
sql_pipeline(
    "min_ties",
    "SELECT team, min(score) AS low FROM people GROUP BY team",
    covers=("group_by_one_row",),
    # Both rows that attain 70.
    expected=[({"team": "red"}, {"people": {1, 8}}), ({"team": "blue"}, {"people": {3}})],
)
sql_pipeline(
    "min_and_max",
    "SELECT team, min(score) AS low, max(score) AS best FROM people GROUP BY team",
    covers=("group_by_one_row",),
    # The NULL score of 4 attains neither.
    expected=[({"team": "blue"}, {"people": {3, 7}})],
)
sql_pipeline(
    "max_null_beside_min",
    "SELECT idx, p, max(v) AS m, min(id) AS first_id FROM cells GROUP BY idx, p",
    covers=("group_by_one_row", "group_by_all_null"),
    expected=[
        ({"idx": "B", "p": "y"}, {"cells": {5, 6}}),  # max is NULL: all rows, though min(id) is attained by 5
        ({"idx": "A", "p": "x"}, {"cells": {1, 2}}),
        ({"idx": "C", "p": None}, {"cells": {9}}),
    ],
)
sql_pipeline(
    "max_with_count",
    "SELECT team, max(score) AS best, count(*) AS n FROM people GROUP BY team",
    covers=("group_by", "note_whole_group"),
    expected=[({"team": "blue"}, {"people": {3, 4, 7}})],
)
sql_pipeline(
    "sum_count_avg",
    "SELECT team, sum(score) AS s, count(score) AS n, avg(score) AS a FROM people GROUP BY team",
    covers=("group_by", "note_whole_group", "note_null_group"),
    # count(score) skips 4, its lineage does not.
    expected=[({"team": "blue"}, {"people": {3, 4, 7}}), ({"team": None}, {"people": {5}})],
)
sql_pipeline(
    "sum_of_case",
    "SELECT team, sum(CASE WHEN city = 'Rome' THEN score ELSE 0 END) AS s FROM people GROUP BY team",
    covers=("group_by", "note_whole_group"),
    expected=[({"team": "red"}, {"people": {1, 2, 8}})],
)
sql_pipeline(
    "count_distinct",
    "SELECT team, count(DISTINCT city) AS n FROM people GROUP BY team",
    covers=("group_by", "note_count_distinct"),
    expected=[({"team": "blue"}, {"people": {3, 4, 7}})],
)
sql_pipeline(
    "group_after_filter",
    "SELECT team, count(*) AS n FROM people WHERE score IS NOT NULL GROUP BY team",
    covers=("group_by", "filter"),
    expected=[({"team": "blue"}, {"people": {3, 7}})],
)
sql_pipeline(
    "max_by_and_min_by",
    "SELECT part, max_by(v, ord) AS latest, min_by(v, ord) AS earliest FROM series WHERE id <> 4 "
    "GROUP BY part",
    covers=("group_by_max_by",),
    expected=[
        ({"part": "B"}, {"series": {6, 8}}),
        ({"part": None}, {"series": {9, 10}}),  # the latest value is NULL itself: row 10 only for max_by
        ({"part": "A"}, {"series": {1, 5}}),
    ],
)
sql_pipeline(
    "max_by_null_value",
    "SELECT part, max_by(v, ord) AS latest FROM series WHERE id <> 4 GROUP BY part",
    covers=("group_by_max_by",),
    # The value at the extreme is NULL, but not because all inputs were.
    expected=[({"part": None}, {"series": {10}})],
)
sql_pipeline(
    "max_by_all_orderings_null",
    "SELECT team, max_by(name, score) AS champion FROM people GROUP BY team",
    covers=("group_by_max_by", "group_by_all_null"),
    expected=[({"team": "green"}, {"people": {6}}), ({"team": "red"}, {"people": {2}})],
)
sql_pipeline(
    "max_by_equal_value_elsewhere",
    "SELECT team, max_by(name, city) AS n FROM people WHERE team = 'red' GROUP BY team",
    covers=("group_by_max_by",),
    # Rome is the extreme: Ann of row 1. Row 8 is an Ann too, but of Oslo.
    expected=[({"team": "red"}, {"people": {1}})],
)
sql_pipeline(
    "any_value_of_equal",
    "SELECT item, any_value(price) AS p FROM sales WHERE item IN ('cup', 'ink') GROUP BY item",
    covers=("group_by_one_row",),
    # Whichever row was taken, both hold that value.
    expected=[({"item": "cup"}, {"sales": {105, 107}})],
)
sql_pipeline(
    "last_is_null",
    "SELECT item, last(qty) AS q, first(qty) AS f FROM sales WHERE sid <= 104 GROUP BY item",
    covers=("group_by_one_row", "group_by_first_null", "note_determinism"),
    deterministic=False,  # file order; one file is one partition
    # pen: 101 (3), 103 (10), 104 (NULL). last is NULL: where it is NULL; first is 3: row 101.
    expected=[({"item": "pen", "q": None, "f": 3}, {"sales": {101, 104}})],
)
sql_pipeline(
    "first_ignoring_nulls",
    "SELECT pid, first(qty, true) AS q FROM sales WHERE pid = 2 GROUP BY pid",
    covers=("group_by_one_row",),
    expected=[({"pid": 2}, {"sales": {103}})],
)
sql_pipeline(
    "max_with_filter_clause",
    "SELECT team, max(score) FILTER (WHERE city = 'Rome') AS best FROM people GROUP BY team",
    covers=("note_filter_clause", "group_by_one_row", "group_by_all_null"),
    expected=[
        ({"team": "red"}, {"people": {1}}),  # 8 has 70 as well, but lives in Oslo
        ({"team": "blue"}, {"people": {7}}),
        ({"team": None}, {"people": {5}}),  # nobody was let in: the whole group
    ],
)
sql_pipeline(
    "max_with_filter_lets_nobody_in",
    "SELECT team, max(score) FILTER (WHERE city = 'Lima') AS best FROM people GROUP BY team",
    covers=("note_filter_clause", "group_by_all_null"),
    expected=[({"team": "red"}, {"people": {1, 2, 8}})],
)
sql_pipeline(
    "sum_with_filter_clause",
    "SELECT team, sum(score) FILTER (WHERE city = 'Rome') AS s FROM people GROUP BY team",
    covers=("note_filter_clause", "note_whole_group"),
    expected=[({"team": "red"}, {"people": {1, 2, 8}})],
)
sql_pipeline(
    "group_keys_dropped",
    "SELECT count(*) AS n FROM people GROUP BY team",
    covers=("group_by", "note_equal_rows"),
    # red and blue both count 3: one row value.
    expected=[({"n": 3}, {"people": {1, 2, 3, 4, 7, 8}}), ({"n": 1}, {"people": {5, 6}})],
)
sql_pipeline(
    "group_keys_dropped_max",
    "SELECT max(score) AS best FROM people GROUP BY team",
    covers=("group_by_one_row", "note_equal_rows"),
    # 85 is red's maximum; blue's 85 (row 3) is not blue's.
    expected=[({"best": 85}, {"people": {2}})],
)
sql_pipeline(
    "group_by_expression",
    "SELECT upper(substr(name, 1, 1)) AS initial, max(score) AS best FROM people "
    "GROUP BY upper(substr(name, 1, 1))",
    covers=("group_by_one_row", "group_by_expression"),
    expected=[({"initial": "A"}, {"people": {1, 8}})],
)
sql_pipeline(
    "having_unselected_min",
    "SELECT team, max(score) AS best FROM people GROUP BY team HAVING min(score) > 65",
    covers=("note_all_aggregates", "note_having", "group_by_one_row"),
    # min is computed too: its row counts; the NULL row 4 still does not.
    expected=[({"team": "blue"}, {"people": {3, 7}})],
)
sql_pipeline(
    "having_unselected_count",
    "SELECT team, max(score) AS best FROM people GROUP BY team HAVING count(*) > 1",
    covers=("note_all_aggregates", "note_having"),
    expected=[({"team": "blue"}, {"people": {3, 4, 7}})],
)
sql_pipeline(
    "order_by_unselected_count",
    "SELECT team, max(score) AS best FROM people GROUP BY team ORDER BY count(*) DESC, team",
    covers=("note_all_aggregates", "sort"),
    expected=[({"team": "blue"}, {"people": {3, 4, 7}})],
)
sql_pipeline(
    "having_on_key",
    "SELECT team, max(score) AS best FROM people GROUP BY team HAVING team = 'blue'",
    covers=("note_having", "group_by_one_row"),
    expected=[({"team": "blue"}, {"people": {7}})],
)
sql_pipeline(
    "max_of_sums",
    "SELECT max(s) AS top FROM (SELECT team, sum(score) AS s FROM people GROUP BY team)",
    covers=("global_aggregate", "group_by"),
    # red's 225 wins; the other groups attain nothing.
    expected=[({"top": 225}, {"people": {1, 2, 8}})],
)
sql_pipeline(
    "sum_of_maxima",
    "SELECT sum(m) AS s FROM (SELECT team, max(score) AS m FROM people GROUP BY team)",
    covers=("global_aggregate", "group_by_one_row"),
    expected=[({"s": 235}, {"people": {2, 5, 6, 7}})],
)
sql_pipeline(
    "max_of_nan_and_zero",
    "SELECT g, max(x) AS m FROM measures GROUP BY g",
    covers=("group_by_one_row", "note_nan_and_zero"),
    expected=[
        ({"g": "p"}, {"measures": {1}}),  # NaN is the largest
        ({"g": "q"}, {"measures": {3, 4}}),  # -0.0 equals 0.0
        ({"g": "r"}, {"measures": {5, 6}}),
        ({"g": "s"}, {"measures": {8}}),
    ],
)
sql_pipeline(
    "group_by_double",
    "SELECT x, count(*) AS n FROM measures GROUP BY x",
    covers=("group_by", "note_nan_and_zero", "note_null_group"),
    expected=[
        ({"x": float("nan")}, {"measures": {1, 5, 6}}),
        ({"x": 0.0}, {"measures": {3, 4}}),
        ({"x": None}, {"measures": {7}}),
    ],
)
sql_pipeline(
    "max_of_product",
    "SELECT item, max(qty * price) AS m FROM sales GROUP BY item",
    covers=("group_by_one_row", "decimal"),
    expected=[({"item": "pen"}, {"sales": {103}}), ({"item": "map"}, {"sales": {110}})],
)
sql_pipeline(
    "max_of_struct_date_string",
    """SELECT item, max(struct(qty, sid)) AS top, min(day) AS since, max(DISTINCT item) AS name
       FROM sales WHERE item = 'pen' AND qty IS NOT NULL GROUP BY item""",
    covers=("group_by_one_row", "struct", "date"),
    # max(item) is attained by every row of the group.
    expected=[({"item": "pen"}, {"sales": {101, 103, 106, 111}})],
)
sql_pipeline(
    "bool_or_is_not_a_row_value",
    "SELECT team, bool_or(score > 80) AS good, count_if(score > 80) AS n FROM people GROUP BY team",
    covers=("group_by",),
    expected=[({"team": "red"}, {"people": {1, 2, 8}})],
)
sql_pipeline(
    "other_aggregates",
    """SELECT team, stddev(score) AS sd, collect_list(score) AS l, sort_array(collect_set(city)) AS c,
       percentile(score, 0.5) AS med, approx_count_distinct(city) AS a, mode(city) AS m, corr(score, pid) AS r
       FROM people GROUP BY team""",
    covers=("group_by", "note_determinism"),
    deterministic=False,
    expected=[({"team": "blue"}, {"people": {3, 4, 7}})],
)
sql_pipeline(
    "group_by_all",
    "SELECT city, team, count(*) AS n FROM people GROUP BY ALL",
    covers=("group_by",),
    expected=[({"city": "Rome", "team": "blue"}, {"people": {3, 7}})],
)


@pipeline(
    "api_group_agg_then_filter",
    covers=("group_by", "filter"),
    expected=[({"team": "red"}, {"people": {1, 2, 8}})],
    expected_rows=2,
)
def api_group_agg_then_filter(spark: SparkSession) -> DataFrame:
    grouped = (
        spark.table("people").groupBy("team").agg(sf.count("*").alias("n"), sf.max("score").alias("best"))
    )
    return grouped.where("n > 1").drop("n")


@pipeline(
    "api_group_by_max_method",
    covers=("group_by_one_row",),
    expected=[
        ({"dept": "it"}, {"emp": {5}}),
        ({"dept": None}, {"emp": {7}}),
        ({"dept": "hr"}, {"emp": {3, 6}}),
    ],
)
def api_group_by_max_method(spark: SparkSession) -> DataFrame:
    return spark.table("emp").groupBy("dept").max("pay")
