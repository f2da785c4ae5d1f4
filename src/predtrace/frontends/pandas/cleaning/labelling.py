"""Labels of columns and rows, and columns as a whole: `drop`, `rename`, `insert`, `pop`, `assign`, `add_prefix`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from predtrace.frontends.pandas.cleaning.row_labels import listed, with_row_labels, with_words, without_rows
from predtrace.frontends.pandas.core.elements import axis_number, frame_of, is_series
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.steps import in_place, only
from predtrace.frontends.pandas.core.tables import Label, Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


class LabellingFrame(Held):
    """These methods of a DataFrame."""

    @in_place
    def drop(
        self,
        labels: Any = None,
        *,
        axis: Any = 0,
        index: Any = None,
        columns: Any = None,
        level: Any = None,
        errors: str = "raise",
    ) -> DataFrame:
        """Without some columns, or without the rows of some labels."""
        only("DataFrame.drop()", {"level": None}, {"level": level})
        if labels is not None:
            if index is not None or columns is not None:
                raise ValueError("Cannot specify both 'labels' and 'index'/'columns'")
            index, columns = (labels, None) if axis_number(axis) == 0 else (None, labels)
        elif index is None and columns is None:
            raise ValueError("Need to specify at least one of 'labels', 'index' or 'columns'")
        table = self._table
        if columns is not None:
            table = _without_columns(table, listed(columns), errors)
        if index is not None:
            table = without_rows("DataFrame.drop()", table, index, errors)
        return frame_of(self._of(table))

    @in_place
    def rename(
        self,
        mapper: Any = None,
        *,
        index: Any = None,
        columns: Any = None,
        axis: Any = None,
        copy: Any = None,
        level: Any = None,
        errors: str = "ignore",
    ) -> DataFrame:
        """Other labels for columns or rows, by a dict or a function."""
        if mapper is None and index is None and columns is None:
            raise TypeError("must pass an index to rename")
        if mapper is not None:
            if index is not None or columns is not None:
                raise TypeError("Cannot specify both 'mapper' and any of 'index' or 'columns'")
            index, columns = (None, mapper) if axis_number(axis or 0) == 1 else (mapper, None)
        table = self._table
        if columns is not None:
            table = _with_labels(table, columns, level, errors)
        if index is not None:
            call = "DataFrame.rename(index=...)"
            only(call, {"level": None, "errors": "ignore"}, {"level": level, "errors": errors})
            table = with_row_labels(call, table, index)
        return frame_of(self._of(table))

    def add_prefix(self, prefix: str, axis: Any = None) -> DataFrame:
        """The same with a text before the label of each column."""
        only("DataFrame.add_prefix()", {"axis": None}, {"axis": None if axis in (1, "columns") else axis})
        return frame_of(self._of(_with_labels(self._table, lambda label: f"{prefix}{label}", None, "ignore")))

    def add_suffix(self, suffix: str, axis: Any = None) -> DataFrame:
        """The same with a text after the label of each column."""
        only("DataFrame.add_suffix()", {"axis": None}, {"axis": None if axis in (1, "columns") else axis})
        return frame_of(self._of(_with_labels(self._table, lambda label: f"{label}{suffix}", None, "ignore")))

    def insert(self, loc: int, column: Label, value: Any, allow_duplicates: bool = False) -> None:
        """Put a new column at a place, in place."""
        frame = frame_of(self)
        known = frame._table.columns
        if column in frame._table.labels:
            only("DataFrame.insert()", {"allow_duplicates": False}, {"allow_duplicates": allow_duplicates})
            raise ValueError(f"cannot insert {column}, already exists")
        if loc < 0:
            raise ValueError("unbounded slice")
        if loc > len(known):
            raise IndexError(f"index {loc} is out of bounds for axis 0 with size {len(known)}")
        frame._set(column, value)
        *others, last = frame._table.columns
        columns = (*others[:loc], last, *others[loc:])
        frame._become(self._of(replace(frame._table, columns=columns)))

    def pop(self, item: Label) -> Series:
        """Take a column out of the frame."""
        frame = frame_of(self)
        column = frame._one(item)
        del frame[item]
        return column

    def assign(self, **kwargs: Any) -> DataFrame:
        """With columns set, one after the other; functions are called with the frame as it is then."""
        frame = frame_of(self.copy())
        for label, values in kwargs.items():
            frame._set(label, values(frame) if callable(values) and not isinstance(values, Held) else values)
        return frame


class LabellingSeries(Held):
    """These methods of a Series."""

    @in_place
    def drop(
        self,
        labels: Any = None,
        *,
        axis: Any = 0,
        index: Any = None,
        columns: Any = None,
        level: Any = None,
        errors: str = "raise",
    ) -> Series:
        """Without the rows of some labels."""
        only("Series.drop()", {"level": None}, {"level": level})
        axis_number(axis, "Series")
        given = labels if labels is not None else index
        if given is None:
            raise ValueError("Need to specify at least one of 'labels', 'index' or 'columns'")
        return self._of(without_rows("Series.drop()", self._table, given, errors))  # type: ignore[return-value]

    @in_place
    def rename(self, index: Any = None, *, axis: Any = None, copy: Any = None, **given: Any) -> Series:
        """Another name; with a dict, other labels for the rows."""
        only("Series.rename()", {"level": None, "errors": "ignore"}, given)
        if callable(index) or isinstance(index, Mapping) or is_series(index):
            return self._of(with_row_labels("Series.rename()", self._table, index))  # type: ignore[return-value]
        if not isinstance(index, Hashable):
            raise TypeError("Series.name must be a hashable type")
        renamed = replace(self._raw, columns=((index, self._raw.columns[0][1]),))
        return self._of(renamed)  # type: ignore[return-value]

    def add_prefix(self, prefix: str, axis: Any = None) -> Series:
        """The same with a text before each label of the index."""
        return self._of(with_words(self._table, prefix, ""))  # type: ignore[return-value]

    def add_suffix(self, suffix: str, axis: Any = None) -> Series:
        """The same with a text after each label of the index."""
        return self._of(with_words(self._table, "", suffix))  # type: ignore[return-value]


def _without_columns(table: Table, labels: list[Label], errors: str) -> Table:
    """A label of columns with several levels may name their first levels alone."""

    def is_meant(known: Label, label: Label) -> bool:
        if known == label:
            return True
        given = label if isinstance(label, tuple) else (label,)
        return isinstance(known, tuple) and known[: len(given)] == given

    missing = [label for label in labels if not any(is_meant(known, label) for known in table.labels)]
    if missing and errors != "ignore":
        raise KeyError(f"{missing} not found in axis")
    kept = tuple(
        (known, value)
        for known, value in table.columns
        if not any(is_meant(known, label) for label in labels)
    )
    return replace(table, columns=kept)


def _with_labels(table: Table, mapper: Any, level: Any, errors: str) -> Table:
    to = _function(mapper)
    labels = table.labels
    if errors == "raise" and isinstance(mapper, Mapping):
        missing = [label for label in mapper if label not in labels]
        if missing:
            raise KeyError(f"{missing} not found in axis")
    if labels and all(isinstance(label, tuple) for label in labels):
        number = _level_number(table, level)
        parts: list[list[Any]] = [list(label) for label in labels]  # type: ignore[call-overload]
        made = [
            tuple(to(one) if number in (None, place) else one for place, one in enumerate(label))
            for label in parts
        ]
    else:
        made = [to(label) for label in labels]
    return replace(
        table,
        columns=tuple((label, value) for label, (_, value) in zip(made, table.columns, strict=True)),
    )


def _level_number(table: Table, level: Any) -> int | None:
    if level is None or isinstance(level, int):
        return level
    return table.column_names.index(level)


def _function(mapper: Any) -> Callable[[Any], Any]:
    if is_series(mapper):
        mapper = mapper.to_pandas()
    if isinstance(mapper, (Mapping, pd.Series)):
        return lambda label: mapper.get(label, label)
    if not callable(mapper):
        raise TypeError(f"'{type(mapper).__name__}' object is not callable")
    return mapper  # type: ignore[no-any-return]
