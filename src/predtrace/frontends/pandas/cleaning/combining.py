"""Two objects made one: where the first misses a value, the second's, or the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.choosing.putting import Place, put
from predtrace.frontends.pandas.cleaning.masking import pd_held
from predtrace.frontends.pandas.core.aligning import same_rows
from predtrace.frontends.pandas.core.dtypes import Dtype, common
from predtrace.frontends.pandas.core.elements import frame_of, gathered, series_of
from predtrace.frontends.pandas.core.facts import is_missing
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.core.uniting import outer, same_rows_beside

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


class CombiningFrame(Held):
    """These methods of a DataFrame."""

    def combine_first(self, other: Any) -> DataFrame:
        """The values of this frame, and where they are missing those of the other."""
        return frame_of(_combined(self, pd_held(other), "DataFrame.combine_first()"))

    def update(self, other: Any, join: str = "left", overwrite: bool = True, **given: Any) -> None:
        """Take the values of another frame that are not missing, in place."""
        call = "DataFrame.update()"
        only(call, {"join": "left"}, {"join": join})
        only(call, {"filter_func": None, "errors": "ignore"}, given)
        self._become(_updated(self, pd_held(other), overwrite, call))


class CombiningSeries(Held):
    """These methods of a Series."""

    def combine_first(self, other: Any) -> Series:
        """The values of this series, and where they are missing those of the other."""
        return series_of(_combined(self, pd_held(other), "Series.combine_first()"))

    def update(self, other: Any) -> None:
        """Take the values of another series that are not missing, in place."""
        self._become(_updated(self, pd_held(other), True, "Series.update()"))


def _combined(held: Held, other: Held, call: str) -> Held:
    if same_rows(held._raw, other._raw):
        table, mine, theirs = same_rows_beside(held._table, other._raw)
    else:
        table, mine, theirs = outer(held._table, other._table)
    if held._kind == "Series":
        pairs: list[tuple[Label, list[Value]]] = [(held._raw.labels[0], [mine[0], theirs[0]])]
    else:
        found: dict[Label, list[Value]] = {}
        for label, value in [
            *zip(held._raw.labels, mine, strict=True),
            *zip(other._raw.labels, theirs, strict=True),
        ]:
            found.setdefault(label, []).append(value)
        labels = pd.Index(held._raw.labels).union(pd.Index(other._raw.labels))
        pairs = [(label, found[label]) for label in labels]
    return held._of(_with(table, [(label, _first(values, call)) for label, values in pairs]))


def _with(table: Table, columns: list[tuple[Label, Value]]) -> Table:
    return table.with_columns(columns)


def _first(values: list[Value], call: str) -> Value:
    if len(values) == 1:
        return values[0]
    one, other = values
    dtype: Dtype | None = common(one.dtype, other.dtype)
    if dtype is None:
        raise refused(call, f"a column would hold {one.dtype.name} and {other.dtype.name}")
    column = F.coalesce(one.column.cast(dtype.spark), other.column.cast(dtype.spark))
    return one.with_column(column, dtype.missing(one.dtype.may_miss and other.dtype.may_miss), other)


def _updated(held: Held, other: Held, overwrite: bool, call: str) -> Held:
    """New values where the other has some: of the same rows and columns alone."""
    table, (theirs,) = gathered(held._table, [other])
    is_series = held._kind == "Series"
    new = {None if is_series else label: v for label, v in zip(other._raw.labels, theirs, strict=True)}
    columns: list[tuple[Label, Value]] = []
    for label, value in table.columns:
        put_in = new.get(None if is_series else label)
        if put_in is None:
            columns.append((label, value))
            continue
        there = put_in.column.isNotNull()
        there = there if overwrite else there & value.column.isNull()
        where = put_in.with_column(there, is_missing(put_in).dtype, value)
        columns.append((label, put(value, [Place(where, put_in)], f"{call} of {label!r}")))
    return held._of(table.with_columns(columns))
