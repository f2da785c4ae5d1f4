"""`rank`: the place of each value among the others, as pandas counts those that are equal.

Ranks are counts of the values up to this one. (Spark's own `rank` counts rows, and equal ones may change places.)
"""

from __future__ import annotations

from pyspark.sql import Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import FLOAT64, check_not_kept
from predtrace.frontends.pandas.core.numbers import number
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.moving.along import Along


def ranked(along: Along, value: Value, method: str, na_option: str, ascending: bool, pct: bool) -> Value:
    """The rank of a settled value among the rows; a missing value has none."""
    if method not in ("average", "min", "max", "first", "dense"):
        raise KeyError(method)
    if na_option != "keep":
        raise refused(f"rank(na_option={na_option!r})", "missing values have no rank here")
    if value.dtype.categories is not None:
        raise refused("rank() of categories", "their order is not Spark's")
    check_not_kept("rank()", value.dtype)
    # Missing values are apart, so that they do not count.
    apart = Window.partitionBy(*(key.name for key in along.by), value.column.isNull())
    column = number(value.column, value.dtype)
    key = column.asc() if ascending else column.desc()
    up_to_here = apart.orderBy(key).rangeBetween(Window.unboundedPreceding, Window.currentRow)
    if method == "first":
        found = F.row_number().over(apart.orderBy(key, *(one.column() for one in along.table.order)))
    elif method == "dense":
        found = F.size(F.collect_set(column).over(up_to_here))
    else:
        found = F.count(F.lit(1)).over(up_to_here)
    result = found.cast("double")
    if method in ("average", "min"):
        alike = F.count(F.lit(1)).over(Window.partitionBy(*(key.name for key in along.by), value.column))
        others = (alike - 1).cast("double")
        result = result - (others if method == "min" else others / 2)
    if pct:
        different = F.size(F.collect_set(column).over(apart))
        count = different if method == "dense" else F.count(F.lit(1)).over(apart)
        result = result / count.cast("double")
    return along.value(F.when(value.column.isNotNull(), result), FLOAT64, value)
