"""Puts the corpus tables where Spark can read them: one file each, and a view or table of the same name."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .table_rows import TABLES, Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER_SETTING = "predtrace.corpus.folder"


def key_of(name: str) -> str | None:
    """The unique key column of a table, or None for a bag."""
    return TABLES[name].key


def rows_of(name: str) -> tuple[tuple[Any, ...], ...]:
    """The rows of a table, as tuples in schema order."""
    return TABLES[name].rows


def path_of(spark: SparkSession, name: str) -> str:
    """Where `register` put the table's file."""
    table = TABLES[name]
    return str(Path(spark.conf.get(FOLDER_SETTING) or "") / f"{name}.{table.format}")


def register(spark: SparkSession, folder: str | Path) -> None:
    """Write all tables into `folder` (kept if already there) and create a view or table for each."""
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    spark.conf.set(FOLDER_SETTING, str(root))
    for table in TABLES.values():
        if table.format == "memory":
            continue
        if table.format == "catalog":
            _save_in_catalog(spark, table, root)
            continue
        path = root / f"{table.name}.{table.format}"
        if not path.exists():
            _write(table, path)
        reader = spark.read.schema(table.schema)
        if table.format == "csv":
            reader = reader.option("header", True)
        reader.format(table.format).load(str(path)).createOrReplaceTempView(table.name)


def _save_in_catalog(spark: SparkSession, table: Table, root: Path) -> None:
    frame = spark.createDataFrame(list(table.rows), table.schema).coalesce(1)
    # An explicit path keeps the default warehouse, and so the working directory, untouched.
    writer = frame.write.mode("overwrite").option("path", str(root / table.name))
    writer.saveAsTable(table.name)


def _write(table: Table, path: Path) -> None:
    columns = [part.strip().split(" ")[0] for part in table.schema.split(",")]
    if table.format == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(table.rows)
    elif table.format == "json":
        lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in table.rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif table.format == "text":
        path.write_text("\n".join(row[0] for row in table.rows) + "\n", encoding="utf-8")
    else:
        _write_columns(table, path)


def _write_columns(table: Table, path: Path) -> None:
    import pyarrow
    import pyarrow.orc
    import pyarrow.parquet
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    # Through Arrow rather than Spark: twenty Spark jobs would take longer than most tests.
    spark_schema = StructType.fromDDL(table.schema)
    assert isinstance(spark_schema, StructType)
    schema = to_arrow_schema(spark_schema, timezone="UTC")
    columns = [list(column) for column in zip(*table.rows, strict=True)] or [[] for _ in schema]
    arrays = [pyarrow.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    arrow = pyarrow.Table.from_arrays(arrays, schema=schema)
    if table.format == "orc":
        pyarrow.orc.write_table(arrow, str(path))
    else:
        pyarrow.parquet.write_table(arrow, path)
