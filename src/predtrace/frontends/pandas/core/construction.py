"""Frames and series made of values that the program itself holds: they are sources, named `local_1` and so on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from predtrace.frontends.pandas.core.coming_back import rows_of_program
from predtrace.frontends.pandas.core.dtypes import INT64, Dtype, dtype_of_values
from predtrace.frontends.pandas.core.mixed import as_spark_writes, held_object
from predtrace.frontends.pandas.core.spaces import Key, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table, new_table
from predtrace.ir.operators.sources import UNIQUE


def known_dtype(values: pd.Series, what: str) -> Dtype:
    """The dtype of a column; an error if Spark cannot hold what is in it."""
    dtype = dtype_of_values(values)
    if dtype is None:
        kinds = sorted({type(one).__name__ for one in values.dropna().head(1000)})
        raise refused(
            what, f"it has objects that Spark's columns cannot hold ({values.dtype}: {', '.join(kinds[:4])})"
        )
    if dtype.is_float:
        return dtype
    has_none = values.dtype == object and any(one is None for one in values)
    return replace(dtype, may_miss=bool(values.isna().any()), has_none=has_none)


def arrow_of(values: pd.Series, dtype: Dtype) -> Any:
    """The values for Spark: missing ones are NULL."""
    from pyspark.sql.pandas.types import to_arrow_type

    if dtype.is_bool and values.dtype == object:
        values = values.where(values.notna(), None)
    if dtype.categories is not None:
        values = values.astype(object)
    if dtype.is_mixed:
        values = pd.Series([held_object(one) for one in values], dtype=object)
    kind = to_arrow_type(dtype.spark)
    if dtype.is_period:
        values = values.dt.to_timestamp()
    if dtype.is_moment or dtype.is_period:
        values = values.astype("datetime64[us]")
    return pa.Array.from_pandas(values, type=kind)


def table_of_frame(frame: pd.DataFrame) -> Table:
    """A frame of pandas as a table of Spark."""
    columns = [(label, fresh(label), frame.iloc[:, place]) for place, label in enumerate(frame.columns)]
    return _table(columns, frame.index, tuple(frame.columns.names))


def table_of_series(series: pd.Series) -> Table:
    """A series of pandas as a table of Spark."""
    label = series.name
    return _table([(label, fresh(label if label is not None else "value"), series)], series.index, (None,))


def _table(
    columns: Sequence[tuple[Label, str, pd.Series]], index: Any, column_names: tuple[Label, ...]
) -> Table:
    position = fresh("row")
    columns = [(label, name, _with_names_of_dtypes(values)) for label, name, values in columns]
    levels: list[tuple[Label, str, pd.Series]] = []
    is_range = isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1)
    if not is_range:
        levels = [
            (label, fresh(label if label is not None else "index"), pd.Series(index.get_level_values(place)))
            for place, label in enumerate(index.names)
        ]
    typed = [
        (label, name, known_dtype(values, f"the column {label!r}"), values) for label, name, values in columns
    ]
    indexed = [(label, name, known_dtype(values, "the index"), values) for label, name, values in levels]
    arrays = {name: arrow_of(values, dtype) for _, name, dtype, values in [*typed, *indexed]}
    arrays[position] = pa.array(np.arange(len(index)), type=pa.int64())
    schema = StructType(
        [StructField(name, dtype.spark) for _, name, dtype, _ in [*typed, *indexed]]
        + [StructField(position, LongType(), False, {UNIQUE: position})]
    )
    rows = rows_of_program(pa.table(arrays), schema)
    kinds = {name: dtype for _, name, dtype, _ in [*typed, *indexed]}
    if any(dtype.is_mixed for dtype in kinds.values()):
        written = [as_spark_writes(F.col(name), dtype).alias(name) for name, dtype in kinds.items()]
        rows = rows.select(*written, position)
    return new_table(
        rows,
        [(label, name, dtype) for label, name, dtype, _ in typed],
        [(index.name, position, INT64)]
        if is_range
        else [(label, name, dtype) for label, name, dtype, _ in indexed],
        [Key(position, is_place=True)],
        is_unique=bool(is_range or index.is_unique),
        column_names=column_names,
    )


def _with_names_of_dtypes(values: pd.Series) -> pd.Series:
    """The same; where pandas has dtypes as values, as in an overview of the columns, the names that it shows."""
    kinds = (np.dtype, pd.api.extensions.ExtensionDtype)
    is_overview = values.dtype == object and len(values) and all(isinstance(one, kinds) for one in values)
    return values.map(str) if is_overview else values


def placed(table: Table, values: Any) -> tuple[Table, Value]:
    """Values that come in the order of a table's rows, beside them."""
    from predtrace.frontends.pandas.core.aligning import beside_by
    from predtrace.frontends.pandas.core.tables import Positions

    series = pd.Series(values).reset_index(drop=True)
    count = table.rows().count()
    if len(series) != count:
        raise ValueError(f"Length of values ({len(series)}) does not match length of index ({count})")
    moved, _, value = beside_by(table.settled(), Positions(), table_of_series(series))
    return moved, value
