"""Spark's Aggregate and Window nodes as GroupBy, Pivot and Window operators.

An Aggregate does three things at once: it groups, it computes aggregates, and it evaluates expressions over
both, dropping keys it does not return. Here that is a GroupBy with all keys and all aggregates, and a
Project above it. Pivots are recognised in both shapes Spark plans them in:

    Project [k, p[0] AS a, p[1] AS b]
    +- Aggregate [k], [k, pivotfirst(c, x, 'a', 'b') AS p]
       +- Aggregate [k, c], [k, c, max(v) AS x]

    Aggregate [k], [k, max(if(c <=> 'a', v, null)) AS a, max(if(c <=> 'b', v, null)) AS b]
"""

from __future__ import annotations

from typing import Any

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.catalyst import catalyst, items
from predtrace.frontends.spark.origins import origin_of
from predtrace.frontends.spark.plans.reader import (
    Converted,
    NodeScope,
    Reading,
    expression_id_of,
    without_repeats,
)
from predtrace.frontends.spark.plans.tree import JsonNodes, PlanNode, short_name
from predtrace.ir.expressions import (
    AggregateCall,
    Call,
    Cast,
    Column,
    Expression,
    Literal,
    Subquery,
    WindowCall,
    transform,
    walk,
)
from predtrace.ir.operators import (
    GroupBy,
    Named,
    Operator,
    Pivot,
    PivotCell,
    Project,
    Source,
    Window,
    walk_everything,
)
from predtrace.ir.types import ArrayType, DataType


def read_aggregate(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    if any(_holds_class(item, "PivotFirst") for item in node.sequence("aggregateExpressions")):
        return _read_pivot(node, reading, around)
    below = reading.read_plan(node.children[0], reading, around)
    scope = NodeScope(reading, below.columns(), around)
    keys, results, ids = _keys_and_results(node, reading, scope)
    aggregates: list[Named] = []
    projected = [Named(n.column, _over_groups(n.expression, keys, aggregates, reading)) for n in results]
    operator: Operator = GroupBy(
        input=below.operator, keys=tuple(keys), aggregates=tuple(aggregates), origin=origin_of(node)
    )
    operator = _as_pivot(operator, reading) or operator
    columns = without_repeats(reading, projected)
    if [n.expression for n in columns] == list(operator.output) and all(n.is_rename_only() for n in columns):
        renamed = {n.expression.id: n.column for n in columns}  # type: ignore[attr-defined]
        if all(renamed[c.id].id == c.id for c in operator.output):
            return Converted(operator, ids)
    return Converted(Project(input=operator, columns=columns, origin=origin_of(node)), ids)


def _keys_and_results(
    node: PlanNode, reading: Reading, scope: NodeScope
) -> tuple[list[Named], list[Named], tuple[int, ...]]:
    keys: list[Named] = []
    for i, item in enumerate(node.sequence("groupingExpressions")):
        expression = scope.expression(item, node.expression_handle("groupingExpressions", i))
        if any(_same(key.expression, expression) for key in keys):
            continue
        is_column = isinstance(expression, Column)
        column = expression if is_column else reading.fresh(f"key_{i + 1}", expression.type)
        assert isinstance(column, Column)
        keys.append(Named(column, expression))
    results, ids = [], []
    for i, item in enumerate(node.sequence("aggregateExpressions")):
        named, expression_id = scope.named(item, node.expression_handle("aggregateExpressions", i))
        results.append(named)
        ids.append(expression_id)
    return keys, results, tuple(ids)


def _over_groups(
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
    children = tuple(_over_groups(child, keys, aggregates, reading) for child in expression.children())
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


def _holds_class(item: JsonNodes, name: str) -> bool:
    return any(short_name(part["class"]) == name for part in item)


_FIRST_COME = frozenset({"first", "last", "any_value"})


def _as_pivot(operator: Operator, reading: Reading) -> Pivot | None:
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


def _read_pivot(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    """The upper Aggregate of a PIVOT: its output is one array per aggregate, which a Project takes apart.

    The arrays stay arrays here (`array(cell, cell...)`), so that whatever takes them apart still works.
    """
    lower = node.children[0]
    if lower.kind != "Aggregate":
        raise PlanIntegrityError(f"a pivot over {lower.kind}", todo="report it with the query")
    below = reading.read_plan(lower.children[0], reading, around)
    scope = NodeScope(reading, below.columns(), around)
    keys, results, ids = _keys_and_results(lower, reading, scope)
    by_id = dict(zip(ids, results, strict=True))
    pivot, pivot_id = None, None
    cells: list[PivotCell] = []
    outputs: list[tuple[int, Named]] = []
    for i, item in enumerate(node.sequence("aggregateExpressions")):
        if not _holds_class(item, "PivotFirst"):
            expression_id = expression_id_of(item)
            outputs.append((expression_id, by_id[expression_id]))
            continue
        handle = node.expression_handle("aggregateExpressions", i)
        first = next(part for part in item if short_name(part["class"]) == "PivotFirst")
        pivot_id, value_id = _attribute_ids(item, first)
        pivot = by_id[pivot_id].expression
        aggregates: list[Named] = []
        result = _over_groups(by_id[value_id].expression, keys, aggregates, reading)
        array: list[Expression] = []
        for value in _pivot_values(handle().child().aggregateFunction(), pivot):
            column = reading.fresh(f"{by_id[value_id].column.name} of {value.value}", result.type)
            cells.append(PivotCell(column, value, tuple(aggregates), result))
            array.append(column)
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
    named = []
    for _, item_named in outputs:
        key = next((k for k in operator.keys if k.expression == item_named.expression), None)
        named.append(item_named if key is None else Named(item_named.column, key.column))
    columns = without_repeats(reading, named)
    project = Project(input=operator, columns=columns, origin=origin_of(node))
    return Converted(project, tuple(expression_id for expression_id, _ in outputs))


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


def read_window(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    """Window nodes stacked on each other are the window functions of one SELECT: one operator."""
    below = reading.read_plan(node.children[0], reading, around)
    scope = NodeScope(reading, below.columns(), around)
    functions, ids = [], []
    for i, item in enumerate(node.sequence("windowExpressions")):
        named, expression_id = scope.named(item, node.expression_handle("windowExpressions", i))
        if named.column == named.expression:
            continue  # decorrelation lists columns here that it only hands on
        if not isinstance(named.expression, WindowCall):
            raise PlanIntegrityError(f"{named.column} is no window function", todo="report it with the query")
        functions.append(named)
        ids.append(expression_id)
    inner = below.operator
    earlier: tuple[Named, ...] = ()
    if isinstance(inner, Window) and node.children[0].kind == "Window":
        earlier, inner = inner.functions, inner.input
    operator = Window(input=inner, functions=(*earlier, *functions), origin=origin_of(node))
    return Converted(operator, (*below.expression_ids, *ids))
