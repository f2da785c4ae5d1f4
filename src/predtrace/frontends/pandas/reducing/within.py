"""The rows that an aggregate is over, and the values of one column in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import Column, Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import FLOAT64, Dtype
from predtrace.frontends.pandas.core.numbers import number, without_nan
from predtrace.frontends.pandas.core.places import place
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table


class Within:
    """The rows that aggregates are over: all of a table, or those with the same keys.

    `is_window`: there is a result for each row, not for each group. `uses`: the columns that were needed.
    """

    def __init__(self, table: Table, by: tuple[Value, ...] = (), is_window: bool = False) -> None:
        self.table = table
        self.by = by
        self.is_window = is_window
        self.uses = {name for key in by for name in key.uses}

    @cached_property
    def place(self) -> Column:
        """Where a row stands among the others."""
        found = place(self.table, self.by)
        self.uses |= found.uses
        return found.column

    @cached_property
    def label(self) -> Value:
        """The row's label in the index, which must have values."""
        levels = self.table.levels()
        if len(levels) > 1:
            raise refused("idxmax() and idxmin()", "the index has several levels")
        self.uses |= levels[0].value.uses
        return levels[0].value

    def over(self, column: Column) -> Column:
        """An aggregate of Spark over these rows."""
        if not self.is_window:
            return column
        names = [key.name for key in self.by]
        return column.over(Window.partitionBy(*names) if names else Window.partitionBy(F.lit(0)))


@dataclass(frozen=True)
class Part:
    """The values of a column that an aggregate is of."""

    column: Column
    dtype: Dtype
    within: Within

    def over(self, column: Column) -> Column:
        """An aggregate of Spark over these values."""
        return self.within.over(column)

    @property
    def number(self) -> Column:
        """The values as numbers."""
        return number(self.column, self.dtype)

    @property
    def count(self) -> Column:
        """How many are there."""
        return self.over(F.count(self.column))

    def as_float(self, column: Column) -> tuple[Column, Dtype]:
        """A float that was worked out from these numbers: small ones stay small."""
        found = without_nan(column.cast("double"))
        return (found.cast("float"), self.dtype) if self.dtype.name == "float32" else (found, FLOAT64)
