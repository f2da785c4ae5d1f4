"""Calls of the user's functions for every row of a table: what they are given, and what is made of the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import Function, bound_to_its_rows, called, row_function
from predtrace.frontends.pandas.applying.returned import RAISED, as_held, decided, kind_teller
from predtrace.frontends.pandas.core.categories import held
from predtrace.frontends.pandas.core.dtypes import FLOAT64, TEXT, Dtype, check_not_kept, kept_value
from predtrace.frontends.pandas.core.mixed import object_reader
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table


@dataclass(frozen=True)
class RowCall:
    """A function of Spark's values, and the values it is called with in each row; `text`: the call in pandas."""

    function: Function
    arguments: tuple[Value, ...]
    name: str
    text: str


def call_of_values(
    function: Function, value: Value, scalars: Sequence[Scalar], name: str, text: str
) -> RowCall:
    """The call of a function of one value, which it is given as pandas gives it, and of scalars."""
    if value.is_tied:
        value = value.space.settled(value, "given")
    given = as_given(value.dtype)
    if given is not None:
        function = _given(function, given, is_alone=not scalars)
    return with_scalars(RowCall(function, (value,), name, text), scalars)


def with_scalars(call: RowCall, scalars: Sequence[Scalar]) -> RowCall:
    """The call with the values of scalars after the row's own."""
    space = call.arguments[0].space
    values = (space.value_beside(scalar._name, scalar._rows, scalar._dtype) for scalar in scalars)
    return replace(call, arguments=(*call.arguments, *values))


def as_given(dtype: Dtype) -> Function | None:
    """What makes of a value of Spark the one that pandas gives to a function; None if it is the same."""
    if dtype.is_period:
        freq = dtype.shown(False).freq
        return lambda value: pd.NaT if value is None else pd.Period(value, freq)
    if dtype.is_mixed:
        return object_reader()
    if dtype.is_difference:
        return _offsets_given(dtype)
    check_not_kept("a function called with values", dtype)
    if any(isinstance(one, pd.Interval) for one in dtype.categories or ()):
        by_bound = {held(one): one for one in dtype.categories or ()}
        return lambda value: by_bound.get(value, float("nan"))
    if dtype.is_moment:
        return lambda value: pd.Timestamp(value)
    if dtype.name == "timedelta64[ns]":
        return lambda value: pd.Timedelta(value)
    if not dtype.may_miss:
        return None
    nan = float("nan")
    return lambda value: nan if value is None else value


def _offsets_given(dtype: Dtype) -> Function:
    nothing, one = kept_value(None, dtype), kept_value(1, dtype)
    return lambda count: nothing if count is None else one * count


def _given(function: Function, given: Function, is_alone: bool) -> Function:
    def call(value: Any) -> Any:
        return function(given(value))

    def call_with(value: Any, *more: Any) -> Any:
        return function(given(value), *more)

    return call if is_alone else call_with


def as_shown(table: Table) -> Table:
    """The table with values as pandas shows them: whole numbers are floats if one is missing. Spark may look."""
    from predtrace.frontends.pandas.frame import DataFrame

    doubtful = [value.dtype.is_integer and value.dtype.may_miss for _, value in table.columns]
    if not any(doubtful):
        return table
    shown = DataFrame._of(table)._shown_dtypes()
    columns = []
    for (label, value), dtype in zip(table.columns, shown, strict=True):
        if value.dtype.is_integer and dtype.kind == "f":
            value = value.with_column(value.column.cast("double"), FLOAT64)
        elif value.dtype.is_integer:
            value = replace(value, dtype=value.dtype.missing(False))
        columns.append((label, value))
    return replace(table, columns=tuple(columns))


def kinds_of(table: Table, calls: Sequence[RowCall], teller: Function | None = None) -> list[set[str]]:
    """The kinds of values that functions return for the rows of a table; no kind: it has no rows.

    Where a function raises, its exception is raised here, as pandas would.
    """
    tell = teller or kind_teller()
    told = [_told(table, call, tell) for call in calls]
    names = [value.name for value in told]
    row = table.space.rows(names).agg(*(F.collect_set(name).alias(name) for name in names)).collect()[0]
    found = [set(row[name]) for name in names]
    for call, value, kinds in zip(calls, told, found, strict=True):
        if RAISED in kinds:
            _raise_first(table, call, value)
    return found


def _told(table: Table, call: RowCall, tell: Function) -> Value:
    column = row_function(_kind_of_result(call.function, tell), spark.StringType(), *_columns(call))
    first, *others = call.arguments
    return table.space.settled(first.with_column(column, TEXT, *others), "kind")


def _columns(call: RowCall) -> list[Any]:
    return [value.column for value in call.arguments]


def _kind_of_result(function: Function, tell: Function) -> Function:
    def kind_of_result(*values: Any) -> str:
        try:
            result = function(*values)
        except Exception:
            return RAISED
        return tell(result)  # type: ignore[no-any-return]

    return kind_of_result


def _raise_first(table: Table, call: RowCall, kind: Value) -> None:
    """Call the function here, with the values of the first row that it raised for."""
    names = [table.space.settled(value, "argument").name for value in call.arguments]
    keys = [key.name for key in table.order]
    rows = table.space.rows([*names, *keys, kind.name]).where(F.col(kind.name) == RAISED)
    (first,) = rows.orderBy(*(key.column() for key in table.order)).select(*names).limit(1).collect()
    call.function(*first)
    raise refused(call.text, f"the function raises for the values {tuple(first)!r}, though not here")


def value_of(call: RowCall, kinds: set[str]) -> Value:
    """The results of a function in a column of the dtype that pandas gives it."""
    dtype = decided(kinds, call.text)
    return bound_to_its_rows(called(returning(call, as_held(kinds, dtype)), call.arguments, dtype, call.name))


def returning(call: RowCall, held: Function | None) -> Function:
    """The function of a call, made to return what Spark holds."""
    function = call.function
    if held is None:
        return function

    def returning_one(value: Any) -> Any:
        return held(function(value))

    def returning_many(*values: Any) -> Any:
        return held(function(*values))

    return returning_one if len(call.arguments) == 1 else returning_many
