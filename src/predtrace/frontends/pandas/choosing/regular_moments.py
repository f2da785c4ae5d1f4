"""Rows at regular moments: `asfreq("D")`. Which moment is the first and which the last, Spark is asked."""

from __future__ import annotations

from typing import Any, TypeVar

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.reindexing import with_rows
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.steps import only, refused

Same = TypeVar("Same", bound=Held)


class RegularMoments(Held):
    """This method of frames and series whose index are moments."""

    def asfreq(
        self: Same,
        freq: Any,
        method: str | None = None,
        how: Any = None,
        normalize: bool = False,
        fill_value: Any = None,
    ) -> Same:
        """The rows of all moments of a frequency, from the first to the last; missing where there are none."""
        call = f"{self._kind}.asfreq({freq!r})"
        only(call, {"how": None, "normalize": False}, {"how": how, "normalize": normalize})
        level, *more = self._table.levels()
        if more or not level.value.dtype.is_moment:
            raise refused(call, "the index holds no moments")
        moment = level.value
        first, last = (
            moment.space.rows(moment.uses).agg(F.min(moment.column), F.max(moment.column)).collect()[0]
        )
        if first is None:
            raise refused(call, "there are no rows")
        every = pd.date_range(first, last, freq=freq, name=level.label)
        filler = float("nan") if fill_value is None else fill_value
        return self._of(with_rows(f"{self._kind}.asfreq()", self._table, every, filler, method))
