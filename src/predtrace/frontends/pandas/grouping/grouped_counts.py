"""`value_counts` by group."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, check_not_kept
from predtrace.frontends.pandas.core.spaces import Key, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import new_table
from predtrace.frontends.pandas.grouping.grouped_state import Grouped
from predtrace.frontends.pandas.reducing.counting import without_missing


def counted_values(grouped: Grouped, normalize: bool, sort: bool, ascending: bool, dropna: bool) -> Any:
    """The values of each group with their numbers: the most frequent first, of those alike the least."""
    groups = grouped._groups
    if not grouped._is_series:
        raise refused("DataFrameGroupBy.value_counts()", "it is not made for Spark yet")
    ((label, value),) = grouped._certain()
    has_categories = any(one.dtype.categories is not None for one in (*groups.by, value))
    if has_categories or not groups.sort or groups.bins is not None:
        raise refused(
            "SeriesGroupBy.value_counts() of categories, by time, or unsorted", "it is not made for Spark yet"
        )
    if value.dtype.is_whole_with_na:
        check_not_kept("SeriesGroupBy.value_counts()", value.dtype)
    rows = groups.rows(*value.uses)
    if dropna:
        rows = without_missing(rows, [value])
    names = [fresh("key") for _ in groups.keys]
    level, count = fresh("value" if label is None else label), fresh("count")
    keys = [F.col(v.name).alias(n) for v, n in zip((*groups.by, value), (*names, level), strict=True)]
    counted = rows.groupBy(*keys).agg(F.count(F.lit(1)).alias(count))
    shown, dtype, title = count, INT64, "count"
    if normalize:
        shown, dtype, title = fresh("proportion"), FLOAT64, "proportion"
        counted = counted.withColumn(shown, F.col(count) / F.sum(count).over(Window.partitionBy(*names)))
    order = [*(Key(name) for name in names), *([Key(count, ascending)] if sort else []), Key(level)]
    levels = [
        *(
            (key.label, name, groups.key_dtype(key.value))
            for key, name in zip(groups.keys, names, strict=True)
        ),
        (label, level, value.dtype),
    ]
    return grouped._of(new_table(counted, [(title, shown, dtype)], levels, order, is_unique=True))
