"""One row of a frame: `df.loc[label]`, `df.iloc[0]`.

pandas gives a series over the columns' labels. Spark has no column for values of several types, so the row stays a
row: one of its values is a `Scalar`, and its columns become a series where their values have one type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import INT64, TEXT, Dtype, common
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar, give_operators, literal
from predtrace.frontends.pandas.core.spaces import fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table, new_table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series

_OF_PYTHON = frozenset(
    {"dtype", "empty", "index", "items", "keys", "name", "ndim", "shape", "size", "values"}
    | {"to_dict", "to_json", "to_list", "to_numpy", "tolist"}
)
"""What pandas answers with values of Python."""


class Row(Held):
    """A row of a frame. `whole`: the frame's table. What holds the values of all its columns is the row's dtype."""

    _kind = "Series"
    _whole: Table

    @classmethod
    def _in(cls, row: Table, whole: Table) -> Row:
        made = cls._of(row)
        object.__setattr__(made, "_whole", whole)
        return made

    def _collected(self) -> Any:
        row = super()._collected()
        shown = Held._of(self._whole)._shown_dtypes()
        like = pd.DataFrame({place: pd.Series(dtype=dtype) for place, dtype in enumerate(shown)})
        return row.iloc[0].astype(like.to_numpy().dtype)

    def __getitem__(self, key: Any) -> Any:
        places = pd.Series(range(len(self._table.columns)), index=pd.Index(self._table.labels))
        if isinstance(key, int) and key not in self._table.labels:
            return self._cell(int(places.iloc[key]))
        chosen = places.loc[key]
        if not isinstance(chosen, pd.Series):
            return self._cell(int(chosen))
        columns = tuple(self._table.columns[place] for place in chosen)
        return Row._in(_with(self._table, columns), self._whole)

    def __setitem__(self, key: Any, value: Any) -> None:
        raise refused("row[label] = value", "whether the frame changes depends on how pandas stores it")

    def _cell(self, place: int) -> Scalar:
        value = self._table.columns[place][1]
        return Scalar(self._table.space.rows(value.uses).select(value.column.alias("value")), value.dtype)

    def get(self, label: Label, default: Any = None) -> Any:
        """The value of a column, or the default if there is no such column."""
        return self[label] if label in self._table.labels else default

    def __len__(self) -> int:
        return len(self._table.columns)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_pandas())

    def __contains__(self, label: Label) -> bool:
        return label in self._table.labels

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.to_pandas().to_numpy(dtype=dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'Series' object has no attribute {name!r}")
        if name in _OF_PYTHON:
            return getattr(self.to_pandas(), name)
        if name in self._table.labels:
            return self[name]
        return getattr(self._series(), name)

    def _operated(self, symbol: str, other: Any, swapped: bool = False) -> Any:
        return self._series()._operated(symbol, other, swapped)

    def __neg__(self) -> Series:
        return -self._series()

    def __invert__(self) -> Series:
        return ~self._series()

    def __abs__(self) -> Series:
        return self._series().abs()

    def _series(self) -> Series:
        """The values below each other, with the columns' labels as the index."""
        from predtrace.frontends.pandas.series import Series

        row = self._table
        dtype, labels = _one_dtype([value.dtype for _, value in row.columns]), _one_dtype_of_labels(row)
        place, label, found = fresh("place"), fresh("label"), fresh("value")
        each = [
            F.struct(
                F.lit(number).alias(place),
                literal(known, labels).cast(labels.spark).alias(label),
                value.column.cast(dtype.spark).alias(found),
            )
            for number, (known, value) in enumerate(row.columns)
        ]
        rows = row.rows().select(F.inline(F.array(*each)))
        name = self._shown_name()
        made = new_table(rows, [(name, found, dtype)], [(None, label, labels)], [place])
        return Series._of(made)

    def _shown_name(self) -> Any:
        """The label of the row, as Python has it."""
        return Held._of(_with(self._table, ()))._collected().index[0]


def _with(table: Table, columns: Any) -> Table:
    return Table(table.space, columns, table.index, table.order, table.is_unique, table.column_names)


def _one_dtype(dtypes: list[Dtype]) -> Dtype:
    found: Dtype | None = dtypes[0]
    for dtype in dtypes[1:]:
        found = None if found is None else common(found, dtype)
    if found is None:
        raise refused(
            "calculating with a row", "its values have different types: name its columns one by one"
        )
    return found


def _one_dtype_of_labels(row: Table) -> Dtype:
    if all(isinstance(label, str) for label in row.labels):
        return TEXT.missing(False)
    if all(isinstance(label, int) for label in row.labels):
        return INT64
    raise refused(
        "calculating with a row", "the labels of its columns are not all texts, or all whole numbers"
    )


give_operators(Row)
