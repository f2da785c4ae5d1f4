"""Algorithm 2 of the paper, the part about columns: what of a node's rows anything above it reads.

A run goes on from the saved rows of a node. Columns that are only carried along and dropped later need not be
saved for that. Spark prunes them likewise when it runs the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from predtrace.ir.expressions import Column, ColumnId
from predtrace.ir.operators import Distinct, Limit, Opaque, Operator, Project, Sample, SetOperation
from predtrace.ir.parts import columns_of

_READ_WHOLE_ROWS = (Distinct, Limit, Opaque, Sample, SetOperation)
"""Which rows come out may depend on every column, or columns are told by position."""


def columns_read_above(
    operator: Operator, kept: Mapping[int, Iterable[Column]] | None = None
) -> dict[int, set[ColumnId]]:
    """For each plan node below an output that is read in full: the columns of its rows that are read.

    `kept` are columns that are read of a node besides, because they are kept.
    """
    found: dict[int, set[ColumnId]] = {}
    asked = {node: _ids(columns) for node, columns in (kept or {}).items()}
    _visit(operator, _ids(operator.output), asked, found)
    return found


def _visit(
    operator: Operator,
    read: set[ColumnId],
    asked: Mapping[int, set[ColumnId]],
    found: dict[int, set[ColumnId]],
) -> None:
    if operator.plan_node is not None:
        read = read | (asked.get(operator.plan_node, set()) & _ids(operator.output))
        found.setdefault(operator.plan_node, set()).update(read)
    for below in operator.inputs:
        available = _ids(below.output)
        whole = isinstance(operator, _READ_WHOLE_ROWS)
        _visit(below, available if whole else _read(operator, read) & available, asked, found)


def _read(operator: Operator, read: set[ColumnId]) -> set[ColumnId]:
    """What an operator reads of its inputs: for itself, and to hand on."""
    if isinstance(operator, Project):
        # A column that is handed on as it is costs nothing; what is computed is computed, whoever reads it.
        used = [n.expression for n in operator.columns if n.column.id in read or not n.is_rename_only()]
        return {column.id for expression in used for column in columns_of(expression)}
    own = {column.id for expression in operator.expressions for column in columns_of(expression)}
    correlated = {column.id for below in operator.inputs for column in below.outer_columns()}
    return own | correlated | read


def _ids(columns: Iterable[Column]) -> set[ColumnId]:
    return {column.id for column in columns}
