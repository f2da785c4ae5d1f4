"""Subqueries in expressions, as written: EXISTS, IN and scalar subqueries become columns of the rows around.

| expression | value | lineage in the subquery's sources |
|---|---|---|
| scalar | the one row's value, or NULL | that row's |
| EXISTS | whether there is a row | all rows' |
| IN | three-valued | that of the rows that are equal |
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import functions as F

from predtrace.ir.expressions import (
    Column,
    Exists,
    Expression,
    InSubquery,
    ScalarSubquery,
    Subquery,
    subqueries_of,
    transform,
)
from predtrace.reference.enclosing import Enclosing, Tracking, binding_pairs, enclosing_rows
from predtrace.reference.frames import (
    Tracked,
    collected,
    column_name,
    helper_column,
    never_null,
    renamed,
    same_values,
    sql,
)

_ROW = "predtrace_row"
_PRESENT = "predtrace_present"


@dataclass(frozen=True)
class Attached:
    """Rows with the values of subqueries as extra columns, and expressions that read them from there."""

    tracked: Tracked
    values: dict[int, Column]

    def rewritten(self, expression: Expression) -> Expression:
        return transform(
            expression, lambda part: self.values[id(part)] if isinstance(part, Subquery) else part
        )


def attach(tracked: Tracked, expressions: list[Expression], tracking: Tracking) -> Attached:
    """Evaluate the subqueries of some expressions for each row."""
    values: dict[int, Column] = {}
    for expression in expressions:
        for query in subqueries_of(expression):
            value = helper_column(f"subquery{len(values)}", query)
            tracked = _attach_one(tracked, query, value, values, tracking)
            values[id(query)] = value
    return Attached(tracked, values)


def _attach_one(
    tracked: Tracked, query: Subquery, value: Column, known: dict[int, Column], tracking: Tracking
) -> Tracked:
    around: Enclosing = enclosing_rows(tracked, query.plan.outer_columns())
    inner = tracking.track(query.plan, around)
    result_columns = inner.columns
    frame, fresh = renamed(inner.rows, (*inner.bindings, *result_columns), f"{value.name}_")
    inner = replace(inner, rows=frame)
    same_row = same_values(
        (outside, fresh[binding]) for outside, binding in binding_pairs(tracked, inner)
    )
    match query:
        case ScalarSubquery():
            answer = fresh[result_columns[0]]
            rows = tracked.rows.join(frame, F.expr(same_row), "left")
            computed = F.col(f"`{column_name(answer)}`")
            lineage = never_null(inner.lineages())
        case Exists():
            keys = [f"`{column_name(fresh[binding])}`" for binding in inner.bindings]
            found = frame.groupBy(*keys).agg(F.count(F.lit(1)).alias(_PRESENT), *collected(inner.lineages()))
            rows = tracked.rows.join(found, F.expr(same_row), "left")
            computed = F.coalesce(F.col(_PRESENT) > 0, F.lit(False))
            lineage = never_null(inner.lineages())
        case InSubquery(values=wanted):
            return _attach_in(tracked, inner, value, wanted, [fresh[c] for c in result_columns], same_row)
        case _:
            raise NotImplementedError(type(query).__name__)
    extra = [column_name(column) for column in known_columns(tracked)]
    rows = rows.select(
        *(f"`{name}`" for name in extra), computed.alias(column_name(value)), *lineage
    )
    return replace(tracked, rows=rows, references=tracked.references | inner.references)


def known_columns(tracked: Tracked) -> list[Column]:
    """All columns of the rows, those that earlier subqueries added included."""
    names = tracked.rows.columns
    by_name = {column_name(column): column for column in (*tracked.columns, *tracked.bindings, *tracked.lineages())}
    return [by_name.get(name) or _extra(name) for name in names]


def _extra(name: str) -> Column:
    from predtrace.ir.expressions import ColumnId
    from predtrace.ir.types import VOID

    return Column(ColumnId(name), name, VOID)


def _attach_in(
    tracked: Tracked,
    inner: Tracked,
    value: Column,
    wanted: tuple[Expression, ...],
    answers: list[Column],
    same_row: str,
) -> Tracked:
    """Compare each row with each row of the subquery, then put the row together again."""
    equal = " AND ".join(
        f"({sql(one)} = `{column_name(other)}`)" for one, other in zip(wanted, answers, strict=True)
    )
    own = tracked.rows.columns
    outside = tracked.rows.withColumn(_ROW, F.monotonically_increasing_id())
    candidates = inner.rows.withColumn(_PRESENT, F.lit(True))
    # A comparison that is false decides nothing, so only true and unknown ones need to meet.
    joined = outside.join(candidates, F.expr(f"{same_row} AND coalesce({equal}, true)"), "left")
    judged = joined.withColumn("predtrace_equal", F.expr(f"IF({_PRESENT}, {equal}, false)"))
    verdict = "CASE WHEN bool_or(predtrace_equal) THEN true WHEN count_if(predtrace_equal IS NULL) > 0 THEN NULL ELSE false END"
    grouped = judged.groupBy(_ROW).agg(
        *(F.first(f"`{name}`").alias(name) for name in own),
        F.expr(verdict).alias(column_name(value)),
        *collected(inner.lineages(), "coalesce(predtrace_equal, false)"),
    )
    return replace(tracked, rows=grouped.drop(_ROW), references=tracked.references | inner.references)
