"""`describe`, and how columns go together: `corr`, `corrwith`, `cov`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import certain, is_numeric
from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, SPAN
from predtrace.frontends.pandas.core.facts import one_misses
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.numbers import number, without_nan
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.stacked import stacked
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.reducing.aggregates import Cell, aggregate
from predtrace.frontends.pandas.reducing.counting import most_frequent
from predtrace.frontends.pandas.reducing.described import Described
from predtrace.frontends.pandas.reducing.within import Within

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


class DescribingSeries(Held):
    """These methods of a Series."""

    def describe(self, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
        """Count, mean, spread and quantiles of numbers; count and most frequent value of others."""
        return _described(certain(self._table), percentiles, self)

    def corr(self, other: Any, method: str = "pearson", min_periods: int | None = None) -> Scalar:
        """How two columns go together, from -1 to 1: their values, or with `spearman` their ranks."""
        only("Series.corr()", {"min_periods": None}, {"min_periods": min_periods})
        if method == "spearman":
            return _of_ranks(self, other)
        only("Series.corr()", {"method": "pearson"}, {"method": method})
        return _together(self, other, F.corr)

    def cov(self, other: Any, min_periods: int | None = None, ddof: int | None = 1) -> Scalar:
        """The covariance of two columns."""
        only("Series.cov()", {"min_periods": None, "ddof": 1}, {"min_periods": min_periods, "ddof": ddof})
        return _together(self, other, F.covar_samp)


class DescribingFrame(Held):
    """These methods of a DataFrame."""

    def describe(self, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
        """Count, mean, spread and quantiles of each column of numbers, or of the columns that are asked for."""
        table = certain(self._table)
        chosen = _chosen(table, include, exclude)
        if not chosen:
            raise ValueError("No objects to concatenate")
        return _described(replace(table, columns=tuple(chosen)), percentiles, self)

    def corr(self, method: str = "pearson", min_periods: int = 1, numeric_only: bool = False) -> DataFrame:
        """How each two columns go together, from -1 to 1: their values, or with `spearman` their ranks."""
        call = "DataFrame.corr()"
        only(call, {"min_periods": 1}, {"min_periods": min_periods})
        if method == "spearman":
            return _matrix(_ranked(self, numeric_only), "corr", F.corr, numeric_only)
        only(call, {"method": "pearson"}, {"method": method})
        return _matrix(self, "corr", F.corr, numeric_only)

    def corrwith(
        self,
        other: Any,
        axis: Any = 0,
        drop: bool = False,
        method: str = "pearson",
        numeric_only: bool = False,
    ) -> Series:
        """How each column goes together with a series, from -1 to 1."""
        from predtrace.frontends.pandas.series import Series

        call = "DataFrame.corrwith()"
        only(
            call,
            {"axis": 0, "drop": False, "method": "pearson"},
            {"axis": axis, "drop": drop, "method": method},
        )
        if not isinstance(other, Series):
            raise refused(call, "it is made for a series", "call it for each column")
        columns = _of_numbers(certain(self._table), numeric_only)
        labels = [label for label, _ in columns]
        wide: Any = self._of(replace(self._table, columns=tuple(columns)))
        wide._set(_OTHER, other)
        table = certain(wide._table)
        *values, theirs = (value for _, value in table.columns)
        cells: list[Cell | None] = [
            Cell(_pair(value, theirs, F.corr), FLOAT64, value.uses | theirs.uses) for value in values
        ]
        return Series._of(stacked(call, table.rows(), labels, [(None, cells)], table.column_names))

    def cov(
        self, min_periods: int | None = None, ddof: int | None = 1, numeric_only: bool = False
    ) -> DataFrame:
        """The covariance of each two columns."""
        only("DataFrame.cov()", {"min_periods": None, "ddof": 1}, {"min_periods": min_periods, "ddof": ddof})
        return _matrix(self, "cov", F.covar_samp, numeric_only)


_OTHER = ("the other",)
"""A label that no column has."""


def _chosen(table: Table, include: Any, exclude: Any) -> list[tuple[Label, Value]]:
    """The columns that are described: pandas says which, given their dtypes."""
    if isinstance(include, str) and include == "all":
        return list(table.columns)
    shown = [value.dtype.shown(value.dtype.is_bool and value.dtype.may_miss) for _, value in table.columns]
    empty = pd.DataFrame({place: pd.Series(dtype=dtype) for place, dtype in enumerate(shown)})
    if include is None and exclude is None:
        found = empty.select_dtypes(include=["number", "datetime"]).columns
        places = found if len(found) else empty.columns
    else:
        places = empty.select_dtypes(include=include, exclude=exclude).columns
    return [table.columns[place] for place in places]


def _described(table: Table, percentiles: Any, of: Any) -> Any:
    # pandas itself says what the lines are called.
    labels = list(pd.Series([0.0]).describe(percentiles=percentiles).index)
    parts = sorted({*([0.25, 0.5, 0.75] if percentiles is None else percentiles), 0.5})
    quantiles = dict(zip(labels[4:-1], parts, strict=True))
    columns = [(label, _cells(table, value, quantiles), value.dtype) for label, value in table.columns]
    lines: dict[str, None] = {}
    for _, cells, _ in sorted(columns, key=lambda column: len(column[1])):
        lines.update(dict.fromkeys(cells))
    rows = table.rows(*(name for _, cells, _ in columns for cell in cells.values() for name in cell.uses))
    is_series = of._kind == "Series"
    if not all(is_numeric(dtype) and "mean" in cells for _, cells, dtype in columns):
        return Described(rows, list(lines), columns, is_series)
    stacks: list[tuple[Label, list[Cell | None]]] = [
        (label, [_as_float(cells[line]) for line in lines]) for label, cells, _ in columns
    ]
    made = stacked(f"{of._kind}.describe()", rows, list(lines), stacks)
    return of._of(made if is_series else replace(made, column_names=table.column_names))


def _as_float(cell: Cell) -> Cell:
    return replace(cell, column=cell.column.cast("double"), dtype=FLOAT64)


def _cells(table: Table, value: Value, quantiles: dict[str, float]) -> dict[str, Cell]:
    within = Within(table)
    if value.dtype.name == SPAN.name:
        raise refused("describe() of spans of time", "Spark has no standard deviation of them")
    if value.dtype.is_bool or not (is_numeric(value.dtype) or value.dtype.is_moment):
        top, frequency = most_frequent(table, value)
        nothing: frozenset[str] = frozenset()
        return {
            "count": aggregate("count", value, within),
            "unique": aggregate("nunique", value, within),
            "top": Cell(top, value.dtype.missing(), nothing),
            "freq": Cell(frequency, INT64.missing(), nothing),
        }
    names = ["count", "mean", *([] if value.dtype.is_moment else ["std"]), "min"]
    found = {name: aggregate(name, value, within) for name in names}
    found |= {line: aggregate("quantile", value, within, q=q) for line, q in quantiles.items()}
    return {**found, "max": aggregate("max", value, within)}


def _together(one: Any, other: Any, function: Callable[[Column, Column], Column]) -> Scalar:
    table, mine, theirs, _ = one._with(other)
    left, right = (table.space.settled(value, "value") for value in (mine, theirs))
    if not (left.dtype.is_number and right.dtype.is_number):
        raise TypeError("could not convert string to float")
    rows = table.space.rows([left.name, right.name])
    return Scalar(rows.agg(_pair(left, right, function).alias("value")), FLOAT64)


def _of_ranks(one: Any, other: Any) -> Scalar:
    """How the ranks of two columns go together, of the rows in which both have a value."""
    from predtrace.frontends.pandas.frame import DataFrame

    table, mine, theirs, _ = one._with(other)
    pairs = table.with_columns([("mine", mine), ("theirs", theirs)])
    ranks: Any = DataFrame._of(pairs).dropna().rank()
    return _together(ranks["mine"], ranks["theirs"], F.corr)


def _ranked(frame: Any, numeric_only: bool) -> Any:
    columns = _of_numbers(certain(frame._table), numeric_only)
    if any(one_misses(value) for _, value in columns):
        why = "of each two columns only the rows in which both have a value are ranked"
        raise refused("DataFrame.corr(method='spearman') of missing values", why, "use dropna() before it")
    return frame.rank(numeric_only=numeric_only)


def _pair(left: Value, right: Value, function: Callable[[Column, Column], Column]) -> Column:
    one, two = (number(side.column, side.dtype).cast("double") for side in (left, right))
    return without_nan(function(one, two))


def _of_numbers(table: Table, numeric_only: bool) -> list[tuple[Label, Value]]:
    """The columns of numbers, which all must be unless only such are asked for."""
    columns = [
        (label, value) for label, value in table.columns if is_numeric(value.dtype) or not numeric_only
    ]
    if not all(is_numeric(value.dtype) for _, value in columns):
        raise ValueError("could not convert string to float")
    return columns


def _matrix(
    frame: Any, name: str, function: Callable[[Column, Column], Column], numeric_only: bool
) -> DataFrame:
    table = certain(frame._table)
    columns = _of_numbers(table, numeric_only)
    if not columns:
        raise refused(f"DataFrame.{name}()", "no column has numbers")
    stacks: list[tuple[Label, list[Cell | None]]] = [
        (label, [Cell(_pair(other, value, function), FLOAT64, value.uses) for _, other in columns])
        for label, value in columns
    ]
    labels = [label for label, _ in columns]
    made = stacked(f"DataFrame.{name}()", table.rows(), labels, stacks, table.column_names)
    found: DataFrame = frame._of(replace(made, column_names=table.column_names))
    return found
