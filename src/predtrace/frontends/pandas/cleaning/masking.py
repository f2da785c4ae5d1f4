"""Values kept where a condition holds, and limited or rounded: `where`, `mask`, `clip`, `round`, `abs`.

| method | where it is not what Spark does |
|---|---|
| `where`, `mask` | a condition that is missing for a row counts as "put the other value" in both |
| `clip` | missing values stay missing |
| `round` | as numpy: times a power of ten, to the even one of two neighbours, and back |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.putting import Place, put
from predtrace.frontends.pandas.core.arithmetic import inverted, operate
from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64, common
from predtrace.frontends.pandas.core.elements import (
    axis_number,
    changed,
    frame_of,
    gathered,
    is_frame,
    is_listing,
    is_missing_scalar,
    is_series,
    nothing,
    series_of,
)
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar, value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import in_place, only, refused
from predtrace.frontends.pandas.core.tables import Label

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


class MaskingFrame(Held):
    """These methods of a DataFrame."""

    @in_place
    def where(self, cond: Any, other: Any = np.nan, *, axis: Any = None, level: Any = None) -> DataFrame:
        """The values where a condition holds, and others elsewhere."""
        only("DataFrame.where()", {"level": None}, {"level": level})
        return frame_of(_masked(self, cond, other, False, "DataFrame.where()", axis))

    @in_place
    def mask(self, cond: Any, other: Any = np.nan, *, axis: Any = None, level: Any = None) -> DataFrame:
        """The values where a condition does not hold, and others elsewhere."""
        only("DataFrame.mask()", {"level": None}, {"level": level})
        return frame_of(_masked(self, cond, other, True, "DataFrame.mask()", axis))

    @in_place
    def clip(self, lower: Any = None, upper: Any = None, *, axis: Any = None, **given: Any) -> DataFrame:
        """Values outside two limits are set to these."""
        return frame_of(_clipped(self, lower, upper, "DataFrame.clip()"))

    def round(self, decimals: Any = 0, *args: Any, **given: Any) -> DataFrame:
        """Numbers with so many decimals; a dict says it for each column."""
        if is_series(decimals):
            decimals = decimals.to_pandas()
        if not isinstance(decimals, (Mapping, pd.Series)):
            return changed(self, lambda _, value: rounded(value, int(decimals)))  # type: ignore[no-any-return]
        by_label = dict(decimals)
        return changed(  # type: ignore[no-any-return]
            self, lambda label, value: rounded(value, int(by_label[label])) if label in by_label else value
        )

    __round__ = round

    def abs(self) -> DataFrame:
        """Absolute values."""
        return changed(self, lambda _, value: absolute(value))  # type: ignore[no-any-return]

    __abs__ = abs


class MaskingSeries(Held):
    """These methods of a Series."""

    @in_place
    def where(self, cond: Any, other: Any = np.nan, *, axis: Any = None, level: Any = None) -> Series:
        """The values where a condition holds, and others elsewhere."""
        only("Series.where()", {"level": None}, {"level": level})
        return series_of(_masked(self, cond, other, False, "Series.where()"))

    @in_place
    def mask(self, cond: Any, other: Any = np.nan, *, axis: Any = None, level: Any = None) -> Series:
        """The values where a condition does not hold, and others elsewhere."""
        only("Series.mask()", {"level": None}, {"level": level})
        return series_of(_masked(self, cond, other, True, "Series.mask()"))

    @in_place
    def clip(self, lower: Any = None, upper: Any = None, *, axis: Any = None, **given: Any) -> Series:
        """Values outside two limits are set to these."""
        return series_of(_clipped(self, lower, upper, "Series.clip()"))

    def round(self, decimals: int = 0, *args: Any, **given: Any) -> Series:
        """Numbers with so many decimals."""
        series = series_of(self)
        if not series._value.dtype.is_number:
            raise TypeError(f"Expected numeric dtype, got {series._value.dtype.name} instead.")
        return series._made(rounded(series._value, int(decimals)))

    __round__ = round


def _masked(held: Held, cond: Any, other: Any, is_mask: bool, call: str, axis: Any = None) -> Any:
    """Other values where a condition is false, or for `mask` where it is true."""
    if callable(cond) and not isinstance(cond, Held):
        cond = cond(held)
    if callable(other) and not isinstance(other, (Held, Scalar)):
        other = other(held)
    if is_frame(held) and is_series(other) and (axis is None or axis_number(axis) == 1):
        raise refused(call, "a series of other values goes by the rows here, with axis=0 only")
    cond, other = (pd_held(one) for one in (cond, other))
    if isinstance(cond, np.ndarray) and cond.ndim == 2 and is_frame(held):
        held, cond = _with_cells(held, cond, call)
    if not isinstance(cond, Held) and not is_listing(cond):
        raise ValueError("Array conditional must be same shape as self")
    if is_mask and isinstance(cond, Held):
        changed(cond, lambda _, value: inverted(value))  # raises where pandas cannot invert it
    table, (conditions, others) = gathered(held._table, [cond, other])
    if not all(condition.dtype.is_bool for condition in conditions):
        raise TypeError("Boolean array expected for the condition, not " + conditions[0].dtype.name)
    made: list[tuple[Label, Value]] = []
    for label, value in table.columns:
        condition = _for_label(cond, conditions, label)
        there = (
            value.with_column(F.lit(True), BOOL) if condition is None else _negated(condition, not is_mask)
        )
        put_in = _for_label(other, others, label) if others else None
        if put_in is None:
            is_none = bool(others) or is_missing_scalar(other)
            put_in = nothing(table.space, value) if is_none else value_in(table.space, other)
        found = put(value, [Place(there, put_in)], f"{call} of {label!r}")
        if other is None and not found.dtype.is_float:
            found = replace(found, dtype=replace(found.dtype, has_none=True))
        made.append((label, found))
    return held._of(table.with_columns(made))


_BITS = 62
"""So many cells of a row fit into one whole number."""


def _with_cells(held: Held, cells: Any, call: str) -> tuple[Held, Held]:
    """A frame, and booleans in an array of its shape as a frame of the same rows.

    The cells of a row come as the bits of a number: one column to be put beside the rows, not one for each of them.
    """
    table = held._table
    if cells.shape[1] != len(table.columns) or len(cells) != len(held):
        raise ValueError("Array conditional must be same shape as self")
    if cells.dtype != bool:
        raise ValueError(f"Boolean array expected for the condition, not {cells.dtype}")
    flags: list[Value] = []
    labels = table.labels
    if len(set(labels)) < len(labels):
        raise refused(call, "cells are found by the label of their column, and two columns have the same")
    for first in range(0, len(labels), _BITS):
        part = cells[:, first : first + _BITS]
        numbers = [sum(1 << place for place, cell in enumerate(row) if cell) for row in part]
        (table, ((number,),)) = gathered(table, [np.array(numbers, dtype="int64")])
        for place in range(part.shape[1]):
            is_set = F.shiftright(number.column, place).bitwiseAND(F.lit(1)) == 1
            flags.append(number.with_column(is_set, BOOL))
    made = table.with_columns(list(zip(labels, flags, strict=True)))
    return held._of(table), held._of(made)


def pd_held(operand: Any) -> Any:
    """A frame or series of plain pandas as one of ours; anything else as it is."""
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    if isinstance(operand, pd.DataFrame):
        return DataFrame(operand)
    return Series(operand) if isinstance(operand, pd.Series) else operand


def _for_label(operand: Any, values: list[Value], label: Label) -> Value | None:
    """The value that belongs to a column: of a frame the one with its label, else the only one."""
    if not is_frame(operand):
        return values[0]
    labels = operand._raw.labels
    return values[labels.index(label)] if label in labels else None


def _negated(condition: Value, is_negated: bool) -> Value:
    """A condition or its negation; true where it is missing."""
    column = ~condition.column if is_negated else condition.column
    if condition.dtype.may_miss:
        column = F.coalesce(column, F.lit(True))
    return condition.with_column(column, BOOL)


def _clipped(held: Held, lower: Any, upper: Any, call: str) -> Any:
    bounds = [None if is_missing_scalar(one) else pd_held(one) for one in (lower, upper)]
    if is_frame(held) and any(isinstance(one, Held) or is_listing(one) for one in bounds):
        raise refused(call, "a limit for each row or column of a frame is not")
    table, found = gathered(held._table, bounds)
    limits = [
        values[0] if values else None if bound is None else value_in(table.space, bound)
        for values, bound in zip(found, bounds, strict=True)
    ]
    if None not in limits and not any(found):
        limits = list(_in_order(limits))
    made: list[tuple[Label, Value]] = []
    for label, value in table.columns:
        if not value.dtype.is_number and any(limit is not None for limit in limits):
            raise TypeError(f"'>=' not supported between instances of {value.dtype.name!r} and numbers")
        places = [
            Place(operate(sign, value, limit), limit)
            for sign, limit in zip("<>", limits, strict=True)
            if limit is not None
        ]
        made.append((label, put(value, places, f"{call} of {label!r}")))
    return held._of(table.with_columns(made))


def _in_order(limits: list[Any]) -> tuple[Value, Value]:
    """Two limits that are the same for all rows, the lower one first, as pandas takes them."""
    one, other = limits
    if one.constant is not None and other.constant is not None:
        return (one, other) if one.constant <= other.constant else (other, one)
    dtype = common(one.dtype, other.dtype) or FLOAT64
    least, most = (
        one.with_column(choose(one.column, other.column), dtype, other) for choose in (F.least, F.greatest)
    )
    return least, most


def rounded(value: Value, decimals: int) -> Value:
    """A number with so many decimals, as numpy rounds; other values stay as they are."""
    dtype = value.dtype
    if not dtype.is_number or dtype.is_bool or (dtype.is_integer and decimals >= 0):
        return value
    if decimals == 0:
        return value.with_column(F.rint(value.column).cast(dtype.spark), dtype)
    power = F.lit(float(10 ** abs(decimals)))
    column = value.column.cast("double")
    column = F.rint(column * power) / power if decimals > 0 else F.rint(column / power) * power
    return value.with_column(column.cast(dtype.spark), dtype)


def absolute(value: Value) -> Value:
    """The absolute value of a number; booleans stay as they are."""
    if value.dtype.is_bool:
        return value
    if not value.dtype.is_number and value.dtype.name != "timedelta64[ns]":
        raise TypeError(f"bad operand type for abs(): {value.dtype.name!r}")
    return value.with_column(F.abs(value.column), value.dtype)
