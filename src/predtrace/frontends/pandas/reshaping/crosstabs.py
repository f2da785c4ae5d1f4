"""`crosstab`: how often the values of some series come together with those of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.arithmetic import operate
from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar, one_row, value_in
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table
from predtrace.frontends.pandas.merging.concatenating import concat
from predtrace.frontends.pandas.reshaping.margins import check_labels, check_name, with_last_row, with_objects
from predtrace.frontends.pandas.reshaping.pivots import pivot_table

_CALL = "crosstab()"
_COUNTED = "value"


def crosstab(
    index: Any,
    columns: Any,
    values: Any = None,
    rownames: Any = None,
    colnames: Any = None,
    aggfunc: Any = None,
    margins: bool = False,
    margins_name: str = "All",
    dropna: bool = True,
    normalize: Any = False,
) -> Any:
    """A frame with the counts of all combinations, or with aggregates of values."""
    if values is None and aggfunc is not None:
        raise ValueError("aggfunc cannot be used without values.")
    if values is not None and aggfunc is None:
        raise ValueError("values cannot be used without an aggfunc.")
    if not dropna:
        raise refused(f"{_CALL} with dropna=False", "it is not made for Spark yet")
    rows, headings = _factors(index), _factors(columns)
    shown_rows, shown_headings = _names(rows, rownames, "row"), _names(headings, colnames, "col")
    keys = [f"row_{place}" for place in range(len(rows))]
    across = [f"col_{place}" for place in range(len(headings))]
    frame = _frame(dict(zip([*keys, *across], [*rows, *headings], strict=True)))
    frame[_COUNTED] = 0 if values is None else values
    way = _way(normalize)
    if way and margins and values is not None:
        raise refused(f"{_CALL} of values with normalize and margins", "it is not made for Spark yet")
    asked: dict[str, Any] = {"aggfunc": "count", "fill_value": 0} if values is None else {"aggfunc": aggfunc}
    found = pivot_table(
        frame,
        _COUNTED,
        keys,
        across,
        margins=margins and not way,
        margins_name=margins_name,
        observed=values is None,
        **asked,
    )
    table: Table = found._table
    if way:
        table = _normalized(table, way, margins_name if margins else None)
    levels = tuple(Level(label, level.value) for label, level in zip(shown_rows, table.levels(), strict=True))
    return found._of(replace(table, index=levels, column_names=tuple(shown_headings)))


def _factors(given: Any) -> list[Any]:
    """One factor or several."""
    is_nested = isinstance(given, (list, tuple)) and all(
        isinstance(one, Held) or pd.api.types.is_list_like(one) for one in given
    )
    return list(given) if is_nested and given else [given]


def _names(factors: Sequence[Any], names: Any, prefix: str) -> list[Label]:
    if names is not None:
        if len(names) != len(factors):
            raise AssertionError("arrays and names must have the same length")
        return list(names)
    found: list[Label] = []
    for place, factor in enumerate(factors):
        name = getattr(factor, "name", None)
        found.append(f"{prefix}_{place}" if name is None else name)
    return found


def _frame(factors: dict[str, Any]) -> Any:
    """The factors as columns of one frame: series by their indexes, lists by position."""
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    series = {
        label: Series(one) if isinstance(one, pd.Series) else one
        for label, one in factors.items()
        if isinstance(one, (Series, pd.Series))
    }
    if not series:
        return DataFrame(pd.DataFrame({label: np.asarray(one) for label, one in factors.items()}))
    frame = concat(list(series.values()), axis=1, join="inner", keys=list(series))
    for label, one in factors.items():
        if label not in series:
            frame[label] = one
    return frame


def _way(normalize: Any) -> str:
    """What counts are divided by: the total of `all`, of each row of the `index`, or of each of the `columns`."""
    if normalize is False:
        return ""
    known = {0: "index", 1: "columns", "all": "all", "index": "index", "columns": "columns"}
    if normalize is not True and normalize not in known:
        raise ValueError("Not a valid normalize argument")
    return "all" if normalize is True else known[normalize]


def _normalized(table: Table, way: str, total_name: str | None) -> Table:
    """The cells divided by their totals. `total_name`: with a column or a row of the totals' shares."""
    if total_name is not None:
        check_name(table, total_name, first=0)
    space = table.space
    cells = [value for _, value in table.columns]
    of_row = _sum(cells)
    totals = [_over_all(value) for value in cells]
    total = value_in(space, _over_all(of_row))
    divisors = {
        "index": [of_row] * len(cells),
        "columns": [value_in(space, one) for one in totals],
        "all": [total] * len(cells),
    }[way]
    columns = [(label, _share(a, b)) for (label, a), b in zip(table.columns, divisors, strict=True)]
    if total_name is not None and way != "index":
        columns.append((_total_label(table, total_name), _share(of_row, total)))
    shares = table.with_columns(columns)
    if total_name is None or way == "columns":
        return shares
    shares = with_objects(shares)
    check_labels(shares, total_name)
    return with_last_row(shares, _row_of_shares(shares, totals, way), total_name)


def _row_of_shares(shares: Table, totals: Sequence[Scalar], way: str) -> Table:
    space = one_row()
    values = [value_in(space, one) for one in totals]
    found = [_share(value, _sum(values)) for value in values]
    if way == "all":
        found.append(value_in(space, 1.0))
    row = Table(space, (), Positions(), (), column_names=shares.column_names)
    return row.with_columns(zip(shares.labels, found, strict=True))


def _total_label(table: Table, name: str) -> Label:
    count = len(table.column_names)
    return name if count == 1 else (name, *([""] * (count - 1)))


def _sum(cells: Sequence[Value]) -> Value:
    columns = [F.coalesce(value.column, F.lit(0)) for value in cells]
    return cells[0].with_column(
        reduce(lambda a, b: a + b, columns), cells[0].dtype.missing(False), *cells[1:]
    )


def _over_all(value: Value) -> Scalar:
    rows = value.space.rows(value.uses)
    dtype = INT64 if value.dtype.is_integer else FLOAT64
    return Scalar(rows.agg(F.coalesce(F.sum(value.column), F.lit(0)).cast(dtype.spark).alias("value")), dtype)


def _share(value: Value, total: Value) -> Value:
    """A part of a total; 0 where the total is."""
    quotient = operate("/", value, total)
    return quotient.with_column(F.coalesce(quotient.column, F.lit(0.0)), FLOAT64)
