"""Tables of a few rows, each of which may or may not exist, with the lineage of the rows of a result.

Position says which row is which, and nothing else: an operator whose result depends on order must say how.
The lineage of an output row is a condition per input and input row. `own_lineage` begins it; `merged_inputs`
and `merged_outputs` make rows that are equal in every column share it, as the definition of lineage demands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import Column, Expression
from predtrace.symbolic.expressions import EMPTY_SCOPE, Evaluation, Scope, TupleSet, Values
from predtrace.symbolic.terms import (
    BOOL,
    FALSE,
    TRUE,
    Term,
    conjunction,
    constant,
    disjunction,
    negation,
    number_of,
    same,
)
from predtrace.symbolic.values import SymbolicValue, fresh_value, identical, null_safe_equal, null_value

Lineage = tuple[tuple[Term, ...], ...]
"""For each input, for each of its rows: whether it is in the lineage."""


@dataclass(frozen=True, eq=False)
class SymbolicRow:
    """A row that exists under a condition. The lineage of a row of a source is left empty."""

    exists: Term
    values: tuple[SymbolicValue, ...]
    lineage: Lineage = ()


@dataclass(frozen=True, eq=False)
class SymbolicTable:
    """Rows under common columns."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[SymbolicRow, ...]

    def __post_init__(self) -> None:
        if any(len(row.values) != len(self.columns) for row in self.rows):
            raise PlanIntegrityError(f"a row of {self.name} has other values than columns")

    def values(self, row: SymbolicRow) -> Values:
        """A row's values by column id, as `evaluate` wants them."""
        return {column.id: value for column, value in zip(self.columns, row.values, strict=True)}

    def value(self, row: SymbolicRow, expression: Expression, scope: Scope = EMPTY_SCOPE) -> SymbolicValue:
        return self._evaluation(row, scope).of(expression)

    def holds(self, row: SymbolicRow, condition: Expression | None, scope: Scope = EMPTY_SCOPE) -> Term:
        """Whether a condition is true for a row, be it there or not."""
        return self._evaluation(row, scope).holds(condition)

    def selected(self, condition: Expression | None, scope: Scope = EMPTY_SCOPE) -> tuple[Term, ...]:
        """For each row: whether it exists and the condition is true for it."""
        return tuple(conjunction(r.exists, self.holds(r, condition, scope)) for r in self.rows)

    def _evaluation(self, row: SymbolicRow, scope: Scope) -> Evaluation:
        """What is known of a row already; most is asked without a scope, and asked again."""
        if scope is not EMPTY_SCOPE:
            return Evaluation(self.values(row), scope)
        if id(row) not in self._evaluations:
            self._evaluations[id(row)] = row, Evaluation(self.values(row))
        return self._evaluations[id(row)][1]

    @cached_property
    def _evaluations(self) -> dict[int, tuple[SymbolicRow, Evaluation]]:
        return {}


def fresh_table(name: str, columns: tuple[Column, ...], rows: int) -> SymbolicTable:
    """Any table with at most so many rows.

    Unknowns are named by position, not by column: claims about operators of the same shape are the same claim.
    `#` marks a position: whoever puts other unknowns into the rows names them otherwise. Columns that Spark says
    cannot be NULL are not.
    """

    def row(index: int) -> SymbolicRow:
        cells = (fresh_value(f"{name}.{index}#{at}", c.type, c.nullable) for at, c in enumerate(columns))
        return SymbolicRow(constant(f"{name}.{index} exists", BOOL), tuple(cells))

    return SymbolicTable(name, columns, tuple(row(index) for index in range(rows)))


def told_apart(table: SymbolicTable, keys: Sequence[Sequence[int]]) -> SymbolicTable:
    """The same table, without rows that are equal to an earlier one in the columns of a key, given by position."""

    def alike(one: SymbolicRow, other: SymbolicRow) -> Term:
        return disjunction(
            *(conjunction(*(null_safe_equal(one.values[at], other.values[at]) for at in key)) for key in keys)
        )

    rows: list[SymbolicRow] = []
    for row in table.rows:
        earlier = (conjunction(other.exists, alike(row, other)) for other in rows)
        rows.append(replace(row, exists=conjunction(row.exists, negation(disjunction(*earlier)))))
    return replace(table, rows=tuple(rows))


def known_table(
    name: str, columns: tuple[Column, ...], rows: Sequence[Sequence[SymbolicValue]]
) -> SymbolicTable:
    """A table whose rows all exist."""
    return SymbolicTable(name, columns, tuple(SymbolicRow(TRUE, tuple(row)) for row in rows))


def null_row(columns: tuple[Column, ...]) -> tuple[SymbolicValue, ...]:
    """The NULLs an outer join supplies."""
    return tuple(null_value(column.type) for column in columns)


def no_lineage(inputs: Sequence[SymbolicTable]) -> list[list[Term]]:
    """An empty lineage to fill in: `lineage[k][i] = condition`."""
    return [[FALSE] * len(table.rows) for table in inputs]


def frozen(lineage: list[list[Term]]) -> Lineage:
    return tuple(tuple(of_input) for of_input in lineage)


def own_lineage(
    table: SymbolicTable, position: int = 0, inputs: Sequence[SymbolicTable] = ()
) -> SymbolicTable:
    """The rows of an input as output rows, each with itself as its lineage: the start of a row-wise operator.

    With several inputs, `position` says which one the table is.
    """
    inputs = inputs or (table,)
    rows = []
    for index, row in enumerate(table.rows):
        lineage = no_lineage(inputs)
        lineage[position][index] = row.exists
        rows.append(replace(row, lineage=frozen(lineage)))
    return replace(table, rows=tuple(rows))


def filtered(table: SymbolicTable, condition: Expression | None, scope: Scope = EMPTY_SCOPE) -> SymbolicTable:
    """The rows for which the condition is true; lineage is kept."""
    selected = table.selected(condition, scope)
    rows = (replace(row, exists=kept) for row, kept in zip(table.rows, selected, strict=True))
    return replace(table, rows=tuple(rows))


RowEquality = Callable[[SymbolicRow, SymbolicRow], Term]


def same_row(left: SymbolicRow, right: SymbolicRow) -> Term:
    """Equal in all columns: NULL equals NULL, NaN equals NaN, -0.0 equals 0.0."""
    return TRUE if left is right else conjunction(*map(null_safe_equal, left.values, right.values))


def identical_row(left: SymbolicRow, right: SymbolicRow) -> Term:
    """The same to every function: -0.0 is not 0.0."""
    return TRUE if left is right else conjunction(*map(identical, left.values, right.values))


def one_row(left: SymbolicRow, right: SymbolicRow) -> Term:
    """No two rows are equal."""
    return TRUE if left is right else FALSE


def merged_with_equals(
    table: SymbolicTable, chosen: Sequence[Term], equal: RowEquality = same_row
) -> tuple[Term, ...]:
    """The chosen rows of a table and those that equal one of them.

    Pass `identical_row` as `equal` to leave -0.0 and 0.0 apart.
    """
    return tuple(
        conjunction(
            row.exists,
            disjunction(*(conjunction(c, equal(row, o)) for c, o in zip(chosen, table.rows, strict=True))),
        )
        for row in table.rows
    )


def merged_inputs(
    output: SymbolicTable, inputs: Sequence[SymbolicTable], equal: RowEquality = same_row
) -> SymbolicTable:
    """The output, where an input row that equals one in a lineage is in that lineage too."""
    rows = (
        replace(
            row,
            lineage=tuple(
                merged_with_equals(table, chosen, equal)
                for table, chosen in zip(inputs, row.lineage, strict=True)
            ),
        )
        for row in output.rows
    )
    return replace(output, rows=tuple(rows))


def merged_outputs(output: SymbolicTable, equal: RowEquality = same_row) -> SymbolicTable:
    """The output, where rows that are equal have the lineage of all of them."""
    rows = []
    for row in output.rows:
        twins = [conjunction(other.exists, equal(row, other)) for other in output.rows]
        shared = [
            [disjunction(*map(conjunction, twins, of_row)) for of_row in zip(*of_input, strict=True)]
            for of_input in zip(*(other.lineage for other in output.rows), strict=True)
        ]
        rows.append(replace(row, lineage=frozen(shared)))
    return replace(output, rows=tuple(rows))


def same_bag(left: SymbolicTable, right: SymbolicTable) -> Term:
    """Whether two tables hold the same rows equally often."""
    parts = []
    for row in (*left.rows, *right.rows):
        in_left, in_right = (
            number_of(tuple(conjunction(other.exists, same_row(row, other)) for other in table.rows))
            for table in (left, right)
        )
        parts.append(disjunction(negation(row.exists), same(in_left, in_right)))
    return conjunction(*parts)


def same_in_place(left: SymbolicTable, right: SymbolicTable) -> Term:
    """Row by row the same: cheaper than `same_bag`, which it implies."""
    parts = []
    for one, other in zip(left.rows, right.rows, strict=True):
        parts.append(same(one.exists, other.exists))
        parts.append(disjunction(negation(one.exists), same_row(one, other)))
    return conjunction(*parts)


def includes(larger: SymbolicTable, smaller: SymbolicTable) -> Term:
    """Whether every row of one table is, at least once, in the other."""
    return conjunction(
        *(
            disjunction(
                negation(row.exists),
                *(conjunction(other.exists, same_row(row, other)) for other in larger.rows),
            )
            for row in smaller.rows
        )
    )


def tuple_set(table: SymbolicTable) -> TupleSet:
    """The rows of a table as a set of key tuples."""
    return TupleSet(tuple((row.exists, row.values) for row in table.rows))
