"""Generate: each output row comes from one input row, as one of the rows that its generator yields.

G and R are F on the columns of the input. What a generator yields is any function of the input row: where F does
not fix that row, rows that never yielded the target's values are selected, and the output is needed; a row of it
tells the row it came from.

Bound: two input rows, a witness and a violator, of two generated rows each: one that F selects and one it does not.
"""

from __future__ import annotations

from predtrace.ir.operators import Generate
from predtrace.ir.types import BOOLEAN, DataType
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.pushing import all_of, most_to_least, parts_of, readable
from predtrace.symbolic.functions import uninterpreted
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable, null_row, own_lineage
from predtrace.symbolic.terms import conjunction, disjunction, negation
from predtrace.symbolic.values import SymbolicValue, is_true

_YIELDED = 2


class GenerateLaws(OperatorLaws[Generate]):
    def bound(self, operator: Generate) -> tuple[int, ...]:
        return (2,)

    def run(self, operator: Generate, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        table = own_lineage(inputs[0])
        rows = []
        for row in table.rows:
            source = table.value(row, operator.generator)
            yielded = [is_true(_part(f"yields row {at}", source, BOOLEAN)) for at in range(_YIELDED)]
            for at, present in enumerate(yielded):
                values = (
                    _part(f"column {place} of row {at}", source, c.type)
                    for place, c in enumerate(operator.generated)
                )
                exists = conjunction(row.exists, present)
                rows.append(SymbolicRow(exists, (*row.values, *values), row.lineage))
            if operator.outer:
                exists = conjunction(row.exists, negation(disjunction(*yielded)))
                rows.append(SymbolicRow(exists, (*row.values, *null_row(operator.generated)), row.lineage))
        return SymbolicTable("generated", operator.output, tuple(rows))

    def candidates(self, operator: Generate, selection: Selection) -> tuple[Candidates, ...]:
        own = all_of(readable(parts_of(selection), operator.input))
        return (Candidates(most_to_least(own), most_to_least(own)),)


def _part(name: str, source: SymbolicValue, type_: DataType) -> SymbolicValue:
    return uninterpreted(name, (source,), type_)
