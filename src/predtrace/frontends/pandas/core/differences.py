"""The difference of two periods: how many spans are between them, which pandas says by an offset (`<2 * MonthEnds>`).

The spans are those of one period, whatever multiple of them the frequency is. Periods of other frequencies have no
difference: pandas raises `IncompatibleFrequency`.
"""

from __future__ import annotations

import pandas as pd
from pandas._libs.tslibs import IncompatibleFrequency
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import called
from predtrace.frontends.pandas.core.dtypes import Dtype, period_dtype
from predtrace.frontends.pandas.core.spaces import Value

_MONTHS = {"M": 1, "Q": 3, "Y": 12, "A": 12}
_DAYS = {"D": 1, "W": 7}


def difference_dtype(periods: Dtype, may_miss: bool) -> Dtype:
    """The offsets between periods of a dtype: those of one span, whatever multiple of it the frequency is.

    >>> difference_dtype(period_dtype("2M"), False).name
    'offsets[M]'
    """
    one = period_dtype(periods.shown(False).freq.base)
    return Dtype(f"offsets[{one.frequency}]", spark.LongType(), may_miss)


def between(left: Value, right: Value) -> Value:
    """How many spans the left period is after the right one."""
    one, other = left.dtype, right.dtype
    if one.name != other.name:
        raise IncompatibleFrequency(
            f"Input has different freq={other.frequency} from PeriodArray(freq={one.frequency})"
        )
    dtype = difference_dtype(one, one.may_miss or other.may_miss)
    length = dtype.frequency.partition("-")[0]
    a, b = left.column.cast("date"), right.column.cast("date")
    if length in _MONTHS:
        months = _month(a) - _month(b)
        return left.with_column((months / _MONTHS[length]).cast("bigint"), dtype, right)
    if length in _DAYS:
        return left.with_column((F.date_diff(a, b) / _DAYS[length]).cast("bigint"), dtype, right)
    return _by_numbers(left, right, dtype)


def _month(day: Column) -> Column:
    """The number of a month since year 0."""
    return F.year(day) * 12 + F.month(day)


def _by_numbers(left: Value, right: Value, dtype: Dtype) -> Value:
    """By the numbers that pandas itself has for the periods: of hours, business days."""
    own = left.dtype.shown(False).freq

    def spans(one: object, other: object) -> int | None:
        if one is None or other is None:
            return None
        return int(pd.Period(one, own).ordinal - pd.Period(other, own).ordinal)

    return called(spans, [left, right], dtype, "difference")
