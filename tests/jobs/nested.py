"""Structs, arrays and maps in rows: compared as a whole, looked into, built from groups."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .registry import job, table

DEVICES = table(
    "devices",
    "device int, place struct<site: string, floor: int>, samples array<int>",
    [
        (1, ("lab", 1), [3, 5, None]),
        (2, ("lab", 1), [9]),
        (3, ("lab", None), []),
        (4, ("lab", None), [2, 2]),
        (5, None, [7, 8]),
        (6, ("roof", 3), None),
        (7, ("roof", 3), [1, 50]),
    ],
)
ROOMS = table(
    "rooms",
    "room string, location struct<site: string, floor: int>, limit int",
    [("r1", ("lab", 1), 4), ("r2", ("lab", None), 1), ("r3", ("roof", 3), 10), ("r4", None, 5)],
)


@job(
    covers=("struct_equality", "group_by_struct", "inner_join"),
    # Inside a struct NULL equals NULL; a NULL struct joins nothing.
    expected=[
        ({"room": "r1"}, {"devices": {1, 2}, "rooms": {"r1"}}),
        ({"room": "r2"}, {"devices": {3, 4}, "rooms": {"r2"}}),
    ],
)
def devices_per_room(spark: SparkSession) -> DataFrame:
    per_place = DEVICES.read(spark).groupBy("place").agg(F.count("*").alias("devices"))
    return (
        per_place.join(ROOMS.read(spark), F.col("place") == F.col("location"))
        .where("devices <= limit + 1")
        .select("room", "location.site", "devices")
    )


@job(
    covers=("higher_order_functions", "nested_field", "array_in_output"),
    expected=[
        ({"device": 1}, {"devices": {1}}),
        ({"device": 7}, {"devices": {7}}),
    ],
)
def calibrated_samples(spark: SparkSession) -> DataFrame:
    present = F.filter("samples", lambda sample: sample.isNotNull())
    return (
        DEVICES.read(spark)
        .where("samples is not null")
        .withColumn("samples", F.transform(present, lambda sample: sample * 10))
        .withColumn("total", F.aggregate("samples", F.lit(0), lambda total, sample: total + sample))
        .withColumn("has_peak", F.exists("samples", lambda sample: sample > 100))
        .select("device", "place.site", "samples", "total", "has_peak")
    )


@job(
    covers=("array_in_output", "collect_list", "sort_array", "struct_in_output"),
    expected=[({"site": "lab"}, {"devices": {1, 2, 3, 4}}), ({"site": "roof"}, {"devices": {6, 7}})],
)
def site_inventory(spark: SparkSession) -> DataFrame:
    entry = F.struct(F.col("place.floor").alias("floor"), "device")
    return (
        DEVICES.read(spark)
        .where("place is not null")
        .groupBy(F.col("place.site").alias("site"))
        .agg(F.sort_array(F.collect_list(entry)).alias("entries"))
        .withColumn("lowest", F.col("entries")[0]["floor"])
    )


@job(
    covers=("arrow_udf", "array_argument", "udf_in_filter", "struct_in_output"),
    expected=[({"device": 2}, {"devices": {2}}), ({"device": 7}, {"devices": {7}})],
)
def sample_statistics(spark: SparkSession) -> DataFrame:
    def statistics(samples: list[int | None]) -> tuple[int, int | None, int | None]:
        known = [sample for sample in samples if sample is not None]
        return len(known), min(known, default=None), max(known, default=None)

    describe = F.udf(statistics, "struct<n:int,low:int,high:int>", useArrow=True)
    return (
        DEVICES.read(spark)
        .where("samples is not null")
        .withColumn("stats", describe("samples"))
        .where("stats.n > 0 and stats.high > 8")
        .select("device", "place", "stats")
    )


PRODUCTS = table(
    "products",
    "product int, name string, attributes map<string, string>",
    [
        (1, "shirt", [("color", "red"), ("size", "M")]),
        (2, "shirt", [("color", "blue"), ("size", "M")]),
        (3, "mug", [("color", "red")]),
        (4, "mug", []),
        (5, "lamp", None),
        (6, "sock", [("size", "S"), ("color", None)]),
    ],
)


@job(
    covers=("map_access", "group_by"),
    expected=[({"color": "red"}, {"products": {1, 3}}), ({"color": "n/a"}, {"products": {4, 6}})],
)
def products_by_color(spark: SparkSession) -> DataFrame:
    return (
        PRODUCTS.read(spark)
        .where("attributes is not null")
        .withColumn("color", F.coalesce(F.col("attributes")["color"], F.lit("n/a")))
        .groupBy("color")
        .agg(F.count("*").alias("products"), F.countDistinct("name").alias("names"))
    )


@job(
    covers=("explode_map", "group_by"),
    expected=[
        ({"key": "size", "value": "M"}, {"products": {1, 2}}),
        ({"key": "color", "value": "red"}, {"products": {1, 3}}),
    ],
)
def attribute_values(spark: SparkSession) -> DataFrame:
    return (
        PRODUCTS.read(spark)
        .select("product", F.explode("attributes"))
        .where("value is not null")
        .groupBy("key", "value")
        .agg(F.count("*").alias("products"))
    )


@job(
    covers=("map_functions", "map_argument", "python_udf"),
    expected=[({"product": 2}, {"products": {2}}), ({"product": 6}, {"products": {6}})],
)
def labelled_products(spark: SparkSession) -> DataFrame:
    def label(attributes: dict[str, Any]) -> str:
        return ",".join(f"{key}={attributes[key]}" for key in sorted(attributes))

    return (
        PRODUCTS.read(spark)
        .where("attributes is not null and size(attributes) > 0")
        .withColumn("label", F.udf(label, "string", useArrow=False)("attributes"))
        .withColumn("attributes", F.map_filter("attributes", lambda key, value: value.isNotNull()))
        .select("product", "label", F.sort_array(F.map_keys("attributes")).alias("known"))
    )


@job(
    covers=("map_in_output", "union_by_name"),
    expected=[({"product": 3}, {"products": {3}}), ({"product": 5}, {"products": {5}})],
)
def catalogue_with_defaults(spark: SparkSession) -> DataFrame:
    products = PRODUCTS.read(spark)
    default = F.create_map(F.lit("color"), F.lit("white"))
    described = products.where("size(attributes) > 0").withColumn("origin", F.lit("feed"))
    others = products.where("attributes is null or size(attributes) = 0").withColumn("attributes", default)
    return described.unionByName(others, allowMissingColumns=True).withColumn("name", F.upper("name"))
