"""numpy's functions over series and frames: `np.log(s)`, `np.where(mask, a, b)`, `np.mean(s)`.

| numpy | here |
|---|---|
| a function of each number (`np.log`), an operator (`np.add`) | the same for each row |
| `np.where`, `np.select`, `np.digitize`, `np.nan_to_num` | a series, where numpy gives an array |
| `np.mean`, `np.sum`, `np.std`..., `np.round`, `np.clip`, `np.cumsum` | the method of the object, as in numpy |
| `np.median`, `np.percentile`, `np.quantile` | missing if a value is missing, as in numpy |
| `np.unique`, `np.ones_like` | an array on this machine |
| anything else | refused |
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.cleaning.casting import truth
from predtrace.frontends.pandas.core.dtypes import Dtype, common
from predtrace.frontends.pandas.core.elements import changed, frame_of, is_frame, is_series
from predtrace.frontends.pandas.core.facts import as_shown, one_misses
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar, one_row, scalar_of, value_in
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.for_numpy.choices import digitize, nan_to_num, select, where
from predtrace.frontends.pandas.for_numpy.elementwise import OF_ONE, OF_TWO, elementwise, of_two

_OPERATORS = {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.true_divide: "/",
    np.floor_divide: "//",
    np.remainder: "%",
    np.power: "**",
    np.equal: "==",
    np.not_equal: "!=",
    np.less: "<",
    np.less_equal: "<=",
    np.greater: ">",
    np.greater_equal: ">=",
    np.bitwise_and: "&",
    np.bitwise_or: "|",
    np.bitwise_xor: "^",
}
_LOGIC = {np.logical_and: "&", np.logical_or: "|", np.logical_xor: "^"}


def apply_ufunc(ufunc: Any, method: str, inputs: Any, kwargs: Any) -> Any:
    """What numpy hands over when a series is an argument of an elementwise function."""
    call = f"numpy.{ufunc.__name__}()"
    if method != "__call__":
        raise refused(f"numpy.{ufunc.__name__}.{method}()", "only calls for each value are made for Spark")
    if kwargs:
        raise refused(call, f"the argument {next(iter(kwargs))!r} is not")
    if not any(isinstance(one, Held) for one in inputs):
        return _of_scalars(ufunc, inputs)
    first = inputs[0]
    if len(inputs) == 1:
        if ufunc is np.negative:
            return -first
        if ufunc is np.positive:
            return first.copy()
        if ufunc is np.invert:
            return ~first
        return changed(first, lambda _, value: elementwise(ufunc.__name__, value))
    if ufunc in _OPERATORS:
        return _operated(_OPERATORS[ufunc], *inputs)
    if ufunc in _LOGIC:
        one, other = (_as_condition(one) for one in inputs)
        return _operated(_LOGIC[ufunc], one, other)
    if ufunc.__name__ in OF_TWO:
        return _of_two(ufunc.__name__, *inputs)
    raise refused(call, "it is not made for Spark yet")


def _of_scalars(ufunc: Any, inputs: Any) -> Any:
    """Of one number that Spark works out it is such a number again, where it can be; else a plain one."""
    first = inputs[0]
    if len(inputs) == 1 and isinstance(first, Scalar) and ufunc.__name__ in OF_ONE and first._dtype.is_number:
        return scalar_of(elementwise(ufunc.__name__, value_in(one_row(), first)))
    if ufunc in _OPERATORS and all(isinstance(one, Scalar) or np.isscalar(one) for one in inputs):
        return _operated(_OPERATORS[ufunc], *inputs)
    return ufunc(*(one._known if isinstance(one, Scalar) else one for one in inputs))


def _operated(symbol: str, one: Any, other: Any) -> Any:
    if isinstance(one, (Held, Scalar)):
        return one._operated(symbol, other)  # type: ignore[union-attr]
    swapped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(symbol, symbol)
    if symbol in ("==", "!=", *"<>", "<=", ">="):
        return other._operated(swapped, one)
    return other._operated(symbol, one, swapped=True)


def _as_condition(operand: Any) -> Any:
    if isinstance(operand, Held):
        return changed(operand, lambda _, value: truth(value))
    return bool(operand) if pd.api.types.is_scalar(operand) else np.asarray(operand).astype(bool)


def _of_two(name: str, one: Any, other: Any) -> Any:
    if is_frame(one) or is_frame(other):
        return _of_frame(name, one, other)
    series, operand, is_first = (one, other, True) if is_series(one) else (other, one, False)
    table, mine, theirs, label = series._with(operand)
    value = of_two(name, mine, theirs) if is_first else of_two(name, theirs, mine)
    return series._of(table.with_columns([]).with_column(label, value))


def _of_frame(name: str, one: Any, other: Any) -> Any:
    """numpy makes one array of a frame, so all columns have one dtype then."""
    given, operand = (one, other) if is_frame(one) else (other, one)
    shown = as_shown([value for _, value in given._table.columns])
    kinds: list[Dtype | None] = [value.dtype for value in shown]
    dtype = reduce(lambda a, b: None if a is None or b is None else common(a, b), kinds)
    if dtype is None or isinstance(operand, Held):
        raise refused(f"numpy.{name}()", "of a frame it is made for numbers and a scalar")
    frame = frame_of(given.astype(dtype.name))
    for label, column in list(frame.items()):
        frame._set(label, _of_two(name, *((column, operand) if is_frame(one) else (operand, column))))
    return frame


def _reduced(method: str, **fixed: Any) -> Callable[..., Any]:
    """numpy asks the object itself for a method of the same name."""

    def call(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, **given: Any) -> Any:
        only(f"numpy.{method}()", {"dtype": None, "out": None}, {"dtype": dtype, "out": out})
        if is_frame(a) and axis is None and method not in ("sum", "prod", "std", "var"):
            raise refused(f"numpy.{method}() of a frame", "it is one value of all columns", "give axis=0")
        along = {} if axis is None else {"axis": axis}
        return getattr(a, method)(**along, **{**fixed, **given})

    return call


def _method(name: str) -> Callable[..., Any]:
    return lambda a, *args, **given: getattr(a, name)(*args, **given)


def _missing_if_one_is(a: Any, found: Callable[[], Any]) -> Any:
    """numpy's own functions do not skip missing values: the result is missing then."""
    if not is_series(a):
        raise refused("numpy's median, percentile and quantile of a frame", "call it for each column")
    return np.float64("nan") if one_misses(a._value) else found()


def _median(a: Any, axis: Any = None) -> Any:
    return _missing_if_one_is(a, lambda: a.median())


def _quantile(a: Any, q: Any, axis: Any = None, *, method: str = "linear") -> Any:
    if not np.isscalar(q):
        return np.array([float(_quantile(a, one, method=method)) for one in np.asarray(q)])
    return _missing_if_one_is(a, lambda: a.quantile(q, interpolation=method))


def _percentile(a: Any, q: Any, axis: Any = None, *, method: str = "linear") -> Any:
    parts = np.asarray(q) / 100
    return _quantile(a, float(parts) if parts.ndim == 0 else parts, method=method)


def _unique(ar: Any, **given: Any) -> Any:
    """Of the distinct values, if nothing else is asked for."""
    return np.unique(ar.to_numpy() if given or is_frame(ar) else np.asarray(ar.unique()), **given)


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return np.nonzero(np.asarray(condition))
    return where(condition, x, y)


def _like(name: str) -> Callable[..., Any]:
    """An array of the same shape and, if no other is given, the dtype that an array of the object has."""

    def call(a: Any, *args: Any, **given: Any) -> Any:
        dtypes = [a.dtype] if is_series(a) else list(a.dtypes)
        empty = pd.DataFrame({place: pd.Series(dtype=dtype) for place, dtype in enumerate(dtypes)})
        return getattr(np, name)(np.empty(a.shape, empty.to_numpy().dtype), *args, **given)

    return call


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.select: select,
    np.nan_to_num: nan_to_num,
    np.digitize: digitize,
    np.round: _method("round"),
    np.around: _method("round"),
    np.clip: _method("clip"),
    np.isin: _method("isin"),
    np.unique: _unique,
    np.median: _median,
    np.quantile: _quantile,
    np.percentile: _percentile,
    np.nanmedian: lambda a: a.median(),
    np.cumsum: _method("cumsum"),
    np.cumprod: _method("cumprod"),
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: 1 if is_series(a) else 2,
    np.size: lambda a: a.size,
    **{getattr(np, name): _like(name) for name in ("ones_like", "zeros_like", "full_like")},
    np.any: _reduced("any"),
    np.all: _reduced("all"),
    **{getattr(np, name): _reduced(name) for name in ("sum", "mean", "min", "max", "prod")},
    **{getattr(np, f"nan{name}"): _reduced(name) for name in ("sum", "mean", "min", "max", "prod")},
    **{getattr(np, f"{nan}{name}"): _reduced(name, ddof=0) for name in ("std", "var") for nan in ("", "nan")},
}


def apply_function(function: Any, args: Any, kwargs: Any) -> Any:
    """What numpy hands over when a series is an argument of another function."""
    if function not in _FUNCTIONS:
        raise refused(f"numpy.{function.__name__}()", "it is not made for Spark yet")
    return _FUNCTIONS[function](*args, **kwargs)
