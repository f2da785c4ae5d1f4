"""By group, a value for each row (`transform`, `cumsum`, `shift`, `rank`...), or some of the rows (`head`, `nth`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyspark.sql import Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.row_places import kept as kept_rows
from predtrace.frontends.pandas.core.certain import misses
from predtrace.frontends.pandas.core.dtypes import BOOL, INT64
from predtrace.frontends.pandas.core.scalars import value_in
from predtrace.frontends.pandas.core.spaces import Key, Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Level
from predtrace.frontends.pandas.grouping.grouped_functions import transformed_by_function
from predtrace.frontends.pandas.grouping.grouped_state import Grouped, Same
from predtrace.frontends.pandas.moving.along import (
    Along,
    changed,
    counted,
    cumulated,
    differed,
    filled,
    shifted,
)
from predtrace.frontends.pandas.moving.in_time import (
    AroundBeside,
    along_moments,
    is_time,
    moments_of,
    time_bounds,
)
from predtrace.frontends.pandas.moving.methods import fills_missing
from predtrace.frontends.pandas.moving.ranking import ranked
from predtrace.frontends.pandas.moving.rolling import (
    EVERYTHING_BEFORE,
    Around,
    grouped_finish,
    rolling_bounds,
)
from predtrace.frontends.pandas.reducing.aggregate_functions import AGGREGATES
from predtrace.frontends.pandas.reducing.aggregates import aggregate, named

_MOVES = frozenset(
    [
        "cumsum",
        "cumprod",
        "cummax",
        "cummin",
        "shift",
        "diff",
        "pct_change",
        "rank",
        "ffill",
        "bfill",
        "cumcount",
        "ngroup",
    ]
)


class GroupedRows(Grouped):
    """These methods of groups."""

    def transform(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """For each row what an aggregate or a function gives for its group."""
        name = named(func)
        if name is None:
            return transformed_by_function(self, func, args, kwargs)
        if name in _MOVES:
            return getattr(self, name)(*args, **kwargs)
        if name in ("idxmin", "idxmax"):
            raise refused(f"{self._kind}.transform({name!r})", "it is not made for Spark yet")
        if name not in AGGREGATES:
            raise ValueError(f"'{name}' is not a valid function name for transform(name)")
        columns = []
        for label, value in self._certain():
            cell = aggregate(name, value, self._groups.windows(), **kwargs)
            made = self._groups.along().value(cell.column, cell.dtype, value)
            columns.append((label, replace(made, uses=made.uses | cell.uses)))
        return self._beside_rows(columns)

    def _each(self, function: Callable[[Along, Value], Value], numeric_only: bool = False) -> Any:
        along = self._groups.along()
        return self._beside_rows(
            (label, function(along, value)) for label, value in self._certain(numeric_only)
        )

    def shift(self, periods: int = 1, freq: Any = None, fill_value: Any = None, suffix: Any = None) -> Any:
        """The values some rows before."""
        only(f"{self._kind}.shift()", {"freq": None, "suffix": None}, {"freq": freq, "suffix": suffix})

        def one(along: Along, value: Value) -> Value:
            made = shifted(along, value, periods, fill_value)
            if fill_value is None or along.there is None:
                return made
            # Rows that are in no group get the fill value, too.
            filler = value_in(along.table.space, fill_value)
            column = F.when(along.there, made.column).otherwise(filler.column.cast(made.dtype.spark))
            return made.with_column(column, made.dtype.missing(value.dtype.may_miss), filler)

        return self._each(one)

    def diff(self, periods: int = 1) -> Any:
        """The differences to the values some rows before."""
        return self._each(lambda along, value: differed(along, value, periods))

    def pct_change(self, periods: int = 1, fill_method: Any = "ffill", limit: Any = None) -> Any:
        """The parts by which values are greater than those some rows before."""
        only(f"{self._kind}.pct_change()", {"limit": None}, {"limit": limit})
        fills = fills_missing(fill_method)
        return self._each(lambda along, value: changed(along, value, periods, fills))

    def cumsum(self) -> Any:
        """The sums of all values up to each."""
        return self._each(lambda along, value: cumulated(along, "cumsum", value))

    def cumprod(self) -> Any:
        """The products of all values up to each."""
        return self._each(lambda along, value: cumulated(along, "cumprod", value))

    def cummax(self, numeric_only: bool = False) -> Any:
        """The greatest values up to each."""
        return self._each(lambda along, value: cumulated(along, "cummax", value), numeric_only)

    def cummin(self, numeric_only: bool = False) -> Any:
        """The least values up to each."""
        return self._each(lambda along, value: cumulated(along, "cummin", value), numeric_only)

    def rank(
        self, method: str = "average", ascending: bool = True, na_option: str = "keep", pct: bool = False
    ) -> Any:
        """The places of the values if they were sorted."""
        return self._each(lambda along, value: ranked(along, value, method, na_option, ascending, pct))

    def ffill(self, limit: Any = None) -> Any:
        """Missing values are those before them."""
        only(f"{self._kind}.ffill()", {"limit": None}, {"limit": limit})
        return self._each(lambda along, value: filled(along, value))

    def bfill(self, limit: Any = None) -> Any:
        """Missing values are those after them."""
        only(f"{self._kind}.bfill()", {"limit": None}, {"limit": limit})
        return self._each(lambda along, value: filled(along, value, backwards=True))

    def fillna(self, value: Any = None, method: Any = None) -> Any:
        """Missing values are another one."""
        if method is not None:
            return self.bfill() if method in ("bfill", "backfill") else self.ffill()
        if any(misses(self._groups.by).values()):
            raise refused(
                f"{self._kind}.fillna()", "some keys are missing, and pandas mixes up the rows then"
            )

        def one(along: Along, column: Value) -> Value:
            filler = value_in(along.table.space, value)
            made = F.coalesce(column.column, filler.column.cast(column.dtype.spark))
            return along.value(made, column.dtype.missing(column.dtype.is_float), column, filler)

        return self._each(one)

    def cumcount(self, ascending: bool = True) -> Any:
        """The number of each row in its group, from 0."""
        return self._one_for_all(counted(self._groups.along(), ascending))

    def ngroup(self, ascending: bool = True) -> Any:
        """The number of each row's group, from 0."""
        if not self._groups.sort or any(key.dtype.categories is not None for key in self._groups.by):
            raise refused(f"{self._kind}.ngroup()", "only groups sorted by their keys have numbers on Spark")
        keys = [Key(key.name).column(backwards=not ascending) for key in self._groups.by]
        there = self._groups.there()
        parts = Window.partitionBy(F.lit(0) if there is None else there.column)
        number = F.dense_rank().over(parts.orderBy(*keys)).cast("bigint") - 1
        return self._one_for_all(self._groups.along().value(number, INT64))

    def _one_for_all(self, value: Value) -> Any:
        from predtrace.frontends.pandas.series import Series

        return Series._of(replace(self._groups.table, column_names=(None,)).with_columns([(None, value)]))

    def head(self, n: int = 5) -> Any:
        """The first rows of each group."""
        return self._numbered(lambda first, last: first <= n if n >= 0 else last > -n)

    def tail(self, n: int = 5) -> Any:
        """The last rows of each group."""
        return self._numbered(lambda first, last: last <= n if n >= 0 else first > -n)

    def nth(self, n: Any, dropna: Any = None) -> Any:
        """One row of each group by its number, or several."""
        only(f"{self._kind}.nth()", {"dropna": None}, {"dropna": dropna})
        wanted = n if isinstance(n, (list, tuple)) else [n]
        if not wanted or not all(isinstance(one, int) for one in wanted):
            raise refused(f"{self._kind}.nth({n!r})", "only numbers are known on Spark")

        def chosen(first: Any, last: Any) -> Any:
            found = F.lit(False)
            for one in wanted:
                found = found | (first == one + 1 if one >= 0 else last == -one)
            return found

        return self._numbered(chosen)

    def _numbered(self, condition: Callable[[Any, Any], Any]) -> Any:
        """The rows that a condition on their number in the group holds for, counted from both ends."""
        along = self._groups.along()
        space = self._groups.table.space
        numbers = [F.row_number().over(along.window(backwards)) for backwards in (False, True)]
        kept = F.coalesce(condition(*numbers), F.lit(False))
        if along.there is not None:
            kept = kept & along.there
        uses = along.value(kept, BOOL).uses
        return self._of(kept_rows(self._shown_table(), Value(space, kept, uses, BOOL, is_window=True)))

    def rolling(
        self, window: Any, min_periods: int | None = None, center: bool = False, **options: Any
    ) -> Around:
        """Some rows up to each, or around it; or those of some time up to each."""
        call = f"{self._kind}.rolling()"
        if is_time(window):
            only(call, {"center": False}, {"center": center})
            return self._in_time(call, window, min_periods, **options)
        only(call, {"win_type": None, "on": None, "closed": None}, options)
        return self._around(*rolling_bounds(window, min_periods, center))

    def expanding(self, min_periods: int = 1) -> Around:
        """All rows up to each."""
        return self._around(EVERYTHING_BEFORE, min_periods)

    def _around(self, bounds: tuple[int, int], least: int) -> Around:
        indexed = self._to_roll()
        along = indexed._groups.along()
        return Around(along, indexed._certain(), indexed._finish(along), bounds, least, self._is_series)

    def _in_time(
        self, call: str, window: Any, min_periods: int | None, on: Label = None, closed: str | None = None
    ) -> Around:
        bounds, least = time_bounds(call, window, min_periods, closed)
        indexed = self._to_roll()
        along, columns = indexed._groups.along(), indexed._certain()
        moment, name = moments_of(along.table, on)
        along = along_moments(along, moment, call, name)
        if on is None:
            return Around(along, columns, indexed._finish(along), bounds, least, self._is_series)
        if self._is_chosen or self._is_series:
            raise refused(call, "the columns were chosen before", f"choose them after rolling(on={on!r})")
        along.table = replace(along.table, index=(Level(on, moment),), is_unique=False)

        def finish(made: list[tuple[Label, Value]]) -> Any:
            raise refused(call, "the frame would have the moments as a column", "choose columns of it")

        around = Around(along, [one for one in columns if one[0] != on], finish, bounds, least)
        return AroundBeside(around, call, on, indexed._finish(along))

    def _to_roll(self: Same) -> Same:
        if not (self._groups.as_index and self._groups.sort) or any(
            key.dtype.categories is not None for key in self._groups.by
        ):
            raise refused(
                f"{self._kind}.rolling()",
                "the keys must become the index, sorted, and they cannot be categories",
            )
        return self._indexed()

    def _finish(self, along: Along) -> Callable[[list[tuple[Label, Value]]], Any]:
        return grouped_finish(along, [(key.label, key.value) for key in self._groups.keys], self._of)
