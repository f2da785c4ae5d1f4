"""Subqueries turned into joins by Catalyst's own rules.

The rules run to a fixpoint, in an order that matters: scalar subqueries are rewritten before predicates are
pushed and EXISTS or IN become semi joins. Rules that keep only one row of an inner query
(RewriteUncorrelatedExists and the like) are left out, because they change the lineage.

What stays behind are uncorrelated subqueries. A scalar one becomes a SCALAR join here: each outer row is paired
with the one row of the inner plan, or with NULLs. An EXISTS becomes an existence join without a condition.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from pyspark import SparkContext

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import Column, ColumnId, Exists, Expression, ScalarSubquery, Subquery, transform
from predtrace.ir.operators import (
    Filter,
    GroupBy,
    Join,
    JoinKind,
    Named,
    Operator,
    Pivot,
    Project,
    SetOperation,
    Sort,
    Unary,
    Window,
)
from predtrace.ir.types import BOOLEAN

_MOST_ROUNDS = 30

_RULES = (
    "analysis.EliminateSubqueryAliases",
    "analysis.EliminateView",
    "optimizer.PullOutGroupingExpressions",
    "optimizer.PullupCorrelatedPredicates",
    "optimizer.RewriteCorrelatedScalarSubquery",
    "optimizer.RewriteLateralSubquery",
    "optimizer.RewriteWithExpression",
    "optimizer.PushDownPredicates",
    "optimizer.ReorderJoin",
    "optimizer.RewritePredicateSubquery",
)


@lru_cache(maxsize=1)
def _rules(jvm: Any) -> tuple[Any, ...]:
    found = []
    for name in _RULES:
        scope = jvm.org.apache.spark.sql.catalyst
        for part in name.split("."):
            scope = getattr(scope, part if part != name.rsplit(".", 1)[-1] else part + "$")
        found.append(getattr(scope, "MODULE$"))
    return tuple(found)


def decorrelate(plan: Any) -> Any:
    """The plan with correlated subqueries, EXISTS and IN as joins."""
    context = SparkContext._active_spark_context
    assert context is not None
    for _ in range(_MOST_ROUNDS):
        before = plan
        for rule in _rules(context._jvm):
            plan = rule.apply(plan)
        if plan.fastEquals(before):
            return plan
    raise PlanIntegrityError("decorrelation does not come to an end", todo="report it with the query")


def subqueries_as_joins(operator: Operator) -> Operator:
    """Replace the uncorrelated subqueries left in expressions by joins below their operator."""
    operator = _with_inputs(operator, tuple(subqueries_as_joins(below) for below in operator.inputs))
    queries = operator.subqueries()
    if not queries:
        return operator
    attached, columns = operator.inputs[0], {}
    for query in queries:
        attached, columns[id(query)] = _attach(attached, query, operator)

    def change(part: Expression) -> Expression:
        return columns[id(part)] if isinstance(part, Subquery) else part

    rewritten = _with_expressions(_with_inputs(operator, (attached, *operator.inputs[1:])), change)
    if rewritten.output == operator.output:
        return rewritten
    return Project(input=rewritten, columns=tuple(Named(c, c) for c in operator.output))


def _attach(outer: Operator, query: Subquery, operator: Operator) -> tuple[Operator, Column]:
    plan = subqueries_as_joins(query.plan)
    if not plan.outer_columns() and isinstance(query, ScalarSubquery):
        return Join(left=outer, right=plan, kind=JoinKind.SCALAR), plan.output[0]
    if not plan.outer_columns() and isinstance(query, Exists):
        first = plan.output[0].id if plan.output else "row"
        flag = Column(ColumnId(f"exists.{first}"), "exists", BOOLEAN, False)
        return Join(left=outer, right=plan, kind=JoinKind.EXISTENCE, flag=flag), flag
    raise PlanIntegrityError(
        f"a {type(query).__name__} is left in {operator.title()} after decorrelation",
        todo="report it with the query",
    )


def _with_inputs(operator: Operator, inputs: tuple[Operator, ...]) -> Operator:
    if all(new is old for new, old in zip(inputs, operator.inputs, strict=True)):
        return operator
    if isinstance(operator, Unary):
        return replace(operator, input=inputs[0])
    if isinstance(operator, SetOperation):
        return replace(operator, branches=inputs)
    if hasattr(operator, "branches"):
        return replace(operator, branches=inputs)  # type: ignore[call-arg]
    return replace(operator, left=inputs[0], right=inputs[1])  # type: ignore[call-arg]


def _with_expressions(operator: Operator, change: Any) -> Operator:
    def changed(named: tuple[Named, ...]) -> tuple[Named, ...]:
        return tuple(Named(n.column, transform(n.expression, change)) for n in named)

    match operator:
        case Filter(condition=condition):
            return replace(operator, condition=transform(condition, change))
        case Project(columns=columns):
            return replace(operator, columns=changed(columns))
        case GroupBy(keys=keys, aggregates=aggregates):
            return replace(operator, keys=changed(keys), aggregates=changed(aggregates))
        case Window(functions=functions):
            return replace(operator, functions=changed(functions))
        case Sort(keys=sort_keys):
            keys_changed = (replace(k, expression=transform(k.expression, change)) for k in sort_keys)
            return replace(operator, keys=tuple(keys_changed))
        case Join(condition=condition, matching=None) if condition is not None:
            return replace(operator, condition=transform(condition, change))
        case Pivot(keys=keys):
            return replace(operator, keys=changed(keys))
    raise PlanIntegrityError(f"a scalar subquery in {operator.title()}", todo="report it with the query")
