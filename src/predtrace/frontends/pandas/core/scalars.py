"""One value worked out from many rows, such as a mean: a number to Python, and still part of the pipeline.

`df["x"].fillna(df["x"].mean())` must say that every row depends on the mean, so the mean stays a query until Python
itself needs the number (to print it, to decide an `if`); in an expression it stands beside each row, by a cross join.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.arithmetic import LOGIC, operate
from predtrace.frontends.pandas.core.dtypes import Dtype, dtype_of_scalar, kept_value
from predtrace.frontends.pandas.core.mixed import held_constant
from predtrace.frontends.pandas.core.sessions import session
from predtrace.frontends.pandas.core.spaces import Space, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.watching import tell_left


class Scalar:
    """A value of pandas that Spark works out when it is needed.

    `rows` is a frame of one row and one column. Calculating with the value gives another one.
    """

    def __init__(self, rows: Rows, dtype: Dtype) -> None:
        self._rows = rows
        self._dtype = dtype

    @cached_property
    def _name(self) -> str:
        """What the column is called where it stands beside rows."""
        return fresh("scalar")

    @cached_property
    def _known(self) -> Any:
        (value,) = self._rows.collect()[0]
        return self._made(value)

    def _made(self, value: Any) -> Any:
        if self._dtype.is_kept:
            return kept_value(value, self._dtype)
        if value is None:
            return pd.NaT if self._dtype.is_moment else float("nan")
        if self._dtype.is_moment or self._dtype.name == "timedelta64[ns]":
            return pd.Timestamp(value) if self._dtype.is_moment else pd.Timedelta(value)
        if self._dtype.is_number:
            return np.dtype(self._dtype.name).type(value)
        return value

    def column(self) -> Column:
        """The value as part of an expression over any rows."""
        return self._rows.scalar()

    def _operated(self, symbol: str, other: Any, swapped: bool = False) -> Any:
        from predtrace.frontends.pandas.times.offsets import is_offset, moved

        space = one_row()
        if is_offset(other):
            return scalar_of(moved(symbol, value_in(space, self), other, swapped))
        if not isinstance(other, Scalar) and dtype_of_scalar(other) is None:
            return NotImplemented
        one, two = (value_in(space, side) for side in ((other, self) if swapped else (self, other)))
        return scalar_of(operate(symbol, one, two))

    def __repr__(self) -> str:
        return repr(self._known)

    def __str__(self) -> str:
        return str(self._known)

    def __format__(self, how: str) -> str:
        return format(self._known, how)

    def __float__(self) -> float:
        return float(self._taken("float()"))

    def __int__(self) -> int:
        return int(self._taken("int()"))

    def __index__(self) -> int:
        return operator.index(self._known)

    def __bool__(self) -> bool:
        return bool(self._known)

    def __hash__(self) -> int:
        return hash(self._known)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self._known, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from predtrace.frontends.pandas.for_numpy.functions import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __round__(self, digits: int | None = None) -> Any:
        known = self._taken("round()")
        return round(known, digits) if digits is not None else round(known)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._taken(name), name)

    def _taken(self, call: str) -> Any:
        """The value, for the program to keep."""
        tell_left(call, lambda: self._rows)
        return self._known


OPERATORS = {
    "__add__": "+",
    "__sub__": "-",
    "__mul__": "*",
    "__truediv__": "/",
    "__floordiv__": "//",
    "__mod__": "%",
    "__pow__": "**",
    "__and__": "&",
    "__or__": "|",
    "__xor__": "^",
    "__eq__": "==",
    "__ne__": "!=",
    "__lt__": "<",
    "__le__": "<=",
    "__gt__": ">",
    "__ge__": ">=",
}
"""Python's methods by the operators they stand for; all but the comparisons have a swapped one."""
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def give_operators(to: type) -> None:
    """Let a class that has `_operated(symbol, other, swapped)` be calculated with.

    With `_operate_in_place(symbol, other)` it is changed by `+=` and its like, under all its names; what that gives
    is what the name stands for then.
    """
    for name, symbol in OPERATORS.items():

        def method(self: Any, other: Any, symbol: str = symbol) -> Any:
            return self._operated(symbol, other)

        setattr(to, name, method)
        if symbol not in COMPARISONS:

            def swapped(self: Any, other: Any, symbol: str = symbol) -> Any:
                # Of these it matters whose method it is, not the side.
                return self._operated(symbol, other, swapped=symbol not in LOGIC)

            setattr(to, f"__r{name[2:]}", swapped)

        if symbol not in COMPARISONS and hasattr(to, "_operate_in_place"):

            def in_place(self: Any, other: Any, symbol: str = symbol) -> Any:
                return self._operate_in_place(symbol, other)

            setattr(to, f"__i{name[2:]}", in_place)


give_operators(Scalar)


def one_row() -> Space:
    """One row without any values."""
    return Space(session().sql("select 1 as one"))


def scalar_of(value: Value) -> Scalar:
    """The value of a space of one row."""
    return Scalar(value.space.rows(value.uses).select(value.column.alias("value")), value.dtype)


def value_in(space: Space, operand: Any) -> Value:
    """A scalar, of Spark or of Python, as a value for each row of a space."""
    if isinstance(operand, Scalar):
        return replace(space.value_beside(operand._name, operand._rows, operand._dtype), is_scalar=True)
    if isinstance(operand, np.ndarray) and operand.ndim == 0:
        operand = operand[()]
    dtype = dtype_of_scalar(operand)
    if dtype is None:
        raise refused(f"a {type(operand).__name__} as a value", "Spark has no such values here")
    column = literal(operand, dtype)
    constant = float("nan") if operand is None else operand
    return Value(space, column, frozenset(), dtype.missing(pd.isna(operand)), constant=constant)


def literal(operand: Any, dtype: Dtype) -> Column:
    """A value of Python as a constant of Spark."""
    if pd.isna(operand):
        return F.lit(None).cast(dtype.spark)
    if dtype.is_mixed:
        constant = held_constant(operand, dtype)
        assert constant is not None
        return constant
    if dtype.is_moment or dtype.is_period:
        moment = operand.start_time if isinstance(operand, pd.Period) else pd.Timestamp(operand)
        return F.lit(str(moment)).cast("timestamp_ntz")
    if dtype.name == "timedelta64[ns]":
        return F.lit(pd.Timedelta(operand).to_pytimedelta())
    if isinstance(operand, np.generic):
        operand = operand.item()
    if dtype.name == "int64":
        return F.expr(f"{int(operand)}L")
    return F.lit(operand)
