"""Lists that a loop over rows built (`looping`), with the column or frame on Spark that has the same values.

A program goes on with such a list as with any other. Where it makes a column or a frame of it, that is the one on
Spark, if the list has not been changed since, and if the values there are those of the list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from predtrace.errors import PredtraceError


class BuiltList(list[Any]):
    """What a loop appended. `there`: what Spark has instead, a series or a frame with any index."""

    def __init__(self, values: Sequence[Any], there: Any) -> None:
        super().__init__(values)
        self._as_built = tuple(values)
        self._there = there
        self._column: Any = None

    def column(self) -> Any:
        """The values as an array on Spark; None if there is none."""
        if self._column is None and self._holds(pd.api.types.is_scalar):
            self._column = _checked(self._there, pd.Series(list(self)).to_frame(), is_column=True)
        return self._column if self._holds(pd.api.types.is_scalar) else None

    def frame(self, columns: Any) -> Any:
        """The rows that the values are, as a frame on Spark; None if there is none."""
        if not self._holds(lambda value: isinstance(value, (dict, list, tuple, pd.Series))):
            return None
        return _checked(self._there, pd.DataFrame(list(self), columns=columns), is_column=False)

    def _holds(self, kind: Callable[[Any], bool]) -> bool:
        is_as_built = len(self) == len(self._as_built) and all(
            one is other for one, other in zip(self, self._as_built, strict=True)
        )
        return is_as_built and len(self) > 0 and all(kind(value) for value in self)


def on_spark(data: Any) -> Any:
    """The same with columns on Spark in the place of lists that a loop built."""
    if isinstance(data, BuiltList):
        column = data.column()
        return data if column is None else column
    if isinstance(data, Mapping) and any(isinstance(value, BuiltList) for value in data.values()):
        return {label: on_spark(value) for label, value in data.items()}
    return data


def _checked(there: Any, expected: pd.DataFrame, is_column: bool) -> Any:
    """What is there, if it has the expected values."""
    from predtrace.frontends.pandas.series import Series

    try:
        found = there.to_frame(0) if isinstance(there, Series) else there.reset_index(drop=True)
        if len(found.columns) > len(expected.columns):
            return None
        if isinstance(expected.columns, pd.RangeIndex) or not set(expected.columns) <= set(found.columns):
            found.columns = expected.columns
        found = as_typed(found[list(expected.columns)], expected)
        if not alike(found._collected().reset_index(drop=True), expected):
            return None
    except (PredtraceError, ValueError, TypeError, KeyError):
        return None
    return Series._of(replace(found._one(0)._raw, is_array=True)) if is_column else found


def as_typed(frame: Any, expected: pd.DataFrame) -> Any:
    """A frame on Spark with the dtypes of one of pandas, which has the same columns."""
    shown = frame.dtypes
    others = {
        label: expected[label].dtype for label in expected.columns if shown[label] != expected[label].dtype
    }
    return frame.astype(others) if others else frame


def alike(found: pd.DataFrame, expected: pd.DataFrame) -> bool:
    """Whether frames have the same labels, dtypes and values; None and NaN are both missing."""
    if not (found.columns.equals(expected.columns) and found.index.equals(expected.index)):
        return False
    if list(found.dtypes) != list(expected.dtypes):
        return False
    same = (found == expected) | (found.isna() & expected.isna())
    return bool(same.to_numpy().all())
