"""Literals as Spark SQL text that Spark reads back as the same value of the same type."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import Literal
from predtrace.ir.types import ArrayType, DataType, DecimalType, MapType, StructType

_SUFFIX = {"integer": "", "long": "L", "short": "S", "byte": "Y"}


def literal_sql(literal: Literal) -> str:
    """The text of a literal.

    >>> from predtrace.ir.types import LONG, STRING
    >>> literal_sql(Literal(7, LONG)), literal_sql(Literal("it's", STRING))
    ('7L', "'it\\\\'s'")
    """
    if literal.text is not None:
        return literal.text
    return _value(literal.value, literal.data_type)


def _value(value: Any, type_: DataType) -> str:
    if value is None:
        return "NULL" if type_.name == "void" else f"CAST(NULL AS {type_.sql()})"
    if isinstance(type_, DecimalType):
        return _decimal(value, type_)
    if isinstance(type_, ArrayType):
        inner = ", ".join(_value(part, type_.element) for part in value)
        return f"array({inner})" if value else f"CAST(array() AS {type_.sql()})"
    if isinstance(type_, MapType):
        pairs = value.items() if isinstance(value, dict) else value
        inner = ", ".join(f"{_value(k, type_.key)}, {_value(v, type_.value)}" for k, v in pairs)
        return f"map({inner})" if value else f"CAST(map() AS {type_.sql()})"
    if isinstance(type_, StructType):
        fields = zip(type_.fields, value, strict=True)
        inner = ", ".join(f"{string_sql(field.name)}, {_value(part, field.type)}" for field, part in fields)
        return f"named_struct({inner})"
    return _scalar(value, type_)


def _scalar(value: Any, type_: DataType) -> str:
    kind = type_.name
    if kind in _SUFFIX:
        return _whole(int(value), kind)
    if kind == "boolean":
        return "true" if value else "false"
    if kind in {"double", "float"}:
        return _floating(float(value), "D" if kind == "double" else "F", type_)
    if kind == "string" or kind.startswith(("varchar", "char")):
        return string_sql(str(value))
    if kind == "binary":
        return f"X'{bytes(value).hex().upper()}'"
    if kind == "date" and isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if kind in {"timestamp", "timestamp_ntz"} and isinstance(value, datetime):
        return _timestamp(value, kind)
    if kind.startswith("interval") and isinstance(value, timedelta):
        return _interval(value, type_)
    raise PlanIntegrityError(f"no SQL text for the {type_} value {value!r}", todo="report it with the query")


def _whole(value: int, kind: str) -> str:
    text = f"{value}{_SUFFIX[kind]}"
    return f"({text})" if value < 0 else text


def _decimal(value: Any, type_: DecimalType) -> str:
    """`BD` takes precision and scale from the digits, so the digits are written out to fit the type."""
    number = Decimal(value)
    text = f"{number:f}"
    digits = text.lstrip("-").replace(".", "").lstrip("0")
    scale = len(text.partition(".")[2])
    if scale == type_.scale and max(len(digits), scale) == type_.precision:
        return f"({text}BD)" if text.startswith("-") else f"{text}BD"
    return f"CAST('{text}' AS {type_.sql()})"


def _floating(value: float, suffix: str, type_: DataType) -> str:
    if math.isnan(value) or math.isinf(value):
        name = "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        return f"CAST('{name}' AS {type_.sql()})"
    if suffix == "F" and abs(value) > 3.4e38:  # Spark refuses its own largest float as a literal
        return f"CAST('{value!r}' AS {type_.sql()})"
    text = repr(value).upper().replace("E+", "E")
    return f"({text}{suffix})" if text.startswith("-") else f"{text}{suffix}"


def string_sql(text: str) -> str:
    r"""A string as Spark SQL writes it; a backslash escapes.

    >>> string_sql("a\\b")
    "'a\\\\b'"
    """
    out = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return "'" + out.replace("\t", "\\t").replace("\0", "\\u0000") + "'"


def _timestamp(value: datetime, kind: str) -> str:
    if kind == "timestamp_ntz":
        return f"TIMESTAMP_NTZ '{value.isoformat(sep=' ')}'"
    # Written with its offset, so that the session's time zone does not matter.
    moment = value if value.tzinfo is not None else value.replace(tzinfo=timezone.utc)
    text = moment.astimezone(timezone.utc).replace(tzinfo=None).isoformat(sep=" ")
    return f"TIMESTAMP_LTZ '{text}+00:00'"


def _interval(value: timedelta, type_: DataType) -> str:
    micros = (value.days * 86400 + value.seconds) * 1_000_000 + value.microseconds
    sign, rest = ("-" if micros < 0 else ""), abs(micros)
    seconds, fraction = divmod(rest, 1_000_000)
    clock = f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"
    whole = f"INTERVAL '{sign}{seconds // 86400} {clock}' DAY TO SECOND"
    return whole if type_.name == "interval day to second" else f"CAST({whole} AS {type_.sql()})"
