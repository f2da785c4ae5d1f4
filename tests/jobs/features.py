"""Feature engineering: imputation, scaling, encodings, fuzzy matching, samples."""

from __future__ import annotations

from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas import functions as pandas_functions

from .registry import job, table

pandas_udf: Any = pandas_functions.pandas_udf

PATIENTS = table(
    "patients",
    "patient_id int, ward string, age int, weight double, smoker boolean",
    [
        (1, "north", 34, 70.0, False),
        (2, "north", 51, None, True),
        (3, "north", 47, 90.0, None),
        (4, "south", None, 60.0, True),
        (5, "south", 62, None, False),
        (6, "south", 29, 82.0, True),
        (7, None, 40, 75.0, False),
        (8, "east", 58, None, True),
        (9, None, 44, None, False),
        (10, "north", 34, 70.0, True),
    ],
)
LAB_RESULTS = table(
    "lab_results",
    "result_id int, patient int, test string, value double",
    [
        (1, 1, "glucose", 5.1),
        (2, 1, "glucose", 5.9),
        (3, 2, "glucose", 9.5),
        (4, 2, "sodium", 140.0),
        (5, 3, "glucose", None),
        (6, 4, "sodium", 128.0),
        (7, 6, "glucose", 7.0),
        (8, 6, "sodium", 141.0),
        (9, 7, "glucose", 4.4),
        (10, 99, "glucose", 5.0),
        (11, None, "sodium", 139.0),
        (12, 2, "glucose", 8.5),
    ],
)


@job(
    covers=("window_whole_partition", "imputation", "coalesce"),
    # The row itself and the whole ward its mean is of: the window is computed for rows that need no mean too.
    expected=[
        ({"patient_id": 2}, {"patients": {1, 2, 3, 10}}),
        ({"patient_id": 9}, {"patients": {7, 9}}),  # NULL is a ward like any other
    ],
)
def impute_weight_by_ward(spark: SparkSession) -> DataFrame:
    ward = Window.partitionBy("ward")
    return (
        PATIENTS.read(spark)
        .withColumn("ward_mean", F.avg("weight").over(ward))
        .withColumn("imputed", F.col("weight").isNull())
        .withColumn("weight", F.coalesce("weight", "ward_mean", F.lit(75.0)))
        .select("patient_id", "ward", "weight", "imputed")
    )


@job(
    covers=("left_join", "group_by", "imputation", "python_udf"),
    expected=[
        # No result at all: the patient alone. A NULL result still is one.
        ({"patient_id": 5}, {"patients": {5}}),
        ({"patient_id": 3}, {"patients": {3}, "lab_results": {5}}),
        ({"patient_id": 2}, {"patients": {2}, "lab_results": {3, 12}}),
    ],
)
def glucose_risk(spark: SparkSession) -> DataFrame:
    def risk(age: int | None, glucose: float | None, smoker: bool | None) -> str:
        points = (2 if glucose is not None and glucose > 7 else 0) + (1 if smoker else 0)
        points += 1 if age is not None and age > 50 else 0
        return ["low", "low", "medium", "high", "high"][points]

    risk_udf = F.udf(risk, "string", useArrow=False)
    glucose = (
        LAB_RESULTS.read(spark)
        .where("test = 'glucose'")
        .groupBy("patient")
        .agg(F.avg("value").alias("glucose"), F.count("*").alias("measured"))
    )
    return (
        PATIENTS.read(spark)
        .join(glucose, F.col("patient_id") == F.col("patient"), "left")
        .fillna(0, subset=["measured"])
        .select("patient_id", "measured", risk_udf("age", "glucose", "smoker").alias("risk"))
    )


@job(
    covers=("pandas_udf_scalar", "cross_join", "global_aggregate"),
    # Scaled by the smallest and largest glucose of all: one row of statistics, so those that attain them.
    expected=[({"result_id": 7}, {"lab_results": {3, 7, 9}}), ({"result_id": 3}, {"lab_results": {3, 9}})],
)
def scaled_glucose(spark: SparkSession) -> DataFrame:
    def min_max(values: pd.Series, low: pd.Series, high: pd.Series) -> pd.Series:
        return (values - low) / (high - low)

    scale = pandas_udf(min_max, "double")
    glucose = LAB_RESULTS.read(spark).where("test = 'glucose' and value is not null")
    extremes = glucose.agg(F.min("value").alias("low"), F.max("value").alias("high"))
    return (
        glucose.crossJoin(extremes)
        .withColumn("scaled", F.round(scale("value", "low", "high"), 3))
        .select("result_id", "patient", "scaled")
    )


LEADS = table(
    "leads",
    "lead_id int, company string, city string",
    [
        (1, "ACME Corp.", "Berlin"),
        (2, "acme", "berlin"),
        (3, "Globex GmbH", "Hamburg"),
        (4, "Initech", None),
        (5, None, "Berlin"),
        (6, "Globex", "Hamburg"),
    ],
)
ACCOUNTS = table(
    "accounts",
    "account_id int, legal_name string, owner string",
    [
        (10, "Acme Corporation", "kim"),
        (20, "GLOBEX GMBH", "lou"),
        (30, "Umbrella", "kim"),
        (40, "Acme Holding", None),
        (50, None, "lou"),
    ],
)


@job(
    covers=("udf_in_join", "inner_join", "python_udf", "group_by"),
    expected=[
        ({"owner": "kim"}, {"leads": {1, 2}, "accounts": {10}}),
        ({"owner": "nobody"}, {"leads": {1, 2}, "accounts": {40}}),
        ({"owner": "lou"}, {"leads": {3, 6}, "accounts": {20}}),
    ],
)
def leads_per_owner(spark: SparkSession) -> DataFrame:
    def same_company(left: str | None, right: str | None) -> bool:
        if left is None or right is None:
            return False
        return left.lower().split()[0] == right.lower().split()[0]

    matches = F.udf(same_company, "boolean", useArrow=False)
    return (
        LEADS.read(spark)
        .join(ACCOUNTS.read(spark), matches("company", "legal_name"))
        .withColumn("owner", F.coalesce("owner", F.lit("nobody")))
        .groupBy("owner")
        .agg(F.countDistinct("lead_id").alias("leads"))
    )


@job(
    covers=("udf_in_join", "left_join", "arrow_udf"),
    expected=[
        ({"lead_id": 6}, {"leads": {6}, "accounts": {20}}),
        ({"lead_id": 4}, {"leads": {4}}),
        ({"lead_id": 5}, {"leads": {5}}),
    ],
)
def accounts_of_leads_by_key(spark: SparkSession) -> DataFrame:
    first_word = F.udf(lambda name: name.lower().split()[0] if name else None, "string", useArrow=True)
    leads, accounts = LEADS.read(spark), ACCOUNTS.read(spark)
    keyed = accounts.where("account_id <> 40").withColumn("word", first_word("legal_name"))
    return (
        leads.join(keyed, first_word(leads["company"]) == keyed["word"], "left")
        .withColumn("city", F.initcap("city"))
        .select("lead_id", "city", "legal_name", "owner")
    )


@job(
    covers=("sample", "python_udf"),
    deterministic=False,
    expected=[({"patient_id": 1}, {"patients": {1}})],
)
def training_sample(spark: SparkSession) -> DataFrame:
    bucket = F.udf(lambda age: None if age is None else age // 10 * 10, "int")
    return (
        PATIENTS.read(spark)
        .where("age is not null")
        .withColumn("decade", bucket("age"))
        .sample(fraction=0.7, seed=3)
        .select("patient_id", "decade", "smoker")
    )


@job(
    covers=("pivot", "one_hot", "inner_join"),
    expected=[
        ({"patient_id": 2}, {"patients": {2}, "lab_results": {3, 4, 12}}),
        ({"patient_id": 4}, {"patients": {4}, "lab_results": {6}}),
    ],
)
def wide_lab_features(spark: SparkSession) -> DataFrame:
    wide = (
        LAB_RESULTS.read(spark)
        .groupBy("patient")
        .pivot("test", ["glucose", "sodium"])
        .agg(F.round(F.avg("value"), 1))
    )
    return (
        PATIENTS.read(spark)
        .join(wide, F.col("patient_id") == F.col("patient"))
        .withColumn("is_north", F.when(F.col("ward") == "north", 1).otherwise(0))
        .select("patient_id", "is_north", "glucose", "sodium")
    )


@job(
    covers=("median_imputation", "group_by", "left_join"),
    # The median of the ward, over all its rows, also those with no age.
    expected=[({"patient_id": 4}, {"patients": {4, 5, 6}}), ({"patient_id": 7}, {"patients": {7}})],
)
def impute_age_by_median(spark: SparkSession) -> DataFrame:
    patients = PATIENTS.read(spark)
    medians = patients.groupBy("ward").agg(F.percentile("age", 0.5).alias("median_age"))
    return (
        # The wards are compared by =, so that patients without one have no median.
        patients.join(medians, "ward", "left")
        .withColumn("age", F.coalesce(F.col("age").cast("double"), "median_age"))
        .select("patient_id", "ward", "age")
    )
