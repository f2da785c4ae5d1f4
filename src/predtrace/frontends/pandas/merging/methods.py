"""Putting frames together by their keys: `merge`, `join`. (`concat` and `append`: `merging/concatenating.py`.)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from predtrace.frontends.pandas.core.aligning import is_unique
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.tables import Label, Positions, Table
from predtrace.frontends.pandas.merging.appending import AppendingFrame, AppendingSeries
from predtrace.frontends.pandas.merging.concatenating import concat
from predtrace.frontends.pandas.merging.keys import Keys, MergeError, key_values, keys_of
from predtrace.frontends.pandas.merging.results import Suffixes, merged

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame

__all__ = ["MergingFrame", "MergingSeries", "concat", "merge"]

_HOWS = ("left", "right", "inner", "outer", "cross")
_ONCE = {
    "1:1": (True, True),
    "one_to_one": (True, True),
    "1:m": (True, False),
    "one_to_many": (True, False),
    "m:1": (False, True),
    "many_to_one": (False, True),
    "m:m": (False, False),
    "many_to_many": (False, False),
}
"""What `validate` says of the keys on the left and on the right: whether each comes once."""
_WORDS = {(True, True): "one-to-one", (True, False): "one-to-many", (False, True): "many-to-one"}


class MergingFrame(AppendingFrame):
    """These methods of a DataFrame."""

    def merge(
        self,
        right: Any,
        how: str = "inner",
        on: Any = None,
        left_on: Any = None,
        right_on: Any = None,
        left_index: bool = False,
        right_index: bool = False,
        sort: bool = False,
        suffixes: Any = ("_x", "_y"),
        copy: bool | None = None,
        indicator: bool | str = False,
        validate: str | None = None,
    ) -> DataFrame:
        """The rows of this frame and of another that belong together by their keys, side by side."""
        from predtrace.frontends.pandas.frame import DataFrame

        one, other = table_of(self), table_of(right)
        suffixed = suffixes_of(suffixes)
        if how == "cross":
            if left_index or right_index or any(key is not None for key in (on, left_on, right_on)):
                raise MergeError(
                    "Can not pass on, right_on, left_on or set right_index=True or left_index=True"
                )
            return DataFrame._of(merged(one, other, Keys((), ()), how, False, suffixed, indicator))
        keys = keys_of(one, other, on, left_on, right_on, left_index, right_index)
        if how not in _HOWS:
            raise ValueError(f"do not recognize join method {how}")
        if validate is not None:
            _check(validate, one, other, keys)
        return DataFrame._of(merged(one, other, keys, how, sort, suffixed, indicator))

    def join(
        self,
        other: Any,
        on: Any = None,
        how: str = "left",
        lsuffix: str = "",
        rsuffix: str = "",
        sort: bool = False,
        validate: str | None = None,
    ) -> DataFrame:
        """The columns of other frames beside these, by their indexes, or by columns of this one."""
        if isinstance(other, Held):
            asked: dict[str, Any] = {"left_on": on} if on is not None else {"left_index": True}
            keys = {} if how == "cross" else {**asked, "right_index": True}
            return self.merge(other, how, **keys, sort=sort, suffixes=(lsuffix, rsuffix), validate=validate)
        if on is not None:
            raise ValueError("Joining multiple DataFrames only supported for joining on index")
        if lsuffix or rsuffix:
            raise ValueError("Suffixes not supported when joining multiple DataFrames")
        return self._with_all(list(other), how, sort)

    def _with_all(self, others: Sequence[Any], how: str, sort: bool) -> DataFrame:
        tables = [self._table, *(table_of(other) for other in others)]
        labels = [label for table in tables for label in table.labels]
        once = all(is_unique(table) for table in tables)
        if once and len(set(labels)) < len(labels):
            twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
            raise ValueError(f"Indexes have overlapping values: {pd.Index(twice)!r}")
        if once and how != "left":
            return concat([self, *others], axis=1, join=how, sort=sort)  # type: ignore[no-any-return]
        found: Any = self
        for other in others:
            found = found.merge(other, how, left_index=True, right_index=True, sort=sort)
        return found  # type: ignore[no-any-return]


class MergingSeries(AppendingSeries):
    """These methods of a Series."""


def merge(left: Any, right: Any, *args: Any, **options: Any) -> DataFrame:
    """The rows of two frames that belong together by their keys, side by side."""
    from predtrace.frontends.pandas.frame import DataFrame

    return DataFrame._of(table_of(left)).merge(right, *args, **options)


def table_of(given: Any) -> Table:
    """The table of what is merged."""
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    if isinstance(given, (pd.DataFrame, pd.Series)):
        given = DataFrame(given) if isinstance(given, pd.DataFrame) else Series(given)
    if isinstance(given, Series) and given.name is None:
        raise ValueError("Cannot merge a Series without a name")
    if not isinstance(given, (DataFrame, Series)):
        raise TypeError(f"Can only merge Series or DataFrame objects, a {type(given)} was passed")
    return given._table


def suffixes_of(given: Any) -> Suffixes:
    """What is put behind labels that both sides have."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            f"Passing 'suffixes' as a {type(given)}, is not supported. Provide 'suffixes' as a tuple instead."
        )
    one, other = given
    return one, other


def _check(validate: str, left: Table, right: Table, keys: Keys) -> None:
    """Raise what pandas raises if keys come more often than `validate` says."""
    if validate not in _ONCE:
        known = "\n".join(f'- "{name}"' for name in ("1:1", "1:m", "m:1", "m:m", *_LONG))
        raise ValueError(f'"{validate}" is not a valid argument. Valid arguments are:\n{known}')
    wanted = _ONCE[validate]
    wrong = [
        side
        for side, once, table, labels in (
            ("left", wanted[0], left, keys.left),
            ("right", wanted[1], right, keys.right),
        )
        if once and _comes_twice(table, labels)
    ]
    if wrong:
        where = "either left or right" if len(wrong) == 2 else wrong[0]
        raise MergeError(f"Merge keys are not unique in {where} dataset; not a {_WORDS[wanted]} merge")


_LONG = ("one_to_one", "one_to_many", "many_to_one", "many_to_many")


def _comes_twice(table: Table, labels: tuple[Label, ...] | None) -> bool:
    if labels is None and isinstance(table.index, Positions):
        return False
    names = [value.name for value in key_values(table.settled(), labels)]
    return bool(table.space.rows(names).groupBy(*names).count().where("count > 1").take(1))
