"""pandas' operators over values: numbers as numpy has them, missing values as pandas has them.

| operator | where it is not what Spark does |
|---|---|
| `==`, `<`... | a missing value makes it false, and `!=` true; never NULL |
| `/` | always floats; by zero: infinite, or missing for 0/0 |
| `//`, `%` | rounded down; the sign is the divisor's |
| `&`, `\\|`, `~` | a missing operand counts as false |
| `+` of texts | concatenation |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64, INT64, MOMENT, SPAN, TEXT, Dtype, common
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused

_COMPARISONS: dict[str, Callable[[Column, Column], Column]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_LOGIC = frozenset("&|^")


def number(column: Column, dtype: Dtype) -> Column:
    """A column as Spark can calculate with it: booleans are 0 and 1."""
    return column.cast("bigint") if dtype.is_bool else column


def operate(symbol: str, left: Value, right: Value) -> Value:
    """The value of a binary operator for each row."""
    if symbol in _COMPARISONS:
        return _compared(symbol, left, right)
    if symbol in _LOGIC and left.dtype.is_bool and right.dtype.is_bool:
        return _combined(symbol, left, right)
    if symbol == "+" and left.dtype.is_text and right.dtype.is_text:
        return left.with_column(F.concat(left.column, right.column), TEXT, right)
    if left.dtype.name in (MOMENT.name, SPAN.name) or right.dtype.name in (MOMENT.name, SPAN.name):
        return _in_time(symbol, left, right)
    if not (left.dtype.is_number and right.dtype.is_number):
        raise refused(f"{left.dtype.name} {symbol} {right.dtype.name}", "pandas has no such values here")
    return _calculated(symbol, left, right)


def _compared(symbol: str, left: Value, right: Value) -> Value:
    left, right = _read_as(left, right.dtype), _read_as(right, left.dtype)
    one, other = left.dtype, right.dtype
    is_equality = symbol in ("==", "!=")
    if any(side.categories is not None and not (is_equality and side.is_text) for side in (one, other)):
        raise refused(f"{one.name} {symbol} {other.name}", "categories have an order and values of their own")
    comparable = (
        (one.is_number and other.is_number)
        or (one.is_text and other.is_text)
        or (one.name == other.name and one.spark == other.spark)
    )
    if not comparable and is_equality:
        same = F.lit(symbol == "!=")
        return left.with_column(same, BOOL, right)
    if not comparable:
        raise refused(f"{one.name} {symbol} {other.name}", "their values cannot be compared")
    a, b = (
        number(side.column, side.dtype) if one.is_bool != other.is_bool else side.column
        for side in (left, right)
    )
    found = _COMPARISONS[symbol](a, b)
    if one.may_miss or other.may_miss:
        found = F.coalesce(found, F.lit(symbol == "!="))
    return left.with_column(found, BOOL, right)


def _read_as(value: Value, beside: Dtype) -> Value:
    """A text of the program beside moments or spans of time is one of these, if it can be read so."""
    if not isinstance(value.constant, str) or beside.name not in (MOMENT.name, SPAN.name):
        return value
    try:
        if beside.is_moment:
            column = F.lit(str(pd.Timestamp(value.constant))).cast("timestamp_ntz")
        else:
            column = F.lit(pd.Timedelta(value.constant).to_pytimedelta())
    except ValueError:
        return value
    return replace(value, column=column, dtype=beside.missing(False), constant=None)


def _combined(symbol: str, left: Value, right: Value) -> Value:
    a, b = (
        F.coalesce(side.column, F.lit(False)) if side.dtype.may_miss else side.column
        for side in (left, right)
    )
    column = (a & b) if symbol == "&" else (a | b) if symbol == "|" else (a != b)
    return left.with_column(column, BOOL, right)


def _calculated(symbol: str, left: Value, right: Value) -> Value:
    a, b = number(left.column, left.dtype), number(right.column, right.dtype)
    may_miss = left.dtype.may_miss or right.dtype.may_miss
    dtype = common(_as_number(left.dtype), _as_number(right.dtype))
    assert dtype is not None
    if symbol in ("+", "-", "*"):
        column = (a + b) if symbol == "+" else (a - b) if symbol == "-" else (a * b)
        return left.with_column(_typed(column, dtype), dtype.missing(may_miss or dtype.is_float), right)
    if symbol == "/":
        return left.with_column(_divided(_float(a, left), _float(b, right), right), FLOAT64, right)
    if symbol == "**":
        if dtype.is_integer:
            column = F.pow(a, b).cast("bigint")
            return left.with_column(column, dtype.missing(may_miss), right)
        return left.with_column(without_nan(F.pow(a, b)), FLOAT64, right)
    if symbol not in ("//", "%"):
        raise refused(f"{left.dtype.name} {symbol} {right.dtype.name}", "it is not known on Spark")
    if dtype.is_integer:  # numpy: by zero it is 0
        if right.constant is not None and right.constant > 0:
            rest = F.pmod(a, b)
            column = rest if symbol == "%" else F.call_function("div", a - rest, b)
            return left.with_column(_typed(column, dtype), dtype.missing(may_miss), right)
        divisor = F.when(b != 0, b)
        rest = F.pmod(a, F.abs(divisor))
        rest = F.when((b < 0) & (rest != 0), rest + b).otherwise(rest)
        column = rest if symbol == "%" else F.call_function("div", a - rest, divisor)
        column = F.when(b == 0, F.lit(0)).otherwise(column)
        return left.with_column(_typed(column, dtype), dtype.missing(may_miss), right)
    quotient = _floored(_divided(_float(a, left), _float(b, right), right))
    if symbol == "//":
        return left.with_column(quotient, FLOAT64, right)
    rest = F.pmod(a.cast("double"), F.abs(F.when(b != 0, b).cast("double")))
    rest = F.when((b < 0) & (rest != 0), rest + b).otherwise(rest)
    return left.with_column(F.when(b != 0, rest), FLOAT64, right)


def _typed(column: Column, dtype: Dtype) -> Column:
    """A result of whole numbers or floats, which Spark has as 64 bits, in its own dtype."""
    return column if dtype.name in ("int64", "float64") else column.cast(dtype.spark)


def _float(column: Column, value: Value) -> Column:
    return column if value.dtype.name == "float64" else column.cast("double")


def _floored(column: Column) -> Column:
    """Rounded down, as a float. Spark's floor would make it a whole number of 64 bits, which is not large enough."""
    return F.when(F.abs(column) < 2.0**52, F.floor(column).cast("double")).otherwise(column)


def _divided(a: Column, b: Column, divisor: Value) -> Column:
    if divisor.constant is not None and divisor.constant != 0:
        return a / b
    infinite = F.when(a > 0, F.lit(float("inf"))).when(a < 0, F.lit(float("-inf")))
    return F.when(b != 0, without_nan(a / F.when(b != 0, b))).otherwise(F.when(b == 0, infinite))


def without_nan(column: Column) -> Column:
    """A float that is missing where it would be NaN."""
    return F.nullif(column, F.lit(float("nan")))


def _as_number(dtype: Dtype) -> Dtype:
    return INT64.missing(dtype.may_miss) if dtype.is_bool else dtype


def _in_time(symbol: str, left: Value, right: Value) -> Value:
    one, other = left.dtype.name, right.dtype.name
    if (one, symbol, other) == (MOMENT.name, "-", MOMENT.name):
        return left.with_column(left.column - right.column, SPAN, right)
    if one == MOMENT.name and other == SPAN.name and symbol in "+-":
        return left.with_column(
            left.column + right.column if symbol == "+" else left.column - right.column, MOMENT, right
        )
    if (one, symbol, other) == (SPAN.name, "+", MOMENT.name):
        return left.with_column(right.column + left.column, MOMENT, right)
    if one == other == SPAN.name and symbol in "+-":
        return left.with_column(
            left.column + right.column if symbol == "+" else left.column - right.column, SPAN, right
        )
    raise refused(f"{one} {symbol} {other}", "it is not known on Spark")


def negated(value: Value) -> Value:
    """`-x`."""
    if not value.dtype.is_number or value.dtype.is_bool:
        raise refused(f"-{value.dtype.name}", "only numbers can be negated")
    return value.with_column(-value.column, value.dtype)


def inverted(value: Value) -> Value:
    """`~x`: not, for booleans."""
    if not value.dtype.is_bool:
        raise refused(f"~{value.dtype.name}", "only booleans can be inverted here")
    column = F.coalesce(value.column, F.lit(False)) if value.dtype.may_miss else value.column
    return value.with_column(~column, BOOL)
