"""A few operators run symbolically by hand, to put the layer and the laws to the test."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from predtrace.ir import expressions as ir
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN, INTEGER, LONG, DataType
from predtrace.symbolic.expressions import holds
from predtrace.symbolic.groups import Group, extreme, grouped
from predtrace.symbolic.tables import (
    SymbolicRow,
    SymbolicTable,
    filtered,
    frozen,
    no_lineage,
    null_row,
    own_lineage,
)
from predtrace.symbolic.terms import Term, conjunction, disjunction, negation, number_of
from predtrace.symbolic.values import SymbolicValue, null_safe_equal, null_value

Inputs = tuple[SymbolicTable, ...]


def column(name: str, type_: DataType = INTEGER) -> ir.Column:
    return ir.Column(ir.ColumnId(name), name, type_)


def call(function: str, *arguments: ir.Expression, type_: DataType = BOOLEAN) -> ir.Call:
    return ir.Call(function, arguments, type_)


def number(value: int | None, type_: DataType = INTEGER) -> ir.Literal:
    return ir.Literal(value, type_)


def both(*conditions: ir.Expression) -> ir.Expression:
    return reduce(lambda left, right: call("and", left, right), conditions)


def is_target(*columns: ir.Column) -> ir.Expression:
    """Each column has the target row's value."""
    return both(*(call("<=>", c, Parameter(c.name, c.type)) for c in columns))


def run_filter(condition: ir.Expression) -> Callable[[Inputs], SymbolicTable]:
    return lambda inputs: filtered(own_lineage(inputs[0]), condition)


def run_group_by(
    key: ir.Column, argument: ir.Column, result: ir.Column, function: str, keep_key: bool = True
) -> Callable[[Inputs], SymbolicTable]:
    """`select key, function(argument) as result ... group by key`, with or without the key in the output."""

    def row(table: SymbolicTable, group: Group) -> SymbolicRow:
        values = [table.value(r, argument) for r in table.rows]
        if function == "count":
            not_null = tuple(
                conjunction(m, negation(v.null)) for m, v in zip(group.members, values, strict=True)
            )
            found, lineage = SymbolicValue(LONG, number_of(not_null)), group.members
        else:  # all rows are shown
            found = extreme(group.members, values, null_value(argument.type), largest=function == "max")
            attains = (disjunction(found.null, null_safe_equal(value, found)) for value in values)
            lineage = tuple(map(conjunction, group.members, attains))
        return SymbolicRow(group.is_first, (*group.keys, found) if keep_key else (found,), (lineage,))

    def run(inputs: Inputs) -> SymbolicTable:
        rows = tuple(row(inputs[0], group) for group in grouped(inputs[0], (key,)))
        return SymbolicTable("groups", (key, result) if keep_key else (result,), rows)

    return run


def _pairs(inputs: Inputs, condition: ir.Expression) -> list[list[Term]]:
    """For each left row, for each right row: whether they match."""
    left, right = inputs
    return [
        [
            conjunction(a.exists, b.exists, holds(condition, {**left.values(a), **right.values(b)}))
            for b in right.rows
        ]
        for a in left.rows
    ]


def run_semi_join(condition: ir.Expression) -> Callable[[Inputs], SymbolicTable]:
    def run(inputs: Inputs) -> SymbolicTable:
        left, _ = inputs
        rows = []
        for index, matches in enumerate(_pairs(inputs, condition)):
            lineage = no_lineage(inputs)
            lineage[0][index], lineage[1] = left.rows[index].exists, matches
            rows.append(SymbolicRow(disjunction(*matches), left.rows[index].values, frozen(lineage)))
        return SymbolicTable("semi", left.columns, tuple(rows))

    return run


def run_left_join(condition: ir.Expression) -> Callable[[Inputs], SymbolicTable]:
    def run(inputs: Inputs) -> SymbolicTable:
        left, right = inputs
        rows = []
        for index, matches in enumerate(_pairs(inputs, condition)):
            preserved = left.rows[index]
            alone = conjunction(preserved.exists, *(negation(match) for match in matches))
            places: list[int | None] = [*range(len(matches)), None]
            for exists, partner in zip([*matches, alone], places, strict=True):
                lineage = no_lineage(inputs)
                lineage[0][index] = preserved.exists
                if partner is not None:
                    lineage[1][partner] = exists
                supplied = null_row(right.columns) if partner is None else right.rows[partner].values
                rows.append(SymbolicRow(exists, (*preserved.values, *supplied), frozen(lineage)))
        return SymbolicTable("left join", (*left.columns, *right.columns), tuple(rows))

    return run
