"""Values of one dtype as values of another: `astype`.

| from | to | as Python and numpy do it |
|---|---|---|
| text | whole numbers, floats | what `int()` and `float()` read; anything else is a ValueError |
| floats | whole numbers | cut off after the point; a missing or infinite value is an error |
| anything | text | what `str()` writes: `True`, `1.0`, `1e-05`, `nan` for a missing value |
| anything | booleans | a missing value is true |
| anything | category | the categories are the values there are, sorted |
| objects that are texts and numbers | numbers, text | `cleaning.mixed_values` |
| numbers, moments | whole numbers with NA, periods; and back | `cleaning.keeping` |

What would be an error for one value is an error for the whole column, so Spark looks for such values first. A missing
value is NaN; where the program put None among objects, which is another text and is false, it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import each
from predtrace.frontends.pandas.cleaning.categorical import as_category, plain
from predtrace.frontends.pandas.cleaning.keeping import as_kept, of_kept
from predtrace.frontends.pandas.cleaning.mixed_values import numbers_of, texts_of
from predtrace.frontends.pandas.core.dtypes import (
    BOOL,
    INT64,
    TEXT,
    WITH_NA,
    Dtype,
    conversion,
    dtype_named,
    dtype_with_na,
    period_dtype,
)
from predtrace.frontends.pandas.core.elements import changed, frame_of, is_series, series_of
from predtrace.frontends.pandas.core.facts import (
    any_true,
    as_shown,
    first_with,
    is_missing,
    one_misses,
    texts_and_numbers,
)
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Table
from predtrace.frontends.pandas.times.calendars import text_of_periods

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

_WHOLE_NUMBER = r"^\s*[+-]?\d+\s*$"
_FLOAT = r"(?i)^\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)\s*$"
_NOT_HERE = re.compile("string|boolean|Float(32|64)|UInt64")
_NO_OBJECTS = "objects that are no texts are not made for Spark"


class CastingFrame(Held):
    """These methods of a DataFrame."""

    def astype(self, dtype: Any, copy: Any = None, errors: str = "raise") -> DataFrame:
        """All columns, or those that a dict names, with another dtype."""
        only("DataFrame.astype()", {"errors": "raise"}, {"errors": errors})
        if is_series(dtype):
            dtype = dtype.to_pandas()
        if not isinstance(dtype, (Mapping, pd.Series)):
            return frame_of(changed(self, lambda _, value: cast(value, dtype, self._raw)))
        wanted = dict(dtype)
        for label in wanted:
            if label not in self._table.labels:
                raise KeyError(
                    "Only a column name can be used for the key in a dtype mappings argument. "
                    f"'{label}' not found in columns."
                )
        return frame_of(
            changed(
                self, lambda label, value: cast(value, wanted[label], self._raw) if label in wanted else value
            )
        )

    def infer_objects(self, copy: Any = None) -> DataFrame:
        """The same: columns have the dtype of their values already, or have texts among numbers."""
        for _, value in self._table.columns:
            _check_inferred(value)
        return frame_of(self.copy())

    def convert_dtypes(self, *args: Any, **given: Any) -> DataFrame:
        """Refused."""
        raise refused("DataFrame.convert_dtypes()", "dtypes with NA are not made for Spark")


class CastingSeries(Held):
    """These methods of a Series."""

    def astype(self, dtype: Any, copy: Any = None, errors: str = "raise") -> Series:
        """The values with another dtype."""
        only("Series.astype()", {"errors": "raise"}, {"errors": errors})
        if isinstance(dtype, Mapping):
            if list(dtype) != [series_of(self).name]:
                raise KeyError("Only the Series name can be used for the key in Series dtype mappings.")
            (dtype,) = dtype.values()
        return series_of(changed(self, lambda _, value: cast(value, dtype, self._raw)))

    def infer_objects(self, copy: Any = None) -> Series:
        """The same: a column has the dtype of its values already, or has texts among numbers."""
        _check_inferred(self._table.columns[0][1])
        return series_of(self.copy())

    def convert_dtypes(self, *args: Any, **given: Any) -> Series:
        """Refused."""
        raise refused("Series.convert_dtypes()", "dtypes with NA are not made for Spark")


def cast(value: Value, name: Any, table: Table) -> Value:
    """The value of a table's rows with the dtype that a user names."""
    if isinstance(name, pd.CategoricalDtype) or str(name) == "category":
        return as_category(value, name)
    to = _wanted(name)
    if to.name == "object":
        return as_text(value) if _is_str(name) else _as_object(value)
    value = plain(value)
    if value.dtype.is_mixed:
        return numbers_of(value, to, table)
    if to.is_kept or value.dtype.is_kept:
        return as_kept(value, to) if to.is_kept else of_kept(value, to)
    if to.is_moment:
        return _as_moment(value, table)
    if not to.is_number:
        raise refused(f"astype({to.name!r})", "such values cannot be made of others on Spark")
    if to.is_bool:
        return _as_bool(value)
    return _as_whole_number(value, to) if to.is_integer else _as_float(value, to)


def _wanted(name: Any) -> Dtype:
    if isinstance(name, pd.PeriodDtype) or str(name).startswith("period["):
        return period_dtype(pd.api.types.pandas_dtype(name).freq)
    if str(name) in WITH_NA:
        return dtype_with_na(str(name))
    if _NOT_HERE.fullmatch(str(name)):
        raise refused(f"astype({str(name)!r})", "dtypes with NA are not made for Spark")
    found = dtype_named(name)
    if found is None:
        plain = np.dtype(name)  # a TypeError, if numpy does not know it either
        found = dtype_named(plain.name)
    if found is None:
        raise refused(f"astype({str(name)!r})", "Spark has no such values")
    return found


def _check_inferred(value: Value) -> None:
    """Refuse objects that are numbers alone: pandas finds another dtype for them."""
    if value.dtype.is_mixed and texts_and_numbers(value) == (False, True):
        raise refused(
            "infer_objects() of numbers alone", "the column held texts, too", conversion(value.dtype)
        )


def _is_str(name: Any) -> bool:
    return name is str or name in ("str", "U") or name is np.str_


def _as_object(value: Value) -> Value:
    if value.dtype.is_text or value.dtype.is_mixed:
        return plain(value)
    raise refused(f"astype(object) of {value.dtype.name}", _NO_OBJECTS)


def _as_whole_number(value: Value, to: Dtype) -> Value:
    dtype = value.dtype
    if dtype.is_text:
        return _parsed(value, to, _WHOLE_NUMBER, int, "invalid literal for int() with base 10: {!r}")
    if dtype.is_moment:
        return _nanoseconds(value, to)
    if not dtype.is_number:
        raise refused(f"astype({to.name!r}) of {dtype.name}", "it is not known on Spark")
    if dtype.is_bool and one_misses(value):
        raise ValueError("cannot convert float NaN to integer")
    if dtype.is_float:
        infinite = value.with_column(F.abs(value.column) == float("inf"), BOOL)
        if any(any_true([infinite, is_missing(value)])):
            raise pd.errors.IntCastingNaNError("Cannot convert non-finite values (NA or inf) to integer")
    elif one_misses(value):
        raise pd.errors.IntCastingNaNError("Cannot convert non-finite values (NA or inf) to integer")
    if dtype.name == to.name:
        return value.with_column(value.column, to)
    return value.with_column(value.column.cast(to.spark), to)


def _as_float(value: Value, to: Dtype) -> Value:
    dtype = value.dtype
    if dtype.is_text:
        made = _parsed(value, to, _FLOAT, float, "could not convert string to float: {!r}")
        return made.with_column(F.nullif(made.column, F.lit(float("nan")).cast(to.spark)), to)
    if not dtype.is_number:
        raise refused(f"astype({to.name!r}) of {dtype.name}", "it is not known on Spark")
    if dtype.name == to.name:
        return value
    return value.with_column(value.column.cast(to.spark), to.missing(dtype.may_miss))


def _parsed(value: Value, to: Dtype, pattern: str, reader: type, message: str) -> Value:
    """Texts as numbers. What Python reads and Spark does not (`1_000`) is refused, anything else is pandas' error."""
    if to.is_integer and one_misses(value):
        raise ValueError("cannot convert float NaN to integer")
    wrong = value.with_column(~F.rlike(value.column, F.lit(pattern)), BOOL)
    bad = first_with(wrong, value)
    if bad is not None:
        try:
            reader(bad)
        except ValueError:
            raise ValueError(message.format(bad)) from None
        raise refused(f"astype({to.name!r}) of {bad!r}", "Spark does not read such numbers")
    return value.with_column(value.column.cast(to.spark), to)


def _nanoseconds(value: Value, to: Dtype) -> Value:
    """Moments as nanoseconds since 1970; a missing one is the smallest number."""
    if to.name != "int64":
        raise TypeError(
            f"Converting from datetime64[ns] to {to.name} is not supported. Do obj.astype('int64')"
        )
    day = F.datediff(value.column.cast("date"), F.lit("1970-01-01").cast("date")).cast("bigint")
    seconds = (day * 24 + F.hour(value.column)) * 3600 + F.minute(value.column) * 60
    micros = (F.date_part(F.lit("SECOND"), value.column) * 1_000_000).cast("bigint")
    column = (seconds * 1_000_000 + micros) * 1000
    if value.dtype.may_miss:
        column = F.coalesce(column, F.lit(-(2**63)))
    return value.with_column(column, INT64)


def _check_none(to: str, value: Value) -> None:
    if value.dtype.has_none and one_misses(value):
        raise refused(f"astype({to}) of objects", "some are None, and others may be NaN", "fill them first")


def _as_bool(value: Value) -> Value:
    _check_none("bool", value)
    return truth(value)


def truth(value: Value) -> Value:
    """Whether a value counts as true: numbers that are not zero, texts that are not empty. NaN does."""
    dtype = value.dtype
    if dtype.is_bool:
        column = value.column
    elif dtype.is_number:
        column = value.column != 0
    elif dtype.is_text:
        column = value.column != ""
    else:
        raise refused(f"{dtype.name} as a condition or astype(bool)", "it is not known on Spark")
    return value.with_column(F.coalesce(column, F.lit(True)) if dtype.may_miss else column, BOOL)


def _as_moment(value: Value, table: Table) -> Value:
    if value.dtype.is_moment:
        return value
    if not value.dtype.is_text and not _is_day(value.dtype):
        raise refused(f"astype('datetime64[ns]') of {value.dtype.name}", "use pd.to_datetime()")
    from predtrace.frontends.pandas.cleaning.converting import to_datetime
    from predtrace.frontends.pandas.series import Series

    made: Value = to_datetime(Series._of(replace(table, columns=((None, value),))))._value
    return made


def _is_day(dtype: Dtype) -> bool:
    """Whether the values are objects that are days, as `dt.date` gives them."""
    return isinstance(dtype.spark, spark.DateType)


def as_text(value: Value) -> Value:
    """The value as `str()` writes it; `nan` where it is missing."""
    (value,) = as_shown([plain(value)])
    _check_none("str", value)
    if value.dtype.is_mixed:
        value = texts_of(value)
    dtype = value.dtype
    if dtype.is_period:
        return text_of_periods(value)
    missing = "<NA>" if dtype.is_kept else "nan"
    if dtype.is_text:
        column = value.column
    elif dtype.is_bool:
        column = F.when(value.column, F.lit("True")).when(~value.column, F.lit("False"))
    elif dtype.is_integer or dtype.is_whole_with_na:
        column = value.column.cast("string")
    elif dtype.is_float:
        column = each(_text_of_float(dtype), value, TEXT, "repr").column
    elif dtype.is_moment:
        column, missing = value.column.cast(_moment_text(value)).cast("string"), "NaT"
    elif _is_day(dtype):
        column, missing = value.column.cast("string"), "NaT"
    else:
        raise refused(f"astype(str) of {dtype.name}", "it is not known on Spark")
    if dtype.may_miss:
        column = F.coalesce(column, F.lit(missing))
    return value.with_column(column, TEXT.missing(False))


def _text_of_float(dtype: Dtype) -> Callable[[float], str]:
    """Python's own function: Java writes other digits and other exponents."""
    if dtype.name == "float32":
        return lambda number: str(np.float32(number))
    return lambda number: repr(number)


def _moment_text(value: Value) -> str:
    """Days alone, if no value has a time of day."""
    day = value.column.cast("date").cast("timestamp_ntz")
    fraction = F.date_part(F.lit("SECOND"), value.column) % 1 != 0
    has_time, has_fraction = any_true(
        [value.with_column(value.column != day, BOOL), value.with_column(fraction, BOOL)]
    )
    if has_fraction:
        raise refused("astype(str) of moments", "they have parts of seconds; use dt.strftime()")
    return "timestamp_ntz" if has_time else "date"
