"""The values of constants that Spark has not worked out yet: `5` compared with a bigint is `cast(5 as bigint)`.

Only casts whose outcome depends on nothing else, neither on settings nor on how Spark reads text.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from predtrace.ir.expressions import Cast, Expression, Literal

_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
_EXACT_IN_DOUBLE = 2**53
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def constant(expression: Expression) -> Literal | None:
    """The literal that an expression is or certainly gives; None if it is no constant or not certain.

    >>> from predtrace.ir.types import DATE, INTEGER, LONG, STRING
    >>> constant(Cast(Literal(5, INTEGER), LONG)) == Literal(5, LONG)
    True
    >>> constant(Cast(Literal("2024-02-29", STRING), DATE)).value
    datetime.date(2024, 2, 29)
    >>> print(constant(Cast(Literal("today", STRING), DATE)))
    None
    """
    match expression:
        case Literal(text=None):
            return expression
        case Cast(child=Literal(text=None) as literal, data_type=type_):
            value = _cast(literal, type_.name)
            return None if value is None else Literal(value, type_)
    return None


def _cast(literal: Literal, to: str) -> Any:
    value = literal.value
    if value is None:
        return None
    if literal.type.name in _BITS:
        if to in _BITS and -(2 ** (_BITS[to] - 1)) <= value < 2 ** (_BITS[to] - 1):
            return value
        if to == "double" and abs(value) <= _EXACT_IN_DOUBLE:
            return float(value)
    if literal.type.name == "string" and to == "date" and _ISO_DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return None
    return None
