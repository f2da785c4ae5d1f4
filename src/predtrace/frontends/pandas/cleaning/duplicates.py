"""Rows that came before: `duplicated`, `drop_duplicates`.

Which row of the same values stays is decided by the order of the rows, while Spark's own `dropDuplicates` keeps any
of them. So each row is compared with the first place (or the last, or the number) of all rows with its values: it
depends on all of them, as a row of `dropDuplicates` does. A numbering would make it depend on the rows before alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.places import place
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import in_place
from predtrace.frontends.pandas.core.tables import Label, Positions, Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series


class DuplicatesFrame(Held):
    """These methods of a DataFrame."""

    @in_place
    def drop_duplicates(self, subset: Any = None, *, keep: Any = "first", ignore_index: bool = False) -> Any:
        """One row of those with the same values, or (`keep=False`) only rows that have no other of the same."""
        table = _ready(self._table, ignore_index)
        return self._of(_without(table, _keys(table, subset), keep))

    def duplicated(self, subset: Any = None, keep: Any = "first") -> Series:
        """Which rows have the values of another row; but not the one that is kept."""
        return _flags(self._table, _keys(self._table, subset), keep, None)


class DuplicatesSeries(Held):
    """These methods of a Series."""

    @in_place
    def drop_duplicates(self, *, keep: Any = "first", ignore_index: bool = False) -> Any:
        """One row of those with the same value, or (`keep=False`) only values that are there once."""
        table = _ready(self._table, ignore_index)
        return self._of(_without(table, [table.columns[0][1]], keep))

    def duplicated(self, keep: Any = "first") -> Series:
        """Which rows have the value of another row; but not the one that is kept."""
        table = self._table
        return _flags(table, [table.columns[0][1]], keep, table.labels[0])


def first_rows(table: Table, keys: Sequence[Value]) -> Table:
    """The first row of those with the same values of some columns, where it is."""
    return _without(table, keys, "first")


def _ready(table: Table, ignore_index: bool) -> Table:
    """The table with an index that rows keep, or that counts those that stay."""
    return replace(table, index=Positions(), is_unique=True) if ignore_index else table.indexed()


def _without(table: Table, keys: Sequence[Value], keep: Any) -> Table:
    return table.kept(_staying(table, keys, keep)) if keys else table


def _keys(table: Table, subset: Any) -> list[Value]:
    if subset is None:
        return [value for _, value in table.columns]
    is_one = isinstance(subset, str) or not hasattr(subset, "__iter__")
    labels: list[Label] = (
        [subset] if is_one or (isinstance(subset, tuple) and subset in table.labels) else [*subset]
    )
    missing = [label for label in labels if label not in table.labels]
    if missing:
        raise KeyError(missing)
    return [value for label in labels for value in table.values(label)]


def _staying(table: Table, keys: Sequence[Value], keep: Any) -> Value:
    """Which row stays of those with the same keys."""
    same = Window.partitionBy(*(key.name for key in keys))
    uses = frozenset(key.name for key in keys)
    if keep is False:
        return Value(table.space, F.count(F.lit(1)).over(same) == 1, uses, BOOL, is_window=True)
    if keep not in ("first", "last"):
        raise ValueError('keep must be either "first", "last" or False')
    own = place(table, keys)
    kept = (F.min if keep == "first" else F.max)(own.column).over(same)
    return Value(table.space, own.column.eqNullSafe(kept), uses | own.uses, BOOL, is_window=True)


def _flags(table: Table, keys: Sequence[Value], keep: Any, name: Label) -> Series:
    from predtrace.frontends.pandas.series import Series

    if not keys:
        flag = Value(table.space, F.lit(False), frozenset(), BOOL)
    else:
        stays = _staying(table, keys, keep)
        flag = stays.with_column(~stays.column, BOOL)
    return Series._of(replace(table, columns=((name, flag),), column_names=(None,)))
