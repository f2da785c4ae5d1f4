"""Setting values in some rows: `df.loc[rows, columns] = values` and what is like it.

Each column becomes an expression: the new value where the rows are meant, the old one elsewhere. What is set belongs
to its rows as pandas has it:

| values | belong to rows |
|---|---|
| a scalar | to all |
| a series or frame, for `loc` | by the index; missing where it has no such label |
| a list or array, and anything for `iloc` | by place, among the rows that are meant |
| a dict, or a row of a frame | by the columns' labels |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.index import Index
from predtrace.frontends.pandas.choosing.one_row import Row
from predtrace.frontends.pandas.choosing.set_dtypes import constant_in, set_in
from predtrace.frontends.pandas.core.aligning import beside, beside_by, beside_by_place
from predtrace.frontends.pandas.core.construction import table_of_series
from predtrace.frontends.pandas.core.dtypes import INT64
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table
from predtrace.frontends.pandas.frame import DataFrame
from predtrace.frontends.pandas.series import Series

__all__ = ["beside_by", "by_index", "by_place", "is_listed", "set_cells"]


def set_cells(
    table: Table, condition: Value | None, labels: Sequence[Label], values: Any, by_label: bool = True
) -> Table:
    """The table with values set in columns, for the rows that meet a condition; None: for all rows."""
    if condition is not None and condition.is_tied:
        condition = table.space.settled(condition, "meant")
    for label, part in zip(labels, _by_column(labels, values, by_label), strict=True):
        table, condition, new = _beside(table, condition, part, by_label)
        if new.is_tied:
            new = table.space.settled(new, label)
        known = table.values(label)
        if len(known) > 1:
            raise refused(f"setting values in the column {label!r}", "the frame has several of that label")
        table = table.with_column(label, set_in(label, known[0] if known else None, new, condition))
    return table


def _by_column(labels: Sequence[Label], values: Any, by_label: bool) -> list[Any]:
    """What is set in each column."""
    if isinstance(values, pd.DataFrame):
        values = DataFrame(values)
    if isinstance(values, DataFrame):
        return _of_frame(labels, values, by_label)
    if isinstance(values, (Row, dict)):
        return [values[label] if label in values else float("nan") for label in labels]
    if is_listed(values) and not isinstance(values, (Series, pd.Series, Index)):
        values = list(values) if not isinstance(values, np.ndarray) else values
        if np.ndim(values) > 1 or (len(values) > 0 and isinstance(values[0], (list, tuple, np.ndarray))):
            grid = pd.DataFrame(values)
            if grid.shape[1] != len(labels):
                raise ValueError("Must have equal len keys and value when setting with an ndarray")
            return [grid.iloc[:, place].tolist() for place in range(len(labels))]
        if len(labels) > 1 and len(values) != len(labels):
            raise ValueError("Must have equal len keys and value when setting with an iterable")
        return [values] if len(labels) == 1 else list(values)
    if len(labels) > 1 and is_listed(values):
        raise refused("setting a series in several columns", "write one assignment for each column")
    return [values] * len(labels)


def _of_frame(labels: Sequence[Label], values: DataFrame, by_label: bool) -> list[Any]:
    if by_label:
        return [values._one(label) if label in values._table.labels else float("nan") for label in labels]
    if len(values._table.columns) != len(labels):
        raise ValueError("Must have equal len keys and value when setting with an ndarray")
    table = values._table
    return [Series._of(replace(table, columns=(column,), column_names=(None,))) for column in table.columns]


def is_listed(values: Any) -> bool:
    """Whether values are several."""
    if isinstance(values, (list, tuple, pd.Series, pd.Index, range, Series, Index)):
        return True
    return isinstance(values, np.ndarray) and values.ndim > 0


def _beside(
    table: Table, condition: Value | None, values: Any, by_label: bool
) -> tuple[Table, Value | None, Value]:
    """What is set, as a value for each row; the table where that is, and the condition there."""
    if isinstance(values, pd.Series):
        values = Series(values)
    if isinstance(values, Series) and by_label and not (isinstance(values, Index) or values._raw.is_array):
        return by_index(table, condition, values._raw)
    if not is_listed(values):
        if not isinstance(values, Scalar) and not pd.api.types.is_scalar(values):
            raise refused(f"a {type(values).__name__} as a value", "it is not known how it belongs to rows")
        return table, condition, constant_in(table.space, values)
    if isinstance(values, Series):
        if len(values._table.columns) > 1:
            raise refused("an index of several levels as values", "name the level: get_level_values()")
        return by_place(table, condition, values._table)
    given = pd.Series(values)
    return by_place(table, condition, table_of_series(given), len(given))


def by_index(table: Table, condition: Value | None, other: Table) -> tuple[Table, Value | None, Value]:
    """The values of another table by the labels of both indexes."""
    moved, (value,) = beside(table, other)
    there = None if condition is None else moved.space.adopted(condition)
    if condition is None or there is not None:
        return moved, there, value
    return beside_by(table, table.index, other, condition)


def by_place(
    table: Table, condition: Value | None, other: Table, count: int | None = None
) -> tuple[Table, Value | None, Value]:
    """The values of another table, the first for the first row that meets the condition, and so on.

    `count`: how many values there are, if their index is known to count them.
    """
    if condition is None:
        moved, (value,) = beside_by_place(table, other)
        return moved, None, value
    counted = replace(other if count is not None else replace(other, index=Positions()), is_array=False)
    meant = table.space.rows(condition.uses).where(condition.column).count()
    _check_length(meant, other.rows().count() if count is None else count)
    until = table.window().rowsBetween(Window.unboundedPreceding, Window.currentRow)
    number = F.sum(condition.column.cast("bigint")).over(until) - 1
    uses = condition.uses | {key.name for key in table.order}
    here = Value(table.space, F.when(condition.column, number), uses, INT64.missing(), is_window=True)
    index = (Level(None, table.space.settled(here, "number")),)
    return beside_by(table, index, counted, condition)


def _check_length(rows: int, values: int) -> None:
    if rows != values:
        raise ValueError(
            f"cannot set using a list-like indexer with a different length than the value: {rows} and {values}"
        )
