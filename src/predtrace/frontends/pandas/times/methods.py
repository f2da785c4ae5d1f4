"""`Series.dt`: parts of moments (`datetime64`); `spans` has those of spans of time.

| attribute | how it is worked out |
|---|---|
| `year`, `hour`, `dayofweek`, `is_month_end`... | Spark's functions: the calendar is the same |
| `day_name`, `month_name` | by number, from pandas' own names |
| `normalize`, `floor("D")` | the moment's day |
| `strftime`, `round`, other `floor` | pandas' own, called for each moment |
| `date` | objects that are days |
| `isocalendar`, `to_period` | values that are kept: rows are grouped, sorted and shown by them (`calendars`) |
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import Function, each
from predtrace.frontends.pandas.applying.returned import DATE
from predtrace.frontends.pandas.core.dtypes import BOOL, MOMENT, SPAN, TEXT, Dtype
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.times.calendars import Periods, in_periods, iso_calendar, of_day
from predtrace.frontends.pandas.times.spans import Spans

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

_INT32 = Dtype("int32", spark.IntegerType())
_DAYS = list(calendar.day_name)
_MONTHS = list(calendar.month_name)[1:]


def moments_of(series: Series) -> Any:
    """The accessor `dt` of a series."""
    if series._value.dtype.is_moment:
        return Moments(series)
    if series._value.dtype.name == SPAN.name:
        return Spans(series)
    if series._value.dtype.is_period:
        return Periods(series)
    raise AttributeError("Can only use .dt accessor with datetimelike values")


def _number(part: Callable[[Column], Column], what: str) -> Any:
    """A property of moments that is a small number."""

    def number(self: Moments) -> Series:
        return self._made(part, _INT32)

    number.__doc__ = f"The {what} of each moment."
    return property(number)


def _test(condition: Callable[[Column], Column], what: str) -> Any:
    """A property of moments that is true or false; it is false for missing ones."""

    def test(self: Moments) -> Series:
        return self._made(lambda moment: F.coalesce(condition(moment.cast("date")), F.lit(False)), BOOL)

    test.__doc__ = f"Whether each moment is in {what}."
    return property(test)


def _days_in_month(day: Column) -> Column:
    return F.dayofmonth(F.last_day(day))


def _is_first(day: Column) -> Column:
    return F.dayofmonth(day) == 1


def _is_last(day: Column) -> Column:
    return F.dayofmonth(day) == _days_in_month(day)


class Moments:
    """`Series.dt` of moments."""

    def __init__(self, series: Series) -> None:
        self._series = series

    def _made(self, part: Callable[[Column], Column], dtype: Dtype) -> Series:
        value = self._series._value
        shown = dtype if dtype is BOOL else dtype.missing(value.dtype.may_miss)
        return self._series._made(value.with_column(part(value.column), shown))

    def _each(self, function: Function, dtype: Dtype, name: str) -> Series:
        value = self._series._value
        return self._series._made(each(function, value, dtype.missing(value.dtype.may_miss), name))

    year = _number(of_day(F.year), "year")
    month = _number(of_day(F.month), "month")
    day = _number(of_day(F.dayofmonth), "day")
    hour = _number(F.hour, "hour")
    minute = _number(F.minute, "minute")
    second = _number(F.second, "second")
    microsecond = _number(
        lambda moment: (F.extract(F.lit("SECOND"), moment) % 1 * 1_000_000).cast("int"), "microsecond"
    )
    dayofweek = day_of_week = weekday = _number(of_day(F.weekday), "day of the week, Monday 0,")
    dayofyear = day_of_year = _number(of_day(F.dayofyear), "day of the year")
    quarter = _number(of_day(F.quarter), "quarter")
    days_in_month = daysinmonth = _number(of_day(_days_in_month), "length of the month")
    is_month_start = _test(_is_first, "the first day of a month")
    is_month_end = _test(_is_last, "the last day of a month")
    is_quarter_start = _test(lambda m: _is_first(m) & (F.month(m) % 3 == 1), "the first day of a quarter")
    is_quarter_end = _test(lambda m: _is_last(m) & (F.month(m) % 3 == 0), "the last day of a quarter")
    is_year_start = _test(lambda m: F.dayofyear(m) == 1, "the first day of a year")
    is_year_end = _test(lambda m: _is_last(m) & (F.month(m) == 12), "the last day of a year")
    is_leap_year = _test(
        lambda m: _days_in_month(F.make_date(F.year(m), F.lit(2), F.lit(1))) == 29, "a leap year"
    )

    @property
    def date(self) -> Series:
        """The day of each moment, as an object."""
        return self._made(lambda moment: moment.cast("date"), DATE)

    @property
    def tz(self) -> None:
        """The time zone: moments here have none."""

    def normalize(self) -> Series:
        """The beginning of each moment's day."""
        return self._made(_midnight, MOMENT)

    def day_name(self, locale: str | None = None) -> Series:
        """The name of the day of the week."""
        return self._named("day_name", locale, _DAYS, of_day(lambda day: F.weekday(day) + 1))

    def month_name(self, locale: str | None = None) -> Series:
        """The name of the month."""
        return self._named("month_name", locale, _MONTHS, of_day(F.month))

    def _named(self, call: str, locale: Any, names: list[str], number: Callable[[Column], Column]) -> Series:
        if locale is not None:
            raise refused(f"Series.dt.{call}()", f"locale={locale!r} is not")
        return self._made(lambda moment: F.get(F.array(*map(F.lit, names)), number(moment) - 1), TEXT)

    def strftime(self, date_format: str) -> Series:
        """Each moment as a text."""
        return self._each(lambda moment: pd.Timestamp(moment).strftime(date_format), TEXT, "strftime")

    def floor(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Series:
        """The last full hour, day... before each moment."""
        _check_fixed(freq)
        if freq == "D":
            return self.normalize()
        return self._each(lambda moment: pd.Timestamp(moment).floor(freq).to_pydatetime(), MOMENT, "floor")

    def ceil(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Series:
        """The next full hour, day... after each moment."""
        _check_fixed(freq)
        return self._each(lambda moment: pd.Timestamp(moment).ceil(freq).to_pydatetime(), MOMENT, "ceil")

    def round(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Series:
        """The full hour, day... that is nearest to each moment."""
        _check_fixed(freq)
        return self._each(lambda moment: pd.Timestamp(moment).round(freq).to_pydatetime(), MOMENT, "round")

    def tz_localize(self, tz: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Series:
        """The same moments: without a time zone they are local already."""
        if tz is not None:
            raise refused("Series.dt.tz_localize()", "moments with a time zone are held by no column")
        return self._series.copy()

    def isocalendar(self) -> DataFrame:
        """The years, weeks and days of the ISO calendar."""
        return iso_calendar(self._series)

    def to_period(self, freq: Any = None) -> Series:
        """The months, quarters... that moments are in."""
        if freq is None:
            raise refused("Series.dt.to_period()", "it is given no frequency")
        return self._series._made(in_periods(self._series._value, freq))

    def to_pydatetime(self) -> Any:
        """Refused: it is an array of objects."""
        raise refused("Series.dt.to_pydatetime()", "it is an array of objects")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(pd.Series(dtype="datetime64[ns]").dt, name):
            raise AttributeError(f"'DatetimeProperties' object has no attribute {name!r}")
        raise refused(f"Series.dt.{name}", "it is not made for Spark yet")


def _midnight(moment: Column) -> Column:
    return moment.cast("date").cast("timestamp_ntz")


def _check_fixed(freq: Any) -> None:
    """Raise what pandas raises for frequencies that moments cannot be rounded to."""
    pd.Timestamp(0).floor(freq)
