"""Pivots, in both shapes that Spark plans them in:

Project [k, p[0] AS a, p[1] AS b]
+- Aggregate [k], [k, pivotfirst(c, x, 'a', 'b') AS p]
   +- Aggregate [k, c], [k, c, max(v) AS x]

Aggregate [k], [k, max(if(c <=> 'a', v, null)) AS a, max(if(c <=> 'b', v, null)) AS b]
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.catalyst import catalyst, items
from predtrace.frontends.spark.origins import origin_of
from predtrace.frontends.spark.plans.aggregates import keys_and_results, over_groups
from predtrace.frontends.spark.plans.reader import (
    Converted,
    NodeScope,
    Reading,
    expression_id_of,
    without_repeats,
)
from predtrace.frontends.spark.plans.tree import Handle, JsonNodes, PlanNode, short_name
from predtrace.ir.expressions import AggregateCall, Call, Cast, ColumnId, Expression, Literal
from predtrace.ir.operators import GroupBy, Named, Operator, Pivot, PivotCell, Project
from predtrace.ir.types import ArrayType, DataType


def is_pivot(node: PlanNode) -> bool:
    """Whether an Aggregate is the upper one of a PIVOT."""
    return any(_holds_pivot(item) for item in node.sequence("aggregateExpressions"))


def _holds_pivot(item: JsonNodes) -> bool:
    return any(short_name(part["class"]) == "PivotFirst" for part in item)


_FIRST_COME = frozenset({"first", "last", "any_value"})


def as_pivot(operator: Operator, reading: Reading) -> Pivot | None:
    """A GroupBy whose every aggregate is `agg(if(p <=> literal, e, null))` on one p is a Pivot."""
    if not isinstance(operator, GroupBy) or not operator.aggregates:
        return None
    cells: list[PivotCell] = []
    pivots: list[Expression] = []
    for named in operator.aggregates:
        call = named.expression
        assert isinstance(call, AggregateCall)
        if call.function in _FIRST_COME and call.option("ignore_nulls") is None:
            return None  # these see the NULLs that the guard makes of other rows
        guards = [_guarded(argument) for argument in call.arguments]
        if not guards or any(guard is None for guard in guards):
            return None
        pivot, value, _ = guards[0]  # type: ignore[misc]
        if any(guard[:2] != (pivot, value) for guard in guards if guard is not None):
            return None
        pivots.append(pivot)
        bare = tuple(guard[2] for guard in guards if guard is not None)
        condition = () if call.condition is None else (call.condition,)
        inner = call.rebuilt((*bare, *condition))
        column = reading.fresh(named.column.name, named.column.type)
        cells.append(PivotCell(named.column, value, (Named(column, inner),), column))
    if any(pivot != pivots[0] for pivot in pivots):
        return None
    return Pivot(
        input=operator.input,
        keys=operator.keys,
        pivot=pivots[0],
        cells=tuple(cells),
        missing_is_null=False,
        origin=operator.origin,
    )


def _guarded(expression: Expression) -> tuple[Expression, Expression, Expression] | None:
    """The p, constant and e of `if(p <=> constant, e, null)`; Spark may have put casts around constants."""
    if not (isinstance(expression, Call) and expression.function == "if"):
        return None
    condition, value, otherwise = expression.arguments
    if not (isinstance(condition, Call) and condition.function == "<=>" and _is_null(otherwise)):
        return None
    left, right = condition.arguments
    return (left, right, value) if _is_constant(right) and not _is_constant(left) else None


def _is_null(expression: Expression) -> bool:
    plain = expression.child if isinstance(expression, Cast) else expression
    return isinstance(plain, Literal) and plain.value is None and plain.text is None


def _is_constant(expression: Expression) -> bool:
    return isinstance(expression.child if isinstance(expression, Cast) else expression, Literal)


def read_pivot(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    """The upper Aggregate of a PIVOT: its output is one array per aggregate, which a Project takes apart.

    The arrays stay arrays here (`array(cell, cell...)`), so that whatever takes them apart still works.
    """
    lower = node.children[0]
    if lower.kind != "Aggregate":
        raise PlanIntegrityError(f"a pivot over {lower.kind}", todo="report it with the query")
    below = reading.read_plan(lower.children[0], reading, around)
    scope = NodeScope(reading, below.columns(), around)
    keys, _, results, ids = keys_and_results(lower, reading, scope)
    by_id = dict(zip(ids, results, strict=True))
    pivot: Expression | None = None
    hidden: dict[ColumnId, Handle] = {}
    cells: list[PivotCell] = []
    outputs: list[tuple[int, Named]] = []
    for i, item in enumerate(node.sequence("aggregateExpressions")):
        if not _holds_pivot(item):
            expression_id = expression_id_of(item)
            outputs.append((expression_id, by_id[expression_id]))
            continue
        handle = node.expression_handle("aggregateExpressions", i)
        first = next(part for part in item if short_name(part["class"]) == "PivotFirst")
        pivot_id, value_id = _attribute_ids(item, first)
        pivot = by_id[pivot_id].expression
        aggregates: list[Named] = []
        result = over_groups(by_id[value_id].expression, keys, aggregates, reading)
        array: list[Expression] = []
        for at, value in enumerate(_pivot_values(handle().child().aggregateFunction(), pivot)):
            column = reading.fresh(f"{by_id[value_id].column.name} of {value.value}", result.type)
            cells.append(PivotCell(column, value, tuple(aggregates), result))
            array.append(column)
            hidden[column.id] = _cell(handle, at)
        expression_id = expression_id_of(item)
        array_type = ArrayType("array", result.type)
        defined = reading.define(expression_id, item[0]["name"], array_type)
        outputs.append((expression_id, Named(defined, Call("array", tuple(array), array_type))))
    if pivot is None:
        raise PlanIntegrityError("a pivot without a pivot column", todo="report it with the query")
    operator = Pivot(
        input=below.operator,
        keys=tuple(key for key in keys if key.expression != pivot),
        pivot=pivot,
        cells=tuple(cells),
        missing_is_null=True,
        origin=origin_of(node),
    )
    if not any(_is_null(cell.value) for cell in cells):
        # (Whether a NULL was pivoted is nothing that Spark's own expressions below would tell.)
        operator = replace(operator, plan_node=reading.number(node))
        id_of = {named.expression: expression_id for expression_id, named in by_id.items()}
        hidden.update((key.column.id, _key(node, id_of[key.expression])) for key in operator.keys)
        hidden[pivoted_id(operator)] = _pivoted(handle)
        reading.nodes[reading.number(node)].hidden = hidden
    named = []
    for _, item_named in outputs:
        key = next((k for k in operator.keys if k.expression == item_named.expression), None)
        named.append(item_named if key is None else Named(item_named.column, key.column))
    columns = without_repeats(reading, named)
    project = Project(input=operator, columns=columns, origin=origin_of(node))
    return Converted(project, tuple(expression_id for expression_id, _ in outputs))


def pivoted_id(pivot: Pivot) -> ColumnId:
    """The id of the hidden column that says whether any row of a group has one of the pivoted values."""
    return ColumnId(f"pivoted.{pivot.cells[0].column.id}")


def hand_written_pivoted(aggregates: list[Handle]) -> Handle:
    """Whether any row has one of the values that aggregates of the form `agg(if(p <=> value, e, null))` ask for."""

    def fetch() -> Any:
        tests = [aggregate().aggregateFunction().children().apply(0).predicate() for aggregate in aggregates]
        return _any_row(reduce(catalyst().either, tests))

    return fetch


def _any_row(test: Any) -> Any:
    return catalyst().max(test).toAggregateExpression(False, catalyst().none)


def _cell(array: Handle, at: int) -> Handle:
    return lambda: catalyst().array_item(array().child(), catalyst().integer(at), False)


def _key(node: PlanNode, expression_id: int) -> Handle:
    def fetch() -> Any:
        keys = items(node.handle().groupingExpressions())
        return next(key for key in keys if key.exprId().id() == expression_id)

    return fetch


def _pivoted(array: Handle) -> Handle:
    def fetch() -> Any:
        first = array().child().aggregateFunction()
        values = catalyst().array_literal(first.pivotColumnValues(), first.pivotColumn().dataType())
        contains = catalyst().array_contains(values, first.pivotColumn())
        return _any_row(catalyst().coalesce(catalyst().sequence([contains, catalyst().false])))

    return fetch


def _attribute_ids(item: JsonNodes, first: dict[str, Any]) -> tuple[int, int]:
    """The expression ids of PivotFirst's pivot column and value column, its two children in this order."""
    position = item.index(first)
    return int(item[position + 1]["exprId"]["id"]), int(item[position + 2]["exprId"]["id"])


def _pivot_values(first: Any, pivot: Expression) -> list[Literal]:
    data_type = first.pivotColumn().dataType()
    return [_literal(value, data_type, pivot.type) for value in items(first.pivotColumnValues())]


def _literal(value: Any, data_type: Any, type_: DataType) -> Literal:
    """A literal from one of Spark's internal values."""
    if isinstance(value, (bool, int, float)) and type_.name in {
        "boolean",
        "integer",
        "long",
        "short",
        "byte",
    }:
        return Literal(value, type_)
    if type_.name == "string" and value is not None:
        return Literal(str(value.toString()), type_)
    return Literal(None, type_, None if value is None else catalyst().literal(value, data_type).sql())
