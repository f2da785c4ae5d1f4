"""Dtypes that are certain: whether whole numbers or booleans that may be missing really are.

pandas has floats where a whole number is missing, and objects where a boolean is. What comes out of `sum`, `min` or
`groupby` then is another dtype, and no value in the result tells. Nor do the rows that a filter keeps. So Spark is
asked, once for each column.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from weakref import WeakKeyDictionary

from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import FLOAT64, Dtype, common
from predtrace.frontends.pandas.core.spaces import Space, Value
from predtrace.frontends.pandas.core.tables import Positions, Table

_known: WeakKeyDictionary[Space, dict[str, bool]] = WeakKeyDictionary()


def misses(values: Iterable[Value]) -> dict[str, bool]:
    """For settled values of one space, by name: whether one of them is missing. Asks Spark for what is not known."""
    wanted = list(values)
    if not wanted:
        return {}
    space = wanted[0].space
    known = _known.setdefault(space, {})
    names = [value.name for value in wanted if value.dtype.may_miss and value.name not in known]
    if names:
        asked = [F.max(F.col(name).isNull()).alias(name) for name in dict.fromkeys(names)]
        row = space.rows(names).agg(*asked).collect()[0]
        known.update({name: bool(row[name]) for name in names})
    return {value.name: value.dtype.may_miss and known[value.name] for value in wanted}


def certain(table: Table) -> Table:
    """The same table; whole numbers of which one is missing are floats, all other whole numbers miss none.

    Booleans of which one is missing are objects from now on, whatever rows are left out.
    """
    table = table.settled()
    if not any(depends(value.dtype) for _, value in table.columns):
        return table
    values = [value for _, value in table.columns]
    return table.with_columns(zip(table.labels, certain_values(values), strict=True))


def certain_whole(table: Table) -> Table:
    """The same with an index that is certain, too: to be asked before rows are left out or come twice."""
    return certain_index(certain(table))


def certain_values(values: list[Value]) -> list[Value]:
    """The same for settled values of one space."""
    doubtful = [value for value in values if depends(value.dtype)]
    missing = misses(doubtful)
    return [_certain(value, missing[value.name]) if value.name in missing else value for value in values]


def certain_index(table: Table) -> Table:
    """The same table with an index that is certain."""
    if isinstance(table.index, Positions) or not any(depends(level.value.dtype) for level in table.index):
        return table
    found = certain_values([level.value for level in table.index])
    levels = tuple(
        replace(level, value=table.space.settled(value, level.label or "index"))
        for level, value in zip(table.index, found, strict=True)
    )
    return replace(table, index=levels)


def depends(dtype: Dtype) -> bool:
    """Whether what pandas shows depends on whether a value is missing."""
    return dtype.may_miss and dtype.shown(True) != dtype.shown(False)


def _certain(value: Value, is_missing: bool) -> Value:
    if not is_missing:
        return replace(value, dtype=value.dtype.missing(False))
    if value.dtype.is_integer:
        return value.with_column(value.column.cast("double"), FLOAT64)
    return replace(value, dtype=replace(value.dtype, has_objects=True))


def is_numeric(dtype: Dtype) -> bool:
    """Whether pandas has numbers here, given a certain dtype: booleans of which one is missing are objects."""
    return dtype.is_number and not (dtype.is_bool and dtype.may_miss)


def common_dtype(dtypes: Iterable[Dtype]) -> Dtype | None:
    """The dtype that holds the values of all; None where pandas would have objects."""
    found: Dtype | None = None
    for dtype in dtypes:
        wider = dtype if found is None else common(found, dtype)
        if wider is None:
            return None
        found = wider
    return found
