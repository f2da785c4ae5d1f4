"""What every method of groups works with: how the rows are in groups, and which columns are meant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import pandas as pd

from predtrace.frontends.pandas.core.certain import certain_values, is_numeric
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
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
        found = [(label, value) for label, value in settled if not numeric_only or is_numeric(value.dtype)]
        labels = [label for label, _ in found]
        check_once(self._kind, labels, labels)
        return found

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


def check_once(call: str, wanted: Iterable[Label], labels: list[Label]) -> None:
    """Refuse columns whose label comes twice."""
    twice = [label for label in wanted if labels.count(label) > 1]
    if twice:
        raise refused(
            call, f"there are several columns {twice[0]!r}", "give the columns different labels first"
        )


class GroupedFrame(Grouped):
    """Groups of a frame, of which columns can be chosen."""

    _kind = "DataFrameGroupBy"

    @property
    def _of_series(self) -> type[Grouped]:
        """The class of the groups of one column."""
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Any:
        table = self._groups.table
        if isinstance(key, (list, pd.Index)):
            missing = [label for label in key if label not in table.labels]
            if missing:
                raise KeyError(f"Columns not found: {str(missing)[1:-1]}")
            check_once(self._kind, key, table.labels)
            chosen = tuple((label, table.values(label)[0]) for label in key)
            return type(self)(self._groups, chosen, is_chosen=True)
        if isinstance(key, tuple) and key not in table.labels:
            raise ValueError(
                "Cannot subset columns with a tuple with more than one element. Use a list instead."
            )
        if key not in table.labels:
            raise KeyError(f"Column not found: {key}")
        check_once(self._kind, [key], table.labels)
        return self._of_series(self._groups, ((key, table.values(key)[0]),), is_chosen=True)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._groups.table.labels:
            return self[name]
        raise _not_there(self, name)


class GroupedSeries(Grouped):
    """Groups of a series."""

    _kind = "SeriesGroupBy"
    _is_series = True

    def __getattr__(self, name: str) -> Any:
        raise _not_there(self, name)


def _not_there(grouped: Grouped, name: str) -> Exception:
    """The error for a method that is not made for Spark, or that pandas has not either."""
    kinds = (getattr(pd.api.typing, grouped._kind), pd.api.typing.Resampler)
    if not name.startswith("_") and any(hasattr(kind, name) for kind in kinds):
        return refused(f"{grouped._kind}.{name}", "it is not made for Spark yet")
    return AttributeError(f"'{grouped._kind}' object has no attribute {name!r}")
