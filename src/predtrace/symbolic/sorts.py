"""Which sort stands for which type, and which value for which literal.

| types | sort | equality and order |
|---|---|---|
| boolean | Bool | false < true |
| byte, short, integer, long | Int | exact |
| date, timestamps, ANSI intervals | Int | days, microseconds, months |
| decimal | Real | exact |
| float, double | Real, and whether it is -0.0 | the position on the line: infinities and NaN lie beyond all numbers |
| string (binary collation), binary | Real | a position that orders as the bytes do |
| all others | a sort of its own | by a position where two values may be equal and not the same |

The sorts hold more than the types do (an integer without bounds, a position between two strings): a statement
proved for all of them holds for those that exist. Positions are exact for literals, so literals are distinct and
ordered as Spark orders them.
"""

from __future__ import annotations

import struct
import sys
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from math import isfinite, isnan
from typing import Any

from predtrace.ir.types import DataType
from predtrace.symbolic.terms import (
    BOOL,
    FALSE,
    INT,
    REAL,
    Scalar,
    Term,
    boolean_value,
    constant,
    integer_value,
    real_value,
)


class Family(Enum):
    BOOLEAN = BOOL
    WHOLE = "whole number"
    MOMENT = "date, time or interval"
    DECIMAL = "decimal"
    FLOATING = "floating point"
    TEXT = "string or binary"
    OPAQUE = "opaque"


WHOLE_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 19}
"""How many digits the integer types need at most."""

_FAMILIES = {
    "boolean": Family.BOOLEAN,
    **dict.fromkeys(WHOLE_DIGITS, Family.WHOLE),
    **dict.fromkeys(("date", "timestamp", "timestamp_ntz"), Family.MOMENT),
    "decimal": Family.DECIMAL,
    **dict.fromkeys(("float", "double"), Family.FLOATING),
    **dict.fromkeys(("string", "binary"), Family.TEXT),
}
_SORTS = {Family.BOOLEAN: BOOL, Family.WHOLE: INT, Family.MOMENT: INT}
_SORTS.update(dict.fromkeys((Family.DECIMAL, Family.FLOATING, Family.TEXT), REAL))

INFINITY = Fraction(2**1024)
NOT_A_NUMBER = Fraction(2**1025)
_EPOCH = datetime(1970, 1, 1)


@lru_cache(maxsize=4096)
def family(type_: DataType) -> Family:
    if type_.name.startswith("interval "):
        return Family.MOMENT
    return _FAMILIES.get(type_.name, Family.OPAQUE)


@lru_cache(maxsize=4096)
def sort_of(type_: DataType) -> str:
    found = family(type_)
    return _shape(type_) if found is Family.OPAQUE else _SORTS[found]


def _shape(type_: DataType) -> str:
    """A type without the names of its fields: Spark compares structs by position."""
    inner = ", ".join(_shape(part) for part in type_.parts())
    return f"{type_.name}<{inner}>" if inner else type_.sql().lower()


@lru_cache(maxsize=4096)
def equality_is_identity(type_: DataType) -> bool:
    """Whether values that compare equal are the same to every function.

    Not so for -0.0 and 0.0, strings under a collation, maps (their order shows), nor for what holds them.
    Opaque scalars (variants, user types) are not trusted either.
    """
    if type_.parts() and type_.name != "map":
        return all(equality_is_identity(part) for part in type_.parts())
    return family(type_) not in {Family.FLOATING, Family.OPAQUE}


def some_value(sort: str) -> Term:
    """One fixed value of a sort, which stands in where a value is NULL."""
    known = {BOOL: FALSE, INT: _ZERO, REAL: _ZERO_REAL}.get(sort)
    return constant(f"some {sort}", sort) if known is None else known


_ZERO, _ZERO_REAL = integer_value(0), real_value(0)


def literal_term(value: Any, type_: DataType, text: str | None) -> tuple[Term, bool]:
    """The term of a literal that is not NULL, and whether it is -0.0.

    A value that only Spark can write, or of an opaque type, is a constant named by its text: the same text is
    the same value, and nothing is said about others.
    """
    found = family(type_)
    if text is None:
        known = _known(value, type_, found)
        if known is not None:
            return known, found is Family.FLOATING and known.value == 0 and str(float(value))[0] == "-"
        text = repr(value)
    return constant(f"{type_.sql()} {text}", sort_of(type_)), False


def _known(value: Any, type_: DataType, found: Family) -> Term | None:
    match found, value:
        case Family.BOOLEAN, bool():
            return boolean_value(value)
        case Family.WHOLE, int():
            return integer_value(int(value))
        case Family.DECIMAL, Decimal() | int():
            return real_value(Fraction(value))
        case Family.FLOATING, float() | int():
            return real_value(floating_position(float(value), type_.name == "float"))
        case Family.TEXT, str():
            return real_value(text_position(value.encode("utf-8", "surrogatepass")))
        case Family.TEXT, bytes() | bytearray():
            return real_value(text_position(bytes(value)))
        case Family.MOMENT, datetime():
            moment = value.astimezone(timezone.utc).replace(tzinfo=None) if value.tzinfo else value
            return integer_value((moment - _EPOCH) // timedelta(microseconds=1))
        case Family.MOMENT, date():
            return integer_value(value.toordinal() - _EPOCH.toordinal())
        case Family.MOMENT, timedelta():
            return integer_value(value // timedelta(microseconds=1))
    return None


def floating_position(value: float, single: bool = False) -> Fraction:
    """Where a floating-point number lies on the line; a single-precision one is rounded first."""
    if single and isfinite(value):
        value = _single(value)
    if isnan(value):
        return NOT_A_NUMBER
    return Fraction(value) if isfinite(value) else (INFINITY if value > 0 else -INFINITY)


def _single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return value * float("inf")


def text_position(data: bytes) -> Fraction:
    """A number in [0, 1) that orders as the bytes do, a prefix before what it begins.

    >>> text_position(b"a") < text_position(b"a\\0") < text_position(b"b")
    True
    """
    number = 0
    for byte in data:
        number = number * 257 + byte + 1
    return Fraction(number, 257 ** len(data))


def text_at(position: Fraction) -> bytes | None:
    """The bytes at a position, if there are any: the reverse of `text_position`.

    >>> text_at(text_position(b"late"))
    b'late'
    """
    if not 0 <= position < 1:
        return None
    data = bytearray()
    while position:
        digit, position = divmod(position * 257, 1)
        if not digit or len(data) > 1000:
            return None
        data.append(int(digit) - 1)
    return bytes(data)


def readable(raw: Scalar | str | None, type_: DataType, negative_zero: bool = False) -> object:
    """A value of a model as Python has it; what no Python value fits stays as the model has it."""
    match family(type_), raw:
        case Family.WHOLE | Family.BOOLEAN, bool() | int():
            return raw
        case Family.DECIMAL, Fraction():
            return Decimal(raw.numerator) / Decimal(raw.denominator)
        case Family.FLOATING, Fraction():
            if abs(raw) >= INFINITY:
                return float("nan") if raw > INFINITY else float("inf") * (1 if raw > 0 else -1)
            return -0.0 if negative_zero else _nearest_float(raw)
        case Family.TEXT, Fraction():
            data = text_at(raw)
            if data is not None:
                return data if type_.name == "binary" else data.decode("utf-8", "replace")
            return f"<{type_.sql().lower()} at {_nearest_float(raw):.6g}>"
        case Family.MOMENT, int():
            return _moment(raw, type_)
    return f"<{type_.sql().lower()} {raw}>"


def _nearest_float(number: Fraction) -> float:
    """The nearest number that a double holds; between the greatest of them and infinity the line goes on.

    >>> _nearest_float(INFINITY - 1)
    1.7976931348623157e+308
    """
    most = Fraction(sys.float_info.max)
    return float(min(max(number, -most), most))


def _moment(raw: int, type_: DataType) -> object:
    try:
        if type_.name == "date":
            return date.fromordinal(raw + _EPOCH.toordinal())
        if type_.name in {"timestamp", "timestamp_ntz"}:
            return _EPOCH + timedelta(microseconds=raw)
    except (OverflowError, ValueError):
        pass
    return f"<{type_.sql().lower()} {raw}>"
