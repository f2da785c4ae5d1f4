"""Rows by the labels of their index: one label, lists, slices, and parts of an index of several levels.

| key | rows |
|---|---|
| a label | those that have it; an error if there are none |
| a list | in the order of the list; an error if a label is not there |
| a slice of an index that is sorted | from one label to the other, both included, whether they are there or not |
| a slice of another index | from the row of one label to the row of the other |

Whether an index is sorted is known from the order of the rows, or Spark looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import Column, Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.moment_labels import as_moment, in_span, named_span
from predtrace.frontends.pandas.choosing.row_places import in_order_of
from predtrace.frontends.pandas.core.aligning import is_unique
from predtrace.frontends.pandas.core.arithmetic import operate
from predtrace.frontends.pandas.core.certain import certain_whole
from predtrace.frontends.pandas.core.dtypes import BOOL, check_not_kept, check_same_kept, dtype_of_scalar
from predtrace.frontends.pandas.core.facts import one_misses
from predtrace.frontends.pandas.core.scalars import Scalar, literal, value_in
from predtrace.frontends.pandas.core.spaces import Space, Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Level, Positions, Table, renamed


@dataclass(frozen=True)
class Found:
    """What a key of labels selects.

    `is_one`: the key names every level, so it is one row if the index has each label once. `fixed`: the levels that
    the key names, which are not in the result's index.
    """

    table: Table
    condition: Value | None
    is_one: bool = False
    fixed: tuple[int, ...] = ()


def found(table: Table, key: Any, is_series: bool = False) -> Found:
    """The rows of a label, of a slice of labels, or of a tuple of these for the levels of the index.

    `is_series`: a tuple may leave a level out (`s.loc[:, 1]`), and the levels it names are gone then, too.
    """
    counted = isinstance(table.index, Positions)
    table = table.indexed()
    levels = table.levels()
    parts = key if isinstance(key, tuple) else (key,)
    if len(parts) > len(levels):
        raise pd.errors.IndexingError("Too many indexers")
    conditions: list[Value] = []
    is_plain = True
    for level, part in zip(levels, parts, strict=False):
        if isinstance(part, slice):
            is_plain = False
            found_here = _in_slice(table, level, part, counted)
        elif is_list(part):
            is_plain = False
            found_here = _one_of(level.value, part)
        else:
            found_here, is_exact = _labelled(level.value, part)
            is_plain = is_plain and is_exact
        if found_here is not None:
            conditions.append(found_here)
    condition = reduce(lambda a, b: operate("&", a, b), conditions) if conditions else None
    named = tuple(place for place, part in enumerate(parts) if not _is_whole(part))
    is_dropping = is_plain or (is_series and len(parts) > 1 and not _has_several(parts))
    is_one = is_plain and len(parts) == len(levels)
    return Found(table, condition, is_one, named if is_dropping and not is_one else ())


def _is_whole(part: Any) -> bool:
    return isinstance(part, slice) and part == slice(None)


def _has_several(parts: Sequence[Any]) -> bool:
    """Whether a part of a key names several labels, but not all."""
    return any((isinstance(part, slice) and not _is_whole(part)) or is_list(part) for part in parts)


def known_labels(value: Value, labels: Any) -> list[Any]:
    """Those of some labels that an index may have."""
    found_here: list[Any] = []
    for label in labels:
        try:
            found_here += _normal(value, [label])
        except KeyError:
            continue
    return found_here


def is_list(key: Any) -> bool:
    """Whether a key lists labels."""
    return isinstance(key, (list, np.ndarray, pd.Index, pd.Series, range, set, frozenset))


def _labelled(value: Value, label: Any) -> tuple[Value | None, bool]:
    """Which rows have a label, and whether it is a label: a text may name a span of moments instead."""
    if not isinstance(label, Scalar) and not pd.api.types.is_scalar(label):
        raise KeyError(label)
    if value.dtype.is_moment and isinstance(label, str):
        within = in_span(value, label)
        if within is not None:
            return within, False
    return with_label(value, label), True


def with_label(value: Value, label: Any) -> Value:
    """Which rows have a label."""
    if not isinstance(label, Scalar):
        if pd.isna(label):
            return value.with_column(value.column.isNull(), BOOL)
        label = as_moment(label) if value.dtype.is_moment else label
    return operate("==", value, value_in(value.space, label))


def _one_of(value: Value, labels: Any) -> Value:
    known = [label for label in _normal(value, labels) if not pd.isna(label)]
    if not known:
        return value.with_column(F.lit(False), BOOL)
    column = value.column.isin(*(literal(label, value.dtype) for label in known))
    return value.with_column(F.coalesce(column, F.lit(False)), BOOL)


def _normal(value: Value, labels: Any) -> list[Any]:
    """Labels as the index has them; a KeyError for what it cannot have."""
    dtype = value.dtype
    check_not_kept("a list of labels", dtype)
    made = [as_moment(label) for label in labels] if dtype.is_moment else list(labels)
    for place, label in enumerate(made):
        kind = dtype_of_scalar(label)
        if kind is None:
            raise KeyError(f"{[label]} not in index")
        if pd.isna(label):
            continue
        fits = (kind.is_text and dtype.is_text) or kind.name == dtype.name
        if not fits and dtype.is_number and kind.is_number and not dtype.is_bool and not kind.is_bool:
            fits = dtype.is_float or float(label).is_integer()
            made[place] = float(label) if dtype.is_float else int(label)
        if not fits:
            raise KeyError(f"{[label]} not in index")
    return made


def _in_slice(table: Table, level: Level, key: slice, counted: bool) -> Value | None:
    if key.step is not None:
        raise refused("loc[a:b:step]", "only slices of labels without a step are made for Spark")
    if key.start is None and key.stop is None:
        return None
    direction = 1 if counted else _direction(table, level.value)
    if direction == 0:
        return _between_rows(table, level.value, key)
    first, last = (key.start, key.stop) if direction > 0 else (key.stop, key.start)
    value = level.value
    conditions = []
    if first is not None:
        bound, _ = _span(value, first)
        conditions.append(operate(">=", value, value_in(value.space, bound)))
    if last is not None:
        bound, is_after = _span(value, last, is_end=True)
        conditions.append(operate("<" if is_after else "<=", value, value_in(value.space, bound)))
    return reduce(lambda a, b: operate("&", a, b), conditions)


def _span(value: Value, label: Any, is_end: bool = False) -> tuple[Any, bool]:
    """The moment where a bound of a slice is, and whether that moment itself is outside."""
    if not value.dtype.is_moment:
        return label, False
    if isinstance(label, str):
        start, end, _ = named_span(label)
        return (end, True) if is_end else (start, False)
    return as_moment(label), False


def _direction(table: Table, value: Value) -> int:
    """1 if the labels grow from row to row, -1 if they fall, 0 if neither, or if one is missing."""
    if one_misses(value):
        return 0
    if table.order and table.order[0].name == value.name:
        return 1 if table.order[0].ascending else -1
    before = F.lag(value.column).over(table.window())
    steps = table.rows(value.name).select(value.column.alias("here"), before.alias("before"))
    row = steps.agg(
        F.max(F.col("before") > F.col("here")),
        F.max(F.col("before") < F.col("here")),
    ).collect()[0]
    falls, grows = (bool(one) for one in row)
    if falls and grows:
        return 0
    return -1 if falls else 1


def _between_rows(table: Table, value: Value, key: slice) -> Value:
    """From the row of one label to the row of the other: one has come already, the other is still to come."""
    conditions = []
    order = table.window()
    until = order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    since = order.rowsBetween(Window.currentRow, Window.unboundedFollowing)
    for label, window in ((key.start, until), (key.stop, since)):
        if label is None:
            continue
        here = with_label(value, label)
        count = len(table.space.rows(here.uses).where(here.column).select(value.column).take(2))
        if count == 0:
            raise KeyError(label)
        if count > 1:
            raise refused(f"a slice that ends at the label {label!r}", "it comes twice in an unsorted index")
        conditions.append(F.max(here.column).over(window))
    column = reduce(lambda a, b: a & b, conditions)
    made = replace(value.with_column(column, BOOL), is_window=True)
    return replace(made, uses=made.uses | {one.name for one in table.order})


def listed(table: Table, labels: Sequence[Any]) -> Table:
    """The rows that have the labels of a list, in its order."""
    table = table.indexed()
    levels = table.levels()
    if len(levels) > 1 and labels and all(isinstance(label, tuple) for label in labels):
        keys = [level.value for level in levels]
        columns = [_normal(key, part) for key, part in zip(keys, zip(*labels, strict=True), strict=True)]
        wanted = list(zip(*columns, strict=True))
    else:
        keys = [levels[0].value]
        wanted = [(label,) for label in _normal(keys[0], labels)]
    is_order = bool(table.order) and table.order[0].name == keys[0].name and table.order[0].ascending
    chosen = in_order_of(table, keys, wanted, is_order)
    names = [key.name for key in keys]
    if chosen.space.rows(names).select(*names).distinct().count() < len(set(wanted)):
        raise KeyError(f"{list(labels)} not in index")
    return chosen


def labelled_as(table: Table, wanted: Table) -> Table:
    """The rows that have the index labels of another table, in its order, under its index's names."""
    table, wanted = certain_whole(table.indexed()), replace(wanted, columns=()).indexed()
    adopted = _adopted(table, wanted)
    if adopted is not None:
        return adopted
    other = renamed(wanted)
    pairs = list(zip(table.levels(), other.levels(), strict=True))
    equal = reduce(lambda a, b: a & b, [_equal(one, two) for one, two in pairs])
    if other.rows().join(table.rows(), equal, "left_anti").take(1):
        raise KeyError("labels not in index")
    joined = other.rows().join(table.rows(), equal, "inner")
    names = dict.fromkeys([*table.space.base.columns, *table.names(), *(key.name for key in other.order)])
    moved = table.moved(Space(joined.select(*names)))
    index = tuple(
        replace(mine, label=theirs.label) for mine, theirs in zip(moved.levels(), other.levels(), strict=True)
    )
    return replace(moved, index=index, order=(*other.order, *table.order), is_unique=False)


def _equal(one: Level, other: Level) -> Column:
    check_same_kept("rows by the labels of an index", one.value.dtype, other.value.dtype)
    return one.value.column.eqNullSafe(other.value.column)


def _adopted(table: Table, wanted: Table) -> Table | None:
    """Without a join, where the labels are those of some of the table's own rows."""
    uses = [[level.value.uses for level in one.levels()] for one in (table, wanted)]
    if uses[0] != uses[1] or not is_unique(table):
        return None
    columns = [(label, wanted.space.adopted(value)) for label, value in table.columns]
    known = [(label, value) for label, value in columns if value is not None]
    if len(known) < len(columns):
        return None
    return replace(wanted, column_names=table.column_names, is_unique=True).with_columns(known)
