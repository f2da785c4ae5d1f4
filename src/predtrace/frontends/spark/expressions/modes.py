"""What an expression takes from the session: its time zone, and whether it fails on bad input (ANSI), returns
NULL (legacy), or attempts (`try_`).

Both are the session's when the plan was analysed, and conditions we send back to Spark are analysed in the
same session. An expression that was analysed under other settings (the user changed them in between, or a
view brought its own) would change its meaning, so it is refused.
"""

from __future__ import annotations

from predtrace.errors import UnsupportedExpression
from predtrace.frontends.spark.expressions.nodes import Node, session_is_ansi, session_time_zone
from predtrace.ir.attempts import ATTEMPTS
from predtrace.ir.types import DataType, from_json

_WITH_CONTEXT = {"Add", "Subtract", "Multiply", "Divide", "IntegralDivide", "Remainder", "Pmod"}
_WITH_FLAG = frozenset(
    {"Abs", "BRound", "Conv", "Elt", "GetArrayItem", "MakeDate", "MakeInterval", "NextDay"}
    | {"Round", "ToUnixTimestamp", "UnaryMinus", "UnixTimestamp"}
)
"""Classes whose flag follows the session's mode; for others it tells `parse_url` from `try_parse_url`."""
_WHOLE = ("byte", "short", "integer", "long")
_NUMBERS = (*_WHOLE, "float", "double")


def check_mode(node: Node, operand: DataType | None = None) -> None:
    """Refuse a node whose settings are not the session's. `operand` is the type that a cast converts."""
    _check_time_zone(node)
    fails = _fails_on_error(node, operand)
    if fails is None or fails == session_is_ansi():
        return
    mode, setting = ("ANSI", "true") if fails else ("legacy", "false")
    raise UnsupportedExpression(
        f"{node.java().sql()} was analysed in {mode} mode, which is not the mode of the session now",
        todo=f"set spark.sql.ansi.enabled to {setting}, or build the DataFrame again",
    )


def _check_time_zone(node: Node) -> None:
    zone = node.fields.get("timeZoneId")
    if zone is None or zone == session_time_zone():
        return
    raise UnsupportedExpression(
        f"{node.java().sql()} was analysed in the time zone {zone}, which is not the session's now",
        todo=f"set spark.sql.session.timeZone to {zone}, or build the DataFrame again",
    )


def _fails_on_error(node: Node, operand: DataType | None) -> bool | None:
    if node.kind == "Cast":
        if operand is None or _cannot_fail(operand, from_json(node.fields["dataType"])):
            return None
        mode = str(node.java().evalMode().toString())
    elif node.kind in _WITH_CONTEXT:
        mode = str(node.java().evalContext().evalMode().toString())
    elif node.kind in _WITH_FLAG:
        return bool(node.fields.get("failOnError", node.fields.get("ansiEnabled")))
    else:
        return None
    return None if mode == "TRY" else mode == "ANSI"


def _cannot_fail(source: DataType, target: DataType) -> bool:
    """Casts that mean the same in both modes; most of those that Spark inserts."""
    if source == target or source.name == "void":
        return True
    if source.name in _NUMBERS and target.name in _NUMBERS:
        return _NUMBERS.index(source.name) <= _NUMBERS.index(target.name)
    return (source.name, target.name) in {("date", "timestamp"), ("date", "timestamp_ntz")}


def is_attempt(node: Node) -> bool:
    """Whether a cast is a TRY_CAST. Spark's text of the whole expression spares most questions."""
    return "try_cast" in node.tree.text and node.java().evalMode().toString() == "TRY"


def attempted_name(node: Node, name: str) -> str:
    """`try_add` for a `+` that attempts."""
    if node.kind not in _WITH_CONTEXT or "try_" not in node.tree.text:
        return name
    attempts = node.java().evalContext().evalMode().toString() == "TRY"
    return ATTEMPTS[name] if attempts else name
