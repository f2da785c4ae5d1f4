"""Aggregates of one's own: pandas functions over groups and windows, functions of collected lists."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas import functions as pandas_functions

from .registry import job, table

pandas_udf: Any = pandas_functions.pandas_udf

TRADES = table(
    "trades",
    "trade int, symbol string, minute int, price double, volume int",
    [
        (1, "AAA", 1, 10.0, 100),
        (2, "AAA", 2, 11.0, 300),
        (3, "AAA", 3, 12.0, None),
        (4, "BBB", 1, 50.0, 10),
        (5, "BBB", 2, 40.0, 30),
        (6, "CCC", 1, None, 5),
        (7, None, 1, 9.0, 10),
        (8, "AAA", 4, 8.0, 100),
        (9, "CCC", 2, 3.0, 1),
    ],
)


@job(
    covers=("pandas_grouped_aggregate", "having", "group_by"),
    expected=[({"symbol": "AAA"}, {"trades": {1, 2, 8}}), ({"symbol": "BBB"}, {"trades": {4, 5}})],
)
def volume_weighted_price(spark: SparkSession) -> DataFrame:
    def weighted(prices: pd.Series, volumes: pd.Series) -> float:
        return round(float((prices * volumes).sum() / volumes.sum()), 4)

    weighted_mean = pandas_udf(weighted, "double")
    return (
        TRADES.read(spark)
        .dropna(subset=["symbol", "price", "volume"])
        .groupBy("symbol")
        .agg(weighted_mean("price", "volume").alias("vwap"))
        .where("vwap > 5")
    )


@job(
    covers=("pandas_grouped_aggregate_over_window", "window_whole_partition", "filter"),
    expected=[({"trade": 8}, {"trades": {1, 2, 3, 8}})],
)
def outlier_trades(spark: SparkSession) -> DataFrame:
    def median(prices: pd.Series) -> float:
        return float(prices.median())

    whole = Window.partitionBy("symbol")
    return (
        TRADES.read(spark)
        .where("price is not null and symbol is not null")
        .withColumn("typical", pandas_udf(median, "double")("price").over(whole))
        .where("abs(price - typical) > 2")
        .where("symbol = 'AAA'")
        .select("trade", "symbol", "price", "typical")
    )


@job(
    covers=("pandas_grouped_aggregate_over_window", "window_rows"),
    expected=[({"trade": 3}, {"trades": {2, 3}}), ({"trade": 4}, {"trades": {4}})],
)
def smoothed_prices(spark: SparkSession) -> DataFrame:
    def mean(prices: pd.Series) -> float:
        return float(prices.mean())

    last_two = Window.partitionBy("symbol").orderBy("minute", "trade").rowsBetween(-1, 0)
    return (
        TRADES.read(spark)
        .where("symbol in ('AAA', 'BBB')")
        .select("trade", F.round(pandas_udf(mean, "double")("price").over(last_two), 2).alias("smooth"))
    )


@job(
    covers=("collect_list", "udf_on_group", "python_udf", "group_by"),
    expected=[({"symbol": "AAA"}, {"trades": {1, 2, 3, 8}}), ({"symbol": "CCC"}, {"trades": {6, 9}})],
)
def price_path(spark: SparkSession) -> DataFrame:
    def ups(steps: list[Any]) -> int:
        prices = [step["price"] for step in steps if step["price"] is not None]
        return sum(later > earlier for earlier, later in pairwise(prices))

    count_ups = F.udf(ups, "int", useArrow=False)
    return (
        TRADES.read(spark)
        .where("symbol is not null")
        .groupBy("symbol")
        .agg(F.sort_array(F.collect_list(F.struct("minute", "price"))).alias("path"))
        .select("symbol", count_ups("path").alias("ups"), F.size("path").alias("trades"))
    )


@job(
    covers=("pandas_grouped_aggregate", "inner_join", "sort_limit"),
    # The busiest of the symbols above their own mean price.
    expected=[({"trade": 2}, {"trades": {1, 2, 3, 8}})],
)
def busiest_trade_above_mean(spark: SparkSession) -> DataFrame:
    def trimmed_mean(prices: pd.Series) -> float:
        kept = prices.sort_values()[1:] if len(prices) > 2 else prices
        return float(kept.mean())

    trades = TRADES.read(spark).where("price is not null and symbol is not null")
    means = trades.groupBy("symbol").agg(pandas_udf(trimmed_mean, "double")("price").alias("mean"))
    return (
        trades.join(means, "symbol")
        .where("price >= mean and volume is not null")
        .orderBy(F.desc("volume"), "trade")
        .limit(1)
        .select("trade", "symbol", "volume")
    )
