"""`merge_asof`: beside each row the one of another frame that comes next before it, after it, or is nearest.

It is a left join with all rows that may be the one, of which the nearest stays. Both sides are numbered first: a
window in the order of these numbers tells any two rows apart. That both are in the order of their keys, as pandas
wants them, Spark is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import Column, Window
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import certain
from predtrace.frontends.pandas.core.dtypes import BOOL, SPAN
from predtrace.frontends.pandas.core.facts import any_true
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table
from predtrace.frontends.pandas.merging.joins import Joined
from predtrace.frontends.pandas.merging.keys import Keys, MergeError, key_value
from predtrace.frontends.pandas.merging.methods import suffixes_of, table_of
from predtrace.frontends.pandas.merging.results import merged
from predtrace.frontends.pandas.times.spans import microseconds

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame

_CALL = "merge_asof()"
_DIRECTIONS = ("backward", "forward", "nearest")


def merge_asof(
    left: Any,
    right: Any,
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    left_index: bool = False,
    right_index: bool = False,
    by: Any = None,
    left_by: Any = None,
    right_by: Any = None,
    suffixes: Any = ("_x", "_y"),
    tolerance: Any = None,
    allow_exact_matches: bool = True,
    direction: str = "backward",
) -> DataFrame:
    """Each row of the left frame beside one of the right: by default the last that is not after it."""
    from predtrace.frontends.pandas.frame import DataFrame

    if left_index or right_index:
        raise refused(f"{_CALL} by an index", "it is not made for Spark yet", "use reset_index() first")
    if direction not in _DIRECTIONS:
        raise MergeError(f"direction invalid: {direction}")
    one, other = (_counted(certain(table_of(given))) for given in (left, right))
    lefts, rights = _pair("by", by, left_by, right_by)
    (key,), (their_key,) = _one_key(*_pair("on", on, left_on, right_on))
    keys = Keys((*lefts, key), (*rights, their_key))
    _check_dtypes(one, other, keys)
    _check_order("left", one, key)
    _check_order("right", other, their_key)
    search = _Search(direction, _limit(tolerance, key_value(one, key)), allow_exact_matches)
    made = partial(_NearestRows, search=search)
    return DataFrame._of(merged(one, other, keys, "left", False, suffixes_of(suffixes), joining=made))


def _pair(word: str, both: Any, left: Any, right: Any) -> tuple[list[Label], list[Label]]:
    """The labels on both sides."""
    if both is not None and (left is not None or right is not None):
        raise MergeError(f'Can only pass argument "{word}" OR "left_{word}" and "right_{word}".')
    if (left is None) != (right is None):
        raise MergeError(f"missing {'left' if left is None else 'right'}_{word}")
    one, other = (both, both) if both is not None else (left, right)
    lefts, rights = ([] if one is None else _listed(one) for one in (one, other))
    if len(lefts) != len(rights):
        raise MergeError(f"left_{word} and right_{word} must be same length")
    return lefts, rights


def _listed(labels: Any) -> list[Label]:
    found = list(labels) if isinstance(labels, (list, tuple, pd.Index)) else [labels]
    if any(not pd.api.types.is_scalar(label) for label in found):
        raise refused(
            f"{_CALL} on values that are no column", "they have no label", "make them a column first"
        )
    return found


def _one_key(lefts: list[Label], rights: list[Label]) -> tuple[list[Label], list[Label]]:
    if len(lefts) != 1:
        raise MergeError("can only asof on a key for left")
    return lefts, rights


def _counted(table: Table) -> Table:
    """The rows with their numbers as the index."""
    return replace(table, index=Positions(), is_unique=True).indexed()


def _check_dtypes(left: Table, right: Table, keys: Keys) -> None:
    for place, (label, other) in enumerate(keys.pairs()):
        one, two = key_value(left, label).dtype, key_value(right, other).dtype
        if (one.name, one.spark, one.categories) != (two.name, two.spark, two.categories):
            names = ", ".join(f"dtype({dtype.name!r})" for dtype in (one, two)).replace(", ", " and ")
            raise MergeError(f"incompatible merge keys [{place}] {names}, must be the same type")
    if not (one.is_moment or (one.is_number and not one.is_bool)):
        raise MergeError(
            f"Incompatible merge dtype, dtype({one.name!r}) and dtype({two.name!r}), "
            "both sides must have numeric dtype"
        )


def _check_order(side: str, table: Table, key: Label) -> None:
    """Raise what pandas raises if keys are missing or not in order. Asks Spark."""
    value = key_value(table, key)
    falls = F.lag(value.column).over(table.window()) > value.column
    uses = value.uses | {one.name for one in table.order}
    questions = [
        Value(table.space, one, uses, BOOL, is_window=True) for one in (value.column.isNull(), falls)
    ]
    misses, is_wrong = any_true(questions)
    if misses:
        raise ValueError(f"Merge keys contain null values on {side} side")
    if is_wrong:
        raise ValueError(f"{side} keys must be sorted")


def _limit(tolerance: Any, moment: Value) -> Any:
    """How far away a row may be, at most."""
    if tolerance is None:
        return None
    if moment.dtype.is_moment:
        is_span = isinstance(tolerance, (pd.Timedelta, np.timedelta64)) or hasattr(tolerance, "total_seconds")
        tolerance = pd.Timedelta(tolerance) if is_span else tolerance
        is_right, least = is_span, pd.Timedelta(0)
    else:
        whole = isinstance(tolerance, (int, np.integer)) and not isinstance(tolerance, bool)
        is_right = whole or (moment.dtype.is_float and isinstance(tolerance, (float, np.floating)))
        least = 0
    if not is_right:
        raise MergeError(
            f"incompatible tolerance {tolerance}, must be compat with type dtype({moment.dtype.name!r})"
        )
    if tolerance < least:
        raise MergeError("tolerance must be positive")
    return tolerance


@dataclass(frozen=True)
class _Search:
    """Which row is meant: before or after, how far away at most, and whether it may have the same key."""

    direction: str
    limit: Any
    exact: bool

    def fits(self, key: Value, other: Column) -> Column:
        """Whether a row with another key may be the one."""
        same = [] if self.direction == "nearest" and self.exact else [self._side(key.column, other)]
        if self.limit is not None:
            most = literal(self.limit, key.dtype if key.dtype.is_number else SPAN)
            same += [other >= key.column - most, other <= key.column + most]
        return reduce(lambda a, b: a & b, same, F.lit(True))

    def _side(self, key: Column, other: Column) -> Column:
        if self.direction == "nearest":
            return other != key
        if self.direction == "backward":
            return other <= key if self.exact else other < key
        return other >= key if self.exact else other > key

    def order(self, key: Value, other: Column, number: Column) -> list[Column]:
        """The rows that may be the one, the one first. `number`: of the other row, in the order of the keys."""
        if self.direction != "nearest":
            return [number.desc() if self.direction == "backward" else number.asc()]
        is_after = other > key.column
        gap = F.when(is_after, other - key.column).otherwise(key.column - other)
        wide = microseconds(gap) if key.dtype.is_moment else gap
        return [wide.asc(), is_after.asc(), F.when(is_after, number).otherwise(-number).asc()]


class _NearestRows(Joined):
    """A left join of which each left row keeps one partner. Both tables have their numbers as the index."""

    def __init__(self, *given: Any, search: _Search) -> None:
        self.search = search
        super().__init__(*given)

    def condition(self) -> Column:
        """Whether a row may be the one: by equal keys, and by the last of the keys."""
        *equal, (_, other) = zip(self.left.compared, self.right.compared, strict=True)
        found = [a.eqNullSafe(b) for a, b in equal]
        return reduce(lambda a, b: a & b, found, self.search.fits(self.left.keys[-1], other))

    def rows(self, flags: tuple[str, str] | None = None) -> Rows:
        """The left rows, each beside one of those that may be the one, or none."""
        rows, nearest = super().rows(flags), fresh("nearest")
        number, theirs = (_level_name(side.table) for side in (self.left, self.right))
        order = self.search.order(self.left.keys[-1], self.right.compared[-1], F.col(theirs))
        numbered = rows.withColumn(nearest, F.row_number().over(Window.partitionBy(number).orderBy(*order)))
        return numbered.where(F.col(nearest) == 1).drop(nearest)


def _level_name(table: Table) -> str:
    assert not isinstance(table.index, Positions)
    return table.index[0].value.name
