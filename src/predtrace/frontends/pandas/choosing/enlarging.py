"""A row for a label that the index does not have yet: `df.loc[label] = values` adds it at the end.

A whole row is put below the others, so whole numbers stay whole if the new ones are. Where only some columns are set,
the new row is missing first, and whole numbers become floats, as in pandas.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.construction import table_of_frame
from predtrace.frontends.pandas.core.dtypes import Dtype, common
from predtrace.frontends.pandas.core.making import known
from predtrace.frontends.pandas.core.scalars import Scalar, value_in
from predtrace.frontends.pandas.core.spaces import Key, Space, Value, fresh, where_rows_may_lack
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label, Level, Positions, Table


def row_of(labels: list[Label], values: Any) -> list[Any]:
    """A row of values for all columns, each with the dtype that pandas finds for it.

    Each is a series of one row, or a scalar that Spark works out.
    """
    if isinstance(values, dict) and _are_alike([values.get(label) for label in labels]):
        return [values[label] for label in labels]
    if isinstance(values, (dict, pd.Series)):
        row = pd.Series(known(values)).reindex(labels)
    else:
        several = pd.api.types.is_list_like(values) and not isinstance(values, Scalar)
        given = [*values] if several else [values] * len(labels)
        if len(given) != len(labels):
            raise ValueError("cannot set a row with mismatched columns")
        row = pd.Series(known(given))
    row.index = range(len(labels))
    typed = row.to_frame().T.infer_objects()
    return [typed.iloc[:, place] for place in range(len(labels))]


def _are_alike(values: list[Any]) -> bool:
    """Whether Spark works all of them out, such as the sums of columns, and pandas has them in one series."""
    scalars = [value for value in values if isinstance(value, Scalar)]
    return len(scalars) == len(values) and len({scalar._dtype for scalar in scalars}) == 1


def with_row(table: Table, label: Any, row: list[Any] | None = None) -> Table:
    """The table with another row at the end, of these values or with nothing in it."""
    counts = isinstance(table.index, Positions) and label == table.rows().count()
    old = table if counts else table.indexed()
    levels = () if counts else old.levels()
    parts = label if isinstance(label, tuple) and len(levels) > 1 else (label,)
    if levels and len(parts) != len(levels):
        raise refused(f"adding a row for {label!r}", "the label must name every level of the index")
    cells = dict(enumerate(row or ()))
    known = {
        f"column {place}": cell
        for place, cell in cells.items()
        if not isinstance(cell, Scalar) and cell.notna().all()
    }
    named = {f"level {place}": pd.Series([part]) for place, part in enumerate(parts[: len(levels)])}
    new = table_of_frame(pd.DataFrame({**known, **named, "row": [1]}))
    for place, cell in cells.items():
        if isinstance(cell, Scalar):
            new = new.with_column(f"column {place}", value_in(new.space, cell))
    new = new.settled()
    there = dict(new.columns)
    both = [
        *((value, there.get(f"column {place}"), label) for place, (label, value) in enumerate(old.columns)),
        *((level.value, there[f"level {place}"], level.label) for place, level in enumerate(levels)),
    ]
    dtypes = [_together(mine, theirs, name) for mine, theirs, name in both]
    above = [mine.column.cast(dtype.spark) for (mine, _, _), dtype in zip(both, dtypes, strict=True)]
    below = [_cell(theirs, dtype) for (_, theirs, _), dtype in zip(both, dtypes, strict=True)]
    return _below(old, new, above, below, dtypes)


def _together(mine: Value, theirs: Value | None, name: Label) -> Dtype:
    if theirs is None:
        return mine.dtype.missing()
    found = common(mine.dtype, theirs.dtype)
    if found is None:
        raise refused(
            f"adding a row with a {theirs.dtype.name} value in {name!r}", f"it holds {mine.dtype.name} values"
        )
    return found


def _cell(value: Value | None, dtype: Dtype) -> Column:
    return F.lit(None).cast(dtype.spark) if value is None else value.column.cast(dtype.spark)


def _below(old: Table, new: Table, above: list[Column], below: list[Column], dtypes: list[Dtype]) -> Table:
    names = [fresh(label) for label in [*old.labels, *(level.label or "index" for level in _levels(old))]]
    later, order = fresh("later"), [fresh(key.name.rpartition("_")[0]) for key in old.order]
    types = {field.name: field.dataType for field in old.rows().schema.fields}
    upper = old.rows().select(
        *(column.alias(name) for column, name in zip(above, names, strict=True)),
        *(F.col(key.name).alias(name) for key, name in zip(old.order, order, strict=True)),
        F.lit(0).alias(later),
    )
    lower = new.rows().select(
        *(column.alias(name) for column, name in zip(below, names, strict=True)),
        *(F.lit(None).cast(types[key.name]).alias(name) for key, name in zip(old.order, order, strict=True)),
        F.lit(1).alias(later),
    )
    space = Space(upper.union(lower))
    found = [space.value(name, dtype) for name, dtype in zip(names, dtypes, strict=True)]
    count = len(old.columns)
    index = tuple(Level(level.label, value) for level, value in zip(_levels(old), found[count:], strict=True))
    renamed = (replace(key, name=name) for key, name in zip(old.order, order, strict=True))
    return replace(
        old,
        space=space,
        columns=tuple(zip(old.labels, found[:count], strict=True)),
        index=index or old.index,
        order=(Key(later), *where_rows_may_lack(tuple(renamed))),
    )


def _levels(table: Table) -> tuple[Level, ...]:
    return () if isinstance(table.index, Positions) else table.index
