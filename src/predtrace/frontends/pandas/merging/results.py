"""The frame that a `merge` gives: its columns with their suffixes, its index, and where each row comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.aligning import beside, is_unique, same_rows
from predtrace.frontends.pandas.core.certain import certain
from predtrace.frontends.pandas.core.dtypes import Dtype, dtype_named
from predtrace.frontends.pandas.core.spaces import fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table, new_table
from predtrace.frontends.pandas.merging.joins import Joined, Side
from predtrace.frontends.pandas.merging.keys import Keys, MergeError, is_level, level_names

Suffixes = tuple[str | None, str | None]
Column = tuple[Label, str, Dtype]
"""A column of the result: label, name and dtype."""

_SOURCES = dtype_named(pd.CategoricalDtype(["left_only", "right_only", "both"]))


def merged(
    left: Table,
    right: Table,
    keys: Keys,
    how: str = "inner",
    sort: bool = False,
    suffixes: Suffixes = ("_x", "_y"),
    indicator: bool | str = False,
    joining: Callable[[Table, Table, Keys, str, bool], Joined] = Joined,
) -> Table:
    """The rows of two tables that belong together by their keys, side by side. `joining`: how they are found."""
    _check_indicator(indicator, left, right)
    labels = _labels(left, right, keys, suffixes)
    if keys.left is None and keys.right is None and not sort and not indicator:
        together = _without_join(left, right, how, labels)
        if together is not None:
            return together
    joined = joining(left, right, keys, how, sort)
    columns = _with_keys(joined, _columns(joined, labels))
    index, columns, known_unique = _index(joined, columns)
    order = joined.order()
    flags = (fresh("in_left"), fresh("in_right")) if indicator else None
    rows = joined.rows(flags)
    if flags is not None:
        one, other = (F.col(flag).isNull() for flag in flags)
        source = F.when(one, "right_only").when(other, "left_only").otherwise("both")
        assert _SOURCES is not None
        name = joined.make(source, "source")
        columns.append(("_merge" if indicator is True else indicator, name, _SOURCES.missing(False)))
    if joined.made:
        rows = rows.withColumns(joined.made)
    levels = () if isinstance(index, Positions) else index
    names = [name for _, name, _ in (*columns, *levels)] + [key.name for key in order]
    table = new_table(
        rows.select(*dict.fromkeys(names)),
        columns,
        None if isinstance(index, Positions) else index,
        order,
        is_unique=known_unique,
        column_names=_column_names(left, right),
    )
    return replace(table, index=index) if isinstance(index, Positions) else table


def _check_indicator(indicator: bool | str, left: Table, right: Table) -> None:
    if not isinstance(indicator, (bool, str)):
        raise ValueError("indicator option can only accept boolean or string arguments")
    for table in (left, right):
        for label in ("_left_indicator", "_right_indicator") if indicator else ():
            if label in table.labels:
                raise ValueError(
                    f"Cannot use `indicator=True` option when data contains a column named {label}"
                )
        if indicator and ("_merge" if indicator is True else indicator) in table.labels:
            raise ValueError("Cannot use name of an existing column for indicator column")


def _column_names(left: Table, right: Table) -> tuple[Label, ...]:
    if left.column_names == right.column_names:
        return left.column_names
    return (None,) * len(left.column_names)


def _labels(
    left: Table, right: Table, keys: Keys, suffixes: Suffixes
) -> tuple[list[Label], list[Label | None]]:
    """The labels that the columns of both get; `_DROPPED` for a key of the right that the left has, too."""
    if len(left.column_names) != len(right.column_names):
        raise MergeError(
            "Not allowed to merge between different levels. "
            f"({len(left.column_names)} levels on the left, {len(right.column_names)} on the right)"
        )
    dropped = [a for a, b in keys.pairs() if a is not None and a == b]
    kept = [label for label in right.labels if label not in dropped]
    both = [label for label in left.labels if label in kept]
    one, other = suffixes
    if both and not one and not other:
        raise ValueError(f"columns overlap but no suffix specified: {pd.Index(dict.fromkeys(both))!r}")

    def renamed(labels: Sequence[Label], suffix: str | None) -> list[Label]:
        new = [f"{label}{suffix}" if label in both and suffix is not None else label for label in labels]
        twice = {a for a, b in zip(new, labels, strict=True) if new.count(a) > 1 and labels.count(b) == 1}
        if twice:
            raise MergeError(f"Passing 'suffixes' which cause duplicate columns {twice} is not allowed.")
        return new

    news = iter(renamed(kept, other))
    return renamed(left.labels, one), [_DROPPED if x in dropped else next(news) for x in right.labels]


class _Dropped:
    """The label of a column that is not in the result."""


_DROPPED: Any = _Dropped()


def _columns(joined: Joined, labels: tuple[list[Label], list[Label | None]]) -> list[Column]:
    return [
        (label, value.name, side.dtype(value))
        for side, given in zip((joined.left, joined.right), labels, strict=True)
        for label, (_, value) in zip(given, side.table.columns, strict=True)
        if label is not _DROPPED
    ]


def _with_keys(joined: Joined, columns: list[Column]) -> list[Column]:
    """The columns, with a key's value from the side that has a row. A key that was an index may be a new column."""
    indexed = _kept_index(joined)
    for place, (left, right) in enumerate(joined.keys.pairs()):
        if isinstance(left, str) and isinstance(right, str) and left != right:
            continue  # both columns stay as they are
        label = left if left is not None else right
        at = next((i for i, (known, _, _) in enumerate(columns) if known == label), None)
        if at is not None:
            main = joined.left if joined.left.table.values(label) else joined.right
            columns[at] = (label, *joined.key(place, label, main))
        elif indexed is None or not is_level(indexed.table, label):
            columns.insert(place, (label, *joined.key(place, label, joined.left)))
    return columns


def _kept_index(joined: Joined) -> Side | None:
    """The side whose index the result has, if it has one."""
    if joined.by_indexes or (joined.keys.left is not None and joined.keys.right is not None):
        return None
    return joined.left if joined.keys.right is None else joined.right


def _index(joined: Joined, columns: list[Column]) -> tuple[Positions | list[Column], list[Column], bool]:
    """The index of the result, the columns that are not in it, and whether it is known to have each label once."""
    side = _kept_index(joined)
    if joined.by_indexes:
        return _joined_index(joined), columns, _are_unique(joined)
    if side is not None:
        other = joined.right if side is joined.left else joined.left
        keeps_rows = not side.may_lack and side.table.is_unique and other.table.is_unique
        return _index_of(joined, side), columns, keeps_rows
    restored = [
        label
        for label, other in joined.keys.pairs()
        if label == other and is_level(joined.left.table, label) and is_level(joined.right.table, label)
    ]
    if not restored:
        return Positions(), columns, False
    index = [next(column for column in columns if column[0] == label) for label in restored]
    return index, [column for column in columns if column not in index], False


def _are_unique(joined: Joined) -> bool:
    return joined.left.table.is_unique and joined.right.table.is_unique


def _joined_index(joined: Joined) -> Positions | list[Column]:
    """The keys themselves. Two indexes that count from 0 give one that does."""
    names = [level_names(side.table) for side in (joined.left, joined.right)]
    if joined.how == "left":
        labels = names[0]
    elif joined.how == "right":
        labels = names[1]
    else:
        labels = [a if a == b else None for a, b in zip(*names, strict=True)]
    if joined.both_counted:
        return Positions(labels[0])
    main = joined.right if joined.how == "right" else joined.left
    return [(label, *joined.key(place, label, main)) for place, label in enumerate(labels)]


def _index_of(joined: Joined, side: Side) -> Positions | list[Column]:
    """The index of the side whose columns were looked up in the index of the other."""
    index = side.table.index
    if isinstance(index, Positions):
        return index
    labels: list[Label] = [level.label for level in index]
    if side.may_lack and not side.rows().take(1):
        raise refused("merge() of a frame without rows with an index", "pandas gives it another index")
    if side.may_lack and any(label is not None for label in labels) and joined.lacks(side):
        labels = [None] * len(labels)  # pandas puts the missing label into a new index
    keys = [a if a is not None else b for a, b in joined.keys.pairs()]
    levels: list[Column] = []
    for label, level in zip(labels, index, strict=True):
        if is_level(side.table, level.label) and level.label in keys:
            levels.append((level.label, *joined.key(keys.index(level.label), label, side)))
        else:
            levels.append((label, level.value.name, side.dtype(level.value)))
    return levels


def _without_join(
    left: Table, right: Table, how: str, labels: tuple[list[Label], list[Label | None]]
) -> Table | None:
    """Tables by their indexes, if each left row has at most one partner that Spark need not look for."""
    one, other = left.settled(), right.settled()
    is_same = same_rows(one, other) and level_names(one) == level_names(other) and is_unique(one)
    if how == "outer" or not (is_same or (how == "left" and other.is_unique and _alike(one, other))):
        return None
    table, values = beside(one, other if is_same else certain(other))
    given = [*labels[0], *labels[1]]
    found = [value for _, value in table.columns] + values
    made = table.with_columns(zip(given, found, strict=True))
    return replace(made, column_names=_column_names(left, right))


def _alike(left: Table, right: Table) -> bool:
    one, other = left.index, right.index
    if isinstance(one, Positions) or isinstance(other, Positions) or len(one) != len(other):
        return False
    return all(a.value.dtype.name == b.value.dtype.name for a, b in zip(one, other, strict=True))
