"""Constants with the types Spark gives them, and the common type that Spark compares two values in.

Only what is certain; whatever depends on the session (time zones) or on how Spark reads text is left to Spark.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timezone
from decimal import Decimal
from functools import reduce
from typing import Any

from predtrace.errors import InputError
from predtrace.ir.expressions import Cast, Expression, Literal
from predtrace.ir.types import BOOLEAN, DATE, DOUBLE, INTEGER, LONG, STRING, VOID, DataType, DecimalType

_WHOLE = {"byte": 3, "short": 5, "integer": 10, "long": 20}
"""The decimal digits that Spark gives to whole numbers, narrowest first."""
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class AskSpark(InputError):
    """A condition that may be valid, but that only Spark can read with certainty."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} can only be read by Spark", todo="compare output columns with plain constants"
        )
        self.reason = what


def number(text: str) -> Literal:
    """A number as SQL writes it.

    >>> number("5").type.name, number("0.05").type.sql(), number("1e3").value
    ('integer', 'DECIMAL(2,2)', 1000.0)
    """
    if re.fullmatch(r"\d+", text):
        return _whole(int(text))
    if re.fullmatch(r"\d+\.\d*|\.\d+", text):
        return _decimal(Decimal(text))
    if re.fullmatch(r"(\d+\.?\d*|\.\d+)[eE][+-]?\d+", text) and abs(float(text)) != float("inf"):
        return Literal(float(text), DOUBLE)
    raise AskSpark(f"the number {text}")


def _whole(value: int) -> Literal:
    if -(2**31) <= value < 2**31:
        return Literal(value, INTEGER)
    return Literal(value, LONG) if -(2**63) <= value < 2**63 else _decimal(Decimal(value))


def _decimal(value: Decimal) -> Literal:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or exponent > 0 or max(len(digits), -exponent) > 38:
        raise AskSpark(f"the number {value}")
    return Literal(value, DecimalType("decimal", max(len(digits), -exponent), -exponent))


def negated(constant: Literal) -> Literal:
    """A number with its sign changed."""
    return (
        _whole(-constant.value)
        if isinstance(constant.value, int)
        else Literal(-constant.value, constant.type)
    )


def python_value(value: Any) -> Literal:
    """A Python value with the type that Spark gives it."""
    match value:
        case None:
            return Literal(None, VOID)
        case bool():
            return Literal(value, BOOLEAN)
        case int() if -(2**63) <= value < 2**63:
            return _whole(value)
        case float():
            return Literal(float(value), DOUBLE)
        case Decimal():
            return _decimal(value)
        case str():
            return Literal(str(value), STRING)
        case bytes() | bytearray():
            return Literal(bytes(value), DataType("binary"))
        case datetime():
            return Literal(value.astimezone(timezone.utc), DataType("timestamp"))
        case date():
            return Literal(value, DATE)
    raise AskSpark(f"a value of the Python type {type(value).__name__}")


def alike(expressions: list[Expression]) -> tuple[Expression, ...]:
    """The expressions as Spark compares them: all of one type."""
    types = {part.type for part in expressions}
    if DATE in types and STRING in types:
        expressions = [_as_date(part) for part in expressions]
    common = reduce(_common, (part.type for part in expressions if part.type != VOID), VOID)
    if common == VOID:
        raise AskSpark("a comparison of nothing but NULLs")
    return tuple(_as(part, common) for part in expressions)


def _as_date(part: Expression) -> Expression:
    if part.type != STRING:
        return part
    if not isinstance(part, Literal) or not _ISO_DATE.fullmatch(str(part.value)):
        raise AskSpark("a date compared with text")
    try:
        return Literal(date.fromisoformat(part.value), DATE)
    except ValueError:
        raise AskSpark(f"the date {part.value!r}") from None


def _common(one: DataType, other: DataType) -> DataType:
    if one in (other, VOID):
        return other
    if one.name in _WHOLE and other.name in _WHOLE:
        return max(one, other, key=lambda type_: _WHOLE[type_.name])
    names = {one.name, other.name}
    if "double" in names and names <= {"double", "float", "decimal", *_WHOLE}:
        return DOUBLE
    if names <= {"decimal", *_WHOLE}:
        pair = [_digits(one), _digits(other)]
        scale = max(type_.scale for type_ in pair)
        whole = max(type_.precision - type_.scale for type_ in pair)
        if whole + scale <= 38:
            return DecimalType("decimal", whole + scale, scale)
    raise AskSpark(f"a comparison of {one} with {other}")


def _digits(type_: DataType) -> DecimalType:
    return type_ if isinstance(type_, DecimalType) else DecimalType("decimal", _WHOLE[type_.name], 0)


def _as(part: Expression, type_: DataType) -> Expression:
    if part.type == type_:
        return part
    if not isinstance(part, Literal):
        return Cast(part, type_)
    if part.value is None:
        return Literal(None, type_)
    if type_ == DOUBLE:
        return Literal(float(part.value), DOUBLE)
    return Literal(Decimal(part.value) if isinstance(type_, DecimalType) else part.value, type_)
