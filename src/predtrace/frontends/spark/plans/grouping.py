"""Spark's Aggregate and Window nodes as GroupBy, Pivot and Window operators.

An Aggregate does three things at once: it groups, it computes aggregates, and it evaluates expressions over
both, dropping keys it does not return. Here that is a GroupBy with all keys and all aggregates, and a
Project above it.
"""

from __future__ import annotations

from dataclasses import replace

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.meanings import as_one_row
from predtrace.frontends.spark.origins import origin_of
from predtrace.frontends.spark.plans.aggregates import handle_of, keys_and_results, over_groups
from predtrace.frontends.spark.plans.pivots import (
    as_pivot,
    hand_written_pivoted,
    is_pivot,
    pivoted_id,
    read_pivot,
)
from predtrace.frontends.spark.plans.reader import Converted, NodeScope, Reading, without_repeats
from predtrace.frontends.spark.plans.tree import PlanNode
from predtrace.ir.expressions import AggregateCall, WindowCall
from predtrace.ir.operators import GroupBy, Named, Operator, Pivot, Project, Window


def _with_one_row(named: Named, reading: Reading) -> Named:
    call = named.expression
    if not isinstance(call, AggregateCall) or call.user_function is None:
        return named
    return Named(named.column, as_one_row(call, reading.functions[call.user_function]))


def read_aggregate(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    if is_pivot(node):
        return read_pivot(node, reading, around)
    below = reading.read_plan(node.children[0], reading, around)
    scope = NodeScope(reading, below.columns(), around)
    keys, key_handles, results, ids = keys_and_results(node, reading, scope)
    aggregates: list[Named] = []
    projected = [Named(n.column, over_groups(n.expression, keys, aggregates, reading)) for n in results]
    operator: Operator = GroupBy(
        input=below.operator,
        keys=tuple(keys),
        aggregates=tuple(_with_one_row(named, reading) for named in aggregates),
        origin=origin_of(node),
    )
    operator = replace(as_pivot(operator, reading) or operator, plan_node=reading.number(node))
    hidden = reading.nodes[reading.number(node)].hidden
    hidden.update((key.column.id, handle) for key, handle in zip(keys, key_handles, strict=True))
    hidden.update((named.column.id, handle_of(named.expression, reading)) for named in aggregates)
    if isinstance(operator, Pivot):
        cells = [handle_of(named.expression, reading) for named in aggregates]
        hidden[pivoted_id(operator)] = hand_written_pivoted(cells)
    columns = without_repeats(reading, projected)
    if [n.expression for n in columns] == list(operator.output) and all(n.is_rename_only() for n in columns):
        renamed = {n.expression.id: n.column for n in columns}  # type: ignore[attr-defined]
        if all(renamed[c.id].id == c.id for c in operator.output):
            return Converted(operator, ids)
    return Converted(Project(input=operator, columns=columns, origin=origin_of(node)), ids)


def read_window(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    """Window nodes stacked on each other are the window functions of one SELECT: one operator."""
    below = reading.read_plan(node.children[0], reading, around)
    scope = NodeScope(reading, below.columns(), around)
    # Decorrelation partitions the node by the correlated columns too, and leaves its functions as they are.
    partition = tuple(
        scope.expression(item, node.expression_handle("partitionSpec", i))
        for i, item in enumerate(node.sequence("partitionSpec"))
    )
    functions, ids = [], []
    for i, item in enumerate(node.sequence("windowExpressions")):
        named, expression_id = scope.named(item, node.expression_handle("windowExpressions", i))
        if named.column == named.expression:
            continue  # decorrelation lists columns here that it only hands on
        if not isinstance(named.expression, WindowCall):
            raise PlanIntegrityError(f"{named.column} is no window function", todo="report it with the query")
        functions.append(Named(named.column, replace(named.expression, partition=partition)))
        ids.append(expression_id)
    inner = below.operator
    earlier: tuple[Named, ...] = ()
    if isinstance(inner, Window) and node.children[0].kind == "Window":
        earlier, inner = inner.functions, inner.input
    operator = Window(input=inner, functions=(*earlier, *functions), origin=origin_of(node))
    return Converted(operator, (*below.expression_ids, *ids))
