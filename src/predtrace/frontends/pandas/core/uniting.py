"""The values of two objects for the labels of both, as pandas calculates with them.

| indexes | rows of the result |
|---|---|
| of the same rows in the same order, or equal | as they are |
| of the same rows in another order | in the order of the labels |
| others | every label that one of them has, in the order of the labels |
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.aligning import beside, equal_levels, is_unique
from predtrace.frontends.pandas.core.dtypes import check_same_kept
from predtrace.frontends.pandas.core.spaces import Key, Space, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Level, Positions, Table, renamed


def same_rows_beside(left: Table, right: Table) -> tuple[Table, list[Value], list[Value]]:
    """The values of two tables of the same rows. If these are in another order, they come in that of their labels."""
    if left.order == right.order:
        table, theirs = beside(left, right)
        return table, [value for _, value in table.columns], theirs
    if not is_unique(left):
        raise refused("aligning by an index", "a label comes twice, and pandas makes a row of each pair")
    table, theirs = beside(left, right)
    carried = (
        replace(table, columns=(*table.columns, *((None, value) for value in theirs))).settled().indexed()
    )
    values = [value for _, value in carried.columns]
    keys = tuple(Key(level.value.name) for level in carried.levels())
    count = len(left.columns)
    return replace(carried, columns=carried.columns[:count], order=keys), values[:count], values[count:]


def _equal_indexes(left: Table, right: Table) -> bool:
    """Whether both have the same labels in the same order; Spark looks. Of positions it makes no difference."""
    if isinstance(left.index, Positions) and isinstance(right.index, Positions):
        return False
    one, other = (_numbered_labels(table) for table in (left, right))
    if len(one.columns) != len(other.columns):
        return False
    if not all(_comparable(a, b) for (_, a), (_, b) in zip(one.columns, other.columns, strict=True)):
        return False
    other = renamed(other)
    joined = one.rows().join(other.rows(), equal_levels(one, other), "full")
    pairs = zip([*one.levels(), *_as_levels(one)], [*other.levels(), *_as_levels(other)], strict=True)
    same = [a.value.column.eqNullSafe(b.value.column) for a, b in pairs]
    return not joined.where(~reduce(lambda a, b: a & b, same)).take(1)


def _numbered_labels(table: Table) -> Table:
    """The labels of an index as columns, under an index that counts."""
    labelled = table.settled().indexed()
    columns = tuple((level.label, level.value) for level in labelled.levels())
    return replace(labelled, columns=columns, index=Positions()).indexed()


def _as_levels(table: Table) -> list[Level]:
    return [Level(label, value) for label, value in table.columns]


def _comparable(one: Value, other: Value) -> bool:
    check_same_kept("aligning by an index", one.dtype, other.dtype)
    return one.dtype.spark == other.dtype.spark or (one.dtype.is_number and other.dtype.is_number)


def _side_by_side(left: Table, right: Table) -> tuple[Table, list[Value], list[Value]]:
    """The values of two tables of equal indexes: those of the first row beside those of the first row."""
    one = left.settled().indexed()
    names = [
        mine.label if mine.label == theirs.label else None
        for mine, theirs in zip(one.levels(), right.settled().indexed().levels(), strict=True)
    ]
    levels = tuple((None, level.value) for level in one.levels())
    wide = replace(one, columns=(*one.columns, *levels), index=Positions())
    moved, theirs_there = beside(wide, replace(right.settled(), index=Positions()))
    there = [value for _, value in moved.columns]
    count = len(one.columns)
    index = tuple(Level(name, value) for name, value in zip(names, there[count:], strict=True))
    table = replace(moved, columns=(), index=index, is_unique=left.is_unique)
    known = [replace(v, dtype=w.dtype) for v, (_, w) in zip(theirs_there, right.columns, strict=True)]
    return table, there[:count], known


def outer(left: Table, right: Table) -> tuple[Table, list[Value], list[Value]]:
    """Both tables' values for every index label that one of them has, in the order of the labels.

    Indexes that are equal stay as they are, as in pandas. The table has no columns.
    """
    if _equal_indexes(left, right):
        return _side_by_side(left, right)
    if not (is_unique(left) and is_unique(right)):
        raise refused("aligning by an index", "a label comes twice, and pandas makes a row of each pair")
    one, other = left.settled().indexed(), renamed(right.settled().indexed())
    if one.space is right.space:
        one = renamed(one)
    joined = one.rows().join(other.rows(), equal_levels(one, other), "full")
    labels, levels = {}, []
    for a, b in zip(one.levels(), other.levels(), strict=True):
        name = fresh(a.label if a.label is not None else "index")
        labels[name] = F.coalesce(a.value.column, b.value.column)
        levels.append((a.label if a.label == b.label else None, name, a.value.dtype))
    space = Space(joined.withColumns(labels))
    index = tuple(Level(label, space.value(name, dtype)) for label, name, dtype in levels)
    table = Table(space, (), index, tuple(Key(name) for _, name, _ in levels), is_unique=True)
    return (
        table,
        [space.value(value.name, value.dtype.missing()) for _, value in one.columns],
        [space.value(value.name, value.dtype.missing()) for _, value in other.columns],
    )
