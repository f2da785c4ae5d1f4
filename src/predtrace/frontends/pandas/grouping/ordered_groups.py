"""The rows of groups in the order of their values: `nlargest`, `nsmallest`."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.spaces import Key, Value
from predtrace.frontends.pandas.core.tables import Level, Table
from predtrace.frontends.pandas.grouping.groups import Groups


def first_by_value(groups: Groups, n: int, ascending: bool) -> Table:
    """The first rows of each group by the one column of its table, with the keys before the index."""
    table = groups.table
    ((_, value),) = table.columns
    keys = tuple(Key(key.value.name) for key in groups.keys)
    order = (Key(value.name, ascending), *table.order)
    window = Window.partitionBy(*(key.name for key in keys)).orderBy(*(key.column() for key in order))
    condition, there = F.row_number().over(window) <= n, groups.there()
    if there is not None:
        condition = condition & there.column
    uses = frozenset(key.name for key in (*keys, *order))
    levels = tuple(Level(key.label, key.value) for key in groups.keys)
    found = replace(table, index=(*levels, *table.levels()), order=(*keys, *order), is_unique=False)
    return found.kept(Value(table.space, condition, uses, BOOL, is_window=True))
