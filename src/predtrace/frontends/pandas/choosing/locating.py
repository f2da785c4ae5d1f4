"""`loc`, `iloc`, `at` and `iat`: rows and columns by labels or places, to read them and to set values there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.choosing.cells import set_cells
from predtrace.frontends.pandas.choosing.enlarging import row_of, with_row
from predtrace.frontends.pandas.choosing.index import Index
from predtrace.frontends.pandas.choosing.labels import Found, found, is_list, labelled_as, listed
from predtrace.frontends.pandas.choosing.levels import level_labels
from predtrace.frontends.pandas.choosing.one_row import Row
from predtrace.frontends.pandas.choosing.selecting import chosen_columns, is_mask, mask_beside, masked
from predtrace.frontends.pandas.cleaning.membership import among_rows
from predtrace.frontends.pandas.core.arithmetic import inverted
from predtrace.frontends.pandas.core.elements import frame_of
from predtrace.frontends.pandas.core.facts import any_true
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.per_column import labelled_values
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table
from predtrace.frontends.pandas.series import Series

_ALL = slice(None)


class Locator:
    """Rows and columns of an object by keys. `df.loc[rows, columns]`, or `df.loc[rows]`."""

    _name = ""
    _by_place = False

    def __init__(self, held: Held) -> None:
        self._held = held

    def __call__(self, axis: Any = None) -> Any:
        raise refused(f".{self._name}(axis=...)", "write both keys: df.loc[rows, columns]")

    def __getitem__(self, key: Any) -> Any:
        rows, columns = self._keys(key)
        part = self._held
        is_all = isinstance(rows, slice) and rows == _ALL
        if columns is not _ALL:
            chosen = chosen_columns(part._table, columns, self._by_place)
            label = chosen.columns[0][0] if chosen.is_one else None
            if is_all and chosen.is_one and part._table.labels.count(label) == 1:
                # A column of the frame itself: what is changed there is changed here.
                return frame_of(self._held)._one(label)
            part = chosen.of(part._table)
        if is_all:
            return part.copy()
        return self._read(part, rows)

    def __setitem__(self, key: Any, values: Any) -> None:
        rows, columns = self._keys(key)
        table = self._held._table
        labels = table.labels if columns is _ALL else self._labels_to_set(table, columns)
        found_rows, values = self._meant(table, rows, labels, values)
        if found_rows is not None:
            if isinstance(values, (dict, Row)) and not found_rows.is_one:
                raise refused(
                    f".{self._name}[rows] = a row", "pandas takes its labels for labels of rows there"
                )
            made = set_cells(found_rows.table, found_rows.condition, labels, values, not self._by_place)
            self._become(made)

    def _become(self, table: Table) -> None:
        index = self._held._table.index
        if isinstance(index, Positions) and not isinstance(table.index, Positions):
            table = replace(table, index=index, is_unique=True)
        self._held._become(self._held._of(table))

    def _keys(self, key: Any) -> tuple[Any, Any]:
        if callable(key) and not isinstance(key, (Held, Scalar)):
            key = key(self._held)
        if isinstance(self._held, Series) or not isinstance(key, tuple):
            return (key[0] if self._is_single(key) else key), _ALL
        rows, columns = self._split(key)
        parts = [
            part(self._held) if callable(part) and not isinstance(part, (Held, Scalar)) else part
            for part in (rows, columns)
        ]
        is_all = isinstance(parts[1], slice) and parts[1] == _ALL
        return parts[0], _ALL if is_all else parts[1]

    def _is_single(self, key: Any) -> bool:
        return isinstance(key, tuple) and len(key) == 1

    def _split(self, key: tuple[Any, ...]) -> tuple[Any, Any]:
        if len(key) > 2:
            raise pd.errors.IndexingError("Too many indexers")
        return key[0], key[1] if len(key) == 2 else _ALL

    def _labels_to_set(self, table: Table, columns: Any) -> list[Label]:
        """The columns where values are set; with `loc` a new one may be named."""
        if not self._by_place:
            wanted = (
                [*columns]
                if isinstance(columns, (list, np.ndarray, pd.Index)) and not is_mask(columns)
                else [columns]
            )
            is_new = [pd.api.types.is_hashable(label) and label not in table.labels for label in wanted]
            if not isinstance(columns, (slice, tuple)) and any(is_new) and not is_mask(columns):
                return wanted
        return [label for label, _ in chosen_columns(table, columns, self._by_place).columns]

    def _read(self, part: Held, key: Any) -> Any:
        raise NotImplementedError

    def _meant(self, table: Table, key: Any, labels: list[Label], values: Any) -> tuple[Found | None, Any]:
        """The rows where values are set, and the values for these; None if they are set already."""
        raise NotImplementedError


class Loc(Locator):
    """By labels."""

    _name = "loc"

    def _split(self, key: tuple[Any, ...]) -> tuple[Any, Any]:
        """For an index of several levels a tuple may be a row's label."""
        table = self._held._table
        if isinstance(table.index, Positions) or len(table.index) == 1:
            return super()._split(key)
        if len(key) != 2:
            return key, _ALL
        last = key[1]
        if not all(pd.api.types.is_scalar(part) for part in key):
            return super()._split(key)
        if last not in table.labels:
            return key, _ALL
        row = found(table, key)
        is_row = row.condition is not None and bool(row.table.kept(row.condition).rows().take(1))
        return (key, _ALL) if is_row else key

    def _read(self, part: Held, key: Any) -> Any:
        table = part._table
        if is_mask(key):
            return part._of(masked(table, key))
        if isinstance(key, Index):
            return part._of(labelled_as(table, key._as_index))
        if isinstance(key, Series):
            level = Level(level_labels(table)[0], key._table.columns[0][1])
            return part._of(labelled_as(table, replace(key._table, index=(level,), is_unique=False)))
        if is_list(key):
            return part._of(listed(table, list(key)))
        meant = found(table, key, isinstance(part, Series))
        kept = meant.table if meant.condition is None else meant.table.kept(meant.condition)
        if meant.fixed:
            rest = tuple(level for place, level in enumerate(kept.levels()) if place not in meant.fixed)
            kept = replace(kept, index=rest, is_unique=False)
        if not meant.is_one:
            if not isinstance(key, slice) and not _has_slice(key) and not kept.rows().take(1):
                raise KeyError(key)
            return part._of(kept)
        return one_of(
            part, kept, self._held._table, KeyError(key if not isinstance(key, Scalar) else key._known)
        )

    def _meant(self, table: Table, key: Any, labels: list[Label], values: Any) -> tuple[Found | None, Any]:
        if is_mask(key):
            return Found(*mask_beside(table, key)), values
        if isinstance(key, slice) and key == _ALL:
            return Found(table, None), values
        if isinstance(key, Series):
            return _labels_of(table, key, values), values
        if is_list(key):
            return self._listed(table, list(key), labels, values)
        meant = found(table, key)
        if not meant.is_one or meant.condition is None:
            return meant, values
        if isinstance(values, (pd.Series, Series)):
            values = labelled_values(values)
        if meant.table.kept(meant.condition).rows().take(1):
            return meant, values
        is_row = labels == table.labels and not isinstance(values, Held)
        if len(labels) > 1 and not set(labels) <= set(table.labels):
            raise refused(f"loc[{key!r}, {labels}] = values", "the row and a column are both new")
        self._held._become(self._held._of(with_row(table, key, row_of(labels, values) if is_row else None)))
        return (None, values) if is_row else (found(self._held._table, key), values)

    def _listed(self, table: Table, key: list[Any], labels: list[Label], values: Any) -> tuple[Found, Any]:
        """A list of values for a list of labels: each for its label."""
        listed(replace(table, columns=()), key)
        if is_several(values) and (len(labels) == 1 or np.ndim(values) > 1):
            if len(set(key)) < len(key):
                raise refused("loc[labels] = list of values", "a label comes twice")
            several = pd.DataFrame(values, index=key)
            several.columns = pd.Index(labels, tupleize_cols=False)
            values = several if len(labels) > 1 else several.iloc[:, 0]
        return found(table, key), values


def _labels_of(table: Table, key: Series, values: Any) -> Found:
    """The rows whose labels are those of an index, or the values of a series: they depend on its rows."""
    if is_several(values) or getattr(values, "_kind", "") == "Index":
        raise refused("loc[index] = list of values", "the index is on Spark, and the values are in its order")
    table = table.indexed()
    levels, wanted = table.levels(), key._table
    if len(levels) > 1 or len(wanted.columns) > 1:
        raise refused("loc[index] = values", "the index has several levels")
    own = replace(table, columns=((None, levels[0].value),))
    if any_true([inverted(among_rows(wanted.columns[0][1], own))])[0]:
        raise KeyError("some labels are not in the index")
    return Found(table, among_rows(levels[0].value, wanted))


def _has_slice(key: Any) -> bool:
    return isinstance(key, tuple) and any(isinstance(part, slice) or is_list(part) for part in key)


def is_several(values: Any) -> bool:
    """Whether values come in a list, without labels."""
    return isinstance(values, (list, tuple, range, pd.Index)) or (
        isinstance(values, np.ndarray) and values.ndim > 0
    )


class At(Loc):
    """One value by labels."""

    _name = "at"

    def _keys(self, key: Any) -> tuple[Any, Any]:
        rows, columns = super()._keys(key)
        if any(isinstance(part, (list, np.ndarray)) for part in (rows, columns)):
            raise pd.errors.InvalidIndexError(key)
        return rows, columns


def one_of(part: Held, row: Table, whole: Table, problem: Exception) -> Any:
    """The one row that was found: a scalar of a series, a row of a frame; all of them if there are several."""
    values = [value for _, value in row.columns]
    is_series = isinstance(part, Series)
    wanted = [values[0].column.alias("value")] if is_series else []
    rows = row.rows()
    found_rows = (rows.select(*wanted) if is_series else rows).take(2)
    if not found_rows:
        raise problem
    if len(found_rows) > 1:
        return part._of(row)
    if not is_series:
        return Row._in(row, whole)
    return Scalar(rows.select(*wanted), values[0].dtype)
