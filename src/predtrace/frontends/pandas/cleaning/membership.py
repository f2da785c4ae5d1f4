"""Whether values are among others, or between two: `isin`, `between`.

A list of the program is a list of constants; a series is a subquery (`IN`), so what is found in it depends on its
rows. NaN in the list finds missing values; None does not, because a missing value here is NaN.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.cleaning.categorical import plain
from predtrace.frontends.pandas.core.dtypes import BOOL, Dtype
from predtrace.frontends.pandas.core.elements import changed, is_frame, is_listing, is_series, series_of
from predtrace.frontends.pandas.core.facts import one_misses
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar, literal
from predtrace.frontends.pandas.core.spaces import Value, fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


class MembershipFrame(Held):
    """These methods of a DataFrame."""

    def isin(self, values: Any) -> DataFrame:
        """Where the values are among others; with a dict, for each column by itself."""
        if is_frame(values) or is_series(values) or isinstance(values, (pd.DataFrame, pd.Series)):
            raise refused("DataFrame.isin(frame or series)", "rows are compared by the index there")
        _check(values, "DataFrame.isin()")
        given = values if isinstance(values, Mapping) else None
        return changed(  # type: ignore[no-any-return]
            self, lambda label, value: found_in(value, values if given is None else given.get(label, []))
        )


class MembershipSeries(Held):
    """These methods of a Series."""

    def isin(self, values: Any) -> Series:
        """Where the values are among others."""
        _check(values, "isin()")
        return series_of(changed(self, lambda _, value: found_in(value, values)))

    def between(self, left: Any, right: Any, inclusive: str = "both") -> Series:
        """Where the values are between two others."""
        signs = {"both": (">=", "<="), "left": (">=", "<"), "right": (">", "<="), "neither": (">", "<")}
        if inclusive not in signs:
            raise ValueError("Inclusive has to be either string of 'both','left', 'right', or 'neither'.")
        low, high = signs[inclusive]
        series = series_of(self)
        return series._operated(low, left) & series._operated(high, right)  # type: ignore[no-any-return]


def _check(values: Any, call: str) -> None:
    if not (is_listing(values) or is_series(values)):
        raise TypeError(
            f"only list-like objects are allowed to be passed to {call}, you passed a `{type(values).__name__}`"
        )


def found_in(value: Value, values: Any) -> Value:
    """Where a value is among others, of a series or of the program."""
    return among_rows(value, values._table) if is_series(values) else among(value, values)


def among(value: Value, values: Iterable[Any]) -> Value:
    """Where a value is one of those in a list."""
    value = plain(value)
    given = [one._known if isinstance(one, Scalar) else one for one in values]
    _check_kinds(value.dtype, given)
    if any(one is None for one in given) and value.dtype.has_none and one_misses(value):
        raise refused("isin() with None", "some values are None, and others may be NaN", "use isnull()")
    wanted = [fitted for one in given if (fitted := _fitted(one, value.dtype)) is not None]
    column: Column | None = None
    if wanted:
        column = value.column.isin(*(literal(one, value.dtype) for one in dict.fromkeys(wanted)))
        column = F.coalesce(column, F.lit(False)) if value.dtype.may_miss else column
    if value.dtype.may_miss and any(one is not None and _is_missing(one) for one in given):
        missing = value.column.isNull()
        column = missing if column is None else column | missing
    return value.with_column(F.lit(False) if column is None else column, BOOL)


def _check_kinds(dtype: Dtype, given: list[Any]) -> None:
    """Refuse what could be equal here in a way that is not known, such as intervals, or days among moments."""
    is_known = dtype.is_text or dtype.is_number or dtype.is_moment
    if not is_known or any(isinstance(one, pd.Interval) for one in given):
        raise refused(f"isin() of {dtype.name}", "only texts, numbers and moments are looked for")


def _is_missing(one: Any) -> bool:
    return bool(pd.api.types.is_scalar(one)) and bool(pd.isna(one))


def _fitted(one: Any, dtype: Dtype) -> Any:
    """A constant as values of this dtype are; None if no such value can be equal to it."""
    if _is_missing(one):
        return None
    if dtype.is_text:
        return one if isinstance(one, str) else None
    if dtype.is_moment:
        return _moment(one)
    if not dtype.is_number or not isinstance(one, (bool, int, float, np.bool_, np.number)):
        return None
    if dtype.is_float:
        return float(one)
    if not float(one).is_integer() or (dtype.is_bool and one not in (0, 1)):
        return None
    return bool(one) if dtype.is_bool else int(one)


def _moment(one: Any) -> pd.Timestamp | None:
    try:
        is_moment = isinstance(one, (str, datetime.datetime, np.datetime64))
        return pd.Timestamp(one) if is_moment else None
    except (ValueError, TypeError):
        return None


def among_rows(value: Value, other: Table) -> Value:
    """Where a value is one of those in a table's first column."""
    value, theirs = plain(value), plain(other.columns[0][1])
    if not comparable(value.dtype, theirs.dtype):
        return value.with_column(F.lit(False), BOOL)
    if (value.dtype.has_none or theirs.dtype.has_none) and one_misses(value) and one_misses(theirs):
        raise refused(
            "isin(series)", "some missing values are None, and others may be NaN", "drop them first"
        )
    name = fresh("listed")
    rows = other.space.rows(theirs.uses).select(theirs.column.alias(name))
    column = F.coalesce(value.column.isin(rows.where(F.col(name).isNotNull())), F.lit(False))
    if value.dtype.may_miss and theirs.dtype.may_miss:
        missing = rows.agg(F.coalesce(F.max(F.col(name).isNull()), F.lit(False)).alias("missing"))
        has_missing = value.space.value_beside(fresh("missing"), missing, BOOL)
        return value.with_column(column | (value.column.isNull() & has_missing.column), BOOL, has_missing)
    return value.with_column(column, BOOL)


def comparable(one: Dtype, other: Dtype) -> bool:
    """Whether values of both can be equal."""
    """Whether values of both can be equal."""
    if one.is_number and other.is_number:
        return one.is_bool == other.is_bool
    return (one.is_text and other.is_text) or (one.name == other.name and one.spark == other.spark)
