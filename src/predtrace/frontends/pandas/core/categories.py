"""Categories: how Spark holds them, and functions over them.

A value of a category is held as the category itself, if that is a text or a number. Intervals are held as the bound
that is inside of them: pandas finds the interval by it, and their order is that of the bounds.

pandas calls a function once for each category, not for each value. If the results are all different they are the new
categories; otherwise they are plain values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import called
from predtrace.frontends.pandas.applying.returned import as_held, decided, kind_teller
from predtrace.frontends.pandas.applying.users_functions import prepared
from predtrace.frontends.pandas.core.dtypes import Dtype
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table

_SPARK: dict[type, spark.DataType] = {
    str: spark.StringType(),
    int: spark.LongType(),
    float: spark.DoubleType(),
    bool: spark.BooleanType(),
}


def held(category: Any) -> Any:
    """The value that Spark holds for a category."""
    if isinstance(category, pd.Interval):
        return float(category.right if category.closed == "right" else category.left)
    return category.item() if isinstance(category, np.generic) else category


def category_dtype(categories: Iterable[Any], is_ordered: bool, call: str) -> Dtype:
    """The dtype of categories; an error if Spark cannot hold them.

    >>> category_dtype([1, 2], True, "cut()").spark
    LongType()
    """
    given = tuple(categories)
    kinds = {type(held(one)) for one in given} or {str}
    if len(kinds) > 1 or not kinds <= set(_SPARK):
        raise refused(call, f"it makes categories of the type {type(given[0]).__name__}")
    return Dtype("category", _SPARK[kinds.pop()], True, given, is_ordered)


def mapped_categories(
    table: Table, function: Any, args: Any, kwargs: dict[str, Any], ignores_missing: bool, call: str
) -> Value:
    """What a function, or a table of Python, makes of a series of categories."""
    fit = function
    if callable(function):
        fit, scalars = prepared(function, args, kwargs, call)
        if scalars:
            raise refused(call, "the function of categories uses a value that Spark works out")
    value = table.columns[0][1]
    categories = value.dtype.categories
    assert categories is not None
    results = pd.Index(list(categories)).map(fit)
    misses = value.dtype.may_miss and bool(table.space.rows(value.uses).where(value.column.isNull()).take(1))
    of_missing = np.nan
    if misses and not ignores_missing:
        of_missing = fit(np.nan) if callable(fit) else fit.get(np.nan, np.nan)
    if results.is_unique and not results.hasnans and of_missing is np.nan:
        dtype = category_dtype(results, value.dtype.is_ordered, call).missing(value.dtype.may_miss)
        return called(_looked_up(categories, map(held, results), None), [value], dtype)
    tell, values = kind_teller(), results.tolist()
    kinds = {tell(one) for one in [*values, *([of_missing] if misses else [])]}
    dtype = decided(kinds, call)
    convert: Callable[[Any], Any] = as_held(kinds, dtype) or (lambda result: result)
    missing = convert(of_missing) if misses else None
    return called(_looked_up(categories, map(convert, values), missing), [value], dtype)


def _looked_up(categories: Iterable[Any], results: Iterable[Any], of_missing: Any) -> Callable[[Any], Any]:
    table = dict(zip(map(held, categories), results, strict=True))
    return lambda value: of_missing if value is None else table[value]
