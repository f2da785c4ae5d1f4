"""What the readers of plan nodes share: scopes, column definitions, and the state of one reading.

Spark's attributes are looked up by expression id in the scope of the node's inputs. A column is *defined*
once; where Spark defines one expression id twice in a plan (the two copies of an inlined CTE), the second
definition gets an id of its own (`12.1`), so that a column id means one thing in the whole graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.expressions import read_expression, read_sort_key
from predtrace.frontends.spark.meanings import with_meaning
from predtrace.frontends.spark.plans.sources import ViewAbove
from predtrace.frontends.spark.plans.tree import Handle, JsonNodes, PlanNode, plan_from_nodes, short_name
from predtrace.ir.expressions import AggregateCall, Column, ColumnId, Expression, SortKey, UserCall
from predtrace.ir.operators import Named, Operator, Source
from predtrace.ir.types import DataType, from_json


@dataclass(frozen=True)
class Converted:
    """An operator and, by position, the expression ids under which Spark knows its output columns."""

    operator: Operator
    expression_ids: tuple[int, ...]

    def columns(self) -> dict[int, Column]:
        found: dict[int, Column] = {}
        for expression_id, column in zip(self.expression_ids, self.operator.output, strict=True):
            # An output may repeat an expression id; both columns hold the same value, so take the first.
            found.setdefault(expression_id, column)
        return found


@dataclass
class NumberedNode:
    """A plan node with the columns of its rows: those of its output by position, and hidden ones.

    A hidden column is computed by the node but not returned (a group's key that the query drops). Its handle
    fetches the expression that the node would return it by.
    """

    node: PlanNode
    output: tuple[Column, ...] = ()
    hidden: dict[ColumnId, Handle] = field(default_factory=dict)


@dataclass
class Reading:
    """The state of reading one plan: what has been defined, and the live objects operators point to."""

    read_plan: Callable[[PlanNode, Reading, NodeScope | None], Converted]
    read_source: Callable[[PlanNode, Reading], Source]
    definitions: Counter[int] = field(default_factory=Counter)
    generated: int = 0
    functions: dict[str, Any] = field(default_factory=dict)
    opaque_nodes: list[Any] = field(default_factory=list)
    not_in_columns: Set[int] = frozenset()
    """The expression ids of what the subqueries of NOT INs return, where these have become joins."""
    view: ViewAbove = field(default_factory=ViewAbove)
    nodes: list[NumberedNode] = field(default_factory=list)
    aggregates: list[tuple[AggregateCall, Handle]] = field(default_factory=list)
    """The aggregates read so far, with a way to their expressions."""

    def number(self, node: PlanNode) -> int:
        """The number of a plan node."""
        for number in range(len(self.nodes) - 1, -1, -1):
            if self.nodes[number].node is node:
                return number
        self.nodes.append(NumberedNode(node))
        return len(self.nodes) - 1

    def numbered(self, node: PlanNode, converted: Converted) -> Converted:
        """The operator as the one whose output is the node's output; one that a node below has keeps that."""
        if converted.operator.plan_node is not None and converted.operator.plan_node != self.number(node):
            return converted
        operator = replace(converted.operator, plan_node=self.number(node))
        self.nodes[self.number(node)].output = operator.output
        return Converted(operator, converted.expression_ids)

    def define(self, expression_id: int, name: str, type_: DataType, nullable: bool = True) -> Column:
        copies = self.definitions[expression_id]
        self.definitions[expression_id] += 1
        column_id = f"{expression_id}.{copies}" if copies else str(expression_id)
        return Column(ColumnId(column_id), name, type_, nullable)

    def define_attribute(self, nodes: JsonNodes) -> Column:
        """Define the column of an AttributeReference that a node produces."""
        node = nodes[0]
        return self.define(
            node["exprId"]["id"], node["name"], from_json(node["dataType"]), bool(node["nullable"])
        )

    def fresh(self, name: str, type_: DataType) -> Column:
        """A column that Spark has no expression id for."""
        self.generated += 1
        return Column(ColumnId(f"g{self.generated}"), name, type_)

    def user_function(self, call: Any, name: str) -> str:
        """Keep a live call of a function; the same function keeps one id, and no other pipeline's has it."""
        for known, other in self.functions.items():
            if _is_same_function(other, call):
                return known
        plain = "".join(c if c.isalnum() else "_" for c in name)
        identity = f"f{next(_FUNCTIONS)}_{plain}"
        self.functions[identity] = call
        return identity


@dataclass
class NodeScope:
    """The columns a node's expressions can read: those of its inputs, and of the queries around it."""

    reading: Reading
    columns: dict[int, Column]
    around: NodeScope | None

    def column(self, expr_id: int, name: str) -> Column:
        found = self.columns.get(expr_id)
        if found is None:
            raise PlanIntegrityError(
                f"column {name}#{expr_id} is not in any input", todo="report it with the query"
            )
        return found

    def outer_column(self, expr_id: int, name: str) -> Column:
        scope = self.around
        while scope is not None:
            if expr_id in scope.columns:
                return scope.columns[expr_id]
            scope = scope.around
        raise PlanIntegrityError(
            f"no query around has column {name}#{expr_id}", todo="report it with the query"
        )

    def subquery_plan(self, plan_json: JsonNodes, handle: Handle) -> Operator:
        node = plan_from_nodes(plan_json, handle)
        return self.reading.read_plan(node, self.reading, self).operator

    def saw_aggregate(self, call: AggregateCall, handle: Handle) -> None:
        self.reading.aggregates.append((call, handle))

    def user_function(self, node: dict[str, Any], handle: Handle) -> str:
        return self.reading.user_function(handle(), node.get("name") or "function")

    def understood(self, call: UserCall) -> UserCall:
        return with_meaning(call, self.reading.functions[call.function])

    def expression(self, nodes: JsonNodes, handle: Handle) -> Expression:
        return read_expression(nodes, self, handle)

    def sort_key(self, nodes: JsonNodes, handle: Handle) -> SortKey:
        return read_sort_key(nodes, self, handle)

    def attribute(self, nodes: JsonNodes) -> Column:
        """The column that an AttributeReference of the inputs means."""
        return self.column(nodes[0]["exprId"]["id"], nodes[0]["name"])

    def named(self, nodes: JsonNodes, handle: Handle) -> tuple[Named, int]:
        """A named expression of a select list, and the expression id Spark knows it by."""
        node = nodes[0]
        expression_id: int = node["exprId"]["id"]
        if short_name(node["class"]) == "AttributeReference":
            column = self.column(expression_id, node["name"])
            return Named(column, column), expression_id
        expression = self.expression(nodes[1:], lambda: handle().child())
        column = self.reading.define(expression_id, node["name"], expression.type, expression.nullable)
        return Named(column, expression), expression_id


_FUNCTIONS = count()
"""Numbers the functions of all pipelines in this process: Spark knows them by name in the whole session."""


def _is_same_function(one: Any, other: Any) -> bool:
    """Whether two calls, of a Python function or one of the JVM's, call the same function."""
    kind = str(one.getClass().getSimpleName())
    if kind != str(other.getClass().getSimpleName()) or not one.dataType().equals(other.dataType()):
        return False
    if kind == "PythonUDTF":
        # Such a call also holds the names of its arguments and what was analyzed for them.
        return bool(one.resultId().equals(other.resultId()))
    if kind.startswith("Python"):
        return bool(one.func().equals(other.func()))
    return bool(one.function().equals(other.function()) if kind == "ScalaUDF" else one.equals(other))


def expression_id_of(nodes: JsonNodes) -> int:
    return int(nodes[0]["exprId"]["id"])


def without_repeats(reading: Reading, named: list[Named]) -> tuple[Named, ...]:
    """Give a column that a select list repeats an id of its own."""
    seen: set[str] = set()
    result = []
    for item in named:
        if item.column.id in seen:
            again = reading.fresh(item.column.name, item.column.type)
            item = Named(again, item.expression)
        seen.add(item.column.id)
        result.append(item)
    return tuple(result)
