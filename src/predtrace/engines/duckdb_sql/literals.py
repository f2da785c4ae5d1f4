"""Constants. Their values are bound, never written into the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from predtrace.engines.duckdb_sql.types import FLOATING, WHOLE, scalar_type
from predtrace.engines.duckdb_sql.unsupported import NotInDuckDB
from predtrace.ir.expressions import Call, Expression, Literal
from predtrace.ir.types import DATE, DataType, DecimalType

Bind = Callable[[Any], str]
"""Takes a value, gives the text that stands for it."""

_INTERVAL = re.compile(r"INTERVAL '(-?\d+)' (YEAR|MONTH|DAY)")
_IN_UNITS = {"YEAR": ("MONTH", 12), "MONTH": ("MONTH", 1), "DAY": ("DAY", 1)}
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DIGITS = re.compile(r"-?\d{1,18}")


def literal(constant: Literal, bind: Bind) -> str:
    """The text of a constant, with its type."""
    type_ = constant.data_type
    if constant.text is not None:
        raise NotInDuckDB(f"the constant {constant.text}")
    if constant.value is None:
        return f"CAST(NULL AS {scalar_type(type_)})"
    if type_.name in ("timestamp", "timestamp_ntz") and isinstance(constant.value, datetime):
        return _moment(constant.value, type_, bind)
    return f"CAST({bind(_plain(constant.value, type_))} AS {scalar_type(type_)})"


def _plain(value: Any, type_: DataType) -> Any:
    kind = type_.name
    if isinstance(type_, DecimalType):
        return _digits(Decimal(value), type_)
    if kind == "date" and isinstance(value, date):
        return value.isoformat()
    if kind == "string":
        return _text(str(value))
    makers: dict[str, Callable[[Any], Any]] = {
        **dict.fromkeys(WHOLE, int),
        **dict.fromkeys(FLOATING, float),
        "boolean": bool,
        "binary": bytes,
    }
    if kind not in makers:
        raise NotInDuckDB(f"a constant of type {type_}")
    return makers[kind](value)


def _digits(value: Decimal, type_: DecimalType) -> str:
    """Written out: DuckDB takes other digits for a float, or rounds them away."""
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or -exponent > type_.scale:
        raise NotInDuckDB(f"the constant {value} as {type_}")
    return f"{value:f}"


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise NotInDuckDB("a constant that is no valid text") from None
    return value


def _moment(value: datetime, type_: DataType, bind: Bind) -> str:
    """By the microseconds since 1970, so that no time zone can matter."""
    moment = value if value.tzinfo is not None else value.replace(tzinfo=timezone.utc)
    micros = (moment - _EPOCH) // timedelta(microseconds=1)
    maker = "make_timestamptz" if type_.name == "timestamp" else "make_timestamp"
    return f"{maker}(CAST({bind(micros)} AS BIGINT))"


def interval_of(expression: Expression, unit: str) -> int | None:
    """The number of months or days of a constant interval (`unit`: MONTH or DAY); None if it is no such thing."""
    if isinstance(expression, Call) and expression.function == "negative":
        inner = interval_of(expression.arguments[0], unit)
        return None if inner is None else -inner
    text = expression.text if isinstance(expression, Literal) else None
    match = _INTERVAL.fullmatch(text or "")
    if match is None or _IN_UNITS[match[2]][0] != unit:
        return None
    return int(match[1]) * _IN_UNITS[match[2]][1]


def read_text(constant: Literal, target: DataType) -> Literal | None:
    """A constant string as a date or a number, where its text leaves no doubt; Spark casts such strings itself."""
    value = constant.value
    if not isinstance(value, str):
        return None
    if target == DATE and _ISO_DATE.fullmatch(value):
        try:
            return Literal(date.fromisoformat(value), DATE)
        except ValueError:
            return None
    if target.name in WHOLE and _DIGITS.fullmatch(value):
        fits = -(2 ** (8 * 2 ** WHOLE.index(target.name) - 1)) <= int(value)
        fits = fits and int(value) < 2 ** (8 * 2 ** WHOLE.index(target.name) - 1)
        return Literal(int(value), target) if fits else None
    return None
