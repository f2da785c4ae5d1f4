"""numpy's functions of one or two numbers, for each row: `np.log(s)`, `np.maximum(a, b)`.

| function | where it is not what Spark does |
|---|---|
| `log`... | of zero it is -infinite; of less it is missing |
| `log2` | exact for powers of two |
| `sqrt`, `arcsin`... | missing where numpy has NaN |
| `floor`, `ceil`, `rint` | floats stay floats |
| `maximum`, `minimum` | missing if one side is; `fmax` and `fmin` take the other side |
| `isnan` | where a value is missing |

The dtype of a result is what numpy itself gives for numbers of the same dtypes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.cleaning.casting import truth
from predtrace.frontends.pandas.cleaning.masking import absolute
from predtrace.frontends.pandas.core.arithmetic import operate
from predtrace.frontends.pandas.core.dtypes import BOOL, Dtype, dtype_named
from predtrace.frontends.pandas.core.facts import as_shown
from predtrace.frontends.pandas.core.numbers import number, without_nan
from predtrace.frontends.pandas.core.scalars import value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused

_INFINITE = float("inf")


def _logarithm(function: Callable[[Column], Column], zero: float = 0) -> Callable[[Column], Column]:
    return lambda x: F.when(x == zero, F.lit(-_INFINITE)).when(x > zero, function(x))


def _log2(x: Column) -> Column:
    found = F.log2(x)
    return F.when(F.pow(F.lit(2.0), F.rint(found)) == x, F.rint(found)).otherwise(found)


def _whole(function: Callable[[Column], Column]) -> Callable[[Column], Column]:
    """Spark rounds to whole numbers of 64 bits, which are not large enough; larger floats are whole already."""
    return lambda x: F.when(F.abs(x) < 2.0**52, function(x).cast("double")).otherwise(x)


def _truncated(x: Column) -> Column:
    return F.when(x < 0, F.ceil(x)).otherwise(F.floor(x))


def _or_missing(function: Callable[[Column], Column]) -> Callable[[Column], Column]:
    return lambda x: without_nan(function(x))


_OF_FLOATS: dict[str, Callable[[Column], Column]] = {
    "log": _logarithm(F.ln),
    "log2": _logarithm(_log2),
    "log10": _logarithm(F.log10),
    "log1p": _logarithm(F.log1p, -1),
    "exp": F.exp,
    "exp2": lambda x: F.pow(F.lit(2.0), x),
    "expm1": F.expm1,
    "sqrt": lambda x: F.when(x >= 0, F.sqrt(x)),
    "cbrt": F.cbrt,
    "sin": _or_missing(F.sin),
    "cos": _or_missing(F.cos),
    "tan": _or_missing(F.tan),
    "arcsin": _or_missing(F.asin),
    "arccos": _or_missing(F.acos),
    "arctan": F.atan,
    "sinh": F.sinh,
    "cosh": F.cosh,
    "tanh": F.tanh,
    "arcsinh": F.asinh,
    "arccosh": _or_missing(F.acosh),
    "arctanh": _or_missing(F.atanh),
    "degrees": F.degrees,
    "rad2deg": F.degrees,
    "radians": F.radians,
    "deg2rad": F.radians,
    "fabs": F.abs,
    "rint": F.rint,
}
_WHOLE: dict[str, Callable[[Column], Column]] = {
    "floor": _whole(F.floor),
    "ceil": _whole(F.ceil),
    "trunc": _whole(_truncated),
}
"""Of whole numbers they are these numbers."""
_QUESTIONS: dict[str, Callable[[Column], Column]] = {
    "isnan": lambda x: x.isNull(),
    "isfinite": lambda x: F.coalesce(F.abs(x) < _INFINITE, F.lit(False)),
    "isinf": lambda x: F.coalesce(F.abs(x) == _INFINITE, F.lit(False)),
}
_OF_TWO: dict[str, Callable[[Column, Column], Column]] = {
    "maximum": lambda a, b: F.when(a.isNotNull() & b.isNotNull(), F.greatest(a, b)),
    "minimum": lambda a, b: F.when(a.isNotNull() & b.isNotNull(), F.least(a, b)),
    "fmax": F.greatest,
    "fmin": F.least,
    "arctan2": F.atan2,
    "hypot": F.hypot,
}
OF_ONE = frozenset({*_OF_FLOATS, *_WHOLE, "absolute", "square", "sign"})
OF_TWO = frozenset(_OF_TWO)


def elementwise(name: str, value: Value) -> Value:
    """A function of numpy of one number."""
    if name == "logical_not":
        return operate("==", truth(value), value_in(value.space, False))
    (value,) = as_shown([value])
    dtype = value.dtype
    if not dtype.is_number or (dtype.is_bool and dtype.may_miss):
        raise TypeError(f"numpy.{name} does not support values of dtype {dtype.name}")
    x = number(value.column, dtype)
    if name in _QUESTIONS:
        return value.with_column(_QUESTIONS[name](x.cast("double")), BOOL)
    if name == "absolute":
        return absolute(value)
    if name == "square":
        return operate("*", value, value)
    if name == "reciprocal" and dtype.is_float:
        return operate("/", value_in(value.space, 1.0), value)
    if name == "sign" or name in _WHOLE or name in _OF_FLOATS:
        result = _result(name, dtype)
        if name in _WHOLE and dtype.is_integer and result.is_integer:
            return value
        function = F.signum if name == "sign" else _WHOLE.get(name) or _OF_FLOATS[name]
        column = function(x if dtype.name == "float64" else x.cast("double"))
        column = column if result.name == "float64" else column.cast(result.spark)
        return value.with_column(column, result.missing(dtype.may_miss or result.is_float))
    raise refused(f"numpy.{name}", "it is not made for Spark yet")


def of_two(name: str, left: Value, right: Value) -> Value:
    """A function of numpy of two numbers."""
    left, right = (value if value.constant is not None else as_shown([value])[0] for value in (left, right))
    if not (left.dtype.is_number and right.dtype.is_number):
        raise TypeError(f"numpy.{name} does not support {left.dtype.name} and {right.dtype.name}")
    result = _result(name, *(one.dtype if one.constant is None else one.constant for one in (left, right)))
    a, b = (number(side.column, side.dtype).cast(result.spark) for side in (left, right))
    column = _OF_TWO[name](a, b)
    may_miss = left.dtype.may_miss or right.dtype.may_miss or result.is_float
    return left.with_column(column, result.missing(may_miss), right)


def _result(name: str, *operands: Any) -> Dtype:
    """The dtype that numpy gives for numbers of these dtypes, or for constants."""
    samples = [np.ones(1, one.name) if isinstance(one, Dtype) else one for one in operands]
    given = getattr(np, name)(*samples).dtype
    found = dtype_named(given.name)
    if found is None:
        raise refused(f"numpy.{name}", f"its result is {given.name}, which Spark does not have")
    return found
