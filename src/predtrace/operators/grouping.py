"""GroupBy and Distinct: every row of the group, or the rows that attain the value.

A conjunct of F over the keys selects groups: it can be pushed, for lineage and for recomputing. A conjunct over
an aggregate cannot; but where every aggregate returns one row's value and F fixes it, the lineage is only the
rows that have one of these values (all rows, where such a value is NULL). R keeps whole groups in any case.

A global aggregate returns a row whatever its input: its lineage is the whole input.

Bound: three rows. With a key dropped, a witness group, and a violator in another group beside the row that keeps
it from being a witness.
"""

from __future__ import annotations

from dataclasses import replace

from predtrace.ir.expressions import AggregateCall, Call, ColumnId, Expression, columns_of
from predtrace.ir.operators import Distinct, GroupBy
from predtrace.ir.types import BOOLEAN
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.pushing import (
    all_of,
    any_of,
    known_values,
    most_to_least,
    parts_of,
    readable,
    substituted,
)
from predtrace.symbolic.expressions import holds
from predtrace.symbolic.groups import Group, attaining, counted, extreme, grouped, unknown_aggregate
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable
from predtrace.symbolic.terms import TRUE, Term, conjunction, disjunction
from predtrace.symbolic.values import NotExpressible, SymbolicValue

_MODELLED_ONE_ROW = frozenset({"min", "max"})


class GroupByLaws(OperatorLaws[GroupBy]):
    def bound(self, operator: GroupBy) -> tuple[int, ...]:
        return (3,)

    def run(self, operator: GroupBy, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        table = inputs[0]
        keys = [named.expression for named in operator.keys]
        groups = grouped(table, keys)
        if not operator.keys:
            members = tuple(row.exists for row in table.rows)
            groups = (Group(TRUE, members, ()),)
        rows = (self._row(operator, table, group) for group in groups)
        return SymbolicTable("groups", operator.output, tuple(rows))

    def _row(self, operator: GroupBy, table: SymbolicTable, group: Group) -> SymbolicRow:
        calls = operator.calls()
        found = [_aggregate(call, table, group.members) for call in calls]
        lineage = group.members
        if calls and all(call.returns_one_row() for call in calls):
            attained = [
                _attained(*of_call, table, group.members) for of_call in zip(calls, found, strict=True)
            ]
            lineage = tuple(disjunction(*of_row) for of_row in zip(*attained, strict=True))
        return SymbolicRow(group.is_first, (*group.keys, *found), (lineage,))

    def candidates(self, operator: GroupBy, selection: Selection) -> tuple[Candidates, ...]:
        keys = {named.column.id: named.expression for named in operator.keys}
        below = (substituted(part, keys) for part in _over(parts_of(selection), set(keys)))
        groups = all_of(readable(below, operator.input))
        attaining_rows = self._attaining(operator, selection)
        both = all_of([*parts_of(groups), *parts_of(attaining_rows)])
        return (Candidates(most_to_least(both, groups), most_to_least(groups)),)

    def _attaining(self, operator: GroupBy, selection: Selection) -> Selection:
        """The rows that have one of the values that one-row aggregates returned, where F fixes all of them."""
        known = known_values(selection)
        choices: list[Selection] = []
        for named in operator.aggregates:
            call, value = named.expression, known.get(named.column.id)
            if not isinstance(call, AggregateCall) or not _is_simple(call) or value is None:
                return None
            attains: Expression = Call("<=>", (call.arguments[0], value), BOOLEAN, is_nullable=False)
            if call.condition is not None:
                attains = Call("and", (call.condition, attains), BOOLEAN)
            nothing = Call("isnull", (value,), BOOLEAN, is_nullable=False)
            choices.append(any_of((attains, nothing)))
        return any_of(choices) if choices else None


class DistinctLaws(OperatorLaws[Distinct]):
    def bound(self, operator: Distinct) -> tuple[int, ...]:
        return (3,)

    def run(self, operator: Distinct, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        """One row of each group is kept: the first, where position stands for any order."""
        table = inputs[0]
        rows = (
            replace(row, exists=group.is_first, lineage=(group.members,))
            for row, group in zip(table.rows, grouped(table, operator.on), strict=True)
        )
        return replace(table, rows=tuple(rows))

    def candidates(self, operator: Distinct, selection: Selection) -> tuple[Candidates, ...]:
        on = {column.id for column in operator.on}
        groups = all_of(readable(_over(parts_of(selection), on), operator.input))
        return (Candidates(most_to_least(groups), most_to_least(groups)),)


def _over(parts: list[Expression], available: set[ColumnId]) -> list[Expression]:
    return [part for part in parts if all(column.id in available for column in columns_of(part))]


def _is_simple(call: AggregateCall) -> bool:
    return call.function in _MODELLED_ONE_ROW


def _attained(
    call: AggregateCall, value: SymbolicValue, table: SymbolicTable, members: tuple[Term, ...]
) -> tuple[Term, ...]:
    """The members that have the returned value, of those that FILTER lets in; all of them where it is NULL."""
    if not _is_simple(call):
        raise NotExpressible(f"which rows {call.function} takes its value from")
    having = attaining(members, _arguments(call, table), value)
    let_in = (holds(call.condition, table.values(row)) for row in table.rows)
    return tuple(
        disjunction(conjunction(member, value.null), conjunction(attains, allowed))
        for member, attains, allowed in zip(members, having, let_in, strict=True)
    )


def _arguments(call: AggregateCall, table: SymbolicTable) -> list[SymbolicValue]:
    return [table.value(row, call.arguments[0]) for row in table.rows]


def _aggregate(call: AggregateCall, table: SymbolicTable, members: tuple[Term, ...]) -> SymbolicValue:
    if call.condition is not None:
        let_in = (holds(call.condition, table.values(row)) for row in table.rows)
        members = tuple(map(conjunction, members, let_in))
    if call.function == "count" and not call.distinct and len(call.arguments) <= 1:
        return counted(members, _arguments(call, table) if call.arguments else None)
    if call.function in _MODELLED_ONE_ROW:
        return extreme(members, _arguments(call, table), call.type, largest=call.function == "max")
    arguments = [tuple(table.value(row, argument) for argument in call.arguments) for row in table.rows]
    identity = f"{call.function} {call.distinct} {call.options} {call.user_function}"
    return unknown_aggregate(identity, members, arguments, call.type)
