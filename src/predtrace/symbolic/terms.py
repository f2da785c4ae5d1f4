"""Formulas as immutable data, folded while they are built.

A term is a tree of logic, comparisons, linear arithmetic, constants with a name and uninterpreted functions.
Z3's own Python terms cost about 50 microseconds each; these cost one or two, and Z3 reads the whole formula
as text (`smtlib`). Terms of known values fold to a value, so a ground formula is computed right here.
Equal terms are one object, which makes folding, and with it the text of a claim, independent of how it was built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from weakref import WeakValueDictionary

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


_LIVING: WeakValueDictionary[tuple[object, ...], Term] = WeakValueDictionary()


def term(
    operator: str, sort: str, arguments: tuple[Term, ...] = (), name: str = "", value: Scalar | None = None
) -> Term:
    """The one term of this structure: equal terms are the same object, so `is` compares them."""
    key = (operator, sort, name, value, *map(id, arguments))
    known = _LIVING.get(key)
    if known is None:
        known = _LIVING[key] = Term(operator, sort, arguments, name, value)
    return known


def boolean_value(value: bool) -> Term:
    return TRUE if value else FALSE


def integer_value(value: int) -> Term:
    return term("value", INT, value=value)


def real_value(value: Fraction | int) -> Term:
    return term("value", REAL, value=Fraction(value))


def known_term(value: Scalar, sort: str) -> Term:
    """A value of one of the sorts with known values."""
    if sort == BOOL:
        return boolean_value(bool(value))
    return integer_value(int(value)) if sort == INT else real_value(Fraction(value))


TRUE = term("value", BOOL, value=True)
FALSE = term("value", BOOL, value=False)


def constant(name: str, sort: str) -> Term:
    """An unknown: the same name and sort is the same unknown."""
    return term("constant", sort, name=name)


def apply(name: str, arguments: tuple[Term, ...], sort: str) -> Term:
    """An uninterpreted function; its signature is part of its identity."""
    return term("apply", sort, arguments, name) if arguments else constant(name, sort)


def conjunction(*parts: Term) -> Term:
    """All of them; TRUE for none."""
    return _connect("and", parts, neutral=TRUE, decisive=FALSE)


def disjunction(*parts: Term) -> Term:
    """Any of them; FALSE for none."""
    return _connect("or", parts, neutral=FALSE, decisive=TRUE)


def _connect(operator: str, parts: tuple[Term, ...], neutral: Term, decisive: Term) -> Term:
    kept: dict[int, Term] = {}
    denied: list[int] = []
    for part in parts:
        if part is decisive:
            return decisive
        if part is neutral:
            continue
        for inner in part.arguments if part.operator == operator else (part,):
            kept.setdefault(id(inner), inner)
            if inner.operator == "not":
                denied.append(id(inner.arguments[0]))
    if denied and not kept.keys().isdisjoint(denied):
        return decisive
    if not kept:
        return neutral
    several = tuple(kept.values())
    return several[0] if len(several) == 1 else term(operator, BOOL, several)


def negation(part: Term) -> Term:
    if part.operator == "value":
        return boolean_value(not part.value)
    return part.arguments[0] if part.operator == "not" else term("not", BOOL, (part,))


def implication(premise: Term, conclusion: Term) -> Term:
    return disjunction(negation(premise), conclusion)


def if_then_else(condition: Term, then: Term, otherwise: Term) -> Term:
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if then is TRUE and otherwise is FALSE:
        return condition
    return term("ite", then.sort, (condition, then, otherwise))


def same(left: Term, right: Term) -> Term:
    """Equality of terms of one sort."""
    if left is right or _connect_the_same(left, right):
        return TRUE
    if left.operator == right.operator == "value":
        return boolean_value(left.value == right.value)
    if left.sort == BOOL:
        for known, other in ((left, right), (right, left)):
            if known.operator == "value":
                return other if known.value else negation(other)
    return term("=", BOOL, (left, right))


def _connect_the_same(left: Term, right: Term) -> bool:
    """Whether two ANDs or ORs differ in the order of their parts at most."""
    is_connection = left.operator == right.operator in {"and", "or"}
    return is_connection and {*map(id, left.arguments)} == {*map(id, right.arguments)}


def below(left: Term, right: Term) -> Term:
    """`left < right` for numbers; FALSE < TRUE for Booleans."""
    if left.sort == BOOL:
        return conjunction(negation(left), right)
    if left is right:
        return FALSE
    if left.value is not None and right.value is not None:
        return boolean_value(left.value < right.value)
    return term("<", BOOL, (left, right))


def arithmetic(operator: str, left: Term, right: Term) -> Term:
    """`+`, `-` or `*` of two numbers of one sort."""
    if left.value is not None and right.value is not None:
        known = {"+": left.value + right.value, "-": left.value - right.value, "*": left.value * right.value}
        return term("value", left.sort, value=known[operator])
    return term(operator, left.sort, (left, right))


def as_real(whole: Term) -> Term:
    """An Int as a Real."""
    if whole.value is not None:
        return real_value(Fraction(whole.value))
    return term("to_real", REAL, (whole,))


def number_of(conditions: tuple[Term, ...]) -> Term:
    """How many of the conditions hold."""
    one, zero = integer_value(1), integer_value(0)
    total = zero
    for condition in conditions:
        counted = if_then_else(condition, one, zero)
        total = counted if total is zero else arithmetic("+", total, counted)
    return total


_BUILDERS: dict[str, Callable[..., Term]] = {
    "and": conjunction,
    "or": disjunction,
    "not": negation,
    "ite": if_then_else,
    "=": same,
    "<": below,
    "+": lambda left, right: arithmetic("+", left, right),
    "-": lambda left, right: arithmetic("-", left, right),
    "*": lambda left, right: arithmetic("*", left, right),
    "to_real": as_real,
}


def substituted(formula: Term, known: Mapping[str, Term]) -> Term:
    """The term with constants replaced by name, folded again: a value if no function nor unknown is left."""
    seen: dict[int, Term] = {}

    def replaced(part: Term) -> Term:
        if id(part) not in seen:
            seen[id(part)] = _rebuilt(part, tuple(replaced(argument) for argument in part.arguments), known)
        return seen[id(part)]

    return replaced(formula)


def constants_of(*formulas: Term) -> list[Term]:
    """The unknowns in terms, each once."""
    found: dict[str, Term] = {}
    seen: set[int] = set()
    waiting = list(formulas)
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen.add(id(part))
            waiting.extend(part.arguments)
            if part.operator == "constant":
                found[part.name] = part
    return list(found.values())


def differences(one: Term, other: Term) -> list[tuple[Term, Term]]:
    """The parts in which two terms differ, as far down as they are made alike: where these are equal, so are both.

    >>> a, b, c = (constant(name, BOOL) for name in "abc")
    >>> f = lambda of: apply("f", (of, c), INT)
    >>> differences(f(a), f(conjunction(a, b))) == [(a, conjunction(a, b))]
    True
    """
    found: list[tuple[Term, Term]] = []
    seen: set[tuple[int, int]] = set()
    waiting = [(one, other)]
    while waiting:
        left, right = pair = waiting.pop()
        if left is right or (id(left), id(right)) in seen:
            continue
        seen.add((id(left), id(right)))
        if left.arguments and _is_made_like(left, right):
            waiting.extend(zip(left.arguments, right.arguments, strict=True))
        else:
            found.append(pair)
    return found


def _is_made_like(one: Term, other: Term) -> bool:
    def make(of: Term) -> tuple[str, str, str, tuple[str, ...]]:
        return of.operator, of.sort, of.name, tuple(part.sort for part in of.arguments)

    return make(one) == make(other)


def _rebuilt(part: Term, arguments: tuple[Term, ...], known: Mapping[str, Term]) -> Term:
    if part.operator == "constant":
        return known.get(part.name, part)
    if part.operator == "apply":
        return apply(part.name, arguments, part.sort)
    return _BUILDERS[part.operator](*arguments) if arguments else part
