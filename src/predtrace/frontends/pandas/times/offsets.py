"""Moments moved by what pandas calls offsets: `DateOffset(months=1)`, `MonthEnd(0)`, `MonthBegin(1)`.

The time of the day stays. Days that a month does not have become its last day, as Spark has it, too. An offset that
is a span of time (`Day(2)`, `Hour(1)`) is one; the rest, such as business days, is refused.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from pandas.tseries import offsets
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import MOMENT
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused

_MONTHS = {"years": 12, "months": 1}
_SPANS = ("weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds")


def is_offset(given: Any) -> bool:
    """Whether this is an offset."""
    return isinstance(given, offsets.BaseOffset)


def moved(symbol: str, value: Value, offset: Any, swapped: bool) -> Value:
    """A moment, later by an offset, or earlier."""
    call = f"{value.dtype.name} {symbol} {type(offset).__name__}"
    is_known = symbol == "+" or (symbol == "-" and not swapped)
    if not is_known or value.dtype.name != MOMENT.name or offset.normalize:
        raise refused(call, "it is not known on Spark")
    column = _moved(value.column, offset if symbol == "+" else -offset)
    if column is None:
        raise refused(call, "only spans, months, and their first and last days are known on Spark")
    return value.with_column(column, value.dtype)


def _moved(moment: Column, offset: Any) -> Column | None:
    if isinstance(offset, offsets.Tick):
        return None if offset.nanos % 1000 else moment + F.lit(pd.Timedelta(offset).to_pytimedelta())
    if type(offset) is offsets.MonthEnd:
        day = moment.cast("date")
        n = F.lit(offset.n)
        months = F.when(F.last_day(day) == day, n).otherwise(n - 1) if offset.n > 0 else n
        return _on_day(moment, F.last_day(F.add_months(F.trunc(day, "month"), months)))
    if type(offset) is offsets.MonthBegin:
        day = moment.cast("date")
        n = F.lit(offset.n)
        months = n if offset.n > 0 else F.when(F.dayofmonth(day) == 1, n).otherwise(n + 1)
        return _on_day(moment, F.add_months(F.trunc(day, "month"), months))
    return _by_parts(moment, offset.kwds, offset.n) if type(offset) is offsets.DateOffset else None


def _on_day(moment: Column, day: Column) -> Column:
    """The time of the day of a moment on another day."""
    midnight = moment.cast("date").cast("timestamp_ntz")
    return day.cast("timestamp_ntz") + (moment - midnight)


def _by_parts(moment: Column, parts: dict[str, Any], n: int) -> Column | None:
    if not parts.keys() <= {*_MONTHS, *_SPANS} or not all(isinstance(one, int) for one in parts.values()):
        return None
    months = n * sum(_MONTHS[name] * count for name, count in parts.items() if name in _MONTHS)
    if months:
        moment = moment + F.expr(f"INTERVAL '{months}' MONTH")
    spans = {name: count for name, count in parts.items() if name in _SPANS}
    if not parts:
        spans = {"days": 1}
    return moment + F.lit((n * pd.Timedelta(**spans)).to_pytimedelta()) if spans else moment
