"""Rows written to a store by Spark and read from there, laid out so that few are read when a few are looked up.

Parquet with zstd, each file sorted by the columns that rows will be looked up by, in small row groups: the statistics
of row groups and pages then tell which ones may hold a key. Files are not sorted against each other: Spark would
have to compute all rows once more to find out where to part them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from predtrace.ir.expressions import Call, Column, ColumnId, Expression
from predtrace.ir.parts import conjuncts
from predtrace.ir.predicates import Parameter
from predtrace.ir.spark_sql import column_name
from predtrace.ir.types import DataType
from predtrace.operators import Selection
from predtrace.store.files import Files
from predtrace.store.forms import from_stored, stored_type, to_stored
from predtrace.store.manifest import SavedRows

_LASTING = {"compression": "zstd", "parquet.block.size": str(8 * 1024 * 1024)}
_FOR_A_MOMENT = {
    "compression": "snappy",
    # Nobody looks at the files before all are written.
    "mapreduce.fileoutputcommitter.algorithm.version": "2",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}
_READING = {
    # The rows of these very files or an error, whatever the session is set to; and names are no patterns.
    "ignoreMissingFiles": "false",
    "ignoreCorruptFiles": "false",
    "__globPaths__": "false",
}
PLAIN = frozenset(
    {"boolean", "byte", "short", "integer", "long", "float", "double", "decimal", "date", "timestamp",
     "timestamp_ntz", "string", "binary"}
)  # fmt: skip
"""Types of values that can be sorted, and that files hold just as Spark does."""


def save_rows(
    files: Files,
    run: str,
    folder: str,
    rows: DataFrame,
    columns: Sequence[Column],
    lookups: Sequence[Selection],
    to_stay: bool = True,
) -> SavedRows:
    """Write rows, which have these columns, sorted for their lookups; or, not `to_stay`, as quickly as possible, for
    one who does not ask how many there are."""
    path = f"{run}/{folder}"
    chosen = _changed(rows, columns, to_stored)
    keys = sort_columns(columns, lookups)
    if keys:
        chosen = chosen.sortWithinPartitions(*map(_quoted, keys))
    if not to_stay:
        chosen.write.options(**_FOR_A_MOMENT).parquet(files.url(path))
        return SavedRows(folder, tuple(columns), 0, 0)
    counted = Observation()
    chosen = chosen.observe(counted, F.count(F.lit(1)).alias("rows"))
    chosen.write.options(**_LASTING).parquet(files.url(path))
    return SavedRows(folder, tuple(columns), int(counted.get["rows"]), files.size(path))


def saved_rows(
    session: SparkSession, files: Files, run: str, saved: SavedRows, in_order: bool = False
) -> DataFrame:
    """Rows of a store as a DataFrame; `in_order` of their files and, in each, as they were written.

    Spark reads one file in its order, and several in any.
    """
    fields = (f"{_quoted(column)} {stored_type(column.type).sql()}" for column in saved.columns)
    reader = session.read.options(**_READING).schema(", ".join(fields))
    path = f"{run}/{saved.folder}"
    rows = reader.parquet(files.url(path))
    if in_order and sum(state.path.endswith(".parquet") for state in files.states(path)) > 1:
        rows = rows.orderBy("_metadata.file_name", "_metadata.row_index")
    return _changed(rows, saved.columns, from_stored)


def _changed(rows: DataFrame, columns: Sequence[Column], form: Callable[[str, DataType], str]) -> DataFrame:
    """The rows, which have these columns, in another form; most have the same one, and Spark need not be asked."""
    forms = [form(_quoted(column), column.type) for column in columns]
    if forms == [_quoted(column) for column in columns]:
        return rows
    return rows.selectExpr(*(f"{text} AS {_quoted(c)}" for text, c in zip(forms, columns, strict=True)))


def sort_columns(columns: Sequence[Column], lookups: Sequence[Selection]) -> list[Column]:
    """The columns that lookups compare with a value, those that most lookups ask for first."""
    asked: dict[ColumnId, int] = {}
    for lookup in lookups:
        for part in conjuncts(lookup) if lookup is not None else ():
            column = _compared(part)
            if column is not None and column.type.name in PLAIN:
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


def _quoted(column: Column) -> str:
    return f"`{column_name(column)}`"
