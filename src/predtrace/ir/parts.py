"""What expressions are made of: going through them, changing them, asking about them. A shared part is seen once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import is_

from predtrace.ir.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Expression,
    Lambda,
    Subquery,
    UserCall,
    WindowCall,
)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything below it, a shared part once; not into the plans of subqueries."""
    seen: set[int] = set()
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(reversed(node.children()))


def transform(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Rebuild bottom-up with `change`, a shared part once; not into the plans of subqueries."""
    changed: dict[int, Expression] = {}

    def of(node: Expression) -> Expression:
        found = changed.get(id(node))
        if found is None:
            before = node.children()
            children = tuple(map(of, before))
            unchanged = all(map(is_, children, before))
            found = changed[id(node)] = change(node if unchanged else node.rebuilt(children))
        return found

    return of(expression)


_TOTAL = frozenset(
    {"=", "<=>", "<", "<=", ">", ">=", "and", "or", "not", "isnull", "isnotnull", "isnan", "in"}
) | {
    *("coalesce", "nanvl", "getfield"),
}
"""Functions that have a value for all arguments of their types, in ANSI mode too."""


def cannot_fail(expression: Expression) -> bool:
    """Whether an expression has a value for all rows, whatever is in them: no division, no cast, no user's function.

    >>> from predtrace.ir.expressions import ColumnId
    >>> from predtrace.ir.types import BOOLEAN, INTEGER
    >>> a, b = (Column(ColumnId(name), name, INTEGER) for name in "ab")
    >>> cannot_fail(Call("=", (a, b), BOOLEAN)), cannot_fail(Call("=", (Call("div", (a, b), INTEGER), b), BOOLEAN))
    (True, False)
    """
    found = expression.findings
    if "cannot fail" not in found:
        found["cannot fail"] = _is_total(expression)
    return bool(found["cannot fail"])


def _is_total(expression: Expression) -> bool:
    if isinstance(expression, Call) and expression.function not in _TOTAL:
        return False
    computes = (UserCall, Subquery, AggregateCall, WindowCall, Lambda, Cast)
    is_plain = isinstance(expression, (Call, Case)) or not (
        expression.children() or isinstance(expression, computes)
    )
    return is_plain and all(cannot_fail(child) for child in expression.children())


def columns_of(expression: Expression) -> frozenset[Column]:
    """The columns of the current row that an expression reads (subqueries: those they correlate on)."""
    return expression._columns


def leaves_of(expression: Expression) -> frozenset[Expression]:
    """Its parts that have no parts themselves."""
    return expression._leaves


def size_of(expression: Expression) -> int:
    """How many nodes it has, each counted as often as it stands there."""
    return expression._size


def is_of_one_row(expression: Expression) -> bool:
    """Whether a row alone decides its value: no aggregate, no window, no subquery, no row around is in it."""
    return expression._is_of_one_row


def subqueries_of(expression: Expression) -> list[Subquery]:
    return [node for node in walk(expression) if isinstance(node, Subquery)]


def conjuncts(condition: Expression) -> list[Expression]:
    """The parts of an AND, flattened.

    >>> from predtrace.ir.expressions import Literal
    >>> from predtrace.ir.types import BOOLEAN
    >>> conjuncts(Literal(True, BOOLEAN))
    [Literal(value=True, data_type=DataType(name='boolean'), text=None)]
    """
    if isinstance(condition, Call) and condition.function == "and":
        return [part for argument in condition.arguments for part in conjuncts(argument)]
    return [condition]
