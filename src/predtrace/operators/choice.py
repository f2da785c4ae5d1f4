"""Limit, TopK and Sample: the same row; which rows are kept depends on all of them.

G is F. It is exact where F fixes every column, because rows equal to a kept one share its lineage. R is
everything: cut the input down and other rows are kept. A limit within groups depends on its own group only, so F on
the columns that make the groups may cut the input.

Bound: three rows, a kept witness, a row that the cut keeps out, and one whose removal would let it in.
"""

from __future__ import annotations

from dataclasses import replace

from predtrace.ir.operators import Limit, Sample
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.pushing import all_of, most_to_least, over, parts_of
from predtrace.symbolic.groups import grouped
from predtrace.symbolic.tables import SymbolicTable, own_lineage
from predtrace.symbolic.terms import INT, below, conjunction, constant, number_of


class ChoiceLaws(OperatorLaws[Limit | Sample]):
    def bound(self, operator: Limit | Sample) -> tuple[int, ...]:
        return (3,)

    def run(self, operator: Limit | Sample, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        """Keep the first so many rows. Positions stand for any order, so this is every limit there is."""
        table = own_lineage(inputs[0])
        count = constant("kept rows", INT)
        rows = []
        within = operator.within if isinstance(operator, Limit) else ()
        for index, (row, group) in enumerate(zip(table.rows, grouped(table, within), strict=True)):
            before = number_of(group.members[:index])
            rows.append(replace(row, exists=conjunction(row.exists, below(before, count))))
        return replace(table, rows=tuple(rows))

    def candidates(self, operator: Limit | Sample, selection: Selection) -> tuple[Candidates, ...]:
        within = {column.id for column in operator.within} if isinstance(operator, Limit) else set()
        groups = all_of(over(parts_of(selection), within)) if within else None
        return (Candidates(most_to_least(selection), most_to_least(groups)),)
