"""`groupby`: aggregates, transforms and functions by group.

| | |
|---|---|
| `grouping/groups.py` | the keys, and tables with a row for each group |
| `grouping/grouped.py` | what `groupby` gives: choosing columns, going through the groups |
| `grouping/grouped_aggregates.py` | `sum`, `agg`, `size`... |
| `grouping/grouped_rows.py` | a value for each row: `transform`, `cumsum`, `rank`; some rows: `head`, `nth` |
| `grouping/grouped_functions.py` | the user's functions, which Spark calls with each group |
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
    ) -> DataFrameGroupBy:
        """The rows in groups that have the same values of the keys."""
        table, found, is_list = _grouped(self, by, level, axis)
        groups = Groups(table, found, is_list, as_index, sort, dropna, group_keys, observed)
        taken = {key.label for key in found if key.is_column}
        columns = tuple((label, value) for label, value in table.columns if label not in taken)
        return DataFrameGroupBy(groups, columns)


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
    ) -> SeriesGroupBy:
        """The values in groups that have the same keys."""
        if not as_index:
            raise TypeError("as_index=False only valid with DataFrame")
        table, found, is_list = _grouped(self, by, level, axis)
        groups = Groups(table, found, is_list, True, sort, dropna, group_keys, observed)
        return SeriesGroupBy(groups, table.columns[:1])


def _grouped(held: Held, by: Any, level: Any, axis: Any) -> tuple[Table, tuple[GroupKey, ...], bool]:
    """The table with the values of the keys, the keys, and whether they were a list."""
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
    return table, found, is_list


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
    for place, key in enumerate(keys):
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
    if isinstance(key, pd.Grouper):
        raise refused("groupby(pd.Grouper(...))", "spans of time are no groups on Spark yet")
    if callable(key) or isinstance(key, dict):
        raise refused(
            f"{kind}.groupby({type(key).__name__})",
            "a function or a dict of the index is not known on Spark",
            "make a column of the keys first, and group by it",
        )
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
    if key._kind != "Series":
        raise ValueError("Grouper not 1-dimensional")
    name = key._raw.columns[0][0]
    known = table.values(name)
    wide, (value,) = beside(table, key._raw)
    return wide, value, name, wide is table and value.is_name and known == [value]
