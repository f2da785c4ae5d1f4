"""pandas' aggregates by name, as expressions of Spark: over all rows, over groups, or over windows.

| aggregate | where it is not what Spark does |
|---|---|
| `sum`, `prod` | 0 and 1 where no value is there; of texts: one after the other |
| `std`, `var`, `sem` | by n - 1; missing for one value |
| `median`, `quantile` | exact, between two values on the line from one to the other |
| `skew`, `kurt` | of a sample; 0 where all values are the same |
| `any`, `all` | never missing |
| `first`, `last` | the first and last value that is there, in the order of the rows |
| `idxmin`, `idxmax` | the index label of the first such row |
| all | missing where numpy has NaN |

Means and medians of moments and spans of time have microseconds, as all such values in Spark. The least of texts is
of those in a group that are there; of all rows it is an error if some are missing, as in pandas.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any

import numpy as np
from pyspark.sql import Column

from predtrace.frontends.pandas.core.certain import is_numeric, misses
from predtrace.frontends.pandas.core.dtypes import SPAN, Dtype, check_no_difference, check_not_kept
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.reducing.aggregate_functions import AGGREGATES, OF_NUMBERS
from predtrace.frontends.pandas.reducing.within import Part, Within


@dataclass(frozen=True)
class Cell:
    """What an aggregate gives. `nothing`: its value for a group without rows, if it has one."""

    column: Column
    dtype: Dtype
    uses: frozenset[str]
    nothing: Any = None


_OF_NOTHING = {"sum": 0, "prod": 1, "count": 0, "size": 0, "nunique": 0, "any": False, "all": True}


def aggregate(name: str, value: Value, within: Within, **options: Any) -> Cell:
    """The aggregate of this name of a settled value with a certain dtype."""
    if name not in AGGREGATES:
        raise AttributeError(f"'{name}' is not a valid function for 'Series' object")
    _check(name, value, within)
    column, dtype = AGGREGATES[name](Part(value.column, value.dtype, within), **options)
    has_start = not (options.get("min_count", 0) > 0 or (name == "sum" and value.dtype.is_text))
    return Cell(column, dtype, value.uses | within.uses, _OF_NOTHING.get(name) if has_start else None)


def _check(name: str, value: Value, within: Within) -> None:
    """Raise what pandas raises for values that have no such aggregate."""
    dtype = value.dtype
    if name not in ("count", "size"):
        check_no_difference(f"{name}()", dtype)
    if name in OF_NUMBERS or (name == "count" and within.by and dtype.is_whole_with_na):
        check_not_kept(f"{name}()", dtype)
    if dtype.is_mixed and name not in ("count", "size", "nunique", "first", "last"):
        check_not_kept(f"{name}()", dtype)
    if name in ("min", "max", "idxmin", "idxmax") and dtype.categories is not None:
        if not dtype.is_ordered:
            raise TypeError(f"Categorical is not ordered for operation {name}")
        raise refused(f"{name}() of ordered categories", "their order is not Spark's")
    if name in ("min", "max") and dtype.is_text and not within.by and misses([value])[value.name]:
        sign = "<=" if name == "min" else ">="
        raise TypeError(f"'{sign}' not supported between instances of 'str' and 'float'")
    if name in ("idxmin", "idxmax") and not within.by and not value.space.rows(value.uses).take(1):
        raise ValueError(f"attempt to get arg{name[3:]} of an empty sequence")
    if name in ("idxmin", "idxmax") and not (dtype.is_number or dtype.is_moment or dtype.name == SPAN.name):
        raise refused(f"{name}() of {dtype.name}", "it is not made for Spark yet")
    if name not in OF_NUMBERS or is_numeric(dtype):
        return
    if dtype.is_bool:
        raise refused(f"{name}() of booleans with missing values", "in pandas they are objects")
    if name == "sum" and dtype.is_text and dtype.categories is None:
        _check_texts(value, within)
    elif dtype.is_moment or dtype.name == SPAN.name:
        _check_times(name, dtype)
    else:
        raise TypeError(f"agg function failed [how->{name},dtype->{dtype.name}]")


def _check_texts(value: Value, within: Within) -> None:
    if not within.by and not value.space.rows(value.uses).take(1):
        raise refused("sum() of no texts", "pandas gives a number, 0")
    if not misses([value])[value.name]:
        return
    if within.by:
        raise refused("sum() of texts by group", "some are missing, and pandas may give a number, 0")
    raise TypeError('can only concatenate str (not "int") to str')


def _check_times(name: str, dtype: Dtype) -> None:
    if name in ("mean", "median", "quantile") or (name == "sum" and dtype.name == SPAN.name):
        return
    if name in ("sum", "prod", "var", "skew", "kurt"):
        raise TypeError(f"{dtype.name} does not support reduction '{name}'")
    raise refused(f"{name}() of {dtype.name}", "it is not made for Spark yet")


_CALLABLES: dict[Any, str] = {
    builtins.sum: "sum",
    builtins.min: "min",
    builtins.max: "max",
    builtins.len: "size",
    **{
        getattr(np, f"{prefix}{name}"): name
        for name in ("sum", "mean", "median", "std", "var", "min", "max", "prod")
        for prefix in ("", "nan")
    },
    np.any: "any",
    np.all: "all",
    np.size: "size",
}


def named(function: Any) -> str | None:
    """The aggregate that a user means by a name or a function; None if it is a function of the user's own.

    >>> named("mean"), named(np.median), named(lambda x: x)
    ('mean', 'median', None)
    """
    if isinstance(function, str):
        return function
    if not callable(function):
        raise TypeError(f"'{type(function).__name__}' object is not callable")
    try:
        known = _CALLABLES.get(function)
    except TypeError:  # it has no hash
        return None
    # `pd.Series.nunique` is a function of ours.
    if known is None and str(getattr(function, "__module__", "")).startswith(str(__package__)):
        return function.__name__ if function.__name__ in AGGREGATES else None
    return known


def name_of(function: Any) -> str:
    """What pandas calls the column of an aggregate.

    >>> name_of("mean"), name_of(np.median), name_of(len), name_of(lambda x: x)
    ('mean', 'median', 'len', '<lambda>')
    """
    if isinstance(function, str):
        return function
    inner = getattr(function, "func", None)  # of a partial
    if inner is not None and not hasattr(function, "__name__"):
        return name_of(inner)
    return str(getattr(function, "__name__", type(function).__name__))
