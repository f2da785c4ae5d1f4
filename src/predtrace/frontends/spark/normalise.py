"""Subqueries turned into joins by Catalyst's own rules.

The rules run to a fixpoint, in an order that matters: scalar subqueries are rewritten before predicates are
pushed and EXISTS or IN become semi joins. Rules that keep only one row of an inner query
(RewriteUncorrelatedExists and the like) are left out, because they change the lineage. A subquery that reads nothing
but the outer row (`LATERAL explode(t.x)`) is no join: Spark calls a generator for each outer row, once for equal ones
only where it must join, and so do we.

What stays behind are uncorrelated subqueries. A scalar one becomes a SCALAR join here: each outer row is paired
with the one row of the inner plan, or with NULLs. An EXISTS becomes an existence join without a condition.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pyspark import SparkContext

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.catalyst import catalyst
from predtrace.frontends.spark.negations import Negations
from predtrace.frontends.spark.plans.reader import expression_id_of
from predtrace.frontends.spark.plans.tree import PlanNode, short_name
from predtrace.ir.expressions import Column, ColumnId, Exists, Expression, ScalarSubquery, Subquery
from predtrace.ir.operators import (
    Filter,
    Generate,
    GroupBy,
    Join,
    JoinKind,
    Named,
    Operator,
    Pivot,
    Project,
    SetOperation,
    Sort,
    Source,
    Unary,
    Window,
    walk_everything,
)
from predtrace.ir.parts import subqueries_of, transform, walk
from predtrace.ir.types import BOOLEAN

_MOST_ROUNDS = 30

_PULL_UP = "optimizer.PullupCorrelatedPredicates"
_PREDICATES = "optimizer.RewritePredicateSubquery"
_RULES = (
    "analysis.EliminateSubqueryAliases",
    "analysis.EliminateView",
    "optimizer.PullOutGroupingExpressions",
    "optimizer.OptimizeOneRowRelationSubquery",
    _PULL_UP,
    "optimizer.RewriteCorrelatedScalarSubquery",
    "optimizer.RewriteLateralSubquery",
    "optimizer.RewriteWithExpression",
    "optimizer.PushDownPredicates",
    "optimizer.ReorderJoin",
    _PREDICATES,
)


@lru_cache(maxsize=1)
def _rules(jvm: Any) -> dict[str, Any]:
    found = {}
    for name in _RULES:
        scope = jvm.org.apache.spark.sql.catalyst
        for part in name.split("."):
            scope = getattr(scope, part if part != name.rsplit(".", 1)[-1] else part + "$")
        found[name] = getattr(scope, "MODULE$")
    return found


class Decorrelation:
    """Turns the subqueries of one pipeline into joins, and knows what of the outcome nobody wrote.

    Where a subquery depends on the outer row by more than equalities, Catalyst joins it with its *domain*: an
    Aggregate over a second copy of the outer plan, which returns the values that the subquery depends on.
    Catalyst names those columns (in a DomainJoin) before it copies the outer plan, and nothing else ever defines
    them: that tells a domain from a subquery that a rule has copied.
    """

    def __init__(self) -> None:
        self._negations = Negations()
        self._domain_columns: set[int] = set()

    @property
    def not_in_columns(self) -> set[int]:
        """The expression ids of what the subqueries of NOT INs return: the rest of them is joins like any other."""
        return self._negations.not_in_columns

    def apply(self, plan: Any) -> Any:
        """The plan with correlated subqueries, EXISTS and IN as joins; nested subqueries must be done before."""
        context = SparkContext._active_spark_context
        assert context is not None
        for _ in range(_MOST_ROUNDS):
            before = plan
            for name, rule in _rules(context._jvm).items():
                if name == _PREDICATES:
                    plan = self._negations.moved(plan)
                plan = rule.apply(plan)
                if name == _PULL_UP:
                    self._note_domains(plan)
            if plan.fastEquals(before):
                return plan
        raise PlanIntegrityError("decorrelation does not come to an end", todo="report it with the query")

    def _note_domains(self, plan: Any) -> None:
        if not plan.containsPattern(catalyst().holds_plan):
            return
        text = plan.toJSON()  # not `toString`, which settings may cut short
        if "DomainJoin" in text:
            for join in _objects_of("DomainJoin", json.loads(text)):
                self._domain_columns.update(expression_id_of(column) for column in join["domainAttrs"])

    def is_domain(self, node: PlanNode) -> bool:
        """Whether a node is the domain of a subquery: what lies below it is a copy of the outer plan."""
        if not self._domain_columns or node.kind != "Aggregate":
            return False
        defined = (c for c in node.sequence("aggregateExpressions") if short_name(c[0]["class"]) == "Alias")
        return any(expression_id_of(column) in self._domain_columns for column in defined)


def _objects_of(kind: str, part: Any) -> Iterator[dict[str, Any]]:
    """The objects of a class in plan JSON, at any depth."""
    if isinstance(part, dict):
        if short_name(str(part.get("class", ""))) == kind:
            yield part
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _objects_of(kind, inner)


def subqueries_as_joins(operator: Operator) -> Operator:
    """Replace the uncorrelated subqueries left in expressions by joins below their operator."""
    operator = _without_left_over(operator)
    operator = _with_inputs(operator, tuple(subqueries_as_joins(below) for below in operator.inputs))
    queries = operator.subqueries()
    if not queries:
        return operator
    attached = operator.inputs[0]
    columns: dict[Hashable, Column] = {}
    for query in queries:
        if _identity(query) not in columns:
            attached, columns[_identity(query)] = _attach(attached, query, operator)

    def change(part: Expression) -> Expression:
        return columns[_identity(part)] if isinstance(part, Subquery) else part

    rewritten = _with_expressions(_with_inputs(operator, (attached, *operator.inputs[1:])), change)
    if rewritten.output == operator.output:
        return rewritten
    # The column that was attached is in no row of the plan node: only without it these are the node's rows.
    return Project(
        input=replace(rewritten, plan_node=None),
        columns=tuple(Named(c, c) for c in operator.output),
        plan_node=operator.plan_node,
    )


def _without_left_over(operator: Operator) -> Operator:
    """Without columns just below that nobody reads and whose subqueries a filter further down has evaluated.

    Catalyst gives the value that a BETWEEN looks at a name, then moves the BETWEEN below it, with its own copy.
    """
    below = operator.inputs[0] if operator.inputs else operator
    if not isinstance(operator, Project) or not isinstance(below, Project) or not below.subqueries():
        return operator
    read = {part.id for e in operator.expressions for part in walk(e) if isinstance(part, Column)}
    known: set[Hashable] = set()
    inner = below.input
    while isinstance(inner, Filter):
        known.update(map(_identity, inner.subqueries()))
        inner = inner.input

    def is_left_over(named: Named) -> bool:
        queries = subqueries_of(named.expression)
        return named.column.id not in read and bool(queries) and known.issuperset(map(_identity, queries))

    kept = tuple(named for named in below.columns if not is_left_over(named))
    return (
        operator if len(kept) == len(below.columns) else replace(operator, input=replace(below, columns=kept))
    )


def _identity(query: Subquery) -> Hashable:
    """The same for copies that a rule has made of one subquery: they read the very same references."""
    operators = list(walk_everything(query.plan))
    references = [source.reference for source in operators if isinstance(source, Source)]
    if not references or None in references:
        return id(query)
    return type(query), tuple(references), tuple(map(type, operators))


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
        case Generate(generator=generator):
            return replace(operator, generator=transform(generator, change))
        case Pivot(keys=keys):
            return replace(operator, keys=changed(keys))
    raise PlanIntegrityError(f"a scalar subquery in {operator.title()}", todo="report it with the query")
