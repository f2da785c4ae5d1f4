"""Rows and columns for labels that are given, whether they are there or not: `reindex`.

The rows are those of the list of labels, so it is a join: what the table has for a label, or nothing.
With a `method`, it is what the table has for the nearest label (`choosing/nearest_labels.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.levels import index_named, level_labels
from predtrace.frontends.pandas.choosing.nearest_labels import nearest_beside
from predtrace.frontends.pandas.core.aligning import beside
from predtrace.frontends.pandas.core.construction import table_of_frame
from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Level, Table

Same = TypeVar("Same", bound=Held)
_DEFAULTS = {"level": None, "limit": None, "tolerance": None}


class ReindexingFrame(Held):
    """These methods of a DataFrame."""

    def reindex(
        self: Same,
        labels: Any = None,
        *,
        index: Any = None,
        columns: Any = None,
        axis: Any = None,
        fill_value: Any = float("nan"),
        copy: Any = None,
        method: str | None = None,
        **given: Any,
    ) -> Same:
        """The rows and columns of these labels; missing, or the fill value, where there are none."""
        only("DataFrame.reindex()", _DEFAULTS, given)
        if labels is not None:
            index, columns = (index, labels) if axis in (1, "columns") else (labels, columns)
        table = self._table
        if columns is not None:
            only("DataFrame.reindex(columns=...)", {"method": None}, {"method": method})
            table = _with_columns(table, columns, fill_value)
        if index is not None:
            table = with_rows("DataFrame.reindex()", table, index, fill_value, method)
        return self._of(table)

    def reindex_like(self, other: Any) -> Any:
        """The rows and columns that another frame has."""
        return self.reindex(index=other.index, columns=other.columns)


class ReindexingSeries(Held):
    """These methods of a Series."""

    def reindex(
        self: Same,
        index: Any = None,
        *,
        axis: Any = None,
        fill_value: Any = float("nan"),
        copy: Any = None,
        method: str | None = None,
        **given: Any,
    ) -> Same:
        """The values of these labels; missing, or the fill value, where there are none."""
        only("Series.reindex()", _DEFAULTS, given)
        if index is None:
            return self.copy()
        return self._of(with_rows("Series.reindex()", self._table, index, fill_value, method))

    def reindex_like(self, other: Any) -> Any:
        """The rows that another series has."""
        return self.reindex(index=other.index)


def _with_columns(table: Table, given: Any, fill_value: Any) -> Table:
    labels: list[Label] = list(given)
    several = [label for label in labels if len(table.values(label)) > 1]
    if several:
        raise ValueError("cannot reindex on an axis with duplicate labels")
    columns = [
        (label, table.values(label)[0] if label in table.labels else value_in(table.space, fill_value))
        for label in labels
    ]
    names = tuple(getattr(given, "names", table.column_names))
    return replace(table.with_columns(columns), column_names=names)


def with_rows(call: str, table: Table, given: Any, fill_value: Any, method: str | None) -> Table:
    """The rows of these labels: what there is for them, for the nearest ones, or the fill value."""
    wanted = _wanted(table, given)
    if method is not None:
        only(
            f"{call[:-1]}method={method!r})", {"fill_value": True}, {"fill_value": bool(pd.isna(fill_value))}
        )
        moved, values = nearest_beside(call, wanted, table, method)
        return _labelled(moved, table, values)
    if pd.isna(fill_value):
        moved, values = beside(wanted, table)
        return _labelled(moved, table, values)
    there = Value(table.space, F.lit(True), frozenset(), BOOL)
    marked = table.with_columns([*table.columns, (None, there)])
    moved, (*values, mark) = beside(wanted, marked)
    pairs = zip(table.columns, values, strict=True)
    filled = [_filled(call, label, old, value, mark, fill_value) for (label, old), value in pairs]
    return _labelled(moved, table, filled)


def _labelled(moved: Table, table: Table, values: Sequence[Value]) -> Table:
    made = replace(moved, column_names=table.column_names)
    return made.with_columns(zip(table.labels, values, strict=True))


def _wanted(table: Table, given: Any) -> Table:
    """A table without columns whose index has the labels that are asked for."""
    from predtrace.frontends.pandas.choosing.index import Index

    if isinstance(given, Index):
        wanted = given._as_index
    elif isinstance(given, Held):
        other = given._table
        level = Level(level_labels(table)[0], other.columns[0][1])
        wanted = replace(other, columns=(), index=(level,), is_unique=False)
    else:
        index = given if isinstance(given, pd.Index) else pd.Index(list(given))
        wanted = table_of_frame(pd.DataFrame(index=index))
        if index.nlevels == len(level_labels(table)) and not isinstance(given, pd.Index):
            wanted = index_named(wanted, list(level_labels(table)))
    _check_comparable(table, wanted)
    return wanted


def _check_comparable(table: Table, wanted: Table) -> None:
    """Spark would convert labels of another type; to pandas they are other labels."""
    mine, theirs = ([level.value.dtype for level in one.levels()] for one in (table, wanted))
    if len(mine) != len(theirs):
        raise refused("reindex() with labels of other levels", f"the index has {len(mine)}")
    for one, other in zip(mine, theirs, strict=True):
        is_same = (one.is_text and other.is_text) or one.name == other.name
        if not is_same and not (one.is_number and other.is_number):
            raise refused(f"reindex() with {other.name} labels", f"the index has {one.name} labels")


def _filled(call: str, label: Label, old: Value, value: Value, mark: Value, fill: Any) -> Value:
    """A value, or the fill value in the rows that are new."""
    constant = value_in(value.space, fill)
    kind, dtype = constant.dtype, old.dtype
    is_same = (dtype.is_text and kind.is_text) or dtype.name == kind.name
    if not is_same and not (dtype.is_float and kind.is_number and not kind.is_bool):
        is_new = mark.column.isNull()
        if not value.space.rows(mark.uses).where(is_new).take(1):
            return replace(value, dtype=dtype)
        if not (dtype.is_integer and kind.is_float):
            what = f"{call[:-1]}fill_value={fill!r})"
            raise refused(what, f"the column {label!r} holds {dtype.name} values")
        dtype = FLOAT64
    new, kept = constant.column.cast(dtype.spark), value.column.cast(dtype.spark)
    column = F.when(mark.column.isNull(), new).otherwise(kept)
    return value.with_column(column, dtype, mark)
