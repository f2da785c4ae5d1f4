"""`stack`, `unstack` and `T`: between labels of columns and labels of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from predtrace.frontends.pandas.core.aligning import is_unique
from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Key
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import AS_THEY_CAME, Label, Level, Positions, Table
from predtrace.frontends.pandas.reshaping.melting import Melted, melted
from predtrace.frontends.pandas.reshaping.spreading import Filling, spread

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

_MOST = 1000
"""Rows that may become columns by `T`."""


class StackingFrame(Held):
    """These methods of a DataFrame."""

    def stack(
        self, level: Any = -1, dropna: bool = True, sort: bool = True, future_stack: bool = False
    ) -> Series:
        """The columns one below the other, row by row: their labels are the last level of the index."""
        from predtrace.frontends.pandas.series import Series

        only("DataFrame.stack()", {"sort": True}, {"sort": sort})
        table = self._table.indexed()
        if len(table.column_names) > 1 or level not in (-1, 0, table.column_names[0]):
            raise refused("DataFrame.stack() of columns with several levels", "it is not made for Spark yet")
        rows = _melted("DataFrame.stack()", table)
        levels = (*_moved(table.levels(), rows), _level_of_labels(table, rows))
        found = Table(
            rows.space, ((None, rows.value),), levels, (*table.order, Key(rows.place.name)), table.is_unique
        )
        if dropna and not future_stack and rows.value.dtype.may_miss:
            there = rows.value.with_column(rows.value.column.isNotNull(), BOOL)
            found = found.kept(there)
        return Series._of(found)

    def unstack(self, level: Any = -1, fill_value: Any = None, sort: bool = True) -> Any:
        """The labels of a level of the index as columns, below the labels that there are."""
        from predtrace.frontends.pandas.frame import DataFrame
        from predtrace.frontends.pandas.series import Series

        only("DataFrame.unstack()", {"sort": True}, {"sort": sort})
        table = self._table
        if isinstance(table.index, Positions) or len(table.index) == 1:
            return Series._of(_below_each_other(table))
        return DataFrame._of(_unstacked("DataFrame.unstack()", table, level, fill_value, is_series=False))

    def transpose(self, *args: Any, copy: bool = False) -> DataFrame:
        """Rows as columns and columns as rows."""
        from predtrace.frontends.pandas.frame import DataFrame

        return DataFrame._of(transposed(self._table))

    @property
    def T(self) -> DataFrame:  # noqa: N802
        """Rows as columns and columns as rows."""
        return self.transpose()


class StackingSeries(Held):
    """These methods of a Series."""

    def unstack(self, level: Any = -1, fill_value: Any = None, sort: bool = True) -> DataFrame:
        """A frame with the labels of a level of the index as columns."""
        from predtrace.frontends.pandas.frame import DataFrame

        only("Series.unstack()", {"sort": True}, {"sort": sort})
        index = self._table.index
        if isinstance(index, Positions) or len(index) == 1:
            raise ValueError("index must be a MultiIndex to unstack")
        return DataFrame._of(_unstacked("Series.unstack()", self._table, level, fill_value, is_series=True))

    def transpose(self, *args: Any) -> Series:
        """The same series."""
        return self  # type: ignore[return-value]

    @property
    def T(self) -> Series:  # noqa: N802
        """The same series."""
        return self.transpose()


def _unstacked(call: str, table: Table, level: Any, fill_value: Any, is_series: bool) -> Table:
    several = isinstance(level, (list, tuple))
    places = [_place(table, one) for one in (level if several else [level])]
    filling = None if fill_value is None else Filling(fill_value)
    if any(level.known == AS_THEY_CAME for level in table.levels()):
        todo = "group with sort=True, or call sort_index() first"
        raise refused(f"{call} of groups with sort=False", "pandas keeps the order they came in", todo)
    if len(places) == len(table.levels()):
        raise refused(f"{call} of all levels", "its result would be one row")
    return spread(call, table, places, is_series, filling, by_appearance=len(places) > 1)


def _place(table: Table, level: Any) -> int:
    labels = [one.label for one in table.levels()]
    if level in labels:
        return labels.index(level)
    if not isinstance(level, int):
        raise KeyError(f"Level {level} not found")
    if not -len(labels) <= level < len(labels):
        raise IndexError(f"Too many levels: Index has only {len(labels)} levels, not {level + 1}")
    return level % len(labels)


def _melted(call: str, table: Table) -> Melted:
    """All columns of a table one below the other, with its index and its order."""
    names = [level.value.name for level in table.levels()] + [key.name for key in table.order]
    return melted(call, table, table.columns, names)


def _moved(levels: Sequence[Level], rows: Melted) -> list[Level]:
    return [replace(level, value=rows.space.value(level.value.name, level.value.dtype)) for level in levels]


def _level_of_labels(table: Table, rows: Melted) -> Level:
    """The level that the labels of columns become."""
    return Level(table.column_names[0], rows.label, tuple(table.labels))


def _below_each_other(table: Table) -> Table:
    """The columns one below the other, column by column: their labels are the first level of the index."""
    if len(table.column_names) > 1:
        raise refused("DataFrame.unstack() of columns with several levels", "it is not made for Spark yet")
    table = table.indexed()
    rows = _melted("DataFrame.unstack()", table)
    levels = (_level_of_labels(table, rows), *_moved(table.levels(), rows))
    return Table(
        rows.space, ((None, rows.value),), levels, (Key(rows.place.name), *table.order), table.is_unique
    )


def transposed(table: Table, call: str = "DataFrame.T") -> Table:
    """A table whose rows are columns. Their labels are asked for, so there must not be many."""
    table = table.settled().indexed()
    if len(table.column_names) > 1:
        raise refused(f"{call} of columns with several levels", "it is not made for Spark yet")
    names = [level.value.name for level in table.levels()]
    count = len(table.rows().select(*names).take(_MOST + 1))
    if not 0 < count <= _MOST:
        raise refused(call, f"more than {_MOST} rows would be columns" if count else "there are no rows")
    if not is_unique(table):
        raise refused(call, "several columns would have the same label")
    rows = _melted(call, table)
    place = rows.place
    levels = (_level_of_labels(table, rows), *_moved(table.levels(), rows))
    value: tuple[tuple[Label, Any], ...] = (("value", rows.value),)
    long = Table(rows.space, value, levels, (*table.order, Key(place.name)), is_unique=True)
    places = range(1, len(levels))
    return spread(call, long, places, is_series=True, by_appearance=True, ordered_by=[place.name])
