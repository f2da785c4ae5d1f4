"""Tables side by side, aligned by their indexes. Tables with the same rows are not joined.

The labels come in the order of the first table, then those that the next ones add; moments come in their own order,
unless all indexes are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.aligning import beside, is_unique, same_rows
from predtrace.frontends.pandas.core.dtypes import common
from predtrace.frontends.pandas.core.spaces import Key, Order, Space, fresh, where_rows_may_lack
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Level, Positions, Table, renamed
from predtrace.frontends.pandas.merging.keys import compared, level_names

_CALL = "concat(axis=1)"


def abreast(tables: Sequence[Table], join: str = "outer", sort: bool = False) -> Table:
    """The columns of all tables, for the index labels of all or of each."""
    found = tables[0].settled()
    for table in tables[1:]:
        found = _pair(found, table.settled(), join)
    if sort and not isinstance(found.index, Positions):
        found = replace(found, order=(*(Key(level.value.name) for level in found.index), *found.order))
    return found


def _pair(left: Table, right: Table, join: str) -> Table:
    if _has_moments(left) and left.order != right.order:
        return _joined(left, right, join)
    if left.has_rows_of(right):
        return replace(left, columns=(*left.columns, *right.columns))
    is_same = same_rows(left, right) or (join == "outer" and _is_part_of(right, left))
    if is_same and level_names(left) == level_names(right) and is_unique(left):
        table, values = beside(left, right)
        return table.with_columns([*table.columns, *zip(right.labels, values, strict=True)])
    return _joined(left, right, join)


def _is_part_of(part: Table, whole: Table) -> bool:
    """Whether a table has some of another's rows, with the same labels."""
    if isinstance(part.index, Positions) or isinstance(whole.index, Positions):
        return False
    if [level.value.uses for level in part.index] != [level.value.uses for level in whole.index]:
        return False
    if _has_moments(whole):
        return False
    space: Space | None = part.space
    while space is not None and space is not whole.space:
        space = space.kept_of[0] if space.kept_of is not None else None
    return space is not None


def _has_moments(table: Table) -> bool:
    index = table.index
    return not isinstance(index, Positions) and any(level.value.dtype.is_moment for level in index)


def _joined(left: Table, right: Table, join: str) -> Table:
    for table in (left, right):
        if not is_unique(table):
            why = "an index has a label twice, which pandas allows only if all indexes are equal"
            raise refused(_CALL, why, "call reset_index(drop=True) first, or merge by a key")
    is_counted = isinstance(left.index, Positions) and isinstance(right.index, Positions)
    one, other = left.indexed(), renamed(right.indexed())
    pairs = list(zip(one.levels(), other.levels(), strict=False))
    if len(one.levels()) != len(other.levels()):
        raise refused(_CALL, "the indexes have different numbers of levels")
    sides = [compared(a.value, b.value, None, by_indexes=True) for a, b in pairs]
    condition = reduce(lambda a, b: a & b, [a.eqNullSafe(b) for a, b in sides])
    flag = fresh("in_left")
    rows = one.rows().select(*one.names(), F.lit(True).alias(flag))
    rows = rows.join(other.rows().select(*other.names()), condition, "full" if join == "outer" else "inner")
    made, levels = {}, []
    for a, b in pairs:
        dtype = common(a.value.dtype, b.value.dtype)
        assert dtype is not None
        name = fresh(a.label if a.label is not None else "index")
        made[name] = F.coalesce(a.value.column.cast(dtype.spark), b.value.column.cast(dtype.spark))
        levels.append((a.label if a.label == b.label else None, name, dtype))
    space = Space(rows.withColumns(made))
    index = tuple(Level(label, space.value(name, dtype)) for label, name, dtype in levels)
    columns = tuple(
        (label, space.value(value.name, value.dtype.missing() if join == "outer" else value.dtype))
        for label, value in (*one.columns, *other.columns)
    )
    order: Order = (Key(flag), *where_rows_may_lack((*one.order, *other.order)))
    if is_counted or (join == "outer" and _is_sorted(left, right)):
        order = tuple(Key(level.value.name) for level in index)
    elif join == "inner":
        order = one.order
    return Table(
        space,
        columns,
        Positions(levels[0][0]) if is_counted else index,
        order,
        is_unique=True,
        column_names=left.column_names,
    )


def _is_sorted(left: Table, right: Table) -> bool:
    """Whether pandas sorts the labels of two indexes: moments, unless they are the same ones in the same order.

    (It does not sort where one has none.)
    """
    if not _has_moments(left):
        return False
    one, other = _numbered(left), _numbered(right)
    if not one.take(1) or not other.take(1):
        return False
    differ = one.exceptAll(other).union(other.exceptAll(one))
    return bool(differ.take(1))


def _numbered(table: Table) -> Rows:
    """The labels of an index with their places."""
    place = F.row_number().over(table.window())
    levels = [level.value.column for level in table.levels()]
    return table.rows().select(place.alias("place"), *levels)
