"""Reports: subqueries with functions of one's own, totals at several levels, top lists."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .registry import job, table

ORDERS = table(
    "shop_orders",
    "order_id int, customer int, region string, amount int, note string",
    [
        (1, 1, "EU", 100, "gift"),
        (2, 1, "EU", 250, None),
        (3, 2, "EU", 90, "URGENT!"),
        (4, 3, "US", 400, "urgent"),
        (5, 3, "US", 20, ""),
        (6, 4, None, 70, "Gift wrap"),
        (7, None, "US", 60, None),
        (8, 2, "US", 310, "please hurry"),
        (9, 5, "EU", None, "gift"),
        (10, 4, "EU", 250, "urgent gift"),
    ],
)
BUYERS = table(
    "buyers",
    "buyer int, name string, segment string",
    [(1, "Ann", "retail"), (2, "Bob", "retail"), (3, "Cid", "trade"), (4, "Dee", None), (6, "Eve", "trade")],
)
REFUNDS = table(
    "refunds",
    "refund int, order_id int, amount int",
    [(1, 2, 50), (2, 4, 400), (3, 4, 10), (4, 99, 5), (5, None, 5), (6, 8, 100)],
)


@job(
    covers=("udf_in_sort", "sort_limit", "python_udf"),
    expected=[({"order_id": 4}, {"shop_orders": {4}}), ({"order_id": 8}, {"shop_orders": {8}})],
)
def most_pressing_orders(spark: SparkSession) -> DataFrame:
    def pressure(note: str | None, amount: int) -> int:
        text = (note or "").lower()
        return (1000 if "urgent" in text or "hurry" in text else 0) + amount

    score = F.udf(pressure, "int", useArrow=False)
    return (
        ORDERS.read(spark)
        .where("amount is not null")
        .orderBy(score("note", "amount").desc(), "order_id")
        .limit(3)
        .select("order_id", "region", F.lower("note").alias("note"))
    )


@job(
    covers=("udf_in_correlated_subquery", "registered_udf", "exists"),
    # An order of a size that its customer had refunded before, in another order or the same.
    expected=[
        ({"order_id": 1}, {"shop_orders": {1, 2}, "refunds": {1}}),
        ({"order_id": 4}, {"shop_orders": {4}, "refunds": {2, 3}}),
    ],
)
def orders_with_risky_history(spark: SparkSession) -> DataFrame:
    spark.udf.register("size_of", F.udf(lambda amount: len(str(amount)), "int"))
    ORDERS.view(spark)
    REFUNDS.view(spark)
    return spark.sql(
        """
        SELECT o.order_id, o.customer, size_of(o.amount) AS size
        FROM shop_orders o
        WHERE o.amount IS NOT NULL AND EXISTS (
            SELECT 1 FROM shop_orders h JOIN refunds r ON h.order_id = r.order_id
            WHERE h.customer = o.customer AND size_of(h.amount) = size_of(o.amount))
        """
    )


@job(
    covers=("udf_in_correlated_subquery", "scalar_subquery", "registered_udf"),
    # The mean is over the urgent orders of the order's own region.
    expected=[
        ({"order_id": 2}, {"shop_orders": {2, 3, 10}}),
        ({"order_id": 4}, {"shop_orders": {4, 8}}),
    ],
)
def above_urgent_mean(spark: SparkSession) -> DataFrame:
    def is_urgent(note: str | None) -> bool:
        return note is not None and any(word in note.lower() for word in ("urgent", "hurry"))

    spark.udf.register("is_urgent", F.udf(is_urgent, "boolean", useArrow=False))
    ORDERS.view(spark)
    return spark.sql(
        """
        SELECT order_id, region, amount
        FROM shop_orders o
        WHERE amount > (SELECT avg(amount) FROM shop_orders i WHERE is_urgent(i.note) AND i.region = o.region)
        """
    )


@job(
    covers=("rollup", "inner_join", "group_by"),
    expected=[
        ({"segment": "retail", "region": "EU"}, {"shop_orders": {1, 2, 3}, "buyers": {1, 2}}),
        ({"segment": "trade", "region": None}, {"shop_orders": {4, 5}, "buyers": {3}}),
    ],
)
def revenue_rollup(spark: SparkSession) -> DataFrame:
    orders, buyers = ORDERS.read(spark), BUYERS.read(spark)
    return (
        orders.join(buyers, orders["customer"] == buyers["buyer"])
        .where("segment is not null")
        .rollup("segment", "region")
        .agg(F.sum("amount").alias("amount"), F.count("*").alias("orders"))
        .where("amount > 100")
    )


@job(
    covers=("cte_twice", "scalar_subquery", "left_join"),
    expected=[
        # 640 net, the US has 280: its orders and refunds, for itself and for the maximum.
        ({"region": "EU"}, {"shop_orders": {1, 2, 3, 10}, "refunds": {1}}),
    ],
)
def best_region(spark: SparkSession) -> DataFrame:
    ORDERS.view(spark)
    REFUNDS.view(spark)
    return spark.sql(
        """
        WITH refunded AS (SELECT order_id, sum(amount) AS back FROM refunds GROUP BY order_id),
        net AS (
            SELECT region, sum(o.amount - coalesce(r.back, 0)) AS net
            FROM shop_orders o LEFT JOIN refunded r ON o.order_id = r.order_id
            WHERE region IS NOT NULL AND o.amount IS NOT NULL
            GROUP BY region)
        SELECT region, net FROM net WHERE net = (SELECT max(net) FROM net)
        """
    )


@job(
    covers=("not_exists", "udf_in_group_key", "python_udf", "sort"),
    expected=[
        ({"theme": "gift"}, {"shop_orders": {1, 6, 9, 10}}),
        ({"theme": "other"}, {"shop_orders": {5, 7}}),
    ],
)
def unrefunded_themes(spark: SparkSession) -> DataFrame:
    def theme(note: str | None) -> str:
        return "gift" if note and "gift" in note.lower() else "urgent" if note else "other"

    orders, refunds = ORDERS.read(spark), REFUNDS.read(spark)
    return (
        orders.join(refunds.where("amount >= 50"), "order_id", "left_anti")
        .groupBy(F.udf(theme, "string", useArrow=False)("note").alias("theme"))
        .agg(F.count("*").alias("orders"), F.avg("amount").alias("mean"))
        .orderBy(F.desc("orders"), "theme")
    )


@job(
    covers=("in_subquery", "case_when", "group_by"),
    expected=[
        ({"band": "large"}, {"shop_orders": {2, 4, 8}, "buyers": {1, 2, 3}}),
        ({"band": "small"}, {"shop_orders": {1, 3, 5}, "buyers": {1, 2, 3}}),
    ],
)
def bands_of_known_segments(spark: SparkSession) -> DataFrame:
    ORDERS.view(spark)
    BUYERS.view(spark)
    return spark.sql(
        """
        SELECT CASE WHEN amount >= 250 THEN 'large' WHEN amount >= 20 THEN 'small' ELSE 'unknown' END AS band,
               count(*) AS orders, sum(amount) AS amount
        FROM shop_orders
        WHERE customer IN (SELECT buyer FROM buyers WHERE segment IS NOT NULL)
        GROUP BY 1
        """
    )
