"""`pivot` and `pivot_table`: the values of a column as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, dtype_of_scalar
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import literal
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Table
from predtrace.frontends.pandas.merging.concatenating import concat
from predtrace.frontends.pandas.reducing.aggregates import name_of
from predtrace.frontends.pandas.reshaping.margins import with_margins
from predtrace.frontends.pandas.reshaping.melting import one_dtype
from predtrace.frontends.pandas.reshaping.spreading import Filling, spread
from predtrace.frontends.pandas.reshaping.stacking import transposed

NOT_GIVEN: Any = object()
_PIVOT = "DataFrame.pivot()"
_TABLE = "pivot_table()"


def pivot(data: Any, *, columns: Any, index: Any = NOT_GIVEN, values: Any = NOT_GIVEN) -> Any:
    """A frame with a column for each value of a column. No cell may have two values."""
    if index is NOT_GIVEN:
        data = data._of(data._table.indexed())
    table: Table = data._table
    headings = [_level(data, label) for label in listed(columns)]
    own = list(table.levels()) if index is NOT_GIVEN else [_level(data, label) for label in listed(index)]
    used = [level.label for level in headings] + ([] if index is NOT_GIVEN else listed(index))
    is_list = isinstance(values, (list, pd.Index))
    if values is NOT_GIVEN:
        chosen = [(label, value) for label, value in table.columns if label not in used]
    else:
        chosen = [(label, data._one(label)._value) for label in (list(values) if is_list else [values])]
    if is_list:
        dtype = one_dtype(_PIVOT, [value.dtype for _, value in chosen])
        chosen = [
            (label, value.with_column(value.column.cast(dtype.spark), dtype)) for label, value in chosen
        ]
    long = replace(table, index=(*own, *headings), is_unique=False).with_columns(chosen)
    if is_list:
        long = replace(long, column_names=(None,))
    is_one = values is not NOT_GIVEN and not is_list
    places = range(len(own), len(own) + len(headings))
    wide = spread(_PIVOT, long, places, is_series=is_one, by_appearance=len(headings) > 1)
    return data._of(wide)


def _level(data: Any, label: Label) -> Level:
    return Level(label, data._one(label)._value)


def listed(labels: Any) -> list[Label]:
    """One label or several."""
    if labels is None:
        return []
    return list(labels) if isinstance(labels, (list, tuple, pd.Index)) else [labels]


def pivot_table(
    data: Any,
    values: Any = None,
    index: Any = None,
    columns: Any = None,
    aggfunc: Any = "mean",
    fill_value: Any = None,
    margins: bool = False,
    dropna: bool = True,
    margins_name: str = "All",
    observed: Any = NOT_GIVEN,
    sort: bool = True,
) -> Any:
    """Aggregates of groups, with some of the groups' keys as columns."""
    if not dropna or not sort:
        raise refused(
            f"{_TABLE} with {'dropna=False' if not dropna else 'sort=False'}", "it is not made for Spark yet"
        )
    rows, headings = _keys(index), _keys(columns)
    if not rows and not headings:
        raise ValueError("No group keys passed!")
    chosen = _values(data, values, [*rows, *headings])
    is_one = values is not None and not pd.api.types.is_list_like(values)
    options: dict[str, Any] = {
        "fill_value": fill_value,
        "observed": False if observed is NOT_GIVEN else observed,
    }
    if margins:
        options |= {"margins": True, "margins_name": margins_name}
    if isinstance(aggfunc, list):
        is_plain = bool(rows) and not margins
        together = _together(data, chosen, rows, headings, aggfunc, options) if is_plain else None
        if together is None:
            pieces = [pivot_table(data, values, rows, headings, one, **options) for one in aggfunc]
            return concat(pieces, axis=1, keys=[name_of(one) for one in aggfunc])
        return data._of(_without_values(together, at=1) if is_one else together)
    if margins and (isinstance(aggfunc, dict) or not rows):
        raise refused(f"{_TABLE} with margins", "only for one aggregate, and with an index")
    grouped = _grouped(data, chosen, rows, headings, options)
    agged = grouped.size() if aggfunc == "size" else grouped.agg(aggfunc)
    if agged._kind == "Series" and not headings:
        return agged
    found = _table_of(agged._table, agged._kind == "Series", len(rows), headings, fill_value, margins)
    if margins and found.columns:
        found = with_margins(found, data, chosen, rows, headings, aggfunc, fill_value, margins_name)
        found = without_empty(found)
    return data._of(_without_values(found, at=0) if is_one and rows else found)


def _grouped(data: Any, values: Any, rows: Any, headings: Any, options: dict[str, Any]) -> Any:
    keys = [*rows, *headings]
    return data[[*keys, *values]].groupby(keys, observed=options["observed"])


def _together(
    data: Any, values: Any, rows: Any, headings: Any, functions: list[Any], options: dict[str, Any]
) -> Table | None:
    """The table of several aggregates, worked out at once; None if they have values for different groups.

    (pandas puts a table of each side by side, so rows that the first one lacks come last.)
    """
    agged = _grouped(data, values, rows, headings, options).agg(dict.fromkeys(values, functions))
    count = len(functions)
    names = [name_of(one) for one in functions]
    columns: list[tuple[Any, Value]] = list(agged._table.columns)
    each = [[value for _, value in columns[place::count]] for place in range(count)]
    if any(_lacks_groups(agged._table, group) for group in each):
        return None
    placed = [(place % count, label[0], value) for place, (label, value) in enumerate(columns)]
    placed.sort(key=lambda one: one[:2])
    found = tuple(((names[place], label), value) for place, label, value in placed)
    table = replace(agged._table, columns=found, column_names=(None, None))
    return _shaped(table, False, len(rows), headings, options["fill_value"])


def _lacks_groups(table: Table, values: list[Value]) -> bool:
    """Whether some group has none of these values. Asks Spark."""
    if any(not value.dtype.may_miss for value in values):
        return False
    lacks = reduce(lambda a, b: a & b, [value.column.isNull() for value in values])
    return bool(table.rows().where(lacks).take(1))


def _keys(given: Any) -> list[Label]:
    keys = listed(given)
    for key in keys:
        if isinstance(key, (Held, pd.Grouper, pd.Series)) or callable(key):
            raise refused(
                f"{_TABLE} by a {type(key).__name__}", "only columns can be keys", "make it a column"
            )
    return keys


def _values(data: Any, values: Any, keys: Sequence[Label]) -> list[Label]:
    if values is None:
        return [label for label in data._table.labels if label not in keys]
    chosen = list(values) if pd.api.types.is_list_like(values) else [values]
    for label in chosen:
        if label not in data:
            raise KeyError(label)
    return chosen


def _table_of(
    table: Table,
    is_series: bool,
    rows: int,
    headings: Sequence[Label],
    fill_value: Any,
    with_empty: bool,
) -> Table:
    """The aggregates of groups as a pivot table. `rows`: how many keys stay rows."""
    if not is_series:
        table = _there(table)
        columns: list[tuple[Any, Value]] = list(table.columns)
        columns.sort(key=lambda one: one[0])
        table = replace(table, columns=tuple(columns))
    return _shaped(table, is_series, rows, headings, fill_value, with_empty)


def _shaped(
    table: Table,
    is_series: bool,
    rows: int,
    headings: Sequence[Label],
    fill_value: Any,
    with_empty: bool = False,
) -> Table:
    """`with_empty`: columns without any value stay. (Where empty cells are filled there are none.)"""
    filling = None if fill_value is None else Filling(fill_value, all_missing=True)
    with_empty = with_empty or filling is not None
    if not headings or not rows:
        table = table if rows else transposed(table, _TABLE)
        return filled(table if with_empty else without_empty(table), filling)
    places = range(rows, rows + len(headings))
    return spread(_TABLE, table, places, is_series, filling, without_empty=not (is_series or with_empty))


def _there(table: Table) -> Table:
    """Without groups that have no value at all.

    (There mostly are none. A filter by a mean is nothing that runs twice alike, as far as a trace can tell.)
    """
    values = [value for _, value in table.columns]
    if not values or not _lacks_groups(table, values):
        return table
    column = reduce(lambda a, b: a | b, [value.column.isNotNull() for value in values])
    return table.kept(values[0].with_column(column, BOOL, *values[1:]))


def without_empty(table: Table) -> Table:
    """Without columns that have no value at all. Asks Spark."""
    doubtful = [value for _, value in table.columns if value.dtype.may_miss]
    if not doubtful:
        return table
    asked = [F.max(value.column.isNotNull()) for value in doubtful]
    found = table.rows().agg(*asked).collect()[0]
    empty = {value.name for value, is_there in zip(doubtful, found, strict=True) if not is_there}
    return replace(table, columns=tuple(one for one in table.columns if one[1].name not in empty))


def filled(table: Table, filling: Filling | None) -> Table:
    """Missing values filled, where the fill value is of their dtype."""
    if filling is None:
        return table
    dtype = dtype_of_scalar(filling.value)

    def fill(value: Value) -> Value:
        if not value.dtype.may_miss:
            return value
        if dtype is None or not (value.dtype.is_number and dtype.is_number):
            raise refused(f"{_TABLE} with fill_value", f"a column of {value.dtype.name} would be objects")
        column = F.coalesce(value.column, literal(filling.value, dtype).cast(value.dtype.spark))
        return value.with_column(column, value.dtype)

    return table.with_columns([(label, fill(value)) for label, value in table.columns])


def _without_values(table: Table, at: int) -> Table:
    """Without the level of the labels of values, if there is only one value and another level."""
    if len(table.column_names) < 2 + at:
        return table

    def shorter(label: Any) -> Label:
        rest = (*label[:at], *label[at + 1 :])
        return rest if len(rest) > 1 else rest[0]

    names = (*table.column_names[:at], *table.column_names[at + 1 :])
    return replace(
        table, columns=tuple((shorter(label), value) for label, value in table.columns), column_names=names
    )
