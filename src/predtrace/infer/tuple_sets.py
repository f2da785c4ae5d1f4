"""Tuples of one place told at another: the columns of an operator over the tuples of a source below it."""

from __future__ import annotations

from predtrace.ir.expressions import Column, ColumnId, Expression
from predtrace.ir.parts import columns_of, transform
from predtrace.ir.predicates import Parameter
from predtrace.operators.pushing import substituted
from predtrace.symbolic.refinement_laws import column_of_other

Known = dict[str, dict[ColumnId, Expression]]
"""For each set below an operator: output columns of the operator as expressions over the set's tuples."""


def tuple_parameters(name: str, columns: tuple[Column, ...]) -> dict[ColumnId, Expression]:
    return {column.id: Parameter(f"{name}.{column.id}", column.type) for column in columns}


def over_tuples(
    shown: dict[ColumnId, Expression], known: dict[ColumnId, Expression]
) -> dict[ColumnId, Expression]:
    """Columns over a set's tuples, as far as all they are computed from is known."""
    told = ((c, e) for c, e in shown.items() if all(read.id in known for read in columns_of(e)))
    return {column: substituted(e, known) for column, e in told}


def told_by_tuples(part: Expression, known: dict[ColumnId, Expression]) -> Expression | None:
    """A condition on two rows with the other row's values over a set's tuples; None if they do not tell all."""
    unknown = False

    def told(node: Expression) -> Expression:
        nonlocal unknown
        column = column_of_other(node) if isinstance(node, Parameter) else None
        unknown = unknown or (column is not None and column not in known)
        return node if column is None else known.get(column, node)

    found = transform(part, told)
    return None if unknown else found
