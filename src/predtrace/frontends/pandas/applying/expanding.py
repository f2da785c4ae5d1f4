"""Functions that return several values for a row: each of them becomes a column.

They return a Series, or a list where pandas is told to expand it. As for single values, Spark says which kinds of
rows there are, and pandas itself makes a frame of one row of each kind: its labels and dtypes are the result's.
Rows may be shorter than others, if they have the first of the others' labels.
"""

from __future__ import annotations

import base64
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql.types import StructField, StructType

from predtrace.frontends.pandas.applying.calling import Function, bound_to_its_rows, called
from predtrace.frontends.pandas.applying.returned import as_held, check_held, held_as, kind_teller, sample_of
from predtrace.frontends.pandas.applying.row_calls import RowCall, returning
from predtrace.frontends.pandas.core.dtypes import Dtype
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame

_ROW = "row "
_MADE: dict[str, Callable[[pd.Index, list[Any], str], Any]] = {
    "Series": lambda labels, values, dtype: pd.Series(values, index=labels, dtype=dtype),
    "dict": lambda labels, values, dtype: dict(zip(labels, values, strict=True)),
    "list": lambda labels, values, dtype: values,
    "tuple": lambda labels, values, dtype: tuple(values),
    "ndarray": lambda labels, values, dtype: np.array(values, dtype=dtype),
}


@dataclass(frozen=True)
class _Row:
    """What a row that a function returned was like."""

    container: str
    labels: pd.Index
    dtype: str
    kinds: list[str]

    def sample(self) -> Any:
        return _MADE[self.container](self.labels, [sample_of(kind) for kind in self.kinds], self.dtype)

    def kinds_of(self, count: int) -> list[str]:
        """The kinds of so many values: of a shorter row the last ones are missing."""
        return [*self.kinds, *["nan"] * (count - len(self.kinds))]


def row_teller(expand: bool) -> Function:
    """A function that says what a result is like: a row of several values, or of what kind a single one is."""
    kind, parts, prefix = kind_teller(), _parts(), _ROW

    def tell(result: Any) -> str:
        several = (pd.Series, list, tuple, dict, np.ndarray) if expand else pd.Series
        if not isinstance(result, several):
            return kind(result)  # type: ignore[no-any-return]
        dtype = str(result.dtype) if hasattr(result, "dtype") else ""
        labels, values = parts(result)
        like = (type(result).__name__, labels, dtype, [kind(value) for value in values])
        return prefix + base64.b64encode(pickle.dumps(like)).decode()

    return tell


def _parts() -> Function:
    def parts(result: Any) -> tuple[pd.Index, list[Any]]:
        if isinstance(result, pd.Series):
            return result.index, result.tolist()
        if isinstance(result, dict):
            return pd.Index(list(result), tupleize_cols=False), list(result.values())
        return pd.RangeIndex(len(result)), list(result)

    return parts


def is_expanded(kinds: set[str]) -> bool:
    """Whether a function returns several values for a row."""
    return any(kind.startswith(_ROW) for kind in kinds)


def expanded(
    table: Table, call: RowCall, kinds: set[str], framed: Callable[[Sequence[Any]], pd.DataFrame]
) -> DataFrame:
    """The frame of what a function returns. `framed`: how pandas makes a frame of some results."""
    from predtrace.frontends.pandas.frame import DataFrame

    rows = [_read(kind, call.text) for kind in sorted(kinds)]
    labels = max((row.labels for row in rows), key=len)
    are_alike = all(row.labels.equals(labels[: len(row.labels)]) for row in rows)
    sample = framed([row.sample() for row in rows])
    if not are_alike or not labels.is_unique or not sample.columns.equals(labels):
        raise refused(call.text, "the function returns rows with different labels")
    columns = [set(kinds) for kinds in zip(*(row.kinds_of(len(labels)) for row in rows), strict=True)]
    check_held(set().union(*columns), call.text)
    dtypes = [held_as(sample.dtypes.iloc[at], kinds, call.text) for at, kinds in enumerate(columns)]
    fields = [StructField(f"part_{at}", dtype.spark) for at, dtype in enumerate(dtypes)]
    together = Dtype("object", StructType(fields))
    held = _as_tuple([as_held(kinds, dtype) for kinds, dtype in zip(columns, dtypes, strict=True)])
    value = bound_to_its_rows(called(returning(call, held), call.arguments, together, call.name))
    settled = table.space.settled(value, "returned")
    pairs = [
        (label, settled.with_column(settled.column.getField(f"part_{at}"), dtype))
        for at, (label, dtype) in enumerate(zip(sample.columns, dtypes, strict=True))
    ]
    names = tuple(sample.columns.names)
    return DataFrame._of(replace(table, columns=(), column_names=names).with_columns(pairs))


def _read(kind: str, call: str) -> _Row:
    if not kind.startswith(_ROW):
        raise refused(call, f"the function returns rows of values, and for other rows single ones ({kind})")
    return _Row(*pickle.loads(base64.b64decode(kind[len(_ROW) :])))


def _as_tuple(helds: list[Function | None]) -> Function:
    parts = _parts()

    def as_tuple(result: Any) -> tuple[Any, ...]:
        _, values = parts(result)
        values += [None] * (len(helds) - len(values))
        return tuple(one if held is None else held(one) for one, held in zip(values, helds, strict=True))

    return as_tuple
