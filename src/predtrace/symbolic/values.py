"""Symbolic SQL values: a term, and a condition under which the value is NULL; and SQL's three-valued logic.

What the term is while the value is NULL means nothing, and nothing may depend on it: functions see `masked`
arguments.

Three relations must not be confused. `equal` is SQL's `=` for values that are not NULL: NaN = NaN and
-0.0 = 0.0. `null_safe_equal` is `<=>`, which is also how rows are matched to their own values. `identical` means
that no function can tell them apart, which -0.0 and 0.0 are not (`cast(x as string)`).

Integers have no bounds here. That is sound: every claim is for all values, the real ones among them. Whether
arithmetic may be taken literally is another matter, see `expressions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce

from predtrace.errors import PlanIntegrityError, PredtraceError
from predtrace.ir.types import BOOLEAN, DataType
from predtrace.symbolic.sorts import Family, equality_is_identity, family, literal_term, some_value, sort_of
from predtrace.symbolic.terms import (
    BOOL,
    FALSE,
    REAL,
    TRUE,
    Term,
    apply,
    as_real,
    below,
    boolean_value,
    conjunction,
    constant,
    disjunction,
    if_then_else,
    negation,
    real_value,
    same,
)

_ZERO = real_value(0)


class NotExpressible(PredtraceError):
    """An expression that the value of one row does not decide, as far as this room can tell: never pushed."""


@dataclass(frozen=True, eq=False)
class SymbolicValue:
    """A value of a SQL type. `minus` says of a floating-point zero that it is -0.0; FALSE for all others."""

    type: DataType
    term: Term
    null: Term = FALSE
    minus: Term = FALSE

    def masked(self) -> tuple[Term, Term]:
        """The term and the sign of zero, the same for every NULL."""
        return (
            if_then_else(self.null, some_value(self.term.sort), self.term),
            if_then_else(self.null, FALSE, self.minus),
        )


@lru_cache(maxsize=4096)
def fresh_value(name: str, type_: DataType, nullable: bool = True) -> SymbolicValue:
    """A value of which nothing is known but its type. The name identifies it."""
    term = constant(name, sort_of(type_))
    null = constant(f"{name}?", BOOL) if nullable else FALSE
    minus = FALSE
    if family(type_) is Family.FLOATING:
        minus = conjunction(constant(f"{name}-", BOOL), same(term, _ZERO))
    return SymbolicValue(type_, term, null, minus)


def null_value(type_: DataType) -> SymbolicValue:
    return SymbolicValue(type_, some_value(sort_of(type_)), TRUE)


def known_value(value: object, type_: DataType, text: str | None = None) -> SymbolicValue:
    """The value of a literal: a Python value, or Spark's text where Python has no such value."""
    if value is None and text is None:
        return null_value(type_)
    term, minus = literal_term(value, type_, text)
    return SymbolicValue(type_, term, FALSE, boolean_value(minus))


def boolean(condition: Term) -> SymbolicValue:
    """A condition as a SQL boolean that is never NULL."""
    return SymbolicValue(BOOLEAN, condition)


def is_true(value: SymbolicValue) -> Term:
    """What WHERE, ON and HAVING ask: true, not NULL."""
    return conjunction(negation(value.null), value.term)


def is_false(value: SymbolicValue) -> Term:
    return conjunction(negation(value.null), negation(value.term))


def choose(condition: Term, then: SymbolicValue, otherwise: SymbolicValue) -> SymbolicValue:
    """One of two values."""
    then, otherwise = _aligned(then, otherwise)
    if condition is TRUE:
        return then
    if condition is FALSE:
        return otherwise
    return SymbolicValue(
        then.type,
        if_then_else(condition, then.term, otherwise.term),
        if_then_else(condition, then.null, otherwise.null),
        if_then_else(condition, then.minus, otherwise.minus),
    )


def position(value: SymbolicValue) -> Term:
    """What a value is compared by."""
    if family(value.type) is Family.OPAQUE:
        return apply(f"position of {value.term.sort}", (value.term,), REAL)
    return value.term


def equal(left: SymbolicValue, right: SymbolicValue) -> Term:
    """SQL's `=` for values that are not NULL."""
    left, right = _aligned(left, right)
    if family(left.type) is Family.OPAQUE and not equality_is_identity(left.type):
        return same(position(left), position(right))
    return same(left.term, right.term)


def less(left: SymbolicValue, right: SymbolicValue) -> Term:
    """SQL's `<` for values that are not NULL."""
    left, right = _aligned(left, right)
    return below(position(left), position(right))


@lru_cache(maxsize=16_384)
def null_safe_equal(left: SymbolicValue, right: SymbolicValue) -> Term:
    """SQL's `<=>`. Remembered by identity: a run compares the same cells again and again."""
    return _both_null_or(left, right, equal(left, right))


def identical(left: SymbolicValue, right: SymbolicValue) -> Term:
    """Whether every function gives the same for both."""
    left, right = _aligned(left, right)
    return _both_null_or(left, right, conjunction(same(left.term, right.term), same(left.minus, right.minus)))


def _both_null_or(left: SymbolicValue, right: SymbolicValue, otherwise: Term) -> Term:
    if left.null is right.null and otherwise is TRUE:
        return TRUE
    neither = conjunction(negation(left.null), negation(right.null), otherwise)
    return disjunction(conjunction(left.null, right.null), neither)


def sql_and(*values: SymbolicValue) -> SymbolicValue:
    """False if any is false, else NULL if any is NULL, else true."""
    known_false = disjunction(*(is_false(value) for value in values))
    null = conjunction(disjunction(*(value.null for value in values)), negation(known_false))
    return SymbolicValue(BOOLEAN, conjunction(*(is_true(value) for value in values)), null)


def sql_or(*values: SymbolicValue) -> SymbolicValue:
    """True if any is true, else NULL if any is NULL, else false."""
    known_true = disjunction(*(is_true(value) for value in values))
    null = conjunction(disjunction(*(value.null for value in values)), negation(known_true))
    return SymbolicValue(BOOLEAN, known_true, null)


def sql_not(value: SymbolicValue) -> SymbolicValue:
    return SymbolicValue(BOOLEAN, negation(value.term), value.null)


def compared(operator: str, left: SymbolicValue, right: SymbolicValue) -> SymbolicValue:
    """`=`, `<=>`, `<`, `<=`, `>` or `>=`."""
    if operator == "<=>":
        return boolean(null_safe_equal(left, right))
    left, right = _aligned(left, right)
    null = disjunction(left.null, right.null)
    if operator in {">", ">="}:
        left, right = right, left
    match operator:
        case "=":
            term = equal(left, right)
        case "<" | ">":
            term = less(left, right)
        case "<=" | ">=":
            term = disjunction(less(left, right), equal(left, right))
        case _:
            raise PlanIntegrityError(f"{operator} is no comparison")
    return SymbolicValue(BOOLEAN, term, null)


def contained(value: SymbolicValue, choices: tuple[SymbolicValue, ...]) -> SymbolicValue:
    """`value IN (choices)`, three-valued."""
    return sql_or(*(compared("=", value, choice) for choice in choices))


def first_known(*values: SymbolicValue) -> SymbolicValue:
    """COALESCE."""
    return reduce(lambda later, value: choose(value.null, later, value), reversed(values))


def case(branches: tuple[tuple[SymbolicValue, SymbolicValue], ...], default: SymbolicValue) -> SymbolicValue:
    """CASE WHEN: the value of the first condition that is true."""
    return reduce(
        lambda later, branch: choose(is_true(branch[0]), branch[1], later), reversed(branches), default
    )


def _aligned(left: SymbolicValue, right: SymbolicValue) -> tuple[SymbolicValue, SymbolicValue]:
    """Two values of one sort; an untyped NULL takes the other's type, a whole number beside a decimal is one."""
    if left.type is right.type:
        return left, right
    if left.type.name == "void":
        return null_value(right.type), right
    if right.type.name == "void":
        return left, null_value(left.type)
    if {family(left.type), family(right.type)} == {Family.WHOLE, Family.DECIMAL}:
        return _as_decimal(left, right.type), _as_decimal(right, left.type)
    if left.term.sort != right.term.sort or family(left.type) is not family(right.type):
        raise NotExpressible(f"a value of type {left.type} stands beside one of type {right.type}")
    return left, right


def _as_decimal(value: SymbolicValue, decimal: DataType) -> SymbolicValue:
    """Spark compares the two exactly, in a decimal type that holds both."""
    if family(value.type) is Family.DECIMAL:
        return value
    return SymbolicValue(decimal, as_real(value.term), value.null)
