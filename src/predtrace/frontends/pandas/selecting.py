"""Selecting rows and columns: `df[...]`, masks, slices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.aligning import beside
from predtrace.frontends.pandas.construction import placed
from predtrace.frontends.pandas.frame import DataFrame
from predtrace.frontends.pandas.series import Series
from predtrace.frontends.pandas.spaces import Value
from predtrace.frontends.pandas.steps import refused
from predtrace.frontends.pandas.tables import Table


def is_mask(key: Any) -> bool:
    """Whether a key says for each row whether it is selected."""
    if isinstance(key, Series):
        return key._value.dtype.is_bool
    if isinstance(key, (list, np.ndarray, pd.Series)) and len(key):
        return np.asarray(key).dtype == bool
    return False


def masked(table: Table, mask: Any) -> Table:
    """The rows that a mask selects: a series goes by the index, a list by position."""
    if isinstance(mask, Series):
        wide, (condition,) = beside(table, mask._raw)
    else:
        wide, condition = placed(table, mask)
    return wide.kept(true_only(condition))


def true_only(condition: Value) -> Value:
    """A condition that is false where it is missing."""
    if not condition.dtype.may_miss:
        return condition
    return condition.with_column(F.coalesce(condition.column, F.lit(False)), condition.dtype.missing(False))


def item_of_frame(frame: DataFrame, key: Any) -> Any:
    """`df[key]`."""
    if is_mask(key):
        return DataFrame._of(masked(frame._table, key))
    if isinstance(key, slice):
        return frame.iloc[key] if _by_position(key) else frame.loc[key]
    if isinstance(key, (list, pd.Index, np.ndarray, Series)):
        return frame._chosen(list(key))
    return frame._one(key)


def item_of_series(series: Series, key: Any) -> Any:
    """`s[key]`."""
    if is_mask(key):
        return Series._of(masked(series._table, key))
    if isinstance(key, slice):
        return series.iloc[key] if _by_position(key) else series.loc[key]
    return series.loc[key]


def _by_position(key: slice) -> bool:
    return all(isinstance(end, (int, np.integer)) or end is None for end in (key.start, key.stop, key.step))


def set_where(frame: DataFrame, mask: Any, values: Any) -> None:
    """`df[mask] = values`: in every column."""
    if not is_mask(mask):
        raise refused("df[frame] = values", "only a mask of rows can select where to set values")
    frame.loc[mask] = values


def head_of(table: Table, count: int) -> Table:
    """The first rows."""
    from predtrace.frontends.pandas.spaces import Space

    names = list(dict.fromkeys([*table.space.base.columns, *table.names()]))
    rows = table.rows().orderBy(*(key.column() for key in table.order)).limit(count).select(*names)
    return replace(table.moved(Space(rows)))
