"""Groups of categories: their order, and those that no row has. pandas has them, too, unless told `observed=True`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.categories import held
from predtrace.frontends.pandas.core.dtypes import Dtype
from predtrace.frontends.pandas.core.sessions import session
from predtrace.frontends.pandas.core.spaces import fresh


def in_order(column: Column, dtype: Dtype) -> Column:
    """The place of a category among all: what pandas sorts them by."""
    return F.nullif(F.array_position(_all(dtype), column), F.lit(0))


def _all(dtype: Dtype) -> Column:
    assert dtype.categories is not None
    return F.array(*(F.lit(held(one)).cast(dtype.spark) for one in dtype.categories))


def completed(rows: Rows, keys: Sequence[tuple[str, Dtype]]) -> Rows:
    """Groups, and an empty one for each combination of categories that no row has.

    The keys that are no categories have the values that there are. Everything else in the new groups is missing.
    """
    names = {name: fresh(name.rpartition("_")[0]) for name, _ in keys}
    every: list[Rows] = []
    for name, dtype in keys:
        if dtype.categories is not None:
            one = session().sql("select 1 as one")
            every.append(one.select(F.explode(_all(dtype)).alias(names[name])))
        else:
            every.append(rows.select(F.col(name).alias(names[name])).distinct())
    combinations = reduce(lambda a, b: a.crossJoin(b), every)
    same = reduce(lambda a, b: a & b, [F.col(names[name]).eqNullSafe(F.col(name)) for name, _ in keys])
    joined = combinations.join(rows, same, "left")
    others = [name for name in rows.columns if name not in names]
    return joined.select(*(F.col(new).alias(old) for old, new in names.items()), *others)
