"""What aggregates return, and which rows of a group one that returns a single row's value takes it from.

`min`, `max`, `first`, `last`, `any_value`: the rows that have the returned value, of those that FILTER lets in.
`max_by(x, y)`, `min_by(x, y)`: of these, the rows with the extreme y, which a hidden column tells. Where all of the
inputs by which the row is chosen are NULL, or FILTER lets nobody in, every row of the group counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from predtrace.ir.expressions import AggregateCall, Call, Expression
from predtrace.ir.types import BOOLEAN, LONG, DataType
from predtrace.operators.base import Selection
from predtrace.operators.pushing import all_of, any_of
from predtrace.symbolic.expressions import holds
from predtrace.symbolic.groups import chosen_by, counted, extreme, unknown_aggregate
from predtrace.symbolic.tables import SymbolicTable
from predtrace.symbolic.terms import FALSE, Term, conjunction, disjunction, negation
from predtrace.symbolic.values import (
    NotExpressible,
    SymbolicValue,
    choose,
    is_true,
    null_safe_equal,
    null_value,
)

_TAKES_BY_ORDER = frozenset({"first", "last", "any_value"})


def chooses_by(call: AggregateCall) -> bool:
    """Whether the row is chosen by another value than the one returned."""
    return call.function in {"max_by", "min_by"}


def extreme_of(call: AggregateCall) -> AggregateCall:
    """The extreme by which `max_by` or `min_by` chooses its row."""
    by = call.arguments[1]
    return AggregateCall(call.function.removesuffix("_by"), (by,), by.type, condition=call.condition)


@dataclass(frozen=True, eq=False)
class Aggregation:
    """An aggregate of one group, some rows of which are shown (`symbolic.groups`).

    `name` tells the aggregates of an operator apart: two of them may have the same rows to see and different values.
    """

    name: str
    call: AggregateCall
    table: SymbolicTable
    members: tuple[Term, ...]

    @cached_property
    def value(self) -> SymbolicValue:
        """What the aggregate returns."""
        call = self.call
        if call.function == "count":
            return counted(self._counted, self._unknown("count", LONG))
        if call.function in {"min", "max"}:
            return self.best
        if chooses_by(call):
            unseen = self._unknown("value", call.type), self._unknown("best", call.arguments[1].type)
            return chosen_by(self._counted, self._of_rows(0), self._of_rows(1), unseen, _is_largest(call))
        found = self._unknown("value", call.type)
        if call.function in _TAKES_BY_ORDER:
            found = replace(found, null=FALSE) if call.option("ignore_nulls") else found
            return choose(self.has_none, null_value(call.type), found)
        return found

    @cached_property
    def best(self) -> SymbolicValue:
        """The extreme by which `min`, `max`, `min_by` or `max_by` chooses its row."""
        by = self._of_rows(-1)
        return extreme(self._counted, by, self._unknown("best", by[0].type), _is_largest(self.call))

    @cached_property
    def has_none(self) -> Term:
        """Whether FILTER lets no row in, or all of the inputs by which the row is chosen are NULL."""
        if self.call.function in _TAKES_BY_ORDER:
            unseen = is_true(self._unknown("none", BOOLEAN))
            return conjunction(unseen, negation(disjunction(*self._counted)))
        return self.best.null

    @property
    def attained(self) -> tuple[Term, ...]:
        """The members shown that an aggregate which returns one row's value took it from."""
        if not self.call.returns_one_row():
            raise NotExpressible(f"which row {self.call.function} takes its value from")
        has = [null_safe_equal(value, self.value) for value in self._of_rows(0)]
        if chooses_by(self.call):
            attains_best = (null_safe_equal(by, self.best) for by in self._of_rows(1))
            has = list(map(conjunction, has, attains_best))
        return tuple(
            conjunction(member, disjunction(self.has_none, conjunction(allowed, attains)))
            for member, allowed, attains in zip(self.members, self._let_in, has, strict=True)
        )

    @cached_property
    def _let_in(self) -> tuple[Term, ...]:
        condition = self.call.condition
        if condition is None:
            return self.members
        let_in = (holds(condition, self.table.values(row)) for row in self.table.rows)
        return tuple(map(conjunction, self.members, let_in))

    @cached_property
    def _counted(self) -> tuple[Term, ...]:
        """The rows let in whose deciding input is not NULL."""
        if not self.call.arguments:
            return self._let_in
        not_null = (
            conjunction(*(negation(value.null) for value in of_row))
            for of_row in zip(*self._deciding, strict=True)
        )
        return tuple(map(conjunction, self._let_in, not_null))

    @property
    def _deciding(self) -> list[list[SymbolicValue]]:
        if chooses_by(self.call):
            return [self._of_rows(1)]
        if self.call.returns_one_row():  # one of the user's may have been given more columns than it returns
            return [self._of_rows(0)]
        return [self._of_rows(at) for at in range(len(self.call.arguments))]

    def _of_rows(self, argument: int) -> list[SymbolicValue]:
        return [self.table.value(row, self.call.arguments[argument]) for row in self.table.rows]

    def _unknown(self, what: str, type_: DataType) -> SymbolicValue:
        condition = () if self.call.condition is None else (self.call.condition,)
        seen = [
            tuple(self.table.value(row, part) for part in (*self.call.arguments, *condition))
            for row in self.table.rows
        ]
        return unknown_aggregate(f"{what} of {self.name}", self.members, seen, type_)


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


def _is_largest(call: AggregateCall) -> bool:
    return call.function.startswith("max")


def _same(one: Expression, other: Expression) -> Expression:
    return Call("<=>", (one, other), BOOLEAN, is_nullable=False)
