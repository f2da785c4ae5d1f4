"""Where a row stands in its table's order, as a value that can be compared: for the first and the last of a group.

The first x is that of the least pair of a place and an x. Aggregates have no order of their own in Spark.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.core.dtypes import INT64
from predtrace.frontends.pandas.core.spaces import Key, Value, fresh
from predtrace.frontends.pandas.core.tables import Table

_WHOLE = (spark.ByteType, spark.ShortType, spark.IntegerType, spark.LongType)


def place(table: Table, by: Sequence[Value] = ()) -> Value:
    """A value that is smaller the earlier a row comes, at least among the rows with the same values of `by`."""
    fields = {field.name: field for field in table.rows().schema.fields}
    parts: list[Column] = []
    for key in table.order:
        column = F.col(key.name)
        towards = column if key.ascending else backwards(column, fields[key.name].dataType)
        if towards is None:
            return _counted(table, by)
        if fields[key.name].nullable:
            parts.append(column.isNull() if key.missing_last else column.isNotNull())
        parts.append(towards)
    uses = frozenset(key.name for key in table.order)
    whole = parts[0] if len(parts) == 1 else F.struct(*(part.alias(f"p{n}") for n, part in enumerate(parts)))
    return Value(table.space, whole if parts else F.lit(0), uses, INT64)


def backwards(column: Column, kind: spark.DataType) -> Column | None:
    """A column whose order is the other way round; None where there is no such expression, as for texts."""
    if isinstance(kind, _WHOLE):
        return F.bitwise_not(column)  # a minus would be too large for the smallest number
    if isinstance(kind, (spark.FloatType, spark.DoubleType, spark.DayTimeIntervalType)):
        return -column
    if isinstance(kind, spark.BooleanType):
        return ~column
    if isinstance(kind, spark.TimestampNTZType):
        return F.lit("1970-01-01").cast("timestamp_ntz") - column
    return None


def _counted(table: Table, by: Sequence[Value]) -> Value:
    """The number of the row, where its keys cannot be turned round."""
    number = F.row_number().over(table.window([key.name for key in by]))
    uses = frozenset(key.name for key in table.order).union(*(key.uses for key in by))
    return table.space.settled(Value(table.space, number, uses, INT64, is_window=True), "place")


def first_place(rows: Rows, name: str) -> tuple[Rows, list[Key]]:
    """Rows that have a place in a column, with columns to be in order by."""
    kind = rows.schema[name].dataType
    if not isinstance(kind, spark.StructType):
        return rows, [Key(name)]
    parts = {fresh(field.name): F.col(name).getField(field.name) for field in kind.fields}
    return rows.withColumns(parts), [Key(part) for part in parts]
