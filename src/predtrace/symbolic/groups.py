"""What operators that group rows need: who belongs together, and what the usual aggregates return.

A group has one output row, at the place of its first row *that exists*. An aggregate that is not modelled is an
unknown function of the rows of its group: the same rows in the same places give the same value, so what is
proved holds for every aggregate, whatever it does with order or duplicates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from predtrace.ir.expressions import Expression
from predtrace.ir.types import LONG, DataType
from predtrace.symbolic.expressions import EMPTY_SCOPE, Scope
from predtrace.symbolic.functions import uninterpreted
from predtrace.symbolic.tables import SymbolicTable
from predtrace.symbolic.terms import TRUE, Term, conjunction, disjunction, negation
from predtrace.symbolic.values import (
    SymbolicValue,
    boolean,
    choose,
    known_value,
    less,
    null_safe_equal,
    null_value,
)


@dataclass(frozen=True, eq=False)
class Group:
    """The group of one row: whether that row is its first, and which rows belong to it."""

    is_first: Term
    members: tuple[Term, ...]
    keys: tuple[SymbolicValue, ...]


def grouped(
    table: SymbolicTable, keys: Sequence[Expression], scope: Scope = EMPTY_SCOPE
) -> tuple[Group, ...]:
    """For each row its group; the groups whose `is_first` holds are the groups of the table. Keys match by `<=>`."""
    of_rows = [tuple(table.value(row, key, scope) for key in keys) for row in table.rows]
    groups = []
    for index, (row, own) in enumerate(zip(table.rows, of_rows, strict=True)):
        members = tuple(
            conjunction(other.exists, *map(null_safe_equal, own, keys_of_other))
            for other, keys_of_other in zip(table.rows, of_rows, strict=True)
        )
        first = conjunction(row.exists, *(negation(member) for member in members[:index]))
        groups.append(Group(first, members, own))
    return tuple(groups)


def groups_of(table: SymbolicTable, keys: Sequence[Expression]) -> tuple[Group, ...]:
    """The groups of a GROUP BY: without keys there is one, whatever the table."""
    if keys:
        return grouped(table, keys)
    return (Group(TRUE, tuple(row.exists for row in table.rows), ()),)


def counted(members: Sequence[Term], values: Sequence[SymbolicValue] | None = None) -> SymbolicValue:
    """`count(*)`, or `count(value)`, which leaves NULLs out: 0 for no rows, else some number from 1 up.

    Not the number of rows here: a table of the bound's size stands for tables of any size, where a group that the
    witness belongs to may have as many rows as a condition on the count asks for. (With the very number, `count > 2`
    would leave no room for a violator in a table of three rows, and a wrong claim would be proved.)
    """
    if values is not None:
        members = [conjunction(m, negation(v.null)) for m, v in zip(members, values, strict=True)]
    unknown = uninterpreted("count", tuple(boolean(member) for member in members), LONG)
    one, none = known_value(1, LONG), known_value(0, LONG)
    number = SymbolicValue(LONG, unknown.term)
    return choose(disjunction(*members), choose(less(number, one), one, number), none)


def extreme(
    members: Sequence[Term], values: Sequence[SymbolicValue], type_: DataType, largest: bool
) -> SymbolicValue:
    """`max` or `min`: NULL if there is no member that is not NULL."""
    best = null_value(type_)
    for member, value in zip(members, values, strict=True):
        better = less(best, value) if largest else less(value, best)
        best = choose(conjunction(member, negation(value.null), disjunction(best.null, better)), value, best)
    return best


def attaining(
    members: Sequence[Term], values: Sequence[SymbolicValue], best: SymbolicValue
) -> tuple[Term, ...]:
    """The members with the returned value; all of them where it is NULL (the lineage of a one-row aggregate)."""
    return tuple(
        conjunction(member, disjunction(best.null, null_safe_equal(value, best)))
        for member, value in zip(members, values, strict=True)
    )


def chosen_by(
    members: Sequence[Term],
    values: Sequence[SymbolicValue],
    by: Sequence[SymbolicValue],
    type_: DataType,
    largest: bool,
) -> SymbolicValue:
    """`max_by` or `min_by`: the value beside the extreme, of the first row with it; position stands for any order."""
    best, found = null_value(by[0].type), null_value(type_)
    for member, value, key in zip(members, values, by, strict=True):
        better = less(best, key) if largest else less(key, best)
        taken = conjunction(member, negation(key.null), disjunction(best.null, better))
        best, found = choose(taken, key, best), choose(taken, value, found)
    return found


def first_of(
    members: Sequence[Term], values: Sequence[SymbolicValue], type_: DataType, backwards: bool = False
) -> SymbolicValue:
    """The value of the first or last member, NULL or not; position stands for any order."""
    found = null_value(type_)
    pairs = list(zip(members, values, strict=True))
    for member, value in pairs if backwards else reversed(pairs):
        found = choose(member, value, found)
    return found


def unknown_aggregate(
    identity: str,
    members: Sequence[Term],
    arguments: Sequence[tuple[SymbolicValue, ...]],
    type_: DataType,
) -> SymbolicValue:
    """Any deterministic function of a group's rows: `arguments` are those of each row, seen only for members.

    `identity` names the function with its options, so that two runs of one operator share it.
    """
    seen: list[SymbolicValue] = []
    for member, of_row in zip(members, arguments, strict=True):
        seen.append(boolean(member))
        seen.extend(choose(member, value, null_value(value.type)) for value in of_row)
    return uninterpreted(f"aggregate {identity}", tuple(seen), type_)
