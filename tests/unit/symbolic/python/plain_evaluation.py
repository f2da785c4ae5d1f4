"""A second, plain opinion: what an expression over Python values is, computed by Python itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from predtrace.ir import expressions as ir

ITSELF = object()
"""Where the expression says no more than that it is the function's value."""

_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "str +": lambda a, b: a + b,
    "neg": lambda a: -a,
    "abs": abs,
    "len": len,
    "in": lambda a, b: a in b,
    "item": lambda a, i: a[i],
    "list item": lambda a, i: a[i],
    "int": int,
    "float": float,
    "str": str,
    "round": round,
    "format": format,
}


def evaluated(expression: ir.Expression, values: Mapping[str, Any]) -> Any:
    """SQL's logic with its NULL, NaN and -0.0, and Python's functions as Python has them."""
    match expression:
        case ir.LambdaVariable(id=name):
            return values[name]
        case ir.Literal(value=value):
            return value
        case ir.UserCall():
            return ITSELF
        case ir.Cast(child=child, data_type=type_):
            inner = evaluated(child, values)
            return float(inner) if type_.name == "double" and inner is not None else inner
        case ir.Case(branches=branches, default=default):
            for when, then in branches:
                if evaluated(when, values) is True:
                    return evaluated(then, values)
            return None if default is None else evaluated(default, values)
        case ir.Call(function=function, arguments=arguments):
            return _call(function, [*arguments], values, dict(expression.options))
    raise AssertionError(expression)


def _call(
    function: str, arguments: list[ir.Expression], values: Mapping[str, Any], options: dict[str, str]
) -> Any:
    if function in {"and", "or"}:
        found = [evaluated(a, values) for a in arguments]
        decisive = function == "or"
        return decisive if decisive in found else None if None in found else not decisive
    found = [evaluated(a, values) for a in arguments]
    if function == "isnull":
        return found[0] is None
    if function == "<=>":
        return found[0] is found[1] if None in found else _position(found[0]) == _position(found[1])
    if None in found:
        return None
    if function == "in":
        return any(_compared("=", _position(found[0]), _position(choice)) for choice in found[1:])
    if function == "not":
        return not found[0]
    if function == "isnan":
        return math.isnan(found[0])
    if function in {"=", "<", "<=", ">", ">="}:
        return _compared(function, *map(_position, found))
    assert function.startswith("python "), function
    name = function.removeprefix("python ")
    try:
        if name == "slice":
            start, stop, step = (
                None if options[k] == "None" else int(options[k]) for k in ("start", "stop", "step")
            )
            return found[0][start:stop:step]
        if name.startswith("str."):
            return getattr(str, name.removeprefix("str."))(*found)
        if name.startswith("math."):
            return getattr(math, name.removeprefix("math."))(*found)
        return _OPERATORS[name](*found)
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return None  # the function raises as well


def _position(value: Any) -> tuple[int, Any]:
    if isinstance(value, float) and math.isnan(value):
        return (1, 0)
    return (0, value.encode() if isinstance(value, str) else value)


def _compared(function: str, left: Any, right: Any) -> Any:
    return {
        "=": left == right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[function]
