"""Questions to Spark about the values of columns, asked where pandas' own answer depends on them.

pandas decides by the values whether a column stays one of whole numbers, or whether a conversion is an error. Such a
question is one small aggregate; the rows themselves stay in Spark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.certain import certain_values, misses
from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.mixed import is_text
from predtrace.frontends.pandas.core.spaces import Value


def any_true(conditions: Sequence[Value]) -> list[bool]:
    """For each condition whether it is true in some row. All are of one space."""
    if not conditions:
        return []
    names = [f"fact_{place}" for place in range(len(conditions))]
    uses = frozenset[str]().union(*(condition.uses for condition in conditions))
    rows = (
        conditions[0]
        .space.rows(uses)
        .select(*(condition.column.alias(name) for condition, name in zip(conditions, names, strict=True)))
    )
    (answer,) = rows.agg(*(F.max(name).alias(name) for name in names)).collect()
    return [bool(answer[name]) for name in names]


def is_missing(value: Value) -> Value:
    """Where a value is missing."""
    return value.with_column(value.column.isNull(), BOOL)


def one_misses(value: Value) -> bool:
    """Whether a value is missing in some row."""
    if not value.dtype.may_miss:
        return False
    settled = value.space.settled(value, "checked")
    return misses([settled])[settled.name]


def texts_and_numbers(value: Value) -> tuple[bool, bool]:
    """Whether a text, and whether a number, is among objects that may be both: pandas looks at what is there."""
    text = value.with_column(F.coalesce(is_text(value), F.lit(False)), BOOL)
    number = value.with_column(F.coalesce(~is_text(value), F.lit(False)), BOOL)
    has_text, has_number = any_true([text, number])
    return has_text, has_number


def has_objects(value: Value) -> bool:
    """Whether these are booleans that pandas holds as objects: one of them is missing, or was."""
    return value.dtype.is_bool and (value.dtype.has_objects or one_misses(value))


def as_shown(values: Sequence[Value]) -> list[Value]:
    """The values with the dtypes that pandas has for them: whole numbers of which one is missing are floats.

    To be asked before missing values are filled or dropped: pandas does not go back to whole numbers after that.
    """
    wanted = [place for place, value in enumerate(values) if value.dtype.is_integer and value.dtype.may_miss]
    settled = [values[place].space.settled(values[place], "checked") for place in wanted]
    found = dict(zip(wanted, certain_values(settled), strict=True))
    return [found.get(place, value) for place, value in enumerate(values)]


def first_with(condition: Value, value: Value) -> Any:
    """A value of some row that meets a condition; None if there is no such row."""
    rows = value.space.rows(value.uses | condition.uses)
    found = rows.where(condition.column).select(value.column.alias("found")).take(1)
    return found[0]["found"] if found else None
