"""Subqueries in expressions, as written: EXISTS, IN and scalar subqueries become columns of the rows around.

| expression | value | lineage in the subquery's sources |
|---|---|---|
| scalar | the one row's value, or NULL | that row's |
| EXISTS | whether there is a row | all rows' |
| IN | whether one is equal | that of the rows that are equal |
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import functions as F

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import (
    Call,
    Column,
    ColumnId,
    Exists,
    Expression,
    InSubquery,
    Literal,
    ScalarSubquery,
    Subquery,
)
from predtrace.ir.parts import subqueries_of, walk
from predtrace.ir.types import BOOLEAN
from predtrace.reference.enclosing import Tracking, binding_pairs, enclosing_rows
from predtrace.reference.frames import (
    Tracked,
    collected,
    column_name,
    grouped,
    helper_column,
    never_null,
    renamed,
    same_values,
    sql,
)

_ROW = "predtrace_row"
_PRESENT = "predtrace_present"
_EQUAL = "predtrace_equal"


@dataclass(frozen=True)
class Attached:
    """Rows with the values of subqueries as extra columns, and expressions that read them from there."""

    tracked: Tracked
    values: dict[int, Column]

    def rewritten(self, expression: Expression) -> Expression:
        if isinstance(expression, Subquery):
            return self.values[id(expression)]
        if isinstance(expression, Call) and any(isinstance(part, InSubquery) for part in walk(expression)):
            plain = _without_comparison(expression)
            if isinstance(plain, Call) and plain.function == "not":
                return self._negated(plain.arguments[0])
            expression = plain
        children = tuple(self.rewritten(child) for child in expression.children())
        return expression.rebuilt(children) if children else expression

    def _negated(self, expression: Expression) -> Expression:
        """The negation, moved down to the INs as Spark moves it: it decides for each whether it is a NOT IN."""
        expression = _without_comparison(expression)
        if isinstance(expression, InSubquery):
            return Call("not", (_possible(self.values[id(expression)]),), BOOLEAN)
        if isinstance(expression, Call) and expression.function == "not":
            return self.rewritten(expression.arguments[0])
        if isinstance(expression, Call) and expression.function in _DUAL:
            parts = tuple(self._negated(part) for part in expression.arguments)
            return Call(_DUAL[expression.function], parts, BOOLEAN)
        return Call("not", (self.rewritten(expression),), BOOLEAN)


_DUAL = {"and": "or", "or": "and"}


def _without_comparison(expression: Expression) -> Expression:
    """A comparison with a boolean constant as what it stands for."""
    match expression:
        case Call(function="=", arguments=(part, Literal(value=bool() as value))):
            return part if value else Call("not", (part,), BOOLEAN)
        case Call(function="=", arguments=(Literal(value=bool() as value), part)):
            return part if value else Call("not", (part,), BOOLEAN)
    return expression


def _possible(value: Column) -> Column:
    """The column that says whether an IN is true or unknown."""
    return replace(value, id=ColumnId(f"{value.id}_possible"))


def attach(tracked: Tracked, expressions: list[Expression], tracking: Tracking) -> Attached:
    """Evaluate the subqueries of some expressions for each row."""
    attached = Attached(tracked, {})
    for expression in expressions:
        # What an IN looks for may itself be a subquery: the inner ones first.
        for query in reversed(subqueries_of(expression)):
            value = helper_column(f"subquery{len(attached.values)}", query)
            tracked = _attach_one(attached, query, value, tracking)
            attached = Attached(tracked, {**attached.values, id(query): value})
    return attached


def _attach_one(attached: Attached, query: Subquery, value: Column, tracking: Tracking) -> Tracked:
    tracked = attached.tracked
    inner = tracking.track(query.plan, enclosing_rows(tracked, query.plan.outer_columns()))
    frame, fresh = renamed(inner.rows, (*inner.bindings, *inner.columns), f"{value.name}_")
    same_row = same_values((outside, fresh[binding]) for outside, binding in binding_pairs(tracked, inner))
    answers = [fresh[column] for column in inner.columns]
    if isinstance(query, InSubquery):
        wanted = tuple(attached.rewritten(part) for part in query.values)
        return _attach_in(tracked, replace(inner, rows=frame), value, wanted, answers, same_row)
    if isinstance(query, Exists):
        keys = [f"`{column_name(fresh[binding])}`" for binding in inner.bindings]
        present = F.count(F.lit(1)).alias(_PRESENT)
        frame = grouped(frame, keys, [present, *collected(inner.lineages())])
        computed = F.coalesce(F.col(_PRESENT) > 0, F.lit(False))
    elif isinstance(query, ScalarSubquery):
        computed = F.col(f"`{column_name(answers[0])}`")
    else:
        raise PlanIntegrityError(f"the tracker has no rule for {type(query).__name__}")
    rows = tracked.rows.join(frame, F.expr(same_row), "left").select(
        *(f"`{name}`" for name in tracked.rows.columns),
        computed.alias(column_name(value)),
        *never_null(inner.lineages()),
    )
    return replace(tracked, rows=rows, references=tracked.references | inner.references)


def _attach_in(
    tracked: Tracked,
    inner: Tracked,
    value: Column,
    wanted: tuple[Expression, ...],
    answers: list[Column],
    same_row: str,
) -> Tracked:
    """Compare each row with each row of the subquery, then put the row together again.

    As Spark evaluates it, IN is true or false, never NULL, and NOT IN is true when no comparison is true or
    unknown.
    """
    equal = " AND ".join(
        f"({sql(one)} = `{column_name(other)}`)" for one, other in zip(wanted, answers, strict=True)
    )
    own = tracked.rows.columns
    outside = tracked.rows.withColumn(_ROW, F.monotonically_increasing_id())
    candidates = inner.rows.withColumn(_PRESENT, F.lit(True))
    # A comparison that is false decides nothing, so only true and unknown ones need to meet.
    joined = outside.join(candidates, F.expr(f"{same_row} AND coalesce({equal}, true)"), "left")
    judged = joined.withColumn(_EQUAL, F.expr(f"coalesce({_PRESENT} AND {equal}, false)"))
    rows = judged.groupBy(_ROW).agg(
        *(F.first(f"`{name}`").alias(name) for name in own),
        F.bool_or(_EQUAL).alias(column_name(value)),
        (F.count(_PRESENT) > 0).alias(column_name(_possible(value))),
        *collected(inner.lineages(), _EQUAL),
    )
    return replace(tracked, rows=rows.drop(_ROW), references=tracked.references | inner.references)
