"""Clickstreams: sessions by gaps, funnels, attribution."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from .registry import at, job, table

CLICKS = table(
    "clicks",
    "click_id int, user string, at timestamp, page string, campaign string",
    [
        (1, "ann", at("2026-05-01 09:00"), "home", "mail"),
        (2, "ann", at("2026-05-01 09:10"), "product", None),
        (3, "ann", at("2026-05-01 09:12"), "basket", None),
        (4, "ann", at("2026-05-01 11:00"), "home", "ads"),
        (5, "ann", at("2026-05-01 11:05"), "purchase", None),
        (6, "bob", at("2026-05-01 09:05"), "home", None),
        (7, "bob", at("2026-05-01 10:30"), "product", "ads"),
        (8, "bob", at("2026-05-01 10:31"), "product", None),
        (9, "cid", at("2026-05-01 12:00"), "home", "ads"),
        (10, None, at("2026-05-01 12:01"), "home", None),
        (11, "ann", None, "home", None),
        (12, "dee", at("2026-05-02 08:00"), "purchase", "mail"),
        (13, "dee", at("2026-05-02 08:20"), "home", None),
        (14, "bob", at("2026-05-01 10:40"), "basket", None),
    ],
)
USERS = table(
    "users",
    "name string, plan string",
    [("ann", "pro"), ("bob", "free"), ("cid", "free"), ("eve", "pro")],
)


def _sessions(clicks: DataFrame) -> DataFrame:
    """Numbers the sessions of each user: after half an hour without a click a new one begins."""
    by_time = Window.partitionBy("user").orderBy("at", "click_id")
    gap = F.unix_timestamp("at") - F.unix_timestamp(F.lag("at").over(by_time))
    return (
        clicks.where("user is not null and at is not null")
        .withColumn("is_new", F.when(gap.isNull() | (gap > 1800), 1).otherwise(0))
        .withColumn("session", F.sum("is_new").over(by_time))
    )


@job(
    covers=("sessionisation", "window_lag", "window_running", "group_by"),
    # A session is numbered by the clicks before it: the running count has all of the user's clicks up to here.
    expected=[
        ({"user": "ann", "session": 1}, {"clicks": {1, 2, 3}}),
        ({"user": "ann", "session": 2}, {"clicks": {1, 2, 3, 4, 5}}),
        ({"user": "bob", "session": 2}, {"clicks": {6, 7, 8, 14}}),
    ],
)
def sessions_of_users(spark: SparkSession) -> DataFrame:
    return (
        _sessions(CLICKS.read(spark))
        .groupBy("user", "session")
        .agg(F.min("at").alias("started"), F.count("*").alias("clicks"))
        .withColumn("bounced", F.col("clicks") == 1)
    )


@job(
    covers=("sessionisation", "semi_join", "inner_join", "window_lag"),
    expected=[
        # bob's first session has one click, cid's only session too.
        ({"plan": "free"}, {"users": {"bob", "cid"}, "clicks": {6, 9}}),
    ],
)
def bounces_by_plan(spark: SparkSession) -> DataFrame:
    bounces = (
        _sessions(CLICKS.read(spark)).groupBy("user", "session").agg(F.count("*").alias("n")).where("n = 1")
    )
    return (
        USERS.read(spark)
        .join(bounces, F.col("name") == F.col("user"))
        .groupBy("plan")
        .agg(F.count("*").alias("bounces"))
    )


@job(
    covers=("funnel", "pivot", "group_by"),
    expected=[
        # Only the three steps are pivoted; one-row aggregates have the first click of each step.
        ({"user": "ann"}, {"clicks": {1, 2, 5}}),
        ({"user": "bob"}, {"clicks": {6, 7}}),
    ],
)
def funnel_per_user(spark: SparkSession) -> DataFrame:
    return (
        CLICKS.read(spark)
        .where("user is not null and at is not null")
        .groupBy("user")
        .pivot("page", ["home", "product", "purchase"])
        .agg(F.min("at"))
        .withColumn("converted", F.col("purchase") >= F.col("home"))
    )


@job(
    covers=("window_last_ignoring_nulls", "attribution"),
    expected=[
        # The last campaign before the purchase is the one of click 4.
        ({"click_id": 5}, {"clicks": {4, 5}}),
        ({"click_id": 12}, {"clicks": {12}}),
    ],
)
def last_touch_attribution(spark: SparkSession) -> DataFrame:
    until_now = Window.partitionBy("user").orderBy("at", "click_id").rowsBetween(Window.unboundedPreceding, 0)
    return (
        CLICKS.read(spark)
        .withColumn("last_campaign", F.last("campaign", ignorenulls=True).over(until_now))
        .where("page = 'purchase'")
        .select("click_id", "user", "last_campaign")
    )


@job(
    covers=("window_range", "several_windows", "filter"),
    expected=[
        # Clicks of the hour before and the next click.
        ({"click_id": 2}, {"clicks": {1, 2, 3}}),
        ({"click_id": 14}, {"clicks": {7, 8, 14}}),
    ],
)
def activity_within_an_hour(spark: SparkSession) -> DataFrame:
    seconds = F.unix_timestamp("at")
    last_hour = Window.partitionBy("user").orderBy(seconds).rangeBetween(-3600, 0)
    by_time = Window.partitionBy("user").orderBy("at", "click_id")
    return (
        CLICKS.read(spark)
        .where("at is not null and user is not null")
        .select(
            "click_id",
            "user",
            F.count("*").over(last_hour).alias("recent"),
            F.lead("page").over(by_time).alias("next_page"),
        )
    )


@job(
    covers=("time_window", "group_by", "python_udf"),
    expected=[
        ({"hour": at("2026-05-01 09:00").replace(tzinfo=None), "kind": "browse"}, {"clicks": {1, 2, 6}})
    ],
)
def hourly_activity(spark: SparkSession) -> DataFrame:
    kind = F.udf(lambda page: "buy" if page in ("basket", "purchase") else "browse", "string")
    return (
        CLICKS.read(spark)
        .where("at is not null")
        .withColumn("kind", kind("page"))
        .groupBy(F.window("at", "1 hour").alias("slot"), "kind")
        .agg(F.count("*").alias("clicks"), F.countDistinct("user").alias("users"))
        .select(F.col("slot.start").alias("hour"), "kind", "clicks", "users")
    )
