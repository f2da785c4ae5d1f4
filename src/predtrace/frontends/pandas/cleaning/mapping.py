"""Values looked up in a table: `Series.map` with a dict or a series."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.cleaning.membership import comparable
from predtrace.frontends.pandas.cleaning.replacing import matches
from predtrace.frontends.pandas.core.aligning import beside_by, check_unique
from predtrace.frontends.pandas.core.construction import known_dtype
from predtrace.frontends.pandas.core.elements import series_of
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Level

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series

_FEW = 100
"""Longer tables are joined: as constants they would make plans that nobody can read."""


def mapped_by_table(series: Held, mapping: Any) -> Series:
    """The value that a dict or a series has for each value of a series; missing where it has none."""
    from predtrace.frontends.pandas.series import Series

    one = series_of(series)
    if one._value.dtype.categories is not None:
        raise refused("Series.map() of a category", "whether the result is a category depends on the table")
    if isinstance(mapping, Held):
        return _joined(one, series_of(mapping))
    default = _default(mapping)
    table = mapping if isinstance(mapping, pd.Series) else _table(dict(mapping))
    if not table.index.is_unique:
        raise pd.errors.InvalidIndexError("Reindexing only valid with uniquely valued Index objects")
    if len(table) <= _FEW or default is not None:
        return one._made(_cased(one._value, table, default))
    return _joined(one, Series(table))


def _table(mapping: dict[Any, Any]) -> pd.Series:
    """The keys may be tuples, which are no levels here."""
    keys = pd.Index(list(mapping), tupleize_cols=False)
    return pd.Series(list(mapping.values()), index=keys, dtype=None if mapping else "float64")


def _default(mapping: Any) -> Callable[[], Any] | None:
    """What makes the value of a key that is not there, as in a defaultdict."""
    if not hasattr(type(mapping), "__missing__"):
        return None
    factory = getattr(mapping, "default_factory", None)
    if callable(factory):
        return factory  # type: ignore[no-any-return]
    raise refused("Series.map()", f"a {type(mapping).__name__} makes values by a method of its own")


def _cased(value: Value, table: pd.Series, default: Callable[[], Any] | None) -> Value:
    """By constants in the expression; missing, or the default, where no key is equal."""
    found = list(table.items())
    otherwise = None if default is None else default()
    news = table if default is None else pd.Series([*table, otherwise])
    dtype = known_dtype(news, "Series.map()").missing(default is None or bool(news.isna().any()))

    def constant(new: Any) -> Column:
        return literal(new, dtype).cast(dtype.spark)

    column: Column | None = None
    for key, new in found:
        where = matches(value, key)
        if where is not None:
            column = (
                F.when(where.column, constant(new))
                if column is None
                else column.when(where.column, constant(new))
            )
    last = constant(otherwise)
    made = value.with_column(last if column is None else column.otherwise(last), dtype)
    return replace(made, weight=made.weight + len(found))


def _joined(series: Series, mapping: Series) -> Series:
    """By a join of the values with the index of the other series."""
    table, other = series._table, mapping._table.indexed()
    levels = other.levels()
    if len(levels) > 1:
        raise refused("Series.map(series)", "its index has several levels")
    try:
        check_unique(other)
    except ValueError as problem:
        raise pd.errors.InvalidIndexError(
            "Reindexing only valid with uniquely valued Index objects"
        ) from problem
    value, theirs = table.columns[0][1], other.columns[0][1].dtype.missing()
    if not comparable(value.dtype, levels[0].value.dtype):
        return series._made(value.with_column(literal(None, theirs), theirs))
    wide, _, found = beside_by(table, (Level(None, value),), other)
    return series_of(series._of(replace(wide, columns=((series.name, found),))))
