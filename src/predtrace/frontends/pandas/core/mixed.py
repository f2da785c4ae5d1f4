"""Objects that are texts and numbers: what `replace("-", 0)` makes of texts, or a total named `All` below numbers.

| in pandas | held as |
|---|---|
| a text | the text after an `s` |
| a whole number | its digits after an `i` |
| a float | its digits after an `f`, as Spark writes them |

The numbers of a column are of one dtype, and -0.0 is 0.0, so that what is equal in pandas is equal here. Such values
are kept (`Dtype.is_kept`): they are shown, compared with one value, counted, given to functions and converted. What
would sort them is refused: Python cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, TEXT, Dtype, mixed_dtype
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused

_ALL = 2**31 - 1


def mixed_of(kinds: Iterable[Dtype]) -> Dtype | None:
    """The dtype that holds texts and numbers of these dtypes; None if there is none, or no need of one."""
    all_kinds = list(kinds)
    numbers = {_numbers_of(kind) for kind in all_kinds if not _is_plain_text(kind)}
    if len(numbers) != 1 or None in numbers:
        return None
    dtype = mixed_dtype(numbers.pop() or "")
    return replace(dtype, has_none=any(kind.has_none for kind in all_kinds))


def _is_plain_text(dtype: Dtype) -> bool:
    return dtype.is_text and dtype.categories is None


def _numbers_of(dtype: Dtype) -> str | None:
    if dtype.is_mixed:
        return dtype.numbers
    if dtype.categories is not None:
        return None
    return "int64" if dtype.is_integer else "float64" if dtype.name == "float64" else None


def as_mixed(value: Value) -> Column:
    """Texts or numbers, or both already, as they are held."""
    dtype = value.dtype
    if dtype.is_mixed:
        return value.column
    if dtype.is_text:
        return F.concat(F.lit("s"), value.column)
    if dtype.is_integer:
        return F.concat(F.lit("i"), value.column.cast("string"))
    return F.concat(F.lit("f"), (value.column + F.lit(0.0)).cast("string"))  # -0.0 is 0.0


def held_object(one: Any) -> str | None:
    """An object of Python as it is held, but for the digits of floats, which Python writes otherwise."""
    if isinstance(one, str):
        return f"s{one}"
    if pd.isna(one):
        return None
    if isinstance(one, (int, np.integer)):
        return f"i{int(one)}"
    return f"f{float(one) + 0.0!r}"


def as_spark_writes(column: Column, dtype: Dtype) -> Column:
    """What Python wrote into a column of rows (`held_object`) as it is held."""
    if not dtype.is_mixed or dtype.numbers != "float64":
        return column
    digits = F.substring(column, 2, _ALL).cast("double").cast("string")
    return F.when(F.startswith(column, F.lit("f")), F.concat(F.lit("f"), digits)).otherwise(column)


def object_reader() -> Callable[[Any], Any]:
    """A function that makes the object of what is held. It is sent to Spark's processes, so all it uses is inside."""
    made: dict[str, Callable[[str], Any]] = {"s": str, "i": int, "f": float}
    nan = float("nan")

    def read(held: Any) -> Any:
        return nan if held is None else made[held[0]](held[1:])

    return read


def is_text(value: Value) -> Column:
    """Where a mixed value is a text."""
    return F.startswith(value.column, F.lit("s"))


def content(value: Value) -> Column:
    """The text, or the digits of the number."""
    return F.substring(value.column, 2, _ALL)


def texts_among(value: Value) -> Value:
    """The texts; what is a number is missing."""
    return value.with_column(F.when(is_text(value), content(value)), TEXT)


def equals(symbol: str, value: Value, other: Value) -> Value:
    """`==` and `!=` with one value of the program."""
    constant, is_equal = other.constant, symbol == "=="
    if constant is None or isinstance(constant, (bool, np.bool_)):
        raise refused(
            f"{value.dtype.name} {symbol} other", "texts and numbers are compared with one of them only"
        )
    held = None if pd.isna(constant) else held_constant(constant, value.dtype)
    if held is None:
        return value.with_column(F.lit(not is_equal), BOOL)
    found = value.column == held if is_equal else value.column != held
    return value.with_column(F.coalesce(found, F.lit(not is_equal)), BOOL)


def held_constant(constant: Any, dtype: Dtype) -> Column | None:
    """A text or number as a column of this dtype holds it; None if it can be no value of it."""
    if isinstance(constant, str):
        return F.lit(f"s{constant}")
    if isinstance(constant, bool) or not isinstance(constant, (int, float, np.number)):
        return None
    if dtype.numbers == "int64":
        is_whole = isinstance(constant, (int, np.integer)) or float(constant).is_integer()
        return F.lit(f"i{int(constant)}") if is_whole else None
    number = _equal_float(constant)
    return None if number is None else F.concat(F.lit("f"), (F.lit(number) + F.lit(0.0)).cast("string"))


def _equal_float(number: Any) -> float | None:
    """The float that equals a number, if there is one."""
    try:
        found = float(number)
    except OverflowError:
        return None
    return found if found == number else None
