"""Deduplication: the latest version, one of each, two loads reconciled, an upsert."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from .registry import bag, job, table

VERSIONS = table(
    "product_versions",
    "version int, sku string, name string, price int, loaded int",
    [
        (1, "A", "Lamp", 10, 1),
        (2, "A", "Lamp", 12, 2),
        (3, "A", "lamp ", 12, 2),
        (4, "B", "Desk", 100, 1),
        (5, "B", "Desk", None, 3),
        (6, "C", None, 7, 1),
        (7, None, "Ghost", 1, 1),
        (8, None, "Ghost", 2, 2),
        (9, "D", "Chair", 40, 1),
        (10, "D", "CHAIR", 40, 1),
    ],
)


@job(
    covers=("row_number_dedup", "window_row_number", "filter"),
    # The first in its order: the frame of row_number is the row alone.
    expected=[
        ({"sku": "A"}, {"product_versions": {3}}),
        ({"sku": "B"}, {"product_versions": {5}}),
        ({"sku": None}, {"product_versions": {8}}),
    ],
)
def latest_version(spark: SparkSession) -> DataFrame:
    newest_first = Window.partitionBy("sku").orderBy(F.desc("loaded"), F.desc("version"))
    return (
        VERSIONS.read(spark)
        .withColumn("rank", F.row_number().over(newest_first))
        .where("rank = 1")
        .drop("rank")
        .withColumn("name", F.initcap(F.trim("name")))
    )


@job(
    covers=("row_number_dedup", "window_row_number"),
    # The previous version is the second in its order, so the first is in its frame too.
    expected=[({"sku": "A"}, {"product_versions": {2, 3}}), ({"sku": "B"}, {"product_versions": {4, 5}})],
)
def price_before_the_latest(spark: SparkSession) -> DataFrame:
    newest_first = Window.partitionBy("sku").orderBy(F.desc("loaded"), F.desc("version"))
    return (
        VERSIONS.read(spark)
        .where("sku is not null")
        .select("sku", "price", F.row_number().over(newest_first).alias("age"))
        .where("age = 2")
        .select("sku", F.col("price").alias("old_price"))
    )


@job(
    covers=("drop_duplicates_subset", "python_udf"),
    deterministic=False,
    # Deduplication has every row that is equal on its columns.
    expected=[
        ({"key": "lamp"}, {"product_versions": {1, 2, 3}}),
        ({"key": "desk"}, {"product_versions": {4, 5}}),
    ],
)
def one_product_of_each_name(spark: SparkSession) -> DataFrame:
    key = F.udf(lambda name: None if name is None else name.strip().lower(), "string")
    return (
        VERSIONS.read(spark)
        .withColumn("key", key("name"))
        .where("key is not null")
        .dropDuplicates(["key"])
        .select("key", "sku", "price")
    )


@job(
    covers=("drop_duplicates_subset", "group_by"),
    # Nothing but the columns of the subset is used above: which row was kept does not show.
    expected=[({"sku": "A"}, {"product_versions": {1, 2, 3}}), ({"sku": "D"}, {"product_versions": {9, 10}})],
)
def prices_per_sku(spark: SparkSession) -> DataFrame:
    return (
        VERSIONS.read(spark)
        .where("price is not null and sku is not null")
        .dropDuplicates(["sku", "price"])
        .groupBy("sku")
        .agg(F.count("*").alias("prices"), F.sum("price").alias("total"))
    )


@job(
    covers=("udf_in_group_key", "max_by", "group_by"),
    # max_by and max return one row's values: the rows that have them.
    expected=[({"key": "lamp"}, {"product_versions": {3}}), ({"key": "chair"}, {"product_versions": {10}})],
)
def golden_record(spark: SparkSession) -> DataFrame:
    key = F.udf(lambda name: None if name is None else name.strip().lower(), "string", useArrow=True)
    order = F.col("loaded") * 100 + F.col("version")
    return (
        VERSIONS.read(spark)
        .withColumn("key", key("name"))
        .groupBy("key")
        .agg(F.max_by("sku", order).alias("sku"), F.max(order).alias("newest"))
        .where("key is not null")
    )


LOAD_MONDAY = bag(
    "load_monday",
    "customer int, city string, tier string",
    [
        (1, "Rome", "gold"),
        (2, "Oslo", "basic"),
        (2, "Oslo", "basic"),
        (3, None, "gold"),
        (4, "Bern", None),
    ],
)
LOAD_TUESDAY = bag(
    "load_tuesday",
    "customer int, city string, tier string",
    [
        (1, "Rome", "gold"),
        (2, "Oslo", "gold"),
        (3, None, "gold"),
        (3, None, "gold"),
        (5, "Kyiv", "basic"),
    ],
)


@job(
    covers=("intersect", "except", "union"),
    expected=[
        (
            {"change": "same", "customer": 3},
            {"load_monday": {(3, None, "gold")}, "load_tuesday": {(3, None, "gold")}},
        ),
        ({"change": "gone", "customer": 2}, {"load_monday": {(2, "Oslo", "basic")}}),
        ({"change": "new", "customer": 2}, {"load_tuesday": {(2, "Oslo", "gold")}}),
    ],
)
def reconcile_loads(spark: SparkSession) -> DataFrame:
    monday, tuesday = LOAD_MONDAY.read(spark), LOAD_TUESDAY.read(spark)
    same = monday.intersect(tuesday).withColumn("change", F.lit("same"))
    gone = monday.exceptAll(tuesday).distinct().withColumn("change", F.lit("gone"))
    new = tuesday.subtract(monday).withColumn("change", F.lit("new"))
    return same.union(gone).union(new).where("customer is not null")


@job(
    covers=("upsert", "left_anti_join", "union_by_name", "distinct"),
    expected=[
        ({"customer": 2}, {"load_tuesday": {(2, "Oslo", "gold")}}),
        ({"customer": 4}, {"load_monday": {(4, "Bern", None)}}),
        ({"customer": 3}, {"load_tuesday": {(3, None, "gold")}}),
    ],
)
def upsert_customers(spark: SparkSession) -> DataFrame:
    monday, tuesday = LOAD_MONDAY.read(spark), LOAD_TUESDAY.read(spark)
    kept = monday.join(tuesday, "customer", "left_anti")
    return (
        tuesday.unionByName(kept)
        .fillna("none", subset=["tier"])
        .withColumn("tier", F.upper("tier"))
        .distinct()
    )


@job(
    covers=("full_join", "coalesce", "distinct"),
    expected=[
        (
            {"customer": 2},
            {"load_monday": {(2, "Oslo", "basic")}, "load_tuesday": {(2, "Oslo", "gold")}},
        ),
        ({"customer": 5}, {"load_tuesday": {(5, "Kyiv", "basic")}}),
    ],
)
def changed_tiers(spark: SparkSession) -> DataFrame:
    before = LOAD_MONDAY.read(spark).distinct().withColumnsRenamed({"tier": "was", "city": "city_was"})
    after = LOAD_TUESDAY.read(spark).distinct()
    return (
        before.join(after, "customer", "full")
        .where("not (was <=> tier)")
        .select("customer", F.coalesce("city", "city_was").alias("city"), "was", F.col("tier").alias("is"))
    )
