"""`append`, as notebooks for older pandas write it: rows at the end of a frame.

A row may be given as a dict. Its values may be worked out by Spark: they stay so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from predtrace.frontends.pandas.choosing.one_row import Row
from predtrace.frontends.pandas.core.construction import table_of_frame
from predtrace.frontends.pandas.core.dtypes import FLOAT64
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar, one_row, value_in
from predtrace.frontends.pandas.core.spaces import Key, Value
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table
from predtrace.frontends.pandas.merging.concatenating import concat

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


class AppendingFrame(Held):
    """These methods of a DataFrame."""

    def append(
        self, other: Any, ignore_index: bool = False, verify_integrity: bool = False, sort: bool = False
    ) -> DataFrame:
        """This frame with the rows of another, or with one row, at the end."""
        from predtrace.frontends.pandas.frame import DataFrame

        others = list(other) if isinstance(other, (list, tuple)) else [other]
        if others and all(isinstance(one, dict) for one in others) and isinstance(other, (list, tuple)):
            others = [DataFrame(pd.DataFrame(others))]
        parts = [self, *(_as_frame(one, ignore_index) for one in others)]
        found: DataFrame = concat(
            parts, ignore_index=ignore_index, verify_integrity=verify_integrity, sort=sort
        )
        return found

    _append = append


class AppendingSeries(Held):
    """These methods of a Series."""

    def append(self, to_append: Any, ignore_index: bool = False, verify_integrity: bool = False) -> Series:
        """This series with the values of others at the end."""
        others = list(to_append) if isinstance(to_append, (list, tuple)) else [to_append]
        found: Series = concat([self, *others], ignore_index=ignore_index, verify_integrity=verify_integrity)
        return found

    _append = append


def _as_frame(given: Any, ignore_index: bool) -> Any:
    """What is appended, as rows."""
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    if isinstance(given, Mapping):
        if not ignore_index:
            raise TypeError("Can only append a dict if ignore_index=True")
        return DataFrame._of(_row(dict(given), None))
    if isinstance(given, Row):
        return DataFrame._of(_alike(given._table))
    if isinstance(given, (Series, pd.Series)):
        if given.name is None and not ignore_index:
            raise TypeError("Can only append a Series if ignore_index=True or if the Series has a name")
        if isinstance(given, pd.Series):
            return DataFrame._of(_row(given.to_dict(), given.name))
        return given.to_frame(given.name if given.name is not None else 0).T
    return given


def _row(values: dict[Label, Any], label: Label) -> Table:
    """A table of one row. Numbers of which one is a float are floats: in pandas they were a series."""
    if not any(isinstance(value, Scalar) for value in values.values()):
        row = pd.Series(values, name=0 if label is None else label).to_frame().T.infer_objects()
        return table_of_frame(row)
    space = one_row()
    columns = tuple((name, space.settled(value_in(space, value), name)) for name, value in values.items())
    index = Positions() if label is None else (Level(None, space.settled(value_in(space, label), "index")),)
    return _alike(Table(space, columns, index, (Key("one"),)))


def _alike(table: Table) -> Table:
    dtypes = [value.dtype for _, value in table.columns]
    numbers = all(dtype.is_integer or dtype.is_float for dtype in dtypes)
    if not numbers or not any(dtype.is_float for dtype in dtypes):
        return table

    def as_float(value: Value) -> Value:
        return value.with_column(value.column.cast("double"), FLOAT64)

    return replace(table.with_columns([(label, as_float(value)) for label, value in table.columns]))
