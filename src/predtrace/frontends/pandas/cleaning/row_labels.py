"""Labels of rows: rows dropped by them, and other labels for rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.cleaning.casting import as_text
from predtrace.frontends.pandas.cleaning.membership import among, among_rows
from predtrace.frontends.pandas.cleaning.replacing import replaced
from predtrace.frontends.pandas.core.aligning import beside, is_unique
from predtrace.frontends.pandas.core.arithmetic import inverted
from predtrace.frontends.pandas.core.dtypes import BOOL, TEXT
from predtrace.frontends.pandas.core.elements import is_listing, is_series
from predtrace.frontends.pandas.core.facts import any_true
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Level, Table


def listed(labels: Any) -> list[Any]:
    """Labels that a user gives, or one label, as a list."""
    if isinstance(labels, Held) or (is_listing(labels) and not isinstance(labels, tuple)):
        return list(labels)  # type: ignore[arg-type]
    return [labels]


def without_rows(call: str, table: Table, given: Any, errors: str) -> Table:
    """Without the rows of labels. Labels that are not there are an error, so Spark looks for them."""
    table = table.indexed()
    levels = table.levels()
    if len(levels) > 1:
        raise refused(call, "rows of an index with several levels cannot be dropped by their labels")
    if isinstance(given, Held):
        return _without_rows_of(call, table, _as_index(given), errors)
    labels = listed(given)
    level = levels[0].value
    there = among(level, labels)
    if errors != "ignore":
        rows = table.space.rows(there.uses).where(there.column).select(level.column.alias("label"))
        known = pd.Index([row["label"] for row in rows.distinct().collect()], dtype=object)
        missing = [label for label in labels if not _is_in(label, known)]
        if missing:
            raise KeyError(f"{missing} not found in axis")
    return table.kept(inverted(there))


def _as_index(given: Held) -> Table:
    """The labels of an index; the values of a series are labels, too."""
    table = given._table
    if is_series(given):
        return replace(table, columns=(), index=(Level(None, table.columns[0][1]),), is_unique=False)
    return replace(table.indexed(), columns=())


def _without_rows_of(call: str, table: Table, wanted: Table, errors: str) -> Table:
    """Without the rows whose labels are in another index, such as that of a part of the table's own rows."""
    own, given = ([level.value.uses for level in one.levels()] for one in (table, wanted))
    if own == given and is_unique(table):
        marked = Value(wanted.space, F.lit(True), frozenset(), BOOL)
        wide, (mark,) = beside(table, replace(wanted, columns=((None, marked),)))
        return wide.kept(mark.with_column(mark.column.isNull(), BOOL))
    level, theirs = table.levels()[0].value, wanted.levels()[0].value
    other = replace(wanted, columns=((None, theirs),))
    if (
        errors != "ignore"
        and any_true([inverted(among_rows(theirs, replace(table, columns=((None, level),))))])[0]
    ):
        raise KeyError("some labels of the index are not found in axis")
    return table.kept(inverted(among_rows(level, other)))


def _is_in(label: Any, known: pd.Index) -> bool:
    return bool(pd.isna(known).any() if pd.isna(label) else label in set(known.dropna()))


def with_row_labels(call: str, table: Table, mapper: Any) -> Table:
    """Other labels for rows, by a dict or a series."""
    if callable(mapper) and not isinstance(mapper, (Mapping, Held)):
        raise refused(
            call, "a function for the labels of rows is not", "set the index to a column made with map()"
        )
    pairs = dict(mapper.to_pandas() if isinstance(mapper, Held) else mapper)

    def relabelled(level: Level) -> Level:
        value = replaced(level.value, pairs, call)
        return Level(level.label, table.space.settled(value, level.label or "index"))

    indexed = table.indexed()
    return replace(indexed, index=tuple(relabelled(level) for level in indexed.levels()), is_unique=False)


def with_words(table: Table, before: str, after: str) -> Table:
    """The labels of rows as texts with words before and after."""
    indexed = table.indexed()

    def worded(level: Level) -> Level:
        text = as_text(level.value)
        made: Value = text.with_column(
            F.concat(F.lit(before), text.column, F.lit(after)), TEXT.missing(False)
        )
        return Level(level.label, table.space.settled(made, level.label or "index"))

    return replace(indexed, index=tuple(worded(level) for level in indexed.levels()))
