"""applyInPandas, cogroup and mapInPandas inside longer jobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .registry import job, table

METERS = table(
    "meter_readings",
    "reading int, meter string, day int, kwh double",
    [
        (1, "m1", 1, 10.0),
        (2, "m1", 2, None),
        (3, "m1", 3, 14.0),
        (4, "m2", 1, 100.0),
        (5, "m2", 2, 300.0),
        (6, "m3", 1, None),
        (7, None, 1, 5.0),
        (8, " M1", 4, 12.0),
        (9, "m2", 3, None),
    ],
)
CUSTOMERS = table(
    "meter_owners",
    "owner string, meter string, tariff string",
    [("kim", "m1", "day"), ("lou", "m2", "night"), ("max", "m3", "day"), ("pat", "m9", None)],
)


@job(
    covers=("apply_in_pandas", "grouped_normalisation", "filter", "inner_join"),
    # The whole group, whatever the function does; reading 8 is another meter until someone trims it.
    expected=[
        ({"reading": 3}, {"meter_readings": {1, 3}, "meter_owners": {"kim"}}),
        ({"reading": 4}, {"meter_readings": {4, 5}, "meter_owners": {"lou"}}),
    ],
)
def normalised_by_meter(spark: SparkSession) -> DataFrame:
    def normalise(group: pd.DataFrame) -> pd.DataFrame:
        group["share"] = (group["kwh"] / group["kwh"].sum()).round(4)
        return group[["reading", "meter", "share"]]

    shares = (
        METERS.read(spark)
        .where("kwh is not null")
        .groupBy("meter")
        .applyInPandas(normalise, "reading int, meter string, share double")
    )
    return shares.join(CUSTOMERS.read(spark), "meter").select("reading", "owner", "share")


@job(
    covers=("apply_in_pandas", "imputation", "udf_in_group_key", "group_by"),
    expected=[
        ({"tariff": "day"}, {"meter_readings": {1, 2, 3, 6, 8}, "meter_owners": {"kim", "max"}}),
        ({"tariff": "night"}, {"meter_readings": {4, 5, 9}, "meter_owners": {"lou"}}),
    ],
)
def filled_forward_by_meter(spark: SparkSession) -> DataFrame:
    def fill(key: tuple[Any, ...], group: pd.DataFrame) -> pd.DataFrame:
        ordered = group.sort_values("day")
        return ordered.assign(kwh=ordered["kwh"].ffill().fillna(0.0))[["meter", "day", "kwh"]]

    trim = F.udf(lambda meter: None if meter is None else meter.strip().lower(), "string", useArrow=False)
    filled = (
        METERS.read(spark)
        .withColumn("meter", trim("meter"))
        .where("meter is not null")
        .groupBy("meter")
        .applyInPandas(fill, "meter string, day int, kwh double")
    )
    return (
        filled.join(CUSTOMERS.read(spark), "meter")
        .groupBy("tariff")
        .agg(F.round(F.sum("kwh"), 2).alias("kwh"), F.countDistinct("meter").alias("meters"))
    )


@job(
    covers=("apply_in_pandas", "grouped_map_by_udf"),
    # Grouped by what a function makes of the key: readings 1, 2, 3 and 8 are of one meter.
    expected=[
        ({"meter": "m1"}, {"meter_readings": {1, 2, 3, 8}}),
        ({"meter": "m3"}, {"meter_readings": {6}}),
    ],
)
def longest_gap_by_meter(spark: SparkSession) -> DataFrame:
    def longest_gap(key: tuple[Any, ...], group: pd.DataFrame) -> pd.DataFrame:
        days = group.loc[group["kwh"].notna(), "day"].sort_values()
        gap = days.diff().max()
        return pd.DataFrame({"meter": [key[0]], "gap": [0 if pd.isna(gap) else int(gap)]})

    trim = F.udf(lambda meter: meter.strip().lower(), "string", useArrow=True)
    return (
        METERS.read(spark)
        .where("meter is not null")
        .groupBy(trim("meter").alias("clean_meter"))
        .applyInPandas(longest_gap, "meter string, gap int")
        .where("gap >= 0")
    )


PAYMENTS = table(
    "payments",
    "payment int, invoice string, amount int",
    [(1, "i1", 40), (2, "i1", 60), (3, "i2", 10), (4, "i9", 5), (5, None, 7), (6, "i4", 30)],
)
INVOICES = table(
    "invoices",
    "invoice string, customer string, due int",
    [("i1", "kim", 100), ("i2", "kim", 50), ("i3", "lou", 20), ("i4", None, 30), ("i5", "lou", None)],
)


@job(
    covers=("cogroup_apply_in_pandas", "filter"),
    expected=[
        ({"invoice": "i1"}, {"payments": {1, 2}, "invoices": {"i1"}}),
        ({"invoice": "i3"}, {"invoices": {"i3"}}),
        ({"invoice": "i9"}, {"payments": {4}}),
    ],
)
def open_amounts(spark: SparkSession) -> DataFrame:
    def settle(key: tuple[Any, ...], invoices: pd.DataFrame, payments: pd.DataFrame) -> pd.DataFrame:
        left = int(invoices["due"].fillna(0).sum()) - int(payments["amount"].sum())
        return pd.DataFrame({"invoice": [key[0]], "open": [left], "payments": [len(payments)]})

    invoices, payments = INVOICES.read(spark), PAYMENTS.read(spark).where("invoice is not null")
    return (
        invoices.groupBy("invoice")
        .cogroup(payments.groupBy("invoice"))
        .applyInPandas(settle, "invoice string, open int, payments int")
        .withColumn("state", F.when(F.col("open") > 0, "open").otherwise("settled"))
    )


@job(
    covers=("cogroup_apply_in_pandas", "group_by", "semi_join"),
    expected=[({"customer": "kim"}, {"payments": {1, 2, 3}, "invoices": {"i1", "i2"}})],
)
def paid_by_customer(spark: SparkSession) -> DataFrame:
    def paid(invoices: pd.DataFrame, payments: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame(
            {"customer": invoices["customer"], "paid": [int(payments["amount"].sum())] * len(invoices)}
        )

    invoices, payments = INVOICES.read(spark), PAYMENTS.read(spark)
    named = invoices.where("customer is not null")
    known = payments.join(named, "invoice", "left_semi")
    return (
        named.groupBy("invoice")
        .cogroup(known.groupBy("invoice"))
        .applyInPandas(paid, "customer string, paid int")
        .groupBy("customer")
        .agg(F.sum("paid").alias("paid"), F.count("*").alias("invoices"))
    )


LOG_LINES = table(
    "log_lines",
    "line_no int, host string, line string",
    [
        (1, "web1", "GET /home 200 12"),
        (2, "web1", "GET /shop 500 90"),
        (3, "web2", "garbage"),
        (4, "web2", "POST /shop 201 40"),
        (5, None, "GET /home 200 10"),
        (6, "web1", None),
        (7, "web2", "GET /shop 200 33"),
    ],
)


@job(
    covers=("map_in_pandas", "group_by", "filter"),
    opaque=True,
    # Nobody knows what became of which line: all lines that reached the function.
    expected=[({"path": "/shop"}, {"log_lines": {1, 2, 3, 4, 7}})],
)
def parsed_access_log(spark: SparkSession) -> DataFrame:
    def parse(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            parts = batch["line"].str.extract(r"^(\w+) (\S+) (\d+) (\d+)$")
            parsed = pd.DataFrame({"host": batch["host"], "path": parts[1], "millis": parts[3]})
            parsed = parsed[parsed["millis"].notna()]
            yield parsed.assign(millis=parsed["millis"].astype("int32"))

    return (
        LOG_LINES.read(spark)
        .where("line is not null and host is not null")
        .mapInPandas(parse, "host string, path string, millis int")
        .groupBy("path")
        .agg(F.count("*").alias("requests"), F.max("millis").alias("slowest"))
    )


@job(
    covers=("python_udf_struct", "group_by", "udf_in_filter"),
    # What the job above does, with a function of one row: exact.
    expected=[({"path": "/shop"}, {"log_lines": {2, 4, 7}}), ({"path": "/home"}, {"log_lines": {1}})],
)
def parsed_access_log_by_row(spark: SparkSession) -> DataFrame:
    def parse(line: str) -> tuple[str, int] | None:
        parts = line.split()
        return (parts[1], int(parts[3])) if len(parts) == 4 else None

    parsed = F.udf(parse, "struct<path:string,millis:int>", useArrow=False)
    return (
        LOG_LINES.read(spark)
        .where("line is not null and host is not null")
        .withColumn("parsed", parsed("line"))
        .where("parsed is not null")
        .groupBy("parsed.path")
        .agg(F.count("*").alias("requests"), F.max("parsed.millis").alias("slowest"))
    )
