"""Union, Intersect, Except: the equal rows of the branches, by position.

| operator | G | R |
|---|---|---|
| Union | F in each branch; needs no premise, a branch's row with F is an output row with F | F |
| Intersect | F in both; exact where F fixes every column | F |
| Except | left: F, exact where F fixes every column; right: nothing | F in both |

Bound: two rows a branch, a witness and a violator; a row of another branch meets them one at a time.
"""

from __future__ import annotations

from predtrace.ir.operators import Except, Intersect, SetOperation, Union
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.pushing import NOTHING, all_of, most_to_least, parts_of, readable, substituted
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable, frozen, no_lineage, same_row
from predtrace.symbolic.terms import Term, below, conjunction, negation, number_of


class SetLaws(OperatorLaws[SetOperation]):
    def bound(self, operator: SetOperation) -> tuple[int, ...]:
        return (2,) * len(operator.branches)

    def run(self, operator: SetOperation, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        rows: list[SymbolicRow] = []
        branches = inputs if isinstance(operator, Union) else inputs[:1]
        for position, table in enumerate(branches):
            for index, row in enumerate(table.rows):
                lineage = no_lineage(inputs)
                lineage[position][index] = row.exists
                exists = row.exists
                if not isinstance(operator, Union):
                    twins = _equal_to(row, inputs[1])
                    exists = _kept(operator, inputs[0], index, twins)
                    lineage[0] = _equal_to(row, inputs[0])
                    if isinstance(operator, Intersect):
                        lineage[1] = twins
                rows.append(SymbolicRow(exists, row.values, frozen(lineage)))
        return SymbolicTable("set", operator.output, tuple(rows))

    def candidates(self, operator: SetOperation, selection: Selection) -> tuple[Candidates, ...]:
        found = []
        for position, branch in enumerate(operator.branches):
            known = {c.id: own for c, own in zip(operator.columns, branch.output, strict=True)}
            pushed = all_of(readable((substituted(part, known) for part in parts_of(selection)), branch))
            is_subtracted = isinstance(operator, Except) and position == 1
            lineage = (NOTHING,) if is_subtracted else most_to_least(pushed)
            found.append(Candidates(lineage, most_to_least(pushed)))
        return tuple(found)


def _equal_to(row: SymbolicRow, table: SymbolicTable) -> list[Term]:
    return [conjunction(other.exists, same_row(row, other)) for other in table.rows]


def _kept(operator: SetOperation, left: SymbolicTable, index: int, twins: list[Term]) -> Term:
    """Whether the left row comes out: with ALL, copies are counted against those of the other side."""
    row = left.rows[index]
    copies_before = number_of(tuple(_equal_to(row, left)[:index]))
    others = number_of(tuple(twins))
    if isinstance(operator, Intersect):
        allowed = below(copies_before, others) if operator.keep_duplicates else below(number_of(()), others)
    else:
        allowed = negation(
            below(copies_before, others) if operator.keep_duplicates else below(number_of(()), others)
        )
    first = [] if operator.keep_duplicates else [negation(twin) for twin in _equal_to(row, left)[:index]]
    return conjunction(row.exists, allowed, *first)
