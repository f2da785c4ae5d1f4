"""The index of a frame or series: `df.index`.

It is a series of the labels beside the index itself, or several for several levels: what is worked out from labels
is an expression over the same rows. Unlike a series it belongs to other rows by place. pandas gives arrays for some
calls (`isin`, comparisons); here these are series over the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql.types import DateType

from predtrace.frontends.pandas.choosing.labels import is_list, with_label
from predtrace.frontends.pandas.choosing.levels import index_named, level_number
from predtrace.frontends.pandas.choosing.row_places import row_at, sliced, taken
from predtrace.frontends.pandas.cleaning.duplicates import first_rows
from predtrace.frontends.pandas.core.aligning import is_unique
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar, give_operators
from predtrace.frontends.pandas.core.spaces import Key
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table
from predtrace.frontends.pandas.series import Series

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame


class Index(Series):
    """The labels of rows. `owner`: the object whose index this is; it gets the name that is set here."""

    _kind = "Index"
    _owner: Held | None = None

    @classmethod
    def _from(cls, owner: Held) -> Index:
        table = owner._table.indexed()
        made = cls._of(replace(table, columns=_levels_as_columns(table), column_names=(None,)))
        made._owner = owner
        return made

    @property
    def _as_index(self) -> Table:
        """A table without columns that has these labels as its index."""
        table = self._table
        levels = tuple(Level(label, value) for label, value in table.columns)
        is_own = not isinstance(table.index, Positions) and levels == table.index
        return replace(table, columns=(), index=levels, is_unique=is_own and table.is_unique)

    def _collected(self) -> Any:
        return Held._of(self._as_index)._collected().index

    def _shortened(self) -> Any:
        return self._collected()

    def _level(self, number: int) -> Series:
        """The labels of one level as a series."""
        return Series._of(replace(self._table, columns=(self._table.columns[number],)))

    def _back(self, found: Any) -> Any:
        """What was worked out from the labels: an index again, or an array of booleans or of days."""
        if not isinstance(found, Series):
            return found
        if found._value.dtype.is_bool or isinstance(found._value.dtype.spark, DateType):
            return Series._of(replace(found._raw, is_array=True))
        return Index._of(found._table)

    def _through(self, function: Callable[[Series], Any]) -> Any:
        """What a function of series gives for the labels."""
        if self.nlevels > 1:
            raise refused("an index of several levels in a calculation", "name the level: get_level_values()")
        return self._back(function(self._level(0)))

    @property
    def name(self) -> Label:
        """The name of an index of one level."""
        return self._raw.labels[0] if self.nlevels == 1 else None

    @name.setter
    def name(self, label: Label) -> None:
        self.names = [label]

    @property
    def names(self) -> list[Label]:
        """The names of the levels."""
        return self._raw.labels

    @names.setter
    def names(self, labels: Any) -> None:
        given = list(labels)
        if self._owner is not None:
            self._owner._become(self._owner._of(index_named(self._owner._raw, given)))
        pairs = zip(given, self._raw.columns, strict=True)
        self._become(Index._of(replace(self._raw, columns=tuple((label, one) for label, (_, one) in pairs))))

    @property
    def nlevels(self) -> int:
        """How many levels there are."""
        return len(self._raw.columns)

    @property
    def is_unique(self) -> bool:
        """Whether each label is there once; Spark looks."""
        return is_unique(self._as_index)

    @property
    def shape(self) -> tuple[int]:
        """The number of labels."""
        return (len(self),)

    @property
    def size(self) -> int:
        """The number of labels."""
        return len(self)

    def __len__(self) -> int:
        return super().__len__() if self._owner is None else len(self._owner)

    @property
    def dtype(self) -> Any:
        """The dtype that pandas would show."""
        return super().dtype if self.nlevels == 1 else np.dtype(object)

    def tolist(self) -> list[Any]:
        """The labels on this machine."""
        return list(self.to_pandas())

    to_list = tolist

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_pandas())

    def __contains__(self, label: Label) -> bool:
        table = self._table
        parts = label if isinstance(label, tuple) and self.nlevels > 1 else (label,)
        rows = table.rows()
        for (_, value), part in zip(table.columns, parts, strict=False):
            rows = rows.where(with_label(value, part).column)
        return bool(rows.take(1))

    def __getitem__(self, key: Any) -> Any:
        from predtrace.frontends.pandas.choosing.selecting import is_mask, masked

        table = self._table
        if is_mask(key):
            return Index._of(masked(table, key))
        if isinstance(key, slice):
            return Index._of(sliced(table, key))
        if is_list(key):
            return Index._of(taken(table, key))
        row = row_at(table, int(key))
        if not row.rows().take(1):
            raise IndexError(f"index {key} is out of bounds for axis 0")
        if self.nlevels > 1:
            return Index._of(row).to_pandas()[0]
        value = row.columns[0][1]
        return Scalar(row.rows().select(value.column.alias("value")), value.dtype)

    def __setitem__(self, key: Any, values: Any) -> None:
        raise TypeError("Index does not support mutable operations")

    def _operated(self, symbol: str, other: Any, swapped: bool = False) -> Any:
        return self._through(lambda labels: labels._operated(symbol, other, swapped))

    def _operate_in_place(self, symbol: str, other: Any) -> Any:
        """`index += other`: another index under this name; `df.index += 1` gives the frame that one."""
        return self._operated(symbol, other)

    def isin(self, values: Any, level: Any = None) -> Series:
        """Which labels are among some values."""
        found = self._level(0 if level is None else self._number(level)).isin(values)
        return Series._of(replace(found._raw, is_array=True))

    def _number(self, level: Any) -> int:
        return level_number(tuple(self.names), level)

    def get_level_values(self, level: Any) -> Index:
        """The labels of one level."""
        return Index._of(self._level(self._number(level))._table)

    def unique(self, level: Any = None) -> Index:
        """Each label once, where it comes first."""
        table = (self if level is None else self.get_level_values(level))._table
        return Index._of(first_rows(table, [value for _, value in table.columns]))

    drop_duplicates = unique  # type: ignore[assignment]

    def sort_values(self, ascending: bool = True) -> Index:  # type: ignore[override]
        """The labels in order."""
        table = self._table
        keys = tuple(Key(value.name, ascending) for _, value in table.columns)
        return Index._of(replace(table, order=(*keys, *table.order)))

    def map(self, mapper: Any) -> Any:  # type: ignore[override]
        """What a function or a dict gives for each label."""
        return self._through(lambda labels: labels.map(mapper))

    def astype(self, dtype: Any) -> Any:  # type: ignore[override]
        """The labels as another dtype."""
        return self._through(lambda labels: labels.astype(dtype))

    def to_series(self, name: Label = None) -> Series:
        """The labels as a series with this index."""
        made = self._level(0)
        return made if name is None else made._named(name)

    def to_frame(self, index: bool = True, name: Any = None) -> DataFrame:  # type: ignore[override]
        """The labels as columns of a frame."""
        from predtrace.frontends.pandas.frame import DataFrame

        table = self._table
        given = [name] if name is not None and not isinstance(name, (list, tuple)) else name
        labels = given or [place if label is None else label for place, label in enumerate(self.names)]
        columns = tuple((label, value) for label, (_, value) in zip(labels, table.columns, strict=True))
        own = self._as_index.index if index else Positions()
        return DataFrame._of(replace(table, columns=columns, index=own))

    def rename(self, name: Any, inplace: bool = False) -> Index | None:  # type: ignore[override]
        """The same under another name."""
        labels = list(name) if self.nlevels > 1 else [name]
        made = self if inplace else Index._of(self._raw)
        made.names = labels
        return None if inplace else made

    set_names = rename

    @property
    def str(self) -> Any:
        """Functions of texts for each label."""
        return _Mapped(self, self._level(0).str)

    def __getattr__(self, name: Any) -> Any:
        """The parts of moments are attributes of the index itself."""
        is_moment = not name.startswith("_") and self._raw.columns[0][1].dtype.is_moment
        if is_moment and hasattr(pd.DatetimeIndex, name) and hasattr(pd.Series.dt, name):
            return getattr(_Mapped(self, self._level(0).dt), name)
        if name == "levels" and self.nlevels > 1:
            why = "pandas still has the labels of rows that were filtered away"
            raise refused(f"Index.{name}", why, "use get_level_values(...).unique()")
        if name.startswith("_") or not (hasattr(pd.Index, name) or hasattr(pd.DatetimeIndex, name)):
            raise AttributeError(f"'Index' object has no attribute {name!r}")
        raise refused(f"Index.{name}", "it is not made for Spark yet")


class _Mapped:
    """An accessor of a series whose results are an index again."""

    def __init__(self, index: Index, accessor: Any) -> None:
        self._index = index
        self._accessor = accessor

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._accessor, name)
        if not callable(found) or isinstance(found, Held):
            return self._index._back(found)

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._index._back(found(*args, **kwargs))

        return call

    def __getitem__(self, key: Any) -> Any:
        return self._index._back(self._accessor[key])


def _levels_as_columns(table: Table) -> Any:
    return tuple((level.label, level.value) for level in table.levels())


give_operators(Index)
