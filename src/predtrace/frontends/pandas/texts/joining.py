"""Texts put together: `str.cat`, `str.join`, `str.repeat`, and columns for the words in a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.aligning import beside
from predtrace.frontends.pandas.core.construction import placed
from predtrace.frontends.pandas.core.dtypes import INT64, TEXT
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Table
from predtrace.frontends.pandas.texts.patterns import in_java
from predtrace.frontends.pandas.texts.shared import TextValues

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series


class JoiningTexts(TextValues):
    """Methods of `Series.str` that put texts together."""

    def cat(self, others: Any = None, sep: str | None = None, na_rep: Any = None, join: str = "left") -> Any:
        """Each text with those of others in the same row; without others, all texts as one."""
        if isinstance(others, str):
            raise ValueError("Did you mean to supply a `sep` keyword?")
        self._text("cat")
        if others is None:
            return self._series.to_pandas().str.cat(sep=sep, na_rep=na_rep)
        if join != "left":
            raise refused("Series.str.cat()", f"join={join!r} is not")
        table, values = self._series._table, [self._series._table.columns[0][1]]
        for other in _several(others):
            table, found = _beside(table, other)
            values = [value if value.space is table.space else _moved(table, value) for value in values]
            values.append(found)
        if not all(value.dtype.is_text for value in values):
            raise TypeError("Concatenation requires list-likes containing only strings (or missing values).")
        return _joined(self._series, table, values, sep or "", na_rep)

    def join(self, sep: str) -> Series:
        """The values of each list as one text; of a text, its characters."""
        value = self._series._value
        if self._is_list:
            made = value.with_column(F.array_join(value.column, sep), TEXT)
            return self._series._made(made)
        return self._each("join", lambda text: sep.join(text), TEXT)

    def repeat(self, repeats: Any) -> Series:
        """Each text several times."""
        if not isinstance(repeats, (int, np.integer)):
            raise refused("Series.str.repeat()", "it is given a number for each row")
        count = int(repeats)
        return self._made("repeat", lambda text: F.repeat(text, count), TEXT)

    def get_dummies(self, sep: str = "|") -> Any:
        """A column for each word in the texts, 1 where the text has it. Spark looks which words there are."""
        value = self._text("get_dummies")
        text = F.concat(F.lit(sep), F.coalesce(value.column, F.lit("")), F.lit(sep))
        words = value.space.rows(value.uses).select(F.explode(F.split(text, in_java(sep), -1)).alias("word"))
        found = sorted(row.word for row in words.distinct().collect() if row.word)
        whole = self._series._raw.space.settled(value.with_column(text, TEXT), "words")
        return self._framed(
            (word, whole.with_column(whole.column.contains(sep + word + sep).cast("bigint"), INT64))
            for word in found
        )


def _several(others: Any) -> list[Any]:
    from predtrace.frontends.pandas.core.held import Held
    from predtrace.frontends.pandas.frame import DataFrame

    if isinstance(others, DataFrame):
        return [series for _, series in others.items()]
    is_nested = isinstance(others, (list, tuple)) and any(
        isinstance(one, (Held, list, tuple, np.ndarray, pd.Series, pd.Index)) for one in others
    )
    return list(others) if is_nested else [others]


def _beside(table: Table, other: Any) -> tuple[Table, Value]:
    from predtrace.frontends.pandas.series import Series

    if isinstance(other, pd.Series):
        other = Series(other)
    if isinstance(other, Series):
        wide, (value,) = beside(table, other._raw)
        return wide, value
    try:
        return placed(table, other)
    except ValueError as problem:
        raise ValueError(
            "If `others` contains arrays or lists (or other list-likes without an index), these must all be of the "
            "same length as the calling Series/Index."
        ) from problem


def _moved(table: Table, value: Value) -> Value:
    """A value of the rows before they were joined, in the rows after."""
    found = table.space.adopted(value)
    if found is None:
        raise refused("Series.str.cat()", "the others' rows cannot be put beside these")
    return found


def _joined(series: Any, table: Table, values: list[Value], sep: str, na_rep: Any) -> Any:
    from dataclasses import replace

    columns = [
        value.column if na_rep is None else F.coalesce(value.column, F.lit(na_rep)) for value in values
    ]
    parts = [columns[0]]
    for column in columns[1:]:
        parts += [F.lit(sep), column] if sep else [column]
    first, *others = values
    joined = first.with_column(F.concat(*parts), TEXT, *others)
    return type(series)._of(replace(table, columns=((series.name, joined),)))
