"""The types of pandas' columns and the types of Spark that hold their values.

A missing value (NaN, None, NaT) is NULL in Spark, whatever the type; NaN is never stored. Where pandas has no room
for it, the dtype that a column shows depends on its values: whole numbers with one missing are float64, booleans are
object. Such a column keeps its own values here, and `may_miss`: what it shows is settled when somebody looks.

Periods (`period[M]`, held by the moment they begin with) and whole numbers with NA (`Int64`, `UInt32`) have rules of
their own. They are `kept`: rows can be grouped, sorted, joined and shown by them, and they can be converted. What
would calculate with them is refused.

The differences of periods (`offsets[M]`, held by how many spans they are) are kept, too. pandas has objects there,
its offsets: functions are given these, but rows do not go by them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import types as spark

from predtrace.frontends.pandas.core.steps import refused

_INTEGERS = {
    "int8": spark.ByteType(),
    "int16": spark.ShortType(),
    "int32": spark.IntegerType(),
    "int64": spark.LongType(),
}
_SPARK: dict[str, spark.DataType] = {
    **_INTEGERS,
    "float32": spark.FloatType(),
    "float64": spark.DoubleType(),
    "bool": spark.BooleanType(),
    "datetime64[ns]": spark.TimestampNTZType(),
    "timedelta64[ns]": spark.DayTimeIntervalType(),
    "object": spark.StringType(),
    "category": spark.StringType(),
}
WITH_NA: dict[str, spark.DataType] = {
    "Int8": spark.ByteType(),
    "Int16": spark.ShortType(),
    "Int32": spark.IntegerType(),
    "Int64": spark.LongType(),
    "UInt8": spark.ShortType(),
    "UInt16": spark.IntegerType(),
    "UInt32": spark.LongType(),
}
_ALIASES = {
    "int": "int64",
    "float": "float64",
    "str": "object",
    "string": "object",
    "O": "object",
    "boolean": "bool",
    "datetime64": "datetime64[ns]",
}


@dataclass(frozen=True)
class Dtype:
    """What pandas shows as a column's dtype, and how Spark holds the values.

    `has_objects`: booleans that pandas holds as objects, because one was missing before rows were left out.
    `has_none`: the program itself put None among objects, which most of pandas takes for NaN, but not all.
    """

    name: str
    spark: spark.DataType
    may_miss: bool = True
    categories: tuple[Any, ...] | None = None
    is_ordered: bool = False
    has_objects: bool = False
    has_none: bool = False

    @property
    def is_integer(self) -> bool:
        return self.name in _INTEGERS

    @property
    def is_float(self) -> bool:
        return self.name in ("float32", "float64")

    @property
    def is_bool(self) -> bool:
        return self.name == "bool"

    @property
    def is_number(self) -> bool:
        """Whether it is calculated with as numpy does; who asks that of whole numbers with NA would be wrong."""
        if self.is_whole_with_na:
            raise refused(f"calculating with {self.name}", "NA has rules of its own", conversion(self))
        return self.is_integer or self.is_float or self.is_bool

    @property
    def is_text(self) -> bool:
        """Objects, of which Spark holds texts; other objects have another Spark type."""
        return self.name in ("object", "category") and isinstance(self.spark, spark.StringType)

    @property
    def is_moment(self) -> bool:
        return self.name == "datetime64[ns]"

    @property
    def is_period(self) -> bool:
        return self.name.startswith("period[")

    @property
    def frequency(self) -> str:
        """How long periods are, or the spans between them, as their dtype says it: `M`, `Q-DEC`."""
        return self.name[self.name.index("[") + 1 : -1]

    @property
    def is_difference(self) -> bool:
        """How many spans are between two periods: what pandas holds as objects, its offsets."""
        return self.name.startswith("offsets[")

    @property
    def is_whole_with_na(self) -> bool:
        return self.name in WITH_NA

    @property
    def is_mixed(self) -> bool:
        """Objects that are texts and numbers (`core.mixed`)."""
        return self.name.startswith("mixed[")

    @property
    def numbers(self) -> str:
        """The dtype of the numbers among such objects."""
        return self.name[len("mixed[") : -1]

    @property
    def is_kept(self) -> bool:
        """Values that have rules of their own: nothing is calculated with them."""
        return self.is_period or self.is_whole_with_na or self.is_mixed or self.is_difference

    def missing(self, may_miss: bool = True) -> Dtype:
        """The same with other knowledge about missing values."""
        if may_miss and self.is_difference:  # a function would be given NaT where pandas has NaN
            raise refused(
                f"a step after which {self.name} may be missing",
                "its values are objects of pandas",
                conversion(self),
            )
        return replace(self, may_miss=may_miss)

    def shown(self, misses: bool) -> Any:
        """The dtype that pandas shows, given whether a value is missing."""
        if self.categories is not None:
            return pd.CategoricalDtype(list(self.categories), self.is_ordered)
        if self.is_mixed or self.is_difference:
            return np.dtype("object")
        if self.is_kept:
            return pd.api.types.pandas_dtype(self.name)
        if misses and self.is_integer:
            return np.dtype("float64")
        if self.is_bool and (misses or self.has_objects):
            return np.dtype("object")
        return np.dtype(self.name)


INT64 = Dtype("int64", spark.LongType(), may_miss=False)
FLOAT64 = Dtype("float64", spark.DoubleType())
BOOL = Dtype("bool", spark.BooleanType(), may_miss=False)
TEXT = Dtype("object", spark.StringType())
MOMENT = Dtype("datetime64[ns]", spark.TimestampNTZType())
SPAN = Dtype("timedelta64[ns]", spark.DayTimeIntervalType())


def listed(of: spark.DataType) -> Dtype:
    """Objects that are lists, such as `str.split` gives."""
    return Dtype("object", spark.ArrayType(of))


def period_dtype(freq: Any) -> Dtype:
    """Periods of a frequency.

    >>> period_dtype("M").name, period_dtype("W").name
    ('period[M]', 'period[W-SUN]')
    """
    return Dtype(str(pd.PeriodDtype(freq)), spark.TimestampNTZType())


def dtype_with_na(name: str) -> Dtype:
    """Whole numbers with NA, by pandas' name."""
    return Dtype(name, WITH_NA[name])


def mixed_dtype(numbers: str) -> Dtype:
    """Objects that are texts and numbers of a dtype.

    >>> mixed_dtype("int64").numbers, mixed_dtype("int64").is_text
    ('int64', False)
    """
    return Dtype(f"mixed[{numbers}]", spark.StringType())


def kept_value(value: Any, dtype: Dtype) -> Any:
    """A value of Spark as pandas has it, for dtypes that are kept."""
    if dtype.is_mixed:
        from predtrace.frontends.pandas.core.mixed import object_reader

        return object_reader()(value)
    if value is None:
        return pd.NA if dtype.is_whole_with_na else pd.NaT
    if dtype.is_difference:
        return pd.PeriodDtype(dtype.frequency).freq.base * int(value)
    return pd.Period(value, dtype.shown(False).freq) if dtype.is_period else value


def conversion(dtype: Dtype) -> str:
    """What to do where values that are kept are of no use."""
    if dtype.is_mixed:
        return "make one kind of them first: .astype(str), .astype(float) or pd.to_numeric()"
    into = ".dt.to_timestamp() or .astype(str)" if dtype.is_period else ".astype(int) or .astype(float)"
    if dtype.is_difference:
        into = ".apply(lambda x: x.n)"
    return f"convert them first: {into}"


def check_not_kept(call: str, *dtypes: Dtype) -> None:
    """Refuse what pandas does by rules that are not made here."""
    for dtype in dtypes:
        if dtype.is_kept:
            raise refused(f"{call} of {dtype.name}", "it has rules of its own", conversion(dtype))


def check_no_difference(call: str, *dtypes: Dtype) -> None:
    """Refuse offsets where rows go by values: they have no order in pandas."""
    check_not_kept(call, *(dtype for dtype in dtypes if dtype.is_difference))


def check_same_kept(call: str, one: Dtype, other: Dtype) -> None:
    """Refuse values that are kept beside others: what is equal in Spark need not be equal in pandas."""
    if one.name != other.name and (one.is_kept or other.is_kept):
        kept = one if one.is_kept else other
        raise refused(
            f"{call}, of {one.name} and {other.name}", "their values are not alike", conversion(kept)
        )


def dtype_named(name: Any) -> Dtype | None:
    """The dtype that a user names: `int`, `"float64"`, `np.int32`; None if it is not known here.

    >>> dtype_named(int).name, dtype_named("datetime64[ns]").name, dtype_named("complex128")
    ('int64', 'datetime64[ns]', None)
    """
    if isinstance(name, pd.CategoricalDtype) and name.categories is not None:
        return Dtype("category", spark.StringType(), True, tuple(name.categories), bool(name.ordered))
    if isinstance(name, type) and name in (int, float, str, bool, object):
        name = name.__name__
    elif isinstance(name, type) and issubclass(name, np.generic):
        name = np.dtype(name).name
    text = _ALIASES.get(str(name), str(name))
    if text not in _SPARK:
        return None
    return Dtype(text, _SPARK[text], may_miss=text not in (*_INTEGERS, "bool"))


def dtype_of_values(values: pd.Series) -> Dtype | None:
    """The dtype of a column of pandas, if Spark can hold its values; None otherwise."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        if not all(isinstance(one, str) for one in values.dtype.categories):
            return None
        return dtype_named(values.dtype)
    name = str(values.dtype)
    if isinstance(values.dtype, pd.PeriodDtype):
        return period_dtype(values.dtype.freq)
    if name in WITH_NA:
        return dtype_with_na(name)
    if name.startswith("datetime64[") and name.endswith("]") and "," not in name:
        return MOMENT
    if name != "object":
        return dtype_named(name)
    kinds = {type(one) for one in values if not _is_missing(one)}
    if kinds <= {str}:
        return TEXT
    if kinds <= {bool, np.bool_}:
        return BOOL.missing()
    return _of_lists(values) if kinds == {list} else _of_mixed(values, kinds)


_IN_LISTS: dict[type, spark.DataType] = {str: spark.StringType(), int: spark.LongType()}


def _of_lists(values: pd.Series) -> Dtype | None:
    """The dtype of lists that have values of one kind, and miss none of them."""
    kinds = {type(part) for one in values if isinstance(one, list) for part in one} or {str}
    (kind, *others) = kinds
    return listed(_IN_LISTS[kind]) if not others and kind in _IN_LISTS else None


def _of_mixed(values: pd.Series, kinds: set[type]) -> Dtype | None:
    """The dtype of texts and numbers, all whole ones or all floats."""
    numbers = kinds - {str}
    if numbers <= {int, np.int64}:
        fits = all(abs(one) < 2**63 for one in values if type(one) in numbers)
        return mixed_dtype("int64") if fits else None
    return mixed_dtype("float64") if numbers <= {float, np.float64} else None


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NaT or (isinstance(value, float) and value != value)


def dtype_of_scalar(value: Any) -> Dtype | None:
    """The dtype of a column that has this value in every row."""
    if _is_missing(value):
        return FLOAT64 if isinstance(value, float) else TEXT
    if isinstance(value, (bool, np.bool_)):
        return BOOL
    if isinstance(value, (pd.Timedelta, np.timedelta64)) or type(value).__name__ == "timedelta":
        return SPAN  # before whole numbers: numpy's spans are such
    if isinstance(value, (int, np.integer)):
        return INT64
    if isinstance(value, (float, np.floating)):
        return FLOAT64
    if isinstance(value, str):
        return TEXT
    if isinstance(value, pd.Period):
        return period_dtype(value.freq).missing(False)
    if isinstance(value, (pd.Timestamp, np.datetime64)) or type(value).__name__ == "datetime":
        return MOMENT
    return None


def common(left: Dtype, right: Dtype) -> Dtype | None:
    """The dtype that holds the values of both, as when columns are put one below the other; None if objects."""
    may_miss = left.may_miss or right.may_miss
    if left.name == right.name and left.categories == right.categories and left.spark == right.spark:
        has_objects, has_none = left.has_objects or right.has_objects, left.has_none or right.has_none
        return replace(left, may_miss=may_miss, has_objects=has_objects, has_none=has_none)
    if left.is_text and right.is_text:
        return TEXT
    if left.is_kept or right.is_kept:
        return None
    if left.is_bool or right.is_bool or not (left.is_number and right.is_number):
        return None
    result = dtype_named(str(np.result_type(left.name, right.name)))
    return result.missing(may_miss or result.is_float) if result is not None else None
