"""The labels that become columns when rows do. They are values of the rows, so Spark is asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.categories import held
from predtrace.frontends.pandas.core.dtypes import Dtype, check_not_kept, kept_value
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import fresh
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Level, Table


@dataclass(frozen=True)
class Heading:
    """The labels of a column, level by level; how many rows have them; which of the table's columns have values."""

    labels: tuple[Any, ...]
    count: int
    there: tuple[bool, ...]


def headings_of(call: str, table: Table, moved: Sequence[Level], by_appearance: bool) -> list[Heading]:
    """The labels of some levels of an index, in their order, or as they come in the rows."""
    names, all_names = ([level.value.name for level in levels] for levels in (moved, table.levels()))
    times, place = fresh("times"), fresh("place")
    there = [fresh("there") for _ in table.columns]
    rows = table.rows()
    rows = rows.withColumn(place, F.row_number().over(table.window()) if by_appearance else F.lit(0))
    is_there = zip(there, (value.column.isNotNull() for _, value in table.columns), strict=True)
    rows = rows.select(*all_names, place, *(column.alias(name) for name, column in is_there))
    most = [F.max(name).alias(name) for name in there]
    rows = rows.groupBy(*all_names).agg(F.count(F.lit(1)).alias(times), F.min(place).alias(place), *most)
    found = rows.groupBy(*names).agg(F.max(times), F.min(place), F.count(F.lit(1)), *most).collect()
    headings = []
    for row in sorted(found, key=lambda row: row[len(names) + 1]):
        labels, (often, _, count), values = row[: len(names)], row[len(names) :][:3], row[len(names) + 3 :]
        if often > 1:
            raise ValueError("Index contains duplicate entries, cannot reshape")
        if None in labels:
            raise refused(call, "a column would have a missing label", "drop or fill the missing ones first")
        shown = tuple(label_of(a, level.value.dtype) for a, level in zip(labels, moved, strict=True))
        headings.append(Heading(shown, count, tuple(values)))
    if by_appearance:
        return headings
    return sorted(headings, key=lambda heading: _sorting(heading.labels, moved))


def label_of(label: Any, dtype: Dtype) -> Any:
    """A value of Spark as a label of pandas."""
    if dtype.categories is not None:
        return next(one for one in dtype.categories if held(one) == label)
    if dtype.is_whole_with_na:
        check_not_kept("labels of columns made of values", dtype)
    if dtype.is_period:
        return kept_value(label, dtype)
    return pd.Timestamp(label) if dtype.is_moment else label


def constant(label: Any, dtype: Dtype) -> Column:
    """A label of pandas as a constant of Spark."""
    return literal(held(label), dtype).cast(dtype.spark)


def _sorting(labels: tuple[Any, ...], levels: Sequence[Level]) -> tuple[Any, ...]:
    known = [level.value.dtype.categories or level.known for level in levels]
    return tuple(
        label if order is None else order.index(label) for label, order in zip(labels, known, strict=True)
    )
