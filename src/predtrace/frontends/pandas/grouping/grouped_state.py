"""What every method of groups works with: how the rows are in groups, and which columns are meant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from predtrace.frontends.pandas.core.certain import certain_values, is_numeric
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.tables import Label, Positions, Table
from predtrace.frontends.pandas.grouping.groups import Groups, adopted

Same = TypeVar("Same", bound="Grouped")


class Grouped:
    """Groups and the columns that were chosen of them; if none were, all but the keys."""

    _kind = ""
    _is_series = False

    def __init__(
        self, groups: Groups, columns: tuple[tuple[Label, Value], ...], is_chosen: bool = False
    ) -> None:
        self._groups = groups
        self._columns = columns
        self._is_chosen = is_chosen

    def _shown_table(self) -> Table:
        raise NotImplementedError

    def _certain(self, numeric_only: bool = False) -> list[tuple[Label, Value]]:
        """The columns with certain dtypes, settled."""
        space = self._groups.table.space
        values = certain_values([value for _, value in self._columns])
        settled = [
            (label, space.settled(value, "value" if label is None else label))
            for (label, _), value in zip(self._columns, values, strict=True)
        ]
        return [(label, value) for label, value in settled if not numeric_only or is_numeric(value.dtype)]

    def _indexed(self: Same) -> Same:
        """The same groups of a table whose index has values."""
        if not isinstance(self._groups.table.index, Positions):
            return self
        groups = self._groups.indexed()
        columns = tuple((label, adopted(groups.table, value)) for label, value in self._columns)
        return type(self)(groups, columns, self._is_chosen)

    def _of(self, table: Table) -> Any:
        """A series, or a frame if these are groups of one."""
        from predtrace.frontends.pandas.series import Series

        return Series._of(table) if self._is_series else self._of_frame(table)

    def _of_frame(self, table: Table) -> Any:
        from predtrace.frontends.pandas.frame import DataFrame

        return DataFrame._of(table)

    def _collapsed(self, table: Table) -> Any:
        """What has a row for each group: a series only if the keys are its index."""
        return self._of(table) if self._groups.as_index else self._of_frame(table)

    def _beside_rows(self, columns: Iterable[tuple[Label, Value]]) -> Any:
        """New values for each row of the frame."""
        names = (None,) if self._is_series else self._groups.table.column_names
        return self._of(replace(self._groups.table, column_names=names).with_columns(columns))
