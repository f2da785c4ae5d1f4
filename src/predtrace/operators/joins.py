"""Joins of every kind.

Let c be the join condition. What F fixes of one side can be put into c, which then says something about the other
side alone. Across an inner join, F itself can be carried over columns that c makes equal.

| kind | G left | G right | R left | R right |
|---|---|---|---|---|
| inner, cross | F on the left, c with the right's values | the same for the right | as G | as G |
| left outer | F on the left | F on the right, c with the left's values | F on the left | c with the left's values |
| right, full outer | by symmetry | | | |
| semi | F and what c says of the left alone | c with the left's values | as G | as G |
| existence | F without the flag | c with the left's values | as G | as G |
| anti | F | nothing: who failed to match is in nobody's lineage | F | c with the left's values |
| scalar | F on the left | F with the left's values; else all, at most one row | F on the left | as G |

Bound: two rows a side. A pair witnesses the target; a violator on either side needs at most one partner, and
pairs do not influence each other. An outer or anti join asks whether *no* partner exists, which one partner
refutes. A scalar join has one row on the right by definition.
"""

from __future__ import annotations

from collections.abc import Sequence

from predtrace.ir.expressions import Call, Column, ColumnId, Expression
from predtrace.ir.operators import Join, JoinKind, Operator
from predtrace.ir.parts import columns_of
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.pushing import (
    NOTHING,
    all_of,
    known_values,
    most_to_least,
    parts_of,
    readable,
    substituted,
)
from predtrace.symbolic.expressions import holds
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable, frozen, no_lineage, null_row
from predtrace.symbolic.terms import BOOL, Term, conjunction, constant, disjunction, negation
from predtrace.symbolic.values import boolean

_KEEPS_LEFT = {JoinKind.LEFT, JoinKind.FULL, JoinKind.SCALAR}
_KEEPS_RIGHT = {JoinKind.RIGHT, JoinKind.FULL}
_CARRIES = {JoinKind.INNER, JoinKind.CROSS, JoinKind.SEMI}
Matches = list[list[Term]]


class JoinLaws(OperatorLaws[Join]):
    def bound(self, operator: Join) -> tuple[int, ...]:
        return (2, 1) if operator.kind is JoinKind.SCALAR else (2, 2)

    def run(self, operator: Join, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        matches = self.matches(operator, inputs)
        if operator.kind in (JoinKind.SEMI, JoinKind.ANTI, JoinKind.EXISTENCE):
            rows = _left_rows(operator, inputs, matches)
        else:
            rows = _pairs(operator, inputs, matches)
        return SymbolicTable("joined", operator.output, tuple(rows))

    def matches(self, operator: Join, inputs: tuple[SymbolicTable, ...]) -> Matches:
        """Which rows pair up."""
        return _matches(operator.condition, inputs)

    def candidates(self, operator: Join, selection: Selection) -> tuple[Candidates, ...]:
        left, right = _Side(operator, selection, 0), _Side(operator, selection, 1)
        kind = operator.kind
        if kind is JoinKind.ANTI:
            only_left = Candidates(most_to_least(left.own()), most_to_least(left.own()))
            return only_left, Candidates((NOTHING,), most_to_least(right.condition()))
        if kind is JoinKind.SCALAR:
            scalar = most_to_least(right.given())
            return Candidates(most_to_least(left.own()), most_to_least(left.own())), Candidates(
                scalar, scalar
            )
        return (
            left.candidates(preserved=kind in _KEEPS_LEFT or kind is JoinKind.EXISTENCE),
            right.candidates(preserved=kind in _KEEPS_RIGHT),
        )


class LateralJoinLaws(JoinLaws):
    """The right side is another one for each left row: any of its rows may be there for one and not for another."""

    def matches(self, operator: Join, inputs: tuple[SymbolicTable, ...]) -> Matches:
        return [
            [
                conjunction(match, constant(f"row {j + 1} is there for row {i + 1}", BOOL))
                for j, match in enumerate(of_row)
            ]
            for i, of_row in enumerate(super().matches(operator, inputs))
        ]


class _Side:
    """What a join's condition and F say about one of its inputs."""

    def __init__(self, operator: Join, selection: Selection, position: int) -> None:
        self.operator = operator
        self.input: Operator = operator.inputs[position]
        self.parts = parts_of(selection)
        self.known = known_values(selection)
        self.other = operator.inputs[1 - position]

    def own(self) -> Selection:
        """F as far as it reads this side."""
        return all_of(readable(self.parts, self.input))

    def carried(self) -> Selection:
        """F as far as it reads this side or columns that equal this side's."""
        equal = _equal_columns(self.operator, self.input)
        return all_of(readable((substituted(part, equal) for part in self.parts), self.input))

    def condition(self) -> Selection:
        """The join condition with the other side's values as far as F fixes them."""
        return self._with_values(parts_of(self.operator.condition))

    def given(self) -> Selection:
        """F with the other side's values as far as it fixes them, without what it says of the other side alone."""
        of_other = {column.id for column in self.other.output}
        about_this = [p for p in self.parts if not (ids := {c.id for c in columns_of(p)}) or ids - of_other]
        return self._with_values(about_this)

    def _with_values(self, parts: list[Expression]) -> Selection:
        of_other = {c.id for c in self.other.output}
        values = {column: value for column, value in self.known.items() if column in of_other}
        return all_of(readable((substituted(part, values) for part in parts), self.input))

    def candidates(self, preserved: bool) -> Candidates:
        """A preserved row comes out whether it has a partner or not: the condition says nothing about it."""
        if preserved:
            return Candidates(most_to_least(self.own()), most_to_least(self.own()))
        own, condition = parts_of(self.own()), parts_of(self.condition())
        carried = parts_of(self.carried()) if self.operator.kind in _CARRIES else []
        best = all_of([*own, *carried, *condition])
        recompute = best if self.operator.kind in _CARRIES else all_of(condition)
        lineage = most_to_least(best, all_of([*own, *condition]), all_of(condition), all_of(own))
        return Candidates(lineage, most_to_least(recompute, all_of(condition)))


def _equal_columns(operator: Join, wanted: Operator) -> dict[ColumnId, Expression]:
    """For columns of the other side: the column of this side that the condition makes equal to it."""
    available = {column.id for column in wanted.output}
    found: dict[ColumnId, Expression] = {}
    for part in parts_of(operator.condition):
        match part:
            case Call(function="=" | "<=>", arguments=(Column() as one, Column() as other)):
                if one.id in available and other.id not in available:
                    found.setdefault(other.id, one)
                elif other.id in available and one.id not in available:
                    found.setdefault(one.id, other)
    return found


def _matches(condition: Selection, inputs: Sequence[SymbolicTable]) -> Matches:
    left, right = inputs
    return [
        [
            conjunction(a.exists, b.exists, holds(condition, {**left.values(a), **right.values(b)}))
            for b in right.rows
        ]
        for a in left.rows
    ]


def _left_rows(operator: Join, inputs: tuple[SymbolicTable, ...], matches: Matches) -> list[SymbolicRow]:
    rows = []
    matching = _matches(operator.matching or operator.condition, inputs)
    for index, row in enumerate(inputs[0].rows):
        lineage = no_lineage(inputs)
        lineage[0][index] = row.exists
        found = disjunction(*matches[index])
        exists, values = row.exists, row.values
        if operator.kind is not JoinKind.ANTI:
            lineage[1] = list(matching[index])
        if operator.kind is JoinKind.SEMI:
            exists = found
        elif operator.kind is JoinKind.ANTI:
            exists = conjunction(row.exists, negation(found))
        else:
            values = (*values, boolean(found))
        rows.append(SymbolicRow(exists, values, frozen(lineage)))
    return rows


def _pairs(operator: Join, inputs: tuple[SymbolicTable, ...], matches: Matches) -> list[SymbolicRow]:
    left, right = inputs
    rows = []

    def add(exists: Term, at_left: int | None, at_right: int | None) -> None:
        lineage = no_lineage(inputs)
        values = []
        for position, (table, at) in enumerate(((left, at_left), (right, at_right))):
            values.append(null_row(table.columns) if at is None else table.rows[at].values)
            if at is not None:
                lineage[position][at] = exists
        rows.append(SymbolicRow(exists, (*values[0], *values[1]), frozen(lineage)))

    for i, of_row in enumerate(matches):
        for j, match in enumerate(of_row):
            add(match, i, j)
    if operator.kind in _KEEPS_LEFT:
        for i, row in enumerate(left.rows):
            add(conjunction(row.exists, negation(disjunction(*matches[i]))), i, None)
    if operator.kind in _KEEPS_RIGHT:
        for j, row in enumerate(right.rows):
            add(conjunction(row.exists, negation(disjunction(*(of_row[j] for of_row in matches)))), None, j)
    return rows
