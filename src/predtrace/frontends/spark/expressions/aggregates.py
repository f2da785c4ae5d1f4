"""Readers for aggregates, window functions and subqueries."""

from __future__ import annotations

from decimal import Decimal

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.expressions import functions
from predtrace.frontends.spark.expressions.nodes import Node
from predtrace.frontends.spark.expressions.reader import Reader, object_name, special_reader, unsupported
from predtrace.ir import expressions as ir
from predtrace.ir.expressions import Expression, Frame, FrameKind
from predtrace.ir.operators import Operator
from predtrace.ir.types import from_json


@special_reader("AggregateExpression")
def _aggregate(reader: Reader, node: Node) -> Expression:
    function = node.children[0]
    condition = reader.read(node.children[1]) if len(node.children) > 1 else None
    distinct = bool(node.fields["isDistinct"])
    call = _aggregate_call(reader, node, function, distinct, condition)
    reader.scope.saw_aggregate(call, node.java)
    return call


def _aggregate_call(
    reader: Reader, node: Node, function: Node, distinct: bool, condition: Expression | None
) -> ir.AggregateCall:
    if function.kind in {"PythonUDAF", "PythonUDF", "ScalaUDAF"}:
        return _user_aggregate(reader, function, distinct, condition)
    name = functions.AGGREGATES.get(function.kind)
    if function.kind == "MaxMinByK":  # returns k values, so it must not pass for the one-row max_by
        name = "min_by_k" if function.fields["reverse"] else "max_by_k"
    if name is None:
        raise unsupported(function, "this aggregate function is not in the model")
    if function.kind in {"Sum", "Average"} and "try_" in node.tree.text:
        name = _attempted_aggregate(function, name)
    arguments, options = _aggregate_arguments(reader, function)
    return ir.AggregateCall(name, arguments, function.type(), distinct, condition, options)


def _user_aggregate(
    reader: Reader, function: Node, distinct: bool, condition: Expression | None
) -> ir.AggregateCall:
    identifier = reader.scope.user_function(function.fields, function.java)
    # Whatever the user calls it: it is none of Spark's.
    name = f"python {function.fields.get('name') or 'udaf'}"
    type_ = from_json(function.fields["dataType"])
    arguments = reader.all(function.children)
    return ir.AggregateCall(name, arguments, type_, distinct, condition, user_function=identifier)


def _attempted_aggregate(function: Node, name: str) -> str:
    java = function.java()
    mode = java.evalContext().evalMode() if function.kind == "Sum" else java.evalMode()
    return f"try_{name}" if mode.toString() == "TRY" else name


def _aggregate_arguments(reader: Reader, function: Node) -> tuple[tuple[Expression, ...], ir.Options]:
    options: list[tuple[str, str]] = []
    if function.fields.get("ignoreNulls") is True and function.kind in functions.IGNORES_NULLS:
        options.append(("ignore_nulls", "true"))
    if function.fields.get("reverse") is True and function.kind != "MaxMinByK":
        options.append(("descending", "true"))
    if isinstance(function.fields.get("reverseOpt"), bool):  # mode: ties are broken by the order
        options.append(("ties", "lowest" if function.fields["reverseOpt"] else "highest"))
    plain = [child for child in function.children if child.kind != "SortOrder"]
    keys = [reader.sort_key(child) for child in function.children if child.kind == "SortOrder"]
    if keys:
        options.append(("order", ",".join(_direction(key) for key in keys)))
    arguments = (*reader.all(plain), *(key.expression for key in keys))
    return arguments, tuple(options)


def _direction(key: ir.SortKey) -> str:
    return f"{'asc' if key.ascending else 'desc'} nulls {'first' if key.nulls_first else 'last'}"


@special_reader("WindowExpression")
def _window(reader: Reader, node: Node) -> Expression:
    function, specification = node.children
    partitions = len(specification.fields["partitionSpec"])
    orders = len(specification.fields["orderSpec"])
    parts = specification.children
    if len(parts) != partitions + orders + 1:
        raise PlanIntegrityError("a window specification has parts that are no partition, order or frame")
    order = tuple(reader.sort_key(part) for part in parts[partitions : partitions + orders])
    frame = _frame(reader, parts[-1])
    return ir.WindowCall(_window_function(reader, function), reader.all(parts[:partitions]), order, frame)


def _window_function(reader: Reader, node: Node) -> Expression:
    if node.kind == "AggregateExpression":
        return reader.read(node)
    if node.kind == "PythonUDF":
        return _user_aggregate(reader, node, False, None)
    name = functions.WINDOW_FUNCTIONS.get(node.kind)
    if name is None:
        raise unsupported(node, "this window function is not in the model")
    ranking = node.kind in functions.RANKING  # their children repeat the window's order
    arguments = () if ranking else reader.all(node.children)
    ignore = node.fields.get("ignoreNulls") is True
    options: ir.Options = (("ignore_nulls", "true"),) if ignore else ()
    return ir.Call(name, arguments, node.type(), node.nullable(), True, options)


def _frame(reader: Reader, node: Node) -> Frame:
    if node.kind != "SpecifiedWindowFrame":
        raise PlanIntegrityError(f"the window frame {node.kind} has not been resolved by Spark")
    kind = FrameKind.ROWS if object_name(node, "frameType") == "RowFrame" else FrameKind.RANGE
    lower, upper = (_bound(reader, child) for child in node.children)
    return Frame(kind, lower, upper)


def _bound(reader: Reader, node: Node) -> Expression | str:
    name = node.kind.removesuffix("$")
    if name in {"UnboundedPreceding", "UnboundedFollowing"}:
        return "unbounded"
    if name == "CurrentRow":
        return "current"
    bound = reader.read(node)
    if isinstance(bound, ir.Call) and bound.function == "negative":
        operand = bound.arguments[0]
        if isinstance(operand, ir.Literal) and isinstance(operand.value, (int, float, Decimal)):
            return ir.Literal(-operand.value, operand.data_type)
    return bound


@special_reader("ScalarSubquery")
def _scalar_subquery(reader: Reader, node: Node) -> Expression:
    return ir.ScalarSubquery(_plan(reader, node))


@special_reader("Exists")
def _exists(reader: Reader, node: Node) -> Expression:
    return ir.Exists(_plan(reader, node))


@special_reader("InSubquery")
def _in_subquery(reader: Reader, node: Node) -> Expression:
    *values, query = node.children
    if query.kind != "ListQuery":
        raise PlanIntegrityError(f"IN over {query.kind}, which is no query")
    return ir.InSubquery(_plan(reader, query), reader.all(values))


def _plan(reader: Reader, node: Node) -> Operator:
    return reader.scope.subquery_plan(node.fields["plan"], lambda: node.java().plan())
