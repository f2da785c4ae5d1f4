"""Plan nodes that run Python code over groups or partitions, and nodes nobody can look into."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from predtrace.errors import UnsupportedOperator
from predtrace.frontends.spark.origins import origin_of
from predtrace.frontends.spark.plans.reader import Converted, NodeScope, Reading, expression_id_of
from predtrace.frontends.spark.plans.tree import PlanNode, short_name
from predtrace.frontends.spark.udfs import handed_on, is_declared_rowwise
from predtrace.ir.expressions import Column
from predtrace.ir.operators import CoGroupedMap, GroupedMap, OneFor, Opaque
from predtrace.ir.types import from_json


def _function_of(node: PlanNode, reading: Reading) -> tuple[str, str, bool]:
    function = node.field("functionExpr")[0]
    name = function.get("name") or "function"
    handle = node.expression_handle("functionExpr")
    identity = reading.user_function(handle(), name)
    return identity, name, bool(function.get("udfDeterministic", True))


def _argument_columns(node: PlanNode) -> list[list[dict[str, Any]]]:
    nodes = node.field("functionExpr")[1:]
    return [[n] for n in nodes if short_name(n["class"]) == "AttributeReference"]


def read_grouped_map(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below = reading.read_plan(node.children[0], reading, around)
    scope = NodeScope(reading, below.columns(), around)
    identity, name, deterministic = _function_of(node, reading)
    attributes = node.sequence("output")
    keys = tuple(scope.attribute(key) for key in node.sequence("groupingAttributes"))
    arguments = tuple(scope.attribute(a) for a in _argument_columns(node))
    columns = tuple(reading.define_attribute(a) for a in attributes)
    one_for, names = handed_on(node.handle().functionExpr())
    given = _places(keys if one_for is OneFor.GROUP else arguments)
    operator = GroupedMap(
        input=below.operator,
        keys=keys,
        arguments=arguments,
        function=identity,
        function_name=name,
        columns=columns,
        deterministic=deterministic,
        one_for=one_for,
        handed_on=tuple((_places(columns)[new], given[old]) for new, old in names.items()),
        origin=origin_of(node),
    )
    return Converted(operator, tuple(expression_id_of(a) for a in attributes))


def _places(columns: Sequence[Column]) -> dict[str, int]:
    return {column.name: place for place, column in enumerate(columns)}


def read_cogrouped_map(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    left = reading.read_plan(node.children[0], reading, around)
    right = reading.read_plan(node.children[1], reading, around)
    identity, name, deterministic = _function_of(node, reading)
    # Spark puts the keys first and hands the function all other columns of each side.
    left_keys = left.operator.output[: node.field("leftGroupingLen")]
    right_keys = right.operator.output[: node.field("rightGroupingLen")]
    attributes = node.sequence("output")
    operator = CoGroupedMap(
        left=left.operator,
        right=right.operator,
        left_keys=left_keys,
        left_arguments=left.operator.output[len(left_keys) :],
        right_keys=right_keys,
        right_arguments=right.operator.output[len(right_keys) :],
        function=identity,
        function_name=name,
        columns=tuple(reading.define_attribute(a) for a in attributes),
        deterministic=deterministic,
        origin=origin_of(node),
    )
    return Converted(operator, tuple(expression_id_of(a) for a in attributes))


def read_partition_map(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    """A function over whole partitions: nobody can look into it, unless it is declared to work row by row."""
    if not is_declared_rowwise(node.handle().functionExpr()):
        return read_opaque(node, reading, around)
    below = reading.read_plan(node.children[0], reading, around)
    identity, name, deterministic = _function_of(node, reading)
    attributes = node.sequence("output")
    operator = GroupedMap(
        input=below.operator,
        keys=below.operator.output,
        arguments=below.operator.output,
        function=identity,
        function_name=name,
        columns=tuple(reading.define_attribute(a) for a in attributes),
        deterministic=deterministic,
        by_row=True,
        origin=origin_of(node),
    )
    return Converted(operator, tuple(expression_id_of(a) for a in attributes))


def read_opaque(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    """Every output row may come from every input row: sound for any node whose inputs are all children."""
    if node.kind in UNSOUND_AS_OPAQUE:
        raise UnsupportedOperator(f"the plan node {node.kind}", origin_of(node), UNSOUND_AS_OPAQUE[node.kind])
    branches = [reading.read_plan(child, reading, around) for child in node.children]
    live = node.handle()
    output = live.output()
    attributes = [output.apply(i) for i in range(output.size())]
    columns = tuple(
        reading.define(a.exprId().id(), a.name(), from_json(json.loads(a.dataType().json())), a.nullable())
        for a in attributes
    )
    reading.opaque_nodes.append(live)
    function = (node.field("functionExpr") or [{}])[0]
    operator = Opaque(
        branches=tuple(b.operator for b in branches),
        name=f"{node.kind} {function['name']}" if function.get("name") else node.kind,
        why="its code may combine any of its input rows" + _WHAT_TO_DECLARE.get(node.kind, ""),
        columns=columns,
        node=len(reading.opaque_nodes) - 1,
        deterministic=bool(function.get("udfDeterministic", True)),
        origin=origin_of(node),
    )
    return Converted(operator, tuple(a.exprId().id() for a in attributes))


_DECLARE = " (if it treats each row by itself, say so: predtrace.rowwise)"
_WHAT_TO_DECLARE = {"MapInPandas": _DECLARE, "MapInArrow": _DECLARE}
_STREAMING = "predtrace traces batch pipelines; trace the batch that the stream writes"

UNSOUND_AS_OPAQUE = {
    "EventTimeWatermark": _STREAMING,
    "FlatMapGroupsWithState": _STREAMING,
    "TransformWithState": _STREAMING,
    "WithCTE": "report it: CTEs should have been inlined",
    "UnionLoop": "write the steps of the recursive CTE to a table, and trace from that",
    "AsOfJoin": "write the as-of join as a join with a window or a lateral subquery",
}
