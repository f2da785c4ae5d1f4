"""Aggregates by group: a row for each group."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import is_numeric
from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, MOMENT, SPAN
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label
from predtrace.frontends.pandas.grouping.aggregate_specs import Spec, Specs, specs_of
from predtrace.frontends.pandas.grouping.grouped_counts import counted_values
from predtrace.frontends.pandas.grouping.grouped_functions import aggregated_by_functions
from predtrace.frontends.pandas.grouping.grouped_state import Grouped, check_once
from predtrace.frontends.pandas.reducing.aggregates import Cell, aggregate, named


class GroupedAggregates(Grouped):
    """These methods of groups."""

    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        """One aggregate of each column, or several: by name, by function, or both."""
        if isinstance(func, str):
            return getattr(self, func)(*args, **kwargs)
        specs = specs_of(self._kind, func, [label for label, _ in self._columns], kwargs)
        options = kwargs if func is not None else {}
        names = [named(spec.function) for spec in specs.listed]
        if args or None in names:
            return aggregated_by_functions(self, specs, args, options)
        here = self._indexed() if {"idxmin", "idxmax"} & set(names) else self
        return here._aggregated(specs, dict(here._certain_of(specs)), options)

    aggregate = agg

    def _certain_of(self, specs: Specs) -> list[tuple[Label, Any]]:
        """The values of the columns that are aggregated. Any column of the frame may be."""
        wanted = list(dict.fromkeys(spec.column for spec in specs.listed))
        table = self._groups.table
        check_once(self._kind, wanted, table.labels)
        found = {**dict(table.columns), **dict(self._columns)}
        missing = [label for label in wanted if label not in found]
        if missing:
            raise KeyError(f"Column(s) {missing} do not exist")
        return type(self)(self._groups, tuple((label, found[label]) for label in wanted))._certain()

    def _aggregated(self, specs: Specs, values: dict[Label, Any], options: dict[str, Any]) -> Any:
        cells = []
        for spec in specs.listed:
            name = named(spec.function)
            assert name is not None
            if name in ("idxmin", "idxmax") or (name == "sum" and values[spec.column].dtype.is_text):
                self._groups.check_rows(f"{self._kind}.{name}()")
            cells.append((spec.label, aggregate(name, values[spec.column], self._groups.within, **options)))
        return self._put_together(specs, self._groups.collapsed(cells, specs.column_names))

    def _put_together(self, specs: Specs, table: Any) -> Any:
        if specs.is_plain:
            names = (None,) if self._is_series else self._groups.table.column_names
            return self._collapsed(replace(table, column_names=names))
        return self._of_frame(table)

    def _reduced(self, name: str, numeric_only: bool = False, **options: Any) -> Any:
        here = self._indexed() if name in ("idxmin", "idxmax") else self
        columns = here._certain(numeric_only)
        listed = [Spec(label, label, name) for label, _ in columns]
        return here._aggregated(Specs(listed, (None,), is_plain=True), dict(columns), options)

    def sum(self, numeric_only: bool = False, min_count: int = 0) -> Any:
        """The sums: 0 where nothing is there."""
        return self._reduced("sum", numeric_only, min_count=min_count)

    def prod(self, numeric_only: bool = False, min_count: int = 0) -> Any:
        """The products: 1 where nothing is there."""
        return self._reduced("prod", numeric_only, min_count=min_count)

    def mean(self, numeric_only: bool = False) -> Any:
        """The means."""
        return self._reduced("mean", numeric_only)

    def median(self, numeric_only: bool = False) -> Any:
        """The values in the middle."""
        return self._reduced("median", numeric_only)

    def min(self, numeric_only: bool = False, min_count: int = -1) -> Any:
        """The least values."""
        only(f"{self._kind}.min()", {"min_count": -1}, {"min_count": min_count})
        return self._reduced("min", numeric_only)

    def max(self, numeric_only: bool = False, min_count: int = -1) -> Any:
        """The greatest values."""
        only(f"{self._kind}.max()", {"min_count": -1}, {"min_count": min_count})
        return self._reduced("max", numeric_only)

    def first(self, numeric_only: bool = False, min_count: int = -1, skipna: bool = True) -> Any:
        """The first values that are not missing."""
        only(f"{self._kind}.first()", _SKIPS, {"min_count": min_count, "skipna": skipna})
        return self._reduced("first", numeric_only)

    def last(self, numeric_only: bool = False, min_count: int = -1, skipna: bool = True) -> Any:
        """The last values that are not missing."""
        only(f"{self._kind}.last()", _SKIPS, {"min_count": min_count, "skipna": skipna})
        return self._reduced("last", numeric_only)

    def std(self, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The standard deviations."""
        return self._reduced("std", numeric_only, ddof=ddof)

    def var(self, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The variances."""
        return self._reduced("var", numeric_only, ddof=ddof)

    def sem(self, ddof: int = 1, numeric_only: bool = False) -> Any:
        """The standard errors of the means."""
        return self._reduced("sem", numeric_only, ddof=ddof)

    def skew(self, numeric_only: bool = False) -> Any:
        """The skewness."""
        return self._reduced("skew", numeric_only)

    def any(self, skipna: bool = True) -> Any:
        """Whether one value is true."""
        only(f"{self._kind}.any()", _SKIPS, {"skipna": skipna})
        return self._reduced("any")

    def all(self, skipna: bool = True) -> Any:
        """Whether all values are true."""
        only(f"{self._kind}.all()", _SKIPS, {"skipna": skipna})
        return self._reduced("all")

    def count(self) -> Any:
        """How many values are not missing."""
        return self._reduced("count")

    def nunique(self, dropna: bool = True) -> Any:
        """How many different values there are."""
        return self._reduced("nunique", dropna=dropna)

    def idxmax(self, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The index labels of the greatest values, the first of those."""
        only(f"{self._kind}.idxmax()", _SKIPS, {"skipna": skipna})
        return self._reduced("idxmax", numeric_only)

    def idxmin(self, skipna: bool = True, numeric_only: bool = False) -> Any:
        """The index labels of the least values, the first of those."""
        only(f"{self._kind}.idxmin()", _SKIPS, {"skipna": skipna})
        return self._reduced("idxmin", numeric_only)

    def quantile(self, q: Any = 0.5, interpolation: str = "linear", numeric_only: bool = False) -> Any:
        """The values that a part of the others is below of."""
        only(f"{self._kind}.quantile()", {"interpolation": "linear"}, {"interpolation": interpolation})
        if isinstance(q, (int, float)):
            return self._reduced("quantile", numeric_only, q=q)
        if not self._is_series or self._groups.bins is not None:
            raise refused(
                f"{self._kind}.quantile({q!r})", "several parts are known of one column by keys alone"
            )
        ((label, value),) = self._certain(numeric_only)
        parts = [(float(one), aggregate("quantile", value, self._groups.within, q=one)) for one in q]
        return self._of_frame(self._groups.collapsed(parts)).stack(future_stack=True)._named(label)

    def size(self) -> Any:
        """The numbers of rows."""
        from predtrace.frontends.pandas.series import Series

        label: Label = self._columns[0][0] if self._is_series else None
        if not self._groups.as_index:
            label = "size"
        cell = Cell(F.count(F.lit(1)), INT64, frozenset(), 0)
        keys = tuple(replace(key, is_column=True) for key in self._groups.keys)
        table = replace(self._groups, keys=keys).collapsed([(label, cell)])
        return Series._of(table) if self._groups.as_index else self._of_frame(table)

    def value_counts(
        self, normalize: bool = False, sort: bool = True, ascending: bool = False, dropna: bool = True
    ) -> Any:
        """How often each value is there in each group."""
        return counted_values(self, normalize, sort, ascending, dropna)

    def describe(self, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
        """Count, mean, spread and quantiles of each column of numbers."""
        only(f"{self._kind}.describe()", _ALL, {"include": include, "exclude": exclude})
        lines = list(pd.Series([0.0]).describe(percentiles=percentiles).index)
        parts = sorted({*([0.25, 0.5, 0.75] if percentiles is None else percentiles), 0.5})
        quantiles = dict(zip(lines[4:-1], parts, strict=True))
        found = self._certain()
        columns = [
            (label, value) for label, value in found if is_numeric(value.dtype) and not value.dtype.is_bool
        ]
        if not columns or any(value.dtype.name in (MOMENT.name, SPAN.name) for _, value in found):
            raise refused(f"{self._kind}.describe() of what are no numbers", "it has values of several types")
        cells: list[tuple[Label, Cell]] = []
        for label, value in columns:
            for line in lines:
                name, options = ("quantile", {"q": quantiles[line]}) if line in quantiles else (line, {})
                cell = aggregate(name, value, self._groups.within, **options)
                nothing = 0.0 if line == "count" else None
                cell = replace(cell, column=cell.column.cast("double"), dtype=FLOAT64, nothing=nothing)
                cells.append((line if self._is_series else (label, line), cell))
        names: tuple[Label, ...] = (None,) if self._is_series else (None, None)
        return self._of_frame(self._groups.collapsed(cells, names))


_ALL = {"include": None, "exclude": None}
_SKIPS = {"min_count": -1, "skipna": True}
