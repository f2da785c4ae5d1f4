"""`to_numeric`, `to_timedelta`, `to_datetime`, `cut` and `qcut`: what is made of a whole series.

pandas looks at all values before it decides on a dtype, or raises. So Spark looks at them once, when the function is
called; the values themselves are worked out later, by Python functions that call pandas itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import Function, bound_to_its_rows, each, row_function
from predtrace.frontends.pandas.cleaning.binning import cut, qcut
from predtrace.frontends.pandas.cleaning.mixed_values import texts_of
from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, SPAN
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Table
from predtrace.frontends.pandas.times.parsing import to_datetime

__all__ = ["cut", "qcut", "to_datetime", "to_numeric", "to_timedelta"]

_BAD = "bad"


def to_numeric(arg: Any, errors: str = "raise", downcast: Any = None, **more: Any) -> Any:
    """Texts as numbers: whole ones if all of them are, else floats."""
    from predtrace.frontends.pandas.series import Series

    if errors not in ("ignore", "raise", "coerce"):
        raise ValueError("invalid error value specified")
    if not isinstance(arg, Held):
        given = arg._known if isinstance(arg, Scalar) else arg
        return pd.to_numeric(given, errors=errors, downcast=downcast, **more)
    if not isinstance(arg, Series):
        raise TypeError("arg must be a list, tuple, 1-d array, or Series")
    only("to_numeric()", {"downcast": None}, {"downcast": downcast, **more})
    value = arg._value
    if value.dtype.is_number and not (value.dtype.is_bool and value.dtype.may_miss):
        return arg.copy()
    if value.dtype.is_mixed:
        arg = arg._made(texts_of(value))
        value = arg._value
    if not value.dtype.is_text:
        raise refused("to_numeric()", f"the values are of the dtype {value.dtype.name}")
    table = arg._table
    value = table.columns[0][1]
    kinds = _kinds(table, value, _number_kind())
    if _BAD in kinds and errors == "raise":
        pd.to_numeric(_first(table, value, _number_kind()))
    if _BAD in kinds and errors == "ignore":
        return arg.copy()
    if "whole number beyond 64 bits" in kinds:
        raise refused("to_numeric()", "there are whole numbers that need more than 64 bits")
    if kinds <= {"whole"}:
        whole = each(lambda text: int(pd.to_numeric(text)), value, INT64, "to_numeric")
        return arg._made(bound_to_its_rows(whole))
    return arg._made(each(_as_float(), value, FLOAT64, "to_numeric"))


def _number_kind() -> Function:
    """A function that says what number a text is."""

    def number_kind(text: Any) -> str:
        try:
            number = pd.to_numeric(text)
        except (ValueError, TypeError):
            return _BAD
        if isinstance(number, np.unsignedinteger):
            return "whole number beyond 64 bits"
        return "whole" if isinstance(number, np.integer) else "float"

    return number_kind


def _as_float() -> Function:
    """A function that reads a text as pandas does in a column of floats."""

    def as_float(text: str) -> float | None:
        number = float(pd.to_numeric([text, "0.5"], errors="coerce")[0])
        return None if math.isnan(number) else number

    return as_float


def _kinds(table: Table, value: Value, teller: Function) -> set[str]:
    """What there is among the values: each kind once, and `missing`."""
    kind = row_function(teller, spark.StringType(), value.column)
    told = F.when(value.column.isNull(), F.lit("missing")).otherwise(kind)
    return {row.kind for row in table.space.rows(value.uses).select(told.alias("kind")).distinct().collect()}


def _first(table: Table, value: Value, teller: Function) -> Any:
    """The first value that is bad."""
    bad = row_function(teller, spark.StringType(), value.column) == _BAD
    names = [*value.uses, *(key.name for key in table.order)]
    rows = table.space.rows(names).where(value.column.isNotNull() & bad)
    (first,) = rows.orderBy(*(key.column() for key in table.order)).select(value.column).limit(1).collect()
    return first[0]


def to_timedelta(arg: Any, unit: Any = None, errors: str = "raise") -> Any:
    """Texts, or numbers of a unit, as spans of time."""
    from predtrace.frontends.pandas.series import Series

    if errors not in ("ignore", "raise", "coerce"):
        raise ValueError("errors must be one of 'ignore', 'raise', or 'coerce'.")
    if not isinstance(arg, Held):
        return pd.to_timedelta(arg._known if isinstance(arg, Scalar) else arg, unit=unit, errors=errors)
    if not isinstance(arg, Series) or errors == "ignore":
        raise refused("to_timedelta()", "it is for series, and errors='ignore' is not")
    value = arg._value
    if value.dtype.name == SPAN.name:
        return arg.copy()
    one = pd.Timedelta(1, unit=unit or "ns")
    if value.dtype.is_integer and not one.nanoseconds:
        length = F.lit(one.to_pytimedelta())
        return arg._made(value.with_column(length * value.column, SPAN.missing(value.dtype.may_miss)))
    if not (value.dtype.is_text or value.dtype.is_number):
        raise TypeError(f"dtype {value.dtype.name} cannot be converted to timedelta64[ns]")
    table = arg._table
    value = table.columns[0][1]
    teller = _span_kind(unit)
    kinds = _kinds(table, value, teller)
    if _BAD in kinds and errors == "raise":
        pd.to_timedelta(pd.Series([_first(table, value, teller)]), unit=unit)
    if "finer" in kinds:
        raise refused("to_timedelta()", "there are spans with parts of a microsecond")
    return arg._made(each(_as_span(unit), value, SPAN, "to_timedelta"))


def _span_kind(unit: Any) -> Function:
    def span_kind(value: Any) -> str:
        try:
            span = pd.to_timedelta(pd.Series([value]), unit=unit).iloc[0]
        except (ValueError, TypeError, OverflowError):
            return _BAD
        return "span" if span is pd.NaT or not span.nanoseconds else "finer"

    return span_kind


def _as_span(unit: Any) -> Function:
    def as_span(value: Any) -> Any:
        span = pd.to_timedelta(pd.Series([value]), unit=unit, errors="coerce").iloc[0]
        return None if span is pd.NaT else span.to_pytimedelta()

    return as_span
