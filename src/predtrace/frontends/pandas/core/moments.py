"""Calculating with moments and spans of time.

Spark has microseconds where pandas has nanoseconds, so only what stays whole in microseconds is calculated: a span
times a whole number, but not half a span.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, MOMENT, SPAN
from predtrace.frontends.pandas.core.numbers import calculated
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.times.spans import microseconds


def in_time(symbol: str, left: Value, right: Value) -> Value:
    """The value of an operator for each row, where one side or both are moments or spans of time."""
    one, other = left.dtype.name, right.dtype.name
    a, b = left.column, right.column
    match one, symbol, other:
        case (MOMENT.name, "-", MOMENT.name):
            return left.with_column(a - b, SPAN, right)
        case (MOMENT.name, "+" | "-", SPAN.name):
            return left.with_column(a + b if symbol == "+" else a - b, MOMENT, right)
        case (SPAN.name, "+", MOMENT.name):
            return left.with_column(b + a, MOMENT, right)
        case (SPAN.name, "+" | "-", SPAN.name):
            return left.with_column(a + b if symbol == "+" else a - b, SPAN, right)
        case (SPAN.name, "/", SPAN.name):
            return calculated("/", _nanoseconds(left, is_whole=False), _nanoseconds(right, is_whole=False))
        case (SPAN.name, "//", SPAN.name) if right.constant is not None:
            return calculated("//", _nanoseconds(left), _nanoseconds(right))
    if symbol == "*" and one == SPAN.name and right.dtype.is_integer:
        return left.with_column(a * b, SPAN, right)
    if symbol == "*" and other == SPAN.name and left.dtype.is_integer:
        return right.with_column(b * a, SPAN, left)
    raise refused(f"{one} {symbol} {other}", "it is not known on Spark")


def _nanoseconds(span: Value, is_whole: bool = True) -> Value:
    count = microseconds(span.column) * F.expr("1000L")
    dtype = INT64.missing(span.dtype.may_miss) if is_whole else FLOAT64
    made = span.with_column(count if is_whole else count.cast("double"), dtype)
    if span.constant is None or pd.isna(span.constant):
        return made
    known = pd.Timedelta(span.constant).value
    return replace(made, constant=known if is_whole else float(known))
