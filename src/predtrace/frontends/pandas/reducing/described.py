"""What `describe` says of columns that are not all numbers: counts, texts and moments below each other.

Such a column has objects of several types, which no column of Spark can hold. So this is no frame. It is shown like
pandas' own, and each of its cells is a `Scalar`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import is_numeric
from predtrace.frontends.pandas.core.dtypes import Dtype
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.spaces import fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label
from predtrace.frontends.pandas.reducing.aggregates import Cell

Column = tuple[Label, Mapping[str, Cell], Dtype]
"""A column's label, its cells by their lines, and the dtype of the values that are described."""


class Described:
    """A description. `rows`: those that the cells are aggregates of."""

    def __init__(self, rows: Rows, lines: Sequence[str], columns: Sequence[Column], is_series: bool) -> None:
        self._lines = list(lines)
        self._is_series = is_series
        self._labels = [label for label, _, _ in columns]
        self._numeric = [is_numeric(dtype) and "mean" in cells for _, cells, dtype in columns]
        named = {
            (place, line): (fresh(line), cell)
            for place, (_, cells, _) in enumerate(columns)
            for line, cell in cells.items()
        }
        row = rows.agg(*(cell.column.alias(name) for name, cell in named.values()))
        self._cells = {
            where: Scalar(row.select(F.col(name)), cell.dtype) for where, (name, cell) in named.items()
        }
        self._row = row
        self._names = {where: name for where, (name, _) in named.items()}

    def to_pandas(self) -> Any:
        """The description as pandas has it."""
        values = self._row.collect()[0].asDict()
        columns = []
        for place, is_number in enumerate(self._numeric):
            found = [self._shown(values, place, line) for line in self._lines]
            columns.append(pd.Series(found, index=self._lines, dtype="float64" if is_number else object))
        if self._is_series:
            return columns[0].rename(self._labels[0])
        frame = pd.concat(columns, axis=1)
        frame.columns = pd.Index(self._labels, tupleize_cols=False)
        return frame

    def _shown(self, values: dict[str, Any], place: int, line: str) -> Any:
        if (place, line) not in self._names:
            return np.nan
        value = values[self._names[place, line]]
        made = self._cells[place, line]._made(value)
        return made.item() if isinstance(made, np.generic) else made

    def cell(self, line: str, label: Label = None) -> Scalar:
        """One cell, which stays a query."""
        place = 0 if self._is_series else self._labels.index(label)
        if (place, line) not in self._cells:
            raise KeyError(line)
        return self._cells[place, line]

    @property
    def loc(self) -> Described:
        """For `described.loc[line, column]`."""
        return self

    def __getitem__(self, key: Any) -> Scalar:
        if self._is_series and isinstance(key, str):
            return self.cell(key)
        if isinstance(key, tuple) and len(key) == 2 and not self._is_series:
            return self.cell(*key)
        raise refused("a part of describe()", "only single cells can be taken: described.loc[line, column]")

    def __repr__(self) -> str:
        return repr(self.to_pandas())

    def _repr_html_(self) -> str | None:
        shown = self.to_pandas()
        return shown._repr_html_() if hasattr(shown, "_repr_html_") else None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise refused(f"describe().{name}", "it has values of several types in one column")
