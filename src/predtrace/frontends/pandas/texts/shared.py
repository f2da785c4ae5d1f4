"""What the methods of `Series.str` share: the values they are for, and series and frames made of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import Function, each
from predtrace.frontends.pandas.core.dtypes import BOOL, Dtype
from predtrace.frontends.pandas.core.facts import texts_and_numbers
from predtrace.frontends.pandas.core.mixed import texts_among
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.core.tables import Label

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series


class TextValues:
    """The values that `str` is asked of: texts, or lists of values."""

    def __init__(self, series: Series) -> None:
        dtype = series._value.dtype
        if dtype.is_mixed:  # what is no text has no part: to `str` it is missing
            if texts_and_numbers(series._value) == (False, True):
                raise AttributeError("Can only use .str accessor with string values!")
            series = series._made(texts_among(series._value))
            dtype = series._value.dtype
        is_list = dtype.name == "object" and isinstance(dtype.spark, spark.ArrayType)
        of_texts = dtype.categories is None or all(isinstance(one, str) for one in dtype.categories)
        if not (is_list or (dtype.is_text and of_texts)):
            raise AttributeError("Can only use .str accessor with string values!")
        self._series = series
        self._is_list = is_list

    def _text(self, method: str) -> Value:
        """The texts; `method` is what is asked of them."""
        if self._is_list:
            raise refused(f"Series.str.{method}()", "the values are lists, not texts")
        return self._series._value

    def _each(self, method: str, function: Function, dtype: Dtype) -> Series:
        """What a function of Python makes of each text."""
        value = self._text(method)
        return self._series._made(each(function, value, as_missing(dtype, value), method))

    def _made(self, method: str, expression: Callable[[Column], Column], dtype: Dtype) -> Series:
        """What an expression of Spark makes of each text."""
        value = self._text(method)
        return self._series._made(value.with_column(expression(value.column), as_missing(dtype, value)))

    def _framed(self, columns: Iterable[tuple[Label, Value]]) -> DataFrame:
        from predtrace.frontends.pandas.frame import DataFrame

        table = replace(self._series._table, columns=(), column_names=(None,))
        return DataFrame._of(table.with_columns(columns))

    def _listed(self, method: str, function: Function, dtype: Dtype) -> Value:
        """What a function makes of each text, settled: several columns are taken of it."""
        value = self._text(method)
        return self._series._raw.space.settled(each(function, value, dtype, method), method)

    def _with_na(self, method: str, found: Series, na: Any) -> Series:
        """Booleans, with a value for missing texts."""
        if isinstance(na, bool):
            column = F.coalesce(found._value.column, F.lit(na))
            return found._made(found._value.with_column(column, BOOL))
        if na is not None and not pd.isna(na):
            raise refused(f"Series.str.{method}()", f"na={na!r} is not")
        return found


def as_missing(dtype: Dtype, of: Value) -> Dtype:
    """A dtype that may miss values where another value does."""
    return dtype.missing(of.dtype.may_miss)
