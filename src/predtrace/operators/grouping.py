"""GroupBy and Distinct: every row of the group, or the rows that attain the value.

A conjunct of F over the keys selects groups: it can be pushed, for lineage and for recomputing. A conjunct over
an aggregate cannot; but where every aggregate returns one row's value and F fixes it, the lineage is only the
rows that one of these values was taken from (`aggregates`). R keeps whole groups in any case.

A global aggregate returns a row whatever its input: its lineage is the whole input.

Bound: three rows. With a key dropped, a witness, and a violator in another group beside the row that keeps it from
being a witness. It does not grow with what F asks of the aggregates, as groups have rows that are not shown.
"""

from __future__ import annotations

from dataclasses import replace

from predtrace.ir.operators import Distinct, GroupBy, GroupByWithExtremes
from predtrace.operators.aggregates import Aggregation, attaining, chooses_by
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.pushing import (
    all_of,
    any_of,
    known_values,
    most_to_least,
    over,
    parts_of,
    pushed_to_keys,
)
from predtrace.symbolic.groups import Group, grouped, groups_of
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable
from predtrace.symbolic.terms import disjunction


class GroupByLaws(OperatorLaws[GroupBy]):
    def bound(self, operator: GroupBy) -> tuple[int, ...]:
        return (3,)

    def run(self, operator: GroupBy, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        table = inputs[0]
        groups = groups_of(table, [named.expression for named in operator.keys])
        rows = (self._row(operator, table, group) for group in groups)
        return SymbolicTable("groups", operator.output, tuple(rows))

    def _row(self, operator: GroupBy, table: SymbolicTable, group: Group) -> SymbolicRow:
        found = [
            Aggregation(f"aggregate {at}", call, table, group.members)
            for at, call in enumerate(operator.calls())
        ]
        values = [aggregation.value for aggregation in found]
        if isinstance(operator, GroupByWithExtremes):
            values.extend(aggregation.best for aggregation in found if chooses_by(aggregation.call))
        lineage = group.members
        if found and all(aggregation.call.returns_one_row() for aggregation in found):
            taken = zip(*(aggregation.attained for aggregation in found), strict=True)
            lineage = tuple(disjunction(*of_row) for of_row in taken)
        return SymbolicRow(group.is_first, (*group.keys, *values), (lineage,))

    def candidates(self, operator: GroupBy, selection: Selection) -> tuple[Candidates, ...]:
        groups = pushed_to_keys(operator.keys, selection, operator.input)
        both = all_of([*parts_of(groups), *parts_of(_attaining(operator, selection))])
        return (Candidates(most_to_least(both, groups), most_to_least(groups)),)


def _attaining(operator: GroupBy, selection: Selection) -> Selection:
    """The rows that one of the one-row aggregates took its value from, where F fixes what tells them."""
    known, calls = known_values(selection), operator.calls()
    if not calls or not all(call.returns_one_row() for call in calls):
        return None
    extremes = iter(operator.extremes if isinstance(operator, GroupByWithExtremes) else ())
    choices: list[Selection] = []
    for named, call in zip(operator.aggregates, calls, strict=True):
        extreme = next(extremes, None) if chooses_by(call) else None
        value = known.get(named.column.id)
        best = None if extreme is None else known.get(extreme.column.id)
        choices.append(None if value is None else attaining(call, value, best))
    return any_of(choices)


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
        groups = all_of(over(parts_of(selection), {column.id for column in operator.on}))
        return (Candidates(most_to_least(groups), most_to_least(groups)),)
