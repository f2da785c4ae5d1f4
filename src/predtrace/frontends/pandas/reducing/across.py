"""Aggregates of the columns of each row: `df.sum(axis=1)`. They are expressions over one row."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import common_dtype, is_numeric
from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64, INT64, Dtype, dtype_of_scalar
from predtrace.frontends.pandas.core.numbers import number, without_nan
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table


def across(table: Table, name: str, skipna: bool, options: dict[str, Any]) -> Value:
    """The aggregate of each row's values, as a value of the table's space. The dtypes are certain."""
    if not table.columns or name not in _FUNCTIONS:
        raise refused(f"DataFrame.{name}(axis=1)", "it is not made for Spark yet")
    row = _Row(name, table, options)
    column, dtype = _FUNCTIONS[name](row)
    if not skipna and name not in ("count", "nunique", "any", "all"):
        whole = reduce(lambda a, b: a & b, (value.column.isNotNull() for value in row.values))
        column, dtype = F.when(whole, column), dtype.missing()
    uses = frozenset[str]().union(*(value.uses for value in row.values), row.uses)
    return Value(table.space, column, uses, dtype, weight=len(uses) + 1)


class _Row:
    """The values of a row, and what is worked out from them more than once."""

    def __init__(self, name: str, table: Table, options: dict[str, Any]) -> None:
        self.name = name
        self.call = f"DataFrame.{name}(axis=1)"
        self.table = table
        self.values = [value for _, value in table.columns]
        self.options = options
        self.uses: frozenset[str] = frozenset()

    @property
    def dtype(self) -> Dtype:
        """The dtype that holds all values of a row: an error where that would be objects."""
        if not all(is_numeric(value.dtype) for value in self.values):
            if any(value.dtype.is_text for value in self.values) and self.name in _OF_NUMBERS:
                raise TypeError(f"{self.call}: could not convert string to float")
            raise refused(self.call, "not all columns are numbers")
        found = common_dtype(value.dtype for value in self.values)
        if found is None:
            raise refused(self.call, "booleans beside numbers are objects in pandas")
        return found

    @property
    def numbers(self) -> list[Column]:
        kind = (INT64 if self.dtype.is_bool else self.dtype).spark
        return [number(value.column, value.dtype).cast(kind) for value in self.values]

    @property
    def count(self) -> Column:
        return _added([value.column.isNotNull().cast("bigint") for value in self.values])

    def settled(self, column: Column, word: str, dtype: Dtype = FLOAT64) -> Column:
        """A column that is used several times, worked out once."""
        uses = frozenset[str]().union(*(value.uses for value in self.values), self.uses)
        found = self.table.space.settled(Value(self.table.space, column, uses, dtype), word)
        self.uses |= found.uses
        return found.column


_Found = tuple[Column, Dtype]


def _added(columns: list[Column]) -> Column:
    return reduce(lambda a, b: a + b, columns)


def _count(row: _Row) -> _Found:
    return row.count, INT64


def _sum(row: _Row) -> _Found:
    return _from(row, 0, lambda a, b: a + b)


def _prod(row: _Row) -> _Found:
    return _from(row, 1, lambda a, b: a * b)


def _from(row: _Row, start: int, operator: Callable[[Column, Column], Column]) -> _Found:
    dtype = row.dtype if row.dtype.is_float else INT64
    found = reduce(operator, [F.coalesce(one, F.lit(start).cast(dtype.spark)) for one in row.numbers])
    least = row.options.get("min_count", 0)
    if least > 0:
        found, dtype = F.when(row.count >= least, found), dtype.missing()
    return (without_nan(found) if dtype.is_float else found), dtype


def _mean(row: _Row) -> _Found:
    total = _added([F.coalesce(one.cast("double"), F.lit(0.0)) for one in row.numbers])
    found = without_nan(total / F.nullif(row.count, F.lit(0)).cast("double"))
    return (found.cast("float"), row.dtype) if row.dtype.name == "float32" else (found, FLOAT64)


def _var(row: _Row) -> _Found:
    mean, _ = _mean(row)
    middle = row.settled(mean, "mean")
    squares = [F.coalesce(F.pow(one.cast("double") - middle, F.lit(2.0)), F.lit(0.0)) for one in row.numbers]
    left = row.count - row.options.get("ddof", 1)
    return F.when(left > 0, _added(squares) / F.nullif(left, F.lit(0)).cast("double")), FLOAT64


def _std(row: _Row) -> _Found:
    return F.sqrt(_var(row)[0]), FLOAT64


def _min(row: _Row) -> _Found:
    return _extreme(row, F.least)


def _max(row: _Row) -> _Found:
    return _extreme(row, F.greatest)


def _extreme(row: _Row, function: Callable[..., Column]) -> _Found:
    """Spark's own functions skip what is missing."""
    kinds = {value.dtype.name for value in row.values}
    dtype = row.values[0].dtype if len(kinds) == 1 else row.dtype
    columns = [value.column.cast(dtype.spark) for value in row.values]
    may_miss = all(value.dtype.may_miss for value in row.values)
    return (function(*columns) if len(columns) > 1 else columns[0]), dtype.missing(may_miss)


def _median(row: _Row) -> _Found:
    there = F.array_sort(F.array_compact(F.array(*(one.cast("double") for one in row.numbers))))
    ordered = row.settled(there, "ordered")
    count = F.size(ordered)
    low, high = F.call_function("div", count - 1, F.lit(2)), F.call_function("div", count, F.lit(2))
    found = (F.get(ordered, low.cast("int")) + F.get(ordered, high.cast("int"))) / 2
    return F.when(count > 0, without_nan(found)), FLOAT64


def _truths(row: _Row, of_missing: bool) -> list[Column]:
    found = []
    for value in row.values:
        if value.dtype.is_text:
            column = F.length(value.column) > 0
        elif value.dtype.is_number:
            column = value.column if value.dtype.is_bool else value.column != 0
        else:
            raise refused(f"{row.call} of {value.dtype.name}", "it is not made for Spark yet")
        found.append(F.coalesce(column, F.lit(of_missing)))
    return found


def _any(row: _Row) -> _Found:
    return reduce(lambda a, b: a | b, _truths(row, False)), BOOL


def _all(row: _Row) -> _Found:
    return reduce(lambda a, b: a & b, _truths(row, True)), BOOL


def _nunique(row: _Row) -> _Found:
    if any(value.dtype.spark != row.values[0].dtype.spark for value in row.values):
        columns = row.numbers  # 1 and 1.0 are the same value
    else:
        columns = [value.column for value in row.values]
    found = F.size(F.array_distinct(F.array_compact(F.array(*columns)))).cast("bigint")
    if not row.options.get("dropna", True):
        found = found + (row.count < len(row.values)).cast("bigint")
    return found, INT64


def _idxmin(row: _Row) -> _Found:
    return _label_of(row, F.least)


def _idxmax(row: _Row) -> _Found:
    return _label_of(row, F.greatest)


def _label_of(row: _Row, function: Callable[..., Column]) -> _Found:
    labels = row.table.labels
    dtypes = {dtype_of_scalar(label) for label in labels}
    dtype = next(iter(dtypes))
    if len(dtypes) > 1 or dtype is None:
        raise refused(row.call, "the labels of the columns are of several types")
    numbers = row.numbers
    extreme = row.settled(function(*numbers) if len(numbers) > 1 else numbers[0], "extreme")
    found = F.when(numbers[0] == extreme, literal(labels[0], dtype))
    for one, label in zip(numbers[1:], labels[1:], strict=True):
        found = found.when(one == extreme, literal(label, dtype))
    return found, dtype.missing(all(value.dtype.may_miss for value in row.values))


_FUNCTIONS: dict[str, Callable[[_Row], _Found]] = {
    "count": _count,
    "sum": _sum,
    "prod": _prod,
    "mean": _mean,
    "var": _var,
    "std": _std,
    "min": _min,
    "max": _max,
    "median": _median,
    "any": _any,
    "all": _all,
    "nunique": _nunique,
    "idxmin": _idxmin,
    "idxmax": _idxmax,
}
_OF_NUMBERS = frozenset({"mean", "var", "std", "median", "prod"})
