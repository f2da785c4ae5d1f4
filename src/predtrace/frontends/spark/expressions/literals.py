"""Literals of a Catalyst plan, with their exact values.

Plan JSON writes a value as text, and some not at all (binary) or by the session's time zone (timestamps).
Those are asked from the Java object. Where Python has no such value (years beyond 9999, intervals, maps),
the literal keeps Spark's own SQL text.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from predtrace.frontends.spark.expressions.nodes import Node
from predtrace.ir.expressions import Literal
from predtrace.ir.types import DataType, from_json

_WHOLE = {"integer", "long", "short", "byte"}
_EPOCH = datetime(1970, 1, 1)


def read_literal(node: Node) -> Literal:
    """The IR literal of a Catalyst Literal node."""
    type_ = from_json(node.fields["dataType"])
    text = node.fields.get("value")
    if text is None:
        return Literal(None, type_)
    kind = type_.name
    if kind in _WHOLE:
        return Literal(int(text), type_)
    if kind in {"double", "float"}:
        return Literal(float(text), type_)
    if kind == "boolean":
        return Literal(text == "true", type_)
    if kind == "decimal":
        return Literal(Decimal(text), type_)
    if kind == "date":
        return _date(str(text), type_)
    if kind in {"timestamp", "timestamp_ntz"}:
        return _timestamp(node, type_)
    if kind == "string":
        return _string(node, str(text), type_)
    if kind == "binary":
        return Literal(bytes(node.java().value()), type_)
    return Literal(None, type_, text=str(node.java().sql()))


def _string(node: Node, text: str, type_: DataType) -> Literal:
    # JSON replaces bytes that are no UTF-8; only Spark can write those.
    if "\ufffd" in text:
        return Literal(None, type_, text=str(node.java().sql()))
    return Literal(text, type_)


def _date(text: str, type_: DataType) -> Literal:
    try:
        return Literal(date.fromisoformat(text), type_)
    except ValueError:
        return Literal(None, type_, text=f"DATE '{text}'")


def _timestamp(node: Node, type_: DataType) -> Literal:
    java: Any = node.java()
    try:
        moment = _EPOCH + timedelta(microseconds=int(java.value()))
    except OverflowError:
        return Literal(None, type_, text=str(java.sql()))
    return Literal(moment.replace(tzinfo=timezone.utc) if type_.name == "timestamp" else moment, type_)
