"""Reshaping: pivots, melts, and rows out of arrays and JSON texts."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .registry import job, table

SALES = table(
    "shop_sales",
    "sale_id int, shop string, quarter string, product string, units int",
    [
        (1, "Ulm", "Q1", "tea", 5),
        (2, "Ulm", "Q1", "tea", 7),
        (3, "Ulm", "Q2", "coffee", 3),
        (4, "Ulm", "Q4", "tea", 9),
        (5, "Jena", "Q1", "coffee", None),
        (6, "Jena", "Q2", "coffee", 4),
        (7, "Jena", None, "tea", 2),
        (8, None, "Q1", "tea", 1),
        (9, "Hof", "Q4", "tea", 6),
        (10, "Hof", "Q4", None, 6),
    ],
)


@job(
    covers=("pivot", "udf_in_filter", "fillna"),
    # Q4 is no column: rows of that quarter are lineage only where there are no others.
    expected=[
        ({"shop": "Ulm"}, {"shop_sales": {1, 2, 3}}),
        ({"shop": "Hof"}, {"shop_sales": {9, 10}}),
        ({"shop": "Jena"}, {"shop_sales": {5, 6}}),
    ],
)
def quarters_side_by_side(spark: SparkSession) -> DataFrame:
    has_shop = F.udf(lambda shop: shop is not None and shop.isalpha(), "boolean")
    return (
        SALES.read(spark)
        .where(has_shop("shop"))
        .groupBy("shop")
        .pivot("quarter", ["Q1", "Q2", "Q3"])
        .agg(F.sum("units"))
        .fillna(0)
    )


@job(
    covers=("sql_pivot",),
    expected=[
        ({"shop": "Ulm", "product": "tea"}, {"shop_sales": {1, 2, 4}}),
        ({"shop": "Jena", "product": "tea"}, {"shop_sales": {7}}),  # no quarter at all: the whole group
    ],
)
def quarters_by_sql_pivot(spark: SparkSession) -> DataFrame:
    SALES.view(spark)
    return spark.sql(
        """
        SELECT shop, product, q1_units, q1_sales, coalesce(q4_units, 0) AS q4_units
        FROM (SELECT shop, product, quarter, units FROM shop_sales WHERE product IS NOT NULL)
        PIVOT (sum(units) AS units, count(*) AS sales FOR quarter IN ('Q1' AS q1, 'Q4' AS q4))
        """
    )


SENSORS = table(
    "sensor_readings",
    "reading int, device string, temp int, humidity int, co2 int",
    [
        (1, "d1", 21, 40, 400),
        (2, "d1", 22, None, 410),
        (3, "d1", None, None, None),
        (4, "d2", 19, 55, None),
        (5, "d2", -99, 55, 500),
        (6, None, 20, 50, 450),
    ],
)


@job(
    covers=("unpivot", "filter", "group_by"),
    expected=[
        ({"device": "d1", "channel": "temp"}, {"sensor_readings": {1, 2}}),
        ({"device": "d2", "channel": "co2"}, {"sensor_readings": {5}}),
    ],
)
def channel_statistics(spark: SparkSession) -> DataFrame:
    plausible = F.udf(lambda channel, value: channel != "temp" or -40 < value < 60, "boolean")
    return (
        SENSORS.read(spark)
        .melt(["reading", "device"], ["temp", "humidity", "co2"], "channel", "value")
        .where("value is not null")
        .where(plausible("channel", "value"))
        .groupBy("device", "channel")
        .agg(F.avg("value").alias("mean"), F.count("*").alias("n"))
    )


@job(
    covers=("stack", "melt", "inner_join"),
    expected=[({"reading": 4, "channel": "humidity"}, {"sensor_readings": {4}})],
)
def long_readings(spark: SparkSession) -> DataFrame:
    return (
        SENSORS.read(spark)
        .where("device is not null")
        .selectExpr("reading", "device", "stack(2, 'temp', temp, 'humidity', humidity) as (channel, value)")
        .where("value > 30")
        .withColumn("label", F.concat_ws("/", "device", "channel"))
        .select("reading", "channel", "label", "value")
    )


ARTICLES = table(
    "articles",
    "article int, title string, tags string, links array<string>",
    [
        (1, "Spark tips", "Spark, Python ,spark", ["a", "b"]),
        (2, "Tea", " tea,", ["b"]),
        (3, "No tags", None, []),
        (4, "Snakes", "python", None),
        (5, "Mixed", "PYTHON,tea", ["c", None, "a"]),
        (6, "Spark tips", "Spark, Python ,spark", ["a", "b"]),
    ],
)


@job(
    covers=("explode", "split", "python_udf", "group_by"),
    expected=[
        ({"tag": "python"}, {"articles": {1, 4, 5, 6}}),
        ({"tag": "tea"}, {"articles": {2, 5}}),
        ({"tag": "spark"}, {"articles": {1, 6}}),
    ],
)
def tag_cloud(spark: SparkSession) -> DataFrame:
    tidy = F.udf(lambda tag: tag.strip().lower(), "string", useArrow=False)
    return (
        ARTICLES.read(spark)
        .withColumn("tag", F.explode(F.split("tags", ",")))
        .withColumn("tag", tidy("tag"))
        .where("tag != ''")
        .groupBy("tag")
        .agg(F.countDistinct("article").alias("articles"), F.count("*").alias("uses"))
    )


@job(
    covers=("posexplode", "lateral_view_outer"),
    expected=[
        ({"article": 5, "position": 2}, {"articles": {5}}),
        ({"article": 4}, {"articles": {4}}),  # kept by OUTER although there is nothing to explode
    ],
)
def links_in_order(spark: SparkSession) -> DataFrame:
    ARTICLES.view(spark)
    return spark.sql(
        """
        SELECT article, lower(title) AS title, position, coalesce(link, '-') AS link
        FROM articles LATERAL VIEW OUTER posexplode(links) l AS position, link
        WHERE article <> 1
        """
    )


@job(
    covers=("posexplode", "self_join"),
    # Both ends of a link pair come from the same article, in two references to it.
    expected=[({"source": "a", "target": "b"}, {"articles": {1, 6}}), ({"source": "c"}, {"articles": {5}})],
)
def link_transitions(spark: SparkSession) -> DataFrame:
    steps = ARTICLES.read(spark).select("article", F.posexplode("links").alias("step", "link"))
    following = steps.select(
        F.col("article").alias("same_article"),
        (F.col("step") - 1).alias("before"),
        F.col("link").alias("target"),
    )
    return (
        steps.join(
            following, (F.col("article") == F.col("same_article")) & (F.col("step") == F.col("before"))
        )
        .groupBy(F.col("link").alias("source"), "target")
        .agg(F.count("*").alias("times"))
        .where("source is not null")
    )


BASKETS = table(
    "baskets",
    "basket int, customer string, lines array<struct<sku: string, qty: int, price: decimal(8,2)>>",
    [
        (1, "kim", [("tea", 2, Decimal("3.50")), ("cup", 1, Decimal("8.00"))]),
        (2, "lou", [("tea", None, Decimal("3.50"))]),
        (3, "kim", []),
        (4, None, [("cup", 3, Decimal("7.50")), ("cup", 1, None)]),
        (5, "lou", None),
        (6, "lou", [("pot", 1, Decimal("20.00")), ("tea", 1, Decimal("3.00"))]),
    ],
)


@job(
    covers=("inline", "group_by", "having"),
    expected=[({"sku": "tea"}, {"baskets": {1, 6}}), ({"sku": "cup"}, {"baskets": {1, 4}})],
)
def revenue_of_baskets(spark: SparkSession) -> DataFrame:
    return (
        BASKETS.read(spark)
        .select("basket", "customer", F.inline("lines"))
        .withColumn("worth", F.col("qty") * F.col("price"))
        .dropna(subset=["worth"])
        .groupBy("sku")
        .agg(F.sum("worth").alias("worth"), F.sum("qty").alias("units"))
        .where("units > 1")
    )


DELIVERIES = table(
    "deliveries",
    "message int, body string",
    [
        (1, '{"order": 7, "status": "sent", "items": [{"sku": "a", "n": 2}, {"sku": "b", "n": 1}]}'),
        (2, '{"order": 7, "status": "returned", "items": [{"sku": "a", "n": 1}]}'),
        (3, '{"order": 8, "status": "sent", "items": []}'),
        (4, "oops"),
        (5, None),
        (6, '{"order": 9, "status": "sent", "items": [{"sku": "a", "n": 5}, {"sku": null, "n": 1}]}'),
        (7, '{"order": "x", "status": "sent", "items": [{"sku": "b"}]}'),
    ],
)


@job(
    covers=("from_json", "explode", "nested_field", "group_by"),
    expected=[({"sku": "a"}, {"deliveries": {1, 6}}), ({"sku": "b"}, {"deliveries": {1, 7}})],
)
def shipped_units(spark: SparkSession) -> DataFrame:
    schema = "order int, status string, items array<struct<sku: string, n: int>>"
    return (
        DELIVERIES.read(spark)
        .withColumn("parsed", F.from_json("body", schema))
        .where("parsed.status = 'sent'")
        .select("message", "parsed.order", F.explode("parsed.items").alias("item"))
        .where("item.sku is not null")
        .groupBy("item.sku")
        .agg(F.sum("item.n").alias("units"), F.count("*").alias("lines"))
    )


@job(
    covers=("json_tuple", "registered_udf", "group_by"),
    expected=[
        ({"status": "SENT"}, {"deliveries": {1, 3, 6, 7}}),
        ({"status": "UNREADABLE"}, {"deliveries": {4}}),
    ],
)
def messages_by_status(spark: SparkSession) -> DataFrame:
    def label(status: str | None) -> str:
        return "UNREADABLE" if status is None else status.upper()

    spark.udf.register("status_label", F.udf(label, "string", useArrow=False))
    DELIVERIES.view(spark)
    return spark.sql(
        """
        SELECT status_label(s) AS status, count(*) AS messages, count(DISTINCT o) AS orders
        FROM deliveries LATERAL VIEW json_tuple(body, 'order', 'status') j AS o, s
        WHERE body IS NOT NULL
        GROUP BY status_label(s)
        """
    )
