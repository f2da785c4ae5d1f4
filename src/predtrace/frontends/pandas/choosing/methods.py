"""Choosing rows, columns and cells, and their order: `loc`, `head`, `sort_values`, `query`, `set_index` and the like.

Each is in a file of its own; here are the small ones.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.about_series import AboutSeries
from predtrace.frontends.pandas.choosing.indexing import IndexingFrame, IndexingSeries
from predtrace.frontends.pandas.choosing.labels import known_labels
from predtrace.frontends.pandas.choosing.querying import QueryingFrame
from predtrace.frontends.pandas.choosing.regular_moments import RegularMoments
from predtrace.frontends.pandas.choosing.reindexing import ReindexingFrame, ReindexingSeries
from predtrace.frontends.pandas.choosing.row_places import head_of, in_order_of, kept, row_at, tail_of, taken
from predtrace.frontends.pandas.choosing.sorting import SortingFrame, SortingSeries
from predtrace.frontends.pandas.choosing.times_of_day import TimesOfDay
from predtrace.frontends.pandas.cleaning.duplicates import DuplicatesFrame, DuplicatesSeries
from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.choosing.locating import At, Loc
    from predtrace.frontends.pandas.choosing.placing import IAt, ILoc

Same = TypeVar("Same", bound=Held)


class Choosing(RegularMoments, TimesOfDay):
    """What frames and series have in common."""

    @property
    def loc(self) -> Loc:
        """Rows and columns by their labels, or by a mask."""
        from predtrace.frontends.pandas.choosing.locating import Loc

        return Loc(self)

    @property
    def iloc(self) -> ILoc:
        """Rows and columns by their places."""
        from predtrace.frontends.pandas.choosing.placing import ILoc

        return ILoc(self)

    @property
    def at(self) -> At:
        """One value by labels."""
        from predtrace.frontends.pandas.choosing.locating import At

        return At(self)

    @property
    def iat(self) -> IAt:
        """One value by places."""
        from predtrace.frontends.pandas.choosing.placing import IAt

        return IAt(self)

    def head(self: Same, n: int = 5) -> Same:
        """The first rows."""
        return self._of(head_of(self._table, int(n)))

    def tail(self: Same, n: int = 5) -> Same:
        """The last rows."""
        return self._of(tail_of(self._table, int(n)))

    def take(self: Same, indices: Any, axis: Any = 0) -> Same:
        """The rows, or the columns, at a list of places."""
        if axis in (1, "columns"):
            columns = self._table.columns
            return self._of(replace(self._table, columns=tuple(columns[place] for place in indices)))
        return self._of(taken(self._table, indices))

    def sample(
        self: Same,
        n: int | None = None,
        frac: float | None = None,
        replace: bool = False,
        weights: Any = None,
        random_state: Any = None,
        axis: Any = 0,
        ignore_index: bool = False,
    ) -> Same:
        """Some rows by chance: those that pandas would choose, for the same random state."""
        from predtrace.frontends.pandas.choosing.indexing import reset

        if weights is not None or axis not in (0, "index", None):
            raise refused(f"{self._kind}.sample(weights=..., axis=...)", "rows have the same chance here")
        places = pd.Series(np.arange(len(self)))
        chosen = places.sample(n=n, frac=frac, replace=replace, random_state=random_state)
        table = taken(self._table, chosen.tolist())
        return self._of(reset(table, None, True, None, False) if ignore_index else table)

    def first_valid_index(self) -> Any:
        """The label of the first row that has a value; None if there is none."""
        return _label_of_valid(self._table, 0)

    def last_valid_index(self) -> Any:
        """The label of the last row that has a value; None if there is none."""
        return _label_of_valid(self._table, -1)

    def xs(self, key: Any, axis: Any = 0, level: Any = None, drop_level: bool = True) -> Any:
        """The rows of a label, or of a label of one level."""
        from predtrace.frontends.pandas.choosing.cross_sections import cross_section

        return cross_section(self, key, axis, level, drop_level)


class ChoosingFrame(Choosing, SortingFrame, DuplicatesFrame, IndexingFrame, ReindexingFrame, QueryingFrame):
    """These methods of a DataFrame."""

    def get(self, key: Any, default: Any = None) -> Any:
        """`df[key]`, or the default if there is no such column."""
        frame: Any = self
        try:
            return frame[key]
        except (KeyError, ValueError, IndexError):
            return default

    def filter(
        self: Same, items: Any = None, like: str | None = None, regex: str | None = None, axis: Any = None
    ) -> Same:
        """The columns, or with `axis=0` the rows, whose labels are listed or have a text in them."""
        if sum(one is not None for one in (items, like, regex)) != 1:
            raise TypeError(
                "Keyword arguments `items`, `like`, or `regex` are mutually exclusive"
                if any(one is not None for one in (items, like, regex))
                else "Must pass either `items`, `like`, or `regex`"
            )
        table = self._table
        if axis in (0, "index"):
            return self._of(_rows_named(table, items, like, regex))
        if items is not None:
            wanted = [label for label in items if label in table.labels]
        else:
            wanted = [label for label in table.labels if _is_named(label, like, regex)]
        columns = tuple((label, value) for label in wanted for value in table.values(label))
        return self._of(replace(table, columns=columns))

    def select_dtypes(self: Same, include: Any = None, exclude: Any = None) -> Same:
        """The columns of some dtypes, as pandas shows them."""
        table = self._table
        like = pd.DataFrame(
            {place: pd.Series(dtype=dtype) for place, dtype in enumerate(self._shown_dtypes())}
        )
        places = like.select_dtypes(include=include, exclude=exclude).columns
        return self._of(replace(table, columns=tuple(table.columns[place] for place in places)))

    def squeeze(self, axis: Any = None) -> Any:
        """A series of the only column, a row if there is only one, a scalar if there is one value."""
        frame: Any = self
        if axis not in (1, "columns") and len(self._table.rows().take(2)) == 1:
            return frame.iloc[0, 0] if len(self._table.columns) == 1 and axis is None else frame.iloc[0]
        if len(self._table.columns) == 1 and axis not in (0, "index"):
            return frame.iloc[:, 0]
        return frame.copy()


class ChoosingSeries(
    Choosing, AboutSeries, SortingSeries, DuplicatesSeries, IndexingSeries, ReindexingSeries
):
    """These methods of a Series."""

    def __setitem__(self, key: Any, values: Any) -> None:
        from predtrace.frontends.pandas.choosing.selecting import set_item_of_series

        set_item_of_series(self, key, values)  # type: ignore[arg-type]

    def get(self, key: Any, default: Any = None) -> Any:
        """`s[key]`, or the default if there is no such label."""
        series: Any = self
        try:
            return series[key]
        except (KeyError, ValueError, IndexError):
            return default

    def filter(
        self: Same, items: Any = None, like: str | None = None, regex: str | None = None, axis: Any = None
    ) -> Same:
        """The rows whose labels are listed or have a text in them."""
        return self._of(_rows_named(self._table, items, like, regex))

    def squeeze(self, axis: Any = None) -> Any:
        """The value, if there is only one."""
        series: Any = self
        return series.iloc[0] if len(self._table.rows().take(2)) == 1 else series.copy()

    def item(self) -> Scalar:
        """The only value."""
        table = self._table
        value = table.columns[0][1]
        rows = table.rows().select(value.column.alias("value"))
        if len(rows.take(2)) != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return Scalar(rows, value.dtype)


def _is_named(label: Label, like: str | None, regex: str | None) -> bool:
    text = str(label)
    return like in text if like is not None else re.search(regex or "", text) is not None


def _rows_named(table: Table, items: Any, like: str | None, regex: str | None) -> Table:
    indexed = table.indexed()
    value = indexed.levels()[0].value
    if regex is not None or len(indexed.levels()) > 1 or not (value.dtype.is_text or value.dtype.is_integer):
        raise refused(
            "filter() of rows", "only whole numbers and texts as labels, and no regex, are known there"
        )
    if items is not None:
        return in_order_of(indexed, [value], [(label,) for label in known_labels(value, items)])
    found = F.coalesce(F.contains(value.column.cast("string"), F.lit(like)), F.lit(False))
    return indexed.kept(value.with_column(found, BOOL))


def _label_of_valid(table: Table, place: int) -> Any:
    values = [value for _, value in table.columns]
    if not values:
        return None
    valid = reduce(lambda a, b: a | b, [value.column.isNotNull() for value in values])
    row = row_at(kept(table, values[0].with_column(valid, BOOL, *values[1:])), place)
    if not row.rows().take(1):
        return None
    levels = row.levels()
    if len(levels) > 1:
        raise refused("first_valid_index() of several levels", "their label is no single value")
    value = levels[0].value
    return Scalar(row.rows().select(value.column.alias("value")), value.dtype)
