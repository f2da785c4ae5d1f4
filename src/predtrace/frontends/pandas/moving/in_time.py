"""`rolling("7D")`: the rows of some time up to each row.

| | |
|---|---|
| the rows | those after the moment that long ago, up to the row itself; not those of its own moment after it |
| the moments | of the index, or of the column `on`; they must be in order, and none may be missing |
| `min_periods` | 1, unless another is given |

To Spark it is a RANGE frame over the moments in microseconds. Where moments repeat, the rows of one moment are told
apart by numbers below the microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
from pandas.tseries.offsets import BaseOffset
from pyspark.sql import WindowSpec
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, INT64
from predtrace.frontends.pandas.core.facts import any_true
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Key, Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.moving.along import Along
from predtrace.frontends.pandas.moving.rolling import Around
from predtrace.frontends.pandas.times.spans import microseconds

_Column = tuple[Label, Value]

_NUMBERS = 2_048
"""How many numbers are below a microsecond; rows of one moment use the first half of them."""

_LONGEST = pd.Timedelta(days=10_000)
_SOME_MOMENT = datetime(2000, 1, 1)
"""Moments in the hundred years around it have room for numbers below their microseconds."""


class AlongMoments(Along):
    """The rows of a table by their places in time, which `scale` of them are a microsecond of."""

    def __init__(self, along: Along, place: Value, scale: int) -> None:
        super().__init__(along.table, along.by, drops=along.there is not None)
        self._place = place.name
        self._scale = scale
        self._uses |= place.uses

    def around(self, first: int, last: int) -> WindowSpec:
        """The rows between two distances in microseconds. (Of one moment: those before the row.)"""
        window = replace(self.table, order=(Key(self._place),)).window([key.name for key in self.by])
        return window.rangeBetween(first * self._scale - self._scale // 2, last * self._scale)


def along_moments(along: Along, moment: Value, call: str, name: str) -> AlongMoments:
    """Rows by settled moments, which must be in order. Asks Spark."""
    space, window = along.table.space, along.window()
    before = F.lag(moment.column).over(window)
    peer = F.row_number().over(along.table.window([*(key.name for key in along.by), moment.name]))
    years = F.abs(F.year(moment.column) - _SOME_MOMENT.year)
    questions = (
        moment.column.isNull(),
        before > moment.column,
        before < moment.column,
        before == moment.column,
        (peer > _NUMBERS // 2) | (years > 100),
    )
    missing, falls, rises, repeats, is_crowded = any_true(
        [along.value(question, BOOL, moment) for question in questions]
    )
    if missing:
        raise ValueError(f"{name} values must not have NaT")
    if falls and rises and not along.by:
        raise ValueError(f"{name} values must be monotonic")
    if falls:
        raise refused(call, "the moments are not in order", "sort by them first")
    if repeats and is_crowded:
        raise refused(call, f"more than {_NUMBERS // 2:,} rows are of one moment, or of another century")
    passed = microseconds(moment.column - literal(_SOME_MOMENT, moment.dtype))
    if not repeats:
        return AlongMoments(along, space.settled(moment.with_column(passed, INT64), "place"), 1)
    place = along.value(passed * _NUMBERS + peer, INT64, moment)
    return AlongMoments(along, space.settled(place, "place"), _NUMBERS)


class AroundBeside(Around):
    """The rows around each row by a column, which pandas shows beside the results, or among their index.

    `finish_chosen`: what is made of columns that were chosen by their labels.
    """

    def __init__(
        self, around: Around, call: str, on: Label, finish_chosen: Callable[[list[_Column]], Any]
    ) -> None:
        vars(self).update(vars(around))
        self._call = call
        self._on = on
        self._finish_chosen = finish_chosen

    def __getitem__(self, key: Any) -> Around:
        if self._on in (key if isinstance(key, list) else [key]):
            raise refused(self._call, f"{self._on!r} is the column of the moments", "leave it out")
        return self._choose(
            sorted_without(self._on, key) if isinstance(key, list) else key, self._finish_chosen
        )


def sorted_without(on: Label, labels: list[Label]) -> list[Label]:
    """The other labels of columns, sorted: so pandas does when it takes the moments from a column."""
    return list(pd.Index(labels, dtype=object).difference([on]))


def is_time(window: Any) -> bool:
    """Whether a window is some time, not a number of rows."""
    return isinstance(window, (str, timedelta, np.timedelta64, BaseOffset))


def time_bounds(
    call: str, window: Any, min_periods: int | None, closed: str | None
) -> tuple[tuple[int, int], int]:
    """The first and the last microsecond of a window, and how many values it must have; pandas checks all this."""
    some = pd.Series([0.0], index=pd.DatetimeIndex([_SOME_MOMENT]))
    asked = some.rolling(window, min_periods=min_periods, closed=closed)
    length = pd.Timedelta(asked._win_freq_i8)
    if closed not in (None, "right", "both"):
        raise refused(call, f"closed={closed!r} is not")
    if not pd.Timedelta(0) < length <= _LONGEST or length.nanoseconds:
        raise refused(
            call, f"{length} is no window of whole microseconds, or more than {_LONGEST.days:,} days"
        )
    first = length // pd.Timedelta(microseconds=1)
    return (-first if closed == "both" else 1 - first, 0), asked.min_periods


def moments_of(table: Table, on: Label) -> tuple[Value, str]:
    """The settled moments of the index, or of a column, and what pandas calls them."""
    if on is None:
        levels = table.levels()
        value, name = levels[0].value, levels[0].label or "index"
        is_moments = len(levels) == 1 and value.dtype.is_moment
    elif on in table.labels:
        value, name = table.values(on)[0], on
        is_moments = value.dtype.is_moment
    else:
        raise ValueError(f"invalid on specified as {on}, must be a column (of DataFrame), an Index or None")
    if not is_moments:
        raise ValueError("window must be an integer 0 or greater")
    return table.space.settled(value, name), str(name)
