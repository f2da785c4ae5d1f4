"""Rows in another order: `sort_values`, `sort_index`, `nlargest`, `nsmallest`.

Sorting only says the order; nothing moves until somebody looks. Rows with the same keys stay as they were: that is
what pandas does for several keys, and for one key with `kind="stable"`; otherwise it leaves their order open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.levels import level_labels, level_number
from predtrace.frontends.pandas.choosing.row_places import head_of
from predtrace.frontends.pandas.core.categories import held
from predtrace.frontends.pandas.core.dtypes import BOOL, INT64, check_no_difference, check_not_kept
from predtrace.frontends.pandas.core.facts import texts_and_numbers
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Key, Value
from predtrace.frontends.pandas.core.steps import in_place, refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame

Sorted = TypeVar("Sorted", bound=Held)
Function = Callable[[Any], Any]


class Sorting(Held):
    """What frames and series have in common."""

    @in_place
    def sort_index(
        self,
        *,
        axis: Any = 0,
        level: Any = None,
        ascending: Any = True,
        kind: str = "quicksort",
        na_position: str = "last",
        sort_remaining: bool = True,
        ignore_index: bool = False,
        key: Function | None = None,
    ) -> Any:
        """The rows in the order of their index labels, or the columns in the order of theirs."""
        if key is not None:
            raise refused(f"{self._kind}.sort_index(key=...)", "sort by a column instead")
        if axis in (1, "columns"):
            return self._of(_columns_sorted(self._table, ascending))
        if isinstance(self._raw.index, Positions) and _flags(ascending, 1) == [True]:
            return self.copy()
        table = self._table.indexed()
        levels = _levels(table, level, sort_remaining)
        flags = _flags(ascending, len(levels)) if level is None else _spread(ascending, level, len(levels))
        keys = [(each.value, flag) for each, flag in zip(levels, flags, strict=True)]
        own_order = tuple(replace(each, known=None) for each in table.levels())
        return self._of(_sorted(replace(table, index=own_order), keys, na_position, ignore_index))


class SortingFrame(Sorting):
    """These methods of a DataFrame."""

    @in_place
    def sort_values(
        self,
        by: Any,
        *,
        axis: Any = 0,
        ascending: Any = True,
        kind: str = "quicksort",
        na_position: str = "last",
        ignore_index: bool = False,
        key: Function | None = None,
    ) -> Any:
        """The rows in the order of one or several columns."""
        if axis not in (0, "index"):
            raise refused("DataFrame.sort_values(axis=1)", "columns are not in order by the values of a row")
        labels = by if isinstance(by, list) else [by]
        table = _ready(self._table, labels, ignore_index)
        values = [_found(table, label) for label in labels]
        if key is not None:
            values = [
                _keyed("DataFrame", table, label, value, key)
                for label, value in zip(labels, values, strict=True)
            ]
        flags = _flags(ascending, len(labels))
        return self._of(_sorted(table, list(zip(values, flags, strict=True)), na_position, ignore_index))

    def nlargest(self, n: int, columns: Any, keep: str = "first") -> DataFrame:
        """The rows with the largest values, in their order."""
        return self._of(_extreme("nlargest", self._table, n, columns, keep))  # type: ignore[return-value]

    def nsmallest(self, n: int, columns: Any, keep: str = "first") -> DataFrame:
        """The rows with the smallest values, in their order."""
        return self._of(_extreme("nsmallest", self._table, n, columns, keep))  # type: ignore[return-value]


class SortingSeries(Sorting):
    """These methods of a Series."""

    @in_place
    def sort_values(
        self,
        *,
        axis: Any = 0,
        ascending: Any = True,
        kind: str = "quicksort",
        na_position: str = "last",
        ignore_index: bool = False,
        key: Function | None = None,
    ) -> Any:
        """The values in order."""
        table = _ready(self._table, [], ignore_index)
        label, value = table.columns[0]
        if key is not None:
            value = _keyed("Series", table, label, value, key)
        return self._of(_sorted(table, [(value, _flags(ascending, 1)[0])], na_position, ignore_index))

    def nlargest(self: Sorted, n: int = 5, keep: str = "first") -> Sorted:
        """The largest values, in their order."""
        return self._of(_extreme("nlargest", self._table, n, self._table.labels[0], keep))

    def nsmallest(self: Sorted, n: int = 5, keep: str = "first") -> Sorted:
        """The smallest values, in their order."""
        return self._of(_extreme("nsmallest", self._table, n, self._table.labels[0], keep))


def _sorted(table: Table, keys: Sequence[tuple[Value, bool]], na_position: str, ignore_index: bool) -> Table:
    if na_position not in ("first", "last"):
        raise ValueError(f"invalid na_position: {na_position}")
    if len(keys) > 1:
        check_not_kept(
            "a sort by several columns", *(value.dtype for value, _ in keys if value.dtype.is_mixed)
        )
    found = tuple(
        Key(sortable(value).name, ascending, missing_last=na_position == "last") for value, ascending in keys
    )
    made = replace(table, order=(*found, *table.order))
    return replace(made, index=Positions(), is_unique=True) if ignore_index else made


def _ready(table: Table, labels: Sequence[Label], ignore_index: bool) -> Table:
    """The table as it is sorted: positions that stay with their rows, or that are sorted by, have values."""
    is_needed = not ignore_index or any(label in level_labels(table) for label in labels)
    return table.indexed() if is_needed else table


def sortable(value: Value) -> Value:
    """A value whose order in Spark is its order in pandas: categories come in the order they have."""
    if value.dtype.is_mixed:
        if all(texts_and_numbers(value)):
            raise TypeError("'<' not supported between instances of 'str' and 'int'")
        check_not_kept("a sort by values", value.dtype)
    check_no_difference("a sort by values", value.dtype)
    if value.dtype.categories is None:
        return value.space.settled(value, "key")
    known = F.array(*(F.lit(held(one)) for one in value.dtype.categories))
    number = value.with_column(F.nullif(F.array_position(known, value.column), F.lit(0)), INT64.missing())
    return value.space.settled(number, "category")


def _flags(ascending: Any, count: int) -> list[bool]:
    """Whether each key grows."""
    if isinstance(ascending, (bool, int, np.bool_)):
        return [bool(ascending)] * count
    flags = [bool(one) for one in ascending]
    if len(flags) != count:
        raise ValueError(f"Length of ascending ({len(flags)}) != length of by ({count})")
    return flags


def _found(table: Table, label: Label) -> Value:
    """The column that a label names, or the level of the index."""
    values = table.values(label)
    if len(values) > 1:
        raise ValueError(f"The column label '{label}' is not unique.")
    if values:
        return values[0]
    if label is None or label not in level_labels(table):
        raise KeyError(label)
    return table.levels()[level_labels(table).index(label)].value


def _keyed(kind: str, table: Table, label: Label, value: Value, key: Function) -> Value:
    """What a function makes of a column, to sort by."""
    from predtrace.frontends.pandas.series import Series

    made = key(Series._of(replace(table, columns=((label, value),), column_names=(None,))))
    if not isinstance(made, Series) or not table.has_rows_of(made._raw):
        raise refused(f"{kind}.sort_values(key=...)", "the function does not give one value for each row")
    return made._table.columns[0][1]


def _levels(table: Table, level: Any, sort_remaining: bool) -> list[Level]:
    """The levels of the index to sort by, first those that are named."""
    levels = list(table.levels())
    if level is None:
        return levels
    labels = tuple(one.label for one in levels)
    numbers = [level_number(labels, one) for one in (level if isinstance(level, (list, tuple)) else [level])]
    rest = [number for number in range(len(levels)) if number not in numbers and sort_remaining]
    return [levels[number] for number in [*numbers, *rest]]


def _spread(ascending: Any, level: Any, count: int) -> list[bool]:
    """Directions for the levels that are named; the other levels grow, or go as the only direction given."""
    if isinstance(ascending, (bool, int, np.bool_)):
        return [bool(ascending)] * count
    named = len(level) if isinstance(level, (list, tuple)) else 1
    return [*_flags(ascending, named), *([True] * (count - named))]


def _columns_sorted(table: Table, ascending: Any) -> Table:
    places = pd.Series(range(len(table.columns)), index=pd.Index(table.labels)).sort_index(
        ascending=ascending
    )
    return replace(table, columns=tuple(table.columns[place] for place in places))


def _extreme(call: str, table: Table, count: int, labels: Any, keep: str) -> Table:
    wanted = labels if isinstance(labels, list) else [labels]
    table = table.indexed()
    values = [_found(table, label) for label in wanted]
    for label, value in zip(wanted, values, strict=True):
        if value.dtype.name in ("object", "category"):
            raise TypeError(
                f"Column {label!r} has dtype {value.dtype.name}, cannot use method {call!r} with this dtype"
            )
    if keep not in ("first", "last", "all"):
        raise ValueError('keep must be either "first", "last" or "all"')
    if keep == "last":
        raise refused(
            f"{call}(keep='last')", "pandas' order of equal values depends on how many rows there are"
        )
    keys = [(value, call == "nsmallest") for value in values]
    found = _sorted(table, keys, "last", ignore_index=False)
    if keep == "first":
        return head_of(found, max(count, 0))
    order = found.order[: len(keys)]
    by_keys = replace(found, order=order)
    column = F.rank().over(by_keys.window()) <= count
    within = Value(found.space, column, frozenset(key.name for key in order), BOOL, is_window=True)
    return found.kept(within)
