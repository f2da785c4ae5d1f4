"""Row-wise expressions typical of ETL: NULL handling, text, dates, decimals, nested values, randomness."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

sql_pipeline(
    "filter_three_valued",
    "SELECT id FROM t1 WHERE NOT (v > 15 AND k <> 'a')",
    covers=("filter", "three_valued_logic"),
    # 4: k decides nothing, unknown; 8: v is false, so the whole is true despite its NULL key.
    expected=[({"id": 8}, {"t1": {8}}), ({"id": 2}, {"t1": {2}})],
    expected_rows=4,
)
sql_pipeline(
    "project_merges_equal_rows",
    "SELECT k FROM t1",
    covers=("project", "note_equal_rows", "note_null_group"),
    expected=[({"k": "a"}, {"t1": {1, 2}}), ({"k": None}, {"t1": {6, 8}})],
)
sql_pipeline(
    "project_zero_and_nan",
    "SELECT g, x FROM measures",
    covers=("project", "note_nan_and_zero"),
    expected=[({"g": "q"}, {"measures": {3, 4}}), ({"g": "r"}, {"measures": {5, 6}})],
)
sql_pipeline(
    "case_when",
    "SELECT CASE WHEN v >= 30 THEN 'high' WHEN v >= 20 THEN 'mid' WHEN v IS NULL THEN 'none' "
    "ELSE 'low' END AS band "
    "FROM t1",
    covers=("project", "case_when"),
    expected=[
        ({"band": "high"}, {"t1": {5, 6}}),
        ({"band": "none"}, {"t1": {4, 7}}),
        ({"band": "low"}, {"t1": {1, 3, 8}}),
    ],
)
sql_pipeline(
    "like_with_escape",
    "SELECT id FROM texts WHERE s LIKE '100!%' ESCAPE '!' OR s LIKE 'a\\_b'",
    covers=("filter", "like"),
    # The wildcard readings would also give 3 and 5.
    expected=[({"id": 2}, {"texts": {2}}), ({"id": 4}, {"texts": {4}})],
    expected_rows=2,
)
sql_pipeline(
    "between_and_in_list",
    "SELECT sid FROM sales WHERE price BETWEEN 1.50 AND 4 AND item IN ('pen', 'cup', NULL) "
    "AND qty NOT IN (1, 2)",
    covers=("filter", "in_list"),
    expected=[({"sid": 106}, {"sales": {106}})],
    expected_rows=4,
)
sql_pipeline(
    "text_functions",
    """SELECT id, concat_ws('-', upper(trim(s)), length(s)) AS a, regexp_extract(s, '([0-9]+)', 1) AS b,
       regexp_replace(s, '[^a-z]', '') AS c, s RLIKE '^[a-z]' AS d, split(s, ',')[0] AS e,
       lpad(s, 5, '*') AS f, translate(s, 'aeiou', 'AEIOU') AS g, substring(s, -2) AS h FROM texts""",
    covers=("project", "text"),
    expected=[({"id": 7}, {"texts": {7}}), ({"id": 9}, {"texts": {9}})],
)
sql_pipeline(
    "text_values_with_quotes",
    "SELECT s, count(*) AS n FROM texts GROUP BY s",
    covers=("group_by", "text"),
    # Values that break a careless SQL text.
    expected=[
        ({"s": "it's"}, {"texts": {1}}),
        ({"s": "back\\slash"}, {"texts": {6}}),
        ({"s": "naïve café ☕"}, {"texts": {7}}),
        ({"s": '"quoted"'}, {"texts": {12}}),
        ({"s": ""}, {"texts": {8}}),
        ({"s": None}, {"texts": {9}}),
    ],
)
sql_pipeline(
    "date_functions",
    """SELECT trunc(day, 'MM') AS month, count(*) AS n, max(datediff(date '2024-03-31', day)) AS age
       FROM sales WHERE day >= date '2024-01-31' GROUP BY trunc(day, 'MM')""",
    covers=("group_by", "date", "group_by_expression"),
    expected=[
        ({"month": date(2024, 1, 1)}, {"sales": {110}}),
        ({"month": date(2024, 2, 1)}, {"sales": {103, 104, 105}}),
    ],
)
sql_pipeline(
    "timestamp_functions",
    """SELECT id, date_format(at, 'yyyy-MM-dd') AS day, hour(at) AS h, at + INTERVAL 1 DAY AS later,
       date_trunc('HOUR', at) AS hour_start, year(add_months(to_date(at), 1)) AS y, unix_timestamp(at) AS u
       FROM events WHERE at < timestamp '2024-03-01 00:00:00'""",
    covers=("project", "timestamp"),
    expected=[({"id": 2, "day": "2024-02-29"}, {"events": {2}})],
    expected_rows=4,
)
sql_pipeline(
    "group_by_day",
    "SELECT to_date(at) AS day, max(amount) AS top FROM events GROUP BY to_date(at)",
    covers=("group_by_one_row", "timestamp", "decimal"),
    expected=[({"day": date(2024, 2, 29)}, {"events": {6}}), ({"day": None}, {"events": {4}})],
)
sql_pipeline(
    "decimal_arithmetic",
    """SELECT sid, CAST(qty * price * 1.19 AS DECIMAL(12, 2)) AS gross, round(price, 1) AS r,
       price % 1 AS part, ceil(price) AS c, try_divide(price, qty - 1) AS each FROM sales""",
    covers=("project", "decimal"),
    expected=[({"sid": 102}, {"sales": {102}}), ({"sid": 110}, {"sales": {110}})],
)
sql_pipeline(
    "try_functions",
    "SELECT id, try_cast(s AS INT) AS n, try_add(2147483647, id) AS big, nullif(s, '') AS t FROM texts",
    covers=("project", "try_functions"),
    expected=[({"id": 8}, {"texts": {8}})],
)
sql_pipeline(
    "coalesce_merges",
    "SELECT coalesce(k, 'a') AS k, nvl(v, 0) AS v FROM t1",
    covers=("project", "note_equal_rows"),
    # Row 8 (NULL, 10) turns into the value of row 1.
    expected=[({"k": "a", "v": 10}, {"t1": {1, 8}}), ({"k": "d"}, {"t1": {7}})],
)
sql_pipeline(
    "nested_fields",
    "SELECT address.street, address.geo.lat, tags[0] AS tag, props['a'] AS a, size(lines) AS n FROM nested "
    "WHERE address.zip = '00100'",
    covers=("project", "filter", "struct", "map"),
    expected=[({"street": None}, {"nested": {5}})],
    expected_rows=2,
)
sql_pipeline(
    "group_by_struct_and_array",
    "SELECT address.geo AS geo, count(*) AS n FROM nested GROUP BY address.geo",
    covers=("group_by", "struct"),
    expected=[({"geo": (1.0, 2.0)}, {"nested": {1, 5}}), ({"geo": None}, {"nested": {2, 3}})],
)
sql_pipeline(
    "higher_order_functions",
    """SELECT id, transform(tags, t -> upper(t)) AS up, filter(tags, t -> t = 'y') AS ys,
       aggregate(lines, 0, (total, l) -> total + coalesce(l.n, 0)) AS total,
       exists(tags, t -> t IS NULL) AS hole, map_filter(props, (name, n) -> n > 1) AS large,
       array_contains(tags, 'x') AS has_x,
       named_struct('id', id, 'n', size(tags)) AS s FROM nested""",
    covers=("project", "higher_order", "array", "map", "struct"),
    expected=[({"id": 4, "ys": ["y", "y"]}, {"nested": {4}}), ({"id": 3}, {"nested": {3}})],
)
sql_pipeline(
    "json_functions",
    "SELECT id, from_json(payload, 'kind STRING, n INT') AS body, get_json_object(payload, '$.kind') AS kind "
    "FROM events",
    covers=("project", "json"),
    expected=[({"id": 5, "kind": "buy"}, {"events": {5}})],
)
sql_pipeline(
    "json_then_group",
    """SELECT body.kind, sum(body.n) AS n FROM
       (SELECT from_json(payload, 'kind STRING, n INT') AS body FROM events)
       GROUP BY body.kind""",
    covers=("group_by", "json", "note_whole_group"),
    expected=[({"kind": "buy"}, {"events": {1, 2, 5}}), ({"kind": None}, {"events": {4, 6}})],
)
sql_pipeline(
    "random_column",
    "SELECT id, rand() AS r, uuid() AS u, monotonically_increasing_id() AS m FROM t1",
    covers=("project", "note_determinism", "nondeterministic"),
    deterministic=False,
    expected=[({"id": 4}, {"t1": {4}})],
)
sql_pipeline(
    "random_filter",
    "SELECT id, k FROM t1 WHERE rand(5) < 0.5",
    covers=("filter", "note_determinism", "nondeterministic"),
    deterministic=False,
)
sql_pipeline(
    "random_column_then_group",
    "SELECT k, count(*) AS n, max(r) AS m FROM (SELECT k, rand(3) AS r FROM t1) GROUP BY k",
    covers=("group_by", "note_determinism", "nondeterministic"),
    deterministic=False,
    expected=[({"k": "b"}, {"t1": {3, 4}})],
)


@pipeline(
    "api_fillna_merges",
    covers=("project", "note_equal_rows"),
    expected=[({"k": "d", "v": 0}, {"t1": {7}}), ({"k": "?", "v": 40}, {"t1": {6}})],
)
def api_fillna_merges(spark: SparkSession) -> DataFrame:
    return spark.table("t1").select("k", "v").fillna({"k": "?", "v": 0})


@pipeline("api_dropna", covers=("filter",), expected=[({"pid": 5}, {"people": {5}})], expected_rows=6)
def api_dropna(spark: SparkSession) -> DataFrame:
    return spark.table("people").dropna(how="any", subset=["score", "name"])


@pipeline(
    "api_replace",
    covers=("project", "note_equal_rows"),
    # b turns into a: its rows join those that were a all along.
    expected=[({"k": "a"}, {"t1": {1, 2, 3, 4}})],
)
def api_replace(spark: SparkSession) -> DataFrame:
    return spark.table("t1").select("k").replace({"b": "a"}, subset=["k"])


@pipeline(
    "api_with_column_chain",
    covers=("project", "filter", "drop_rename_cast"),
    expected=[({"sid": 103, "band": "big"}, {"sales": {103}})],
)
def api_with_column_chain(spark: SparkSession) -> DataFrame:
    frame = spark.table("sales").withColumn("total", sf.col("qty") * sf.col("price"))
    frame = frame.withColumn("band", sf.when(sf.col("total") > 10, "big").otherwise("small"))
    frame = frame.withColumns({"year": sf.year("day"), "total": sf.col("total").cast("double")})
    return frame.where(sf.col("total").isNotNull()).select("sid", "band", "year", "total")


@pipeline("api_observed", covers=("filter", "observe"), expected=[({"id": 5}, {"t1": {5}})])
def api_observed(spark: SparkSession) -> DataFrame:
    return spark.table("t1").observe("corpus_seen", sf.count(sf.lit(1)).alias("n")).where("v = 30")
