"""Missing values filled: with scalars, with values of other objects, or from the rows before and after.

| method | where it is not what Spark does |
|---|---|
| `fillna` | whole numbers of which one is missing are floats, and stay so; what the column cannot hold is refused |
| `ffill`, `bfill` | by the order of the frame's rows |
| `interpolate` | `cleaning/interpolating.py` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import pandas as pd

from predtrace.frontends.pandas.choosing.putting import Place, put
from predtrace.frontends.pandas.cleaning.filling_across import from_columns
from predtrace.frontends.pandas.cleaning.interpolating import line_of, on_lines
from predtrace.frontends.pandas.core.dtypes import check_not_kept
from predtrace.frontends.pandas.core.elements import (
    gathered,
    is_frame,
    is_listing,
    is_missing_scalar,
    is_series,
)
from predtrace.frontends.pandas.core.facts import as_shown, is_missing, texts_and_numbers
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.nearest import nearest_there
from predtrace.frontends.pandas.core.per_column import for_columns
from predtrace.frontends.pandas.core.scalars import value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import in_place, only
from predtrace.frontends.pandas.core.tables import Label, Table

Filled = TypeVar("Filled", bound="_Filling")
_NOT_GIVEN: Any = pd.api.extensions.no_default
_METHODS = {"ffill": False, "pad": False, "bfill": True, "backfill": True}


class _Filling(Held):
    """What frames and series have both."""

    @in_place
    def ffill(
        self: Filled, *, axis: Any = None, limit: int | None = None, limit_area: Any = None, **given: Any
    ) -> Filled:
        """Missing values filled from the last row before that has one."""
        if axis in (1, "columns") and self._kind == "DataFrame":
            more = {"limit": limit, "limit_area": limit_area, **given}
            return self._of(from_columns(self._table, False, "DataFrame.ffill(axis=1)", more))
        _check(f"{self._kind}.ffill()", 0, None, axis, {"limit_area": limit_area, **given})
        return _from_rows(self, False, limit)

    @in_place
    def bfill(
        self: Filled, *, axis: Any = None, limit: int | None = None, limit_area: Any = None, **given: Any
    ) -> Filled:
        """Missing values filled from the next row that has one."""
        if axis in (1, "columns") and self._kind == "DataFrame":
            more = {"limit": limit, "limit_area": limit_area, **given}
            return self._of(from_columns(self._table, True, "DataFrame.bfill(axis=1)", more))
        _check(f"{self._kind}.bfill()", 0, None, axis, {"limit_area": limit_area, **given})
        return _from_rows(self, True, limit)

    pad, backfill = ffill, bfill

    @in_place
    def interpolate(self: Filled, method: str = "linear", *, axis: Any = 0, **given: Any) -> Filled:
        """Missing numbers on the line between the rows before and after."""
        check_not_kept("interpolate()", *(value.dtype for _, value in self._table.columns))
        line = line_of(f"{self._kind}.interpolate()", method, axis, given)
        return self._of(on_lines(self._table, line))

    @in_place
    def fillna(
        self: Filled,
        value: Any = None,
        *,
        method: str | None = None,
        axis: Any = None,
        limit: int | None = None,
        **given: Any,
    ) -> Filled:
        """Missing values filled: with one value, those of another object, or, for a frame, one for each column."""
        call = f"{self._kind}.fillna()"
        _check(call, value, method, axis, given)
        if method is not None:
            return _from_rows(self, _direction(method), limit)
        only(call, {"limit": None}, {"limit": limit})
        return self._of(self._filled_with(value, call))

    def _filled_with(self, value: Any, call: str) -> Table:
        raise NotImplementedError


class FillingFrame(_Filling):
    """These methods of a DataFrame."""

    def _filled_with(self, value: Any, call: str) -> Table:
        if is_frame(value) or isinstance(value, pd.DataFrame):
            return _with_frame(self._table, value, call)
        if is_listing(value) and not isinstance(value, (Mapping, pd.Series)):
            raise _no_scalar(value)
        new = for_columns(value, self._table.labels)
        news = {place: new[label] for place, label in enumerate(self._table.labels) if label in new}
        return _filled(self._table, news, call)


class FillingSeries(_Filling):
    """These methods of a Series."""

    def _filled_with(self, value: Any, call: str) -> Table:
        if isinstance(value, (Mapping, pd.Series)):
            from predtrace.frontends.pandas.series import Series

            value = Series(pd.Series(value))
        if is_listing(value) or is_frame(value):
            raise _no_scalar(value)
        if is_series(value):
            table, ((new,),) = gathered(self._table, [value])
            return _filled(table, {0: new}, call)
        return _filled(self._table, {0: value}, call)


def _no_scalar(value: Any) -> TypeError:
    return TypeError(f'"value" parameter must be a scalar or dict, but you passed a "{type(value).__name__}"')


def _check(call: str, value: Any, method: str | None, axis: Any, given: dict[str, Any]) -> None:
    only(call, {"axis": None}, {"axis": None if axis in (0, "index") else axis})
    only(call, {"downcast": _NOT_GIVEN, "limit_area": None}, given)
    if value is None and method is None:
        raise ValueError("Must specify a fill 'value' or 'method'.")
    if value is not None and method is not None:
        raise ValueError("Cannot specify both 'value' and 'method'.")


def _direction(method: str) -> bool:
    if method not in _METHODS:
        raise ValueError(f"Invalid fill method. Expecting pad (ffill) or backfill (bfill). Got {method}")
    return _METHODS[method]


def _filled(table: Table, news: Mapping[int, Any], call: str) -> Table:
    """The table with some of its columns filled, by their places: each with a scalar or a value of its space."""
    made = list(table.columns)
    shown = as_shown([table.columns[place][1] for place in news])
    for (place, new), value in zip(news.items(), shown, strict=True):
        label = made[place][0]
        if value.dtype.may_miss and not is_missing_scalar(new):
            put_in = new if isinstance(new, Value) else value_in(table.space, _understood(value, new))
            filled = put(value, [Place(is_missing(value), put_in)], f"{call} of {label!r}", infers=True)
            may_miss = put_in.dtype.may_miss
            dtype = replace(
                filled.dtype, may_miss=may_miss, has_objects=filled.dtype.has_objects and may_miss
            )
            value = replace(filled, dtype=dtype)
        made[place] = (label, value)
    return table.with_columns(made)


def _understood(value: Value, new: Any) -> Any:
    """A text that names a moment, where moments are filled; an error of pandas for a category it cannot have."""
    if value.dtype.is_moment and isinstance(new, str):
        try:
            return pd.Timestamp(new)
        except ValueError:
            return new
    if value.dtype.categories is not None and new not in value.dtype.categories:
        raise TypeError(
            f"Cannot setitem on a Categorical with a new category ({new}), set the categories first"
        )
    return new


def _with_frame(table: Table, other: Any, call: str) -> Table:
    from predtrace.frontends.pandas.frame import DataFrame

    theirs = DataFrame(other) if isinstance(other, pd.DataFrame) else other
    wide, (found,) = gathered(table, [theirs])
    new = dict(zip(theirs._raw.labels, found, strict=True))
    return _filled(wide, {place: new[label] for place, label in enumerate(wide.labels) if label in new}, call)


def _from_rows(held: Filled, backwards: bool, limit: int | None) -> Filled:
    """Each missing value as the next one in a direction, at most so many rows away."""
    if limit is not None and limit <= 0:
        raise ValueError("Limit must be greater than 0")
    table = held._table
    shown = as_shown([value for _, value in table.columns])
    keys = frozenset(key.name for key in table.order)
    made: list[tuple[Label, Value]] = []
    for (label, old), value in zip(table.columns, shown, strict=True):
        if value.dtype.is_mixed and not texts_and_numbers(value)[0]:
            # pandas makes a column of numbers of them.
            check_not_kept("ffill() or bfill() of numbers alone", value.dtype)
        if not value.dtype.may_miss:
            made.append((label, value))
            continue
        value = table.space.settled(value, label)
        column = nearest_there(table, value.column, backwards, limit)
        made.append(
            (label, Value(table.space, column, value.uses | keys | old.uses, value.dtype, is_window=True))
        )
    return held._of(table.with_columns(made))
