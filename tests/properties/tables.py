"""Tiny random tables: small domains, so that joins find partners and groups have several rows."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

TYPES = ("int", "string", "decimal", "date", "boolean", "double")
NAMES = {"int": "i", "string": "s", "double": "d", "decimal": "m", "date": "t", "boolean": "b"}
SPARK_TYPES = {"decimal": "decimal(6,2)"}
ARROW_TYPES = {
    "int": pa.int32(),
    "string": pa.string(),
    "double": pa.float64(),
    "decimal": pa.decimal128(6, 2),
    "date": pa.date32(),
    "boolean": pa.bool_(),
}

VALUES: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, 2, 3),
    "string": ("a", "b", "", "A"),
    "double": (0.0, -0.0, 1.5, math.nan, math.inf),
    "decimal": (Decimal("0.00"), Decimal("1.50"), Decimal("-2.25")),
    "date": (datetime.date(2024, 1, 31), datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)),
    "boolean": (False, True),
}
"""What a column may hold, besides NULL."""


def literal(value: Any, type_: str) -> str:
    """Spark SQL for a value of one of the generator's types."""
    if value is None:
        return f"CAST(NULL AS {SPARK_TYPES.get(type_, type_)})"
    match type_:
        case "string":
            return f"'{value}'"
        case "double" if not math.isfinite(value):
            return f"double('{'NaN' if math.isnan(value) else 'Infinity'}')"
        case "double":
            return f"{value}D"
        case "decimal":
            return f"{value}BD"
        case "date":
            return f"DATE'{value}'"
    return str(value).lower()


@dataclass(frozen=True)
class Table:
    """A source with its rows; `storage` is one Parquet file or a frame in memory."""

    name: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]
    storage: str

    @property
    def schema(self) -> str:
        return ", ".join(f"{name} {SPARK_TYPES.get(type_, type_)}" for name, type_ in self.columns)

    def __str__(self) -> str:
        lines = "".join(f"\n    {row!r}," for row in self.rows)
        return f"{self.name}({self.schema}) in {self.storage}:{lines or ' no rows'}"

    def frame(self, spark: SparkSession, folder: Path) -> DataFrame:
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.columns)
        typed = zip(columns, self.columns, strict=True)
        rows = pa.table({name: pa.array(cells, ARROW_TYPES[type_]) for cells, (name, type_) in typed})
        if self.storage == "memory":
            return spark.createDataFrame(rows)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.parquet"
        pyarrow.parquet.write_table(rows, path)
        # With the schema given, Spark need not run a job to find it.
        return spark.read.schema(self.schema).parquet(str(path))


def draw_tables(random: Random) -> tuple[Table, ...]:
    """Two or three tables, without rows yet; their column names overlap."""
    return tuple(_table(random, number) for number in range(random.randint(2, 3)))


def _table(random: Random, number: int) -> Table:
    types = ["int", *(random.choice(TYPES) for _ in range(random.randint(1, 3)))]
    columns = [(f"{NAMES[type_]}{types[:at].count(type_) or ''}", type_) for at, type_ in enumerate(types)]
    return Table(f"t{number}", tuple(columns), (), random.choice(["memory", "parquet"]))


def filled(random: Random, table: Table) -> Table:
    """The table with rows, some of them more than once; seldom without any."""
    rows: list[tuple[Any, ...]] = []
    empty = random.randint(1, 60) == 60
    for _ in range(0 if empty else random.choice((2, 3, 4, 5, 6))):
        again = rows and random.randint(1, 6) == 6
        rows.append(random.choice(rows) if again else tuple(_value(random, t) for _, t in table.columns))
    return replace(table, rows=tuple(rows))


def _value(random: Random, type_: str) -> Any:
    value = random.choice(VALUES[type_])
    return None if random.randint(1, 7) == 7 else value
