"""What a column's dtype is after values were set in some of its rows, as pandas has it.

| column | values | column afterwards |
|---|---|---|
| whole numbers | whole numbers, or floats that all are whole | whole numbers |
| whole numbers | other floats, missing | floats |
| floats | numbers | floats |
| moments | moments, a text that names one | moments |
| a category | its categories | the same |
| any | missing | the same, but for whole numbers |
| new | whole numbers in some rows | floats |
| nothing but missing values | any | as if the column was new |

Anything else makes a column of mixed objects, which Spark cannot hold, and is refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import certain_values
from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64, Dtype
from predtrace.frontends.pandas.core.scalars import Scalar, value_in
from predtrace.frontends.pandas.core.spaces import Space, Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label


def set_in(label: Label, old: Value | None, new: Value, condition: Value | None) -> Value:
    """A column with new values where a condition is true, or everywhere."""
    if old is None:
        return new if condition is None else _only_there(new, condition)
    if old.dtype.is_integer:
        (old,) = certain_values([old])
    new = _understood(old.dtype, new)
    dtype = _settled_dtype(old, new, condition)
    if dtype is None:
        return _replaced(label, old, new, condition)
    value = _cast(new, dtype)
    if condition is None:
        return value
    column = F.when(condition.column, value.column).otherwise(_cast(old, dtype).column)
    return old.with_column(column, dtype, value, condition)


def _only_there(new: Value, condition: Value) -> Value:
    """A new column: missing in all other rows."""
    dtype = FLOAT64 if new.dtype.is_integer else new.dtype.missing()
    return new.with_column(F.when(condition.column, _cast(new, dtype).column), dtype, condition)


def _replaced(label: Label, old: Value, new: Value, condition: Value | None) -> Value:
    """A column that has no room for the new values: they replace all of it, or there were none."""
    if condition is None and old.dtype.name != "object":
        return new
    becomes_object = new.dtype.is_text or (
        new.dtype.is_bool and (old.dtype.is_float or old.dtype.name == "object")
    )
    if condition is not None and becomes_object:
        left = old.column.isNotNull() & ~condition.column
        if not old.space.rows(old.uses | condition.uses).where(left).take(1):
            return _only_there(new, condition)
    raise refused(
        f"setting {new.dtype.name} values in the column {label!r}",
        f"it has {old.dtype.name} values, and pandas would make a column of mixed objects",
        "set the whole column, as in df[column] = ..., or start it with values of the same type",
    )


def is_missing(value: Value) -> bool:
    """Whether a value is a constant that says missing."""
    return value.constant is not None and bool(pd.isna(value.constant))


def _understood(dtype: Dtype, new: Value) -> Value:
    """A text that names a moment or a span of time, as pandas reads it where it is set among such."""
    if isinstance(new.constant, str) and dtype.is_moment:
        return value_in(new.space, pd.Timestamp(new.constant))
    if isinstance(new.constant, str) and dtype.name == "timedelta64[ns]":
        return value_in(new.space, pd.Timedelta(new.constant))
    return new


def _settled_dtype(old: Value, new: Value, condition: Value | None) -> Dtype | None:
    """The dtype that holds the old values and the new ones; None if there is none."""
    mine, theirs = old.dtype, new.dtype
    may_miss = mine.may_miss or theirs.may_miss
    if is_missing(new):
        return FLOAT64 if mine.is_integer else mine.missing()
    if mine.categories is not None:
        return _category(mine, new)
    if mine.is_bool or theirs.is_bool:
        return BOOL.missing(may_miss) if mine.is_bool and theirs.is_bool else None
    if mine.is_float and theirs.is_number:
        return mine if mine.name == "float64" or theirs.name == mine.name else None
    if mine.is_integer and theirs.is_integer:
        return mine.missing(may_miss) if _has_room(mine, new) else None
    if mine.is_integer and theirs.is_float:
        return mine.missing(theirs.may_miss) if _all_whole(new, condition) else FLOAT64
    if (mine.is_text and theirs.is_text) or (mine.name == theirs.name and mine.spark == theirs.spark):
        return mine.missing(may_miss)
    return None


def _category(dtype: Dtype, new: Value) -> Dtype:
    if new.dtype.categories == dtype.categories:
        return dtype
    if dtype.categories is not None and isinstance(new.constant, str):
        if new.constant in dtype.categories:
            return dtype
        raise TypeError(
            f"Cannot setitem on a Categorical with a new category ({new.constant}), set the categories first"
        )
    raise refused("setting values of a category", "they may not all be among its categories")


def _has_room(dtype: Dtype, new: Value) -> bool:
    if dtype.name == new.dtype.name or dtype.name == "int64":
        return True
    bounds = np.iinfo(dtype.name)
    return new.constant is not None and bounds.min <= new.constant <= bounds.max


def _all_whole(new: Value, condition: Value | None) -> bool:
    """Whether all floats that are set are whole numbers, so that whole numbers can hold them."""
    if isinstance(new.constant, (float, np.floating)):
        return float(new.constant).is_integer()
    broken = new.column.isNull() | (new.column != F.floor(new.column))
    if condition is not None:
        broken = broken & condition.column
    uses = new.uses if condition is None else new.uses | condition.uses
    return not new.space.rows(uses).where(broken).take(1)


def _cast(value: Value, dtype: Dtype) -> Value:
    if value.dtype.spark == dtype.spark:
        return replace(value, dtype=dtype) if value.dtype != dtype else value
    return value.with_column(value.column.cast(dtype.spark), dtype)


def constant_in(space: Space, given: Any) -> Value:
    """A scalar as a value for each row, with what is known about it.

    A float that Spark works out is looked at: whether it is whole decides what column it makes.
    """
    value = value_in(space, given)
    if given is None:
        return replace(value, constant=float("nan"))
    if isinstance(given, Scalar) and given._dtype.is_float:
        return replace(value, constant=float(given))
    return value
