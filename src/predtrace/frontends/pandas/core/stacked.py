"""One row of Spark with many cells as the lines of a series or a frame: what aggregates of several columns give.

`df.mean()` is one aggregate with a mean for each column, and `stack`, which makes a row of each. So every line of the
result is still known to come from the rows of the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import common_dtype
from predtrace.frontends.pandas.core.construction import table_of_frame
from predtrace.frontends.pandas.core.dtypes import FLOAT64, TEXT, Dtype, dtype_of_scalar
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table, new_table
from predtrace.frontends.pandas.reducing.aggregates import Cell


def stacked(
    call: str,
    rows: Rows,
    lines: Sequence[Label],
    columns: Sequence[tuple[Label, Sequence[Cell | None]]],
    names: Sequence[Label] = (None,),
) -> Table:
    """A table with a line for each label. Each column has a cell, an aggregate over the rows, for each line.

    `names`: of the index. A cell that is None is missing.
    """
    if not lines:
        return table_of_frame(pd.DataFrame({label: pd.Series(dtype="float64") for label, _ in columns}))
    dtypes = [_dtype(call, cells) for _, cells in columns]
    aggregates: list[Column] = []

    def kept(cell: Cell | None, dtype: Dtype) -> Column:
        if cell is None:
            return F.lit(None).cast(dtype.spark)
        name = fresh("cell")
        aggregates.append(cell.column.cast(dtype.spark).alias(name))
        return F.col(name)

    kept_cells = [[kept(c, d) for c in cells] for (_, cells), d in zip(columns, dtypes, strict=True)]
    labels = _levels(call, lines)
    flat = [
        column
        for line in range(len(lines))
        for column in (
            F.lit(line),
            *(literal(values[line], dtype) for values, dtype in labels),
            *(cells[line] for cells in kept_cells),
        )
    ]
    place = fresh("line")
    levels = [fresh(name if name is not None else "index") for name in names]
    found = [fresh(label if label is not None else "value") for label, _ in columns]
    spread = rows.agg(*aggregates).select(F.stack(F.lit(len(lines)), *flat).alias(place, *levels, *found))
    return new_table(
        spread,
        [(label, name, dtype) for (label, _), name, dtype in zip(columns, found, dtypes, strict=True)],
        [(n, level, dtype) for n, level, (_, dtype) in zip(names, levels, labels, strict=True)],
        [place],
        is_unique=len(set(lines)) == len(lines),
    )


def _dtype(call: str, cells: Sequence[Cell | None]) -> Dtype:
    """The dtype that holds the values of all cells."""
    there = [cell.dtype for cell in cells if cell is not None]
    if not there:
        return FLOAT64
    found = common_dtype(there)
    if found is None:
        kinds = ", ".join(sorted({dtype.name for dtype in there}))
        raise refused(
            call,
            f"its result would have objects of several kinds in one column ({kinds})",
            "choose columns of one kind, or give numeric_only=True",
        )
    return found.missing(found.may_miss or None in cells)


def _levels(call: str, lines: Sequence[Label]) -> list[tuple[list[Any], Dtype]]:
    """The labels of lines as values of Spark, level by level."""
    if all(isinstance(line, tuple) for line in lines):
        levels = [list(level) for level in zip(*lines, strict=True)]
    else:
        levels = [list(lines)]
    return [(values, _label_dtype(call, values)) for values in levels]


def _label_dtype(call: str, labels: list[Any]) -> Dtype:
    found = {dtype_of_scalar(label) for label in labels if not _is_missing(label)}
    if not found:
        return TEXT
    if len(found) > 1 or None in found:
        raise refused(call, "the labels of the columns are of several types")
    (dtype,) = found
    assert dtype is not None
    return dtype


def _is_missing(label: Any) -> bool:
    return label is None or label != label
