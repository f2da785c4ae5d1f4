"""What aggregates return, and which rows of a group one that returns a single row's value takes it from.

`min`, `max`, `first`, `last`, `any_value`: the rows that have the returned value, of those that FILTER lets in.
`max_by(x, y)`, `min_by(x, y)`: of these, the rows with the extreme y, which a hidden column tells. Where all of the
inputs by which the row is chosen are NULL, or FILTER lets nobody in, every row of the group counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from predtrace.ir.expressions import AggregateCall, Call, Expression
from predtrace.ir.types import BOOLEAN
from predtrace.operators.base import Selection
from predtrace.operators.pushing import all_of, any_of
from predtrace.symbolic.expressions import holds
from predtrace.symbolic.groups import chosen_by, counted, extreme, first_of, unknown_aggregate
from predtrace.symbolic.tables import SymbolicTable
from predtrace.symbolic.terms import Term, conjunction, disjunction, negation
from predtrace.symbolic.values import NotExpressible, SymbolicValue, null_safe_equal

_TAKES_BY_ORDER = frozenset({"first", "last", "any_value"})


def chooses_by(call: AggregateCall) -> bool:
    """Whether the row is chosen by another value than the one returned."""
    return call.function in {"max_by", "min_by"}


def extreme_of(call: AggregateCall) -> AggregateCall:
    """The extreme by which `max_by` or `min_by` chooses its row."""
    by = call.arguments[1]
    return AggregateCall(call.function.removesuffix("_by"), (by,), by.type, condition=call.condition)


def aggregate_value(call: AggregateCall, table: SymbolicTable, members: Sequence[Term]) -> SymbolicValue:
    """The aggregate of the members of a group."""
    members = _let_in(call, table, members)
    is_plain = not call.distinct and call.user_function is None
    arguments = [tuple(table.value(row, argument) for argument in call.arguments) for row in table.rows]
    values = [of_row[0] for of_row in arguments if of_row]
    if call.function == "count" and is_plain and len(call.arguments) <= 1:
        return counted(members, values if call.arguments else None)
    if call.function in {"min", "max"}:
        return extreme(members, values, call.type, largest=call.function == "max")
    if chooses_by(call):
        by = [of_row[1] for of_row in arguments]
        return chosen_by(members, values, by, call.type, largest=call.function == "max_by")
    if call.function in _TAKES_BY_ORDER:
        if call.option("ignore_nulls"):
            members = tuple(conjunction(m, negation(v.null)) for m, v in zip(members, values, strict=True))
        return first_of(members, values, call.type, backwards=call.function == "last")
    identity = f"{call.function} {call.distinct} {call.options} {call.user_function}"
    return unknown_aggregate(identity, members, arguments, call.type)


def attained(
    call: AggregateCall, value: SymbolicValue, table: SymbolicTable, members: Sequence[Term]
) -> tuple[Term, ...]:
    """The members that an aggregate which returns one row's value took it from."""
    if not call.returns_one_row():
        raise NotExpressible(f"which row {call.function} takes its value from")
    let_in = _let_in(call, table, members)
    deciding = [table.value(row, call.arguments[-1 if chooses_by(call) else 0]) for row in table.rows]
    nobody = negation(
        disjunction(*(conjunction(m, negation(v.null)) for m, v in zip(let_in, deciding, strict=True)))
    )
    has = [null_safe_equal(table.value(row, call.arguments[0]), value) for row in table.rows]
    if chooses_by(call):
        best = aggregate_value(extreme_of(call), table, members)
        has = [conjunction(h, null_safe_equal(by, best)) for h, by in zip(has, deciding, strict=True)]
    return tuple(
        conjunction(member, disjunction(nobody, conjunction(allowed, attains)))
        for member, allowed, attains in zip(members, let_in, has, strict=True)
    )


def attaining(call: AggregateCall, value: Expression, best: Expression | None) -> Selection:
    """A predicate for the rows that the value was taken from; None if the values known do not tell them.

    `best` is the extreme by which `max_by` or `min_by` chose.
    """
    is_by_order = call.function in _TAKES_BY_ORDER and not call.option("ignore_nulls")
    if (chooses_by(call) and best is None) or (is_by_order and call.condition is not None):
        return None
    tests: list[Expression] = [] if call.condition is None else [call.condition]
    tests.append(_same(call.arguments[0], value))
    if chooses_by(call):
        assert best is not None
        tests.append(_same(call.arguments[1], best))
    if is_by_order:
        return all_of(tests)  # where all inputs are NULL, these are all rows
    decided = best if chooses_by(call) and best is not None else value
    return any_of((all_of(tests), Call("isnull", (decided,), BOOLEAN, is_nullable=False)))


def _same(one: Expression, other: Expression) -> Expression:
    return Call("<=>", (one, other), BOOLEAN, is_nullable=False)


def _let_in(call: AggregateCall, table: SymbolicTable, members: Sequence[Term]) -> tuple[Term, ...]:
    if call.condition is None:
        return tuple(members)
    let_in = (holds(call.condition, table.values(row)) for row in table.rows)
    return tuple(map(conjunction, members, let_in))
