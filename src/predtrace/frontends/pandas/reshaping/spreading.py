"""Rows to columns: what `unstack`, `pivot`, `pivot_table` and `crosstab` have in common. It is Spark's pivot.

Some levels of an index become columns. Which ones there are, Spark is asked beforehand, so the plan has a column for
each. pandas' dtypes depend on whether a cell is empty anywhere: whole numbers are floats in all columns then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.choosing.sorting import sortable
from predtrace.frontends.pandas.core.categories import held
from predtrace.frontends.pandas.core.certain import certain
from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, Dtype, dtype_of_scalar
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Key, Space, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Table
from predtrace.frontends.pandas.reshaping.headings import Heading, constant, headings_of

_DIRECT = (spark.StringType, spark.LongType, spark.IntegerType, spark.DoubleType, spark.BooleanType)
"""The types that Spark's pivot takes its values of from Python."""


@dataclass(frozen=True)
class Filling:
    """What empty cells get. `all_missing`: also those where the value itself is missing."""

    value: Any = None
    all_missing: bool = False


def spread(
    call: str,
    table: Table,
    places: Sequence[int],
    is_series: bool = False,
    filling: Filling | None = None,
    without_empty: bool = False,
    by_appearance: bool = False,
    ordered_by: Sequence[str] = (),
) -> Table:
    """A table in which some levels of the index are columns.

    `is_series`: the only column has no label of its own. `without_empty`: columns without any value are left out.
    `by_appearance`: the new columns come as they come in the rows. `ordered_by`: columns that the rows are in order
    by, instead of the index.
    """
    table = certain(table.settled().indexed())
    levels = table.levels()
    moved = [levels[place] for place in places]
    kept = [level for place, level in enumerate(levels) if place not in places]
    headings = headings_of(call, table, moved, by_appearance)
    is_full = _is_full(table, kept, headings)
    by_cell = filling is not None and not filling.all_missing
    wrapped = {value.name: by_cell and value.dtype.may_miss for _, value in table.columns}
    rows, cells = _pivoted(table, kept, moved, headings, ordered_by, wrapped)
    space = Space(rows)
    columns: list[tuple[Label, Value]] = []
    for number, (label, value) in enumerate(table.columns):
        dtype = _dtype(call, value.dtype, is_full, filling)
        for place, heading in enumerate(headings):
            if without_empty and not heading.there[number]:
                continue
            cell = _filled(F.col(cells[place][number]), wrapped[value.name], dtype, filling)
            made = Value(space, cell, frozenset({cells[place][number]}), dtype)
            above = () if is_series else label if isinstance(label, tuple) else (label,)
            full = (*above, *heading.labels)
            columns.append((full if len(full) > 1 else full[0], space.settled(made, full[-1])))
    names = (*(() if is_series else table.column_names), *(level.label for level in moved))
    index = tuple(replace(level, value=space.value(level.value.name, level.value.dtype)) for level in kept)
    order = tuple(Key(name) for name in ordered_by) or tuple(_row_key(level) for level in index)
    return Table(space, tuple(columns), index, order, is_unique=True, column_names=names)


def _row_key(level: Level) -> Key:
    """pandas has the row of a missing label first."""
    value = level.value
    if level.known is not None:
        known = F.array(*(constant(label, value.dtype) for label in level.known))
        number = F.nullif(F.array_position(known, value.column), F.lit(0))
        value = value.space.settled(value.with_column(number, INT64.missing()), "place")
    return Key(sortable(value).name, missing_last=False)


def _is_full(table: Table, kept: Sequence[Level], headings: Sequence[Heading]) -> bool:
    """Whether no cell of the result is empty. Asks Spark, if a dtype depends on it."""
    if not any(value.dtype.is_integer or value.dtype.is_bool for _, value in table.columns):
        return False
    names = [level.value.name for level in kept]
    count = table.space.rows(names).select(*names).distinct().count() if names else 1
    return all(heading.count == count for heading in headings)


def _pivoted(
    table: Table,
    kept: Sequence[Level],
    moved: Sequence[Level],
    headings: Sequence[Heading],
    more: Sequence[str],
    wrapped: dict[str, bool],
) -> tuple[Rows, list[list[str]]]:
    """The rows of the result, and the names of its cells by heading and column.

    A value that is wrapped in a struct can be told from an empty cell even if it is missing.
    """
    by = list(dict.fromkeys([*(level.value.name for level in kept), *more]))
    cells = [[fresh(f"{label}_{heading.labels[-1]}") for label, _ in table.columns] for heading in headings]
    if not headings or not table.columns:
        return table.rows(*more).select(*by).distinct(), cells
    rows, name, values = _pivot_column(table.rows(*more), moved, headings)
    found = rows.groupBy(*by).pivot(name, values)
    values_of = [
        F.struct(value.column.alias("value")) if wrapped[value.name] else value.column
        for _, value in table.columns
    ]
    pivoted = found.agg(*(F.max(column).alias(fresh("cell")) for column in values_of))
    return pivoted.toDF(*by, *(cell for row in cells for cell in row)), cells


def _pivot_column(
    rows: Rows, moved: Sequence[Level], headings: Sequence[Heading]
) -> tuple[Rows, str, list[Any]]:
    """The column that tells which heading a row is of, and its values."""
    if len(moved) == 1 and isinstance(moved[0].value.dtype.spark, _DIRECT):
        return rows, moved[0].value.name, [held(heading.labels[0]) for heading in headings]
    name = fresh("heading")
    column: Column | None = None
    for number, heading in enumerate(headings):
        equal = [
            level.value.column == constant(label, level.value.dtype)
            for level, label in zip(moved, heading.labels, strict=True)
        ]
        condition = reduce(lambda a, b: a & b, equal)
        column = F.when(condition, number) if column is None else column.when(condition, number)
    assert column is not None
    return rows.withColumn(name, column), name, list(range(len(headings)))


def _dtype(call: str, dtype: Dtype, is_full: bool, filling: Filling | None) -> Dtype:
    """The dtype of the cells of a column."""
    if filling is None:
        if is_full:
            return dtype
        if dtype.is_bool:
            return Dtype("object", dtype.spark)
        return FLOAT64 if dtype.is_integer else dtype.missing()
    given = dtype_of_scalar(filling.value)
    missing = dtype.may_miss and not filling.all_missing
    if is_full and not dtype.may_miss:
        return dtype
    if given is not None and dtype.is_integer and given.is_float:
        return FLOAT64
    fits = given is not None and (
        (dtype.is_number and given.is_number and dtype.is_bool == given.is_bool)
        or (dtype.is_text and dtype.categories is None and given.is_text)
    )
    if not fits:
        raise refused(
            f"{call} with fill_value={filling.value!r}", f"a column of {dtype.name} would be objects"
        )
    return dtype.missing(missing or dtype.is_float)


def _filled(cell: Column, is_wrapped: bool, dtype: Dtype, filling: Filling | None) -> Column:
    value = (cell["value"] if is_wrapped else cell).cast(dtype.spark)
    if filling is None:
        return value
    given = dtype_of_scalar(filling.value)
    assert given is not None
    fill = literal(filling.value, given).cast(dtype.spark)
    if filling.all_missing:
        return F.coalesce(value, fill)
    return F.when(cell.isNull(), fill).otherwise(value)
