"""What operators that group rows need: who belongs together, and what the usual aggregates return.

A group has one output row, at the place of its first row *that exists*.

A table of the bound's size stands for tables of any size, so a group may have more rows than are shown. With the
very aggregates of the rows shown, a condition on them that takes many rows to meet (`count(*) > 2`, or five maxima
with different filters) would leave no room for a violator, and a wrong claim would be proved. An aggregate is
therefore an unknown function of the group's rows: the same rows in the same places give the same value, whatever the
aggregate does with order or duplicates. What the rows shown do tell of it is kept: a maximum is not below them.
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


def counted(members: Sequence[Term], unseen: SymbolicValue) -> SymbolicValue:
    """The number of members, those not shown among them: `unseen` says how many there are in all."""
    least = choose(disjunction(*members), known_value(1, LONG), known_value(0, LONG))
    number = SymbolicValue(LONG, unseen.term)
    return choose(less(number, least), least, number)


def extreme(
    members: Sequence[Term], values: Sequence[SymbolicValue], unseen: SymbolicValue, largest: bool
) -> SymbolicValue:
    """`max` or `min` of the members shown and of `unseen`, the one of the others: NULL if none is not NULL."""
    return chosen_by(members, values, values, (unseen, unseen), largest)


def chosen_by(
    members: Sequence[Term],
    values: Sequence[SymbolicValue],
    by: Sequence[SymbolicValue],
    unseen: tuple[SymbolicValue, SymbolicValue],
    largest: bool,
) -> SymbolicValue:
    """`max_by` or `min_by`: the value beside the extreme; `unseen` are both of the members not shown."""
    found, best = unseen
    found = choose(best.null, null_value(found.type), found)
    for member, value, key in zip(members, values, by, strict=True):
        better = less(best, key) if largest else less(key, best)
        taken = conjunction(member, negation(key.null), disjunction(best.null, better))
        best, found = choose(taken, key, best), choose(taken, value, found)
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
