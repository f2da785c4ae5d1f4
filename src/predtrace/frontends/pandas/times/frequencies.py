"""Frequencies: the days, weeks, months... that moments are in, as `resample` and `pd.Grouper` put them together.

pandas names such a span by a moment: its start, or its last day for weeks and for what ends a month, quarter or year.
Only spans whose name does not depend on the other moments are known here: `2D` counts from the first day there is.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pandas.tseries import offsets
from pandas.tseries.frequencies import to_offset
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.times.spans import microseconds

_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Frequency:
    """`label`: the name of the span that a moment is in. `step`: from there into the next one."""

    offset: Any
    label: Callable[[Column], Column]
    step: Column


def frequency_of(freq: Any, call: str) -> Frequency:
    """The frequency that a user names, such as `"D"`, `"15min"` or `"ME"`."""
    offset = to_offset(freq)
    if isinstance(offset, offsets.Tick):
        length = pd.Timedelta(offset).to_pytimedelta() if offset.nanos % 1000 == 0 else None
        if length and not _DAY % length:
            return Frequency(offset, _part_of_day(length), F.lit(length))
    elif offset.n == 1:
        if isinstance(offset, offsets.Week) and offset.weekday is not None:
            return Frequency(offset, _end_of_week(offset.weekday), F.lit(7 * _DAY))
        found = _CALENDAR.get((type(offset), _first_month(offset)))
        if found is not None:
            label, months = found
            return Frequency(offset, label, F.expr(f"INTERVAL '{months}' MONTH"))
    raise refused(call, "only single days, weeks, months... and equal parts of a day are known on Spark")


def _first_month(offset: Any) -> int | None:
    """The first month that a quarter or a year can start with; None for months."""
    month = getattr(offset, "startingMonth", getattr(offset, "month", None))
    if month is None:
        return None
    every = 3 if hasattr(offset, "startingMonth") else 12
    is_end = isinstance(offset, (offsets.QuarterEnd, offsets.YearEnd))
    return int(month) % every + 1 if is_end else (int(month) - 1) % every + 1


def _part_of_day(length: datetime.timedelta) -> Callable[[Column], Column]:
    micros = length // datetime.timedelta(microseconds=1)

    def label(moment: Column) -> Column:
        midnight = moment.cast("date").cast("timestamp_ntz")
        if length == _DAY:
            return midnight
        beyond = F.pmod(microseconds(moment - midnight), F.expr(f"{micros}L"))
        return moment - F.expr("INTERVAL '0.000001' SECOND") * beyond

    return label


def _end_of_week(weekday: int) -> Callable[[Column], Column]:
    def label(moment: Column) -> Column:
        day = moment.cast("date")
        return F.date_add(day, F.pmod(F.lit(weekday) - F.weekday(day), F.lit(7))).cast("timestamp_ntz")

    return label


def _start(of: str) -> Callable[[Column], Column]:
    return lambda moment: F.trunc(moment.cast("date"), of).cast("timestamp_ntz")


def _end(of: str, months: int) -> Callable[[Column], Column]:
    def label(moment: Column) -> Column:
        start = F.trunc(moment.cast("date"), of)
        return F.last_day(F.add_months(start, months - 1)).cast("timestamp_ntz")

    return label


_CALENDAR: dict[tuple[type, int | None], tuple[Callable[[Column], Column], int]] = {
    (offsets.MonthBegin, None): (_start("month"), 1),
    (offsets.MonthEnd, None): (_end("month", 1), 1),
    (offsets.QuarterBegin, 1): (_start("quarter"), 3),
    (offsets.QuarterEnd, 1): (_end("quarter", 3), 3),
    (offsets.YearBegin, 1): (_start("year"), 12),
    (offsets.YearEnd, 1): (_end("year", 12), 12),
}
"""By the kind of frequency and the first month that a span can start with: the label, and its months."""
