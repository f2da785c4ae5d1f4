"""`shift(axis=1)`, `cumsum(axis=1)`, `rank(axis=1)`: along the columns of each row. No window is needed for that.

| | |
|---|---|
| `shift` | a column keeps the dtype it comes with; where none comes, whole numbers become floats |
| `diff`, `pct_change` | the frame and the shifted one |
| `cumsum`... | all columns get the dtype that holds them all; small whole numbers are added up as large ones |
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import common_dtype, is_numeric
from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, Dtype, listed
from predtrace.frontends.pandas.core.numbers import number, without_nan
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table

_CUMULATED: dict[str, Callable[[Column, Column], Column]] = {
    "cumsum": lambda sum_, one: sum_ + one,
    "cumprod": lambda product, one: product * one,
    "cummax": F.greatest,
    "cummin": F.least,
}


def shifted_columns(table: Table, periods: int) -> Table:
    """Each column with the values of the one some columns before."""
    if not isinstance(periods, int):
        raise refused(f"shift({periods!r}, axis=1)", "only a number of columns is known")
    values = [value for _, value in table.columns]
    if abs(periods) >= len(values) and not all(is_numeric(value.dtype) for value in values):
        raise refused(f"shift({periods}, axis=1)", "there are fewer columns, and they are not all numbers")
    made = []
    for place, label in enumerate(table.labels):
        origin = place - periods
        made.append((label, values[origin] if 0 <= origin < len(values) else _nothing(values[place])))
    return table.with_columns(made)


def _nothing(value: Value) -> Value:
    dtype = FLOAT64 if value.dtype.is_integer else value.dtype.missing()
    if dtype.is_bool or dtype.is_whole_with_na:
        raise refused(f"shift(axis=1) of {value.dtype.name}", "the first column would have another dtype")
    return value.with_column(F.lit(None).cast(dtype.spark), dtype)


def cumulated_columns(table: Table, name: str) -> Table:
    """Each column with the sum (product...) of itself and those before. What is missing stays so and counts not."""
    dtype = _common(table, f"{name}(axis=1)")
    if dtype.is_integer and name in ("cumsum", "cumprod"):
        dtype = INT64
    so_far: list[Value] = []
    made = []
    for label, value in table.columns:
        so_far.append(value)
        columns = [number(one.column, one.dtype).cast(dtype.spark) for one in so_far]
        start = F.lit(1 if name == "cumprod" else 0).cast(dtype.spark)
        there = columns if name in ("cummax", "cummin") else [F.coalesce(one, start) for one in columns]
        total = reduce(_CUMULATED[name], there)
        found = F.when(value.column.isNotNull(), without_nan(total) if dtype.is_float else total)
        made.append((label, value.with_column(found, dtype.missing(value.dtype.may_miss), *so_far[:-1])))
    return table.with_columns(made)


def ranked_columns(table: Table, method: str, na_option: str, ascending: bool, pct: bool) -> Table:
    """The place of each value among those of its row."""
    if method not in ("average", "min", "max", "first", "dense"):
        raise KeyError(method)
    if na_option != "keep":
        raise refused(f"rank(na_option={na_option!r})", "missing values have no rank here")
    _common(table, "rank(axis=1)")
    values = [value for _, value in table.columns]
    columns = [number(value.column, value.dtype).cast("double") for value in values]
    first, *others = values
    row = first.with_column(F.array_compact(F.array(*columns)), listed(FLOAT64.spark), *others)
    there = table.space.settled(row, "row")
    made = []
    for place, ((label, value), column) in enumerate(zip(table.columns, columns, strict=True)):
        found = _rank(there.column, column, columns[:place], method, ascending)
        if pct:
            all_of_them = F.array_distinct(there.column) if method == "dense" else there.column
            found = found / F.size(all_of_them).cast("double")
        rank = F.when(value.column.isNotNull(), found)
        made.append((label, value.with_column(rank, FLOAT64, there, *values[:place])))
    return table.with_columns(made)


def _rank(row: Column, value: Column, earlier: list[Column], method: str, ascending: bool) -> Column:
    before = F.filter(row, lambda other: other < value if ascending else other > value)
    if method == "dense":
        return F.size(F.array_distinct(before)).cast("double") + 1
    least = F.size(before).cast("double") + 1
    if method == "first":
        equal = [F.coalesce(one == value, F.lit(False)).cast("double") for one in earlier]
        return reduce(lambda a, b: a + b, equal, least)
    others = F.size(F.filter(row, lambda other: other == value)).cast("double") - 1
    return least + {"min": F.lit(0.0), "max": others, "average": others / 2}[method]


def _common(table: Table, call: str) -> Dtype:
    values = [value for _, value in table.columns]
    if not values or not all(is_numeric(value.dtype) and not value.dtype.is_bool for value in values):
        raise refused(call, "not all columns are numbers", "choose the columns of numbers first")
    found = common_dtype(value.dtype for value in values)
    if found is None or found.is_whole_with_na:
        raise refused(call, "the columns have several dtypes")
    return found
