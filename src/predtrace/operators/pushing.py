"""Taking predicates apart and putting them together, one conjunct at a time.

Leaving a conjunct out weakens a predicate, which keeps a lineage predicate sound. Nothing is ever taken out of an
OR or a NOT, but what repeats another side of the OR.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from functools import reduce

from predtrace.ir.expressions import Call, Column, ColumnId, Expression, Literal
from predtrace.ir.operators import Named, Operator
from predtrace.ir.parts import cannot_fail, columns_of, conjuncts, leaves_of, transform
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN
from predtrace.operators.base import Selection
from predtrace.symbolic.python import implied

NOTHING = Literal(False, BOOLEAN)
"""The predicate that selects no row."""

Substitution = Mapping[ColumnId, Expression]


def parts_of(selection: Selection) -> list[Expression]:
    """The conjuncts of a predicate; none for the one that selects everything."""
    return [] if selection is None else conjuncts(selection)


def all_of(parts: Iterable[Expression]) -> Selection:
    """The conjunction, each part once."""
    different = list(dict.fromkeys(parts))
    if not different:
        return None
    return reduce(lambda one, other: Call("and", (one, other), BOOLEAN), different)


def any_of(selections: Iterable[Selection]) -> Selection:
    """The disjunction; everything if one of them selects everything."""
    found: list[Expression] = []
    for selection in selections:
        if selection is None:
            return None
        found.append(selection)
    return (
        reduce(lambda one, other: Call("or", (one, other), BOOLEAN), dict.fromkeys(found))
        if found
        else NOTHING
    )


def factored(part: Expression) -> list[Expression]:
    """A condition as conjuncts: what all sides of an OR have in common stands apart, where a join can go by it.

    `(a and b) or (a and c)` is `a and (b or c)`, for unknown values too.
    """
    sides = [conjuncts(side) for side in _disjuncts(part)]
    common = [each for each in sides[0] if all(each in side for side in sides)]
    if len(sides) == 1 or not common:
        return [part]
    rest = any_of(all_of(each for each in side if each not in common) for side in sides)
    return [*common, *parts_of(rest)]


def each_once(selection: Selection) -> Selection:
    """A predicate without conjuncts that repeat another, and without such sides of an OR."""

    def sides_once(part: Expression) -> Expression:
        sides = _disjuncts(part)
        repeats = len(set(sides)) < len(sides)
        return (any_of(sides) if repeats else None) or part

    return all_of(map(sides_once, parts_of(selection)))


def _disjuncts(condition: Expression) -> list[Expression]:
    if isinstance(condition, Call) and condition.function == "or":
        return [part for argument in condition.arguments for part in _disjuncts(argument)]
    return [condition]


def substituted(expression: Expression, known: Substitution) -> Expression:
    """The expression with columns replaced."""

    def change(part: Expression) -> Expression:
        return known.get(part.id, part) if isinstance(part, Column) else part

    return transform(expression, change)


def with_values(selection: Selection, values: Mapping[str, Expression]) -> Selection:
    """The predicate with parameters replaced, as far as their values are given."""

    def change(part: Expression) -> Expression:
        return values.get(part.name, part) if isinstance(part, Parameter) else part

    return None if selection is None else transform(selection, change)


def askable(selection: Selection) -> Selection:
    """What can be asked of every row, as far as a predicate says it: a part that may fail for rows that it was never
    meant for is left out, or what it implies stands in its place."""
    parts = (part if cannot_fail(part) else implied(part) for part in parts_of(selection))
    return all_of(part for part in parts if part is not None)


def readable(expressions: Iterable[Expression], operator: Operator) -> list[Expression]:
    """Those that read nothing but the columns of an operator's output, and are no guess."""
    return over(expressions, {column.id for column in operator.output})


def over(parts: Iterable[Expression], available: Container[ColumnId]) -> list[Expression]:
    """Those that read no other columns, and are no guess."""
    return [
        part
        for part in parts
        if part.is_deterministic() and all(column.id in available for column in columns_of(part))
    ]


def pushed_to_keys(keys: Iterable[Named], selection: Selection, below: Operator) -> Selection:
    """F as far as it reads nothing but keys, over the expressions that compute them."""
    known = {named.column.id: named.expression for named in keys}
    return all_of(readable((substituted(part, known) for part in over(parts_of(selection), known)), below))


def known_values(selection: Selection) -> dict[ColumnId, Expression]:
    """The columns that a predicate fixes to a value of the target row or to a constant."""
    found: dict[ColumnId, Expression] = {}
    for part in parts_of(selection):
        match part:
            case Call(
                function="<=>" | "=",
                arguments=(Column() as column, (Parameter() | Literal()) as value)
                | ((Parameter() | Literal()) as value, Column() as column),
            ):
                found.setdefault(column.id, value)
    return found


def parameters_of(selection: Selection) -> set[str]:
    """The names of the parameters that a predicate compares with."""
    nodes = () if selection is None else leaves_of(selection)
    return {node.name for node in nodes if isinstance(node, Parameter)}


def most_to_least(*selections: Selection) -> tuple[Selection, ...]:
    """Candidates without repeats, ending with the one that selects everything."""
    return tuple(dict.fromkeys((*selections, None)))
