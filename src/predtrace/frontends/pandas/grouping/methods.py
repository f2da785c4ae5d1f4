"""`groupby`: aggregates, transforms and functions by group.

| | |
|---|---|
| `grouping/groups.py` | the keys, and tables with a row for each group |
| `grouping/grouped.py` | what `groupby` gives: choosing columns, going through the groups |
| `grouping/grouped_aggregates.py` | `sum`, `agg`, `size`... |
| `grouping/grouped_rows.py` | a value for each row: `transform`, `cumsum`, `rank`; some rows: `head`, `nth` |
| `grouping/grouped_functions.py` | the user's functions, which Spark calls with each group |
| `grouping/time_bins.py`, `grouping/resampled.py` | groups by spans of time: `resample`, `pd.Grouper` |
| `grouping/upsampled.py` | the rows at the names of spans: `resample("D").ffill()` |
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.core.aligning import beside
from predtrace.frontends.pandas.core.certain import certain_values
from predtrace.frontends.pandas.core.construction import placed
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table
from predtrace.frontends.pandas.grouping.grouped import DataFrameGroupBy, SeriesGroupBy
from predtrace.frontends.pandas.grouping.groups import GroupKey, Groups
from predtrace.frontends.pandas.grouping.resampled import (
    FrameByTime,
    FrameResampler,
    SeriesByTime,
    SeriesResampler,
)
from predtrace.frontends.pandas.grouping.time_bins import TimeBins, bins_of


class GroupingFrame(Held):
    """These methods of a DataFrame."""

    def groupby(
        self,
        by: Any = None,
        axis: Any = 0,
        level: Any = None,
        as_index: bool = True,
        sort: bool = True,
        group_keys: bool = True,
        observed: bool = False,
        dropna: bool = True,
    ) -> DataFrameGroupBy | FrameByTime:
        """The rows in groups that have the same values of the keys."""
        how = {"sort": sort, "dropna": dropna, "group_keys": group_keys, "observed": observed}
        groups = _grouped(self, by, level, axis, as_index=as_index, **how)
        taken = {key.label for key in groups.keys if key.is_column}
        columns = tuple((label, value) for label, value in groups.table.columns if label not in taken)
        return (DataFrameGroupBy if groups.bins is None else FrameByTime)(groups, columns)

    def resample(self, rule: Any, *, on: Any = None, level: Any = None, **options: Any) -> FrameResampler:
        """The rows in groups by spans of time: days, weeks, months..."""
        found = self.groupby(pd.Grouper(key=on, level=level, freq=rule, **options))
        return FrameResampler(found._groups, found._columns)


class GroupingSeries(Held):
    """These methods of a Series."""

    def groupby(
        self,
        by: Any = None,
        axis: Any = 0,
        level: Any = None,
        as_index: bool = True,
        sort: bool = True,
        group_keys: bool = True,
        observed: bool = False,
        dropna: bool = True,
    ) -> SeriesGroupBy | SeriesByTime:
        """The values in groups that have the same keys."""
        if not as_index:
            raise TypeError("as_index=False only valid with DataFrame")
        how = {"sort": sort, "dropna": dropna, "group_keys": group_keys, "observed": observed}
        groups = _grouped(self, by, level, axis, **how)
        columns = groups.table.columns[:1]
        return (SeriesGroupBy if groups.bins is None else SeriesByTime)(groups, columns)

    def resample(self, rule: Any, *, level: Any = None, **options: Any) -> SeriesResampler:
        """The values in groups by spans of time: days, weeks, months..."""
        found = self.groupby(pd.Grouper(level=level, freq=rule, **options))
        return SeriesResampler(found._groups, found._columns)


def _grouped(held: Held, by: Any, level: Any, axis: Any, **how: Any) -> Groups:
    """The groups by some keys."""
    if axis not in (0, "index"):
        raise refused(f"{held._kind}.groupby(axis={axis!r})", "only rows are in groups on Spark")
    if by is None and level is None:
        raise TypeError("You have to supply one of 'by' and 'level'")
    given = level if by is None else by
    is_list = isinstance(given, list) and not (by is not None and _are_values(held, given))
    keys = list(given) if is_list else [given]
    if not keys:
        raise ValueError("No group keys passed!")
    table, found = _resolved(held, keys, by_level=by is None)
    if isinstance(given, pd.Grouper) and given.freq is None:
        how = {**how, "sort": given.sort}
    groups = replace(Groups(table, found, is_list), **how)
    if not groups.dropna and any(value.dtype.is_bool and value.dtype.may_miss for value in groups.by):
        raise refused(f"{held._kind}.groupby() by booleans with missing ones", "dropna=False is not")
    return _by_time(groups, keys, held._kind) if any(_is_of_time(key) for key in keys) else groups


def _by_time(groups: Groups, keys: list[Any], kind: str) -> Groups:
    """Groups of which a key is a frequency: spans without rows are there only if it is the only key."""
    if len(keys) == 1:
        bins = _bins(groups.table, keys[0], kind)[1]
        if not groups.as_index:
            raise refused(bins.call, "as_index=False is not")
        return replace(groups, bins=bins, sort=True, dropna=True)
    if not groups.sort:
        raise refused(f"{kind}.groupby() by time and other keys", "sort=False is not")
    if not groups.observed and any(value.dtype.categories is not None for value in groups.by):
        raise refused(
            f"{kind}.groupby() by time and categories", "observed=False is not", "give observed=True"
        )
    return replace(groups, dropna=True)  # rows without a moment are in no group, whatever is asked for


def _is_of_time(key: Any) -> bool:
    return isinstance(key, pd.Grouper) and key.freq is not None


def _bins(table: Table, grouper: Any, kind: str) -> tuple[Label, TimeBins, bool]:
    """The name of moments in spans of time, the spans, and whether the moments are a column of the table."""
    if grouper.key is not None:
        label, moments, is_column = _labelled(table, grouper.key, kind)
    else:
        level = 0 if grouper.level is None else grouper.level
        (label, moments), is_column = _level(table, level), False
    return label, bins_of(grouper, moments), is_column


def _are_values(held: Held, given: list[Any]) -> bool:
    """Whether a list has a value for each row. If not, it has labels, functions or series."""
    known = {*held._table.labels, *_names(held._table)}
    if not given or not all(pd.api.types.is_scalar(one) for one in given) or known.issuperset(given):
        return False
    return len(given) == len(held)


def _names(table: Table) -> list[Label]:
    index = table.index
    return [index.label] if isinstance(index, Positions) else [level.label for level in index]


def _resolved(held: Held, keys: list[Any], by_level: bool) -> tuple[Table, tuple[GroupKey, ...]]:
    """The values of the keys beside the table's. Those that must be joined to it come first: the table moves."""
    table = held._table.settled().indexed() if by_level else held._table
    count = len(table.columns)
    joined: dict[int, tuple[Label, bool]] = {}
    for place, given in enumerate(keys):
        key = _of_labels(held, given) if callable(given) or isinstance(given, dict) else given
        if isinstance(key, (Held, list, np.ndarray, pd.Series, pd.Index)) and not by_level:
            table, value, name, is_column = _beside(table, key)
            table = replace(
                table, columns=(*table.columns, (_Joined(place), table.space.settled(value, name)))
            )
            joined[place] = (name, is_column)
    found: list[tuple[Label, Value, bool]] = []
    for place, key in enumerate(keys):
        if place in joined:
            (value,) = [value for label, value in table.columns if label == _Joined(place)]
            found.append((joined[place][0], value, joined[place][1]))
        elif by_level:
            found.append((*_level(table, key), False))
        else:
            found.append(_labelled(table, key, held._kind))
    table = replace(table, columns=table.columns[:count])
    values = certain_values([value for _, value, _ in found])
    return table, tuple(
        GroupKey(label, table.space.settled(value, "key" if label is None else label), is_column)
        for (label, _, is_column), value in zip(found, values, strict=True)
    )


@dataclass(frozen=True)
class _Joined:
    """The label of a key while it is a column of the table."""

    place: int


def _labelled(table: Table, key: Any, kind: str) -> tuple[Label, Value, bool]:
    if _is_of_time(key):
        label, bins, is_column = _bins(table, key, kind)
        return label, bins.labels(), is_column
    if isinstance(key, pd.Grouper):
        return _labelled(table, key.key, kind) if key.level is None else (*_level(table, key.level), False)
    if not isinstance(key, Hashable):
        raise TypeError(f"unhashable type: '{type(key).__name__}'")
    if kind == "DataFrame" and key in table.labels:
        values = table.values(key)
        if len(values) != 1:
            raise ValueError(f"Grouper for '{key}' not 1-dimensional")
        return key, values[0], True
    if key is not None and key in _names(table):
        return (*_level(table, key), False)
    raise KeyError(key)


def _of_labels(held: Held, key: Any) -> Held:
    """What a function or a dict gives for each label of the index."""
    index: Any = held.index  # type: ignore[attr-defined]
    found: Held = index.map(dict(key) if isinstance(key, dict) else key)
    return found


def _level(table: Table, key: Any) -> tuple[Label, Value]:
    levels = table.levels()
    names = [level.label for level in levels]
    if key in names:
        place = names.index(key)
    elif isinstance(key, int) and -len(levels) <= key < len(levels):
        place = key
    else:
        raise ValueError(f"level name {key} is not the name of the index")
    return levels[place].label, levels[place].value


def _beside(table: Table, key: Any) -> tuple[Table, Value, Label, bool]:
    """Values of a series or a list beside the table's, their name, and whether they are a column of it."""
    if isinstance(key, pd.Series):
        from predtrace.frontends.pandas.series import Series

        key = Series(key)
    if not isinstance(key, Held):
        return (*placed(table, key), getattr(key, "name", None), False)
    if key._kind == "DataFrame" or len(key._raw.columns) != 1:
        raise ValueError("Grouper not 1-dimensional")
    name = None if key._raw.is_array else key._raw.columns[0][0]
    if key._kind == "Index":
        wide, (value,) = beside(table, replace(key._raw, is_array=True))
        return wide, value, name, False
    known = table.values(name)
    wide, (value,) = beside(table, key._raw)
    return wide, value, name, wide is table and value.is_name and known == [value]
