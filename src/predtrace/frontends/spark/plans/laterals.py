"""Lateral joins with a subquery that reads no rows but the outer one.

`FROM t, LATERAL f(t.x)` runs the plan of `f` for each row of `t`, over one row without columns. Where that plan
works row by row, it is the same plan over the rows of `t`, and no join at all.

    LateralJoin t, (Generate f(outer(x)) > OneRow)    is    Generate f(x) > t
"""

from __future__ import annotations

from dataclasses import replace

from predtrace.ir.expressions import Expression, OuterColumn
from predtrace.ir.operators import Expand, Filter, Generate, Named, OneRow, Operator, Project
from predtrace.ir.parts import transform


def over_rows(plan: Operator, rows: Operator) -> Operator | None:
    """The plan of a subquery over the rows around it, with their columns first; None if it reads other rows."""

    def own(expression: Expression) -> Expression:
        here = isinstance(expression, OuterColumn) and expression.column in rows.output
        return expression.column if here else expression  # type: ignore[attr-defined]

    if isinstance(plan, OneRow):
        return rows
    if not isinstance(plan, Generate | Expand | Project | Filter) or plan.subqueries():
        return None
    below = over_rows(plan.input, rows)
    if below is None:
        return None
    # Its node is part of a subquery, and has other rows there.
    match plan:
        case Generate(generator=generator):
            return replace(plan, input=below, generator=transform(generator, own), plan_node=None)
        case Expand(columns=columns, projections=projections):
            around = tuple(column for column in rows.output if column not in columns)
            levels = tuple((*around, *(transform(part, own) for part in level)) for level in projections)
            return replace(plan, input=below, columns=(*around, *columns), projections=levels, plan_node=None)
        case Filter(condition=condition):
            return replace(plan, input=below, condition=transform(condition, own), plan_node=None)
        case Project(columns=columns):
            kept = tuple(Named(column, column) for column in rows.output)
            computed = tuple(Named(n.column, transform(n.expression, own)) for n in columns)
            return replace(plan, input=below, columns=(*kept, *computed), plan_node=None)
