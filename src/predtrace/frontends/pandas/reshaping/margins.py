"""The totals of a pivot table: a column and a row that aggregate over all.

They are aggregates of the rows, not of the cells, and of those rows only in which no key and no value is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from predtrace.frontends.pandas.core.dtypes import BOOL, TEXT, Dtype
from predtrace.frontends.pandas.core.mixed import as_mixed, mixed_of
from predtrace.frontends.pandas.core.scalars import literal, one_row, value_in
from predtrace.frontends.pandas.core.spaces import Space, Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table
from predtrace.frontends.pandas.merging.concatenated_rows import below
from predtrace.frontends.pandas.merging.keys import Keys
from predtrace.frontends.pandas.merging.results import merged
from predtrace.frontends.pandas.reducing.aggregates import named
from predtrace.frontends.pandas.reshaping.spreading import spread

_CALL = "pivot_table() with margins"


def with_margins(
    core: Table,
    data: Any,
    values: Sequence[Label],
    rows: Sequence[Label],
    headings: Sequence[Label],
    aggfunc: Any,
    fill_value: Any,
    name: str,
) -> Table:
    """A pivot table whose columns have the labels of values first, with totals."""
    if not isinstance(name, str):
        raise ValueError("margins_name argument must be a string")
    if len(rows) == 1:
        core = _with_texts(core)
    core = with_objects(core)
    check_labels(core, name)
    check_name(core, name, first=1)
    complete = _complete(data, [*rows, *headings, *values])
    table = core
    if headings:
        totals = complete[[*rows, *values]].groupby(list(rows)).agg(aggfunc)._table
        table = _with_column(core, with_objects(_with_texts(totals)), values, name)
    last = _last_row(complete, values, headings, aggfunc, fill_value, table, name)
    return with_last_row(table, last, name)


def _with_texts(table: Table) -> Table:
    """The table with plain texts in its index where it has categories: the name of the totals is none of them."""

    def plain(level: Level) -> Level:
        dtype = level.value.dtype
        if dtype.categories is None or not dtype.is_text:
            return level
        return Level(level.label, replace(level.value, dtype=TEXT.missing(dtype.may_miss)))

    return replace(table, index=tuple(plain(level) for level in table.levels()))


def with_objects(table: Table) -> Table:
    """The table with objects in its index where it has numbers, so that a name can stand below them."""

    def objects(level: Level) -> Level:
        dtype = mixed_of([level.value.dtype])
        if dtype is None:
            return level
        made = level.value.with_column(as_mixed(level.value), dtype.missing(level.value.dtype.may_miss))
        return replace(level, value=table.space.settled(made, "index"))

    return replace(table, index=tuple(objects(level) for level in table.levels()))


def with_last_row(table: Table, last: Table, name: str) -> Table:
    """A table with a row of totals at its end, which has this name in the index."""
    levels = table.levels()
    texts = [name, *([""] * (len(levels) - 1))]
    index = tuple(
        Level(level.label, last.space.settled(_text(last.space, text, level.value.dtype), "index"))
        for level, text in zip(levels, texts, strict=True)
    )
    both = below([table, replace(last, index=index)])
    return replace(both, column_names=table.column_names)


def _text(space: Space, text: str, dtype: Dtype) -> Value:
    found = Value(space, literal(text, TEXT), frozenset(), TEXT.missing(False))
    return found.with_column(as_mixed(found), dtype.missing(False)) if dtype.is_mixed else found


def check_labels(core: Table, name: str) -> None:
    """Refuse a total whose label would not fit the index."""
    for level in core.levels():
        if level.value.dtype.is_mixed:
            continue
        if not level.value.dtype.is_text or level.value.dtype.categories is not None:
            why = f"the index would have labels of several types: {level.value.dtype.name}, and the text {name!r}"
            raise refused(_CALL, why, "make the keys texts first: .astype(str)")


def check_name(core: Table, name: str, first: int) -> None:
    """Raise if there is a label like the total's in the index, or in the columns from some level on. Asks Spark."""
    same = [level.value.column == name for level in core.levels() if level.value.dtype.is_text]
    is_there = any(name in (label if isinstance(label, tuple) else (label,))[first:] for label in core.labels)
    if is_there or (same and core.rows().where(reduce(lambda a, b: a | b, same)).take(1)):
        raise ValueError(f'Conflicting name "{name}" in margins')


def _complete(data: Any, labels: Sequence[Label]) -> Any:
    """The rows in which none of these columns is missing."""
    table: Table = data[list(dict.fromkeys(labels))]._table
    values = [value for _, value in table.columns]
    column = reduce(lambda a, b: a & b, [value.column.isNotNull() for value in values])
    return data._of(table.kept(values[0].with_column(column, BOOL, *values[1:])))


def _with_column(core: Table, totals: Table, values: Sequence[Label], name: str) -> Table:
    """The table with a total for each row, after the columns of each value."""
    found = [(_total(label, name, core), totals.values(label)[0]) for label in sorted(values)]  # type: ignore[type-var]
    beside = replace(totals.with_columns(found), column_names=core.column_names, is_unique=True)
    wide = merged(core, beside, Keys(None, None), "left")
    columns = []
    for label, _ in found:
        columns += [one for one in wide.columns if one[0] != label and one[0][0] == label[0]]  # type: ignore[index]
        columns += [one for one in wide.columns if one[0] == label]
    return replace(wide, columns=tuple(columns))


def _total(label: Label, name: str, core: Table) -> tuple[Label, ...]:
    return (label, name, *([""] * (len(core.column_names) - 2)))


def _last_row(
    complete: Any,
    values: Sequence[Label],
    headings: Sequence[Label],
    aggfunc: Any,
    fill_value: Any,
    table: Table,
    name: str,
) -> Table:
    """The totals of all columns, and over everything."""
    known = named(aggfunc)
    if known is None:
        raise refused(
            _CALL, "only for aggregates that have a name", "give the name of an aggregate, such as 'sum'"
        )
    method = "count" if known == "size" else known
    whole = {label: getattr(complete[label], method)() for label in values}
    if headings:
        totals = complete[[*headings, *values]].groupby(list(headings)).agg(aggfunc)._table
        totals = totals.with_columns([(label, totals.values(label)[0]) for label in values])
        row = spread(_CALL, totals, range(len(headings)))
        row = replace(row, index=Positions())
        found: dict[Any, Value] = dict(row.columns)
    else:
        row, found = Table(one_row(), (), Positions(), ()), {}
    columns: list[tuple[Label, Value]] = []
    for label in table.labels:
        above = label[0] if headings and isinstance(label, tuple) else label
        if not headings or label == _total(above, name, table):
            columns.append((label, value_in(row.space, whole[above])))
        elif label in found:
            columns.append((label, found[label]))
        else:
            columns.append((label, value_in(row.space, float("nan") if fill_value is None else fill_value)))
    return replace(row.with_columns(columns), column_names=table.column_names)
