"""Cleaning: raw feeds with dirty strings, NULLs and repeated rows, put in order by functions of one's own.

Functions are defined inside the jobs so that Spark ships them by value, here as in the other themes.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas import functions as pandas_functions

from .registry import bag, job, table

# Its overloads know the old function types only, not the type hints that replaced them.
pandas_udf: Any = pandas_functions.pandas_udf

CONTACTS = table(
    "contacts",
    "contact_id int, name string, email string, phone string, country string",
    [
        (1, " Ada Lovelace", "ADA@Example.com ", "0044 20 7946 0001", "UK"),
        (2, "ada lovelace", "ada@example.com", None, "uk"),
        (3, "Grace Hopper", "grace@navy.mil", "+1-555-0102", "US"),
        (4, None, "not-an-email", "n/a", "US"),
        (5, "Alan Turing", "alan@bletchley.uk", "0044-20-7946-0005", None),
        (6, "", "  ", "555 0106", "us"),
        (7, "Edsger Dijkstra", "EDSGER@tue.nl", "+31 40 000 0007", "NL"),
        (8, "Edsger W. Dijkstra", "edsger@TUE.nl", "+31 40 000 0008", "NL"),
        (9, "Barbara Liskov", None, None, "US"),
        (10, "Grace Hopper", "grace@navy.mil", "+1 555 0102", "US"),
    ],
)


@job(
    covers=("python_udf", "udf_in_filter", "udf_in_group_key", "filter", "group_by"),
    expected=[
        ({"email": "ada@example.com"}, {"contacts": {1, 2}}),
        ({"email": "edsger@tue.nl"}, {"contacts": {7, 8}}),
    ],
)
def merge_contacts_by_email(spark: SparkSession) -> DataFrame:
    def normalise_email(raw: str | None) -> str | None:
        if raw is None or not raw.strip():
            return None
        return raw.strip().lower()

    def is_valid_email(email: str | None) -> bool:
        return email is not None and "@" in email and "." in email.split("@")[1]

    normalise = F.udf(normalise_email, "string", useArrow=False)
    is_valid = F.udf(is_valid_email, "boolean", useArrow=False)
    return (
        CONTACTS.read(spark)
        .withColumn("email", normalise("email"))
        .where(is_valid("email"))
        .withColumn("has_phone", F.col("phone").isNotNull().cast("int"))
        .groupBy("email")
        .agg(F.count("*").alias("contacts"), F.sum("has_phone").alias("with_phone"))
    )


@job(
    covers=("arrow_udf", "fillna", "dropna", "replace"),
    expected=[
        # 0044 20 7946 0001 has UK's prefix; 'uk' and 'UK' became GB before.
        ({"name": "ada lovelace", "phone": "+442079460001"}, {"contacts": {1}}),
        ({"name": "grace hopper"}, {"contacts": {3, 10}}),
    ],
)
def normalise_phone_book(spark: SparkSession) -> DataFrame:
    def to_international(phone: str | None) -> str | None:
        if phone is None:
            return None
        digits = "".join(c for c in phone if c.isdigit())
        if digits.startswith("00"):
            return "+" + digits[2:]
        return "+" + digits if phone.startswith("+") else digits or None

    international = F.udf(to_international, "string", useArrow=True)
    return (
        CONTACTS.read(spark)
        .dropna(subset=["name", "phone"])
        .fillna({"country": "??"})
        .replace({"UK": "GB", "uk": "GB", "us": "US"}, subset=["country"])
        .select(F.lower(F.trim("name")).alias("name"), international("phone").alias("phone"), "country")
        .where("name != '' and phone is not null")
    )


INVOICE_LINES = bag(
    "invoice_lines",
    "invoice string, line int, sku string, amount string, currency string",
    [
        ("A-1", 1, "sku-001", "1.200,50", "EUR"),
        ("A-1", 2, "SKU001", "99,90", "EUR"),
        ("A-1", 2, "SKU001", "99,90", "EUR"),  # sent twice
        ("A-2", 1, "Sku 002", "$ 15.00", "USD"),
        ("A-2", 2, None, "free", "USD"),
        ("A-3", 1, "sku-003", None, "EUR"),
        ("A-3", 2, "SKU-002", "7", None),
        ("A-4", 1, "sku_002", "20.00", "USD"),
        ("A-4", 2, "bad!", "20.00", "USD"),
        ("A-5", 1, "SKU-001", "50,00", "EUR"),
    ],
)


@job(
    covers=("sql_udf", "registered_udf", "udf_in_group_key", "having"),
    expected=[
        (
            {"sku": "SKU-002"},
            {
                "invoice_lines": {
                    ("A-2", 1, "Sku 002", "$ 15.00", "USD"),
                    ("A-3", 2, "SKU-002", "7", None),
                    ("A-4", 1, "sku_002", "20.00", "USD"),
                }
            },
        )
    ],
)
def revenue_by_sku(spark: SparkSession) -> DataFrame:
    def clean_sku(raw: str | None) -> str | None:
        if raw is None:
            return None
        digits = "".join(c for c in raw if c.isdigit())
        return f"SKU-{digits.zfill(3)}" if digits else None

    def parse_amount(raw: str | None) -> Decimal | None:
        if raw is None:
            return None
        text = raw.replace("$", "").strip()
        if "," in text:
            text = text.replace(".", "").replace(",", ".")
        try:
            return Decimal(text).quantize(Decimal("0.01"))
        except ArithmeticError:
            return None

    spark.udf.register("clean_sku", F.udf(clean_sku, "string", useArrow=False))
    spark.udf.register("parse_amount", F.udf(parse_amount, "decimal(12,2)", useArrow=False))
    INVOICE_LINES.view(spark)
    return spark.sql(
        """
        WITH parsed AS (
            SELECT invoice, clean_sku(sku) AS sku, parse_amount(amount) AS amount FROM invoice_lines
        )
        SELECT sku, count(DISTINCT invoice) AS invoices, sum(amount) AS revenue
        FROM parsed
        WHERE sku IS NOT NULL AND amount IS NOT NULL
        GROUP BY sku
        HAVING sum(amount) > 20
        """
    )


@job(
    covers=("pandas_udf_iterator", "distinct", "coalesce"),
    expected=[
        # The line that was sent twice is one row value.
        ({"invoice": "A-1", "line": 2}, {"invoice_lines": {("A-1", 2, "SKU001", "99,90", "EUR")}}),
    ],
)
def invoice_lines_in_euro(spark: SparkSession) -> DataFrame:
    def rates(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        table = {"EUR": 1.0, "USD": 0.5}  # loaded once for all batches
        for batch in batches:
            yield batch.map(table).fillna(0.0)

    rate = pandas_udf(rates, "double")
    cleaned = F.regexp_replace(F.regexp_replace("amount", r"[$ .]", ""), ",", ".")
    return (
        INVOICE_LINES.read(spark)
        .distinct()
        .withColumn("number", cleaned.try_cast("double"))
        .where("number is not null")
        .withColumn("rate", rate(F.coalesce("currency", F.lit("EUR"))))
        .select("invoice", "line", (F.col("number") * F.col("rate")).alias("euro"))
    )


PARCELS = table(
    "parcels",
    "parcel_id int, destination string, grams int, express boolean",
    [
        (1, "DE", 400, False),
        (2, "DE", 1500, False),
        (3, "FR", 400, True),
        (4, "US", 900, False),
        (5, "US", 12000, True),
        (6, "JP", 300, False),
        (7, None, 300, False),
        (8, "DE", None, False),
        (9, "AT", 31000, False),
        (10, "BR", 2500, True),
        (11, "FR", 450, True),
        (12, "DE", -5, False),
        (13, "JP", 6000, False),
        (14, "CH", 800, False),
    ],
)


@job(
    covers=("branching_udf", "python_udf", "udf_in_group_key"),
    expected=[
        ({"tariff": "EU-LETTER-EXPRESS"}, {"parcels": {3, 11}}),
        ({"tariff": "ERR-WEIGHT"}, {"parcels": {8, 12}}),
        ({"tariff": "WORLD-SMALL"}, {"parcels": {4, 6}}),
    ],
)
def tariff_of_parcels(spark: SparkSession) -> DataFrame:
    def tariff(destination: str | None, grams: int | None, express: bool) -> str:
        if destination is None:
            return "ERR-ADDRESS"
        if grams is None or grams <= 0:
            return "ERR-WEIGHT"
        if destination == "DE":
            if grams <= 500:
                return "DE-LETTER"
            if grams <= 2000:
                return "DE-SMALL"
            return "DE-PARCEL"
        if destination in ("AT", "FR", "NL"):
            if grams <= 500:
                return "EU-LETTER-EXPRESS" if express else "EU-LETTER"
            if grams <= 10000:
                return "EU-PARCEL-EXPRESS" if express else "EU-PARCEL"
            return "EU-FREIGHT"
        if destination == "CH":
            return "CH-CUSTOMS"
        if grams <= 1000:
            return "WORLD-SMALL"
        if express:
            return "WORLD-EXPRESS"
        return "WORLD-SURFACE"

    tariff_udf = F.udf(tariff, "string", useArrow=False)
    return (
        PARCELS.read(spark)
        .withColumn("tariff", tariff_udf("destination", "grams", "express"))
        .groupBy("tariff")
        .agg(F.count("*").alias("parcels"), F.sum("grams").alias("grams"))
    )


STORE_FEED = table(
    "store_feed",
    "receipt int, store string, total int, cashier string",
    [
        (101, "Berlin", 20, "kim"),
        (102, "berlin ", 35, None),
        (103, "Paris", 35, "lou"),
        (104, None, 12, "kim"),
        (105, "PARIS", None, "lou"),
    ],
)
WEB_FEED = table(
    "web_feed",
    "order_no int, total int, store string",
    [(201, 50, "web"), (202, 35, "Berlin"), (203, None, "web"), (204, 12, None), (205, 35, "Berlin")],
)


@job(
    covers=("union_by_name", "python_udf", "distinct", "fillna"),
    expected=[
        # 102 and 202/205 differ in nothing that is left of them.
        ({"store": "BERLIN", "total": 35}, {"store_feed": {102}, "web_feed": {202, 205}}),
        ({"store": "PARIS", "total": 0}, {"store_feed": {105}}),
        ({"store": "UNKNOWN", "total": 12, "cashier": "kim"}, {"store_feed": {104}}),
    ],
)
def merged_takings(spark: SparkSession) -> DataFrame:
    tidy = F.udf(lambda name: "UNKNOWN" if name is None else name.strip().upper(), "string")
    shops = STORE_FEED.read(spark).drop("receipt")
    web = WEB_FEED.read(spark).drop("order_no")
    return (
        shops.unionByName(web, allowMissingColumns=True)
        .fillna({"total": 0})
        .withColumn("store", tidy("store"))
        .distinct()
    )


@job(
    covers=("python_udf_struct", "udf_in_filter", "left_anti_join", "nested_field"),
    expected=[
        ({"reason": "no such country"}, {"contacts": {7}}),
        ({"reason": "no name"}, {"contacts": {4, 6}}),
    ],
)
def quarantined_contacts(spark: SparkSession) -> DataFrame:
    def verdict(name: str | None, country: str | None) -> tuple[bool, str | None]:
        if name is None or not name.strip():
            return False, "no name"
        if country is not None and country.upper() not in ("UK", "US"):
            return False, "no such country"
        return True, None

    check = F.udf(verdict, "struct<ok:boolean,reason:string>", useArrow=False)
    contacts = CONTACTS.read(spark)
    # Those who share an address with an earlier contact are looked at elsewhere.
    earlier = contacts.select(F.lower("email").alias("known"), F.col("contact_id").alias("known_id"))
    same_earlier = (F.lower("email") == F.col("known")) & (F.col("known_id") < F.col("contact_id"))
    return (
        contacts.join(earlier, same_earlier, "left_anti")
        .withColumn("verdict", check("name", "country"))
        .where(~F.col("verdict.ok"))
        .groupBy(F.col("verdict.reason").alias("reason"))
        .agg(F.count("*").alias("contacts"), F.max("contact_id").alias("latest"))
    )
