"""Rows written to a store by Spark, laid out so that few of them are read when a few are looked up.

Parquet with zstd, sorted by the columns they will be looked up by, in small row groups: the statistics of row
groups and pages then tell which ones hold a key.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from predtrace.ir.expressions import Call, Column, ColumnId, Expression, conjuncts
from predtrace.ir.predicates import Parameter
from predtrace.ir.spark_sql import column_name
from predtrace.operators import Selection
from predtrace.store.files import Files
from predtrace.store.manifest import SavedRows

_ROW_GROUP_BYTES = 8 * 1024 * 1024
_SORTABLE = frozenset(
    {"boolean", "byte", "short", "integer", "long", "float", "double", "decimal", "date", "timestamp",
     "timestamp_ntz", "string", "binary"}
)  # fmt: skip


def save_rows(
    files: Files,
    run: str,
    folder: str,
    rows: DataFrame,
    columns: Sequence[Column],
    lookups: Sequence[Selection],
) -> SavedRows:
    """Write the columns of some rows, sorted for their lookups."""
    # A column without a type holds only NULLs, and Parquet has no such type.
    written_columns = [column for column in columns if column.type.name != "void"]
    chosen = rows.select(*(f"`{column_name(column)}`" for column in written_columns))
    keys = sort_columns(columns, lookups)
    if keys:
        chosen = chosen.orderBy(*(f"`{column_name(column)}`" for column in keys))
    path = f"{run}/{folder}"
    chosen.write.option("compression", "zstd").option("parquet.block.size", _ROW_GROUP_BYTES).parquet(
        files.location(path)
    )
    written = rows.sparkSession.read.parquet(files.location(path)).count()
    return SavedRows(folder, tuple(columns), written, files.size(path))


def sort_columns(columns: Sequence[Column], lookups: Sequence[Selection]) -> list[Column]:
    """The columns that lookups compare with a value, those that most lookups ask for first."""
    asked: dict[ColumnId, int] = {}
    for lookup in lookups:
        for part in conjuncts(lookup) if lookup is not None else ():
            column = _compared(part)
            if column is not None and column.type.name.split("(")[0] in _SORTABLE:
                asked[column.id] = asked.get(column.id, 0) + 1
    chosen = [column for column in columns if column.id in asked]
    return sorted(chosen, key=lambda column: -asked[column.id])


def _compared(part: Expression) -> Column | None:
    match part:
        case Call(function="<=>" | "=", arguments=(Column() as column, Parameter())):
            return column
        case Call(function="<=>" | "=", arguments=(Parameter(), Column() as column)):
            return column
    return None
