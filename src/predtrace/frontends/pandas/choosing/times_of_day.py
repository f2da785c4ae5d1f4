"""Rows by the time of day of their labels: `between_time("09:00", "17:30")`, `at_time("12:00")`."""

from __future__ import annotations

import datetime
from typing import Any, TypeVar

from pandas.core.tools.times import to_time
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused

Same = TypeVar("Same", bound=Held)

_OF_NO_MOMENT = datetime.timedelta(microseconds=-1)
"""To pandas, NaT is before every time of day: it is in a span over midnight."""
_WITH_ENDS = {"both": (True, True), "left": (True, False), "right": (False, True), "neither": (False, False)}


class TimesOfDay(Held):
    """These methods of frames and series whose index are moments."""

    def between_time(
        self: Same, start_time: Any, end_time: Any, inclusive: str = "both", axis: Any = None
    ) -> Same:
        """The rows from one time of day to another; over midnight if the first is the later one."""
        if inclusive not in _WITH_ENDS:
            raise ValueError("Inclusive has to be either 'both', 'neither', 'left' or 'right'")
        with_start, with_end = _WITH_ENDS[inclusive]
        start, end = _since_midnight(start_time), _since_midnight(end_time)
        moment, time = _times(self, "between_time", axis)
        is_after = time >= F.lit(start) if with_start else time > F.lit(start)
        is_before = time <= F.lit(end) if with_end else time < F.lit(end)
        return _kept(self, moment, is_after & is_before if start <= end else is_after | is_before)

    def at_time(self: Same, time: Any, asof: bool = False, axis: Any = None) -> Same:
        """The rows at one time of day."""
        only(f"{self._kind}.at_time()", {"asof": False}, {"asof": asof})
        moment, times = _times(self, "at_time", axis)
        return _kept(self, moment, times == F.lit(_since_midnight(time)))


def _times(held: Held, name: str, axis: Any) -> tuple[Value, Column]:
    """The moments of the index, and how long after midnight they are."""
    if axis not in (None, 0, "index"):
        raise refused(f"{held._kind}.{name}(axis={axis!r})", "only rows have times here")
    level, *more = held._table.levels()
    if more or not level.value.dtype.is_moment:
        raise TypeError("Index must be DatetimeIndex")
    moment = level.value.column
    time = moment - moment.cast("date").cast("timestamp_ntz")
    return level.value, F.coalesce(time, F.lit(_OF_NO_MOMENT))


def _kept(held: Same, moment: Value, condition: Column) -> Same:
    return held._of(held._table.kept(moment.with_column(condition, BOOL)))


def _since_midnight(time: Any) -> datetime.timedelta:
    found = to_time(time)
    if found.tzinfo is not None:
        raise refused(f"the time {time!r}", "moments have no time zone here")
    return datetime.datetime.combine(datetime.date.min, found) - datetime.datetime.min
