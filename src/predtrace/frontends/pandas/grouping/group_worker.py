"""What runs in Spark's Python processes: a group's rows become pandas' own frame, and the user's function gets it.

`applyInPandas` hands over the rows of a group in any order and without an index. Here the frame is made as pandas
would have it: in order, with its index, labels and dtypes.
"""

from __future__ import annotations

import base64
import pickle
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.core.dtypes import (
    MOMENT,
    TEXT,
    WITH_NA,
    Dtype,
    dtype_of_scalar,
    dtype_of_values,
    dtype_with_na,
    kept_value,
    listed,
)

Label = Hashable
Function = Callable[..., Any]


@dataclass(frozen=True)
class Part:
    """A column or a level of the index: its label, the name in Spark's rows, and what pandas shows as its dtype.

    `dtype`: our own where pandas has objects that Spark holds as something else.
    """

    label: Label
    name: str
    dtype: Any


@dataclass(frozen=True)
class GroupLayout:
    """Where in Spark's rows the parts of a group are.

    `index`: nothing if the rows of each group are numbered. `order`: names, whether they ascend, and whether missing
    values come last. `scalars`: values that the function is given beside the group, the same in every row.
    """

    keys: tuple[Part, ...]
    columns: tuple[Part, ...]
    index: tuple[Part, ...]
    order: tuple[tuple[str, bool, bool], ...]
    column_names: tuple[Label, ...]
    is_series: bool
    scalars: tuple[str, ...] = ()

    def sorted(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows of a group in order."""
        for name, ascending, last in reversed(self.order):
            place = "last" if last else "first"
            rows = rows.sort_values(name, ascending=ascending, na_position=place, kind="stable")
        return rows.reset_index(drop=True)

    def group(self, rows: pd.DataFrame, first_number: int | None = None) -> Any:
        """Sorted rows as the frame, or the series, that pandas has for the group.

        `first_number`: the rows are numbered from there on, whatever the index is.
        """
        columns = [_typed(rows[part.name], part.dtype) for part in self.columns]
        frame = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=rows.index)
        labels = [part.label for part in self.columns]
        if labels and all(isinstance(label, tuple) for label in labels):
            frame.columns = pd.MultiIndex.from_tuples(labels, names=list(self.column_names))
        else:
            frame.columns = pd.Index(labels, name=self.column_names[0], tupleize_cols=False)
        frame.index = self._index(rows, first_number)
        return frame.iloc[:, 0] if self.is_series else frame

    def _index(self, rows: pd.DataFrame, first_number: int | None) -> Any:
        levels = [_typed(rows[part.name], part.dtype) for part in self.index]
        names = [part.label for part in self.index]
        if not levels or first_number is not None:
            first = first_number or 0
            return pd.RangeIndex(first, first + len(rows), name=names[0] if names else None)
        if len(levels) == 1:
            return pd.Index(levels[0].array, name=names[0])
        return pd.MultiIndex.from_arrays(levels, names=names)

    def key(self, rows: pd.DataFrame) -> Any:
        """The key of a group, as pandas calls it."""
        values = [_typed(rows[part.name].iloc[:1], part.dtype).iloc[0] for part in self.keys]
        return values[0] if len(values) == 1 else tuple(values)

    def in_no_group(self, rows: pd.DataFrame) -> bool:
        """Whether a key is missing."""
        return any(bool(pd.isna(rows[part.name].iloc[0])) for part in self.keys)

    def called(self, function: Function, rows: pd.DataFrame, group: Any, is_named: bool = True) -> Any:
        """What a function gives for a group, or a part of it. It has the key as its name, as in pandas."""
        if is_named:
            object.__setattr__(group, "name", self.key(rows))
        return function(group, *(_plain(rows[name].iloc[0]) for name in self.scalars))


def _plain(scalar: Any) -> Any:
    """A value beside the group. All rows of another table come from Arrow as an array of dicts."""
    if not isinstance(scalar, np.ndarray):
        return scalar
    return [tuple(one.values()) if isinstance(one, dict) else one for one in scalar]


def _typed(values: pd.Series, dtype: Any) -> pd.Series:
    if isinstance(dtype, Dtype):
        held = values.astype(object).where(values.notna(), None)
        return pd.Series([kept_value(one, dtype) for one in held], dtype=object)
    if np.dtype(object) == dtype:
        values = values.astype(object)
        return values.where(values.notna(), np.nan)
    if isinstance(dtype, pd.PeriodDtype):
        return pd.Series(pd.PeriodIndex(values.astype("datetime64[ns]"), dtype=dtype))
    return values if values.dtype == dtype else values.astype(dtype)


_NA = "NA"
Kind = Dtype | str | None
"""A dtype; what stands in the way of one; or None where all values are missing."""


@dataclass(frozen=True)
class Shape:
    """What a function gives for one group: `scalar`, `series`, `frame` or `nothing`.

    `labels`: those of a series' index, if they are few. `is_like`: the index is the group's. `is_free`: another index
    of the group would not change the result. `is_empty`: it has no rows.
    """

    kind: str
    columns: tuple[tuple[Label, Kind], ...] = ()
    index: tuple[tuple[Label, Kind], ...] = ()
    labels: tuple[Label, ...] | None = None
    name: Label = None
    is_like: bool = False
    is_free: bool = True
    column_names: tuple[Label, ...] = (None,)
    is_empty: bool = False


_FEW = 200


def shape_of(result: Any, group: Any, again: Any) -> Shape:
    """What a function gave. `again`: what it gave for the same group with another index."""
    if result is None:
        return Shape("nothing")
    if isinstance(result, pd.DataFrame):
        columns = tuple(
            (label, kind_of_values(result.iloc[:, place])) for place, label in enumerate(result.columns)
        )
        like = result.index.equals(group.index)
        names = tuple(result.columns.names)
        return Shape("frame", columns, _levels(result.index), None, None, like, False, names, not len(result))
    if isinstance(result, pd.Series):
        few = len(result) <= _FEW and not isinstance(result.index, pd.MultiIndex)
        labels = tuple(result.index) if few else None
        kinds: tuple[tuple[Label, Kind], ...] = ((None, kind_of_values(result)),)
        if labels is not None and result.dtype == object:
            kinds = tuple((label, kind_of(value)) for label, value in zip(labels, result, strict=True))
        like = isinstance(group, pd.Series) and result.index.equals(group.index)
        free = isinstance(again, pd.Series) and result.equals(again) and result.index.equals(again.index)
        names = (result.index.name,)
        return Shape(
            "series", kinds, _levels(result.index), labels, result.name, like, free, names, not len(result)
        )
    return Shape("scalar", ((None, kind_of(result)),), is_free=same_value(result, again))


def _levels(index: pd.Index) -> tuple[tuple[Label, Kind], ...]:
    levels = [index.get_level_values(place) for place in range(index.nlevels)]
    return tuple((level.name, kind_of_values(pd.Series(level))) for level in levels)


def same_value(one: Any, other: Any) -> bool:
    """Whether two results are equal; missing ones are."""
    if one is pd.NA or other is pd.NA:
        return one is other
    if kind_of(one) is None or kind_of(other) is None:
        return kind_of(one) is None and kind_of(other) is None
    try:
        return bool(one == other)
    except (TypeError, ValueError):
        return False


def kind_of_values(values: pd.Series) -> Kind:
    """How Spark can hold a column of pandas."""
    if values.dtype == object:
        kinds = [None if value is pd.NA else kind_of(value) for value in values]
        known = [kind for kind in kinds if kind is not None]
        if not known:
            return _NA if any(value is pd.NA for value in values) else None
        if any(isinstance(kind, str) for kind in known):
            return next(kind for kind in known if isinstance(kind, str))
        if all(kind == known[0] for kind in known) and not known[0].is_number:  # type: ignore[union-attr]
            return known[0]
        if all(kind.is_bool for kind in known):  # type: ignore[union-attr]
            return known[0].missing()  # type: ignore[union-attr]
        return "numbers as objects, or objects of several types"
    found = None if isinstance(values.dtype, pd.BooleanDtype) else dtype_of_values(values)
    if found is None:
        return str(values.dtype)
    return found.missing(bool(values.isna().any()))


def kind_of(value: Any) -> Kind:
    """How Spark can hold a value of Python."""
    if isinstance(value, list):
        kinds = [kind for kind in map(kind_of, value) if kind is not None]
        if not kinds:
            return None
        if any(isinstance(kind, str) for kind in kinds) or any(kind != kinds[0] for kind in kinds):
            return "lists of several types"
        return listed(kinds[0].spark)  # type: ignore[union-attr]
    if not pd.api.types.is_scalar(value):
        return type(value).__name__
    if pd.isna(value):
        return _NA if value is pd.NA else None
    if isinstance(value, np.unsignedinteger):  # pandas keeps that dtype
        return type(value).__name__
    dtype = dtype_of_scalar(value)
    return type(value).__name__ if dtype is None or dtype.is_whole_with_na else dtype


def kind_of_aggregate(value: Any, of: Any, name: str | None) -> Kind:
    """The same for what an aggregate of a column of a dtype gives; `name`: that of one that pandas knows.

    pandas makes whole numbers with NA of what a function gives for such, if it can.
    """
    if str(of) not in WITH_NA:
        return kind_of(value)
    own = dtype_with_na(str(of))
    if name == "nunique":
        return kind_of(value)
    if name not in (None, "min", "max", "first", "last"):
        return f"{name} of {of}"
    if value is pd.NA:
        return own
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))
    if is_whole and np.iinfo(of.numpy_dtype).min <= value <= np.iinfo(of.numpy_dtype).max:
        return own.missing(False)
    if isinstance(value, str) and not _reads_as_number(value):
        return TEXT
    return f"{type(value).__name__} of {of}"


def _reads_as_number(text: str) -> bool:
    """Whether pandas may make a number of a text."""
    return bool(pd.notna(pd.to_numeric(text, errors="coerce"))) or text.strip().lower() in ("", "nan", "<na>")


def packed(shape: Shape) -> pd.DataFrame:
    """A shape as a row for Spark."""
    return pd.DataFrame({"shape": [base64.b64encode(pickle.dumps(shape)).decode()]})


def unpacked(text: str) -> Shape:
    """The shape in such a row."""
    found: Shape = pickle.loads(base64.b64decode(text))
    return found


def outgoing(values: Any, dtype: Dtype) -> pd.Series:
    """Values of pandas for a column of Spark."""
    if dtype.is_period:
        values = pd.PeriodIndex(values, dtype=dtype.name).to_timestamp()
        dtype = MOMENT
    series = pd.Series(values)
    has_room = dtype.is_float or dtype.is_moment or dtype.name == "timedelta64[ns]"
    if has_room and series.isna().all():  # NaT alone may be of another dtype
        return pd.Series([None] * len(series), dtype=dtype.name)
    if has_room or (dtype.is_integer and series.notna().all()):
        return series.astype(dtype.name)
    series = series.astype(object)
    return series.where(series.notna(), None)
