"""Where a run keeps the rows of plan nodes: in memory for the life of the pipeline object, or in a store.

The run goes on from the rows that were kept, so nothing is computed twice. Parquet forgets the order of rows: where
somebody may go by it, the run goes on from a copy in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from predtrace.ir.expressions import Column
from predtrace.ir.spark_sql import column_name
from predtrace.operators import Selection
from predtrace.store.files import Files
from predtrace.store.manifest import SavedRows
from predtrace.store.saving import save_rows


class Keeping(Protocol):
    """Keeps rows and gives them back."""

    def keep(
        self,
        folder: str,
        rows: DataFrame,
        columns: Sequence[Column],
        lookups: Sequence[Selection],
        ordered: bool,
    ) -> DataFrame:
        """The rows, from where they are kept."""


class InMemory:
    """Spark keeps the rows, in memory or on its own disks."""

    def keep(
        self,
        folder: str,
        rows: DataFrame,
        columns: Sequence[Column],
        lookups: Sequence[Selection],
        ordered: bool,
    ) -> DataFrame:
        # (Not persisted: Spark's cache loses NaN under a filter.)
        return rows.localCheckpoint()


@dataclass
class InStore:
    """The rows go to a run's folder; `saved` has what went where."""

    files: Files
    run: str
    saved: dict[str, SavedRows] = field(default_factory=dict)

    def keep(
        self,
        folder: str,
        rows: DataFrame,
        columns: Sequence[Column],
        lookups: Sequence[Selection],
        ordered: bool,
    ) -> DataFrame:
        kept = rows.localCheckpoint() if ordered else rows
        self.saved[folder] = save_rows(self.files, self.run, folder, kept, columns, lookups)
        return kept if ordered else saved_rows(rows.sparkSession, self.files, self.run, self.saved[folder])


def saved_rows(session: SparkSession, files: Files, run: str, saved: SavedRows) -> DataFrame:
    """Rows of a store as a DataFrame."""
    names = [column_name(column) for column in saved.columns]
    fields = [f"`{name}` {column.type.sql()}" for name, column in zip(names, saved.columns, strict=True)]
    written = [f for f, c in zip(fields, saved.columns, strict=True) if c.type.name != "void"]
    rows = session.read.schema(", ".join(written)).parquet(files.location(f"{run}/{saved.folder}"))
    for name in names:
        if name not in rows.columns:
            rows = rows.withColumn(name, F.lit(None))
    return rows.select(*(f"`{name}`" for name in names))
