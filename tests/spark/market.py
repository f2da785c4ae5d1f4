"""A small market whose orders are texts: table functions that split them, and the same in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from tests.spark.oracle import Key, Oracle
from tests.spark.predicates import assert_traced_exactly

import predtrace

Lineage = dict[Key, dict[str, set[Any]]]

ORDERS = [
    (1, "ann", "tea milk tea"),
    (2, "bob", "milk"),
    (3, "ann", None),
    (4, "cat", ""),
    (5, "bob", "tea"),
    (5, "bob", "tea"),
    (6, None, "rye oat milk tea"),
]
PRICES = [("tea", 3), ("milk", 1), ("oat", 2), ("nut", 9)]


def _classes() -> tuple[type, type, type]:
    """Defined here so that Spark sends them: its workers need not be able to import this module."""

    class Items:
        """Nothing for NULL and for a text without words."""

        def eval(self, text: str | None) -> Iterator[tuple[str, int]]:
            for place, item in enumerate((text or "").split()):
                yield item, place

    class Letters:
        """Equal rows for a letter that comes twice."""

        def eval(self, word: str | None, most: int | None = None) -> Iterator[tuple[str]]:
            for letter in (word or "")[:most]:
                yield (letter,)

    class Labels:
        def eval(self, row: Row) -> Iterator[tuple[str]]:
            if row["customer"] is not None:
                yield (f"{row['customer']} {len((row['items'] or '').split())}",)

    return Items, Letters, Labels


Items, Letters, Labels = _classes()


def items(text: str | None) -> list[tuple[str, int]]:
    return [(item, place) for place, item in enumerate(text.split())] if text else []


def letters(word: str | None, most: int | None = None) -> list[str]:
    return list((word or "")[:most])


def of_orders(*rows: tuple[Key, int]) -> Lineage:
    return together((key, {"orders": {number}}) for key, number in rows)


def together(rows: Any) -> Lineage:
    """Equal rows have their lineage together."""
    found: Lineage = {}
    for key, lineage in rows:
        for source, members in lineage.items():
            found.setdefault(key, {}).setdefault(source, set()).update(members)
    return found


EXPANDED = [(number, customer, *item) for number, customer, text in ORDERS for item in items(text)]
"""Each order with each of its items: (id, customer, item, place)."""


@contextmanager
def open_market(spark: SparkSession, folder: Path) -> Iterator[SparkSession]:
    """The tables as views over files, and the functions under the names that SQL calls them by."""
    for name, rows, schema in (
        ("orders", ORDERS, "id int, customer string, items string"),
        ("prices", PRICES, "name string, price int"),
    ):
        spark.createDataFrame(rows, schema).write.parquet(str(folder / name))
        spark.read.parquet(str(folder / name)).createOrReplaceTempView(name)
    udtf: Any = F.udtf
    letters_of = udtf(predtrace.rowwise(Letters), returnType="letter string")
    spark.udtf.register("items_of", predtrace.rowwise(udtf(Items, returnType="item string, place int")))
    spark.udtf.register("letters_of", letters_of.asDeterministic())
    spark.udtf.register("labels_of", predtrace.rowwise(udtf(Labels, returnType="label string")))
    yield spark
    for name in ("orders", "prices"):
        spark.catalog.dropTempView(name)


def _by_hand(oracle: Oracle, lineage: dict[Key, dict[int, set[int]]]) -> Lineage:
    """Lineage by addresses as the first columns of the rows of each source."""
    sources = {
        number: {row[-1]: row[0] for row in oracle.tracker.addresses.rows(number).collect()}
        for number in oracle.captured.descriptors
    }
    named = {number: source.name for number, source in oracle.captured.descriptors.items()}
    return together(
        (key, {named[number]: {sources[number][a] for a in addresses}})
        for key, found in lineage.items()
        for number, addresses in found.items()
    )


def traced(frame: DataFrame) -> tuple[predtrace.Pipeline, Lineage]:
    """The pipeline, every row of which the tracker and predicates agree on, run again and saved."""
    oracle = Oracle(frame)
    tracked = oracle.tracked(oracle.captured.written)
    assert tracked.rows == oracle.spark_rows()
    assert oracle.tracked(oracle.captured.operators).lineage == tracked.lineage
    pipeline = assert_traced_exactly(oracle, tracked.lineage)
    return pipeline, _by_hand(oracle, tracked.lineage)
