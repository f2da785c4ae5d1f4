"""Pipelines to be run into a store: what files, types and plans may hold that another process must read alike."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

Build = Callable[[SparkSession, Path], DataFrame]

NAN = float("nan")
SALES = [(n, "abc"[n % 3], 10.5 * (n % 4), n % 5 or None) for n in range(1, 13)]
EVENTS = [
    (1, datetime(2026, 3, 1, 2, 30, tzinfo=timezone.utc), "a"),
    (2, datetime(2026, 3, 1, 12, 0, tzinfo=timezone.utc), "b"),
    (3, datetime(2026, 3, 2, 3, 15, tzinfo=timezone.utc), "a"),
    (4, datetime(2026, 3, 2, 22, 0, tzinfo=timezone.utc), None),
]
TYPES = (
    "id int, d decimal(38,10), day date, at timestamp, ntz timestamp_ntz, raw binary, x double, f float, "
    "tags array<string>, inner struct<a: int, b: array<struct<c: date>>>, flag boolean, b tinyint, s smallint"
)
VALUES = [
    (1, Decimal("1.5"), date(1910, 1, 1), datetime(1910, 1, 1, tzinfo=timezone.utc), datetime(1950, 1, 1),
     b"\x00\xff", 0.0, -0.0, ["p", None], (1, [(date(1999, 10, 4),)]), True, -128, 1),
    (2, Decimal("-9999999999999999999999999999.9999999999"), date(9999, 12, 31), None, None, b"",
     -0.0, NAN, [], (None, None), None, None, None),
    (3, None, None, datetime(2026, 3, 1, 2, 30, 0, 123456, timezone.utc), datetime(2026, 3, 29, 2, 30), None,
     NAN, None, None, None, False, 127, -1),
    (4, Decimal("1.5"), date(2026, 2, 28), None, None, None, NAN, 1.5, ["p"], (1, []), True, 0, 0),
]  # fmt: skip


def sales(spark: SparkSession, folder: Path, format_: str = "parquet") -> DataFrame:
    schema = "id int, shop string, price double, n int"
    path = str(folder / f"sales.{format_}")
    spark.createDataFrame(SALES, schema).coalesce(2).write.format(format_).mode("overwrite").save(path)
    return spark.read.format(format_).schema(schema).load(path)


def over_sales(text: str) -> Build:
    return lambda spark, folder: spark.sql(text, sales=sales(spark, folder))


def formats(spark: SparkSession, folder: Path) -> DataFrame:
    parts = (sales(spark, folder, name) for name in ("parquet", "csv", "json", "orc"))
    first, second, third, fourth = parts
    joined = first.join(second, "id").join(third.select("id", F.col("n").alias("m")), "id")
    return joined.join(fourth.filter("price > 10").select("id"), "id", "left_semi")


def partitions(spark: SparkSession, folder: Path) -> DataFrame:
    """Values that are escaped in the names of folders."""
    rows = [(n, value) for n, value in enumerate(["a/b", "50% #1", "x=y", None, "[q]?"])]
    path = str(folder / "by key [1]")
    spark.createDataFrame(rows, "id int, key string").write.partitionBy("key").mode("overwrite").parquet(path)
    options = {"__globPaths__": "false"}
    return spark.read.options(**options).parquet(path).groupBy("key").agg(F.max("id").alias("id"))


def odd_names(spark: SparkSession, folder: Path) -> DataFrame:
    path = str(folder / 'odd\'s "names" `1`')
    schema = "`a.b` int, `c ``d` string, `e'f\"` int"
    spark.createDataFrame([(1, "x", 3), (2, "x", 4), (3, None, 5)], schema).write.mode("overwrite").json(path)
    frame = spark.read.schema(schema).json(path)
    grouped = frame.groupBy("`c ``d`").agg(F.sum("`a.b`").alias("s.um"), F.max("`e'f\"`").alias("s.um"))
    return grouped.filter("`c ``d` = 'x'")


def every_type(spark: SparkSession, folder: Path) -> DataFrame:
    path = str(folder / "types")
    spark.createDataFrame(VALUES, TYPES).coalesce(1).write.mode("overwrite").parquet(path)
    return spark.read.parquet(path)


def in_memory(spark: SparkSession, folder: Path) -> DataFrame:
    """A source that is read twice, and one that holds every type; neither is in any file."""
    rows = spark.createDataFrame(VALUES, TYPES)
    totals = rows.groupBy("flag").agg(F.sum("id").alias("ids"))
    return rows.join(totals, "flag").join(spark.range(3).withColumnRenamed("id", "b"), "b", "left")


PIPELINES: dict[str, Build] = {
    "a needed result below a filter": over_sales(
        "select sum(price) as total, count(*) as n from {sales} where n is not null group by shop having n > 1"
    ),
    "a window": over_sales(
        "select * from (select id, shop, sum(price) over (partition by shop order by id) as so_far,"
        " rank() over (partition by shop order by price desc) as place from {sales}) where place < 3"
    ),
    "a pivot": lambda spark, folder: sales(spark, folder)
    .groupBy("shop")
    .pivot("n", [1, 2, 3])
    .agg(F.count("id")),
    "subqueries": over_sales(
        "select id, (select max(price) from {sales}) as most from {sales} s where exists"
        " (select 1 from {sales} r where r.shop = s.shop and r.n > s.n) and id < 9"
    ),
    "sets": over_sales(
        "(select shop, n from {sales} where id < 6 union select shop, n from {sales})"
        " except select shop, n from {sales} where id = 1"
    ),
    "void columns": over_sales(
        "select null as nothing, array() as none, shop, max(n) as n from {sales} group by shop"
    ),
    "only void": over_sales("select null as nothing from {sales} where id < 3"),
    "no output": over_sales("select shop, count(*) as n from {sales} where id > 100 group by shop"),
    "empty sources": lambda spark, folder: spark.createDataFrame([], "a int").groupBy().count(),
    "sources of every format": formats,
    "a partitioned folder": partitions,
    "odd names": odd_names,
    "every type": every_type,
    "groups of NaN and zeros": lambda spark, folder: every_type(spark, folder)
    .groupBy("x")
    .agg(F.count("*").alias("n"), F.collect_set("inner").alias("all"))
    .drop("all"),
    "rows in memory": in_memory,
}  # fmt: skip
