"""Expressions that return NULL where they would fail.

In ANSI mode a division by zero or a malformed number ends the query. A predicate is asked of rows that never reached
the expression in the pipeline: they were filtered out before, or found no partner in a join. Predicates are proved
for expressions that have any value there, so it may as well be NULL; other parts leave these rows out.
"""

from __future__ import annotations

from predtrace.ir.expressions import Call, Case, Cast, Expression, Literal
from predtrace.ir.parts import transform
from predtrace.ir.types import BOOLEAN, INTEGER, DataType

ATTEMPTS = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", "/": "try_divide", "%": "try_mod"}
"""Operators of numbers, and what Spark calls them where they return NULL instead of failing."""

_NUMBERS = {"byte", "short", "integer", "long", "float", "double", "decimal"}


def attempted(expression: Expression) -> Expression:
    """The expression for a session in ANSI mode: the same value for all rows that it does not fail for.

    >>> from predtrace.ir.expressions import Column, ColumnId
    >>> a, b = (Column(ColumnId(name), name, INTEGER) for name in "ab")
    >>> attempted(Call("/", (a, b), INTEGER)).function
    'try_divide'
    """
    return transform(expression, _attempted)


def _attempted(part: Expression) -> Expression:
    match part:
        case Cast(child, type_, attempt=False):
            return Cast(child, type_, attempt=True)
        case Call(function=function, arguments=(left, right)) if _is_number(left.type) and _is_number(
            right.type
        ):
            if function in ATTEMPTS:
                return Call(
                    ATTEMPTS[function], part.arguments, part.type, True, part.deterministic, part.options
                )
            if function == "div":
                by_zero = Call("=", (right, Literal(0, INTEGER)), BOOLEAN)
                return Case(((by_zero, Literal(None, part.type)),), part)
    return part


def _is_number(type_: DataType) -> bool:
    return type_.name in _NUMBERS
