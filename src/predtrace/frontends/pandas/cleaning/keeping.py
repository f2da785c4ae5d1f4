"""Values that are kept (`Dtype.is_kept`) made of others, and others of them: `astype`.

Whole numbers with NA are the same numbers; a missing one is NA, and not a number of numpy's. Periods are made of
moments and become the moments that they begin with.
"""

from __future__ import annotations

from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, INT64, Dtype, conversion
from predtrace.frontends.pandas.core.facts import any_true, one_misses
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.times.calendars import in_periods

_BYTES = {"tinyint": 1, "smallint": 2, "int": 4, "bigint": 8}


def as_kept(value: Value, to: Dtype) -> Value:
    """The value as periods or whole numbers with NA."""
    dtype = value.dtype
    if dtype.name == to.name:
        return value
    if to.is_period and dtype.is_moment:
        return in_periods(value, to.shown(False).freq)
    if to.is_period or not (dtype.is_whole_with_na or dtype.is_number):
        raise refused(f"astype({to.name!r}) of {dtype.name}", "such values are not made of these on Spark")
    if dtype.is_float:
        broken = value.with_column(F.rint(value.column) != value.column, BOOL)
        is_broken, is_large = any_true([broken, value.with_column(F.abs(value.column) >= 2.0**53, BOOL)])
        if is_large:
            raise refused(f"astype({to.name!r}) of {dtype.name}", "a number is too large to be sure of it")
        if is_broken:
            raise TypeError(f"cannot safely cast non-equivalent {dtype.name} to {to.name.lower()}")
    if to.name != "Int64" and not _fits(dtype, to):
        raise refused(f"astype({to.name!r}) of {dtype.name}", "the numbers may be too large", "use 'Int64'")
    return value.with_column(value.column.cast(to.spark), to.missing(dtype.may_miss))


def _fits(dtype: Dtype, to: Dtype) -> bool:
    if dtype.is_float or to.name.startswith("U"):
        return False
    return dtype.is_bool or _BYTES[dtype.spark.simpleString()] <= _BYTES[to.spark.simpleString()]


def _is_beyond(value: Value, to: Dtype) -> bool:
    """Whether some number is too large for a dtype. Asks Spark."""
    most = 2 ** (8 * _BYTES[to.spark.simpleString()] - 1)
    is_large = value.with_column(F.abs(value.column) >= F.lit(most), BOOL)
    return to.name.lower().startswith("u") or any_true([is_large])[0]


def of_kept(value: Value, to: Dtype) -> Value:
    """Moments of periods, and numbers of whole numbers with NA."""
    dtype = value.dtype
    if dtype.is_period and to.is_moment:
        return value.with_column(value.column, to.missing(dtype.may_miss))
    if dtype.is_period or dtype.is_difference or not (to.is_float or to.is_integer):
        raise refused(f"astype({to.name!r}) of {dtype.name}", "it is not known on Spark", conversion(dtype))
    if to.is_integer and one_misses(value):
        raise ValueError("cannot convert NA to integer")
    if to.is_integer and not _fits(INT64 if dtype.name == "UInt32" else dtype, to) and _is_beyond(value, to):
        raise refused(f"astype({to.name!r}) of {dtype.name}", "the numbers may be too large", "use int")
    return value.with_column(value.column.cast(to.spark), to.missing(to.is_float and dtype.may_miss))
