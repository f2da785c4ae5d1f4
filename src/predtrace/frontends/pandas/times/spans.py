"""`Series.dt` of spans of time (`timedelta64`).

pandas counts days downwards, so that the rest of a negative span is positive; Spark counts them towards zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.core.dtypes import FLOAT64, INT64, Dtype
from predtrace.frontends.pandas.core.steps import refused

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_INT32 = Dtype("int32", spark.IntegerType())


def microseconds(span: Column) -> Column:
    """The length of a span as a whole number."""
    return F.call_function("div", span, F.expr("INTERVAL '0.000001' SECOND"))


class Spans:
    """`Series.dt` of spans."""

    def __init__(self, series: Series) -> None:
        self._series = series

    def _made(self, column: Column, dtype: Dtype) -> Series:
        value = self._series._value
        return self._series._made(value.with_column(column, dtype.missing(value.dtype.may_miss)))

    def _rest(self) -> Column:
        return F.pmod(microseconds(self._series._value.column), F.expr(f"{_DAY}L"))

    @property
    def days(self) -> Series:
        """The days of each span."""
        whole = microseconds(self._series._value.column)
        return self._made(F.call_function("div", whole - self._rest(), F.expr(f"{_DAY}L")), INT64)

    @property
    def seconds(self) -> Series:
        """The seconds of each span beside its days."""
        return self._made(F.call_function("div", self._rest(), F.expr(f"{_SECOND}L")).cast("int"), _INT32)

    @property
    def microseconds(self) -> Series:
        """The microseconds of each span beside its seconds."""
        return self._made(F.pmod(self._rest(), F.expr(f"{_SECOND}L")).cast("int"), _INT32)

    def total_seconds(self) -> Series:
        """The length of each span in seconds."""
        nanoseconds = microseconds(self._series._value.column) * F.expr("1000L")
        return self._made(nanoseconds.cast("double") / F.lit(1e9), FLOAT64)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(pd.Series(dtype="timedelta64[ns]").dt, name):
            raise AttributeError(f"'TimedeltaProperties' object has no attribute {name!r}")
        raise refused(f"Series.dt.{name}", "it is not made for Spark yet")
