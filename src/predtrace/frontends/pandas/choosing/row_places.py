"""Rows by their places in a table's order: the first, the last, slices, lists of places.

| rows | Spark |
|---|---|
| the first or the last n | sort and limit |
| any other slice, one place | a filter by the row's number, counted from whichever end the program counts from |
| a list of places | the same, sorted as listed; a join with the list if a place comes twice or the list is long |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import certain_whole
from predtrace.frontends.pandas.core.construction import table_of_frame
from predtrace.frontends.pandas.core.dtypes import BOOL, INT64
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Key, Order, Space, Value
from predtrace.frontends.pandas.core.tables import Positions, Table

_FEW = 50
"""Lists that are longer than this are joined: as constants they would make plans that nobody can read."""


def numbered(table: Table) -> tuple[Table, Value]:
    """The same table where each row has its number in the order, from 0. An index of positions has values then."""
    if isinstance(table.index, Positions):
        indexed = table.indexed()
        return indexed, indexed.levels()[0].value
    count = len(table.columns)
    levels = ((None, level.value) for level in table.index)
    wide = replace(table.settled(), columns=(*table.settled().columns, *levels), index=Positions()).indexed()
    there = [value for _, value in wide.columns[count:]]
    index = tuple(replace(level, value=value) for level, value in zip(table.index, there, strict=True))
    back = replace(wide, columns=wide.columns[:count], index=index, is_unique=table.is_unique)
    return back, wide.levels()[0].value


def numbered_from_end(table: Table) -> tuple[Table, Value]:
    """The same, counted from the end, where the last row has 0. An index of positions has values before that."""
    found, number = numbered(replace(table.indexed(), order=backwards(table.order)))
    return replace(found, order=table.order), number


def backwards(order: Order) -> Order:
    """The order that has the last row first."""
    return tuple(
        replace(key, ascending=not key.ascending, missing_last=not key.missing_last) for key in order
    )


def kept(table: Table, condition: Value) -> Table:
    """The rows that meet a condition. They keep their labels, also where these are positions."""
    indexed = table.indexed()
    if condition.space is not indexed.space:
        if condition.is_tied:
            condition = condition.space.settled(condition, "kept")
        there = indexed.space.adopted(condition)
        assert there is not None
        condition = there
    return indexed.kept(condition)


def head_of(table: Table, count: int) -> Table:
    """The first rows; for a negative count all but the last ones."""
    if count < 0:
        return sliced(table, slice(None, count))
    return _limited(table, count, table.order)


def tail_of(table: Table, count: int) -> Table:
    """The last rows; for a negative count all but the first ones."""
    if count < 0:
        return sliced(table, slice(-count, None))
    return _limited(table.indexed(), count, backwards(table.order))


def _limited(table: Table, count: int, order: Order) -> Table:
    table = certain_whole(table)
    names = list(dict.fromkeys([*table.space.base.columns, *table.names()]))
    rows = table.rows().orderBy(*(key.column() for key in order)).limit(count).select(*names)
    return table.moved(Space(rows))


def sliced(table: Table, key: slice) -> Table:
    """The rows of a slice, as Python's lists have it."""
    start, stop, step = (None if end is None else int(end) for end in (key.start, key.stop, key.step))
    if step in (None, 1) and start in (None, 0) and stop is not None and stop >= 0:
        return head_of(table, stop)
    if step in (None, 1) and stop is None and start is not None and start < 0:
        return tail_of(table, -start)
    if (start, stop, step) == (None, None, -1):
        found, condition = table.indexed(), None
    else:
        found, condition = in_slice(table, key)
    rows = found if condition is None else found.kept(condition)
    return replace(rows, order=backwards(rows.order)) if step is not None and step < 0 else rows


def in_slice(table: Table, key: slice) -> tuple[Table, Value | None]:
    """Which rows are in a slice; None if all are. And the table where that is."""
    step = 1 if key.step is None else int(key.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step != 1:
        return _stepped(table, key, step)
    conditions: list[Value] = []
    for end, is_start in ((key.start, True), (key.stop, False)):
        if end is None or (is_start and end == 0):
            continue
        place = int(end)
        table, here = numbered_from_end(table) if place < 0 else numbered(table)
        if place < 0:
            column = here.column < -place if is_start else here.column >= -place
        else:
            column = here.column >= place if is_start else here.column < place
        conditions.append(here.with_column(column, BOOL))
    if len(conditions) < 2:
        return table, conditions[0] if conditions else None
    there = table.space.adopted(conditions[0])
    assert there is not None
    return table, there.with_column(there.column & conditions[1].column, BOOL, conditions[1])


def _stepped(table: Table, key: slice, step: int) -> tuple[Table, Value]:
    found, here = numbered(table)
    places = range(*key.indices(table.rows().count()))
    if not places:
        return found, here.with_column(F.lit(False), BOOL)
    first, last = min(places[0], places[-1]), max(places[0], places[-1])
    column = here.column.between(first, last)
    if abs(step) > 1:
        column = column & ((here.column - first) % abs(step) == 0)
    return found, here.with_column(column, BOOL)


def at_place(table: Table, place: int) -> tuple[Table, Value]:
    """Which row is at a place; negative ones count from the end. And the table where that is."""
    found, here = numbered(table) if place >= 0 else numbered_from_end(table)
    return found, here.with_column(here.column == (place if place >= 0 else -place - 1), BOOL)


def row_at(table: Table, place: int) -> Table:
    """The one row at a place, or none."""
    if place == 0:
        return head_of(table.indexed(), 1)
    if place == -1:
        return tail_of(table, 1)
    found, condition = at_place(table, place)
    return found.kept(condition)


def places_of(table: Table, given: Any) -> list[int]:
    """A list of places, all counted from the start; an error if a row is not there."""
    places = [int(place) for place in given]
    count = table.rows().count()
    if any(not -count <= place < count for place in places):
        raise IndexError("positional indexers are out-of-bounds")
    return [place if place >= 0 else place + count for place in places]


def taken(table: Table, given: Any) -> Table:
    """The rows at a list of places, in the order of the list."""
    places = [(place,) for place in places_of(table, given)]
    found, here = numbered(table)
    return in_order_of(found, [here], places, is_order=True)


def in_order_of(
    table: Table, keys: Sequence[Value], labels: Sequence[tuple[Any, ...]], is_order: bool = False
) -> Table:
    """The rows whose keys are one of the labels, in the order of the labels; as often as these come.

    `is_order`: the key is known to grow from row to row, so sorted labels leave the order as it is.
    """
    table = certain_whole(table)
    is_unique = len(set(labels)) == len(labels)
    if len(keys) == 1 and len(labels) <= _FEW and is_unique and not _misses(labels):
        return _by_constants(table, keys[0], [label for (label,) in labels], is_order)
    wanted = pd.DataFrame(dict(enumerate(zip(*labels, strict=True)))) if labels else _nothing(keys)
    other = table_of_frame(wanted)
    condition = F.lit(True)
    for key, (_, label) in zip(keys, other.columns, strict=True):
        condition = condition & key.column.eqNullSafe(label.column)
    joined = table.rows(*(key.name for key in keys)).join(other.rows(), condition, "inner")
    place = other.order[0]
    names = dict.fromkeys(
        [*table.space.base.columns, *table.names(), *(key.name for key in keys), place.name]
    )
    moved = table.moved(Space(joined.select(*names)))
    return replace(moved, order=(place, *table.order), is_unique=table.is_unique and is_unique)


def _misses(labels: Sequence[tuple[Any, ...]]) -> bool:
    return any(pd.isna(part) for label in labels for part in label)


def _nothing(keys: Sequence[Value]) -> pd.DataFrame:
    return pd.DataFrame(
        {place: pd.Series([], dtype=np.dtype(key.dtype.name)) for place, key in enumerate(keys)}
    )


def _by_constants(table: Table, key: Value, labels: list[Any], is_order: bool) -> Table:
    if not labels:
        return table.kept(key.with_column(F.lit(False), BOOL))
    constants = [literal(label, key.dtype).cast(key.dtype.spark) for label in labels]
    condition = key.with_column(key.column.isin(*constants), BOOL)
    space = table.space.kept(condition, [*table.names(), key.name])
    kept = table.moved(space)
    if is_order and labels == sorted(labels):
        return kept
    place = F.array_position(F.array(*constants), key.column).cast("bigint")
    settled = space.settled(space.value(key.name, key.dtype).with_column(place, INT64), "place")
    return replace(kept, order=(Key(settled.name), *kept.order))
