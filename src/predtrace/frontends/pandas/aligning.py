"""Values of one object for the rows of another: by their indexes, as pandas aligns.

Where both have the same rows, or the one a part of the other's, nothing is joined: the expression is as good there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.spaces import Key, Space, Value, fresh
from predtrace.frontends.pandas.steps import refused
from predtrace.frontends.pandas.tables import Level, Positions, Table, renamed


def beside(table: Table, other: Table) -> tuple[Table, list[Value]]:
    """The values of another table's columns for the rows of this one, missing where its index has no such label.

    The table is this one, with the same labels, in a space that has the values, too.
    """
    values = [value for _, value in other.columns]
    if table.has_rows_of(other):
        return table, values
    if _same_levels(table, other):
        adopted = [table.space.adopted(value) for value in values]
        if None not in adopted:
            return table, [value for value in adopted if value is not None]
        lifted = [_given_back(table.space, value) for value in values]
        if None not in lifted:
            return table, [value for value in lifted if value is not None]
    return _joined(table, other)


def _same_levels(one: Table, other: Table) -> bool:
    if isinstance(one.index, Positions) or isinstance(other.index, Positions):
        return False
    return [level.value.uses for level in one.index] == [level.value.uses for level in other.index]


def _given_back(space: Space, value: Value) -> Value | None:
    """A value of some of a space's rows as a value of all, missing for the others."""
    if value.space is space:
        return value
    below = value.space
    if below.kept_of is None:
        return None
    parent, condition = below.kept_of
    made = _expressed(parent, value)
    if made is None:
        return None
    if condition is not None:
        column = F.when(condition.column, made.column)
        made = made.with_column(column, made.dtype.missing(), condition)
    return _given_back(space, made)


def _expressed(parent: Space, value: Value) -> Value | None:
    """The same expression over the parent's columns, if nothing in it looks at other rows."""
    below = value.space
    for name in _in_order(below, value.uses):
        made = below.made[name]
        if made.is_window:
            return None
        parent.made.setdefault(name, made)
    if value.is_window or not all(parent.has(name) for name in value.uses):
        return None
    return replace(value, space=parent)


def _in_order(space: Space, names: frozenset[str]) -> list[str]:
    """The names that were made in a space for these, each after those it uses."""
    needed: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in space.made and name not in needed:
            for used in space.made[name].uses:
                visit(used)
            needed[name] = None

    for name in sorted(names):
        visit(name)
    return list(needed)


def check_unique(table: Table) -> None:
    """Raise what pandas raises if a label comes twice in an index that others are aligned to."""
    if table.is_unique or isinstance(table.index, Positions):
        return
    names = [level.value.name for level in table.index]
    twice = table.space.rows(names).groupBy(*names).count().where("count > 1")
    if twice.take(1):
        raise ValueError("cannot reindex on an axis with duplicate labels")


def equal_levels(left: Table, right: Table) -> Column:
    """The condition that two rows have the same index label."""
    one, other = left.levels(), right.levels()
    if len(one) != len(other):
        raise refused("aligning by an index", "the indexes have different numbers of levels")
    pairs = [a.value.column.eqNullSafe(b.value.column) for a, b in zip(one, other, strict=True)]
    return reduce(lambda a, b: a & b, pairs)


def _joined(table: Table, other: Table) -> tuple[Table, list[Value]]:
    check_unique(other)
    left, right = table.settled().indexed(), renamed(other.settled().indexed())
    joined = left.rows().join(right.rows(), equal_levels(left, right), "left")
    found = [value.name for _, value in right.columns]
    names = [*left.space.base.columns, *left.names()]
    space = Space(joined.select(*dict.fromkeys([*names, *found])), kept_of=(left.space, None))
    moved = left.moved(space)
    if isinstance(table.index, Positions):
        moved = replace(moved, index=table.index, is_unique=table.is_unique)
    values = [space.value(value.name, value.dtype.missing()) for _, value in right.columns]
    return moved, values


def outer(left: Table, right: Table) -> tuple[Table, list[Value], list[Value]]:
    """Both tables' values for every index label that one of them has, in the order of the labels.

    The table has no columns.
    """
    check_unique(left)
    check_unique(right)
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
