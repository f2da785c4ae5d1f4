"""Operators and their methods: `df * 2`, `df1 + df2`, `df.div(s, axis=0)`, `s.add(other, fill_value=0)`.

Frames are aligned by the labels of their columns and by their indexes. A series goes along the columns, or with
`axis=0` along the rows. What is on one side only is missing in the result, or is the `fill_value` there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.cleaning.masking import pd_held
from predtrace.frontends.pandas.core.aligning import same_places, same_rows
from predtrace.frontends.pandas.core.arithmetic import inverted, negated, operate
from predtrace.frontends.pandas.core.dtypes import FLOAT64
from predtrace.frontends.pandas.core.elements import (
    axis_number,
    changed,
    frame_of,
    is_frame,
    is_listing,
    is_series,
    nothing,
    series_of,
)
from predtrace.frontends.pandas.core.facts import as_shown
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.per_column import labelled_values
from predtrace.frontends.pandas.core.scalars import COMPARISONS, give_operators, value_in
from predtrace.frontends.pandas.core.spaces import Space, Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.core.uniting import outer, same_rows_beside

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

METHODS = {
    "add": "+",
    "sub": "-",
    "subtract": "-",
    "mul": "*",
    "multiply": "*",
    "div": "/",
    "divide": "/",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
"""Methods by the operators they stand for; those that calculate have a swapped one, too (`radd`)."""

Pair = tuple[Value | None, Value | None]
"""What an operator is given for a column: on a side that has no such column it is None."""


class CalculatingFrame(Held):
    """These methods of a DataFrame."""

    def _operated(self, symbol: str, other: Any, swapped: bool = False) -> Any:
        if symbol in COMPARISONS:
            _check_labels(self, other)
        return _calculated(frame_of(self), symbol, other, swapped)

    def _operate_in_place(self, symbol: str, other: Any) -> Any:
        """`df += other`: the frame is changed under all its names."""
        made = self._operated(symbol, other)
        if made._raw.labels != self._raw.labels or not same_places(self._raw, made._raw):
            raise refused(
                f"df {symbol}= other", "the result has other rows or columns", "write df = df + other"
            )
        self._become(made)
        return self

    def __neg__(self) -> DataFrame:
        return frame_of(changed(self, lambda _, value: negated(value)))

    def __invert__(self) -> DataFrame:
        return frame_of(changed(self, lambda _, value: inverted(value)))

    def _method(
        self, call: str, symbol: str, swapped: bool, other: Any, axis: Any, level: Any, fill_value: Any
    ) -> DataFrame:
        only(f"DataFrame.{call}()", {"level": None}, {"level": level})
        rows = axis is not None and axis_number(axis) == 0
        return _calculated(frame_of(self), symbol, other, swapped, rows, fill_value)


class CalculatingSeries(Held):
    """These methods of a Series."""

    def _method(
        self, call: str, symbol: str, swapped: bool, other: Any, axis: Any, level: Any, fill_value: Any
    ) -> Series:
        only(f"Series.{call}()", {"level": None}, {"level": level})
        series = series_of(self)
        other = pd_held(other)
        if is_frame(other):
            raise refused(f"Series.{call}(frame)", "write it as a method of the frame")
        if fill_value is None:
            return series._operated(symbol, other, swapped)  # type: ignore[no-any-return]
        table, mine, theirs, name = series._with(other)
        column = (
            name,
            _operated(symbol, _filled((mine, theirs), fill_value, table.space), swapped, table.space),
        )
        return series_of(self._of(replace(table, columns=()).with_columns([column])))

    def divmod(self, other: Any) -> tuple[Series, Series]:
        """The whole quotient and the rest."""
        series = series_of(self)
        return series._operated("//", other), series._operated("%", other)

    __divmod__ = divmod


def _give_methods(to: type) -> None:
    def add(name: str, symbol: str, swapped: bool) -> None:
        def method(self: Any, other: Any, axis: Any = None, level: Any = None, fill_value: Any = None) -> Any:
            return self._method(name, symbol, swapped, other, axis, level, fill_value)

        def of_series(
            self: Any, other: Any, level: Any = None, fill_value: Any = None, axis: Any = None
        ) -> Any:
            return self._method(name, symbol, swapped, other, axis, level, fill_value)

        made = of_series if to is CalculatingSeries else method
        made.__name__ = name
        made.__doc__ = f"`{symbol}`, with the sides swapped." if swapped else f"`{symbol}`."
        setattr(to, name, made)

    for name, symbol in METHODS.items():
        add(name, symbol, swapped=False)
        if symbol not in COMPARISONS and name not in ("subtract", "multiply", "divide"):
            add(f"r{name}", symbol, swapped=True)


_give_methods(CalculatingFrame)
_give_methods(CalculatingSeries)
give_operators(CalculatingFrame)


def _check_labels(frame: Held, other: Any) -> None:
    """`==` and its like compare what has the same labels alone."""
    if is_frame(other):
        same = frame._raw.labels == other._raw.labels
        if not same:
            raise ValueError(
                "Can only compare identically-labeled (both index and columns) DataFrame objects"
            )
        if not same_rows(frame._raw, other._raw):
            raise refused("comparing two frames", "whether their indexes are the same is not known")


def _calculated(
    frame: DataFrame, symbol: str, other: Any, swapped: bool, rows: bool = False, fill_value: Any = None
) -> DataFrame:
    table, pairs = _pairs(frame, pd_held(other), rows)
    columns = [
        (label, _operated(symbol, _filled(pair, fill_value, table.space), swapped, table.space))
        for label, pair in pairs
    ]
    return frame_of(frame._of(replace(table, columns=()).with_columns(columns)))


def _pairs(frame: DataFrame, other: Any, rows: bool) -> tuple[Table, list[tuple[Label, Pair]]]:
    """What is calculated with for each column of the result, and the table where that is."""
    if is_frame(other):
        return _with_frame(frame, other)
    if rows and (is_series(other) or is_listing(other)):
        return _with_rows(frame, other)
    table = frame._table
    by_label = labelled_values(other)
    if by_label is not None:
        labels = _joined_labels(table.labels, list(by_label))
        mine = dict(table.columns)
        theirs = {label: value_in(table.space, one) for label, one in by_label.items()}
        if any(
            label not in theirs for label in labels
        ):  # the series gets missing values, and is one of floats
            theirs = {label: _floated(value) for label, value in theirs.items()}
        return table, [(label, (mine.get(label), theirs.get(label))) for label in labels]
    if is_listing(other):
        given = list(other)
        if len(given) != len(table.columns) or any(is_listing(one) for one in given):
            raise ValueError(
                f"Unable to coerce to Series, length must be {len(table.columns)}: given {len(given)}"
            )
        values = [value_in(table.space, one) for one in given]
    else:
        values = [value_in(table.space, other)] * len(table.columns)
    return table, [
        (label, (mine_there, value)) for (label, mine_there), value in zip(table.columns, values, strict=True)
    ]


def _joined_labels(one: Sequence[Label], other: Sequence[Label]) -> list[Label]:
    """The labels of both, as pandas has them in order."""
    if list(one) == list(other):
        return list(one)
    return list(pd.Index(one).join(pd.Index(other), how="outer"))


def _aligned(frame: DataFrame, other: Held) -> tuple[Table, list[Value], list[Value]]:
    """The values of both for the same rows: their own, or all that one of them has."""
    if same_rows(frame._raw, other._raw):
        return same_rows_beside(frame._table, other._raw)
    return outer(frame._table, other._table)


def _with_frame(frame: DataFrame, other: DataFrame) -> tuple[Table, list[tuple[Label, Pair]]]:
    table, mine, theirs = _aligned(frame, other)
    left, right = (
        dict(zip(held._raw.labels, values, strict=True)) for held, values in ((frame, mine), (other, theirs))
    )
    if len(left) < len(mine) or len(right) < len(theirs):
        raise refused("calculating with frames", "a label comes twice among the columns")
    labels = _joined_labels(list(left), list(right))
    return table, [(label, (left.get(label), right.get(label))) for label in labels]


def _with_rows(frame: DataFrame, other: Any) -> tuple[Table, list[tuple[Label, Pair]]]:
    if is_series(other):
        table, mine, (theirs,) = _aligned(frame, other)
    else:
        from predtrace.frontends.pandas.core.construction import placed

        table, theirs = placed(frame._table, np.asarray(other))
        mine = [value for _, value in table.columns]
    return table, [(label, (value, theirs)) for label, value in zip(frame._raw.labels, mine, strict=True)]


def _filled(pair: Pair, fill_value: Any, space: Space) -> Pair:
    """A value that only one side has: the other gets the fill value. Whole numbers that miss are floats by then."""
    if fill_value is None:
        return pair
    there = as_shown([value for value in pair if value is not None])
    if len(there) == 1:
        given = there[0]
        is_left = pair[0] is not None
        floated = _floated(given)
        fill = value_in(space, fill_value)
        only_there = fill.with_column(
            F.when(given.column.isNotNull(), fill.column), fill.dtype.missing(), given
        )
        return (floated, only_there) if is_left else (only_there, floated)
    one, other = there
    return _filled_by(one, other, fill_value), _filled_by(other, one, fill_value)


def _floated(value: Value) -> Value:
    if not value.dtype.is_integer:
        return value
    return replace(value.with_column(value.column.cast("double"), FLOAT64), constant=value.constant)


def _filled_by(value: Value, other: Value, fill_value: Any) -> Value:
    if not value.dtype.may_miss:
        return value
    fill = value_in(value.space, fill_value)
    column = F.when(value.column.isNull() & other.column.isNotNull(), fill.column.cast(value.dtype.spark))
    return value.with_column(column.otherwise(value.column), value.dtype, other)


def _operated(symbol: str, pair: Pair, swapped: bool, space: Space) -> Value:
    one, other = pair
    given = one if one is not None else other
    assert given is not None
    if one is None or other is None:
        empty = nothing(space, given)
        if symbol not in COMPARISONS:
            return Value(space, F.lit(None).cast("double"), frozenset(), FLOAT64)
        one, other = (given, empty) if other is None else (empty, given)
    return operate(symbol, other, one) if swapped else operate(symbol, one, other)
