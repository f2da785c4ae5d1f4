"""`rolling` and `expanding`: aggregates of the rows around each row.

| | |
|---|---|
| values | floats, always; missing where fewer than `min_periods` values are there |
| `count` | of values; `min_periods` counts rows |
| by group | the keys come before the index, and the groups one after the other |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pandas.errors import DataError
from pyspark.sql import Column, WindowSpec
from pyspark.sql import Window as Windows
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import is_numeric
from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64
from predtrace.frontends.pandas.core.numbers import number, without_nan
from predtrace.frontends.pandas.core.spaces import Key, Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Level, Table
from predtrace.frontends.pandas.moving.along import Along
from predtrace.frontends.pandas.moving.window_functions import WindowFunction

_Column = tuple[Label, Value]


class Around:
    """The rows around each row. `finish` makes a series or a frame of new columns. `is_one`: it makes a series."""

    def __init__(
        self,
        along: Along,
        columns: list[_Column],
        finish: Callable[[list[_Column]], Any],
        bounds: tuple[int, int],
        min_periods: int,
        is_one: bool = False,
    ) -> None:
        self._along = along
        self._columns = columns
        self._finish = finish
        self._bounds = bounds
        self._least = min_periods
        self._is_one = is_one

    def sum(self, numeric_only: bool = False) -> Any:
        """The sums."""
        return self._each(numeric_only, self._sum)

    def mean(self, numeric_only: bool = False) -> Any:
        """The means."""
        return self._each(numeric_only, lambda column, rows: F.avg(column).over(rows))

    def min(self, numeric_only: bool = False) -> Any:
        """The least values."""
        return self._each(numeric_only, lambda column, rows: F.min(column).over(rows))

    def max(self, numeric_only: bool = False) -> Any:
        """The greatest values."""
        return self._each(numeric_only, lambda column, rows: F.max(column).over(rows))

    def std(self, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The standard deviations."""
        function = F.stddev_samp if _sample(ddof) else F.stddev_pop
        return self._each(numeric_only, lambda column, rows: function(column).over(rows))

    def var(self, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The variances."""
        function = F.var_samp if _sample(ddof) else F.var_pop
        return self._each(numeric_only, lambda column, rows: function(column).over(rows))

    def median(self, numeric_only: bool = False) -> Any:
        """The values in the middle."""
        return self._each(numeric_only, self._median)

    def count(self, numeric_only: bool = False) -> Any:
        """How many values there are. For this one, `min_periods` counts rows."""
        rows = self._rows()
        enough = F.count(F.lit(1)).over(rows) >= self._least
        found = []
        for label, value in self._columns:
            if is_numeric(value.dtype) or not numeric_only:
                counted = F.when(enough, F.count(value.column).over(rows)).cast("double")
                found.append((label, self._along.value(counted, FLOAT64, value)))
        return self._finish(found)

    def agg(self, func: Any) -> Any:
        """One of these by its name, or several of one column."""
        from predtrace.frontends.pandas.merging.concatenating import concat
        from predtrace.frontends.pandas.reducing.aggregates import name_of, named

        if callable(func) and named(func) is None:
            return self.apply(func)
        if isinstance(func, list) and func and self._is_one:
            return concat([self.agg(one) for one in func], axis=1, keys=[name_of(one) for one in func])
        if isinstance(func, dict) and func and not self._is_one:
            names = list(func)
            return concat([self[label].agg(func[label]) for label in names], axis=1, keys=names)
        name = named(func) if not isinstance(func, (list, dict)) else None
        if name not in ("sum", "mean", "min", "max", "std", "var", "median", "count"):
            raise refused(
                "rolling().agg()", "only names of aggregates are known on Spark, several for one column"
            )
        return getattr(self, name)()

    aggregate = agg

    def apply(
        self,
        func: Any,
        raw: bool = False,
        engine: Any = None,
        engine_kwargs: Any = None,
        args: Any = None,
        kwargs: Any = None,
    ) -> Any:
        """What a function gives for the values around each row."""
        if not callable(func):
            raise TypeError(f"{type(func).__name__!r} object is not callable")
        only(
            "rolling().apply()",
            {"engine": None, "engine_kwargs": None},
            {"engine": engine, "engine_kwargs": engine_kwargs},
        )
        return self._each_value(False, WindowFunction(func, raw, args, kwargs).value)

    def __getitem__(self, key: Any) -> Around:
        return self._choose(key, self._finish)

    def _choose(self, key: Any, finish_all: Callable[[list[_Column]], Any]) -> Around:
        labels = key if isinstance(key, list) else [key]
        chosen = [column for label in labels for column in self._columns if column[0] == label]
        if len(chosen) != len(labels):
            raise KeyError(f"Columns not found: {key!r}")
        finish = finish_all
        if not isinstance(key, list):

            def finish(columns: list[_Column]) -> Any:
                return finish_all(columns)._one(key)

        return Around(self._along, chosen, finish, self._bounds, self._least, not isinstance(key, list))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if any(label == name for label, _ in self._columns):
            return self[name]
        raise refused(f"rolling().{name}", "it is not made for Spark yet")

    def _rows(self) -> WindowSpec:
        return self._along.around(*self._bounds)

    def _each(self, numeric_only: bool, function: Callable[[Column, WindowSpec], Column]) -> Any:
        def made(along: Along, value: Value, column: Column, rows: WindowSpec, enough: Column) -> Value:
            return along.value(F.when(enough, without_nan(function(column, rows))), FLOAT64, value)

        return self._each_value(numeric_only, made)

    def _each_value(
        self, numeric_only: bool, function: Callable[[Along, Value, Column, WindowSpec, Column], Value]
    ) -> Any:
        rows = self._rows()
        found = []
        for label, value in self._columns:
            if not is_numeric(value.dtype):
                if numeric_only:
                    continue
                raise DataError(f"Cannot aggregate non-numeric type: {value.dtype.name}")
            column = number(value.column, value.dtype).cast("double")
            if value.dtype.is_float:  # pandas takes infinite numbers for missing ones here
                column = F.when(F.abs(column) < float("inf"), column)
            enough = F.count(column).over(rows) >= self._least
            found.append((label, function(self._along, value, column, rows, enough)))
        return self._finish(found)

    def _sum(self, column: Column, rows: WindowSpec) -> Column:
        return F.coalesce(F.sum(column).over(rows), F.lit(0.0))

    def _median(self, column: Column, rows: WindowSpec) -> Column:
        there = F.array_sort(F.collect_list(column).over(rows))
        count = F.size(there)
        middle = [F.call_function("div", n, F.lit(2)).cast("int") for n in (count - 1, count)]
        return F.when(count > 0, (F.get(there, middle[0]) + F.get(there, middle[1])) / 2)


def _sample(ddof: int) -> bool:
    if ddof not in (0, 1):
        raise refused(f"rolling().std(ddof={ddof})", "Spark divides by n or by n - 1")
    return ddof == 1


def rolling_bounds(window: Any, min_periods: int | None, center: bool) -> tuple[tuple[int, int], int]:
    """The first and the last row of a window, from the row it is of, and how many values it must have."""
    if not isinstance(window, int):
        raise refused(f"rolling({window!r})", "only a number of rows or some time is known on Spark")
    if window < 1:
        raise refused(f"rolling({window})", "an empty window has no rows")
    after = (window - 1) // 2 if center else 0
    least = window if min_periods is None else min_periods
    if least > window:
        raise ValueError(f"min_periods {least} must be <= window {window}")
    return (after - window + 1, after), least


EVERYTHING_BEFORE = (Windows.unboundedPreceding, Windows.currentRow)


def grouped_finish(
    along: Along, keys: list[tuple[Label, Value]], finish: Callable[[Table], Any]
) -> Callable[[list[_Column]], Any]:
    """How the result by group is put together: the keys before the index, group after group."""

    def made(columns: list[_Column]) -> Any:
        table = along.table.with_columns(columns)
        levels = tuple(Level(label, value) for label, value in keys)
        order = (*(Key(value.name) for _, value in keys), *table.order)
        table = replace(table, index=(*levels, *table.levels()), order=order, is_unique=False)
        if along.there is not None:
            uses = frozenset[str]().union(*(value.uses for _, value in keys))
            table = table.kept(Value(table.space, along.there, uses, BOOL))
        return finish(table)

    return made
