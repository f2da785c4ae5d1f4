"""One pipeline per kind of source: files by path, in-memory rows, catalog tables, JDBC, cached frames."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline
from .tables import FOLDER_SETTING, path_of, rows_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "id int, k string, v int"


def _maximum(frame: DataFrame) -> DataFrame:
    return frame.groupBy("k").agg(sf.max("v").alias("m"))


@pipeline(
    "source_parquet_path",
    covers=("source_parquet", "group_by_one_row"),
    expected=[({"k": "a"}, {"t1": {2}})],
)
def source_parquet_path(spark: SparkSession) -> DataFrame:
    return _maximum(spark.read.parquet(path_of(spark, "t1")))


@pipeline(
    "source_csv_path",
    covers=("source_csv", "group_by_one_row"),
    # The empty field of row 6 is NULL.
    expected=[({"k": "b"}, {"small_csv": {3}}), ({"k": None}, {"small_csv": {6}})],
)
def source_csv_path(spark: SparkSession) -> DataFrame:
    return _maximum(spark.read.option("header", True).schema(SCHEMA).csv(path_of(spark, "small_csv")))


@pipeline(
    "source_csv_inferred",
    covers=("source_csv", "filter"),
    expected=[({"id": 2}, {"small_csv": {2}})],
)
def source_csv_inferred(spark: SparkSession) -> DataFrame:
    path = path_of(spark, "small_csv")
    return spark.read.option("header", True).option("inferSchema", True).csv(path).where("v > 15")


@pipeline("source_json_path", covers=("source_json",), expected=[({"k": "a"}, {"small_json": {2}})])
def source_json_path(spark: SparkSession) -> DataFrame:
    return _maximum(spark.read.json(path_of(spark, "small_json")))


@pipeline("source_orc_path", covers=("source_orc",), expected=[({"k": "a"}, {"small_orc": {2}})])
def source_orc_path(spark: SparkSession) -> DataFrame:
    return _maximum(spark.read.orc(path_of(spark, "small_orc")))


@pipeline(
    "source_text_path",
    covers=("source_text", "project"),
    expected=[({"word": "zoë", "n": 7}, {"lines_text": {"zoë 7 ☕"}})],
    expected_rows=3,
)
def source_text_path(spark: SparkSession) -> DataFrame:
    words = sf.split("value", " ")
    lines = spark.read.text(path_of(spark, "lines_text")).where("value <> ''")
    return lines.select(words[0].alias("word"), words[1].cast("int").alias("n"))


sql_pipeline(
    "source_views_of_all_formats",
    """SELECT c.id, j.k, o.v FROM small_csv c JOIN small_json j ON c.id = j.id JOIN small_orc o ON o.id = j.id
       WHERE o.v > 10""",
    covers=("source_csv", "source_json", "source_orc", "inner_join"),
    expected=[({"id": 5}, {"small_csv": {5}, "small_json": {5}, "small_orc": {5}})],
)
sql_pipeline(
    "source_catalog_table",
    "SELECT k, count(*) AS n FROM small_catalog GROUP BY k",
    covers=("source_catalog",),
    expected=[({"k": "b"}, {"small_catalog": {3, 4}})],
)
sql_pipeline(
    "source_mixed_join",
    "SELECT t1.id, c.v FROM t1 LEFT JOIN small_catalog c ON t1.id = c.id AND t1.k = c.k",
    covers=("source_catalog", "left_outer_join"),
    expected=[({"id": 2}, {"t1": {2}, "small_catalog": {2}}), ({"id": 6}, {"t1": {6}})],
)
sql_pipeline(
    "source_inline_values",
    "SELECT a.name, t1.id FROM VALUES (10, 'ten'), (20, 'twenty') AS a(v, name) JOIN t1 ON t1.v = a.v",
    covers=("source_values", "inner_join"),
)
sql_pipeline(
    "source_range_function",
    "SELECT r.id, t1.k FROM range(3) r JOIN t1 ON t1.id = r.id",
    covers=("source_range",),
)
sql_pipeline(
    "source_one_row",
    "SELECT 1 AS one, 'x' AS letter",
    covers=("source_one_row",),
    expected=[({"one": 1}, {})],
)
sql_pipeline(
    "source_file_in_sql_text",
    "SELECT DISTINCT k FROM small_json WHERE id < 3",
    covers=("source_json", "distinct"),
    expected=[({"k": "a"}, {"small_json": {1, 2}})],
)


@pipeline("source_rows_in_memory", covers=("source_memory",), expected=[({"k": "a"}, {"local_1": {2}})])
def source_rows_in_memory(spark: SparkSession) -> DataFrame:
    return _maximum(spark.createDataFrame(list(rows_of("local_1")), SCHEMA))


@pipeline("source_pandas_in_memory", covers=("source_memory",), expected=[({"k": "a"}, {"local_1": {1, 2}})])
def source_pandas_in_memory(spark: SparkSession) -> DataFrame:
    import pandas as pd

    columns = ["id", "k", "v"]
    frame = pd.DataFrame(list(rows_of("local_1")), columns=columns).astype({"v": "Int64"})
    return spark.createDataFrame(frame, SCHEMA).groupBy("k").count()


@pipeline("source_arrow_in_memory", covers=("source_memory",), expected=[({"id": 5}, {"local_1": {5}})])
def source_arrow_in_memory(spark: SparkSession) -> DataFrame:
    import pyarrow

    columns = [list(column) for column in zip(*rows_of("local_1"), strict=True)]
    return spark.createDataFrame(pyarrow.table(columns, names=["id", "k", "v"])).where("v = 30")


@pipeline("source_rdd", covers=("source_memory",), expected=[({"id": 3}, {"local_1": {3}})])
def source_rdd(spark: SparkSession) -> DataFrame:
    return (
        spark.sparkContext.parallelize(list(rows_of("local_1")), 1).toDF(SCHEMA).where("k = 'b' AND v = 10")
    )


@pipeline(
    "source_cached",
    covers=("source_cached",),
    # Caching is not an operator: the cached frame has the lineage of what it was made from.
    expected=[({"k": "a", "n": 2}, {"t1": {1, 2}})],
)
def source_cached(spark: SparkSession) -> DataFrame:
    kept = spark.table("t1").where("v is not null").cache()
    return kept.groupBy("k").agg(sf.count("*").alias("n"))


@pipeline("source_local_checkpoint", covers=("source_checkpoint",))
def source_local_checkpoint(spark: SparkSession) -> DataFrame:
    # A checkpoint is a source boundary: what it was made from is not in the plan any more.
    return spark.table("t1").where("v > 10").localCheckpoint().groupBy("k").count()


@pipeline("source_partitioned_folder", covers=("source_parquet", "partitioned"))
def source_partitioned_folder(spark: SparkSession) -> DataFrame:
    path = str(Path(spark.conf.get(FOLDER_SETTING) or "") / "people_by_team")
    if not Path(path).exists():
        spark.table("people").write.partitionBy("team").parquet(path)
    return spark.read.parquet(path).where("team = 'red'").groupBy("team").agg(sf.min("score").alias("low"))


@pipeline("source_several_files", covers=("source_parquet", "several_files"))
def source_several_files(spark: SparkSession) -> DataFrame:
    paths = [path_of(spark, "t1"), path_of(spark, "t2")]
    return spark.read.parquet(*paths).groupBy("k").agg(sf.sum("v").alias("s"))


@pipeline("source_jdbc", covers=("source_jdbc",))
def source_jdbc(spark: SparkSession) -> DataFrame:
    # Derby comes with Spark; the database lives in the memory of this process, its log beside the tables.
    log = Path(spark.conf.get(FOLDER_SETTING) or "") / "derby.log"
    java: Any = spark.sparkContext._jvm
    java.java.lang.System.setProperty("derby.stream.error.file", str(log))
    url = "jdbc:derby:memory:corpus;create=true"
    options = {"driver": "org.apache.derby.iapi.jdbc.AutoloadedDriver"}
    frame = spark.createDataFrame(list(rows_of("local_1")), SCHEMA)
    frame.write.jdbc(url, "small_jdbc", mode="overwrite", properties=options)
    return _maximum(spark.read.jdbc(url, "small_jdbc", properties=options))
