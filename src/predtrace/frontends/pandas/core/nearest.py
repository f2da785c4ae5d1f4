"""The nearest row that has a value, in the order of the rows."""

from __future__ import annotations

from pyspark.sql import Column, Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.tables import Table


def nearest_there(table: Table, column: Column, backwards: bool, limit: int | None = None) -> Column:
    """The value of the nearest row, this one or one before it (or after it), that has one.

    Both directions are windows in one order, so that they cannot disagree about rows that are equal.
    """
    if backwards:
        end = Window.unboundedFollowing if limit is None else limit
        return F.first(column, ignorenulls=True).over(table.window().rowsBetween(Window.currentRow, end))
    start = Window.unboundedPreceding if limit is None else -limit
    return F.last(column, ignorenulls=True).over(table.window().rowsBetween(start, Window.currentRow))
