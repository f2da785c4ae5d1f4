"""Whether rows are told apart without the columns whose values may differ between two runs.

A sum of doubles recomputed may differ in its last digit, so a row must be found again without it. The other columns
will do where they determine it: no two rows of one run are equal in them and differ in what is left out, as the keys
of a group determine its sums. That is proved operator by operator, from what determines what in the inputs:

    GroupBy   k determines sum                          (whatever the input)
    Join      k, j determine sum                        (if k determines it on the left)
    Project   k, j determine 2 * sum                    (if k, j determine sum)
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

from predtrace.infer.models import Model, Models
from predtrace.ir.expressions import ColumnId
from predtrace.ir.operators import Operator
from predtrace.symbolic.claims import Claim
from predtrace.symbolic.solver import prove
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable
from predtrace.symbolic.terms import Term, conjunction, implication
from predtrace.symbolic.values import null_safe_equal


def determines(
    operator: Operator, by: Collection[ColumnId], left_out: Collection[ColumnId], models: Models
) -> bool:
    """Whether output rows that are equal in the columns `by` are equal in those left out."""
    if not any(column.id in left_out for column in operator.output):
        return True
    model = models.of(operator)
    if model is None:
        return False
    conclusion = _determined(model.output, by, left_out)
    if prove(Claim(conclusion)).is_proved:
        return True
    below = [_passed_on(model, at, by) for at in range(len(operator.inputs))]
    premises = tuple(_determined(t, keys, left_out) for t, keys in zip(model.inputs, below, strict=True))
    return prove(Claim(conclusion, premises)).is_proved and all(
        determines(each, keys, left_out, models) for each, keys in zip(operator.inputs, below, strict=True)
    )


def _passed_on(model: Model, at: int, by: Collection[ColumnId]) -> set[ColumnId]:
    """The columns of an input that the output repeats under one of the names `by`."""
    repeated = {
        id(row.values[n])
        for row in model.output.rows
        for n, c in enumerate(model.output.columns)
        if c.id in by
    }
    table = model.inputs[at]
    return {
        column.id
        for position, column in enumerate(table.columns)
        if all(id(row.values[position]) in repeated for row in table.rows)
    }


def _determined(table: SymbolicTable, by: Collection[ColumnId], left_out: Collection[ColumnId]) -> Term:
    places = [(column.id in by, column.id in left_out) for column in table.columns]

    def equal(one: SymbolicRow, other: SymbolicRow, which: int) -> Term:
        values = zip(one.values, other.values, places, strict=True)
        return conjunction(*(null_safe_equal(a, b) for a, b, place in values if place[which]))

    return conjunction(
        *(
            implication(conjunction(one.exists, other.exists, equal(one, other, 0)), equal(one, other, 1))
            for one, other in combinations(table.rows, 2)
        )
    )
