"""Tables one below the other: a union of their rows.

| | where it is not what Spark does |
|---|---|
| columns | belong together by their labels; one that a part does not have is missing there |
| dtypes | whole numbers with a part that lacks them are floats, whether that part has rows or not |
| order | part by part, each in its own order |
| index | the parts' labels again, or 0, 1, 2... |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import FLOAT64, Dtype, common, dtype_of_scalar
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Key, Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table, new_table

_CALL = "concat() of columns of different types"


def below(
    tables: Sequence[Table],
    join: str = "outer",
    sort: bool = False,
    ignore_index: bool = False,
    keys: Sequence[Label] | None = None,
    names: Sequence[Label] = (),
) -> Table:
    """The rows of all tables, with the columns of all or of each. `keys`: another level of the index, by part."""
    parts = [table.settled() if ignore_index else table.settled().indexed() for table in tables]
    labels = _labels(parts, join, sort)
    columns = [
        _together(label, [_value(part, labels, place) for part in parts])
        for place, label in enumerate(labels)
    ]
    levels = [] if ignore_index else _levels(parts)
    if keys is not None and not ignore_index:
        levels = [_keys(keys), *levels]
    named = [*names, *(level.label for level in levels[len(names) :])]
    order = _Slots(parts)
    number = fresh("part")
    each: list[Rows] = []
    for place, part in enumerate(parts):
        chosen = (one.column(place) for one in (*levels, *columns))
        each.append(part.rows().select(F.lit(place).alias(number), *order.columns(place), *chosen))
    made = new_table(
        reduce(lambda a, b: a.union(b), each),
        [(one.label, one.name, one.dtype) for one in columns],
        None
        if ignore_index
        else [(label, one.name, one.dtype) for label, one in zip(named, levels, strict=True)],
        [Key(number, is_place=True), *order.keys()],
        column_names=_column_names(parts),
    )
    if keys is None or isinstance(made.index, Positions):
        return made
    first, *others = made.index
    return replace(made, index=(replace(first, known=tuple(dict.fromkeys(keys))), *others))


@dataclass(frozen=True)
class _Union:
    """A column of the union. `parts`: its value in each part; None where it is missing."""

    label: Label
    name: str
    dtype: Dtype
    parts: tuple[Column | None, ...]

    def column(self, place: int) -> Column:
        """The column in one part."""
        found = self.parts[place]
        return (F.lit(None) if found is None else found).cast(self.dtype.spark).alias(self.name)


def _labels(parts: Sequence[Table], join: str, sort: bool) -> list[Label]:
    each = [part.labels for part in parts]
    found = each[0]
    if any(labels != found for labels in each):
        if any(len(set(labels)) < len(labels) for labels in each):
            raise pd.errors.InvalidIndexError("Reindexing only valid with uniquely valued Index objects")
        if join == "outer":
            found = list(dict.fromkeys(label for labels in each for label in labels))
        else:
            found = [label for label in found if all(label in labels for labels in each)]
    if sort and len(set(found)) == len(found):
        found = sorted(found)  # type: ignore[type-var]
    return found


def _value(part: Table, labels: Sequence[Label], place: int) -> Value | None:
    """A part's value of a column: by its label, or by its place where labels repeat and all parts have the same."""
    found = part.values(labels[place])
    if len(found) < 2:
        return found[0] if found else None
    return part.columns[place][1]


def _together(label: Label, values: Sequence[Value | None]) -> _Union:
    """A column of all parts, of the dtype that holds the values of all."""
    there = [value for value in values if value is not None]
    dtype = _common([value.dtype for value in there])
    ignored: list[Value] = []
    if dtype is None:
        ignored = [value for value in there if _is_all_missing(value)]
        dtype = _common([value.dtype for value in there if value not in ignored])
        if dtype is None or dtype.is_bool:
            kinds = ", ".join(sorted({value.dtype.name for value in there}))
            raise refused(_CALL, f"the column {label!r} would have objects of several kinds ({kinds})")
        texts = any(value.dtype.is_text for value in ignored)
        dtype = Dtype("object", dtype.spark) if dtype.is_integer and texts else dtype.missing()
    if None in values:
        dtype = FLOAT64 if dtype.is_integer else dtype.missing()
    columns = tuple(None if value is None or value in ignored else value.column for value in values)
    return _Union(label, fresh(label if label is not None else "value"), dtype, columns)


def _common(dtypes: Sequence[Dtype]) -> Dtype | None:
    found: Dtype | None = dtypes[0] if dtypes else None
    for dtype in dtypes[1:]:
        if found is not None and found.name == "object" and found.spark == dtype.spark:
            continue  # numbers among objects stay objects
        found = None if found is None else common(found, dtype)
    return found


def _is_all_missing(value: Value) -> bool:
    """Whether a part has no value in a column, so that pandas does not look at its dtype."""
    if not (value.dtype.is_float or (value.dtype.is_text and value.dtype.categories is None)):
        return False
    return not value.space.rows(value.uses).where(value.column.isNotNull()).take(1)


def _levels(parts: Sequence[Table]) -> list[_Union]:
    each = [part.levels() for part in parts]
    if len({len(levels) for levels in each}) > 1:
        raise refused("concat() of indexes with different numbers of levels", "Spark has no such index")
    found = []
    for levels in zip(*each, strict=True):
        dtype = _common([level.value.dtype for level in levels])
        if dtype is None:
            kinds = ", ".join(sorted({level.value.dtype.name for level in levels}))
            raise refused("concat() of indexes of different types", f"{kinds}", "give ignore_index=True")
        label = _one_label([level.label for level in levels])
        name = fresh(label if label is not None else "index")
        found.append(_Union(label, name, dtype, tuple(level.value.column for level in levels)))
    return found


def _one_label(labels: Sequence[Label]) -> Label:
    return labels[0] if all(label == labels[0] for label in labels) else None


def _column_names(parts: Sequence[Table]) -> tuple[Label, ...]:
    each = {part.column_names for part in parts}
    return parts[0].column_names if len(each) == 1 else (None,) * len(parts[0].column_names)


def _keys(keys: Sequence[Any]) -> _Union:
    dtypes = [dtype_of_scalar(key) for key in keys]
    dtype = None if None in dtypes else _common([dtype for dtype in dtypes if dtype is not None])
    if dtype is None:
        raise refused("concat(keys=...)", "the keys are of several types, or tuples")
    return _Union(None, fresh("key"), dtype, tuple(literal(key, dtype) for key in keys))


class _Slots:
    """Columns for the orders of all parts. Parts whose rows are in order by the same type share one."""

    def __init__(self, parts: Sequence[Table]) -> None:
        self._slots: list[tuple[Any, Key]] = []
        self._used: list[dict[int, str]] = []
        for part in parts:
            types = {field.name: field.dataType for field in part.rows().schema.fields}
            used: dict[int, str] = {}
            for key in part.order:
                kind = (types[key.name], key.ascending, key.missing_last)
                after = max(used, default=-1) + 1
                place = next((i for i in range(after, len(self._slots)) if self._slots[i][0] == kind), None)
                if place is None:
                    place = len(self._slots)
                    self._slots.append((kind, replace(key, name=fresh("order"), is_place=False)))
                used[place] = key.name
            self._used.append(used)

    def columns(self, part: int) -> list[Column]:
        """The values of all slots in one part: missing in those of others."""
        used = self._used[part]
        return [
            (F.col(used[place]) if place in used else F.lit(None)).cast(kind[0]).alias(key.name)
            for place, (kind, key) in enumerate(self._slots)
        ]

    def keys(self) -> list[Key]:
        """What the rows of each part are in order by."""
        return [key for _, key in self._slots]
