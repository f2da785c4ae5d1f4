"""A function as an expression: what its paths return, put together."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

from predtrace.ir.expressions import (
    Call,
    Case,
    ColumnId,
    Expression,
    Lambda,
    LambdaVariable,
    Literal,
    UserCall,
)
from predtrace.ir.types import BOOLEAN, LONG, STRING, DataType
from predtrace.symbolic.python.interpreter import returned
from predtrace.symbolic.python.names import Argument
from predtrace.symbolic.python.paths import Path, explored
from predtrace.symbolic.python.values import (
    Kind,
    Known,
    Raises,
    Unknowable,
    Value,
    expression_of,
    kind_of,
    literal,
)

_KINDS = {
    **dict.fromkeys(("byte", "short", "integer", "long"), Kind.INT),
    "double": Kind.FLOAT,
    "string": Kind.STR,
    "boolean": Kind.BOOL,
}
_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64}


@dataclass(frozen=True)
class Understood:
    """What a function returns, and what was not followed."""

    meaning: Lambda | None
    """Over the function's arguments; the call itself where nothing else is known. None: nothing is known."""
    gaps: tuple[str, ...]
    """What stood in the way."""


def understand(call: UserCall, function: Any) -> Understood:
    """Read a function for arguments of the types it is called with.

    >>> from predtrace.ir.expressions import Column
    >>> x = Column(ColumnId("x"), "x", STRING)
    >>> understand(UserCall("f", "f", (x,), STRING), len).gaps
    ('no Python function',)
    """
    if type(function) is not types.FunctionType:
        return Understood(None, ("no Python function",))
    types_ = [argument.type for argument in call.arguments]
    variables = tuple(LambdaVariable(ColumnId(f"p{at}"), f"p{at}", type_) for at, type_ in enumerate(types_))
    arguments = [Argument(_kind(type_), variable) for type_, variable in zip(types_, variables, strict=True)]
    itself = UserCall(call.function, call.name, variables, call.type, call.deterministic)
    gaps: dict[str, None] = {}

    def follow(path: Path) -> Expression | None:
        try:
            return _as_returned(returned(function, arguments, path), itself)
        except Raises:
            return None
        except Unknowable as gap:
            gaps[str(gap)] = None
            return itself

    try:
        found, complete = explored(follow)
    except Exception as problem:  # what users write knows no bounds; nothing is claimed of it
        return Understood(None, (f"it cannot be read ({type(problem).__name__})",))
    if not complete:
        gaps["too many ways through it"] = None
    branches = tuple((path.condition(), value) for path, value in found if value is not None)
    if not branches or all(value == itself for _, value in branches):
        return Understood(None, tuple(gaps))
    body = Case(branches, None if complete else itself)
    return Understood(Lambda(variables, body), tuple(gaps))


def _kind(type_: DataType) -> Kind | None:
    if type_.name == "string" and type_ != STRING:
        return None  # collated: Python compares otherwise
    return _KINDS.get(type_.name)


def _as_returned(value: Value, itself: UserCall) -> Expression:
    """A value as Spark takes it from Python: only where it is of the type that was declared."""
    type_ = itself.type
    if isinstance(value, Known) and value.value is None:
        return Literal(None, type_)
    kind = kind_of(value)
    if kind is None or kind is not _kind(type_):
        raise Unknowable("a returned value of another type than declared")
    if isinstance(value, Known):
        if kind is Kind.INT and not _fits(value.value, type_):
            raise Unknowable("a returned number that is too large")
        return Literal(literal(value.value).value, type_)
    expression = expression_of(value)
    if kind is not Kind.INT or (isinstance(expression, LambdaVariable) and expression.type == type_):
        return expression
    # Of a number that does not fit, Spark takes what fits, or NULL if it is larger than its largest.
    limit = 2 ** (_BITS[type_.name] - 1)
    low, high = Literal(-limit, LONG), Literal(limit - 1, LONG)
    within = (Call(">=", (expression, low), BOOLEAN, False), Call("<=", (expression, high), BOOLEAN, False))
    fitting = (Call("and", within, BOOLEAN, False), expression)
    return Case((fitting,), None if type_ == LONG else itself)


def _fits(value: int, type_: DataType) -> bool:
    limit = 2 ** (_BITS[type_.name] - 1)
    return bool(-limit <= value < limit)
