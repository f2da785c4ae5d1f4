"""The functions that Spark calls with a group's rows: thin wrappers around the user's own.

Each is made by a function here that has the user's function as an argument, so it is found in the closure. Those
that describe only say what the user's function gives: Spark must know the types before it runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.core.dtypes import Dtype
from predtrace.frontends.pandas.grouping.group_worker import (
    Function,
    GroupLayout,
    Shape,
    kind_of_aggregate,
    kind_of_values,
    outgoing,
    packed,
    same_value,
    shape_of,
)

Wrapper = Callable[[pd.DataFrame], pd.DataFrame]
Calls = Sequence[tuple[int, Any]]
"""Aggregates: the place of a column and a function or the name of one."""
Output = Sequence[tuple[str, Dtype]]
"""Columns for Spark: names and dtypes."""
Kept = Sequence[tuple[str, str]]
"""Columns of the group's own rows that come along: their names there and for Spark."""

_ELSEWHERE = 1_000_003
"""A number that a group's rows could as well be counted from."""


def _made(output: Output, columns: Sequence[Any]) -> dict[str, pd.Series]:
    return {name: outgoing(found, dtype) for (name, dtype), found in zip(output, columns, strict=True)}


def _first(rows: pd.DataFrame, kept: Kept, count: int) -> dict[str, pd.Series]:
    """Columns of the group's first row, as often as they are needed."""
    return {new: rows[old].iloc[[0] * count].reset_index(drop=True) for old, new in kept}


def _aggregates(layout: GroupLayout, rows: pd.DataFrame, group: pd.DataFrame, calls: Calls) -> list[Any]:
    found = []
    for place, function in calls:
        values = group.iloc[:, place]
        if isinstance(function, str):  # what pandas means by the name is about groups
            found.append(values.groupby(np.zeros(len(values), dtype=int)).agg(function).iloc[0])
        else:
            result = layout.called(function, rows, values, is_named=False)
            is_one = isinstance(result, (pd.Series, pd.Index)) and len(result) == 1
            found.append(
                result.array[0] if is_one else result
            )  # `mode` gives a series, which may have one value
    return found


def describing_aggregates(layout: GroupLayout, calls: Calls, tries_numbers: bool) -> Wrapper:
    """What functions of a group's columns give; and whether it stays the same for rows with other numbers."""

    def describe_group(rows: pd.DataFrame) -> pd.DataFrame:
        rows = layout.sorted(rows)
        values = _aggregates(layout, rows, layout.group(rows), calls)
        is_free = False
        if tries_numbers:
            again = _aggregates(layout, rows, layout.group(rows, _ELSEWHERE), calls)
            is_free = all(same_value(a, b) for a, b in zip(values, again, strict=True))
        kinds = [
            kind_of_aggregate(value, layout.columns[place].dtype, one if isinstance(one, str) else None)
            for value, (place, one) in zip(values, calls, strict=True)
        ]
        return packed(Shape("row", tuple((None, kind) for kind in kinds), is_free=is_free))

    return describe_group


def aggregating(layout: GroupLayout, calls: Calls, output: Output, kept: Kept) -> Wrapper:
    """One row for each group: what functions of its columns give."""

    def aggregate_group(rows: pd.DataFrame) -> pd.DataFrame:
        rows = layout.sorted(rows)
        values = _aggregates(layout, rows, layout.group(rows), calls)
        return pd.DataFrame({**_first(rows, kept, 1), **_made(output, [[value] for value in values])})

    return aggregate_group


def _transformed(layout: GroupLayout, rows: pd.DataFrame, function: Function) -> list[Any]:
    """What a function gives for each column of a group: as many values as rows, or one for all."""
    group = layout.group(rows)
    columns = [group] if layout.is_series else [group.iloc[:, place] for place in range(group.shape[1])]
    results = [layout.called(function, rows, column, is_named=layout.is_series) for column in columns]
    if not layout.is_series and all(pd.api.types.is_scalar(result) for result in results):
        together = pd.Series(results)  # pandas has them in one series, of one dtype
        return [pd.Series(one, index=group.index, dtype=together.dtype) for one in together]
    return [pd.Series(result, index=group.index) for result in results]


def describing_transform(layout: GroupLayout, function: Function) -> Wrapper:
    """What a function of a group's columns gives for their rows."""

    def describe_group(rows: pd.DataFrame) -> pd.DataFrame:
        found = _transformed(layout, layout.sorted(rows), function)
        return packed(Shape("rows", tuple((None, kind_of_values(values)) for values in found)))

    return describe_group


def transforming(layout: GroupLayout, function: Function, output: Output, kept: Kept, drops: bool) -> Wrapper:
    """A row for each row of a group, with what a function gives for its columns.

    `drops`: rows with a missing key are in no group, and there is nothing for them.
    """

    def transform_group(rows: pd.DataFrame) -> pd.DataFrame:
        rows = layout.sorted(rows)
        if drops and layout.in_no_group(rows):
            values: list[Any] = [pd.Series([None] * len(rows), dtype=object) for _ in output]
        else:
            values = _transformed(layout, rows, function)
        own = {new: rows[old] for old, new in kept}
        return pd.DataFrame({**own, **_made(output, [found.array for found in values])})

    return transform_group


def describing(layout: GroupLayout, function: Function, tries_numbers: bool) -> Wrapper:
    """What a function of a whole group gives; and whether it stays the same for rows with other numbers."""

    def describe_group(rows: pd.DataFrame) -> pd.DataFrame:
        rows = layout.sorted(rows)
        result = layout.called(function, rows, layout.group(rows))
        again = None
        if tries_numbers and not isinstance(result, pd.DataFrame):
            again = layout.called(function, rows, layout.group(rows, _ELSEWHERE))
        return packed(shape_of(result, layout.group(rows), again))

    return describe_group


def applying(
    layout: GroupLayout, function: Function, output: Output, kept: Kept, levels: int, one_row: bool
) -> Wrapper:
    """The rows that a function of a whole group gives: their number, then all other columns.

    `levels`: how many columns are of the index. `one_row`: a scalar or a series is one row.
    """

    def apply_to_group(rows: pd.DataFrame) -> pd.DataFrame:
        rows = layout.sorted(rows)
        result = layout.called(function, rows, layout.group(rows))
        columns = _columns(result, levels, one_row, len(output) - 1)
        count = len(columns[0])
        return pd.DataFrame({**_first(rows, kept, count), **_made(output, [np.arange(count), *columns])})

    return apply_to_group


def _columns(result: Any, levels: int, one_row: bool, count: int) -> list[Any]:
    if result is None:
        return [[None] if one_row else [] for _ in range(count)]
    if one_row:
        return [[value] for value in result] if isinstance(result, pd.Series) else [[result]]
    index = [pd.Series(result.index.get_level_values(place)).array for place in range(levels)]
    if isinstance(result, pd.Series):
        return [*index, result.array]
    return [*index, *(result.iloc[:, place].array for place in range(result.shape[1]))]


def alike(layout: GroupLayout, function: Function, output: Output, kept: Kept) -> Wrapper:
    """For a function that gives a group with its own index: the group's rows, with new columns."""

    def apply_to_rows(rows: pd.DataFrame) -> pd.DataFrame:
        rows = layout.sorted(rows)
        result = layout.called(function, rows, layout.group(rows))
        columns = _columns(result, 0, False, len(output))
        return pd.DataFrame({**{new: rows[old] for old, new in kept}, **_made(output, columns)})

    return apply_to_rows


def filtering(layout: GroupLayout, function: Function) -> Wrapper:
    """All rows of a group, or none, as a function says."""

    def keep_group(rows: pd.DataFrame) -> pd.DataFrame:
        ordered = layout.sorted(rows)
        answer = layout.called(function, ordered, layout.group(ordered))
        if not pd.api.types.is_scalar(answer):
            raise TypeError(f"filter function returned a {type(answer).__name__}, but expected a scalar bool")
        return rows if not pd.isna(answer) and bool(answer) else rows.iloc[:0]

    return keep_group
