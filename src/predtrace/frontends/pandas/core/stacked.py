"""One row of Spark with many cells as the lines of a series or a frame: what aggregates of several columns give.

`df.mean()` is one aggregate with a mean for each column, and `stack`, which makes a row of each. So every line of the
result is still known to come from the rows of the frame. What a line is made of is remembered: in `df - df.mean()`
each column has its own mean as a scalar, and nothing is looked up by a label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import common_dtype
from predtrace.frontends.pandas.core.construction import table_of_frame
from predtrace.frontends.pandas.core.dtypes import FLOAT64, TEXT, Dtype, dtype_of_scalar
from predtrace.frontends.pandas.core.scalars import Scalar, literal, one_row
from predtrace.frontends.pandas.core.spaces import Key, Space, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table, new_table
from predtrace.frontends.pandas.reducing.aggregates import Cell

MakeRow = Callable[[Mapping[str, Column]], Rows]
"""Makes a frame of one row of these columns."""


@dataclass(frozen=True)
class _Lines:
    """What the rows of a space are made of. `row`: the row of a line alone, with the columns of the space's base."""

    labels: tuple[Label, ...]
    place: str
    level: str
    row: Callable[[int], Rows]


_remembered: WeakKeyDictionary[Space, _Lines] = WeakKeyDictionary()


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

    def aggregated(cells: Mapping[str, Column]) -> Rows:
        return rows.agg(*(column.alias(name) for name, column in cells.items()))

    typed: list[tuple[Label, Dtype, list[Column | None]]] = []
    for label, cells in columns:
        dtype = _dtype(call, cells)
        typed.append((label, dtype, [None if c is None else c.column.cast(dtype.spark) for c in cells]))
    return _spread(call, aggregated, lines, typed, names)


def _spread(
    call: str,
    make_row: MakeRow,
    lines: Sequence[Label],
    columns: Sequence[tuple[Label, Dtype, Sequence[Column | None]]],
    names: Sequence[Label],
) -> Table:
    """The table of some cells, which are all in one row first."""
    place = fresh("line")
    labels = _levels(call, lines)
    levels = [fresh(name if name is not None else "index") for name in names]
    found = [fresh(label if label is not None else "value") for label, _, _ in columns]
    cells = {fresh("cell"): column for _, _, of_lines in columns for column in of_lines if column is not None}
    left = iter(cells)
    in_row = [
        [literal(None, dtype) if column is None else F.col(next(left)) for column in of_lines]
        for _, dtype, of_lines in columns
    ]

    def before(line: int) -> list[Column]:
        return [F.lit(line), *(literal(values[line], dtype) for values, dtype in labels)]

    flat = [part for line in range(len(lines)) for part in (*before(line), *(cell[line] for cell in in_row))]
    spread = make_row(cells).select(F.stack(F.lit(len(lines)), *flat).alias(place, *levels, *found))
    table = new_table(
        spread,
        [(label, name, dtype) for (label, dtype, _), name in zip(columns, found, strict=True)],
        [(n, level, dtype) for n, level, (_, dtype) in zip(names, levels, labels, strict=True)],
        [place],
        is_unique=len(set(lines)) == len(lines),
    )

    def row(line: int) -> Rows:
        named = list(zip(found, (of_lines[line] for _, _, of_lines in columns), strict=True))
        there = make_row({name: column for name, column in named if column is not None})
        return there.select(
            *(part.alias(name) for part, name in zip(before(line), [place, *levels], strict=True)), *found
        )

    has_all = all(column is not None for _, _, of_lines in columns for column in of_lines)
    if table.is_unique and has_all and len(levels) == 1:
        _remembered[table.space] = _Lines(tuple(lines), place, levels[0], row)
    return table


def scalars_of(table: Table) -> dict[Label, Scalar] | None:
    """The values of a table's first column by their labels, if it is known what each is made of."""
    lines = _remembered.get(table.space)
    if lines is None or isinstance(table.index, Positions) or len(table.index) != 1:
        return None
    value = table.columns[0][1]
    if table.index[0].value.name != lines.level or value.is_tied or _looks_around(table.space, value.uses):
        return None
    return {label: _of_line(table.space, lines.row(line), value) for line, label in enumerate(lines.labels)}


def _lines(table: Table) -> tuple[Label, ...] | None:
    """The labels of a table's lines, if they are still in their order."""
    lines = _remembered.get(table.space)
    return None if lines is None or table.order != (Key(lines.place),) else lines.labels


def _looks_around(space: Space, names: frozenset[str]) -> bool:
    """Whether columns are made from other rows, too."""
    made = [space.made[name] for name in names if name in space.made]
    return any(one.is_tied or _looks_around(space, one.uses) for one in made)


def _of_line(space: Space, row: Rows, value: Value) -> Scalar:
    """A value of a space in one of its rows."""
    alone = Space(row)
    alone.made, alone.beside = space.made, space.beside
    return Scalar(alone.rows(value.uses).select(value.column.alias("value")), value.dtype)


def lines_beside(left: Table, right: Table) -> tuple[Table, Value, Value] | None:
    """The values of two tables that have the same lines, in a table that remembers what each line is made of.

    None if they have not. So `df.max() - df.min()` is a scalar for each column of the frame.
    """
    tables = (left, right)
    lines, scalars = [_lines(table) for table in tables], [scalars_of(table) for table in tables]
    if None in lines or None in scalars or lines[0] != lines[1]:
        return None

    def asked(cells: Mapping[str, Column]) -> Rows:
        return one_row().base.select(*(column.alias(name) for name, column in cells.items()))

    columns = [
        (place, table.columns[0][1].dtype, [scalar.column() for scalar in found.values()])
        for place, (table, found) in enumerate(zip(tables, scalars, strict=True))
        if found is not None
    ]
    names = [table.levels()[0].label for table in tables]
    name = names[0] if names[0] == names[1] else None
    table = _spread("calculating", asked, list(scalars[0] or ()), columns, [name])
    mine, theirs = (value for _, value in table.columns)
    return table, mine, theirs


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
