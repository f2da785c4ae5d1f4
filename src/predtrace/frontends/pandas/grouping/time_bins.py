"""Groups by spans of time (`resample`, `pd.Grouper`): all from the first moment to the last, also those without rows.

Which is the first and which the last, Spark is asked; where no span between them is empty, these are plain groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import MOMENT
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.grouping.category_groups import exploded
from predtrace.frontends.pandas.times.frequencies import Frequency, frequency_of

_MOST_WRITTEN_DOWN = 1_000
"""How many groups' first and last spans are written into the plan; each is an expression there."""


@dataclass(frozen=True)
class TimeBins:
    """The spans of time that settled moments are in."""

    call: str
    moments: Value
    frequency: Frequency

    def labels(self) -> Value:
        """For each row the name of its span."""
        found = self.moments.with_column(self.frequency.label(self.moments.column), self.moments.dtype)
        return found.space.settled(found, "span")

    @cached_property
    def every(self) -> pd.DatetimeIndex | None:
        """The names of all spans from the first moment to the last; None if there is no moment. Asks Spark."""
        return self._counted[0]

    @cached_property
    def _counted(self) -> tuple[pd.DatetimeIndex | None, int]:
        """The names of all spans, and how many of them have rows."""
        moment = self.moments.column
        label = self.frequency.label(moment)
        asked = [F.min(moment), F.max(moment), F.count_distinct(label), F.min(label), F.max(label)]
        first, last, count, *ends = self.moments.space.rows(self.moments.uses).agg(*asked).collect()[0]
        if first is None:
            return None, 0
        every = (
            pd.Series(0, index=pd.DatetimeIndex([first, last])).resample(self.frequency.offset).size().index
        )
        if [every[0], every[-1]] != [pd.Timestamp(end) for end in ends]:
            raise refused(self.call, "pandas has other spans of time for these moments")
        return every, count

    @cached_property
    def all_labels(self) -> Rows | None:
        """A row for each span, if one of them is without rows; None if none is. Asks Spark."""
        every, count = self._counted
        if every is None or len(every) == count:
            return None
        start, stop = (literal(end.to_pydatetime(), MOMENT) for end in (every[0], every[-1]))
        steps = F.sequence(start, stop, self.frequency.step)
        return exploded(steps).select(self.frequency.label(F.col("label")).alias("label"))

    def completed(self, grouped: Rows, names: list[str]) -> Rows | None:
        """Groups of which the last key is the name of a span, and an empty one for each span between those that
        have the same other keys; None if there is none. Asks Spark.

        Which spans are the ends is written into the plan as constants, if the groups are not too many: else the rows
        of both ends would be what all spans between them are made from.
        """
        *others, name = names
        ends = grouped.groupBy(*others).agg(F.min(name).alias("first"), F.max(name).alias("last"))
        if self._spans(ends, others, names).count() == grouped.count():
            return None
        new = [fresh(one.rpartition("_")[0]) for one in names]
        every = self._spans(_written_down(ends) or ends, others, new)
        same = reduce(
            lambda a, b: a & b, [F.col(a).eqNullSafe(F.col(b)) for a, b in zip(new, names, strict=True)]
        )
        joined = every.join(grouped, same, "left")
        keys = (F.col(now).alias(old) for now, old in zip(new, names, strict=True))
        return joined.select(*keys, *(one for one in grouped.columns if one not in names))

    def _spans(self, ends: Rows, others: list[str], names: list[str]) -> Rows:
        """A row for each span between both ends of a group, its keys under other names."""
        *new, name = names
        between = F.explode(F.sequence("first", "last", self.frequency.step)).alias(name)
        keys = (F.col(old).alias(now) for old, now in zip(others, new, strict=True))
        return ends.select(*keys, between).withColumn(name, self.frequency.label(F.col(name)))


def _written_down(rows: Rows) -> Rows | None:
    """Rows as constants; None if they are too many. Asks Spark."""
    listed = rows.select(*(F.col(one).cast("string") for one in rows.columns)).take(_MOST_WRITTEN_DOWN + 1)
    if len(listed) > _MOST_WRITTEN_DOWN:
        return None
    kinds = [(field.name, field.dataType) for field in rows.schema.fields]
    constants = (F.struct(*(F.lit(row[one]).cast(kind).alias(one) for one, kind in kinds)) for row in listed)
    return exploded(F.array(*constants)).select("label.*")


def bins_of(grouper: Any, moments: Value) -> TimeBins:
    """The spans of time that settled values are in; an error if they are no moments."""
    call = f"groups by time ({grouper.freq.freqstr!r})"
    if not moments.dtype.is_moment:
        raise TypeError(
            "Only valid with DatetimeIndex, TimedeltaIndex or PeriodIndex, but got an instance of 'Index'"
        )
    usual = pd.Grouper(freq=grouper.freq)
    for option in ("closed", "label", "convention", "origin", "offset"):
        if getattr(grouper, option) != getattr(usual, option):
            raise refused(call, f"{option}={getattr(grouper, option)!r} is not")
    return TimeBins(call, moments, frequency_of(grouper.freq, call))
