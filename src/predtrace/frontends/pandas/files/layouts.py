"""How a frame of pandas lies in a Parquet file that Spark reads: a column for the row's number, for each level of the
index and for each column, under its own label.

The layout is kept in the file itself, as JSON, so that a file that was read once need not be read by pandas again.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Hashable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import types as spark

from predtrace.frontends.pandas.core.construction import arrow_of
from predtrace.frontends.pandas.core.dtypes import INT64, Dtype, dtype_of_values
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label
from predtrace.ir.operators import UNIQUE

_KEY = b"predtrace.layout"


@dataclass(frozen=True)
class Stored:
    """A column of pandas and the name it has in the file."""

    label: Label
    name: str
    dtype: Dtype


@dataclass(frozen=True)
class Layout:
    """Where everything is. Without an index the rows are numbered; `row` is the column that numbers them from 0."""

    row: str
    columns: tuple[Stored, ...]
    index: tuple[Stored, ...]
    numbers_label: Label = None
    column_names: tuple[Label, ...] = (None,)
    is_unique: bool = True

    @property
    def stored(self) -> tuple[Stored, ...]:
        """All columns in the order of the file, but for the row's number, which comes first."""
        return (*self.index, *self.columns)

    def schema(self) -> spark.StructType:
        """The columns as Spark reads them."""
        numbers = spark.StructField(self.row, spark.LongType(), metadata={UNIQUE: self.row})
        return spark.StructType([numbers, *(spark.StructField(s.name, s.dtype.spark) for s in self.stored)])

    def to_metadata(self) -> dict[bytes, bytes]:
        """For the file; nothing if there is a label that JSON cannot hold."""
        try:
            text = json.dumps(
                {
                    "row": self.row,
                    "columns": [_written(one) for one in self.columns],
                    "index": [_written(one) for one in self.index],
                    "numbers_label": _label_written(self.numbers_label),
                    "column_names": [_label_written(label) for label in self.column_names],
                    "is_unique": self.is_unique,
                    "schema": self.schema().jsonValue(),
                }
            )
        except TypeError:
            return {}
        return {_KEY: text.encode()}

    @classmethod
    def from_metadata(cls, metadata: dict[bytes, bytes] | None) -> Layout | None:
        """The layout that a file says it has."""
        if _KEY not in (metadata or {}):
            return None
        found = json.loads((metadata or {})[_KEY])
        types = {field.name: field.dataType for field in spark.StructType.fromJson(found["schema"])}
        return cls(
            found["row"],
            tuple(_read(one, types) for one in found["columns"]),
            tuple(_read(one, types) for one in found["index"]),
            _label_read(found["numbers_label"]),
            tuple(_label_read(label) for label in found["column_names"]),
            found["is_unique"],
        )


def _written(one: Stored) -> dict[str, Any]:
    dtype = one.dtype
    return {
        "label": _label_written(one.label),
        "name": one.name,
        "dtype": [dtype.name, dtype.may_miss, dtype.categories and list(dtype.categories), dtype.is_ordered],
    }


def _read(written: dict[str, Any], types: dict[str, spark.DataType]) -> Stored:
    name, may_miss, categories, is_ordered = written["dtype"]
    given = None if categories is None else tuple(categories)
    dtype = Dtype(name, types[written["name"]], may_miss, given, is_ordered)
    return Stored(_label_read(written["label"]), written["name"], dtype)


def _label_written(label: Hashable) -> Any:
    if isinstance(label, tuple):
        return {"tuple": [_label_written(part) for part in label]}
    if isinstance(label, np.generic):
        label = label.item()
    return label  # JSON refuses what it cannot hold


def _label_read(written: Any) -> Label:
    if isinstance(written, dict):
        return tuple(_label_read(part) for part in written["tuple"])
    return written  # type: ignore[no-any-return]


def layout_of(frame: pd.DataFrame, call: str) -> Layout:
    """The layout of a frame that the call gave."""
    index = frame.index
    is_range = isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1)
    levels = [] if is_range else [index.get_level_values(place).to_series() for place in range(index.nlevels)]
    labels: list[Label] = [] if is_range else list(index.names)
    wanted = [*(label if label is not None else "index" for label in labels), *frame.columns]
    names = distinct_names(wanted)
    row = distinct_names([*names, "row"])[-1]
    return Layout(
        row,
        tuple(
            Stored(label, name, dtype_in_file(frame.iloc[:, place], label, call))
            for place, (label, name) in enumerate(zip(frame.columns, names[len(labels) :], strict=True))
        ),
        tuple(
            Stored(label, name, dtype_in_file(level, "of the index", call))
            for label, name, level in zip(labels, names, levels, strict=False)
        ),
        index.name if is_range else None,
        tuple(frame.columns.names),
        bool(is_range or index.is_unique),
    )


def distinct_names(labels: list[Label]) -> list[str]:
    """Labels as names that Spark can tell apart: it does not look at case.

    >>> distinct_names(["a", "A", 3, ("x", "y"), ""])
    ['a', 'A_2', '3', 'x_y', 'column']
    """
    taken: set[str] = set()
    names: list[str] = []
    for label in labels:
        parts = label if isinstance(label, tuple) else (label,)
        wanted = "_".join(str(part) for part in parts if str(part)) or "column"
        name, copy = wanted, 1
        while name.lower() in taken:
            copy += 1
            name = f"{wanted}_{copy}"
        taken.add(name.lower())
        names.append(name)
    return names


def dtype_in_file(values: pd.Series, label: Label, call: str) -> Dtype:
    """The dtype of a column; an error if a file for Spark cannot hold it."""
    dtype = dtype_of_values(values) or _other_objects(values)
    if dtype is None:
        kinds = sorted({type(one).__name__ for one in values.dropna()})
        what = f"its column {label!r} has values that Spark's columns cannot hold ({', '.join(kinds[:4])})"
        mixed = "read it as text, with dtype={...: str}, or leave it out, with usecols or columns"
        raise refused(call, what, mixed)
    if _too_fine(values):
        raise refused(call, f"its column {label!r} has moments finer than Spark's microseconds")
    return dtype if dtype.is_float else dtype.missing(bool(values.isna().any()))


def _too_fine(values: pd.Series) -> bool:
    kind = values.dtype.kind
    return kind in "mM" and bool(((values.dt.nanosecond if kind == "M" else values.dt.nanoseconds) > 0).any())


def _other_objects(values: pd.Series) -> Dtype | None:
    """Dates and decimal numbers are objects to pandas."""
    kinds = {type(one) for one in values.dropna()}
    if kinds == {datetime.date}:
        return Dtype("object", spark.DateType())
    if kinds == {Decimal}:
        digits = [one.as_tuple() for one in values.dropna()]
        if all(isinstance(one.exponent, int) for one in digits):
            scale = max(max(-int(one.exponent), 0) for one in digits)
            whole = max(len(one.digits) + int(one.exponent) for one in digits)
            if max(whole, 0) + scale <= 38:
                return Dtype("object", spark.DecimalType(max(whole, 0) + scale or 1, scale))
    return None


def arrow_table(frame: pd.DataFrame, layout: Layout, first_row: int = 0) -> pa.Table:
    """The rows of a frame as they lie in the file."""
    levels = [frame.index.get_level_values(place).to_series() for place in range(len(layout.index))]
    columns = [frame.iloc[:, place] for place in range(len(layout.columns))]
    values = [
        arrow_of(column.reset_index(drop=True), one.dtype)
        for one, column in zip(layout.stored, [*levels, *columns], strict=True)
    ]
    numbers = arrow_of(pd.Series(np.arange(first_row, first_row + len(frame))), INT64)
    names = [layout.row, *(one.name for one in layout.stored)]
    return pa.Table.from_arrays([numbers, *values], names=names)
