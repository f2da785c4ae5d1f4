"""Groups of categories: their order, and those that no row has. pandas has them, too, unless told `observed=True`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.categories import held
from predtrace.frontends.pandas.core.dtypes import Dtype
from predtrace.frontends.pandas.core.scalars import one_row
from predtrace.frontends.pandas.core.spaces import fresh


def in_order(column: Column, dtype: Dtype) -> Column:
    """The place of a category among all: what pandas sorts them by."""
    return F.nullif(F.array_position(_all(dtype), column), F.lit(0))


def _all(dtype: Dtype) -> Column:
    assert dtype.categories is not None
    return F.array(*(F.lit(held(one)).cast(dtype.spark) for one in dtype.categories))


def all_categories(dtype: Dtype) -> Rows:
    """A row for each category."""
    return exploded(_all(dtype))


def exploded(labels: Column) -> Rows:
    """A row for each of some constants, in a column `label`."""
    return one_row().base.select(F.explode(labels).alias("label"))


def completed(rows: Rows, keys: Sequence[tuple[str, Rows | None]]) -> Rows:
    """Groups, and an empty one for each combination of labels that no row has.

    `keys`: their names, and rows with all their labels; None for keys that have no others than groups have.
    Everything else in the new groups is missing.
    """
    names = {name: fresh(name.rpartition("_")[0]) for name, _ in keys}
    every = [
        labels.toDF(names[name])
        if labels is not None
        else rows.select(F.col(name).alias(names[name])).distinct()
        for name, labels in keys
    ]
    combinations = reduce(lambda a, b: a.crossJoin(b), every)
    same = reduce(lambda a, b: a & b, [F.col(names[name]).eqNullSafe(F.col(name)) for name, _ in keys])
    joined = combinations.join(rows, same, "left")
    others = [name for name in rows.columns if name not in names]
    return joined.select(*(F.col(new).alias(old) for old, new in names.items()), *others)
