"""CTEs, views over views, and names: repeated, quoted, renamed, aliased, shadowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

sql_pipeline(
    "cte_used_twice",
    """WITH best AS (SELECT k, max(v) AS m FROM t1 WHERE k IS NOT NULL GROUP BY k)
       SELECT a.k AS low, b.k AS high FROM best a JOIN best b ON a.m < b.m""",
    covers=("note_references", "cte", "inner_join"),
    # a 20 (row 2), b 10 (row 3), c 30 (row 5).
    expected=[({"low": "b", "high": "a"}, {"t1": {2, 3}}), ({"low": "a", "high": "c"}, {"t1": {2, 5}})],
    expected_rows=3,
)
sql_pipeline(
    "cte_nested",
    """WITH outer_cte AS (WITH inner_cte AS (SELECT pid, sum(qty) AS q FROM sales GROUP BY pid)
         SELECT p.team, i.q FROM people p JOIN inner_cte i ON p.pid = i.pid)
       SELECT team, count(*) AS n FROM outer_cte WHERE q > (SELECT avg(q) FROM outer_cte) GROUP BY team""",
    covers=("note_references", "cte", "scalar_subquery"),
    # Sums: 1 has 7, 2 has 10, 3 has 6, 5 has 1, 7 has 2; average 5.2 uses them all.
    expected=[
        (
            {"team": "blue"},
            {"people": {1, 2, 3, 5, 7}, "sales": {101, 102, 103, 104, 105, 108, 109, 110, 111}},
        ),
    ],
    expected_rows=2,
)
sql_pipeline(
    "cte_shadowing_a_view",
    "WITH t1 AS (SELECT id, upper(k) AS k FROM t2 WHERE v IS NOT NULL) SELECT id FROM t1 WHERE k = 'B'",
    covers=("cte", "shadowed_name"),
    # The name t1 is the CTE here; the source is t2.
    expected=[({"id": 7}, {"t2": {7}})],
)
sql_pipeline(
    "cte_chain_in_union",
    """WITH a AS (SELECT k, v FROM t1 WHERE v > 10), b AS (SELECT k, v FROM a WHERE v < 40)
       SELECT k FROM a UNION ALL SELECT k FROM b""",
    covers=("cte", "union_all", "note_references"),
    expected=[({"k": None}, {"t1": {6}}), ({"k": "c"}, {"t1": {5}})],
)
sql_pipeline(
    "column_alias_in_select",
    "SELECT id, v * 2 AS twice, twice + 1 AS more FROM t1 WHERE k = 'a'",
    covers=("project", "lateral_column_alias"),
    expected=[({"id": 2}, {"t1": {2}})],
)
sql_pipeline(
    "star_except",
    "SELECT * EXCEPT (id) FROM t1",
    covers=("drop_rename_cast", "note_equal_rows"),
    expected=[({"k": "d"}, {"t1": {7}})],
)
sql_pipeline(
    "repeated_output_names",
    "SELECT k, v, v + 1 AS v FROM t1",
    covers=("project", "same_names"),
    expected=[({0: "a", 2: 21}, {"t1": {2}})],
)
sql_pipeline(
    "odd_column_names",
    "SELECT id AS `order id`, k AS `a.b`, v AS `größe`, v AS `select` FROM t1 WHERE v = 40",
    covers=("drop_rename_cast", "quoted_names"),
    expected=[({"order id": 6, "a.b": None, "größe": 40}, {"t1": {6}})],
)
sql_pipeline(
    "names_in_other_case",
    "SELECT T1.ID, t2.V AS W FROM T1 JOIN T2 ON T1.K = T2.k WHERE t1.Id = 2",
    covers=("inner_join", "case_insensitive"),
    expected=[({"W": 15}, {"t1": {2}, "t2": {2}})],
)
sql_pipeline(
    "pipe_syntax",
    "FROM people |> WHERE score IS NOT NULL |> AGGREGATE max(score) AS best GROUP BY team |> WHERE best > 80",
    covers=("group_by_one_row", "pipe_syntax"),
    expected=[({"team": "blue"}, {"people": {7}})],
    expected_rows=2,
)
sql_pipeline(
    "subquery_alias_columns",
    "SELECT x.a, x.c FROM (SELECT id, k, v FROM t1) AS x(a, b, c) WHERE x.b = 'b'",
    covers=("drop_rename_cast", "filter"),
    expected=[({"a": 4}, {"t1": {4}})],
)


@pipeline(
    "view_over_view",
    covers=("view", "semi_join", "note_references"),
    expected=[({"pid": 1}, {"people": {1}, "sales": {101, 111}})],
    expected_rows=2,
)
def view_over_view(spark: SparkSession) -> DataFrame:
    spark.sql("CREATE OR REPLACE TEMP VIEW corpus_pens AS SELECT * FROM sales WHERE item = 'pen'")
    spark.sql("CREATE OR REPLACE TEMP VIEW corpus_pen_people AS SELECT DISTINCT pid FROM corpus_pens")
    return spark.sql("SELECT pid, name FROM people WHERE pid IN (SELECT pid FROM corpus_pen_people)")


@pipeline(
    "view_used_twice",
    covers=("view", "note_references", "group_by"),
    expected=[({"k": "a"}, {"t1": {1, 2}})],
)
def view_used_twice(spark: SparkSession) -> DataFrame:
    spark.table("t1").groupBy("k").agg(sf.sum("v").alias("s")).createOrReplaceTempView("corpus_sums")
    return spark.sql("SELECT x.k, y.s FROM corpus_sums x JOIN corpus_sums y ON x.k = y.k AND x.s = y.s")


@pipeline(
    "sql_parameters",
    covers=("filter", "parameters"),
    expected=[({"id": 5}, {"t1": {5}})],
    expected_rows=2,
)
def sql_parameters(spark: SparkSession) -> DataFrame:
    return spark.sql("SELECT id FROM {frame} WHERE v >= :low", args={"low": 30}, frame=spark.table("t1"))


@pipeline(
    "sql_function",
    covers=("scalar_subquery", "sql_function"),
    expected=[({"id": 1}, {"t1": {1}, "t2": {2}}), ({"id": 7}, {"t1": {7}})],
)
def sql_function(spark: SparkSession) -> DataFrame:
    spark.sql(
        "CREATE OR REPLACE TEMPORARY FUNCTION corpus_best(key STRING) RETURNS INT "
        "RETURN (SELECT max(v) FROM t2 WHERE t2.k = key)"
    )
    return spark.sql("SELECT id, corpus_best(k) AS best FROM t1")


@pipeline(
    "api_rename_drop_cast",
    covers=("drop_rename_cast", "note_equal_rows"),
    # Rows 1 and 8 are one value once pid, name and city are gone.
    expected=[({"points": "85", "team": "red"}, {"people": {2}}), ({"points": "70"}, {"people": {1, 8}})],
)
def api_rename_drop_cast(spark: SparkSession) -> DataFrame:
    renamed = spark.table("people").withColumnRenamed("score", "points").drop("name", "city", "pid")
    return renamed.withColumn("points", sf.col("points").cast("string"))


@pipeline("api_to_df", covers=("drop_rename_cast",), expected=[({"b": "d"}, {"t1": {7}})])
def api_to_df(spark: SparkSession) -> DataFrame:
    return spark.table("t1").toDF("a", "b", "c")


@pipeline(
    "api_column_replaced_step_by_step",
    covers=("project",),
    expected=[({"id": 5, "v": 961}, {"t1": {5}})],
)
def api_column_replaced_step_by_step(spark: SparkSession) -> DataFrame:
    frame = spark.table("t1")
    for step in (sf.col("v") + 1, sf.col("v") * sf.col("v")):
        frame = frame.withColumn("v", step)
    return frame
