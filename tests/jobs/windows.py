"""Windows as reports use them: running totals, rolling ranges, rankings, neighbours, several in one select."""

from __future__ import annotations

from datetime import date

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from .registry import job, table

LEDGER = table(
    "ledger",
    "entry int, account string, day date, amount int",
    [
        (1, "cash", date(2026, 1, 1), 100),
        (2, "cash", date(2026, 1, 3), -30),
        (3, "cash", date(2026, 1, 3), -30),
        (4, "cash", date(2026, 1, 12), 50),
        (5, "bank", date(2026, 1, 2), 500),
        (6, "bank", date(2026, 1, 4), None),
        (7, "bank", date(2026, 1, 9), -200),
        (8, None, date(2026, 1, 5), 1),
        (9, "bank", None, 70),
        (10, "cash", date(2026, 1, 20), 10),
        (11, "bank", date(2026, 1, 10), 40),
    ],
)


@job(
    covers=("window_running", "window_rows", "window_whole_partition", "several_windows"),
    # One select, one operator: the largest of the three frames is the whole account.
    expected=[({"entry": 4}, {"ledger": {1, 2, 3, 4, 10}}), ({"entry": 8}, {"ledger": {8}})],
)
def balances(spark: SparkSession) -> DataFrame:
    account = Window.partitionBy("account")
    by_day = account.orderBy("day", "entry")
    return (
        LEDGER.read(spark)
        .where("day is not null")
        .select(
            "entry",
            "account",
            F.sum("amount")
            .over(by_day.rowsBetween(Window.unboundedPreceding, Window.currentRow))
            .alias("balance"),
            F.avg("amount").over(by_day.rowsBetween(-2, 0)).alias("moving"),
            F.sum("amount").over(account).alias("turnover"),
        )
    )


@job(
    covers=("window_range", "filter"),
    expected=[
        # The seven days up to the entry's own; two entries of one day see each other.
        ({"entry": 2}, {"ledger": {1, 2, 3}}),
        ({"entry": 11}, {"ledger": {6, 7, 11}}),
    ],
)
def weekly_turnover(spark: SparkSession) -> DataFrame:
    days = F.datediff("day", F.lit(date(2026, 1, 1)))
    week = Window.partitionBy("account").orderBy(days).rangeBetween(-6, Window.currentRow)
    return (
        LEDGER.read(spark)
        .where("day is not null and account is not null")
        .withColumn("week", F.sum(F.abs("amount")).over(week))
        .where("week > 100")
        .select("entry", "account", "week")
    )


@job(
    covers=("window_range_interval", "registered_sql"),
    expected=[({"entry": 4}, {"ledger": {2, 3, 4}}), ({"entry": 1}, {"ledger": {1}})],
)
def ten_day_low(spark: SparkSession) -> DataFrame:
    LEDGER.view(spark)
    return spark.sql(
        """
        SELECT entry, account, amount - low AS above_low
        FROM (
            SELECT *, min(amount) OVER (
                PARTITION BY account ORDER BY day RANGE BETWEEN INTERVAL 10 DAYS PRECEDING AND CURRENT ROW) AS low
            FROM ledger WHERE day IS NOT NULL AND account = 'cash'
        )
        WHERE amount >= low
        """
    )


@job(
    covers=("window_ranking", "window_ntile", "several_windows"),
    # ntile, percent_rank and cume_dist are about the whole partition.
    expected=[({"entry": 7}, {"ledger": {5, 7, 9, 11}})],
)
def ranked_entries(spark: SparkSession) -> DataFrame:
    by_amount = Window.partitionBy("account").orderBy(F.desc("amount"), "entry")
    return (
        LEDGER.read(spark)
        .where("amount is not null")
        .select(
            "entry",
            "account",
            F.rank().over(by_amount).alias("rank"),
            F.ntile(2).over(by_amount).alias("half"),
            F.round(F.percent_rank().over(by_amount), 3).alias("share"),
            F.cume_dist().over(by_amount).alias("up_to"),
        )
    )


@job(
    covers=("window_dense_rank", "filter"),
    # From the largest amount down to the row, with its peers.
    expected=[({"entry": 10}, {"ledger": {1, 4, 10}}), ({"entry": 3}, {"ledger": {1, 2, 3, 4, 10}})],
)
def cash_by_rank(spark: SparkSession) -> DataFrame:
    by_amount = Window.partitionBy("account").orderBy(F.desc("amount"))
    return (
        LEDGER.read(spark)
        .where("account = 'cash'")
        .withColumn("place", F.dense_rank().over(by_amount))
        .where("place between 3 and 4")
        .select("entry", "amount", "place")
    )


@job(
    covers=("window_lag", "window_lead", "window_first", "several_windows"),
    # The row before, the row after, the first of all; and the row. They are three steps: the first of all (5) was
    # given the row after it (6) before it was fetched.
    expected=[({"entry": 3}, {"ledger": {1, 2, 3, 4}}), ({"entry": 11}, {"ledger": {5, 6, 7, 11}})],
)
def neighbours(spark: SparkSession) -> DataFrame:
    by_day = Window.partitionBy("account").orderBy("day", "entry")
    return (
        LEDGER.read(spark)
        .where("day is not null")
        .withColumn("previous", F.lag("amount").over(by_day))
        .withColumn("next", F.lead("amount").over(by_day))
        .withColumn("opening", F.first("amount").over(by_day))
        .withColumn("change", F.col("amount") - F.col("previous"))
        .select("entry", "account", "change", "next", "opening")
    )


@job(
    covers=("window_rows_following",),
    expected=[({"entry": 2}, {"ledger": {1, 2, 3}}), ({"entry": 5}, {"ledger": {5, 6}})],
)
def centred_mean(spark: SparkSession) -> DataFrame:
    by_day = Window.partitionBy("account").orderBy("day", "entry")
    return (
        LEDGER.read(spark)
        .where("day is not null and account is not null")
        .withColumn("centred", F.avg("amount").over(by_day.rowsBetween(-1, 1)))
        .select("entry", "account", F.round("centred", 2).alias("centred"))
    )


@job(
    covers=("window_over_aggregate", "group_by", "window_lag"),
    # The group of the day and the group of the account's day before.
    expected=[
        ({"account": "cash", "day": date(2026, 1, 12)}, {"ledger": {2, 3, 4}}),
        ({"account": "bank", "day": date(2026, 1, 2)}, {"ledger": {5}}),
    ],
)
def daily_growth(spark: SparkSession) -> DataFrame:
    by_day = Window.partitionBy("account").orderBy("day")
    return (
        LEDGER.read(spark)
        .where("day is not null and account is not null")
        .groupBy("account", "day")
        .agg(F.sum("amount").alias("total"), F.count("*").alias("entries"))
        .withColumn("before", F.lag("total").over(by_day))
        .withColumn("growth", F.col("total") - F.col("before"))
        .select("account", "day", "total", "growth")
    )


@job(
    covers=("udf_in_window_order", "window_row_number", "python_udf"),
    # The two largest movements of each account, in either direction; the second has the first in its frame.
    expected=[
        ({"entry": 1}, {"ledger": {1}}),
        ({"entry": 7}, {"ledger": {5, 7}}),
        ({"entry": 4}, {"ledger": {1, 4}}),
    ],
)
def largest_movements(spark: SparkSession) -> DataFrame:
    size = F.udf(lambda amount: abs(amount), "int", useArrow=False)
    by_size = Window.partitionBy("account").orderBy(F.desc("size"), "entry")
    return (
        LEDGER.read(spark)
        .where("amount is not null and account is not null")
        .withColumn("size", size("amount"))
        .withColumn("place", F.row_number().over(by_size))
        .where("place <= 2")
        .select("entry", "account", "size", "place")
    )
