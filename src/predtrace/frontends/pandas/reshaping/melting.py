"""Columns one below the other: `melt`, and what `stack` and `T` begin with. It is Spark's unpivot.

pandas' order is column by column; a column of Spark says which one a row is of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import certain_values
from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, TEXT, Dtype, common, dtype_of_scalar
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Key, Space, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table
from predtrace.ir.types import quoted


@dataclass(frozen=True)
class Melted:
    """Rows for each column of a table. `place`: the number of the column, `label`: its label, `value`: its value."""

    space: Space
    place: Value
    label: Value
    value: Value


def one_dtype(call: str, dtypes: Sequence[Dtype]) -> Dtype:
    """The dtype that holds the values of several columns; an error if they would be objects of several kinds."""
    found: Dtype | None = dtypes[0]
    for dtype in dtypes[1:]:
        found = None if found is None else common(found, dtype)
    if found is None:
        kinds = ", ".join(sorted({dtype.name for dtype in dtypes}))
        raise refused(
            call, f"its values would be objects of several kinds ({kinds})", "choose columns of one kind"
        )
    return found


def melted(call: str, table: Table, columns: Sequence[tuple[Label, Value]], kept: Iterable[str]) -> Melted:
    """Some columns of a table one below the other, beside others that are kept, by name."""
    names = list(dict.fromkeys(kept))
    if not columns:
        return _nothing(table, names)
    values = certain_values([value for _, value in columns])
    dtype = one_dtype(call, [value.dtype for value in values])
    labels = [label for label, _ in columns]
    marks = _marks(labels, names)
    variable, found = fresh("variable"), fresh("value")
    uses = frozenset[str]().union(*(value.uses for value in values))
    rows = table.space.rows([*names, *uses]).select(
        *names,
        *(value.column.cast(dtype.spark).alias(mark) for value, mark in zip(values, marks, strict=True)),
    )
    rows = rows.unpivot(
        [F.col(name) for name in names], [F.col(quoted(mark)) for mark in marks], variable, found
    )
    space = Space(rows)
    return Melted(
        space,
        space.settled(_by_mark(space, variable, marks, list(range(len(marks))), INT64), "place"),
        _labelled(call, space, variable, marks, labels),
        space.value(found, dtype),
    )


def _marks(labels: Sequence[Label], others: Sequence[str]) -> list[str]:
    """What Spark calls the columns: their labels, if these can be told apart."""
    texts = [label for label in labels if isinstance(label, str)]
    known = {text.casefold() for text in texts} - {name.casefold() for name in others}
    return texts if len(known) == len(labels) else [fresh(label) for label in labels]


def _labelled(call: str, space: Space, variable: str, marks: Sequence[str], labels: Sequence[Label]) -> Value:
    if list(marks) == list(labels):
        return space.value(variable, TEXT.missing(False))
    dtypes = {dtype_of_scalar(label) for label in labels}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if dtype is None or any(pd.isna(label) for label in labels):
        raise refused(call, "the labels of the columns are of several types, or missing")
    return space.settled(_by_mark(space, variable, marks, labels, dtype.missing(False)), "label")


def _by_mark(space: Space, variable: str, marks: Sequence[str], values: Sequence[Any], dtype: Dtype) -> Value:
    """A value that depends on the column alone."""
    cases = [
        (F.col(variable) == F.lit(mark), literal(value, dtype))
        for mark, value in zip(marks, values, strict=True)
    ]
    column = F.when(*cases[0])
    for condition, value in cases[1:]:
        column = column.when(condition, value)
    return Value(space, column, frozenset({variable}), dtype)


def _nothing(table: Table, names: Sequence[str]) -> Melted:
    """No rows: there are no columns."""
    place, label, found = fresh("place"), fresh("label"), fresh("value")
    rows = table.space.rows(names).where(F.lit(False))
    space = Space(
        rows.select(
            *names,
            F.lit(0).cast("bigint").alias(place),
            F.lit("").alias(label),
            F.lit(None).cast("double").alias(found),
        )
    )
    return Melted(space, space.value(place, INT64), space.value(label, TEXT), space.value(found, FLOAT64))


def melt(
    frame: Any,
    id_vars: Any = None,
    value_vars: Any = None,
    var_name: Label = None,
    value_name: Label = "value",
    col_level: Any = None,
    ignore_index: bool = True,
) -> Any:
    """A row for each column of each row: its label, its value, and the columns that identify the row."""
    table: Table = frame._table
    if len(table.column_names) > 1 or col_level is not None:
        raise refused("melt() of columns with several levels", "they have no single label")
    if value_name in table.labels:
        raise ValueError(f"value_name ({value_name}) cannot match an element in the DataFrame columns.")
    if var_name is not None and pd.api.types.is_list_like(var_name):
        raise ValueError(f"var_name={var_name!r} must be a scalar.")
    ids = _listed(id_vars)
    chosen = (
        [label for label in table.labels if label not in ids] if value_vars is None else _listed(value_vars)
    )
    absent = [label for label in [*ids, *chosen] if not table.values(label)]
    if absent:
        raise KeyError(f"The following id_vars or value_vars are not present in the DataFrame: {absent}")
    table = table if ignore_index else table.indexed()
    identifying = [(label, table.values(label)[0]) for label in ids]
    levels = () if ignore_index else table.levels()
    kept = [
        *(value.name for _, value in identifying),
        *(level.value.name for level in levels),
        *(key.name for key in table.order),
    ]
    columns = [(label, table.values(label)[0]) for label in dict.fromkeys(chosen) if label not in ids]
    rows = melted("melt()", table, columns, kept)
    space = rows.space
    label = var_name if var_name is not None else table.column_names[0]
    index = tuple(Level(level.label, space.value(level.value.name, level.value.dtype)) for level in levels)
    return frame._of(
        Table(
            space,
            (
                *((label, space.value(value.name, value.dtype)) for label, value in identifying),
                (label if label is not None else "variable", rows.label),
                (value_name, rows.value),
            ),
            Positions() if ignore_index else index,
            (Key(rows.place.name), *table.order),
        )
    )


def _listed(labels: Any) -> list[Label]:
    if labels is None:
        return []
    return list(labels) if isinstance(labels, (list, tuple, pd.Index)) else [labels]
