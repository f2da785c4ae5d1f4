"""`DataFrame.apply(function, axis=1)`: a function that is given whole rows.

The function is given a Series of plain pandas with the row's values. Its dtype is the one that pandas has for rows of
such a frame: where columns have different dtypes it is the one that holds them all, so numbers may come as floats.

Where the function's source shows that it takes only some columns (`row["a"]`, `row.b`), only these are in the call;
then the trace of a result asks for no others either.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.applying.calling import Function
from predtrace.frontends.pandas.applying.expanding import expanded, is_expanded, row_teller
from predtrace.frontends.pandas.applying.row_calls import (
    RowCall,
    as_given,
    as_shown,
    kinds_of,
    value_of,
    with_scalars,
)
from predtrace.frontends.pandas.applying.users_functions import prepared
from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, check_not_kept
from predtrace.frontends.pandas.core.scalars import Scalar, literal
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table
from predtrace.symbolic.python.source import syntax_of
from predtrace.symbolic.python.values import Unknowable

_CALL = "DataFrame.apply(axis=1)"


def applied_to_rows(frame: Any, function: Any, result_type: str | None, args: Any, kwargs: Any) -> Any:
    """What a function makes of each row: a series, or a frame if it returns several values."""
    from predtrace.frontends.pandas.series import Series

    table, call, fit, scalars = call_for_rows(frame, function, args, kwargs)
    (kinds,) = kinds_of(table, [call], row_teller(expand=result_type == "expand"))
    if not kinds:
        return _of_no_rows(frame, fit, result_type, bool(scalars))
    if is_expanded(kinds):
        if result_type == "reduce":
            raise refused(f"{_CALL}", "result_type='reduce' keeps rows as objects")
        return expanded(table, call, kinds, _framed(result_type))
    return Series._of(replace(table, columns=((None, value_of(call, kinds)),), column_names=(None,)))


def call_for_rows(
    frame: Any, function: Any, args: Any, kwargs: Any
) -> tuple[Table, RowCall, Function, list[Scalar]]:
    """The call of a function for each row, and where its arguments are; the function for Spark, and its scalars."""
    fit, scalars = prepared(function, args, kwargs, _CALL)
    table = as_shown(frame._table).settled()
    used = _labels_used(function, table.labels)
    chosen = range(len(table.columns)) if used is None else [table.labels.index(label) for label in used]
    levels = _levels(table, function) if used is None else ()
    call = with_scalars(_row_call(table, fit, list(chosen), levels, function), scalars)
    return table, call, fit, scalars


def _framed(result_type: str | None) -> Any:
    def framed(results: Sequence[Any]) -> Any:
        places = pd.DataFrame({"at": range(len(results))})
        return places.apply(lambda row: results[int(row["at"])], axis=1, result_type=result_type)

    return framed


def _row_call(
    table: Table,
    function: Function,
    chosen: list[int],
    levels: Sequence[Level],
    users: Any,
) -> RowCall:
    """The call of a function with a Series of some of a table's columns."""
    values = [value for _, value in table.columns]
    dtype = _row_dtype(values)
    if all(value.dtype.is_period for value in values):  # then rows are of periods, too
        check_not_kept(_CALL, *(value.dtype for value in values))
    index = _row_index([table.labels[at] for at in chosen], table.column_names)
    given = [_given_in_row(values[at], dtype) for at in chosen]
    named = [level.value for level in levels]
    arguments = [*(values[at] for at in chosen), *named]
    if not arguments:  # a function that looks at no column at all
        arguments = [Value(table.space, literal(0, INT64), frozenset(), INT64)]
    made = _with_row(function, index, dtype, given, [as_given(value.dtype) for value in named])
    return RowCall(made, tuple(arguments), getattr(users, "__name__", "apply"), _CALL)


def _row_index(labels: list[Any], names: tuple[Label, ...]) -> pd.Index:
    if labels and len(names) > 1:
        return pd.MultiIndex.from_tuples(labels, names=list(names))
    return pd.Index(labels, name=names[0], tupleize_cols=False)


def _row_dtype(values: list[Value]) -> Any:
    """The dtype of a row, as pandas itself has it for columns of these dtypes."""
    columns = {at: pd.Series(dtype=value.dtype.shown(False)) for at, value in enumerate(values)}
    misses = {at: pd.Series(dtype=object) for at, value in enumerate(values) if _is_object(value)}
    return pd.DataFrame({**columns, **misses}).values.dtype


def _is_object(value: Value) -> bool:
    return value.dtype.is_bool and value.dtype.may_miss


def _given_in_row(value: Value, dtype: Any) -> Function | None:
    return as_given(value.dtype) if dtype == np.dtype(object) or value.dtype.is_moment else as_given(FLOAT64)


def _with_row(
    function: Function,
    index: pd.Index,
    dtype: Any,
    given: list[Function | None],
    named: list[Function | None],
) -> Function:
    """A function of columns' values that calls a function with a row of them."""
    count, names = len(given), len(named)

    def with_row(*values: Any) -> Any:
        row = [give(one) if give else one for give, one in zip(given, values, strict=False)]
        labels = [give(one) if give else one for give, one in zip(named, values[count:], strict=False)]
        name = labels[0] if len(labels) == 1 else tuple(labels) or None
        more = values[max(count + names, 1) :]
        return function(pd.Series(row, index=index, dtype=dtype, name=name), *more)

    return with_row


def _labels_used(function: Any, labels: list[Label]) -> list[Label] | None:
    """The columns that a function takes from its row; None if it may be all of them."""
    if type(function) is not types.FunctionType:
        return None
    try:
        node = syntax_of(function)
    except Unknowable:
        return None
    arguments = [*node.args.posonlyargs, *node.args.args]
    if not arguments:
        return None
    row = arguments[0].arg
    mentions = sum(isinstance(part, ast.Name) and part.id == row for part in ast.walk(node))
    found: list[Label] = []
    for part in ast.walk(node):
        match part:
            case ast.Subscript(ast.Name(id=name), ast.Constant(label), ast.Load()) if name == row:
                found.append(label)
            case ast.Attribute(ast.Name(id=name), label, ast.Load()) if name == row:
                if hasattr(pd.Series, label):
                    return None
                found.append(label)
    if len(found) != mentions or any(labels.count(label) != 1 for label in found):
        return None
    return list(dict.fromkeys(found))


def _levels(table: Table, function: Any) -> tuple[Level, ...]:
    """The levels of the index, if the function may ask for `row.name`. Positions are counted only if it does."""
    if not isinstance(table.index, Positions):
        return table.index
    code = getattr(function, "__code__", None)
    return table.levels() if code is not None and "name" in code.co_names else ()


def _of_no_rows(frame: Any, function: Function, result_type: str | None, has_scalars: bool) -> Any:
    """What pandas makes of a frame without rows: it tries the function on a row of missing values."""
    from predtrace.frontends.pandas.series import Series

    if result_type not in ("reduce", None):
        return frame.copy()
    if result_type is None:
        try:
            tried = None if has_scalars else function(pd.Series(index=frame.columns, dtype="float64"))
        except Exception:
            return frame.copy()
        if isinstance(tried, pd.Series):
            return frame.copy()
    nothing = Value(frame._table.space, literal(float("nan"), FLOAT64), frozenset(), FLOAT64)
    return Series._of(replace(frame._table, columns=((None, nothing),), column_names=(None,)))
