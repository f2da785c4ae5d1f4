"""What `dt.isocalendar()` and `dt.to_period()` give: values that are kept, and converted to others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import each
from predtrace.frontends.pandas.core.dtypes import (
    INT64,
    MOMENT,
    TEXT,
    conversion,
    dtype_with_na,
    period_dtype,
)
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

_FIRST_DAYS = {"M": "month", "Q-DEC": "quarter", "Y-DEC": "year", "A-DEC": "year", "W-SUN": "week"}
"""What Spark calls the spans of which it knows the first day."""


def of_day(part: Callable[[Column], Column]) -> Callable[[Column], Column]:
    """A part of a day as a part of the moment."""
    return lambda moment: part(moment.cast("date"))


def iso_calendar(series: Series) -> DataFrame:
    """The years, weeks and days of the ISO calendar, Monday 1."""
    from predtrace.frontends.pandas.frame import DataFrame

    value, dtype = series._value, dtype_with_na("UInt32")
    parts = {
        "year": F.extract(F.lit("YEAROFWEEK"), value.column),
        "week": F.weekofyear(value.column.cast("date")),
        "day": F.weekday(value.column.cast("date")) + 1,
    }
    kept = dtype.missing(value.dtype.may_miss)
    columns = tuple((name, value.with_column(part.cast(dtype.spark), kept)) for name, part in parts.items())
    table = replace(series._raw, columns=columns, column_names=(None,), is_array=False)
    return DataFrame._of(table)


def in_periods(value: Value, freq: Any) -> Value:
    """The months, quarters... that moments are in, held by the moment they begin with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dtype = period_dtype(freq).missing(value.dtype.may_miss)
    own = dtype.shown(False).freq
    day = value.column.cast("date")
    if dtype.frequency == "D":
        return value.with_column(day.cast("timestamp_ntz"), dtype)
    if dtype.frequency in _FIRST_DAYS:
        return value.with_column(F.trunc(day, _FIRST_DAYS[dtype.frequency]).cast("timestamp_ntz"), dtype)
    return each(lambda moment: pd.Period(moment, own).start_time.to_pydatetime(), value, dtype, "to_period")


def text_of_periods(value: Value) -> Value:
    """Periods as `str()` writes them."""
    own = value.dtype.shown(False).freq
    found = each(lambda start: str(pd.Period(start, own)), value, TEXT, "str")
    text = F.coalesce(found.column, F.lit("NaT")) if value.dtype.may_miss else found.column
    return found.with_column(text, TEXT.missing(False))


_SHORT, _YEARS = frozenset({"D", "M"}), frozenset({"Y-DEC", "A-DEC"})
_ALL = _SHORT | {"Q-DEC"} | _YEARS
_PARTS: dict[str, tuple[Callable[[Column], Column], Set[str]]] = {
    "year": (F.year, _ALL),
    "quarter": (F.quarter, _ALL - _YEARS),
    "month": (F.month, _SHORT),
    "day": (F.dayofmonth, {"D"}),
    "dayofweek": (F.weekday, {"D"}),
    "weekday": (F.weekday, {"D"}),
    "days_in_month": (lambda day: F.dayofmonth(F.last_day(day)), _SHORT),
}
"""Numbers that can be told by a period's first day, and for which periods."""


class Periods:
    """`Series.dt` of periods."""

    def __init__(self, series: Series) -> None:
        self._series = series

    @property
    def _freq(self) -> Any:
        return self._series._value.dtype.shown(False).freq

    @property
    def freq(self) -> Any:
        """The length of the periods."""
        return self._freq

    def to_timestamp(self, freq: Any = None, how: str = "start") -> Series:
        """The moments that periods start with."""
        if freq is not None or how not in ("start", "s", "S"):
            raise refused("Series.dt.to_timestamp()", "only the start of periods is made for Spark")
        value = self._series._value
        return self._series._made(value.with_column(value.column, MOMENT.missing(value.dtype.may_miss)))

    start_time = property(to_timestamp)

    def strftime(self, date_format: str) -> Series:
        """Each period as a text."""
        value, own = self._series._value, self._freq
        made = each(lambda start: pd.Period(start, own).strftime(date_format), value, TEXT, "strftime")
        return self._series._made(made.with_column(made.column, TEXT.missing(value.dtype.may_miss)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        part, lengths = _PARTS.get(name, (None, frozenset()))
        value = self._series._value
        if part is None or value.dtype.frequency not in lengths:
            raise refused(
                f"Series.dt.{name} of {value.dtype.name}", "it is not known", conversion(value.dtype)
            )
        number = part(value.column.cast("date")).cast(spark.LongType())
        # That of a missing period is -1 in pandas, and no missing number.
        return self._series._made(value.with_column(F.coalesce(number, F.lit(-1).cast("bigint")), INT64))
