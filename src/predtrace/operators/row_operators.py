"""Filter, Project, Sort, Expand: each output row comes from one input row.

| operator | G and R |
|---|---|
| Filter | F and the condition |
| Project | F over the expressions that compute its columns; a conjunct that reads a random one stays above |
| Sort | F |
| Expand, Unpivot | F over one projection or another |

Bound: two rows. Rows do not influence each other, so one row witnesses the target and one violates.
"""

from __future__ import annotations

from dataclasses import replace

from predtrace.ir.operators import Expand, Filter, Project, Sort
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.pushing import all_of, any_of, most_to_least, parts_of, readable, substituted
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable, filtered, own_lineage


class FilterLaws(OperatorLaws[Filter]):
    rows_stand_alone = True

    def bound(self, operator: Filter) -> tuple[int, ...]:
        return (2,)

    def run(self, operator: Filter, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        return filtered(own_lineage(inputs[0]), operator.condition)

    def candidates(self, operator: Filter, selection: Selection) -> tuple[Candidates, ...]:
        both = all_of([*parts_of(selection), *readable(parts_of(operator.condition), operator.input)])
        return (Candidates(most_to_least(both, selection), most_to_least(both, selection)),)


class ProjectLaws(OperatorLaws[Project]):
    rows_stand_alone = True

    def bound(self, operator: Project) -> tuple[int, ...]:
        return (2,)

    def run(self, operator: Project, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        table = own_lineage(inputs[0])
        rows = (
            replace(row, values=tuple(table.value(row, named.expression) for named in operator.columns))
            for row in table.rows
        )
        return SymbolicTable("projected", operator.output, tuple(rows))

    def candidates(self, operator: Project, selection: Selection) -> tuple[Candidates, ...]:
        known = {named.column.id: named.expression for named in operator.columns}
        below = (substituted(part, known) for part in parts_of(selection))
        pushed = all_of(readable(below, operator.input))
        return (Candidates(most_to_least(pushed), most_to_least(pushed)),)


class SortLaws(OperatorLaws[Sort]):
    rows_stand_alone = True

    def bound(self, operator: Sort) -> tuple[int, ...]:
        return (2,)

    def run(self, operator: Sort, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        return own_lineage(inputs[0])

    def candidates(self, operator: Sort, selection: Selection) -> tuple[Candidates, ...]:
        return (Candidates(most_to_least(selection), most_to_least(selection)),)


class ExpandLaws(OperatorLaws[Expand]):
    rows_stand_alone = True

    def bound(self, operator: Expand) -> tuple[int, ...]:
        return (2,)

    def run(self, operator: Expand, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        table = own_lineage(inputs[0])
        rows = (
            SymbolicRow(row.exists, tuple(table.value(row, part) for part in projection), row.lineage)
            for row in table.rows
            for projection in operator.projections
        )
        return SymbolicTable("expanded", operator.columns, tuple(rows))

    def candidates(self, operator: Expand, selection: Selection) -> tuple[Candidates, ...]:
        levels = []
        for projection in operator.projections:
            known = {column.id: part for column, part in zip(operator.columns, projection, strict=True)}
            below = (substituted(part, known) for part in parts_of(selection))
            levels.append(all_of(readable(below, operator.input)))
        pushed = any_of(levels)
        return (Candidates(most_to_least(pushed), most_to_least(pushed)),)
