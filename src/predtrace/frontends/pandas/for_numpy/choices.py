"""`np.where` and `np.select` over series: a choice for each row. `np.digitize` and `np.nan_to_num` are alike.

numpy gives an array, whose values belong to rows by position. Here it is a series over the rows of the condition, so
that assigning it to a column of the same frame is an expression and no join; that it is an array is remembered
(`Table.is_array`). All series must be of the same rows, in the same order.

The dtype is what numpy itself gives for values of the same dtypes: a text and a number are an error, or text, as the
numpy that is installed has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.cleaning.casting import as_text, truth
from predtrace.frontends.pandas.core.aligning import beside, same_places
from predtrace.frontends.pandas.core.construction import placed
from predtrace.frontends.pandas.core.dtypes import BOOL, INT64, TEXT, Dtype, check_not_kept, dtype_named
from predtrace.frontends.pandas.core.elements import is_listing, is_missing_scalar, is_series
from predtrace.frontends.pandas.core.facts import as_shown
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar, literal, value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series


def where(condition: Any, x: Any, y: Any) -> Series:
    """`np.where(condition, x, y)`."""
    return _chosen(
        "numpy.where()", [condition], [x], y, lambda there, news, last: np.where(there[0], news[0], last)
    )


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Series:
    """`np.select(condlist, choicelist, default)`."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    return _chosen("numpy.select()", condlist, choicelist, default, np.select)


def _chosen(
    call: str,
    conditions: Sequence[Any],
    choices: Sequence[Any],
    otherwise: Any,
    numpys: Callable[..., Any],
) -> Series:
    operands = [*conditions, *choices, otherwise]
    table, found = together(call, operands)
    count = len(conditions)
    there = [truth(value) for value in found[:count]]
    news = as_shown(found[count:])
    samples = [_sample(given, value) for given, value in zip(operands[count:], news, strict=True)]
    result = numpys([np.array([True])] * count, samples[:-1], samples[-1]).dtype
    dtype = _dtype(call, result, news)
    columns = [_as(value, dtype, result) for value in news]
    column: Column | None = None
    for condition, new in zip(there, columns, strict=False):
        column = F.when(condition.column, new) if column is None else column.when(condition.column, new)
    assert column is not None
    may_miss = any(value.dtype.may_miss for value in news) and result.kind != "U"
    made = there[0].with_column(column.otherwise(columns[-1]), dtype.missing(may_miss), *there[1:], *news)
    return _array(table, table.space.settled(made, "chosen") if made.weight > _HEAVY else made)


_HEAVY = 40
"""Expressions larger than this get a name of their own."""


def together(call: str, operands: Sequence[Any]) -> tuple[Table, list[Value]]:
    """All operands as values of one space. Series must have the same rows, arrays a value for each."""
    first = next((one for one in operands if is_series(one)), None)
    if first is None or any(isinstance(one, Held) and not is_series(one) for one in operands):
        raise refused(call, "it is for series; call it for each column of a frame")
    table: Table = replace(first._raw, columns=(), is_array=False)
    tables: list[Table | None] = []
    for one in operands:
        other: Table | None = None
        if is_series(one):
            other = one._raw
            if not same_places(table, other):
                raise refused(
                    call,
                    "the series are of different rows, or in another order",
                    "put them into one frame first",
                )
            other = replace(other, is_array=False)
            table, _ = beside(table, other)
        elif is_listing(one):
            wide, value = placed(table, one)
            table, other = wide, replace(wide, columns=((None, value),))
        tables.append(other)
    return table, [
        value_in(table.space, np.nan if one is None else one) if other is None else _there(table, other)
        for one, other in zip(operands, tables, strict=True)
    ]


def _there(table: Table, other: Table) -> Value:
    _, (value,) = beside(table, other)
    assert value.space is table.space
    return value


def _sample(given: Any, value: Value) -> Any:
    """What numpy is given to find out the dtype: the scalar itself, or an array of the series' dtype."""
    if not (is_series(given) or is_listing(given) or isinstance(given, Scalar)):
        return given
    dtype = value.dtype
    check_not_kept("a choice", dtype)
    name = "object" if dtype.is_text or (dtype.is_bool and dtype.may_miss) else dtype.name
    sample = np.ones(1, "datetime64[ns]" if dtype.is_moment else name)
    return sample[0] if isinstance(given, Scalar) and name != "object" else sample


def _dtype(call: str, result: np.dtype[Any], news: Sequence[Value]) -> Dtype:
    if result.kind == "U":
        return TEXT
    if result.kind != "O":
        found = dtype_named("datetime64[ns]" if result.kind == "M" else result.name)
        if found is None:
            raise refused(call, f"the result is {result.name}, which Spark does not have")
        return found
    there = [value.dtype for value in news if not _is_nothing(value)]
    if all(dtype.is_text for dtype in there):
        return TEXT
    if all(dtype.is_bool for dtype in there):
        return BOOL
    raise refused(call, "the result would hold objects of several types")


def _is_nothing(value: Value) -> bool:
    return value.constant is not None and is_missing_scalar(value.constant)


def _as(value: Value, dtype: Dtype, result: np.dtype[Any]) -> Column:
    if result.kind == "U":
        return F.lit(str(value.constant)) if value.constant is not None else as_text(value).column
    if _is_nothing(value):
        return literal(None, dtype)
    return value.column if value.dtype.spark == dtype.spark else value.column.cast(dtype.spark)


def nan_to_num(x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Series:
    """`np.nan_to_num(s)`: numbers for missing and infinite values."""
    table, (given,) = together("numpy.nan_to_num()", [x])
    (value,) = as_shown([given])
    if not value.dtype.is_number:
        raise refused("numpy.nan_to_num()", "it is for numbers")
    made = value
    if value.dtype.is_float:
        largest = float(np.finfo(value.dtype.name).max)
        high, low = largest if posinf is None else posinf, -largest if neginf is None else neginf
        column = F.when(value.column == float("inf"), F.lit(float(high)))
        column = column.when(value.column == float("-inf"), F.lit(float(low)))
        column = column.when(value.column.isNull(), F.lit(float(nan))).otherwise(value.column)
        made = value.with_column(column.cast(value.dtype.spark), value.dtype.missing(bool(pd.isna(nan))))
    return _array(table, made)


def digitize(x: Any, bins: Any, right: bool = False) -> Series:
    """`np.digitize(s, bins)`: how many edges are not above each number; from the other end if they fall."""
    call = "numpy.digitize()"
    edges = np.asarray(bins)
    if edges.dtype.kind not in "iuf" or edges.ndim != 1:
        raise refused(call, "the bins are no list of numbers")
    np.digitize([], edges)  # raises what numpy raises if they neither rise nor fall
    table, (given,) = together(call, [x])
    (value,) = as_shown([given])
    if not value.dtype.is_number or value.dtype.is_bool:
        raise refused(call, "it is for numbers")
    is_falling = len(edges) > 1 and edges[0] > edges[-1]
    column = value.column.cast("double")
    number: Column = F.lit(0)
    for edge in edges.astype("float64").tolist():
        if is_falling:
            is_past = column <= F.lit(edge) if right else column < F.lit(edge)
        else:
            is_past = column > F.lit(edge) if right else column >= F.lit(edge)
        number = number + is_past.cast("bigint")
    missing = 0 if is_falling else len(edges)  # NaN is above all numbers
    made = value.with_column(F.coalesce(number, F.lit(missing)).cast("bigint"), INT64)
    return _array(table, made)


def _array(table: Table, made: Value) -> Series:
    from predtrace.frontends.pandas.series import Series

    return Series._of(replace(table, columns=((None, made),), column_names=(None,), is_array=True))
