"""pandas' operators over values: numbers as numpy has them, missing values as pandas has them.

| operator | where it is not what Spark does |
|---|---|
| `==`, `<`... | a missing value makes it false, and `!=` true; never NULL |
| `&`, `\\|` | a missing operand counts as false; if it is the left one, so does the result |
| `~` | of a missing value it is an error |
| `+` of texts | concatenation |
| operators of numbers, moments and spans of time | see `numbers.py` and `moments.py` |
| `-` of periods | see `differences.py` |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.differences import between
from predtrace.frontends.pandas.core.dtypes import BOOL, MOMENT, SPAN, TEXT, Dtype, conversion
from predtrace.frontends.pandas.core.facts import one_misses
from predtrace.frontends.pandas.core.mixed import equals
from predtrace.frontends.pandas.core.moments import in_time
from predtrace.frontends.pandas.core.numbers import calculated, number
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
LOGIC = frozenset("&|^")


def operate(symbol: str, left: Value, right: Value) -> Value:
    """The value of a binary operator for each row."""
    if symbol in _COMPARISONS:
        return _compared(symbol, left, right)
    if symbol == "-" and left.dtype.is_period and right.dtype.is_period:
        return between(left, right)
    kept = next((side.dtype for side in (left, right) if side.dtype.is_kept), None)
    if kept is not None:
        raise refused(
            f"{left.dtype.name} {symbol} {right.dtype.name}",
            f"{kept.name} has rules of its own",
            conversion(kept),
        )
    if symbol in LOGIC and left.dtype.is_bool and right.dtype.is_bool:
        return _combined(symbol, left, right)
    if left.dtype.categories is not None or right.dtype.categories is not None:
        raise TypeError(
            f"unsupported operand type(s) for {symbol}: {left.dtype.name!r} and {right.dtype.name!r}"
        )
    if symbol == "+" and left.dtype.is_text and right.dtype.is_text:
        if any(side.constant is not None and pd.isna(side.constant) for side in (left, right)):
            raise TypeError('can only concatenate str (not "NoneType") to str')
        return left.with_column(F.concat(left.column, right.column), TEXT, right)
    if left.dtype.name in (MOMENT.name, SPAN.name) or right.dtype.name in (MOMENT.name, SPAN.name):
        return in_time(symbol, left, right)
    if not (left.dtype.is_number and right.dtype.is_number):
        raise refused(f"{left.dtype.name} {symbol} {right.dtype.name}", "pandas has no such values here")
    return calculated(symbol, left, right)


def _compared(symbol: str, left: Value, right: Value) -> Value:
    left, right = _read_as(left, right.dtype), _read_as(right, left.dtype)
    one, other = left.dtype, right.dtype
    is_equality = symbol in ("==", "!=")
    if is_equality and one.is_mixed and right.constant is not None:
        return equals(symbol, left, right)
    if (one.is_kept or other.is_kept) and not (one.is_period and one.name == other.name):
        kept = one if one.is_kept else other
        raise refused(
            f"{one.name} {symbol} {other.name}", f"{kept.name} has rules of its own", conversion(kept)
        )
    if not is_equality and one.categories is not None and right.constant is not None:
        return _compared_by_order(symbol, left, right)
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


def _compared_by_order(symbol: str, value: Value, scalar: Value) -> Value:
    """Whether categories come before or after one of them."""
    from predtrace.frontends.pandas.core.categories import held

    categories = value.dtype.categories or ()
    if not value.dtype.is_ordered:
        raise TypeError("Unordered Categoricals can only compare equality or not")
    if scalar.constant not in categories:
        raise TypeError(
            f"Cannot compare a Categorical for op {symbol} with a scalar, which is not a category."
        )
    known = F.array(*(F.lit(held(one)).cast(value.dtype.spark) for one in categories))
    number = F.array_position(known, value.column)
    found = _COMPARISONS[symbol](number, F.lit(categories.index(scalar.constant) + 1))
    return value.with_column(F.coalesce(found, F.lit(False)), BOOL, scalar)


def _read_as(value: Value, beside: Dtype) -> Value:
    """A text of the program beside moments, periods or spans of time is one of these, if it can be read so."""
    if not isinstance(value.constant, str) or not (
        beside.is_period or beside.name in (MOMENT.name, SPAN.name)
    ):
        return value
    try:
        if beside.is_period:
            named, freq = pd.Period(value.constant), beside.shown(False).freq
            if named.freq != freq:
                return value
            return replace(
                value,
                column=F.lit(str(named.start_time)).cast("timestamp_ntz"),
                dtype=beside.missing(False),
                constant=None,
            )
        if beside.is_moment:
            column = F.lit(str(pd.Timestamp(value.constant))).cast("timestamp_ntz")
        else:
            column = F.lit(pd.Timedelta(value.constant).to_pytimedelta())
    except ValueError:
        return value
    return replace(value, column=column, dtype=beside.missing(False), constant=None)


def _combined(symbol: str, left: Value, right: Value) -> Value:
    """The side whose method is called is the left one: where that is missing, pandas looks no further."""
    a, b = left.column, F.coalesce(right.column, F.lit(False)) if right.dtype.may_miss else right.column
    column = (a & b) if symbol == "&" else (a | b) if symbol == "|" else (a != b)
    if left.dtype.may_miss:
        column = F.when(a.isNotNull(), column).otherwise(F.lit(False))
    return left.with_column(column, BOOL, right)


def inverted(value: Value) -> Value:
    """`~x`: not, for booleans. Of objects it is an error, or Python's `~True`, a number."""
    if not value.dtype.is_bool:
        raise refused(f"~{value.dtype.name}", "only booleans can be inverted here")
    if one_misses(value):
        raise TypeError("bad operand type for unary ~: 'float'")
    if value.dtype.has_objects:
        raise refused("~ of booleans that are objects", "pandas makes the numbers -1 and -2 of them")
    return value.with_column(~value.column, BOOL)


def negated(value: Value) -> Value:
    """`-x`; of booleans it is `~x`."""
    if value.dtype.is_bool:
        return inverted(value)
    if not value.dtype.is_number and value.dtype.name != SPAN.name:
        raise refused(f"-{value.dtype.name}", "only numbers can be negated")
    return value.with_column(-value.column, value.dtype)
