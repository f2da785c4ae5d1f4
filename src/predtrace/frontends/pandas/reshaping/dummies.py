"""`get_dummies`: a column for each value, true where a row has it.

Which values there are, Spark is asked; the columns are comparisons, so no row is joined or grouped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import certain_values
from predtrace.frontends.pandas.core.dtypes import BOOL, Dtype, check_not_kept, dtype_named
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.reshaping.headings import constant, label_of

_CALL = "get_dummies()"


def get_dummies(
    data: Any,
    prefix: Any = None,
    prefix_sep: Any = "_",
    dummy_na: bool = False,
    columns: Any = None,
    sparse: bool = False,
    drop_first: bool = False,
    dtype: Any = None,
) -> Any:
    """A frame in which texts and categories, or the named columns, are a column for each of their values."""
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    only(_CALL, {"sparse": False}, {"sparse": sparse})
    kind = _dtype(dtype)
    if not isinstance(data, (DataFrame, Series)):
        data = DataFrame(data) if isinstance(data, pd.DataFrame) else Series(data)
    table: Table = data._table
    if isinstance(data, Series):
        (value,) = certain_values([value for _, value in table.columns])
        made = _dummies(table.space.settled(value, "dummy"), dummy_na, drop_first, kind)
        named = [(label if prefix is None else f"{prefix}{prefix_sep}{label}", one) for label, one in made]
        return DataFrame._of(replace(table, column_names=(None,)).with_columns(named))
    encoded = _encoded(table, columns)
    prefixes = _for_each(prefix, encoded, "prefix", encoded)
    separators = _for_each(prefix_sep, encoded, "prefix_sep", ["_"] * len(encoded))
    found = [(label, value) for label, value in table.columns if label not in encoded]
    values = certain_values([table.values(label)[0] for label in encoded])
    for value, start, between in zip(values, prefixes, separators, strict=True):
        made = _dummies(table.space.settled(value, "dummy"), dummy_na, drop_first, kind)
        found += [(f"{start}{between}{label}", one) for label, one in made]
    return DataFrame._of(table.with_columns(found))


def _dtype(given: Any) -> Dtype:
    if given is None:
        return BOOL
    found = dtype_named(given)
    if found is not None and found.name == "object":
        raise ValueError("dtype=object is not a valid dtype for get_dummies")
    if found is None or not found.is_number:
        raise refused(f"{_CALL} with dtype={given!r}", "Spark has no such numbers")
    return found.missing(False)


def _encoded(table: Table, columns: Any) -> list[Label]:
    if columns is None:
        return [
            label
            for label, value in table.columns
            if value.dtype.is_text
            or value.dtype.is_mixed
            or value.dtype.is_difference
            or value.dtype.categories
        ]
    if not pd.api.types.is_list_like(columns):
        raise TypeError("Input must be a list-like for parameter `columns`")
    absent = [label for label in columns if not table.values(label)]
    if absent:
        raise KeyError(f"{absent} not in index")
    return list(columns)


def _for_each(given: Any, encoded: Sequence[Label], name: str, default: Sequence[Any]) -> list[Any]:
    """A prefix or a separator for each column that is encoded."""
    if given is None:
        return list(default)
    if not isinstance(given, Mapping) and not isinstance(given, (list, tuple, pd.Index)):
        return [given] * len(encoded)
    if len(given) != len(encoded):
        raise ValueError(
            f"Length of '{name}' ({len(given)}) did not match the length of the columns being encoded "
            f"({len(encoded)})."
        )
    return [given[label] for label in encoded] if isinstance(given, Mapping) else list(given)


def _dummies(value: Value, dummy_na: bool, drop_first: bool, dtype: Dtype) -> list[tuple[Any, Value]]:
    """The values that a column has, each with where it is."""
    labels = _labels(value)
    found = [(label, _is(value, label)) for label in labels]
    if dummy_na:
        # With a label that is missing pandas has other ones: floats instead of whole numbers, NaT beside moments.
        kind = None if value.dtype.categories is not None else value.dtype.shown(False)
        shown = pd.Index(labels, dtype=kind).insert(len(labels), np.nan)
        is_there = [*(one for _, one in found), value.with_column(value.column.isNull(), BOOL)]
        found = list(zip(shown, is_there, strict=True))
    if drop_first:
        found = found[1:]
    if dtype.is_bool:
        return found
    return [(label, one.with_column(one.column.cast("int").cast(dtype.spark), dtype)) for label, one in found]


def _labels(value: Value) -> list[Any]:
    if value.dtype.is_mixed or value.dtype.is_difference:
        check_not_kept(_CALL, value.dtype)
    if value.dtype.categories is not None:
        return list(value.dtype.categories)
    rows = value.space.rows(value.uses).select(value.column).where(value.column.isNotNull()).distinct()
    return sorted(label_of(row[0], value.dtype) for row in rows.collect())


def _is(value: Value, label: Any) -> Value:
    equal = value.column == constant(label, value.dtype)
    return value.with_column(F.coalesce(equal, F.lit(False)) if value.dtype.may_miss else equal, BOOL)
