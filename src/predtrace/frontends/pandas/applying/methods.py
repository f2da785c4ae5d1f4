"""The user's Python functions, called for values, rows and whole columns: `apply`, `map`, `applymap`, `transform`.

| call | what is called |
|---|---|
| `Series.apply`, `Series.map`, `DataFrame.map` | the function, by Spark for every value |
| `DataFrame.apply(axis=1)` | the function, by Spark for every row (`row_wise`) |
| `DataFrame.apply`, `pipe`, `transform` | the function, here, with our own series and frames |

A function for values is called with what pandas would give it, and its results get the dtype that pandas would give
them (`returned`). So Spark works the function out once when `apply` is called, and again whenever the result is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.applying.column_wise import applied_to_columns
from predtrace.frontends.pandas.applying.expanding import expanded, is_expanded, row_teller
from predtrace.frontends.pandas.applying.row_calls import (
    RowCall,
    as_shown,
    call_of_values,
    kinds_of,
    value_of,
)
from predtrace.frontends.pandas.applying.row_wise import applied_to_rows
from predtrace.frontends.pandas.applying.users_functions import prepared
from predtrace.frontends.pandas.core.categories import mapped_categories
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.steps import Unfaithful, refused
from predtrace.frontends.pandas.core.tables import Table
from predtrace.frontends.pandas.texts.methods import Texts
from predtrace.frontends.pandas.times.methods import moments_of

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


class ApplyingFrame(Held):
    """These methods of a DataFrame."""

    def apply(
        self,
        func: Any,
        axis: Any = 0,
        raw: bool = False,
        result_type: str | None = None,
        args: Any = (),
        **kwargs: Any,
    ) -> Any:
        """Call a function with each column, or with each row (`axis=1`)."""
        if result_type not in (None, "reduce", "broadcast", "expand"):
            raise ValueError(
                "invalid value for result_type, must be one of {None, 'reduce', 'broadcast', 'expand'}"
            )
        if raw or result_type == "broadcast":
            raise refused(
                "DataFrame.apply()", "raw=True and result_type='broadcast' need all values in one array"
            )
        _refuse_several("DataFrame.apply()", func)
        by_row = axis in (1, "columns")
        if isinstance(func, str):
            return getattr(self, func)(*args, **({"axis": 1} if by_row else {}), **kwargs)
        if by_row and not isinstance(func, np.ufunc):
            return applied_to_rows(self, func, result_type, args, kwargs)
        return applied_to_columns(self, func, args, kwargs)

    def map(self, func: Any, na_action: str | None = None, **kwargs: Any) -> DataFrame:
        """What a function makes of every value."""
        from predtrace.frontends.pandas.frame import DataFrame

        if not callable(func):
            raise TypeError("the first argument must be callable")
        if any(value.dtype.categories is not None for _, value in self._table.columns):
            raise refused("DataFrame.map()", "a column has categories", "map its columns one by one")
        fit, scalars = prepared(func, (), kwargs, "DataFrame.map()")
        table = as_shown(self._table).settled()
        values = [value for _, value in table.columns]
        name = getattr(func, "__name__", "map")
        calls = [
            _ignoring_missing(call_of_values(fit, value, scalars, name, "DataFrame.map()"), na_action)
            for value in values
        ]
        kinds = kinds_of(table, calls)
        made = [
            value_of(call, found) if found else value
            for call, found, value in zip(calls, kinds, values, strict=True)
        ]
        return DataFrame._of(table.with_columns(zip(table.labels, made, strict=True)))

    applymap = map

    def transform(self, func: Any, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
        """Call a function with each column; the result must have the same rows."""
        _refuse_several("DataFrame.transform()", func)
        return _transformed(self, lambda: self.apply(func, axis, args=args, **kwargs), func, args, kwargs)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function with this frame."""
        return _piped(self, func, args, kwargs)


class ApplyingSeries(Held):
    """These methods of a Series."""

    _value: Any

    @property
    def str(self) -> Texts:
        """Methods of texts, for every value."""
        return Texts(cast("Series", self))

    @property
    def dt(self) -> Any:
        """Parts of moments and of spans of time, for every value."""
        return moments_of(cast("Series", self))

    def apply(
        self, func: Any, convert_dtype: bool = True, args: Any = (), *, by_row: Any = "compat", **kwargs: Any
    ) -> Any:
        """What a function makes of every value."""
        _refuse_several("Series.apply()", func)
        if not convert_dtype:
            raise refused("Series.apply()", "convert_dtype=False keeps objects of any type")
        if isinstance(func, str):
            found = getattr(self, func)
            return found(*args, **kwargs) if callable(found) else found
        if isinstance(func, np.ufunc) or not by_row:
            return func(self, *args, **kwargs)
        return self._mapped(func, None, args, kwargs, "Series.apply()")

    def map(self, arg: Any, na_action: Any = None) -> Any:
        """What a function makes of every value, or what a table (a dict or a series) has for it."""
        if na_action not in (None, "ignore"):
            raise ValueError(f"na_action must either be 'ignore' or None, {na_action} was passed")
        if callable(arg):
            return self._mapped(arg, na_action, (), {}, "Series.map()")
        if hasattr(type(arg), "__missing__"):
            nan = float("nan")
            return self._mapped(
                lambda key: arg[nan if key != key else key], na_action, (), {}, "Series.map()"
            )
        from predtrace.frontends.pandas.cleaning import methods as cleaning

        if isinstance(arg, (dict, pd.Series)) and self._value.dtype.categories is not None:
            return self._mapped(arg, na_action, (), {}, "Series.map()")
        if na_action is not None:
            if not isinstance(arg, dict):
                raise refused("Series.map()", "na_action='ignore' is not, with a series")
            arg = {key: value for key, value in arg.items() if not pd.isna(key)}
        return cleaning.mapped_by_table(self, arg)

    def _mapped(self, func: Any, na_action: Any, args: Any, kwargs: dict[Any, Any], call: Any) -> Any:
        from predtrace.frontends.pandas.series import Series

        table = as_shown(self._table)
        label, value = table.columns[0]
        if value.dtype.categories is not None:
            ignored = na_action == "ignore" or call == "Series.apply()"
            made = mapped_categories(table, func, args, kwargs, ignored, call)
            return Series._of(replace(table, columns=((label, made),)))
        fit, scalars = prepared(func, args, kwargs, call)
        table = table.settled() if scalars else table
        value = table.columns[0][1]
        name = getattr(func, "__name__", "apply")
        row_call = _ignoring_missing(call_of_values(fit, value, scalars, name, call), na_action)
        (kinds,) = kinds_of(table, [row_call], row_teller(expand=False))
        if not kinds:
            return self.copy()
        if is_expanded(kinds) and call == "Series.apply()":
            return expanded(table, row_call, kinds, _framed)
        return Series._of(replace(table, columns=((label, value_of(row_call, kinds)),)))

    def transform(self, func: Any, axis: Any = 0, *args: Any, **kwargs: Any) -> Series:
        """What a function makes of every value, or of the whole series; the result must have the same rows."""
        _refuse_several("Series.transform()", func)
        found: Series = _transformed(self, lambda: self.apply(func, args=args, **kwargs), func, args, kwargs)
        return found

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function with this series."""
        return _piped(self, func, args, kwargs)


def _ignoring_missing(call: RowCall, na_action: Any) -> RowCall:
    """The call; with `na_action="ignore"` the function is not called for missing values."""
    if na_action != "ignore":
        return call
    dtype = call.arguments[0].dtype
    is_in_time = dtype.is_moment or dtype.is_period or dtype.is_difference
    return replace(call, function=_ignoring(call.function, pd.NaT if is_in_time else float("nan")))


def _ignoring(function: Callable[..., Any], missing: Any) -> Callable[..., Any]:
    def ignoring(value: Any, *more: Any) -> Any:
        return missing if value is None else function(value, *more)

    return ignoring


def _framed(results: Any) -> pd.DataFrame:
    return pd.Series(range(len(results))).apply(lambda at: results[at])


def _refuse_several(call: str, func: Any) -> None:
    if isinstance(func, (list, tuple, dict)):
        raise refused(call, "it is given several functions", "use agg(), or call it once for each function")


def _transformed(held: Any, apply: Callable[[], Any], func: Any, args: Any, kwargs: Any) -> Any:
    try:
        result = apply()
    except Unfaithful:
        raise
    except Exception:
        result = func(held, *args, **kwargs)
    if not isinstance(result, Held) or not _has_same_rows(result._table, held._table):
        raise ValueError("Function did not transform")
    return result


def _has_same_rows(table: Table, other: Table) -> bool:
    return table.has_rows_of(other) or (table.space.is_all_of(other.space) and table.order == other.order)


def _piped(held: Any, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    if not isinstance(func, tuple):
        return func(held, *args, **kwargs)
    function, target = func
    if target in kwargs:
        raise ValueError(f"{target} is both the pipe target and a keyword argument")
    return function(*args, **{target: held}, **kwargs)
