"""Joins: each output row has the lineage of the rows that pair up into it.

Semi joins and existence flags take *every* inner row that matches; anti joins take none.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from predtrace.errors import UnsupportedOperator
from predtrace.ir.operators import Filter, Join, JoinKind, LateralJoin
from predtrace.ir.parts import subqueries_of
from predtrace.reference.enclosing import Enclosing, Rules, Tracking, binding_pairs, bound, enclosing_rows
from predtrace.reference.frames import (
    Tracked,
    collected,
    column_name,
    never_null,
    renamed,
    same_values,
    sql,
)

_ROW = "predtrace_row"
_SPARK_KINDS = {
    JoinKind.INNER: "inner",
    JoinKind.CROSS: "inner",
    JoinKind.LEFT: "left",
    JoinKind.SCALAR: "left",
    JoinKind.RIGHT: "right",
    JoinKind.FULL: "full",
    JoinKind.ANTI: "left_anti",
}


def track_join(operator: Join, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    if operator.condition is not None and subqueries_of(operator.condition):
        return _filtered_product(operator, tracking, enclosing)
    left = tracking.input_of(operator, enclosing, 0)
    right = tracking.track(operator.right, enclosing)
    if operator.kind in (JoinKind.RIGHT, JoinKind.FULL) and (left.bindings or right.bindings):
        # A preserved row without a partner must still know which enclosing row it belongs to.
        left, right = bound(left, enclosing), bound(right, enclosing)
    elif right.bindings and operator.kind not in (JoinKind.INNER, JoinKind.CROSS):
        left = bound(left, enclosing)
    return _joined(operator, left, right)


def _filtered_product(operator: Join, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    """An inner join on a subquery is a filter over all pairs."""
    if operator.kind is not JoinKind.INNER or operator.condition is None:
        raise UnsupportedOperator(
            f"a subquery in the condition of a {operator.kind.value} join",
            operator.origin,
            "move it to WHERE",
        )
    pairs = Join(left=operator.left, right=operator.right, kind=JoinKind.CROSS)
    return tracking.track(Filter(input=pairs, condition=operator.condition), enclosing)


def _joined(operator: Join, left: Tracked, right: Tracked) -> Tracked:
    condition = "true" if operator.condition is None else sql(operator.condition)
    right_rows, bindings = right.rows, {binding: binding for binding in right.bindings}
    shared = [binding for binding in left.bindings if binding in bindings]
    if shared:
        right_rows, bindings = renamed(right.rows, right.bindings, "right_")
        condition = f"({condition}) AND {same_values((b, bindings[b]) for b in shared)}"
    references = left.references | right.references
    if operator.kind is JoinKind.ANTI:
        rows = left.rows.join(right_rows, F.expr(condition), "left_anti")
        return _without_lineage_of(replace(left, rows=rows), right)
    if operator.kind in (JoinKind.SEMI, JoinKind.EXISTENCE):
        return _with_all_matches(operator, left, right, right_rows, condition)
    rows = left.rows.join(right_rows, F.expr(condition), _SPARK_KINDS[operator.kind])
    kept_bindings = left.bindings or right.bindings
    if operator.kind in (JoinKind.RIGHT, JoinKind.FULL) and shared:
        filled = [
            F.coalesce(F.col(f"`{column_name(b)}`"), F.col(f"`{column_name(bindings[b])}`")).alias(
                column_name(b)
            )
            for b in shared
        ]
    else:
        filled = [F.col(f"`{column_name(b)}`") for b in kept_bindings]
    columns = operator.output
    rows = rows.select(
        *(f"`{column_name(c)}`" for c in columns), *never_null([*left.lineages(), *right.lineages()]), *filled
    )
    return Tracked(rows, columns, references, kept_bindings)


def _without_lineage_of(left: Tracked, right: Tracked) -> Tracked:
    """A row that failed to match is in nobody's lineage; the columns are there, and empty."""
    nothing = F.expr("CAST(array() AS ARRAY<BIGINT>)")
    empty = [nothing.alias(column_name(column)) for column in right.lineages()]
    everything = [F.col(name) for name in left.everything()]
    return replace(
        left, rows=left.rows.select(*everything, *empty), references=left.references | right.references
    )


def _with_all_matches(
    operator: Join, left: Tracked, right: Tracked, right_rows: DataFrame, condition: str
) -> Tracked:
    """Each left row once, with the lineage of all right rows that match it."""
    own = [name.strip("`") for name in left.everything()]
    outside = left.rows.select(*left.everything()).withColumn(_ROW, F.monotonically_increasing_id())
    candidates = right_rows.withColumn("predtrace_match", F.lit(True))
    how = "inner" if operator.kind is JoinKind.SEMI else "left"
    grouped = (
        outside.join(candidates, F.expr(condition), how)
        .groupBy(_ROW)
        .agg(
            *(F.first(f"`{name}`").alias(name) for name in own),
            F.coalesce(F.bool_or("predtrace_match"), F.lit(False)).alias("predtrace_match"),
            *collected(right.lineages(), _matching(operator)),
        )
    )
    if operator.flag is not None:
        grouped = grouped.withColumnRenamed("predtrace_match", column_name(operator.flag))
    result = Tracked(grouped, operator.output, left.references | right.references, left.bindings)
    return result.with_rows(grouped)


def _matching(operator: Join) -> str:
    return "" if operator.matching is None else f"coalesce({sql(operator.matching)}, false)"


def track_lateral_join(operator: LateralJoin, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    """The right side is a subquery over the left rows, joined back to the rows it was run for."""
    left = tracking.input_of(operator, enclosing, 0)
    inner = tracking.track(operator.right, enclosing_rows(left, operator.right.outer_columns()))
    frame, fresh = renamed(inner.rows, inner.bindings, "lateral_")
    condition = same_values((outside, fresh[binding]) for outside, binding in binding_pairs(left, inner))
    if operator.condition is not None:
        condition = f"{condition} AND ({sql(operator.condition)})"
    rows = left.rows.join(frame, F.expr(condition), _SPARK_KINDS[operator.kind])
    columns = operator.output
    rows = rows.select(
        *(f"`{column_name(c)}`" for c in columns),
        *never_null([*left.lineages(), *inner.lineages()]),
        *(f"`{column_name(b)}`" for b in left.bindings),
    )
    return Tracked(rows, columns, left.references | inner.references, left.bindings)


RULES: Rules = {LateralJoin: track_lateral_join, Join: track_join}
