"""Calculating with numbers as pandas and numpy do: what comes out has the dtype, and the errors, that pandas has.

| operator | where it is not what Spark does |
|---|---|
| all | the dtype is what pandas itself gives for one such value; small whole numbers wrap around |
| `+`, `*` of booleans | or, and |
| `/` | always floats; by zero: infinite, or missing for 0/0 (the sign of a zero is not looked at) |
| `//`, `%` | rounded down, the sign is the divisor's; whole numbers by zero: the column is one of floats then |
| `**` | of whole numbers: exact, and an error for a negative exponent; `x ** 0` and `1 ** x` are 1 for a missing x |

NaN is never stored: what would be NaN is missing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64, Dtype, dtype_named
from predtrace.frontends.pandas.core.facts import any_true, as_shown, has_objects
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused

_PYTHONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
}
_SMALL_POWER = 8
"""Whole numbers to a greater power are worked out as floats, if these are exact."""
_INFINITE = float("inf")


def number(column: Column, dtype: Dtype) -> Column:
    """A column as Spark can calculate with it: booleans are 0 and 1."""
    return column.cast("bigint") if dtype.is_bool else column


def without_nan(column: Column) -> Column:
    """A float that is missing where it would be NaN."""
    return F.nullif(column, F.lit(float("nan")))


def calculated(symbol: str, left: Value, right: Value) -> Value:
    """The value of an operator of two numbers for each row."""
    if symbol not in _PYTHONS:
        raise refused(f"{left.dtype.name} {symbol} {right.dtype.name}", "it is not known on Spark")
    if has_objects(left) or has_objects(right):
        raise refused(
            f"booleans {symbol} others", "some are missing, and pandas makes objects of the results"
        )
    if symbol in ("//", "%", "**"):  # what comes out depends on whether whole numbers are floats by now
        left, right = (side if side.constant is not None else as_shown([side])[0] for side in (left, right))
    dtype = _result(symbol, left, right)
    _check_room(dtype, left, right)
    may_miss = left.dtype.may_miss or right.dtype.may_miss
    if dtype.is_bool:
        column = left.column | right.column if symbol == "+" else left.column & right.column
        return left.with_column(column, BOOL.missing(may_miss), right)
    if dtype.is_float or symbol == "/":
        column = _of_floats(symbol, left, right)
        if symbol == "//" and dtype.name == "float32" and _divides_by_zero(symbol, left, right):
            dtype = FLOAT64
        column = column if dtype.name == "float64" else column.cast(dtype.spark)
        return left.with_column(column, dtype.missing(), right)
    if symbol in ("//", "%") and _divides_by_zero(symbol, left, right):
        return left.with_column(_by_zero(symbol, _whole(left), _whole(right)), FLOAT64, right)
    column = _of_whole(symbol, left, right)
    return left.with_column(_wrapped(column, dtype), dtype.missing(may_miss), right)


def _result(symbol: str, left: Value, right: Value) -> Dtype:
    """The dtype that pandas gives for one value of the same dtypes, or for constants; or the error it raises."""
    has_rows = any(side.constant is None and not side.is_scalar for side in (left, right))
    samples = [_sample(side, has_rows) for side in (left, right)]
    with np.errstate(all="ignore"):
        made = _PYTHONS[symbol](*samples)
    found = dtype_named(made.dtype.name)
    if found is None:
        raise refused(
            f"{left.dtype.name} {symbol} {right.dtype.name}",
            f"the result is {made.dtype.name}, which Spark does not have",
        )
    return found


def _check_room(dtype: Dtype, left: Value, right: Value) -> None:
    """A number that Spark works out must fit into a column of small whole numbers, or it is an error."""
    if not dtype.is_integer or dtype.name == "int64":
        return
    limits = np.iinfo(dtype.name)
    for side in (left, right):
        if side.is_scalar and side.dtype.is_integer:
            is_outside = (side.column < int(limits.min)) | (side.column > int(limits.max))
            if any_true([side.with_column(is_outside, BOOL)])[0]:
                raise OverflowError(f"a Python integer is out of bounds for {dtype.name}")


def _sample(value: Value, has_rows: bool) -> Any:
    """A value like those of a column. What Spark works out from many rows is a number of numpy, or beside a column
    what pandas makes of such: a number of Python, which takes the column's dtype."""
    if value.constant is not None:
        return value.constant
    one = np.ones(1, value.dtype.name)
    if not value.is_scalar:
        return pd.Series(one)
    return one[0].item() if has_rows else one[0]


def _whole(value: Value) -> Column:
    """A whole number in 64 bits."""
    return value.column if value.dtype.name == "int64" else value.column.cast("bigint")


def _float(value: Value) -> Column:
    column = number(value.column, value.dtype)
    return column if value.dtype.name == "float64" else column.cast("double")


def _wrapped(column: Column, dtype: Dtype) -> Column:
    """A result in 64 bits as numpy has it in fewer: beyond the greatest number comes the least."""
    if dtype.name == "int64":
        return column
    count = 2 ** np.iinfo(dtype.name).bits
    wrapped: Column = F.pmod(column + count // 2, F.lit(count)) - count // 2
    return wrapped.cast(dtype.spark)


def _is_finite(value: Value, but_zero: bool) -> bool:
    """Whether a constant is no infinite number, nor zero if that matters."""
    constant = value.constant
    return constant is not None and bool(np.isfinite(constant)) and not (but_zero and constant == 0)


def _of_whole(symbol: str, left: Value, right: Value) -> Column:
    a, b = _whole(left), _whole(right)
    if symbol in ("+", "-", "*"):
        return (a + b) if symbol == "+" else (a - b) if symbol == "-" else (a * b)
    if symbol == "**":
        return _whole_power(left, right)
    if right.constant is not None and right.constant > 0:
        rest = F.pmod(a, b)
        return rest if symbol == "%" else F.call_function("div", a - rest, b)
    divisor = F.when(b != 0, b)
    rest = F.pmod(a, F.abs(divisor))
    rest = F.when((b < 0) & (rest != 0), rest + b).otherwise(rest)
    if symbol == "//":
        return F.call_function("div", a - rest, divisor)
    return F.when(b == 0, F.lit(0)).otherwise(rest) if right.dtype.is_bool else rest


def _divides_by_zero(symbol: str, dividend: Value, divisor: Value) -> bool:
    """Whether a number is divided by zero in some row. (For `%`, pandas does not look at booleans.)"""
    if divisor.constant is not None:
        return bool(divisor.constant == 0)
    if symbol == "%" and divisor.dtype.is_bool:
        return False
    is_zero = (number(divisor.column, divisor.dtype) == 0) & dividend.column.isNotNull()
    return any_true([divisor.with_column(is_zero, BOOL, dividend)])[0]


def _by_zero(symbol: str, a: Column, b: Column) -> Column:
    """`//` and `%` of whole numbers where a divisor is zero, as floats."""
    divisor = F.when(b != 0, b)
    rest = F.pmod(a, F.abs(divisor))
    rest = F.when((b < 0) & (rest != 0), rest + b).otherwise(rest)
    if symbol == "%":
        return rest.cast("double")
    infinite = F.when(a > 0, F.lit(_INFINITE)).when(a < 0, F.lit(-_INFINITE))
    return F.when(b == 0, infinite).otherwise(F.call_function("div", a - rest, divisor).cast("double"))


def _whole_power(left: Value, right: Value) -> Column:
    a, b = _whole(left), _whole(right)
    exponent = right.constant
    if exponent is not None and 0 <= exponent <= _SMALL_POWER:
        factors = [a] * int(exponent)
        one = F.when(a.isNotNull(), F.lit(1).cast("bigint"))
        return reduce(lambda x, y: x * y, factors) if factors else one
    power = F.pow(a, b)
    negative, inexact = any_true(
        [
            right.with_column(b < 0, BOOL, left),
            left.with_column(F.abs(power) >= 2.0**53, BOOL, right),
        ]
    )
    if negative:
        raise ValueError("Integers to negative integer powers are not allowed.")
    if inexact:
        raise refused("** of whole numbers", "the results are too large to be exact", "make floats of them")
    return power.cast("bigint")


def _of_floats(symbol: str, left: Value, right: Value) -> Column:
    a, b = _float(left), _float(right)
    if symbol in ("+", "-", "*"):
        column = (a + b) if symbol == "+" else (a - b) if symbol == "-" else (a * b)
        is_safe = any(_is_finite(side, but_zero=symbol == "*") for side in (left, right))
        return column if is_safe or not _may_be_infinite(left, right) else without_nan(column)
    if symbol == "/":
        return _divided(a, b, right)
    if symbol == "**":
        power = F.when((b == 0) | (a == 1), F.lit(1.0))
        power = power.when((a == -1) & (F.abs(b) == _INFINITE), F.lit(1.0))
        return power.otherwise(without_nan(F.pow(a, b)))
    divisor = F.when(b != 0, b)
    rest = a % divisor
    is_apart = (rest != 0) & ((rest < 0) != (b < 0))
    if symbol == "%":
        return without_nan(F.when(is_apart, rest + b).otherwise(rest))
    whole = F.rint((a - rest) / divisor)
    whole = without_nan(F.when(is_apart, whole - 1).otherwise(whole))
    return F.when(b == 0, _infinite(a)).otherwise(whole)


def _may_be_infinite(left: Value, right: Value) -> bool:
    """NaN comes of two infinite numbers, or of one and zero."""
    return left.dtype.is_float or right.dtype.is_float


def _infinite(a: Column) -> Column:
    """A number divided by zero."""
    return F.when(a > 0, F.lit(_INFINITE)).when(a < 0, F.lit(-_INFINITE))


def _divided(a: Column, b: Column, divisor: Value) -> Column:
    if _is_finite(divisor, but_zero=True):
        return a / b
    return F.when(b != 0, without_nan(a / F.when(b != 0, b))).otherwise(F.when(b == 0, _infinite(a)))
