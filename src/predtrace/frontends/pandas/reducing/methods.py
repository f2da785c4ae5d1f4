"""One value from many: `sum`, `mean`, `count`..., of a series, or of each column of a frame.

The aggregates themselves are in `aggregates.py`. What a series gives is a `Scalar`, which stays a query; what a frame
gives is a series with a line for each column (`core/stacked.py`), or with `axis=1` one for each row (`across.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import certain, is_numeric
from predtrace.frontends.pandas.core.facts import one_misses
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.stacked import stacked
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Positions, Table
from predtrace.frontends.pandas.reducing.across import across
from predtrace.frontends.pandas.reducing.aggregates import Cell, aggregate
from predtrace.frontends.pandas.reducing.aggregating import AggregatingFrame, AggregatingSeries
from predtrace.frontends.pandas.reducing.counting import CountingFrame, CountingSeries, unique, value_counts
from predtrace.frontends.pandas.reducing.describing import DescribingFrame, DescribingSeries
from predtrace.frontends.pandas.reducing.within import Within

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series

__all__ = ["ReducingFrame", "ReducingSeries", "unique", "value_counts"]

_Axis = int | str | None


class _Reductions(Held):
    """What series and frames have both. Missing values count as not there."""

    def _reduced(
        self, name: str, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False, **options: Any
    ) -> Any:
        raise NotImplementedError

    def sum(
        self, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False, min_count: int = 0
    ) -> Any:
        """The sum: 0 if nothing is there."""
        return self._reduced("sum", axis, skipna, numeric_only, min_count=min_count)

    def prod(
        self, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False, min_count: int = 0
    ) -> Any:
        """The product: 1 if nothing is there."""
        return self._reduced("prod", axis, skipna, numeric_only, min_count=min_count)

    product = prod

    def mean(self, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The mean."""
        return self._reduced("mean", axis, skipna, numeric_only)

    def median(self, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The value in the middle, or the mean of two."""
        return self._reduced("median", axis, skipna, numeric_only)

    def min(self, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The least value."""
        return self._reduced("min", axis, skipna, numeric_only)

    def max(self, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The greatest value."""
        return self._reduced("max", axis, skipna, numeric_only)

    def std(self, axis: _Axis = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The standard deviation."""
        return self._reduced("std", axis, skipna, numeric_only, ddof=ddof)

    def var(self, axis: _Axis = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The variance."""
        return self._reduced("var", axis, skipna, numeric_only, ddof=ddof)

    def sem(self, axis: _Axis = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The standard error of the mean."""
        return self._reduced("sem", axis, skipna, numeric_only, ddof=ddof)

    def skew(self, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The skewness."""
        return self._reduced("skew", axis, skipna, numeric_only)

    def kurt(self, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The kurtosis."""
        return self._reduced("kurt", axis, skipna, numeric_only)

    kurtosis = kurt

    def any(self, axis: _Axis = 0, bool_only: bool = False, skipna: bool = True) -> Any:
        """Whether one value is true."""
        return self._reduced("any", axis, skipna, bool_only)

    def all(self, axis: _Axis = 0, bool_only: bool = False, skipna: bool = True) -> Any:
        """Whether all values are true."""
        return self._reduced("all", axis, skipna, bool_only)

    def idxmax(self, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The index label of the greatest value, the first of those."""
        return self._reduced("idxmax", axis, skipna, numeric_only)

    def idxmin(self, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The index label of the least value, the first of those."""
        return self._reduced("idxmin", axis, skipna, numeric_only)


class ReducingSeries(_Reductions, AggregatingSeries, CountingSeries, DescribingSeries):
    """These methods of a Series."""

    def _reduced(
        self, name: str, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False, **options: Any
    ) -> Scalar:
        if axis not in (0, "index", None):
            raise ValueError(f"No axis named {axis} for object type Series")
        if self._raw.is_array:
            _check_array(name, self._raw.columns[0][1])
        table = certain(_with_labels(self._table, name))
        if numeric_only and not is_numeric(table.columns[0][1].dtype):
            raise TypeError(f"Series.{name} does not allow numeric_only=True with non-numeric dtypes")
        cell = _cell(name, table, table.columns[0][1], skipna, options)
        return Scalar(table.rows(*cell.uses).agg(cell.column.alias("value")), cell.dtype)

    def count(self) -> Scalar:
        """How many values are not missing."""
        return self._reduced("count")

    def nunique(self, dropna: bool = True) -> Scalar:
        """How many different values there are."""
        return self._reduced("nunique", dropna=dropna)

    def quantile(self, q: Any = 0.5, interpolation: str = "linear") -> Any:
        """The value that a part of the values is below of; for a list of parts, a series."""
        if interpolation != "linear":
            raise refused(f"Series.quantile(interpolation={interpolation!r})", "Spark interpolates lines")
        if isinstance(q, (int, float)):
            return self._reduced("quantile", q=q)
        series: Any = self
        made = ReducingFrame._of(replace(self._table, column_names=(None,)))._quantiles(q)
        return series._of(made._table)

    def argmax(self, axis: _Axis = None, skipna: bool = True) -> Scalar:
        """The position of the greatest value, the first of those."""
        found: Scalar = _numbered(self).idxmax(skipna=skipna)
        return found

    def argmin(self, axis: _Axis = None, skipna: bool = True) -> Scalar:
        """The position of the least value, the first of those."""
        found: Scalar = _numbered(self).idxmin(skipna=skipna)
        return found


def _check_array(name: str, value: Value) -> None:
    """An array of numpy has other methods than a series, and does not skip missing values."""
    if name not in ("sum", "prod", "mean", "min", "max", "any", "all") or one_misses(value):
        raise refused(f"{name}() of an array", "numpy has another result, or none", "make it a column first")


def _with_labels(table: Table, name: str) -> Table:
    """The table, with values in its index if an aggregate gives labels."""
    return table.settled().indexed() if name in ("idxmin", "idxmax") else table


def _numbered(series: Any) -> Any:
    return series._of(replace(series._table, index=Positions(), is_array=False))


class ReducingFrame(_Reductions, AggregatingFrame, CountingFrame, DescribingFrame):
    """These methods of a DataFrame."""

    def _reduced(
        self, name: str, axis: _Axis = 0, skipna: bool = True, numeric_only: bool = False, **options: Any
    ) -> Series:
        from predtrace.frontends.pandas.series import Series

        call = f"DataFrame.{name}()"
        if axis not in (0, 1, "index", "columns"):
            raise refused(f"DataFrame.{name}(axis={axis!r})", "only 0 and 1 are axes here")
        table = certain(_with_labels(self._table, name))
        if numeric_only:
            kept = tuple((label, value) for label, value in table.columns if _is_kept(name, value))
            table = replace(table, columns=kept)
        if axis in (1, "columns"):
            return Series._of(replace(table, columns=((None, across(table, name, skipna, options)),)))
        if not table.columns and name in ("any", "all"):
            raise refused(call, "the frame has no column")
        cells = [_cell(name, table, value, skipna, options) for _, value in table.columns]
        uses = {used for cell in cells for used in cell.uses}
        return Series._of(stacked(call, table.rows(*uses), table.labels, [(None, cells)], table.column_names))

    def count(self, axis: _Axis = 0, numeric_only: bool = False) -> Series:
        """How many values of each column are not missing."""
        return self._reduced("count", axis, numeric_only=numeric_only)

    def nunique(self, axis: _Axis = 0, dropna: bool = True) -> Series:
        """How many different values each column has."""
        return self._reduced("nunique", axis, dropna=dropna)

    def quantile(
        self, q: Any = 0.5, axis: _Axis = 0, numeric_only: bool = False, interpolation: str = "linear"
    ) -> Any:
        """The value that a part of each column's values is below of; for a list of parts, a line for each."""
        if interpolation != "linear" or axis not in (0, "index"):
            raise refused(f"DataFrame.quantile(axis={axis!r}, interpolation={interpolation!r})", "it is not")
        if isinstance(q, (int, float)):
            return self._reduced("quantile", 0, True, numeric_only, q=q)._named(float(q))
        return self._quantiles(q, numeric_only)

    def _quantiles(self, parts: Any, numeric_only: bool = False) -> Any:
        table = certain(self._table)
        chosen = [
            (label, value) for label, value in table.columns if not numeric_only or is_numeric(value.dtype)
        ]
        within = Within(table)
        columns: list[tuple[Label, list[Cell | None]]] = [
            (label, [aggregate("quantile", value, within, q=q) for q in parts]) for label, value in chosen
        ]
        made = stacked("quantile()", table.rows(), [float(q) for q in parts], columns)
        return self._of(replace(made, column_names=table.column_names))


def _is_kept(name: str, value: Value) -> bool:
    return value.dtype.is_bool if name in ("any", "all") else is_numeric(value.dtype)


def _cell(name: str, table: Table, value: Value, skipna: bool, options: dict[str, Any]) -> Cell:
    """An aggregate over all rows. Not to skip missing values: it is missing if one of them is."""
    cell = aggregate(name, value, Within(table), **options)
    if skipna or not value.dtype.may_miss:
        return cell
    if name in ("any", "all", "idxmin", "idxmax"):
        raise refused(f"{name}(skipna=False)", "it is not made for Spark yet")
    whole = F.when(F.count(value.column) == F.count(F.lit(1)), cell.column)
    return replace(cell, column=whole, dtype=cell.dtype.missing())
