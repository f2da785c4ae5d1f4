"""Values of one object for the rows of another: by their indexes, as pandas aligns.

Where both have the same rows, or the one a part of the other's, nothing is joined: the expression is as good there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from weakref import WeakKeyDictionary

from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import INT64, check_same_kept
from predtrace.frontends.pandas.core.spaces import Space, Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Index, Label, Positions, Table, renamed


def beside(table: Table, other: Table) -> tuple[Table, list[Value]]:
    """The values of another table's columns for the rows of this one, missing where its index has no such label.

    The table is this one, with the same labels, in a space that has the values, too.
    """
    if other.is_array:
        return beside_by_place(table, other)
    values = [value for _, value in other.columns]
    if same_rows(table, other) and table.order != other.order:
        check_unique(other)  # pandas goes by the labels then
    if table.has_rows_of(other):
        return table, values
    if same_rows(table, other):
        wide = _widened(table, other.space)
        found = [wide.space.adopted(_settled_if_tied(value, label)) for label, value in other.columns]
        if None not in found:
            return wide, [value for value in found if value is not None]
    if _same_levels(table, other) and is_unique(table) and is_unique(other):
        adopted = [table.space.adopted(value) for value in values]
        if None not in adopted:
            return table, [value for value in adopted if value is not None]
        lifted = [_given_back(table.space, value) for value in values]
        if None not in lifted:
            return table, [value for value in lifted if value is not None]
    return _joined(table, other)


def beside_by(
    table: Table, index: Index, other: Table, condition: Value | None = None
) -> tuple[Table, Value | None, Value]:
    """The values of another table's column for the rows of this one, as if this had another index than its own.

    The table, with its own index, is where the values are; so is the condition, if one goes along.
    """
    levels = () if isinstance(table.index, Positions) else table.index
    carried = [level.value for level in levels]
    if condition is not None:
        carried.append(table.space.settled(condition, "meant"))
    columns = (*table.columns, *((None, value) for value in carried))
    moved, (value,) = beside(replace(table, columns=columns, index=index), other)
    there = [value for _, value in moved.columns[len(table.columns) :]]
    own: Index = table.index
    if not isinstance(own, Positions):
        own = tuple(replace(level, value=at) for level, at in zip(levels, there, strict=False))
    back = replace(moved, columns=moved.columns[: len(table.columns)], index=own, is_unique=table.is_unique)
    return back, None if condition is None else there[-1], value


def beside_by_place(table: Table, other: Table) -> tuple[Table, list[Value]]:
    """The values of another table's column for the rows of this one: the first for the first row, and so on."""
    counted = replace(other.settled(), index=Positions(), is_array=False)
    moved, _, value = beside_by(table, Positions(), counted)
    if not same_rows(replace(table, index=Positions()), counted):
        rows, values = table.settled().rows().count(), counted.rows().count()
        if rows != values:
            raise ValueError(f"Length of values ({values}) does not match length of index ({rows})")
    return moved, [value]


def same_places(one: Table, other: Table) -> bool:
    """Whether both have the same rows in the same order."""
    return same_rows(one, other) and one.order == other.order


def same_rows(one: Table, other: Table) -> bool:
    """Whether both have the same rows under the same index; the space of one of them may have more columns."""
    if not (one.space.is_all_of(other.space) or other.space.is_all_of(one.space)):
        return False
    if isinstance(one.index, Positions) and isinstance(other.index, Positions):
        return one.order == other.order
    return _same_levels(one, other)


def _widened(table: Table, space: Space) -> Table:
    """The table in another space that has all its rows and more columns; as it is, if that has not all its own."""
    if not space.is_all_of(table.space) or space is table.space:
        return table
    settled = table.settled()
    is_there = all(space.adopted(table.space.value(name, INT64)) is not None for name in settled.names())
    return settled.moved(space) if is_there else table


def _settled_if_tied(value: Value, label: Label) -> Value:
    return value.space.settled(value, label) if value.is_tied else value


def _same_levels(one: Table, other: Table) -> bool:
    mine, theirs = _level_names(one), _level_names(other)
    return mine is not None and mine == theirs


def _level_names(table: Table) -> list[str] | None:
    """The names of an index's levels. Positions have one if they were counted."""
    if isinstance(table.index, Positions):
        counted = table.space.numbered.get(table.order)
        return None if counted is None else [counted[1]]
    return [level.value.name for level in table.index]


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
    for name, rows in below.beside.items():
        parent.beside.setdefault(name, rows)
    for name in _in_order(below, value.uses):
        made = below.made[name]
        if made.is_tied:
            return None
        parent.made.setdefault(name, made)
    if value.is_tied or not all(parent.has(name) for name in value.uses):
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
    if not is_unique(table):
        raise ValueError("cannot reindex on an axis with duplicate labels")


def is_unique(table: Table) -> bool:
    """Whether the index has each label once; Spark looks where it is not known."""
    if table.is_unique or isinstance(table.index, Positions):
        return True
    names = tuple(level.value.name for level in table.index)
    known = _unique.setdefault(table.space, {})
    if names not in known:
        twice = table.space.rows(names).groupBy(*names).count().where("count > 1")
        known[names] = not twice.take(1)
    return known[names]


_unique: WeakKeyDictionary[Space, dict[tuple[str, ...], bool]] = WeakKeyDictionary()
"""What Spark was asked already, by the names of an index's levels."""


def equal_levels(left: Table, right: Table) -> Column:
    """The condition that two rows have the same index label."""
    one, other = left.levels(), right.levels()
    if len(one) != len(other):
        raise refused("aligning by an index", "the indexes have different numbers of levels")
    for a, b in zip(one, other, strict=True):
        check_same_kept("aligning by an index", a.value.dtype, b.value.dtype)
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
