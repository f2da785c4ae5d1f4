"""Values worked out along the rows, in their order: of all rows, or of those of a group.

| method | where it is not what Spark's windows do |
|---|---|
| `shift` | whole numbers become floats, unless `fill_value` is given |
| `diff` | floats; of moments: spans |
| `pct_change` | missing values are those before them; by zero: infinite |
| `cumsum`... | a missing value stays missing and counts for nothing in those after it |

Rows that are in no group (their key is missing) have no value.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from pyspark.sql import Column, WindowSpec
from pyspark.sql import Window as Windows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.arithmetic import operate
from predtrace.frontends.pandas.core.dtypes import (
    FLOAT64,
    INT64,
    SPAN,
    Dtype,
    check_not_kept,
    common,
    dtype_named,
)
from predtrace.frontends.pandas.core.numbers import number, without_nan
from predtrace.frontends.pandas.core.scalars import value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table


class Along:
    """The rows of a table in order, all together or by keys. `drops`: rows with a missing key are in no group."""

    def __init__(self, table: Table, by: tuple[Value, ...] = (), drops: bool = False) -> None:
        self.table = table
        self.by = by
        doubtful = [key.column.isNotNull() for key in by if drops and key.dtype.may_miss]
        self.there: Column | None = reduce(lambda a, b: a & b, doubtful) if doubtful else None
        self._uses = frozenset[str]().union(*(key.uses for key in by), {key.name for key in table.order})

    def window(self, backwards: bool = False) -> WindowSpec:
        """The rows in order."""
        return self.table.window([key.name for key in self.by], backwards)

    def until_here(self) -> WindowSpec:
        """The rows from the first one to this one."""
        return self.window().rowsBetween(Windows.unboundedPreceding, Windows.currentRow)

    def around(self, first: int, last: int) -> WindowSpec:
        """The rows between two distances from this one."""
        return self.window().rowsBetween(first, last)

    def value(self, column: Column, dtype: Dtype, *values: Value) -> Value:
        """What was worked out from settled values, for each row."""
        uses = self._uses.union(*(value.uses for value in values))
        if self.there is not None:
            column, dtype = F.when(self.there, column), dtype.missing()
        return Value(self.table.space, column, uses, dtype, is_window=True)


def shifted(along: Along, value: Value, periods: int, fill: Any = None) -> Value:
    """The value some rows before, or after if the number is negative."""
    if not isinstance(periods, int):
        raise refused(f"shift({periods!r})", "only a number of rows is known on Spark")
    if periods == 0:
        return along.value(value.column, value.dtype, value)
    found = (F.lag(value.column, periods) if periods > 0 else F.lead(value.column, -periods)).over(
        along.window()
    )
    if fill is None:
        if value.dtype.is_integer:
            return along.value(found.cast("double"), FLOAT64, value)
        return along.value(found, value.dtype.missing(), value)
    filler = value_in(along.table.space, fill)
    dtype = common(value.dtype, filler.dtype.missing(False))
    if dtype is None:
        raise refused(f"shift(fill_value={fill!r})", f"it is no value of a column of {value.dtype.name}")
    is_outside = F.row_number().over(along.window(backwards=periods < 0)) <= abs(periods)
    column = F.when(is_outside, filler.column.cast(dtype.spark)).otherwise(found.cast(dtype.spark))
    return along.value(column, dtype.missing(value.dtype.may_miss), value, filler)


def differed(along: Along, value: Value, periods: int) -> Value:
    """The value minus the one some rows before."""
    before = along.table.space.settled(shifted(along, value, periods), "before")
    if value.dtype.is_moment or value.dtype.name == SPAN.name:
        return along.value(value.column - before.column, SPAN, value, before)
    if value.dtype.is_text:
        raise TypeError("unsupported operand type(s) for -: 'str' and 'str'")
    if not value.dtype.is_number or value.dtype.is_bool:
        raise refused(f"diff() of {value.dtype.name}", "pandas gives objects")
    found = value.column.cast("double") - before.column.cast("double")
    if value.dtype.name in ("int8", "int16", "float32"):
        small = dtype_named("float32")
        assert small is not None
        return along.value(without_nan(found).cast("float"), small, value, before)
    return along.value(without_nan(found), FLOAT64, value, before)


def changed(along: Along, value: Value, periods: int, fills: bool) -> Value:
    """The part by which a value is greater than the one some rows before."""
    if not value.dtype.is_number or value.dtype.is_bool:
        raise TypeError(f"unsupported operand type(s) for /: '{value.dtype.name}' and '{value.dtype.name}'")
    space = along.table.space
    if fills and value.dtype.may_miss:
        value = space.settled(filled(along, value), "filled")
    before = space.settled(shifted(along, value, periods), "before")
    ratio = operate("/", value, before)
    return along.value(ratio.column - 1, FLOAT64, value, before)


def filled(along: Along, value: Value, backwards: bool = False) -> Value:
    """The value, or where it is missing the last one before it (or the first one after it)."""
    if along.by and value.dtype.is_difference:  # what stays missing is NaN there, and no NaT
        check_not_kept("ffill() in groups", value.dtype)
    rows = along.window(backwards).rowsBetween(Windows.unboundedPreceding, Windows.currentRow)
    return along.value(F.last(value.column, ignorenulls=True).over(rows), value.dtype, value)


def cumulated(along: Along, name: str, value: Value) -> Value:
    """`cumsum`, `cumprod`, `cummax` or `cummin`."""
    column, dtype = _cumulated(along, name, value)
    return along.value(F.when(value.column.isNotNull(), column), dtype.missing(value.dtype.may_miss), value)


def _cumulated(along: Along, name: str, value: Value) -> tuple[Column, Dtype]:
    dtype, rows = value.dtype, along.until_here()
    if dtype.is_mixed or dtype.is_difference:
        check_not_kept(f"{name}()", dtype)
    if name in ("cummax", "cummin"):
        if dtype.categories is not None or (along.by and dtype.is_text):
            raise TypeError(f"{name} is not supported for {dtype.name} dtype")
        return (F.max if name == "cummax" else F.min)(value.column).over(rows), dtype
    if not dtype.is_number:
        if dtype.is_text and not along.by and name == "cumsum":
            raise refused("cumsum() of texts", "it is not made for Spark yet")
        raise TypeError(f"{name} is not supported for {dtype.name} dtype")
    kind = "double" if dtype.is_float else "bigint"
    column = number(value.column, dtype).cast(kind)
    if name == "cumsum":
        found = F.sum(column).over(rows)
    else:  # Spark's own product is of floats only
        factors = F.collect_list(column).over(rows)
        found = F.aggregate(factors, F.lit(1).cast(kind), lambda a, b: a * b)
    if dtype.is_float:
        return without_nan(found).cast(dtype.spark), dtype
    if along.by and dtype.is_integer:  # groups keep small whole numbers; too large ones raise an error
        return found.cast(dtype.spark), dtype
    return found, INT64


def counted(along: Along, ascending: bool = True) -> Value:
    """The number of the row, from 0."""
    number_ = F.row_number().over(along.window(backwards=not ascending)).cast("bigint") - 1
    return along.value(number_, INT64)
