"""`cut` and `qcut`: numbers by the bins they are in.

Bins that are counted (`cut(x, 5)`, `qcut(x, 4)`) depend on all values: they are worked out by pandas itself, from the
smallest and the largest value or from all of them, in a row of its own that the result refers to. So rows depend on
what the bins were made of. The labels are Python values, so Spark works the bins out when `cut` is called.

| labels | what the result holds |
|---|---|
| None | categories that are intervals (`categories`) |
| texts, numbers | categories |
| False | the numbers of the bins |
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import row_function
from predtrace.frontends.pandas.core.categories import category_dtype, held
from predtrace.frontends.pandas.core.dtypes import INT64, listed
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.numbers import number
from predtrace.frontends.pandas.core.spaces import Value, fresh
from predtrace.frontends.pandas.core.steps import refused

_EDGES = spark.ArrayType(spark.DoubleType())


def cut(
    x: Any,
    bins: Any,
    right: bool = True,
    labels: Any = None,
    retbins: bool = False,
    precision: int = 3,
    include_lowest: bool = False,
    duplicates: str = "raise",
    ordered: bool = True,
) -> Any:
    """Numbers by the bins they are in; `bins` is their number, or their edges."""
    options = {"labels": labels, "precision": precision, "duplicates": duplicates, "ordered": ordered}
    options |= {"right": right, "include_lowest": include_lowest}
    if not isinstance(x, Held):
        return pd.cut(x, bins, retbins=retbins, **options)
    value = _numbers(x, "cut()")
    if isinstance(bins, pd.IntervalIndex):
        raise refused("cut()", "the bins are intervals", "give their edges as a list")
    if np.iterable(bins):
        edges = [_plain(edge) for edge in bins]
        return _binned(x, value, edges, None, options, retbins)
    count = int(bins)
    if count < 1:
        raise ValueError("`bins` should be a positive integer.")
    ends = value.space.rows(value.uses).agg(
        F.min(value.column).alias("least"), F.max(value.column).alias("most")
    )

    def made(least: Any, most: Any) -> list[float] | None:
        if least is None or math.isinf(least) or math.isinf(most):
            return None if least is None else []
        return [float(edge) for edge in pd.cut(np.array([least, most]), count, right=right, retbins=True)[1]]

    rows = ends.select(row_function(made, _EDGES, F.col("least"), F.col("most"), name="cut").alias("edges"))
    return _counted(x, value, rows, options, retbins)


def qcut(
    x: Any, q: Any, labels: Any = None, retbins: bool = False, precision: int = 3, duplicates: str = "raise"
) -> Any:
    """Numbers by bins that have the same number of them; `q` is the number of bins, or their quantiles."""
    if not isinstance(x, Held):
        return pd.qcut(x, q, labels, retbins, precision, duplicates)
    value = _numbers(x, "qcut()")
    shares = (
        np.linspace(0, 1, q + 1).tolist() if isinstance(q, (int, np.integer)) else [float(one) for one in q]
    )
    all_values = value.space.rows(value.uses).agg(F.sort_array(F.collect_list(value.column)).alias("all"))

    def made(values: list[Any]) -> list[float] | None:
        if not values:
            return None
        return [float(edge) for edge in pd.Series(values).quantile(shares)]

    rows = all_values.select(row_function(made, _EDGES, F.col("all"), name="qcut").alias("edges"))
    options = {"labels": labels, "precision": precision, "duplicates": duplicates, "ordered": True}
    options |= {"right": True, "include_lowest": True}
    return _counted(x, value, rows, options, retbins)


def _plain(edge: Any) -> Any:
    if not isinstance(edge, (int, float, np.integer, np.floating)):
        raise refused("cut()", f"a bin's edge is a {type(edge).__name__}")
    return edge.item() if isinstance(edge, np.generic) else edge


def _numbers(x: Any, call: str) -> Value:
    from predtrace.frontends.pandas.series import Series

    if not isinstance(x, Series):
        raise ValueError("Input array must be 1 dimensional")
    value = x._table.columns[0][1]
    if not value.dtype.is_number:
        raise refused(call, f"the values are of the dtype {value.dtype.name}")
    return value.with_column(number(value.column, value.dtype), value.dtype)


def _counted(x: Any, value: Value, rows: Rows, options: dict[str, Any], retbins: bool) -> Any:
    """Bins whose edges are in the one row of `rows`; none if there is no value to make bins of."""
    (found,) = rows.collect()
    if found.edges is None:
        raise ValueError("Cannot cut empty array")
    if not found.edges:
        raise ValueError("cannot specify integer `bins` when input data contains infinity")
    if options["duplicates"] == "drop" and len(found.edges) > 2:
        rows = rows.select(F.array_distinct("edges").alias("edges"))
    edges = value.space.value_beside(fresh("edges"), rows, listed(spark.DoubleType()))
    return _binned(x, value, list(found.edges), edges, options, retbins)


def _binned(
    x: Any, value: Value, edges: list[Any], held_edges: Value | None, options: dict[str, Any], retbins: bool
) -> Any:
    """The bin of each number. pandas says which categories there are. `held_edges`: the edges, if Spark has them."""
    sample, bins = pd.cut(pd.Series(edges, dtype="float64"), edges, retbins=True, **options)
    labels = options["labels"]
    if labels is False:
        dtype, names = INT64.missing(), list(range(len(bins) - 1))
    else:
        dtype = category_dtype(sample.cat.categories, sample.cat.ordered, "cut()")
        names = list(sample.cat.categories if labels is None else labels)
    if held_edges is None:
        bounds = [F.lit(float(edge)) for edge in bins]
    else:
        bounds = [F.get(held_edges.column, F.lit(at)) for at in range(len(bins))]
    column = _label(value.column, bounds, [held(name) for name in names], options).cast(dtype.spark)
    used = [] if held_edges is None else [held_edges]
    result = x._made(value.with_column(column, dtype, *used))
    return (result, bins) if retbins else result


def _label(number: Column, bounds: list[Column], labels: list[Any], options: dict[str, Any]) -> Column:
    """The label of the bin that a number is in; missing outside of all bins."""
    found = F.lit(None)
    for at in reversed(range(len(labels))):
        low, high = bounds[at], bounds[at + 1]
        if options["right"]:
            above = number >= low if options["include_lowest"] and at == 0 else number > low
            inside = above & (number <= high)
        else:
            inside = (number >= low) & (number < high)
        found = F.when(inside, F.lit(labels[at])).otherwise(found)
    return found
