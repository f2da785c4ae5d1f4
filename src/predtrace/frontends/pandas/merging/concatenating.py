"""`concat`: frames and series one below the other, or side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from predtrace.frontends.pandas.core.aligning import is_unique
from predtrace.frontends.pandas.core.elements import axis_number
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.merging.concatenated_columns import abreast
from predtrace.frontends.pandas.merging.concatenated_rows import below
from predtrace.frontends.pandas.reducing.described import Described


def concat(
    objs: Any,
    *,
    axis: Any = 0,
    join: str = "outer",
    ignore_index: bool = False,
    keys: Any = None,
    levels: Any = None,
    names: Any = None,
    verify_integrity: bool = False,
    sort: bool = False,
    copy: bool | None = None,
) -> Any:
    """Frames and series one below the other, or side by side, aligned by the labels of the other axis."""
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    only("concat()", {"levels": None}, {"levels": levels})
    parts, labels = _parts(objs, keys)
    if join not in ("inner", "outer"):
        raise ValueError("Only can inner (intersect) or outer (union) join the other axis")
    all_series = all(isinstance(part, Series) for part in parts)
    by_columns = axis_number(axis, "Series" if all_series else "DataFrame") == 1
    if labels is None and join == "outer" and not all_series:
        parts = _without_empty(parts)
    if by_columns:
        tables = _labelled_columns(parts, labels, names, ignore_index)
        table = abreast(tables, join, sort)
        if verify_integrity and len(set(table.labels)) < len(table.labels):
            raise _overlapping([x for x in dict.fromkeys(table.labels) if table.labels.count(x) > 1])
        return DataFrame._of(table)
    tables = [_as_rows(part, all_series, ignore_index) for part in parts]
    table = below(tables, join, sort, ignore_index, labels, _listed(names))
    if verify_integrity and not ignore_index and not is_unique(table):
        raise _overlapping(["..."])
    if not all_series:
        return DataFrame._of(table)
    known = {part.name for part in parts}
    label = known.pop() if len(known) == 1 else None
    return Series._of(replace(table, columns=((label, table.columns[0][1]),)))


def _parts(objs: Any, keys: Any) -> tuple[list[Any], list[Label] | None]:
    """The objects, and the keys that they get."""
    if isinstance(objs, (Held, pd.DataFrame, pd.Series, str)):
        raise TypeError(
            "first argument must be an iterable of pandas objects, "
            f'you passed an object of type "{type(objs).__name__}"'
        )
    if isinstance(objs, Mapping):
        keys = list(objs) if keys is None else list(keys)
        objs = [objs[key] for key in keys]
    objs = list(objs)
    if not objs:
        raise ValueError("No objects to concatenate")
    labels = None if keys is None else list(keys)
    if labels is not None:
        pairs = [(label, one) for label, one in zip(labels, objs, strict=False) if one is not None]
        labels, objs = [label for label, _ in pairs], [one for _, one in pairs]
    parts = [_ours(one) for one in objs if one is not None]
    if not parts:
        raise ValueError("All objects passed were None")
    return parts, labels


def _ours(given: Any) -> Any:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    if isinstance(given, (pd.DataFrame, pd.Series)):
        return DataFrame(given) if isinstance(given, pd.DataFrame) else Series(given)
    if isinstance(given, Described):
        raise refused("concat() of what describe() gives", "it has values of several types in one column")
    if not isinstance(given, (DataFrame, Series)):
        raise TypeError(
            f"cannot concatenate object of type '{type(given)}'; only Series and DataFrame objs are valid"
        )
    return given


def _without_empty(parts: list[Any]) -> list[Any]:
    """Without frames that have neither columns nor rows: pandas does not look at them, not even for dtypes."""
    there = [part for part in parts if part._table.columns or part._table.rows().take(1)]
    return there or parts[:1]


def _as_rows(part: Any, all_series: bool, ignore_index: bool) -> Table:
    """A part as rows. A series is a column of one: with its name, unless only the position counts."""
    table: Table = part._table
    if part._kind != "Series":
        return table
    label = 0 if all_series or ignore_index or part.name is None else part.name
    return replace(table, columns=((label, table.columns[0][1]),))


def _labelled_columns(
    parts: Sequence[Any], keys: list[Label] | None, names: Any, ignore_index: bool
) -> list[Table]:
    """The parts, each with the labels that its columns have in the result."""
    tables: list[Table] = []
    all_series = all(part._kind == "Series" for part in parts)
    unnamed = place = 0
    for number, part in enumerate(parts):
        table: Table = part._table
        labels = table.labels
        if part._kind == "Series" and labels == [None]:
            labels, unnamed = [unnamed], unnamed + 1
        if ignore_index:
            labels = list(range(place, place + len(labels)))
        elif keys is not None and all_series:
            labels = [keys[number]]
        elif keys is not None:
            labels = [_tuple(keys[number]) + _tuple(label) for label in labels]
        place += len(labels)
        pairs = zip(labels, (value for _, value in table.columns), strict=True)
        tables.append(replace(table, columns=tuple(pairs)))
    shared = {table.column_names for table in tables}
    below_keys = shared.pop() if len(shared) == 1 else (None,) * len(tables[0].column_names)
    if keys is not None and not all_series and not ignore_index:
        above: list[Label] = [None] * len(_tuple(keys[0]))
        below_keys = (*above, *below_keys)
    given = _listed(names)
    if ignore_index or given:
        count = 1 if ignore_index else len(below_keys)
        below_keys = (*given, *below_keys[len(given) :])[:count] if not ignore_index else (None,)
    return [replace(table, column_names=below_keys) for table in tables]


def _tuple(label: Label) -> tuple[Label, ...]:
    return label if isinstance(label, tuple) else (label,)


def _listed(names: Any) -> list[Label]:
    return [] if names is None else [names] if isinstance(names, str) else list(names)


def _overlapping(labels: list[Label]) -> ValueError:
    return ValueError(f"Indexes have overlapping values: {pd.Index(labels)!r}")
