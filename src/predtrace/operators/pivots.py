"""Pivot: a GroupBy whose rows count only if they went into a cell.

G is F on the keys, and: the row's pivot value is that of a cell (and, where the cell's aggregates return one row's
value, the value was taken from that row), or no row of the group has such a value. Only the group as a whole
tells the last, so it takes a hidden flag. R keeps whole groups.

Bound: three rows, as for a GroupBy: a row with a pivoted value, one without, one of another group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from predtrace.ir.expressions import Call, ColumnId, Expression
from predtrace.ir.operators import Pivot, PivotCell, PivotWithFlag
from predtrace.ir.parts import columns_of
from predtrace.ir.types import BOOLEAN
from predtrace.operators.aggregates import Aggregation, attaining
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.pushing import all_of, any_of, known_values, most_to_least, parts_of, pushed_to_keys
from predtrace.symbolic.expressions import evaluate, holds
from predtrace.symbolic.groups import Group, groups_of, unknown_aggregate
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable
from predtrace.symbolic.terms import Term, conjunction, disjunction, negation
from predtrace.symbolic.values import NotExpressible, SymbolicValue, boolean, choose, is_true, null_value


class PivotLaws(OperatorLaws[Pivot]):
    def bound(self, operator: Pivot) -> tuple[int, ...]:
        return (3,)

    def run(self, operator: Pivot, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        table = inputs[0]
        groups = groups_of(table, [named.expression for named in operator.keys])
        rows = (_row(operator, table, group) for group in groups)
        return SymbolicTable("pivoted", operator.output, tuple(rows))

    def candidates(self, operator: Pivot, selection: Selection) -> tuple[Candidates, ...]:
        groups = pushed_to_keys(operator.keys, selection, operator.input)
        counting = all_of([*parts_of(groups), *parts_of(_counting(operator, selection))])
        return (Candidates(most_to_least(counting, groups), most_to_least(groups)),)


def _in_cell(operator: Pivot, cell: PivotCell) -> Expression:
    return Call("<=>", (operator.pivot, cell.value), BOOLEAN, is_nullable=False)


def _takes_one_row(cell: PivotCell) -> bool:
    return bool(cell.calls) and all(call.returns_one_row() for call in cell.aggregates())


@dataclass(frozen=True, eq=False)
class _CellOfGroup:
    """A cell of one group, some rows of which are shown (`symbolic.groups`)."""

    operator: Pivot
    at: int
    table: SymbolicTable
    group: Group

    @property
    def cell(self) -> PivotCell:
        return self.operator.cells[self.at]

    @cached_property
    def members(self) -> tuple[Term, ...]:
        within = _in_cell(self.operator, self.cell)
        is_within = (holds(within, self.table.values(row)) for row in self.table.rows)
        return tuple(map(conjunction, self.group.members, is_within))

    @cached_property
    def has_rows(self) -> Term:
        pivots = [(self.table.value(row, self.operator.pivot),) for row in self.table.rows]
        unseen = unknown_aggregate(f"cell {self.at} has rows", self.group.members, pivots, BOOLEAN)
        return disjunction(is_true(unseen), *self.members)

    @cached_property
    def aggregations(self) -> list[Aggregation]:
        within = _in_cell(self.operator, self.cell)
        found = []
        for number, call in enumerate(self.cell.aggregates()):
            let_in = replace(call, condition=all_of([*parts_of(call.condition), within]))
            name = f"aggregate {number} of cell {self.at}"
            found.append(Aggregation(name, let_in, self.table, self.group.members))
        return found

    @property
    def value(self) -> SymbolicValue:
        operator, cell = self.operator, self.cell
        values = {named.column.id: v for named, v in zip(operator.keys, self.group.keys, strict=True)}
        calls = zip(cell.calls, self.aggregations, strict=True)
        values.update((named.column.id, aggregation.value) for named, aggregation in calls)
        if not {column.id for column in columns_of(cell.result)} <= set(values):
            raise NotExpressible(f"the cell {cell.column}")
        value = evaluate(cell.result, values)
        return choose(self.has_rows, value, null_value(value.type)) if operator.missing_is_null else value

    @property
    def counting(self) -> tuple[Term, ...]:
        """The rows of the cell that count."""
        if not _takes_one_row(self.cell):
            return self.members
        taken = zip(*(aggregation.attained for aggregation in self.aggregations), strict=True)
        return tuple(map(conjunction, self.members, (disjunction(*of_row) for of_row in taken)))


def _row(operator: Pivot, table: SymbolicTable, group: Group) -> SymbolicRow:
    cells = [_CellOfGroup(operator, at, table, group) for at in range(len(operator.cells))]
    is_pivoted = disjunction(*(cell.has_rows for cell in cells))
    counting = zip(*(cell.counting for cell in cells), strict=True)
    lineage = tuple(
        conjunction(member, disjunction(negation(is_pivoted), *of_row))
        for member, of_row in zip(group.members, counting, strict=True)
    )
    flag = (boolean(is_pivoted),) if isinstance(operator, PivotWithFlag) else ()
    return SymbolicRow(group.is_first, (*group.keys, *(cell.value for cell in cells), *flag), (lineage,))


def _counting(operator: Pivot, selection: Selection) -> Selection:
    """The rows of the group that count, where F fixes what tells them."""
    known = known_values(selection)
    flag = known.get(operator.flag.column.id) if isinstance(operator, PivotWithFlag) else None
    if flag is None:
        return None
    cells = [_counting_in_cell(operator, cell, known) for cell in operator.cells]
    return any_of((Call("not", (flag,), BOOLEAN), *cells))


def _counting_in_cell(operator: Pivot, cell: PivotCell, known: dict[ColumnId, Expression]) -> Selection:
    tests = [_in_cell(operator, cell)]
    value = known.get(cell.column.id)
    if _takes_one_row(cell) and [named.column for named in cell.calls] == [cell.result] and value is not None:
        tests.extend(parts_of(attaining(cell.aggregates()[0], value, None)))
    return all_of(tests)
