"""Pivot: a GroupBy whose rows count only if they went into a cell.

G is F on the keys, and: the row's pivot value is that of a cell (and, where the cell's aggregates return one row's
value, the value was taken from that row), or no row of the group has such a value. Only the group as a whole
tells the last, so it takes a hidden flag. R keeps whole groups.

Bound: three rows, as for a GroupBy: a row with a pivoted value, one without, one of another group.
"""

from __future__ import annotations

from collections.abc import Sequence

from predtrace.ir.expressions import Call, ColumnId, Expression, columns_of
from predtrace.ir.operators import Pivot, PivotCell, PivotWithFlag
from predtrace.ir.types import BOOLEAN
from predtrace.operators.aggregates import aggregate_value, attained, attaining
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.pushing import all_of, any_of, known_values, most_to_least, parts_of, pushed_to_keys
from predtrace.symbolic.expressions import evaluate, holds
from predtrace.symbolic.groups import Group, groups_of
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable
from predtrace.symbolic.terms import Term, conjunction, disjunction, negation
from predtrace.symbolic.values import NotExpressible, SymbolicValue, boolean, choose, null_value


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


def _row(operator: Pivot, table: SymbolicTable, group: Group) -> SymbolicRow:
    cells, counting = [], []
    pivoted = [_members(operator, cell, table, group) for cell in operator.cells]
    for cell, members in zip(operator.cells, pivoted, strict=True):
        found = [aggregate_value(call, table, members) for call in cell.aggregates()]
        cells.append(_cell(operator, cell, group, found, members))
        counting.append(_counting_rows(cell, table, members, found))
    is_pivoted = disjunction(*(member for members in pivoted for member in members))
    lineage = tuple(
        conjunction(member, disjunction(negation(is_pivoted), *of_row))
        for member, of_row in zip(group.members, zip(*counting, strict=True), strict=True)
    )
    flag = (boolean(is_pivoted),) if isinstance(operator, PivotWithFlag) else ()
    return SymbolicRow(group.is_first, (*group.keys, *cells, *flag), (lineage,))


def _members(operator: Pivot, cell: PivotCell, table: SymbolicTable, group: Group) -> tuple[Term, ...]:
    within = (holds(_in_cell(operator, cell), table.values(row)) for row in table.rows)
    return tuple(map(conjunction, group.members, within))


def _cell(
    operator: Pivot,
    cell: PivotCell,
    group: Group,
    found: Sequence[SymbolicValue],
    members: Sequence[Term],
) -> SymbolicValue:
    values = {named.column.id: value for named, value in zip(operator.keys, group.keys, strict=True)}
    values.update((named.column.id, value) for named, value in zip(cell.calls, found, strict=True))
    if not {column.id for column in columns_of(cell.result)} <= set(values):
        raise NotExpressible(f"the cell {cell.column}")
    value = evaluate(cell.result, values)
    if operator.missing_is_null:
        return choose(disjunction(*members), value, null_value(value.type))
    return value


def _counting_rows(
    cell: PivotCell, table: SymbolicTable, members: tuple[Term, ...], found: Sequence[SymbolicValue]
) -> tuple[Term, ...]:
    """The rows of a cell that count."""
    if not _takes_one_row(cell):
        return members
    calls = cell.aggregates()
    taken = [attained(call, value, table, members) for call, value in zip(calls, found, strict=True)]
    return tuple(disjunction(*of_row) for of_row in zip(*taken, strict=True))


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
