"""Rows to columns and back: pivots, `crosstab`, `melt`, `stack`, `unstack`, `get_dummies`, `explode`, `T`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from predtrace.frontends.pandas.core.tables import Label
from predtrace.frontends.pandas.reshaping.crosstabs import crosstab
from predtrace.frontends.pandas.reshaping.dummies import get_dummies
from predtrace.frontends.pandas.reshaping.exploding import ExplodingFrame, ExplodingSeries
from predtrace.frontends.pandas.reshaping.melting import melt
from predtrace.frontends.pandas.reshaping.pivots import NOT_GIVEN, pivot, pivot_table
from predtrace.frontends.pandas.reshaping.stacking import StackingFrame, StackingSeries

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame

__all__ = [
    "ReshapingFrame",
    "ReshapingSeries",
    "crosstab",
    "get_dummies",
    "melt",
    "pivot",
    "pivot_table",
]


class ReshapingFrame(StackingFrame, ExplodingFrame):
    """These methods of a DataFrame."""

    def melt(
        self,
        id_vars: Any = None,
        value_vars: Any = None,
        var_name: Label = None,
        value_name: Label = "value",
        col_level: Any = None,
        ignore_index: bool = True,
    ) -> DataFrame:
        """A row for each column of each row: its label, its value, and the columns that identify the row."""
        found: DataFrame = melt(self, id_vars, value_vars, var_name, value_name, col_level, ignore_index)
        return found

    def pivot(self, *, columns: Any, index: Any = NOT_GIVEN, values: Any = NOT_GIVEN) -> DataFrame:
        """A frame with a column for each value of a column. No cell may have two values."""
        found: DataFrame = pivot(self, columns=columns, index=index, values=values)
        return found

    def pivot_table(
        self,
        values: Any = None,
        index: Any = None,
        columns: Any = None,
        aggfunc: Any = "mean",
        fill_value: Any = None,
        margins: bool = False,
        dropna: bool = True,
        margins_name: str = "All",
        observed: Any = NOT_GIVEN,
        sort: bool = True,
    ) -> DataFrame:
        """Aggregates of groups, with some of the groups' keys as columns."""
        found: DataFrame = pivot_table(
            self, values, index, columns, aggfunc, fill_value, margins, dropna, margins_name, observed, sort
        )
        return found


class ReshapingSeries(StackingSeries, ExplodingSeries):
    """These methods of a Series."""
