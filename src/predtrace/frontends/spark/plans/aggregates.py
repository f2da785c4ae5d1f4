"""The parts of an Aggregate: its keys, its aggregates, and its results as expressions over both."""

from __future__ import annotations

from predtrace.frontends.spark.plans.reader import NodeScope, Reading
from predtrace.frontends.spark.plans.tree import Handle, PlanNode
from predtrace.ir.expressions import AggregateCall, Call, Column, Expression, Subquery
from predtrace.ir.operators import Named, Source, walk_everything
from predtrace.ir.parts import transform, walk


def keys_and_results(
    node: PlanNode, reading: Reading, scope: NodeScope
) -> tuple[list[Named], list[Handle], list[Named], tuple[int, ...]]:
    keys: list[Named] = []
    handles: list[Handle] = []
    for i, item in enumerate(node.sequence("groupingExpressions")):
        handle = node.expression_handle("groupingExpressions", i)
        expression = scope.expression(item, handle)
        if any(_same(key.expression, expression) for key in keys):
            continue
        is_column = isinstance(expression, Column)
        column = expression if is_column else reading.fresh(f"key_{i + 1}", expression.type)
        assert isinstance(column, Column)
        keys.append(Named(column, expression))
        handles.append(handle)
    results, ids = [], []
    for i, item in enumerate(node.sequence("aggregateExpressions")):
        named, expression_id = scope.named(item, node.expression_handle("aggregateExpressions", i))
        results.append(named)
        ids.append(expression_id)
    return keys, handles, results, tuple(ids)


def handle_of(aggregate: Expression, reading: Reading) -> Handle:
    return next(handle for call, handle in reversed(reading.aggregates) if call is aggregate)


def over_groups(
    expression: Expression, keys: list[Named], aggregates: list[Named], reading: Reading
) -> Expression:
    """Rewrite a result expression to read the columns of the GroupBy; collects the aggregates it needs."""
    for key in keys:
        if _same(key.expression, expression):
            return key.column
    if isinstance(expression, AggregateCall):
        for known in aggregates:
            if _same(known.expression, expression):
                return known.column
        column = reading.fresh(expression.function, expression.type)
        aggregates.append(Named(column, expression))
        return column
    children = tuple(over_groups(child, keys, aggregates, reading) for child in expression.children())
    return expression.rebuilt(children) if children else expression


def _same(one: Expression, other: Expression) -> bool:
    """Equality, taking two copies of one subquery for the same."""
    return one == other or (_has_subquery(one) and _without_plans(one) == _without_plans(other))


def _has_subquery(expression: Expression) -> bool:
    return any(isinstance(part, Subquery) for part in walk(expression))


def _without_plans(expression: Expression) -> Expression:
    def change(part: Expression) -> Expression:
        if not isinstance(part, Subquery):
            return part
        sources = [o.reference for o in walk_everything(part.plan) if isinstance(o, Source)]
        return Call(f"{type(part).__name__} over {sources}", part.children(), part.type)

    return transform(expression, change)
