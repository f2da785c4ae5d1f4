"""Operators whose lineage is the same row: Filter, Project, Sort, Limit, Sample, Generate, Expand.

Equal rows fare alike under a deterministic Filter or Project. Under Limit, Sample and random expressions they
may not, so there they share their lineage first.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from predtrace.errors import UnsupportedOperator
from predtrace.frontends.spark.table_functions import with_yielded
from predtrace.ir.expressions import Column, Expression, InSubquery, UserCall
from predtrace.ir.operators import (
    Expand,
    Filter,
    Generate,
    Limit,
    OneRow,
    Project,
    Sample,
    Sort,
)
from predtrace.ir.parts import conjuncts, subqueries_of, transform, walk
from predtrace.reference.enclosing import Enclosing, Rules, Tracking
from predtrace.reference.frames import (
    POSITION,
    Tracked,
    collected,
    column_name,
    fixed,
    grouped,
    renamed,
    same_values,
    sharing_lineage,
    spark,
    sql,
)
from predtrace.reference.subqueries import attach


def track_filter(operator: Filter, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    moved = _below_projected_in(operator)
    if moved is not None:
        return tracking.track(moved, enclosing)
    tracked = tracking.input_of(operator, enclosing)
    parts = conjuncts(operator.condition)
    if not operator.condition.is_deterministic():
        tracked = sharing_lineage(tracked)
    # A row that fails one conjunct is out whatever the others say: the subqueries need not see it.
    for part in parts:
        if not subqueries_of(part):
            tracked = tracked.where(part)
    with_subqueries = [part for part in parts if subqueries_of(part)]
    if not with_subqueries:
        return tracked
    attached = attach(tracked, with_subqueries, tracking)
    rows = attached.tracked.rows
    for part in with_subqueries:
        rows = rows.filter(sql(attached.rewritten(part)))
    return attached.tracked.with_rows(rows)


def _below_projected_in(operator: Filter) -> Project | None:
    """The filter below the Project that computes an IN for it, where Spark moves it before it looks at the IN.

    Only there does a negation in the filter meet the IN, and decide whether it is a NOT IN (see `subqueries`).
    """
    project = operator.input
    if not isinstance(project, Project) or subqueries_of(operator.condition):
        return None
    computed = {named.column.id: named.expression for named in project.columns}
    read = [computed[part.id] for part in walk(operator.condition) if isinstance(part, Column)]
    if not any(isinstance(query, InSubquery) for part in read for query in subqueries_of(part)):
        return None

    def change(part: Expression) -> Expression:
        return computed[part.id] if isinstance(part, Column) else part

    below = Filter(
        input=project.input, condition=transform(operator.condition, change), origin=operator.origin
    )
    return replace(project, input=below)


def track_project(operator: Project, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    tracked = tracking.input_of(operator, enclosing)
    if not all(e.is_deterministic() for e in operator.expressions):
        tracked = sharing_lineage(tracked)
    attached = attach(tracked, list(operator.expressions), tracking)
    return attached.tracked.select((attached.rewritten(n.expression), n.column) for n in operator.columns)


def track_sort(operator: Sort, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    tracked = tracking.input_of(operator, enclosing)
    attached = attach(tracked, list(operator.expressions), tracking)
    keys = [
        f"{sql(attached.rewritten(key.expression))} {'ASC' if key.ascending else 'DESC'}"
        f" NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        for key in operator.keys
    ]
    tracked, rows = attached.tracked, attached.tracked.rows
    if tracked.bindings or tracking.numbering:
        position = F.expr(f"row_number() OVER ({_per(tracked.bindings)} ORDER BY {', '.join(keys)})")
        return replace(tracked, has_position=True).with_rows(rows.withColumn(POSITION, position))
    sort = "ORDER BY" if operator.everywhere else "SORT BY"
    ordered = tracking.captured.session.sql(f"SELECT * FROM {{rows}} {sort} {', '.join(keys)}", rows=rows)
    return tracked.with_rows(ordered)


def _per(columns: tuple[Column, ...]) -> str:
    names = ", ".join(f"`{column_name(column)}`" for column in columns)
    return f"PARTITION BY {names}" if columns else ""


def track_limit(operator: Limit, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    if operator.within:
        tracking.numbering = True
    tracked = tracking.input_of(operator, enclosing)
    tracking.numbering = False
    if tracked.bindings or operator.within:
        return _limit_per_group(operator, tracked)
    kept = tracked.rows.offset(operator.offset) if operator.offset else tracked.rows
    return _with_shared_lineage(tracked, kept if operator.count is None else kept.limit(operator.count))


def _limit_per_group(operator: Limit, tracked: Tracked) -> Tracked:
    """A limit inside a correlated subquery: so many rows for each enclosing row, in the subquery's order."""
    order = POSITION if tracked.has_position else "1"
    per = _per((*operator.within, *tracked.bindings))
    number = F.expr(f"row_number() OVER ({per} ORDER BY {order})")
    numbered = sharing_lineage(tracked).rows.withColumn("predtrace_number", number)
    kept = numbered.filter(F.col("predtrace_number") > operator.offset)
    if operator.count is not None:
        kept = kept.filter(F.col("predtrace_number") <= operator.offset + operator.count)
    return tracked.with_rows(kept)


def track_sample(operator: Sample, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    tracked = tracking.input_of(operator, enclosing)
    if operator.lower:
        raise UnsupportedOperator("a part of randomSplit", operator.origin, "save the split and read it back")
    kept = tracked.rows.sample(operator.with_replacement, operator.upper, operator.seed)
    return _with_shared_lineage(tracked, kept)


def _with_shared_lineage(tracked: Tracked, kept: DataFrame) -> Tracked:
    """Rows chosen from the input, with the lineage of all input rows equal to them."""
    columns = (*tracked.columns, *tracked.bindings)
    values = [f"`{column_name(column)}`" for column in columns]
    chosen = fixed(kept.select(*values))
    shared = grouped(tracked.rows, values, collected(tracked.lineages()))
    shared, fresh = renamed(shared, columns, "kept_")
    rows = chosen.join(shared, F.expr(same_values(fresh.items())), "left")
    return tracked.with_rows(rows)


def track_generate(operator: Generate, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    attached = attach(tracking.input_of(operator, enclosing), [operator.generator], tracking)
    tracked, generator = attached.tracked, attached.rewritten(operator.generator)
    if isinstance(generator, UserCall):
        return _track_table_function(operator, generator, tracked, tracking)
    names = ", ".join(f"`{column_name(column)}`" for column in operator.generated)
    outer = "OUTER " if operator.outer else ""
    session = tracking.captured.session
    rows = session.sql(
        f"SELECT * FROM {{rows}} LATERAL VIEW {outer}{sql(generator)} generated AS {names}",
        rows=tracked.rows,
    )
    return replace(tracked, columns=operator.output).with_rows(rows)


def _track_table_function(
    operator: Generate, generator: UserCall, tracked: Tracked, tracking: Tracking
) -> Tracked:
    call = tracking.captured.functions[generator.function]
    names = [column_name(column) for column in operator.generated]
    rows = with_yielded(tracked.rows, call, [sql(argument) for argument in generator.arguments], names)
    return replace(tracked, columns=operator.output).with_rows(rows)


_ALTERNATIVE = "predtrace_alternative"


def track_expand(operator: Expand, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    tracked = tracking.input_of(operator, enclosing)
    alternatives = [
        F.struct(
            *(
                spark(e).cast(c.type.sql()).alias(column_name(c))
                for e, c in zip(p, operator.columns, strict=True)
            )
        )
        for p in operator.projections
    ]
    # (Not by explode: Spark's pruning loses columns that are carried along beside it.)
    numbers = tracking.captured.session.range(1, len(alternatives) + 1).toDF(_ALTERNATIVE)
    chosen = F.element_at(F.array(*alternatives), F.col(_ALTERNATIVE).cast("int")).alias("expanded")
    rows = tracked.rows.crossJoin(numbers).select(chosen, *tracked.kept())
    rows = rows.select("expanded.*", *tracked.kept())
    return replace(tracked, rows=rows, columns=operator.columns)


def track_one_row(operator: OneRow, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    return Tracked(tracking.captured.session.range(1).select(), (), frozenset())


RULES: Rules = {
    Filter: track_filter,
    Project: track_project,
    Sort: track_sort,
    Limit: track_limit,
    Sample: track_sample,
    Generate: track_generate,
    Expand: track_expand,
    OneRow: track_one_row,
}
