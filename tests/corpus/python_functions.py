"""Python and pandas UDFs, grouped and cogrouped maps, and functions nobody can look into.

The functions are defined inside the pipelines so that Spark ships them by value: its workers need not be
able to import this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import functions as sf
from pyspark.sql.pandas import functions as pandas_functions
from pyspark.sql.window import Window

from predtrace import rowwise

from .registry import pipeline

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

# Its overloads know the old function types only, not the type hints that replaced them.
pandas_udf: Any = pandas_functions.pandas_udf

ALL_PEOPLE = {1, 2, 3, 4, 5, 6, 7, 8}


@pipeline(
    "python_udf",
    covers=("project", "python_udf", "note_equal_rows"),
    # The function sees NULL and makes it a value; both NULL keys become one row value.
    expected=[({"label": "<none>"}, {"t1": {6, 8}}), ({"label": "<a>"}, {"t1": {1, 2}})],
)
def python_udf(spark: SparkSession) -> DataFrame:
    def label(key: str | None) -> str:
        return "<none>" if key is None else f"<{key}>"

    # useArrow is given because Spark warns about hints it cannot use when it has to choose.
    labelled = sf.udf(label, "string", useArrow=False)
    return spark.table("t1").select(labelled("k").alias("label"))


@pipeline(
    "python_udf_many_to_one",
    covers=("project", "python_udf", "note_equal_rows"),
    expected=[({"half": 5}, {"t1": {1, 3, 8}}), ({"half": None}, {"t1": {4, 7}})],
)
def python_udf_many_to_one(spark: SparkSession) -> DataFrame:
    half = sf.udf(lambda value: None if value is None else value // 2, "int")
    return spark.table("t1").select(half("v").alias("half"))


@pipeline(
    "python_udf_in_filter_and_group",
    covers=("filter", "group_by", "python_udf"),
    expected=[({"size": "long"}, {"people": {6}}), ({"size": "short"}, {"people": {1, 2, 5, 8}})],
)
def python_udf_in_filter_and_group(spark: SparkSession) -> DataFrame:
    size = sf.udf(lambda name: "long" if len(name) > 3 else "short", "string")
    known = sf.udf(lambda team: team != "blue", "boolean")
    kept = spark.table("people").where(known("team"))
    return kept.groupBy(size("name").alias("size")).agg(sf.count("*").alias("n"))


@pipeline(
    "python_udf_in_join",
    covers=("inner_join", "python_udf"),
    expected=[({"a": 5, "b": 4}, {"t1": {5}, "t2": {4}})],
)
def python_udf_in_join(spark: SparkSession) -> DataFrame:
    same = sf.udf(lambda left, right: left is not None and left == right, "boolean")
    left = spark.table("t1").select(sf.col("id").alias("a"), sf.col("k").alias("k1"))
    right = spark.table("t2").select(sf.col("id").alias("b"), sf.col("k").alias("k2"))
    return left.crossJoin(right).where(same("k1", "k2")).select("a", "b")


@pipeline(
    "python_udf_returning_struct",
    covers=("project", "python_udf", "struct"),
    expected=[({"pid": 6, "parts.first": "O"}, {"people": {6}})],
)
def python_udf_returning_struct(spark: SparkSession) -> DataFrame:
    def parts(name: str) -> tuple[str, int]:
        return name[0], len(name)

    both = sf.udf(parts, "struct<first:string,length:int>", useArrow=True)
    split = spark.table("people").withColumn("parts", both("name"))
    return split.select("pid", sf.col("parts.first").alias("parts.first"), "parts.length")


@pipeline(
    "python_udf_nondeterministic",
    covers=("project", "python_udf", "note_determinism"),
    deterministic=False,
    expected=[({"id": 3}, {"t1": {3}})],
)
def python_udf_nondeterministic(spark: SparkSession) -> DataFrame:
    def draw(value: int | None) -> float:
        import random

        return random.random() + (value or 0)

    drawn = sf.udf(draw, "double", useArrow=False).asNondeterministic()
    return spark.table("t1").select("id", drawn("v").alias("drawn"))


@pipeline(
    "pandas_udf",
    covers=("project", "pandas_udf"),
    expected=[({"id": 2}, {"t1": {2}})],
)
def pandas_udf_row_by_row(spark: SparkSession) -> DataFrame:
    def scaled(values: pd.Series) -> pd.Series:
        return values * 1.5

    scaled_udf = pandas_udf(scaled, "double")
    return spark.table("t1").select("id", scaled_udf("v").alias("scaled"))


@pipeline(
    "pandas_udf_iterator",
    covers=("project", "pandas_udf"),
    expected=[({"w": 11}, {"t1": {1, 3, 8}})],
)
def pandas_udf_iterator(spark: SparkSession) -> DataFrame:
    def plus_one(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for batch in batches:
            yield batch + 1

    plus_one_udf = pandas_udf(plus_one, "long")
    return spark.table("t1").where("v is not null").select(plus_one_udf("v").alias("w"))


@pipeline(
    "pandas_grouped_aggregate",
    covers=("group_by", "pandas_udf", "note_whole_group"),
    # A function of the whole group, even if it happens to return a maximum.
    expected=[({"team": "red"}, {"people": {1, 2, 8}})],
)
def pandas_grouped_aggregate(spark: SparkSession) -> DataFrame:
    def largest(scores: pd.Series) -> float:
        return float(scores.max())

    largest_udf = pandas_udf(largest, "double")
    return (
        spark.table("people")
        .where("score is not null")
        .groupBy("team")
        .agg(largest_udf("score").alias("best"))
    )


@pipeline(
    "pandas_aggregate_over_window",
    covers=("window_frame", "pandas_udf"),
    expected=[({"id": 3}, {"series": {2, 3}})],
)
def pandas_aggregate_over_window(spark: SparkSession) -> DataFrame:
    def average(values: pd.Series) -> float:
        return float(values.mean())

    average_udf = pandas_udf(average, "double")
    frame = Window.partitionBy("part").orderBy("ord", "id").rowsBetween(-1, 0)
    return spark.table("series").select("id", average_udf("v").over(frame).alias("a"))


@pipeline(
    "apply_in_pandas",
    covers=("grouped_map",),
    # Every row of the group, whatever the function did with it.
    expected=[({"pid": 3}, {"people": {3, 4, 7}}), ({"pid": 5}, {"people": {5}})],
)
def apply_in_pandas(spark: SparkSession) -> DataFrame:
    def centre(group: pd.DataFrame) -> pd.DataFrame:
        group["score"] = group["score"] - group["score"].mean()
        return group[["pid", "team", "score"]]

    people = spark.table("people")
    return people.groupBy("team").applyInPandas(centre, "pid int, team string, score double")


@pipeline(
    "apply_in_pandas_with_key",
    covers=("grouped_map", "note_equal_rows"),
    # The key is not returned: groups of equal size are one row value.
    expected=[({"size": 3}, {"people": {1, 2, 3, 4, 7, 8}}), ({"size": 1}, {"people": {5, 6}})],
)
def apply_in_pandas_with_key(spark: SparkSession) -> DataFrame:
    def count(key: tuple[Any, ...], group: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"size": [len(group)]})

    return spark.table("people").groupBy("team").applyInPandas(count, "size int")


@pipeline(
    "apply_in_pandas_on_everything",
    covers=("grouped_map", "global_aggregate"),
    expected=[({"n": 8}, {"people": ALL_PEOPLE})],
)
def apply_in_pandas_on_everything(spark: SparkSession) -> DataFrame:
    def count(group: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"n": [len(group)]})

    return spark.table("people").groupBy().applyInPandas(count, "n int")


@pipeline(
    "apply_in_arrow",
    covers=("grouped_map",),
    expected=[({"k": "b"}, {"t1": {3, 4}})],
)
def apply_in_arrow(spark: SparkSession) -> DataFrame:
    def first_row(table: pyarrow.Table) -> pyarrow.Table:
        return table.select(["k", "v"]).slice(0, 1)

    return spark.table("t1").groupBy("k").applyInArrow(first_row, "k string, v int")


@pipeline(
    "cogroup_in_pandas",
    covers=("cogrouped_map", "note_null_group"),
    expected=[
        ({"k": "b"}, {"t1": {3, 4}, "t2": {3, 7}}),
        ({"k": "d"}, {"t1": {7}}),
        ({"k": "e"}, {"t2": {6}}),
        ({"k": None}, {"t1": {6, 8}, "t2": {5}}),  # grouping, not joining: the NULL keys meet
    ],
)
def cogroup_in_pandas(spark: SparkSession) -> DataFrame:
    def sizes(key: tuple[Any, ...], left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        # None and NaN both stand for NULL in pandas.
        name = None if pd.isna(key[0]) else key[0]
        return pd.DataFrame({"k": pd.Series([name], dtype="object"), "n1": [len(left)], "n2": [len(right)]})

    left, right = spark.table("t1").groupBy("k"), spark.table("t2").groupBy("k")
    return left.cogroup(right).applyInPandas(sizes, "k string, n1 int, n2 int")


@pipeline(
    "map_in_pandas",
    covers=("opaque",),
    opaque=True,
    # Nobody knows what it did: every row that reached it.
    expected=[({"pid": 1}, {"people": {1, 2, 3, 5, 7, 8}})],
)
def map_in_pandas(spark: SparkSession) -> DataFrame:
    def keep(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield batch[batch["score"] > 65][["pid", "score"]]

    return spark.table("people").where("score is not null").mapInPandas(keep, "pid int, score int")


@pipeline(
    "map_in_arrow_below_group",
    covers=("opaque", "group_by"),
    opaque=True,
    expected=[({"team": "red"}, {"people": ALL_PEOPLE})],
)
def map_in_arrow_below_group(spark: SparkSession) -> DataFrame:
    def same(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        yield from batches

    people = spark.table("people")
    return people.mapInArrow(same, people.schema).groupBy("team").count()


@pipeline(
    "rowwise_map_in_pandas",
    covers=("row_expand", "rowwise"),
    # Each word of the two rows; a row whose function returned nothing is nobody's lineage.
    expected=[
        ({"letter": "a"}, {"t1": {1, 2}}),
        ({"letter": "b"}, {"t1": {3, 4}}),
        ({"letter": "B"}, {"t1": {3, 4}}),
    ],
)
def rowwise_map_in_pandas(spark: SparkSession) -> DataFrame:
    def letters(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            known = batch[batch["k"].notna()]
            both = known["k"].map(lambda key: [key, key.upper()])
            yield known.assign(letter=both).explode("letter")[["letter"]]

    return spark.table("t1").mapInPandas(rowwise(letters), "letter string")


@pipeline(
    "rowwise_map_in_arrow_below_join",
    covers=("row_expand", "rowwise", "inner_join", "group_by"),
    expected=[({"k": "b", "n": 4}, {"t1": {3, 4}, "t2": {3, 7}})],
)
def rowwise_map_in_arrow_below_join(spark: SparkSession) -> DataFrame:
    def keys(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            yield batch.select(["k"])

    left = spark.table("t1").mapInArrow(rowwise(keys), "k string")
    return left.join(spark.table("t2").select("k"), "k").groupBy("k").agg(sf.count("*").alias("n"))


@pipeline(
    "rowwise_map_of_aggregates",
    covers=("row_expand", "rowwise", "group_by"),
    expected=[({"label": "red"}, {"people": {1, 2, 8}})],
)
def rowwise_map_of_aggregates(spark: SparkSession) -> DataFrame:
    def labels(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield pd.DataFrame({"label": batch["team"]})

    teams = spark.table("people").where("team is not null").groupBy("team").count()
    return teams.mapInPandas(rowwise(labels), "label string")
