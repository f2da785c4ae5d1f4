"""Frames that a user's function looks into, such as a list of prices: all rows, as one value beside the row's own.

    df.apply(lambda row: prices[prices["item"] == row["item"]]["price"].mean(), axis=1)

asks another table for each row. In Spark's plan that is a cross join with one row: the rows of `prices` in a list, in
their order. Where the function is called, the list is a frame of plain pandas again. So a row depends on the whole
table: which of its rows the function looked at, nobody can tell without looking into the function.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.applying.calling import Function
from predtrace.frontends.pandas.core.dtypes import Dtype, check_not_kept
from predtrace.frontends.pandas.core.held import Held, _labels
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.tables import Positions


class WholeTable(Scalar):
    """All rows of a frame or a series."""

    def __init__(self, held: Held) -> None:
        table = held._table
        levels = () if isinstance(table.index, Positions) else table.index
        values = [*(level.value for level in levels), *(value for _, value in table.columns)]
        named = [F.col(value.name).alias(f"c{place}") for place, value in enumerate(values)]
        number = F.row_number().over(table.window()).alias("at")
        numbered = table.rows().select(F.struct(number, *named).alias("row"))
        rows = numbered.agg(F.sort_array(F.collect_list("row")).alias("rows"))
        super().__init__(rows, Dtype("object", rows.schema[0].dataType, may_miss=False))
        check_not_kept("a function that looks into a frame with columns", *(value.dtype for value in values))
        dtypes = [(value.dtype.shown(False), value.dtype.shown(True)) for value in values]
        names = (
            [table.index.label]
            if isinstance(table.index, Positions)
            else [level.label for level in table.index]
        )
        self.made, self.is_as_made = _maker(
            dtypes, len(levels), names, _labels(table), held._kind == "Series"
        )


def _maker(
    dtypes: list[tuple[Any, Any]], levels: int, names: list[Any], labels: Any, is_series: bool
) -> tuple[Function, Function]:
    """What makes the frame of the rows, where the function is called; and what tells whether it is still the same.

    A function that changes the frame cannot be called there: nobody else would see the change.
    """
    last: list[Any] = [None, None, None]

    def column(values: list[Any], dtype: Any, with_missing: Any) -> pd.Series:
        shown = with_missing if None in values else dtype
        if shown == np.dtype(object):
            return pd.Series([float("nan") if value is None else value for value in values], dtype=object)
        return pd.Series(values, dtype=shown)

    def frame(rows: list[Any]) -> Any:
        columns = [column([row[at + 1] for row in rows], *both) for at, both in enumerate(dtypes)]
        if not levels:
            index: Any = pd.RangeIndex(len(rows), name=names[0])
        elif levels == 1:
            index = pd.Index(columns[0].array, name=names[0])
        else:
            index = pd.MultiIndex.from_arrays(columns[:levels], names=names)
        values = columns[levels:]
        found = pd.concat(values, axis=1) if values else pd.DataFrame(index=range(len(rows)))
        found.index, found.columns = index, labels
        return found.iloc[:, 0] if is_series else found

    def made(rows: list[Any]) -> Any:
        if last[0] != rows:  # most rows of the other table come with the same
            last[:] = [rows, frame(rows), frame(rows)]
        return last[1]

    def is_as_made() -> bool:
        return bool(last[1].equals(last[2]))

    return made, is_as_made
