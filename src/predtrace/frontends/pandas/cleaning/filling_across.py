"""Missing numbers filled from the columns beside them: `ffill(axis=1)`."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import FLOAT64
from predtrace.frontends.pandas.core.facts import as_shown
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Table


def from_columns(table: Table, backwards: bool, call: str, more: dict[str, Any]) -> Table:
    """Each missing number as the next one to its left, or right, in the row. pandas makes floats of them all."""
    only(call, {"limit": None, "limit_area": None}, more)
    if any(not value.dtype.is_float and not value.dtype.is_integer for _, value in table.columns):
        raise refused(call, "for columns that are not all numbers")
    if not any(value.dtype.is_float for value in as_shown([value for _, value in table.columns])):
        return table
    before: list[Value] = []
    made: list[tuple[Label, Value]] = []
    for label, value in table.columns[::-1] if backwards else table.columns:
        before.insert(0, value)
        column = F.coalesce(*(one.column.cast("double") for one in before))
        made.append((label, value.with_column(column, FLOAT64, *before[1:])))
    return table.with_columns(made[::-1] if backwards else made)
