"""The index of frames and series: `index`, `set_index`, `reset_index`, names and levels.

Columns become levels and levels become columns; no row moves. What is given as a list, an array or another index
belongs to the rows by their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.choosing.levels import level_labels, level_number
from predtrace.frontends.pandas.choosing.renaming_axes import RenamingAxes
from predtrace.frontends.pandas.core.aligning import is_unique
from predtrace.frontends.pandas.core.construction import table_of_series
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.steps import in_place, only
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table

_NOT_GIVEN = object()


class Indexing(RenamingAxes):
    """What frames and series have in common."""

    @property
    def index(self) -> Any:
        """The labels of the rows."""
        from predtrace.frontends.pandas.choosing.index import Index

        return Index._from(self)

    @index.setter
    def index(self, labels: Any) -> None:
        self._become(self._of(with_index(self._table, labels)))


class IndexingFrame(Indexing):
    """These methods of a DataFrame."""

    @in_place
    def set_index(
        self, keys: Any, *, drop: bool = True, append: bool = False, verify_integrity: bool = False
    ) -> Any:
        """Columns, or values that are given, as the index."""
        table = self._table.indexed() if append else self._table
        given = keys if isinstance(keys, list) else [keys]
        missing = [key for key in given if not _is_values(key) and key not in table.labels]
        if missing:
            raise KeyError(f"None of {missing} are in the columns")
        before = list(table.levels()) if append else []
        after: list[Level] = []
        for key in given:
            if _is_values(key):
                carried = replace(table, index=(*before, *after)) if before or after else table
                carried, found = _levels_of(carried, key)
                levels = [] if isinstance(carried.index, Positions) else list(carried.index)
                before, after = levels[: len(before)], levels[len(before) : len(before) + len(after)]
                table, after = carried, [*after, *found]
            else:
                after.append(Level(key, table.values(key)[0]))
        gone = [key for key in given if not _is_values(key)] if drop else []
        columns = tuple((label, value) for label, value in table.columns if label not in gone)
        made = replace(table, columns=columns, index=(*before, *after), is_unique=False)
        if verify_integrity and not is_unique(made):
            raise ValueError("Index has duplicate keys")
        return self._of(made)

    @in_place
    def reset_index(
        self,
        level: Any = None,
        *,
        drop: bool = False,
        col_level: Any = 0,
        col_fill: Any = "",
        allow_duplicates: Any = False,
        names: Any = None,
    ) -> Any:
        """The levels of the index as columns (or gone, with `drop`); rows are counted instead."""
        given = {"col_level": col_level, "col_fill": col_fill}
        only("DataFrame.reset_index()", {"col_level": 0, "col_fill": ""}, given)
        return self._of(reset(self._table, level, drop, names, allow_duplicates is True))


class IndexingSeries(Indexing):
    """These methods of a Series."""

    @in_place
    def reset_index(
        self, level: Any = None, *, drop: bool = False, name: Any = _NOT_GIVEN, allow_duplicates: bool = False
    ) -> Any:
        """A frame of the index and the values; with `drop` a series without the index."""
        from predtrace.frontends.pandas.frame import DataFrame

        table = self._table
        if drop:
            return self._of(reset(table, level, True, None, False))
        label = name if name is not _NOT_GIVEN else 0 if table.labels[0] is None else table.labels[0]
        frame = replace(table, columns=((label, table.columns[0][1]),))
        return DataFrame._of(reset(frame, level, False, None, allow_duplicates))


def _is_values(key: Any) -> bool:
    """Whether a key gives the labels themselves."""
    return isinstance(key, (Held, pd.Index, pd.Series, np.ndarray, list))


def with_index(table: Table, given: Any) -> Table:
    """The table with another index, given in the order of the rows."""
    moved, levels = _levels_of(table, given)
    is_range = isinstance(given, (range, pd.RangeIndex)) and (given.start, given.step) == (0, 1)
    if is_range:
        return replace(moved, index=Positions(getattr(given, "name", None)), is_unique=True)
    return replace(moved, index=tuple(levels), is_unique=False)


def _levels_of(table: Table, given: Any) -> tuple[Table, list[Level]]:
    """Labels that are given in the order of a table's rows, as levels beside its columns."""
    from predtrace.frontends.pandas.choosing.cells import by_place

    if isinstance(given, Held):
        other = given._table
        others = [(label, replace(other, columns=((label, value),))) for label, value in other.columns]
        return _placed(table, others, by_place)
    index = given if isinstance(given, pd.Index) else pd.Index(given)
    if isinstance(given, pd.Series):
        index = index.rename(given.name)
    count = table.rows().count()
    if count != len(index):
        raise ValueError(
            f"Length mismatch: Expected axis has {count} elements, new values have {len(index)} elements"
        )
    local = [pd.Series(index.get_level_values(place)) for place in range(index.nlevels)]
    return _placed(table, list(zip(index.names, map(table_of_series, local), strict=True)), by_place)


def _placed(table: Table, others: Sequence[tuple[Label, Table]], by_place: Any) -> tuple[Table, list[Level]]:
    count, labels = len(table.columns), []
    for label, other in others:
        table, _, value = by_place(table, None, other)
        settled = table.space.settled(value, "index" if label is None else label)
        table = replace(table, columns=(*table.columns, (label, settled)))
        labels.append(label)
    found = [Level(label, value) for label, value in table.columns[count:]]
    return replace(table, columns=table.columns[:count]), found


def reset(table: Table, level: Any, drop: bool, names: Any, allow_duplicates: bool) -> Table:
    """The table with levels of its index as columns, or without them."""
    if level is None and drop:
        return replace(table, index=Positions(), is_unique=True)
    table = table.indexed()
    levels, known = table.levels(), level_labels(table)
    wanted = range(len(levels)) if level is None else level if isinstance(level, (list, tuple)) else [level]
    numbers = sorted(level_number(known, one) for one in wanted) if level is not None else list(wanted)
    rest = tuple(one for number, one in enumerate(levels) if number not in numbers)
    columns = table.columns
    if not drop:
        labels = _column_labels(table, numbers, names)
        taken = [label for label in labels if label in table.labels]
        if taken and not allow_duplicates:
            raise ValueError(f"cannot insert {taken[0]}, already exists")
        new = ((label, levels[number].value) for label, number in zip(labels, numbers, strict=True))
        columns = (*new, *columns)
    return replace(table, columns=columns, index=rest or Positions(), is_unique=not rest)


def _column_labels(table: Table, numbers: Sequence[int], names: Any) -> list[Label]:
    """The labels that levels have as columns."""
    known = level_labels(table)
    given = None if names is None else [names] if isinstance(names, str) else list(names)
    found: list[Label] = []
    for place, number in enumerate(numbers):
        label = given[place] if given is not None else known[number]
        if label is None and len(known) == 1:
            label = "index" if "index" not in table.labels else "level_0"
        found.append(f"level_{number}" if label is None else label)
    depth = len(table.column_names)
    if depth > 1:
        return [label if isinstance(label, tuple) else (label, *([""] * (depth - 1))) for label in found]
    return found
