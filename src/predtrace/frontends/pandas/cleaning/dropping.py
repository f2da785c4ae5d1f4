"""Rows and columns with missing values left out: `dropna`.

Which columns are left is known to Python, so with `axis=1` Spark is asked; rows are a filter.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.elements import axis_number, frame_of, is_listing, series_of
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import in_place, only
from predtrace.frontends.pandas.core.tables import Label, Positions, Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

_NOT_GIVEN: Any = pd.api.extensions.no_default


class DroppingFrame(Held):
    """These methods of a DataFrame."""

    @in_place
    def dropna(
        self,
        *,
        axis: Any = 0,
        how: Any = _NOT_GIVEN,
        thresh: Any = _NOT_GIVEN,
        subset: Any = None,
        ignore_index: bool = False,
    ) -> DataFrame:
        """Without the rows, or the columns, in which values are missing."""
        if how is not _NOT_GIVEN and thresh is not _NOT_GIVEN:
            raise TypeError("You cannot set both the how and thresh arguments at the same time.")
        how = "any" if how is _NOT_GIVEN else how
        if how not in ("any", "all"):
            raise ValueError(f"invalid how option: {how}")
        least = None if thresh is _NOT_GIVEN else int(thresh)
        if axis_number(axis) == 1:
            only("DataFrame.dropna(axis=1)", {"subset": None}, {"subset": subset})
            return frame_of(self._of(_without_columns(self._table, how, least)))
        return frame_of(self._of(_without_rows(self._table, how, least, subset, ignore_index)))


class DroppingSeries(Held):
    """These methods of a Series."""

    @in_place
    def dropna(self, *, axis: Any = 0, how: Any = None, ignore_index: bool = False) -> Series:
        """Without the rows whose value is missing."""
        axis_number(axis, "Series")
        return series_of(self._of(_without_rows(self._table, "any", None, None, ignore_index)))


def _without_rows(table: Table, how: str, least: int | None, subset: Any, ignore_index: bool) -> Table:
    if subset is not None:
        subset = list(subset) if is_listing(subset) and not isinstance(subset, tuple) else [subset]
        unknown = [label for label in subset if label not in table.labels]
        if unknown:
            raise KeyError(unknown)
    if not ignore_index:
        table = table.indexed()
    wanted = [value for label, value in table.columns if subset is None or label in subset]
    condition = _enough(wanted, how, least)
    is_any = how == "any" and least is None
    if condition is not None:
        table = table.settled().kept(condition)
        table = replace(table, columns=tuple(_known(table, is_any, subset)))
    return replace(table, index=Positions(), is_unique=True) if ignore_index else table


def _known(table: Table, is_any: bool, subset: list[Label] | None) -> list[tuple[Label, Value]]:
    """The columns, with what is known about them now: nothing is missing where every missing value was dropped."""
    return [
        (label, replace(value, dtype=value.dtype.missing(False)))
        if is_any and (subset is None or label in subset) and not value.dtype.has_objects
        else (label, value)
        for label, value in table.columns
    ]


def _enough(values: list[Value], how: str, least: int | None) -> Value | None:
    """Where enough of the values are there; None if that is everywhere."""
    if least is None and how == "any":
        values = [value for value in values if value.dtype.may_miss]
    if not values:
        return None
    there = [value.column.isNotNull() for value in values]
    if least is not None:
        column = reduce(lambda a, b: a + b, [one.cast("int") for one in there]) >= least
    else:
        column = reduce((lambda a, b: a & b) if how == "any" else (lambda a, b: a | b), there)
    return values[0].with_column(column, BOOL, *values[1:])


def _without_columns(table: Table, how: str, least: int | None) -> Table:
    counts = [F.count(value.column).alias(f"count_{place}") for place, (_, value) in enumerate(table.columns)]
    (row,) = table.rows().agg(F.count(F.lit(1)).alias("rows"), *counts).collect()
    wanted = least if least is not None else row["rows"] if how == "any" else min(1, row["rows"])
    kept = tuple(column for place, column in enumerate(table.columns) if row[f"count_{place}"] >= wanted)
    return replace(table, columns=kept)
