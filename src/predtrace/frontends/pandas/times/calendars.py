"""What `dt.isocalendar()` and `dt.to_period()` give: objects that no column holds.

What programs make of them can be held: whole numbers, texts and moments. Everything else is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import each
from predtrace.frontends.pandas.core.dtypes import MOMENT, TEXT, Dtype
from predtrace.frontends.pandas.core.steps import refused

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series


def of_day(part: Callable[[Column], Column]) -> Callable[[Column], Column]:
    """A part of a day as a part of the moment."""
    return lambda moment: part(moment.cast("date"))


class IsoCalendar:
    """What `dt.isocalendar()` gives: numbers of the dtype UInt32, to be converted."""

    def __init__(self, series: Series) -> None:
        self._series = series

    @property
    def year(self) -> IsoNumber:
        """The year of the ISO calendar."""
        return IsoNumber(self._series, "year", of_day(lambda day: F.extract(F.lit("YEAROFWEEK"), day)))

    @property
    def week(self) -> IsoNumber:
        """The week."""
        return IsoNumber(self._series, "week", of_day(F.weekofyear))

    @property
    def day(self) -> IsoNumber:
        """The day of the week, Monday 1."""
        return IsoNumber(self._series, "day", of_day(lambda day: F.weekday(day) + 1))

    def __getitem__(self, name: str) -> IsoNumber:
        if name not in ("year", "week", "day"):
            raise KeyError(name)
        found: IsoNumber = getattr(self, name)
        return found

    def __getattr__(self, name: str) -> Any:
        raise refused("Series.dt.isocalendar()", "a frame of UInt32 is not", "take its week.astype(int)")


class IsoNumber:
    """A column of the ISO calendar, to be converted with `astype`."""

    def __init__(self, series: Series, name: str, part: Callable[[Column], Column]) -> None:
        self._series, self._name, self._part = series, name, part

    def astype(self, dtype: Any) -> Series:
        """The numbers as `int` or `float`."""
        name = pd.api.types.pandas_dtype(dtype).name
        if name not in ("int64", "int32", "float64"):
            raise refused(f"Series.dt.isocalendar().{self._name}.astype()", f"{dtype!r} is not")
        value = self._series._value
        if name != "float64" and value.dtype.may_miss and _has_missing(self._series):
            raise ValueError("cannot convert NA to integer")
        spark_type = {"int64": spark.LongType(), "int32": spark.IntegerType(), "float64": spark.DoubleType()}[
            name
        ]
        made = value.with_column(
            self._part(value.column).cast(spark_type), Dtype(name, spark_type, name == "float64")
        )
        return self._series._made(made, self._name)

    def __getattr__(self, name: str) -> Any:
        raise refused(
            f"Series.dt.isocalendar().{self._name}",
            "pandas gives it the dtype UInt32, which no column of Spark holds",
            f"write .{self._name}.astype(int)",
        )


class Periods:
    """What `dt.to_period()` gives: objects that no column holds, but texts and moments are made of them."""

    def __init__(self, series: Series, freq: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._freq = pd.Period("2020-01-01", freq).freqstr
        self._series = series

    def astype(self, dtype: Any) -> Series:
        """The periods as texts."""
        if dtype not in (str, "str"):
            raise refused("Series.dt.to_period().astype()", f"{dtype!r} is not")
        value, freq = self._series._value, self._freq
        found = each(lambda moment: str(pd.Period(moment, freq)), value, TEXT, "to_period")
        if value.dtype.may_miss:
            found = found.with_column(F.coalesce(found.column, F.lit("NaT")), TEXT)
        return self._series._made(found)

    @property
    def dt(self) -> Periods:
        """The accessor of periods."""
        return self

    def to_timestamp(self, freq: Any = None, how: str = "start") -> Series:
        """The moments that periods start with."""
        if freq is not None or how not in ("start", "s"):
            raise refused("Series.dt.to_period().dt.to_timestamp()", "it takes no arguments here")
        value, own = self._series._value, self._freq
        first = each(
            lambda moment: pd.Period(moment, own).start_time.to_pydatetime(), value, MOMENT, "to_period"
        )
        return self._series._made(first)

    start_time = property(to_timestamp)

    def __getattr__(self, name: str) -> Any:
        raise refused(
            "Series.dt.to_period()",
            "periods are held by no column",
            "write .dt.to_period(...).astype(str), or .dt.to_period(...).dt.to_timestamp()",
        )


def _has_missing(series: Series) -> bool:
    value = series._value
    return bool(value.space.rows(value.uses).where(value.column.isNull()).take(1))
