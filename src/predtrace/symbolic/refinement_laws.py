"""What refinement relies on, as claims about one symbolic run of an operator.

Push-down says what a selected output row demands of the rows behind it. These say what the rows behind an output row
tell of it and of each other, for every output row o that a condition selects:

- `determined`: some row r in lineage_k(o) has e(r) where o has c, for all columns c and expressions e given. The
  values are identical, -0.0 being no 0.0, so that o's value can be put wherever e(r) stands;
- `accompanied`: each row r in lineage_k(o) has a row s in lineage_l(o) with H(r, s);
- `unmatched`: no row r in lineage_k(o) has a row s in the whole input l with H(r, s).

And one of recomputing, with no lineage in it:

- `dispensable`: without the rows r of input k that have no row s in input l with H(r, s), the selected output rows
  come out the same.

H is a predicate over r in which the columns of s are parameters (`other`). Each is violated by one output row, if at
all, with the rows behind it and one more: the bounds of push-down, a witness and a violator, leave room for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from predtrace.ir.expressions import Column, ColumnId, Expression
from predtrace.ir.predicates import Parameter
from predtrace.symbolic.claims import Claim
from predtrace.symbolic.expressions import Scope, holds
from predtrace.symbolic.laws import Operator, Run
from predtrace.symbolic.tables import (
    SymbolicRow,
    SymbolicTable,
    filtered,
    merged_with_equals,
    same_bag,
    same_in_place,
)
from predtrace.symbolic.terms import conjunction, disjunction, implication, negation
from predtrace.symbolic.values import identical

_OTHER = "other."


def other(column: Column) -> Parameter:
    """A column of the other row."""
    return Parameter(_OTHER + column.id, column.type)


def column_of_other(parameter: Parameter) -> ColumnId | None:
    """The column of the other row that a parameter is, if it is one."""
    return ColumnId(parameter.name[len(_OTHER) :]) if parameter.name.startswith(_OTHER) else None


def determined(
    run: Run, at: int, selection: Expression | None, columns: Mapping[ColumnId, Expression]
) -> Claim:
    """Output columns are expressions over one row behind the output row, the same row for all of them."""
    table = run.inputs[at]
    parts = []
    for row, selected in zip(run.output.rows, run.output.selected(selection), strict=True):
        shown = run.output.values(row)
        witnesses = (
            conjunction(
                behind.exists,
                in_lineage,
                *(identical(shown[column], table.value(behind, e)) for column, e in columns.items()),
            )
            for behind, in_lineage in zip(table.rows, row.lineage[at], strict=True)
        )
        parts.append(implication(selected, disjunction(*witnesses)))
    return Claim(conjunction(*parts), tables=run.inputs)


def accompanied(
    run: Run, of: int, by: int, selection: Expression | None, condition: Expression | None
) -> Claim:
    """Each row behind an output row has a row of another input behind the same output row that meets it."""
    table, others = run.inputs[of], run.inputs[by]
    parts = []
    for row, selected in zip(run.output.rows, run.output.selected(selection), strict=True):
        behind = merged_with_equals(table, row.lineage[of])
        for one, in_lineage in zip(table.rows, behind, strict=True):
            partners = (
                conjunction(o.exists, beside, holds(condition, table.values(one), _scope(others, o)))
                for o, beside in zip(others.rows, row.lineage[by], strict=True)
            )
            parts.append(implication(conjunction(selected, in_lineage), disjunction(*partners)))
    return Claim(conjunction(*parts), tables=run.inputs)


def unmatched(run: Run, of: int, by: int, selection: Expression | None, condition: Expression) -> Claim:
    """No row behind an output row meets any row of another input."""
    table, others = run.inputs[of], run.inputs[by]
    parts = []
    for row, selected in zip(run.output.rows, run.output.selected(selection), strict=True):
        behind = merged_with_equals(table, row.lineage[of])
        for one, in_lineage in zip(table.rows, behind, strict=True):
            for o in others.rows:
                meets = conjunction(o.exists, holds(condition, table.values(one), _scope(others, o)))
                parts.append(implication(conjunction(selected, in_lineage), negation(meets)))
    return Claim(conjunction(*parts), tables=run.inputs)


def dispensable(
    again: Operator,
    run: Run,
    of: int,
    by: int,
    selection: Expression | None,
    condition: Expression | None,
    in_place: bool = False,
) -> Claim:
    """Rows of one input that meet no row of another do not matter for the selected output rows."""
    table, others = run.inputs[of], run.inputs[by]
    kept = []
    for row in table.rows:
        met = (
            conjunction(o.exists, holds(condition, table.values(row), _scope(others, o))) for o in others.rows
        )
        kept.append(replace(row, exists=conjunction(row.exists, disjunction(*met))))
    inputs = list(run.inputs)
    inputs[of] = replace(table, rows=tuple(kept))
    whole, without = (filtered(rows, selection) for rows in (run.output, again(tuple(inputs))))
    return Claim((same_in_place if in_place else same_bag)(whole, without), tables=run.inputs)


def _scope(table: SymbolicTable, row: SymbolicRow) -> Scope:
    return Scope(parameters={_OTHER + column: value for column, value in table.values(row).items()})
