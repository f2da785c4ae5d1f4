"""Formulas as immutable data, folded while they are built.

A term is a tree of logic, comparisons, linear arithmetic, constants with a name and uninterpreted functions.
Z3's own Python terms cost about 50 microseconds each; these cost one or two, and Z3 reads the whole formula
as text (`smtlib`). Terms of known values fold to a value, so a ground formula is computed right here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

Scalar = bool | int | Fraction

BOOL, INT, REAL = "Bool", "Int", "Real"
"""Sorts, as SMT-LIB names them; any other name is a sort nothing is known about."""


@dataclass(frozen=True, eq=False)
class Term:
    """`operator` applied to `arguments`; `name` is a constant's or function's, `value` a known value's."""

    operator: str
    sort: str
    arguments: tuple[Term, ...] = ()
    name: str = ""
    value: Scalar | None = None


def boolean_value(value: bool) -> Term:
    return TRUE if value else FALSE


def integer_value(value: int) -> Term:
    return Term("value", INT, value=value)


def real_value(value: Fraction | int) -> Term:
    return Term("value", REAL, value=Fraction(value))


TRUE = Term("value", BOOL, value=True)
FALSE = Term("value", BOOL, value=False)


def constant(name: str, sort: str) -> Term:
    """An unknown: the same name and sort is the same unknown."""
    return Term("constant", sort, name=name)


def apply(name: str, arguments: tuple[Term, ...], sort: str) -> Term:
    """An uninterpreted function; its signature is part of its identity."""
    return Term("apply", sort, arguments, name) if arguments else constant(name, sort)


def conjunction(*parts: Term) -> Term:
    """All of them; TRUE for none."""
    return _connect("and", parts, neutral=TRUE, decisive=FALSE)


def disjunction(*parts: Term) -> Term:
    """Any of them; FALSE for none."""
    return _connect("or", parts, neutral=FALSE, decisive=TRUE)


def _connect(operator: str, parts: tuple[Term, ...], neutral: Term, decisive: Term) -> Term:
    kept: list[Term] = []
    for part in parts:
        if part is decisive:
            return decisive
        if part is neutral:
            continue
        for inner in part.arguments if part.operator == operator else (part,):
            if not any(inner is other for other in kept):
                kept.append(inner)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else Term(operator, BOOL, tuple(kept))


def negation(part: Term) -> Term:
    if part.operator == "value":
        return boolean_value(not part.value)
    return part.arguments[0] if part.operator == "not" else Term("not", BOOL, (part,))


def implication(premise: Term, conclusion: Term) -> Term:
    return disjunction(negation(premise), conclusion)


def equivalence(left: Term, right: Term) -> Term:
    return same(left, right)


def if_then_else(condition: Term, then: Term, otherwise: Term) -> Term:
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if then is TRUE and otherwise is FALSE:
        return condition
    return Term("ite", then.sort, (condition, then, otherwise))


def same(left: Term, right: Term) -> Term:
    """Equality of terms of one sort."""
    if left is right:
        return TRUE
    if left.operator == right.operator == "value":
        return boolean_value(left.value == right.value)
    if left.operator == right.operator == "constant" and left.name == right.name:
        return TRUE
    if left.sort == BOOL:
        for known, other in ((left, right), (right, left)):
            if known.operator == "value":
                return other if known.value else negation(other)
    return Term("=", BOOL, (left, right))


def below(left: Term, right: Term) -> Term:
    """`left < right` for numbers; FALSE < TRUE for Booleans."""
    if left.sort == BOOL:
        return conjunction(negation(left), right)
    if left is right:
        return FALSE
    if left.value is not None and right.value is not None:
        return boolean_value(left.value < right.value)
    return Term("<", BOOL, (left, right))


def arithmetic(operator: str, left: Term, right: Term) -> Term:
    """`+`, `-` or `*` of two numbers of one sort."""
    if left.value is not None and right.value is not None:
        known = {"+": left.value + right.value, "-": left.value - right.value, "*": left.value * right.value}
        return Term("value", left.sort, value=known[operator])
    return Term(operator, left.sort, (left, right))


def as_real(term: Term) -> Term:
    """An Int as a Real."""
    if term.value is not None:
        return real_value(Fraction(term.value))
    return Term("to_real", REAL, (term,))


def number_of(conditions: tuple[Term, ...]) -> Term:
    """How many of the conditions hold."""
    one, zero = integer_value(1), integer_value(0)
    total = zero
    for condition in conditions:
        counted = if_then_else(condition, one, zero)
        total = counted if total is zero else arithmetic("+", total, counted)
    return total
