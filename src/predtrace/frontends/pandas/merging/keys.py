"""What `merge` pairs rows by: columns, levels of an index by their names, or whole indexes.

The checks are pandas', with its errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import Column

from predtrace.frontends.pandas.core.dtypes import Dtype, check_no_difference
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table

MergeError = pd.errors.MergeError


@dataclass(frozen=True)
class Keys:
    """The labels of the keys on both sides; None stands for the index of that side."""

    left: tuple[Label, ...] | None
    right: tuple[Label, ...] | None

    def pairs(self) -> list[tuple[Label, Label]]:
        """The labels of each key; None where it is a level of the index."""
        count = len(self.left or self.right or ())
        return list(zip(self.left or (None,) * count, self.right or (None,) * count, strict=True))


def keys_of(
    left: Table,
    right: Table,
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    left_index: bool = False,
    right_index: bool = False,
) -> Keys:
    """The keys that the arguments of `merge` ask for."""
    if on is not None:
        if left_on is not None or right_on is not None:
            raise MergeError(
                'Can only pass argument "on" OR "left_on" and "right_on", not a combination of both.'
            )
        if left_index or right_index:
            raise MergeError(
                'Can only pass argument "on" OR "left_index" and "right_index", not a combination of both.'
            )
        labels = tuple(_listed(on, left))
        return Keys(labels, labels)
    if left_on is None and right_on is None:
        return _keys_without_labels(left, right, left_index, right_index)
    return _keys_with_labels(left, right, left_on, right_on, left_index, right_index)


def _keys_without_labels(left: Table, right: Table, left_index: bool, right_index: bool) -> Keys:
    if left_index and right_index:
        return Keys(None, None)
    if left_index:
        raise MergeError("Must pass right_on or right_index=True")
    if right_index:
        raise MergeError("Must pass left_on or left_index=True")
    shared = tuple(label for label in left.labels if right.values(label))
    if not shared:
        raise MergeError(
            "No common columns to perform merge on. Merge options: left_on=None, right_on=None, "
            "left_index=False, right_index=False"
        )
    for table in (left, right):
        if len(set(table.labels) & set(shared)) < sum(label in shared for label in table.labels):
            raise MergeError(f"Data columns not unique: {pd.Index(shared)!r}")
    return Keys(shared, shared)


def _keys_with_labels(
    left: Table, right: Table, left_on: Any, right_on: Any, left_index: bool, right_index: bool
) -> Keys:
    if left_on is not None and left_index:
        raise MergeError('Can only pass argument "left_on" OR "left_index" not both.')
    if right_on is not None and right_index:
        raise MergeError('Can only pass argument "right_on" OR "right_index" not both.')
    if left_on is None and not left_index:
        raise MergeError('Must pass "left_on" OR "left_index".')
    if right_on is None and not right_index:
        raise MergeError('Must pass "right_on" OR "right_index".')
    one = None if left_index else tuple(_listed(left_on, left))
    other = None if right_index else tuple(_listed(right_on, right))
    if one is not None and other is not None and len(one) != len(other):
        raise ValueError("len(right_on) must equal len(left_on)")
    if one is not None and other is None and len(one) != _level_count(right):
        raise ValueError('len(left_on) must equal the number of levels in the index of "right"')
    if other is not None and one is None and len(other) != _level_count(left):
        raise ValueError('len(right_on) must equal the number of levels in the index of "left"')
    return Keys(one, other)


def _listed(labels: Any, table: Table) -> Sequence[Label]:
    if isinstance(labels, tuple) and labels in table.labels:
        return [labels]
    several = list(labels) if isinstance(labels, (list, tuple, pd.Index)) else [labels]
    if any(isinstance(one, (Held, pd.Series, np.ndarray, list)) for one in several):
        raise refused("merge on values that are no column", "they have no label", "make them a column first")
    return several


def _level_count(table: Table) -> int:
    return 1 if isinstance(table.index, Positions) else len(table.index)


def level_names(table: Table) -> list[Label]:
    """The names of the levels of an index."""
    return [table.index.label] if isinstance(table.index, Positions) else [x.label for x in table.index]


def is_level(table: Table, label: Label) -> bool:
    """Whether a label means a level of the index, not a column."""
    return label is not None and label in level_names(table) and label not in table.labels


def key_value(table: Table, label: Label) -> Value:
    """The value of a key by its label."""
    found = table.values(label)
    if found and label is not None and label in level_names(table):
        raise ValueError(f"{label!r} is both an index level and a column label, which is ambiguous.")
    if len(found) > 1:
        raise ValueError(f"The column label {label!r} is not unique.")
    if found:
        return found[0]
    if is_level(table, label):
        return table.levels()[level_names(table).index(label)].value
    raise KeyError(label)


def key_values(table: Table, labels: tuple[Label, ...] | None) -> tuple[Value, ...]:
    """The values of keys by their labels, or of the index."""
    if labels is None:
        return tuple(level.value for level in table.levels())
    return tuple(key_value(table, label) for label in labels)


def compared(left: Value, right: Value, label: Label, by_indexes: bool) -> tuple[Column, Column]:
    """The two values of a key as Spark can compare them; an error where pandas has one."""
    one, other = left.dtype, right.dtype
    check_no_difference("merge on a column", one, other)
    if (one.name == other.name and one.spark == other.spark) or (one.is_text and other.is_text):
        return left.column, right.column
    if _are_numbers(one, other):
        kind = "double" if one.is_float or other.is_float else "bigint"
        return left.column.cast(kind), right.column.cast(kind)
    is_mixed = one.is_mixed or other.is_mixed
    if by_indexes or is_mixed or {one.name, other.name} & {"bool", "category"}:
        raise refused(f"merge on {one.name} and {other.name}", "the key would have objects of several kinds")
    raise ValueError(
        f"You are trying to merge on {one.name} and {other.name} columns for key {label!r}. "
        "If you wish to proceed you should use pd.concat"
    )


def _are_numbers(one: Dtype, other: Dtype) -> bool:
    return one.is_number and other.is_number and not (one.is_bool or other.is_bool)
