"""Groups by spans of time, of `resample` or of `groupby` by one frequency: for aggregates only.

Other methods of groups mean something else here: `ffill` makes new rows, `transform` puts rows in the order of time.
"""

from __future__ import annotations

from predtrace.frontends.pandas.grouping.grouped_aggregates import GroupedAggregates
from predtrace.frontends.pandas.grouping.grouped_state import Grouped, GroupedFrame, GroupedSeries


class SeriesByTime(GroupedAggregates, GroupedSeries):
    """The values of a series by spans of time."""


class FrameByTime(GroupedAggregates, GroupedFrame):
    """The rows of a frame by spans of time."""

    @property
    def _of_series(self) -> type[Grouped]:
        return SeriesByTime


class SeriesResampler(SeriesByTime):
    """What `Series.resample` gives."""

    apply = GroupedAggregates.agg


class FrameResampler(FrameByTime):
    """What `DataFrame.resample` gives."""

    apply = GroupedAggregates.agg

    @property
    def _of_series(self) -> type[Grouped]:
        return SeriesResampler
