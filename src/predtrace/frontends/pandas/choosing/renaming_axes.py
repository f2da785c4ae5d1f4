"""Names and levels of an index, and of the labels of columns: `rename_axis`, `droplevel`, `swaplevel`, `set_axis`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import pandas as pd

from predtrace.frontends.pandas.choosing.levels import index_named, level_labels, level_number
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.steps import in_place
from predtrace.frontends.pandas.core.tables import Label, Table

Same = TypeVar("Same", bound=Held)
_NOT_GIVEN = object()


class RenamingAxes(Held):
    """What frames and series have in common."""

    @in_place
    def rename_axis(
        self, mapper: Any = _NOT_GIVEN, *, index: Any = _NOT_GIVEN, columns: Any = _NOT_GIVEN, axis: Any = 0
    ) -> Any:
        """The same with other names of the index, or of the columns."""
        if mapper is not _NOT_GIVEN:
            index, columns = (mapper, columns) if axis in (0, "index") else (index, mapper)
        table = self._raw
        if index is not _NOT_GIVEN:
            table = index_named(table, _names(level_labels(table), index))
        if columns is not _NOT_GIVEN:
            table = replace(table, column_names=tuple(_names(table.column_names, columns)))
        return self._of(table)

    def droplevel(self: Same, level: Any, axis: Any = 0) -> Same:
        """Without some levels of the index, or of the columns' labels."""
        wanted = level if isinstance(level, (list, tuple)) else [level]
        table = self._table
        known = level_labels(table) if axis in (0, "index") else table.column_names
        gone = {level_number(known, one) for one in wanted}
        kept = [number for number in range(len(known)) if number not in gone]
        if not kept:
            what = f"Cannot remove {len(gone)} levels from an index with {len(known)} levels"
            raise ValueError(f"{what}: at least one level must be left.")
        return self._of(_with_levels(table, kept, axis))

    def swaplevel(self: Same, i: Any = -2, j: Any = -1, axis: Any = 0) -> Same:
        """Two levels in each other's place."""
        table = self._table
        known = level_labels(table) if axis in (0, "index") else table.column_names
        numbers = list(range(len(known)))
        one, other = level_number(known, i), level_number(known, j)
        numbers[one], numbers[other] = numbers[other], numbers[one]
        return self._of(_with_levels(table, numbers, axis))

    def reorder_levels(self: Same, order: Any, axis: Any = 0) -> Same:
        """The levels in another order."""
        table = self._table
        known = level_labels(table) if axis in (0, "index") else table.column_names
        return self._of(_with_levels(table, [level_number(known, one) for one in order], axis))

    def set_axis(self: Same, labels: Any, *, axis: Any = 0, copy: Any = None) -> Same:
        """The same with other labels of the rows, or of the columns."""
        made: Any = self.copy()
        if axis in (0, "index"):
            made.index = labels
        else:
            made.columns = labels
        return made  # type: ignore[no-any-return]


def _names(known: tuple[Label, ...], given: Any) -> list[Label]:
    if isinstance(given, dict):
        return [given.get(name, name) for name in known]
    if callable(given):
        return [given(name) for name in known]
    return list(given) if pd.api.types.is_list_like(given) else [given]


def _with_levels(table: Table, numbers: list[int], axis: Any) -> Table:
    """The levels of these numbers alone, in this order."""
    if axis in (0, "index"):
        indexed = table.indexed()
        levels = indexed.levels()
        known = indexed.is_unique and len(numbers) == len(levels)
        return replace(indexed, index=tuple(levels[number] for number in numbers), is_unique=known)
    labels = [[*label] for label in table.labels if isinstance(label, tuple)]
    made = [tuple(label[number] for number in numbers) for label in labels]
    return replace(
        table,
        columns=tuple(
            (label if len(numbers) > 1 else label[0], value)
            for label, (_, value) in zip(made, table.columns, strict=True)
        ),
        column_names=tuple(table.column_names[number] for number in numbers),
    )
