"""What `groupby` gives: groups of which columns can be chosen, and that can be gone through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.row_places import kept
from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.scalars import value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.core.watching import tell_left
from predtrace.frontends.pandas.grouping.grouped_aggregates import GroupedAggregates
from predtrace.frontends.pandas.grouping.grouped_functions import GroupedFunctions
from predtrace.frontends.pandas.grouping.grouped_rows import GroupedRows
from predtrace.frontends.pandas.grouping.grouped_state import GroupedFrame, GroupedSeries
from predtrace.frontends.pandas.grouping.groups import Groups
from predtrace.frontends.pandas.grouping.ordered_groups import first_by_value
from predtrace.frontends.pandas.grouping.resampled import ResamplingGroups


class _GroupBy(GroupedAggregates, GroupedRows, GroupedFunctions, ResamplingGroups):
    """What groups of frames and of series have both."""

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Each key and its group. The keys are read from Spark now, the groups when they are looked at."""
        tell_left("groups", self._groups.table.rows)
        for key in self._read_keys():
            yield (key if self._groups.is_list or len(self._groups.keys) > 1 else key[0]), self._group(key)

    def __len__(self) -> int:
        return self.ngroups

    @property
    def ngroups(self) -> int:
        """How many groups there are."""
        return len(self._read_keys())

    @property
    def groups(self) -> Any:
        """The index labels of each group."""
        indexed = self._indexed()._groups
        keys = tuple((place, key.value) for place, key in enumerate(indexed.keys))
        frame = self._of_frame(replace(indexed.table, columns=keys)).to_pandas()
        by = [frame[place].rename(key.label) for place, key in enumerate(self._groups.keys)]
        how = {"sort": self._groups.sort, "dropna": self._groups.dropna, "observed": self._groups.observed}
        return frame.groupby(by if len(by) > 1 else by[0], **how).groups

    def get_group(self, name: Any) -> Any:
        """The group of a key."""
        key = name if isinstance(name, tuple) else (name,)
        if len(key) != len(self._groups.keys):
            raise ValueError("must supply a tuple to get_group with multiple grouping keys")
        found = self._group(key)
        if not found._table.rows().take(1):
            raise KeyError(name)
        return found

    def _read_keys(self) -> list[tuple[Any, ...]]:
        self._groups.check_rows(f"{self._kind}, group by group,")
        found = self._of_frame(replace(self._groups, observed=True).key_table()).to_pandas()
        columns = [found.iloc[:, place].tolist() for place in range(found.shape[1])]
        return list(zip(*columns, strict=True))

    def _group(self, key: tuple[Any, ...]) -> Any:
        table = self._shown_table()
        condition = Value(table.space, F.lit(True), frozenset(), BOOL)
        for one, part in zip(self._groups.keys, key, strict=True):
            wanted = value_in(table.space, part)
            if pd.isna(part):
                same = one.value.column.isNull()
            else:
                same = F.coalesce(one.value.column == wanted.column, F.lit(False))
            condition = condition.with_column(condition.column & same, BOOL, one.value, wanted)
        return self._of(kept(table, condition))


class DataFrameGroupBy(_GroupBy, GroupedFrame):
    """The groups of a frame."""

    @property
    def _of_series(self) -> type[SeriesGroupBy]:
        return SeriesGroupBy

    def _shown_table(self) -> Table:
        """The rows with the columns that a group shows: all, with the keys, unless some were chosen."""
        if not self._is_chosen:
            return self._groups.table
        return replace(self._groups.table, columns=self._columns)


class SeriesGroupBy(_GroupBy, GroupedSeries):
    """The groups of a series."""

    @property
    def _label(self) -> Label:
        return self._columns[0][0]

    def _shown_table(self) -> Table:
        return replace(self._groups.table, columns=self._columns, column_names=(None,))

    def nlargest(self, n: int = 5, keep: str = "first") -> Any:
        """The greatest values of each group; missing ones if there are no others."""
        return self._of(first_by_value(self._checked("nlargest", keep), n, ascending=False))

    def nsmallest(self, n: int = 5, keep: str = "first") -> Any:
        """The least values of each group; missing ones if there are no others."""
        return self._of(first_by_value(self._checked("nsmallest", keep), n, ascending=True))

    def _checked(self, method: str, keep: str) -> Groups:
        call, groups = f"{self._kind}.{method}()", self._groups
        only(call, {"keep": "first"}, {"keep": keep})
        if not (groups.sort and groups.group_keys) or groups.bins is not None:
            raise refused(call, "the groups are not sorted by plain keys")
        if any(value.dtype.categories is not None for value in groups.by):
            raise refused(call, "there are categories among the keys")
        indexed = type(self)(groups, tuple(self._certain()))._indexed()
        return replace(indexed._groups, table=indexed._shown_table())

    def unique(self) -> Any:
        """The different values of each group in the order in which they come: lists, where pandas has arrays."""
        return self.apply(lambda values: values.unique().tolist())
