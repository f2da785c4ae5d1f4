"""What the user's functions return, and the dtype that pandas gives a column of it.

pandas looks at all results of a function and then decides on a dtype. Here Spark looks, once: for every row a
function says of what kind the result is, and the few kinds there are come back. Then pandas itself is asked which
dtype it gives to a column with one value of each kind. The column of the plan calls the user's function again, and
returns what Spark holds for that dtype.

| kind | examples |
|---|---|
| `int`, `float`, `bool`, `str` | Python's own, and `nan` apart from `float` |
| `int8`, `float32`, `numpy's bool`, `text`... | those of numpy, and other classes of texts |
| `moment`, `span`, `date` | `pandas.Timestamp` or `datetime`; `pandas.Timedelta` or `timedelta`; `datetime.date` |
| `None`, `NaT` | missing, as `nan` is |
| `list of str`... | lists of one kind |
| any other | the name of its type: no column can hold it |
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import types as spark

from predtrace.frontends.pandas.applying.calling import Function
from predtrace.frontends.pandas.core.dtypes import BOOL, TEXT, Dtype, dtype_named, listed
from predtrace.frontends.pandas.core.steps import refused

DATE = Dtype("object", spark.DateType())
"""Objects that are days, such as `dt.date` gives."""
MISSING = frozenset({"nan", "None", "NaT"})
RAISED = "raised"

_NUMPY = ("int8", "int16", "int32", "int64", "float32", "float64")
_SAMPLES: dict[str, Any] = {
    "nan": float("nan"),
    "None": None,
    "NaT": pd.NaT,
    "int": 1,
    "float": 1.5,
    "bool": True,
    "str": "a",
    "numpy's bool": np.True_,
    "text": "a",
    "moment": pd.Timestamp(2020, 1, 1),
    "span": pd.Timedelta(days=1),
    "date": datetime.date(2020, 1, 1),
    **{name: np.dtype(name).type(1) for name in _NUMPY},
}
_LISTED: dict[str, spark.DataType] = {
    "list of str": spark.StringType(),
    "list of int": spark.LongType(),
    "list of float": spark.DoubleType(),
    "list of bool": spark.BooleanType(),
}
_EMPTY_LIST = "empty list"


def kind_teller() -> Function:
    """A function that says of what kind a value is."""

    def kind(value: Any) -> str:
        if value is None or value is pd.NaT:
            return "None" if value is None else "NaT"
        if isinstance(value, (bool, np.bool_)):
            return "bool" if isinstance(value, bool) else "numpy's bool"
        if isinstance(value, float):  # numpy's float64 is one, too
            return "nan" if value != value else "float64" if isinstance(value, np.float64) else "float"
        if isinstance(value, np.generic) and value.dtype.kind in "if":
            return str(value.dtype.name)
        if isinstance(value, (datetime.datetime, np.datetime64)):
            moment = pd.Timestamp(value)
            return "moment" if moment.tz is None and not moment.nanosecond else "finer or zoned moment"
        if isinstance(value, (datetime.timedelta, np.timedelta64)):
            return "span" if not pd.Timedelta(value).nanoseconds else "finer span"
        if type(value) is int:
            return "int" if -(2**63) <= value < 2**63 else "int beyond 64 bits"
        if isinstance(value, str):
            return "str" if type(value) is str else "text"
        if type(value) is datetime.date:
            return "date"
        if type(value) is list:
            kinds = {type(one).__name__ for one in value if one == one}
            if len(kinds) <= 1 and all(one == one for one in value):
                return f"list of {kinds.pop()}" if kinds else "empty list"
            return "mixed list"
        return type(value).__name__

    return kind


def sample_of(kind: str) -> Any:
    """A value of a kind."""
    return _SAMPLES.get(kind, [kind])


def decided(kinds: Iterable[str], call: str) -> Dtype:
    """The dtype that pandas gives to the results of a function, by their kinds.

    >>> decided({"int", "None"}, "Series.apply()").name, decided({"str", "nan"}, "Series.apply()").name
    ('float64', 'object')
    """
    found = set(kinds)
    check_held(found, call)
    samples = [sample_of(kind) for kind in sorted(found)]
    return held_as(pd.Series(range(len(samples))).map(samples.__getitem__).dtype, found, call)


def check_held(kinds: set[str], call: str) -> None:
    """Refuse kinds of values that no column can hold."""
    others = sorted(kinds - {*_SAMPLES, *_LISTED, _EMPTY_LIST})
    if others:
        raise refused(
            call, f"the function returns values ({', '.join(others)}) that no column of Spark holds"
        )


def held_as(shown: Any, kinds: set[str], call: str) -> Dtype:
    """The dtype for values of some kinds of which pandas makes a column of a dtype."""
    there = kinds - MISSING
    misses = kinds != there
    if shown == np.dtype(object):
        dtype = _of_objects(there)
    else:
        dtype = dtype_named(shown)
        if dtype is not None and dtype.name in _NUMPY and dtype.spark.simpleString() in _SMALL:
            # numpy's small numbers beside Python's: pandas may cut off what does not fit.
            dtype = dtype if there == {dtype.name} else None
    if dtype is None:
        raise refused(call, f"the function returns values of several types ({', '.join(sorted(there))})")
    return dtype.missing(misses or dtype.is_float)


_SMALL = ("tinyint", "smallint", "int", "float")


def _of_objects(there: set[str]) -> Dtype | None:
    if there <= {"str", "text"}:
        return TEXT
    if there <= {"bool", "numpy's bool"}:
        return BOOL
    if there == {"date"}:
        return DATE
    lists = there - {_EMPTY_LIST}
    if len(lists) <= 1 and lists <= set(_LISTED):
        return listed(_LISTED[lists.pop()] if lists else spark.StringType())
    return None


def as_held(kinds: set[str], dtype: Dtype) -> Function | None:
    """What makes of a function's result the value that Spark holds; None if it is that already."""
    there, missing = kinds - MISSING, kinds & MISSING
    if there <= _AS_IT_IS.get(dtype.name, set()):
        return _or_none() if missing - {"None"} else None
    # A float of numpy may be NaN, whatever its kind.
    plain = _PLAIN[dtype.name]
    return _converted(plain) if missing or dtype.is_float else plain


_AS_IT_IS = {
    "int64": {"int"},
    "float64": {"float"},
    "bool": {"bool"},
    "object": {"str", "date", _EMPTY_LIST, *_LISTED},
}
_PLAIN: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), lambda result: int(result)),
    **dict.fromkeys(("float32", "float64"), lambda result: float(result)),
    "bool": lambda result: bool(result),
    "object": lambda result: str(result),
    "datetime64[ns]": lambda result: pd.Timestamp(result).to_pydatetime(),
    "timedelta64[ns]": lambda result: pd.Timedelta(result).to_pytimedelta(),
}


def _or_none() -> Function:
    def or_none(result: Any) -> Any:
        return result if result == result else None  # NaN and NaT are not what they are

    return or_none


def _converted(plain: Function) -> Function:
    def converted(result: Any) -> Any:
        return plain(result) if result is not None and result == result else None

    return converted
