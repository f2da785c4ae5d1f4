"""Groups by spans of time, of `resample` or of `groupby` by one frequency: for aggregates.

Other methods of groups mean something else here: `ffill` makes new rows (`grouping/upsampled.py`), `transform` puts
rows in the order of time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.facts import any_true
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table
from predtrace.frontends.pandas.grouping.grouped_aggregates import GroupedAggregates
from predtrace.frontends.pandas.grouping.grouped_state import Grouped, GroupedFrame, GroupedSeries
from predtrace.frontends.pandas.grouping.groups import GroupKey
from predtrace.frontends.pandas.grouping.time_bins import bins_of
from predtrace.frontends.pandas.grouping.upsampled import Upsampled


class SeriesByTime(GroupedAggregates, GroupedSeries):
    """The values of a series by spans of time."""


class FrameByTime(GroupedAggregates, GroupedFrame):
    """The rows of a frame by spans of time."""

    @property
    def _of_series(self) -> type[Grouped]:
        return SeriesByTime


class SeriesResampler(Upsampled, SeriesByTime):
    """What `Series.resample` gives."""

    apply = GroupedAggregates.agg


class FrameResampler(Upsampled, FrameByTime):
    """What `DataFrame.resample` gives."""

    apply = GroupedAggregates.agg

    @property
    def _of_series(self) -> type[Grouped]:
        return SeriesResampler


class ResamplingGroups(Grouped):
    """This method of groups."""

    def resample(self, rule: Any, *, on: Label = None, **options: Any) -> FrameResampler | SeriesResampler:
        """The rows of each group by spans of time, from the first of the group to its last."""
        call, groups = f"{self._kind}.resample({rule!r})", self._groups
        is_plain = groups.sort and groups.as_index and groups.dropna and groups.group_keys
        if not is_plain or groups.bins is not None:
            raise refused(call, "the groups are not sorted by plain keys")
        if {"level", "key"} & options.keys() or (on is None and len(groups.table.levels()) != 1):
            raise refused(call, "only an index of one level and columns are known", "use reset_index() first")
        if not groups.observed and any(value.dtype.categories is not None for value in groups.by):
            raise refused(call, "there are categories", "give groupby() observed=True")
        if on is not None and not _is_counted(groups.table):
            raise refused(
                call, "pandas takes the wrong rows of a frame with an index", "use reset_index() first"
            )
        moments = _moments(groups.table, on)
        bins = bins_of(pd.Grouper(freq=rule, **options), moments.value)
        keys = (*groups.keys, replace(moments, value=bins.labels()))
        within = replace(groups, keys=keys, spans=bins)
        if self._is_series:
            return SeriesResampler(within, self._columns)
        # pandas has the keys among the columns of each group.
        all_columns = tuple(one for one in groups.table.columns if on is None or one[0] != on)
        return FrameResampler(within, self._columns if self._is_chosen else all_columns, self._is_chosen)


def _is_counted(table: Table) -> bool:
    """Whether the rows have the labels 0, 1, 2... Asks Spark."""
    if isinstance(table.index, Positions):
        return True
    level = table.index[0].value
    if len(table.index) > 1 or not level.dtype.is_integer:
        return False
    wrong = level.column != F.row_number().over(table.window()) - 1
    keys = {key.name for key in table.order}
    condition = Value(table.space, wrong, level.uses | keys, BOOL, is_window=True)
    return not any_true([condition])[0]


def _moments(table: Table, on: Label) -> GroupKey:
    """The settled moments of the index, or of a column."""
    if on is not None and on not in table.labels:
        raise KeyError(f"The grouper name {on} is not found")
    level = table.levels()[0]
    label, value = (level.label, level.value) if on is None else (on, table.values(on)[0])
    return GroupKey(label, table.space.settled(value, "moment"), is_column=on is not None)
