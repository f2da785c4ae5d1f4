"""`xs`: the rows of a label, of one level of the index if it is named; or the columns of a label."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from predtrace.frontends.pandas.choosing.labels import found
from predtrace.frontends.pandas.choosing.levels import level_labels, level_number
from predtrace.frontends.pandas.choosing.locating import Loc
from predtrace.frontends.pandas.choosing.selecting import chosen_columns
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.series import Series


def cross_section(held: Held, key: Any, axis: Any, level: Any, drop_level: bool) -> Any:
    """`xs`: the rows of a label, of one level if it is named; or the columns."""
    table = held._table
    if axis in (1, "columns"):
        if level is not None or not drop_level:
            raise refused("DataFrame.xs(axis=1, level=...)", "select the columns by their labels")
        return chosen_columns(table, key).of(table)
    if level is None:
        if isinstance(key, tuple) and not isinstance(held, Series):
            return Loc(held)[key, :]
        return Loc(held)[key]
    indexed = table.indexed()
    names = level_labels(indexed)
    wanted = level if isinstance(level, (list, tuple)) else [level]
    parts = key if isinstance(level, (list, tuple)) else (key,)
    by_number = {level_number(names, one): part for one, part in zip(wanted, parts, strict=True)}
    meant = found(indexed, tuple(by_number.get(number, slice(None)) for number in range(len(names))))
    kept = indexed if meant.condition is None else meant.table.kept(meant.condition)
    if not kept.rows().take(1):
        raise KeyError(key)
    rest = tuple(one for number, one in enumerate(kept.levels()) if number not in by_number)
    if drop_level and rest:
        kept = replace(kept, index=rest, is_unique=False)
    return held._of(kept)
