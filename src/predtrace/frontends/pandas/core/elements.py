"""What methods that change values one by one share: the value of a series, each value of a frame, operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.aligning import beside
from predtrace.frontends.pandas.core.construction import placed
from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar, literal
from predtrace.frontends.pandas.core.spaces import Space, Value
from predtrace.frontends.pandas.core.tables import Label, Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


def series_of(held: Held) -> Series:
    """This object, which is known to be a series."""
    return cast("Series", held)


def frame_of(held: Held) -> DataFrame:
    """This object, which is known to be a frame."""
    return cast("DataFrame", held)


def is_series(operand: Any) -> TypeGuard[Series]:
    """Whether this is one of our series."""
    from predtrace.frontends.pandas.series import Series

    return isinstance(operand, Series)


def is_frame(operand: Any) -> TypeGuard[DataFrame]:
    """Whether this is one of our frames."""
    from predtrace.frontends.pandas.frame import DataFrame

    return isinstance(operand, DataFrame)


def changed(held: Held, change: Callable[[Label, Value], Value]) -> Any:
    """The same object with each of its columns changed."""
    if is_series(held):
        return held._made(change(held.name, held._value))
    table = held._table
    return held._of(table.with_columns([(label, change(label, value)) for label, value in table.columns]))


def gathered(table: Table, operands: Sequence[Any]) -> tuple[Table, list[list[Value]]]:
    """The values of other objects for the rows of a table: by the index, of lists by position.

    The table is the same in a space that has all these values, too. Scalars have no values here.
    """
    count = len(table.columns)
    taken: list[int] = []
    for operand in operands:
        found: list[Value] = []
        if isinstance(operand, Held):
            table, found = beside(table, operand._raw)
        elif is_listing(operand):
            table, value = placed(table.settled(), operand)
            found = [value]
        table = replace(table, columns=(*table.columns, *((None, value) for value in found)))
        taken.append(len(found))
    values = [value for _, value in table.columns[count:]]
    each = [[values.pop(0) for _ in range(many)] for many in taken]
    return replace(table, columns=table.columns[:count]), each


def is_listing(operand: Any) -> bool:
    """Whether this holds several values on this machine."""
    return not isinstance(operand, (Held, Scalar)) and bool(pd.api.types.is_list_like(operand))


def is_missing_scalar(operand: Any) -> bool:
    """Whether this is None, NaN, NaT or NA."""
    return bool(pd.api.types.is_scalar(operand)) and bool(pd.isna(operand))


def nothing(space: Space, like: Value) -> Value:
    """A missing value for each row, of the type of another value."""
    column = literal(None, like.dtype)
    return Value(space, column, frozenset(), like.dtype.missing(), constant=np.nan)


def is_whole(value: Value) -> Value:
    """Where a float is a whole number, and not missing."""
    return value.with_column(F.coalesce(F.rint(value.column) == value.column, F.lit(False)), BOOL)


def axis_number(axis: Any, of: str = "DataFrame") -> int:
    """0 for rows and 1 for columns, as users name them.

    >>> axis_number("columns"), axis_number(0)
    (1, 0)
    """
    known = {0: 0, "index": 0, "rows": 0, 1: 1, "columns": 1}
    if axis not in known:
        raise ValueError(f"No axis named {axis} for object type {of}")
    return known[axis]
