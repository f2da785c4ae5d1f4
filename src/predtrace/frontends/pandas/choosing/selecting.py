"""Selecting rows and columns: `df[...]`, `s[...]`, masks, slices.

Which columns a key means is asked of pandas itself, by a small series of their places: labels, lists, slices, masks
and parts of labels mean there what they mean here. A mask that is missing for a row does not select it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.cells import set_cells
from predtrace.frontends.pandas.choosing.row_places import head_of, kept
from predtrace.frontends.pandas.core.aligning import beside
from predtrace.frontends.pandas.core.construction import placed
from predtrace.frontends.pandas.core.facts import one_misses
from predtrace.frontends.pandas.core.held import Held, _labels
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table
from predtrace.frontends.pandas.frame import DataFrame
from predtrace.frontends.pandas.series import Series

__all__ = ["head_of", "is_mask", "item_of_frame", "item_of_series", "masked", "set_where", "true_only"]


def is_mask(key: Any) -> bool:
    """Whether a key says for each row whether it is selected."""
    if isinstance(key, Series):
        return key._value.dtype.is_bool
    if isinstance(key, (list, np.ndarray, pd.Series, pd.Index)) and len(key):
        return np.asarray(key).dtype == bool
    return False


def mask_beside(table: Table, mask: Any) -> tuple[Table, Value]:
    """A mask as a condition: a series goes by the index, a list by position. And the table where that is."""
    if isinstance(mask, pd.Series):
        mask = Series(mask)
    if isinstance(mask, Series):
        if one_misses(mask._value):
            raise ValueError("Cannot mask with non-boolean array containing NA / NaN values")
        wide, (condition,) = beside(table, mask._raw)
        if not mask._value.dtype.may_miss and one_misses(condition):
            raise pd.errors.IndexingError(
                "Unalignable boolean Series provided as indexer (index of the boolean Series and of the "
                "indexed object do not match)."
            )
    else:
        wide, condition = placed(table, mask)
    return wide, true_only(condition)


def masked(table: Table, mask: Any) -> Table:
    """The rows that a mask selects. They keep their labels, also where these were positions."""
    return kept(*mask_beside(table, mask))


def true_only(condition: Value) -> Value:
    """A condition that is false where it is missing."""
    if not condition.dtype.may_miss:
        return condition
    return condition.with_column(F.coalesce(condition.column, F.lit(False)), condition.dtype.missing(False))


@dataclass(frozen=True)
class Columns:
    """The columns that a key means. `is_one`: the key is the label of one column."""

    columns: tuple[tuple[Label, Value], ...]
    names: tuple[Label, ...]
    is_one: bool = False

    def of(self, table: Table) -> Held:
        """A series or a frame of these columns."""
        kind = Series if self.is_one else DataFrame
        return kind._of(replace(table, columns=self.columns, column_names=self.names))


def chosen_columns(table: Table, key: Any, by_place: bool = False) -> Columns:
    """The columns of a label, a list, a slice or a mask, by labels or by places."""
    if isinstance(key, (Series, Held)):
        key = key.to_pandas()
    places = pd.Series(np.arange(len(table.columns)), index=_labels(table))
    if by_place:
        found = places.iloc[key]
    elif isinstance(key, tuple) and places.index.nlevels == 1:
        if key not in table.labels:
            raise KeyError(key)
        found = table.labels.index(key)
    else:
        found = places.loc[key]
    if isinstance(found, pd.Series):
        pairs = zip(found.index, found, strict=True)
        return Columns(
            tuple((label, table.columns[place][1]) for label, place in pairs), tuple(found.index.names)
        )
    return Columns((table.columns[int(found)],), (None,), is_one=True)


def item_of_frame(frame: DataFrame, key: Any) -> Any:
    """`df[key]`."""
    if callable(key):
        key = key(frame)
    if isinstance(key, DataFrame):
        return frame.where(key)
    if is_mask(key):
        return DataFrame._of(masked(frame._table, key))
    if isinstance(key, slice):
        return frame.iloc[key] if _by_position(key) else frame.loc[key]
    chosen = chosen_columns(frame._table, key)
    if chosen.is_one:
        return frame._one(chosen.columns[0][0])
    return chosen.of(frame._table)


def set_item_of_frame(frame: DataFrame, key: Any, values: Any) -> None:
    """`df[key] = values`: a column, several, or rows."""
    if callable(key):
        key = key(frame)
    if is_mask(key) or isinstance(key, DataFrame):
        set_where(frame, key, values)
    elif isinstance(key, slice):
        where = frame.iloc if _by_position(key) else frame.loc
        where[key] = values
    elif isinstance(key, (list, np.ndarray, pd.Index, pd.Series, Series)):  # labels
        _set_columns(frame, list(key), values)
    else:
        frame._set(key, values)


def _set_columns(frame: DataFrame, labels: list[Label], values: Any) -> None:
    """Several columns: of a frame by their places, of a list one value for each."""
    if isinstance(values, pd.DataFrame):
        values = DataFrame(values)
    if isinstance(values, DataFrame):
        table, found = beside(frame._table, values._table)
        _check_count(labels, len(found))
        for label, value in zip(labels, found, strict=True):
            table = table.with_column(label, value)
        frame._become(DataFrame._of(table))
        return
    each = [values] * len(labels)
    if isinstance(values, (list, tuple, np.ndarray, pd.Index, pd.Series, Series)):
        is_grid = np.ndim(values) > 1 if not isinstance(values, Series) else False
        each = [*pd.DataFrame(values).T.to_numpy()] if is_grid else list(values)
        _check_count(labels, len(each))
    for label, value in zip(labels, each, strict=True):
        frame._set(label, value)


def _check_count(labels: list[Label], count: int) -> None:
    if count != len(labels):
        raise ValueError("Columns must be same length as key")


def item_of_series(series: Series, key: Any) -> Any:
    """`s[key]`."""
    if callable(key):
        key = key(series)
    if is_mask(key):
        return Series._of(masked(series._table, key))
    if series._raw.is_array:
        return series.iloc[key]
    if isinstance(key, slice):
        return series.iloc[key] if _by_position(key) else series.loc[key]
    return series.iloc[key] if _counts(series._table, key) else series.loc[key]


def set_item_of_series(series: Series, key: Any, values: Any) -> None:
    """`s[key] = values`."""
    is_place = _by_position(key) if isinstance(key, slice) else _counts(series._table, key)
    if is_place and not is_mask(key):
        series.iloc[key] = values
    else:
        series.loc[key] = values


def _by_position(key: slice) -> bool:
    return all(isinstance(end, (int, np.integer)) or end is None for end in (key.start, key.stop, key.step))


def _counts(table: Table, key: Any) -> bool:
    """Whether whole numbers in `s[...]` are places: where they cannot be labels."""
    if isinstance(table.index, Positions) or len(table.index) > 1 or table.index[0].value.dtype.is_number:
        return False
    keys = key if isinstance(key, (list, np.ndarray)) else [key]
    return len(keys) > 0 and all(isinstance(one, (int, np.integer)) for one in keys)


def set_where(frame: DataFrame, mask: Any, values: Any) -> None:
    """`df[mask] = values`: in every column, or where a frame of booleans says so."""
    if is_mask(mask):
        frame.loc[mask] = values
        return
    if not isinstance(mask, DataFrame) or not pd.api.types.is_scalar(values):
        raise refused("df[key] = values", "only a mask, or a scalar for a frame of booleans, is known there")
    labels = frame._table.labels
    wanted = mask._chosen([label for label in labels if label in mask._table.labels])
    wide, conditions = beside(frame._table, wanted._table)
    carried = replace(wide, columns=(*wide.columns, *((object(), value) for value in conditions)))
    for place, label in enumerate(wanted._table.labels):
        condition = carried.columns[len(labels) + place][1]
        carried = set_cells(carried, true_only(condition), [label], values)
    frame._become(DataFrame._of(replace(carried, columns=carried.columns[: len(labels)])))
