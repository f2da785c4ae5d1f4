"""Catalyst's logical plan nodes as operators: one small reader per node class, in one table.

Nodes that change no rows and no values (aliases, views, hints, repartitioning, observed metrics) disappear.
A node outside the table becomes an Opaque operator when it has inputs and no expressions that we would have
to understand to run it; a leaf we do not know is an error.
"""

from __future__ import annotations

from collections.abc import Callable

from predtrace.frontends.spark.plans.grouping import read_aggregate, read_window
from predtrace.frontends.spark.plans.joins import read_join, read_lateral_join, read_set_operation
from predtrace.frontends.spark.plans.python import (
    read_cogrouped_map,
    read_grouped_map,
    read_opaque,
    read_partition_map,
)
from predtrace.frontends.spark.plans.reader import Converted, NodeScope, Reading, expression_id_of
from predtrace.frontends.spark.plans.rows import (
    read_distinct,
    read_expand,
    read_filter,
    read_generate,
    read_limit,
    read_offset,
    read_one_row,
    read_project,
    read_sample,
    read_sequence,
    read_sort,
)
from predtrace.frontends.spark.plans.sources import ViewAbove
from predtrace.frontends.spark.plans.tree import PlanNode
from predtrace.ir.operators import Except, Intersect, Union

__all__ = ["read_plan"]

Reader = Callable[[PlanNode, Reading, "NodeScope | None"], Converted]


def read_plan(node: PlanNode, reading: Reading, around: NodeScope | None = None) -> Converted:
    """Convert a plan node and all below it."""
    kind = node.kind
    reading.view = _view_below(node, reading.view)
    if kind in TRANSPARENT:
        return reading.read_plan(node.children[0], reading, around)
    if kind in READERS:
        converted = READERS[kind](node, reading, around)
    elif not node.children:
        converted = _leaf(node, reading)
    else:
        converted = read_opaque(node, reading, around)
    return reading.numbered(node, converted)


def _view_below(node: PlanNode, above: ViewAbove) -> ViewAbove:
    """The view that names a leaf below this node: aliases keep it, a projection still names local rows."""
    if node.kind == "View":
        name = node.field("desc")["identifier"]["table"]
        # A frame given to `spark.sql("... {frame}", frame=...)` gets a view that the user knows nothing of.
        return above if name.startswith("_pyspark_") else ViewAbove(name, True)
    if node.kind == "SubqueryAlias" or not node.children:
        return above
    return ViewAbove(above.name, False) if node.kind == "Project" else ViewAbove()


def _leaf(node: PlanNode, reading: Reading) -> Converted:
    source = reading.read_source(node, reading)
    return Converted(source, tuple(expression_id_of(a) for a in node.sequence("output")))


TRANSPARENT = frozenset(
    {
        "SubqueryAlias",
        "View",
        "ResolvedHint",
        "Repartition",
        "RepartitionByExpression",
        "RebalancePartitions",
        "CollectMetrics",
        "LocalLimit",  # always below the GlobalLimit of the same size
        "Subquery",
        "PipeOperator",
        "SQLFunctionNode",
    }
)

READERS: dict[str, Reader] = {
    "Filter": read_filter,
    "Project": read_project,
    "Aggregate": read_aggregate,
    "Window": read_window,
    "Join": read_join,
    "LateralJoin": read_lateral_join,
    "Sort": read_sort,
    "AttachDistributedSequence": read_sequence,
    "GlobalLimit": read_limit,
    "Offset": read_offset,
    "Sample": read_sample,
    "Distinct": read_distinct,
    "Deduplicate": read_distinct,
    "Union": read_set_operation(Union),
    "Intersect": read_set_operation(Intersect),
    "Except": read_set_operation(Except),
    "Generate": read_generate,
    "Expand": read_expand,
    "FlatMapGroupsInPandas": read_grouped_map,
    "FlatMapGroupsInArrow": read_grouped_map,
    "FlatMapCoGroupsInPandas": read_cogrouped_map,
    "FlatMapCoGroupsInArrow": read_cogrouped_map,
    "MapInPandas": read_partition_map,
    "MapInArrow": read_partition_map,
    "OneRowRelation": read_one_row,
}
