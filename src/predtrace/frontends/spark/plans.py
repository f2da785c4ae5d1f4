"""Catalyst's logical plan nodes as operators: one small reader per node class, in one table.

Nodes that change no rows and no values (aliases, views, hints, repartitioning, observed metrics) disappear.
A node outside the table becomes an Opaque operator when it has inputs and no expressions that we would have
to understand to run it; a leaf we do not know is an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from predtrace.errors import PlanIntegrityError, UnsupportedOperator
from predtrace.frontends.spark.grouping import read_aggregate, read_window
from predtrace.frontends.spark.origins import origin_of
from predtrace.frontends.spark.reader import (
    Converted,
    NodeScope,
    Reading,
    expression_id_of,
    without_repeats,
)
from predtrace.frontends.spark.sources import ViewAbove
from predtrace.frontends.spark.tree import PlanNode, plan_from_nodes, short_name
from predtrace.ir.expressions import Call, Column, Expression, Literal, SortKey
from predtrace.ir.operators import (
    CoGroupedMap,
    Distinct,
    Except,
    Expand,
    Filter,
    Generate,
    GroupedMap,
    Intersect,
    Join,
    JoinKind,
    LateralJoin,
    Limit,
    OneRow,
    Opaque,
    Operator,
    Project,
    Sample,
    Sort,
    Union,
    Unpivot,
)
from predtrace.ir.types import BOOLEAN, INTEGER, from_json

Reader = Callable[[PlanNode, Reading, "NodeScope | None"], Converted]


def read_plan(node: PlanNode, reading: Reading, around: NodeScope | None = None) -> Converted:
    """Convert a plan node and all below it."""
    kind = node.kind
    reading.view = _view_below(node, reading.view)
    if kind in TRANSPARENT:
        return read_plan(node.children[0], reading, around)
    if kind in READERS:
        return READERS[kind](node, reading, around)
    if not node.children:
        return _leaf(node, reading)
    return _opaque(node, reading, around)


def _view_below(node: PlanNode, above: ViewAbove) -> ViewAbove:
    """The view that names a leaf below this node: aliases keep it, a projection still names local rows."""
    if node.kind == "View":
        return ViewAbove(node.field("desc")["identifier"]["table"], True)
    if node.kind == "SubqueryAlias" or not node.children:
        return above
    return ViewAbove(above.name, False) if node.kind == "Project" else ViewAbove()


def _leaf(node: PlanNode, reading: Reading) -> Converted:
    source = reading.read_source(node, reading)
    return Converted(source, tuple(expression_id_of(a) for a in node.sequence("output")))


def _input(
    node: PlanNode, reading: Reading, around: NodeScope | None
) -> tuple[Converted, NodeScope]:
    below = read_plan(node.children[0], reading, around)
    return below, NodeScope(reading, below.columns(), around)


def _filter(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    if is_invented_numbering(node.children[0]):
        return _limit_per_group(node, reading, around)
    below, scope = _input(node, reading, around)
    condition = scope.expression(node.field("condition"), node.expression_handle("condition"))
    operator = Filter(input=below.operator, condition=condition, origin=origin_of(node))
    return Converted(operator, below.expression_ids)


def is_invented_numbering(node: PlanNode) -> bool:
    """A row_number without an order: nobody can write that, decorrelation makes it of a correlated LIMIT."""
    if node.kind != "Window" or node.sequence("orderSpec"):
        return False
    return any(short_name(part["class"]) == "RowNumber" for part in node.sequence("windowExpressions")[0])


def _limit_per_group(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    """The limit that a filter on an invented numbering stands for, once per value of the correlated columns."""
    window = node.children[0]
    below = read_plan(window.children[0], reading, around)
    scope = NodeScope(reading, below.columns(), around)
    number = reading.fresh("row_number", INTEGER)
    number_id = expression_id_of(window.sequence("windowExpressions")[0])
    condition = NodeScope(reading, {**below.columns(), number_id: number}, around).expression(
        node.field("condition"), node.expression_handle("condition")
    )
    match condition:
        case Call(function="<=", arguments=(Column() as column, Literal(value=int() as count))) if column == number:
            within = tuple(scope.attribute(part) for part in window.sequence("partitionSpec"))
        case _:
            raise PlanIntegrityError(f"a numbering of rows is used in {condition}", todo="report it with the query")
    operator = Limit(input=below.operator, count=count, within=within, origin=origin_of(node))
    return Converted(operator, below.expression_ids)


def _project(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    items = node.sequence("projectList")
    handles = [node.expression_handle("projectList", i) for i in range(len(items))]
    named = [scope.named(item, handle) for item, handle in zip(items, handles, strict=True)]
    ids = tuple(expression_id for _, expression_id in named)
    columns = without_repeats(reading, [item for item, _ in named])
    if tuple(item.expression for item in columns) == below.operator.output and all(
        item.column.name == item.expression.name  # type: ignore[attr-defined]
        for item in columns
    ):
        return Converted(below.operator, ids)  # the same columns under other ids: nothing happens here
    return Converted(Project(input=below.operator, columns=columns, origin=origin_of(node)), ids)


_JOIN_KINDS = {
    "Inner": JoinKind.INNER,
    "Cross": JoinKind.INNER,
    "LeftOuter": JoinKind.LEFT,
    "RightOuter": JoinKind.RIGHT,
    "FullOuter": JoinKind.FULL,
    "LeftSemi": JoinKind.SEMI,
    "LeftAnti": JoinKind.ANTI,
    "ExistenceJoin": JoinKind.EXISTENCE,
    "LeftSingle": JoinKind.SCALAR,
}


def _join_kind(node: PlanNode) -> tuple[JoinKind, dict[str, Any]]:
    value = node.field("joinType")
    name = short_name(value.get("object") or value["product-class"])
    if name not in _JOIN_KINDS:
        raise UnsupportedOperator(f"a {name} join", origin_of(node), "write it as another kind of join")
    return _JOIN_KINDS[name], value


def _join(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    left = read_plan(node.children[0], reading, around)
    right = read_plan(node.children[1], reading, around)
    # Left first: where both sides know an expression id, Spark means the left one.
    scope = NodeScope(reading, {**right.columns(), **left.columns()}, around)
    kind, details = _join_kind(node)
    condition: Expression | None = None
    if node.field("condition"):
        handle = node.expression_handle("condition")
        condition = scope.expression(node.field("condition"), lambda: handle().get())
    elif kind is JoinKind.INNER:
        kind = JoinKind.CROSS
    flag: Column | None = None
    ids = left.expression_ids
    if kind is JoinKind.EXISTENCE:
        exists = details["exists"]
        exists = exists[0] if isinstance(exists, list) else exists
        flag = reading.define(exists["exprId"]["id"], exists.get("name", "exists"), BOOLEAN, False)
        ids = (*ids, exists["exprId"]["id"])
    elif kind not in (JoinKind.SEMI, JoinKind.ANTI):
        ids = (*ids, *right.expression_ids)
    operator = Join(
        left=left.operator, right=right.operator, kind=kind, condition=condition, flag=flag, origin=origin_of(node)
    )
    return Converted(operator, ids)


def _lateral_join(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    left = read_plan(node.children[0], reading, around)
    scope = NodeScope(reading, left.columns(), around)
    subquery = node.field("right")[0]
    handle = node.expression_handle("right")
    inner = read_plan(plan_from_nodes(subquery["plan"], lambda: handle().plan()), reading, scope)
    kind, _ = _join_kind(node)
    condition: Expression | None = None
    if node.field("condition"):
        both = NodeScope(reading, {**inner.columns(), **left.columns()}, around)
        condition_handle = node.expression_handle("condition")
        condition = both.expression(node.field("condition"), lambda: condition_handle().get())
    elif kind is JoinKind.INNER:
        kind = JoinKind.CROSS
    operator = LateralJoin(
        left=left.operator, right=inner.operator, kind=kind, condition=condition, origin=origin_of(node)
    )
    return Converted(operator, (*left.expression_ids, *inner.expression_ids))


def _sort(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    keys: list[SortKey] = [
        scope.sort_key(item, node.expression_handle("order", i)) for i, item in enumerate(node.sequence("order"))
    ]
    operator = Sort(
        input=below.operator, keys=tuple(keys), everywhere=bool(node.field("global")), origin=origin_of(node)
    )
    return Converted(operator, below.expression_ids)


def _row_count(node: PlanNode, getter: str, scope: NodeScope) -> int:
    expression = scope.expression(node.field(getter), node.expression_handle(getter))
    if isinstance(expression, Literal) and isinstance(expression.value, int):
        return expression.value
    # Spark accepts any foldable expression here, and evaluates it itself.
    return int(node.expression_handle(getter)().eval(None))


def _limit(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    count = _row_count(node, "limitExpr", scope)
    inner = below.operator
    if isinstance(inner, Limit) and inner.count is None:
        operator = Limit(input=inner.input, count=count, offset=inner.offset, origin=origin_of(node))
    else:
        operator = Limit(input=inner, count=count, origin=origin_of(node))
    return Converted(operator, below.expression_ids)


def _offset(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    operator = Limit(
        input=below.operator, count=None, offset=_row_count(node, "offsetExpr", scope), origin=origin_of(node)
    )
    return Converted(operator, below.expression_ids)


def _sample(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, _ = _input(node, reading, around)
    seed = node.field("seed")
    operator = Sample(
        input=below.operator,
        lower=node.field("lowerBound"),
        upper=node.field("upperBound"),
        with_replacement=bool(node.field("withReplacement")),
        seed=seed if isinstance(seed, int) else None,
        origin=origin_of(node),
    )
    return Converted(operator, below.expression_ids)


def _distinct(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    on = below.operator.output
    if node.kind == "Deduplicate":
        on = tuple(scope.attribute(key) for key in node.sequence("keys"))
    operator = Distinct(input=below.operator, on=on, origin=origin_of(node))
    return Converted(operator, below.expression_ids)


def _set_operation(kind: type[Union | Intersect | Except]) -> Reader:
    def read(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
        branches = [read_plan(child, reading, around) for child in node.children]
        ids = branches[0].expression_ids
        nullable = [any(b.operator.output[i].nullable for b in branches) for i in range(len(ids))]
        columns = tuple(
            reading.define(expression_id, column.name, column.type, can_be_null)
            for expression_id, column, can_be_null in zip(ids, branches[0].operator.output, nullable, strict=True)
        )
        operator = kind(
            branches=tuple(b.operator for b in branches),
            columns=columns,
            keep_duplicates=kind is Union or bool(node.field("isAll")),
            origin=origin_of(node),
        )
        return Converted(operator, ids)

    return read


def _generate(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    generator = scope.expression(node.field("generator"), node.expression_handle("generator"))
    attributes = node.sequence("generatorOutput")
    operator = Generate(
        input=below.operator,
        generator=generator,
        generated=tuple(reading.define_attribute(a) for a in attributes),
        outer=bool(node.field("outer")),
        origin=origin_of(node),
    )
    generated: Operator = operator
    return Converted(generated, (*below.expression_ids, *(expression_id_of(a) for a in attributes)))


def _expand(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    projections = tuple(
        tuple(
            scope.expression(item, node.expression_handle("projections", i, j))
            for j, item in enumerate(projection)
        )
        for i, projection in enumerate(node.sequence("projections"))
    )
    attributes = node.sequence("output")
    # Grouping sets add their grouping id as the last column; without one this is an unpivot.
    grouping = any(a[0]["name"] in GROUPING_COLUMNS for a in attributes)
    operator = (Expand if grouping else Unpivot)(
        input=below.operator,
        projections=projections,
        columns=tuple(reading.define_attribute(a) for a in attributes),
        origin=origin_of(node),
    )
    return Converted(operator, tuple(expression_id_of(a) for a in attributes))


GROUPING_COLUMNS = frozenset({"spark_grouping_id", "_gen_grouping_pos"})


def _function_of(node: PlanNode, reading: Reading) -> tuple[str, str, bool]:
    function = node.field("functionExpr")[0]
    name = function.get("name") or "function"
    handle = node.expression_handle("functionExpr")
    identity = reading.user_function(handle(), name)
    return identity, name, bool(function.get("udfDeterministic", True))


def _argument_columns(node: PlanNode) -> list[list[dict[str, Any]]]:
    nodes = node.field("functionExpr")[1:]
    return [[n] for n in nodes if short_name(n["class"]) == "AttributeReference"]


def _grouped_map(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    below, scope = _input(node, reading, around)
    identity, name, deterministic = _function_of(node, reading)
    attributes = node.sequence("output")
    operator = GroupedMap(
        input=below.operator,
        keys=tuple(scope.attribute(key) for key in node.sequence("groupingAttributes")),
        arguments=tuple(scope.attribute(a) for a in _argument_columns(node)),
        function=identity,
        function_name=name,
        columns=tuple(reading.define_attribute(a) for a in attributes),
        deterministic=deterministic,
        origin=origin_of(node),
    )
    return Converted(operator, tuple(expression_id_of(a) for a in attributes))


def _cogrouped_map(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    left = read_plan(node.children[0], reading, around)
    right = read_plan(node.children[1], reading, around)
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


def _one_row(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    return Converted(OneRow(), ())


def _opaque(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    """Every output row may come from every input row: sound for any node whose inputs are all children."""
    if node.kind in UNSOUND_AS_OPAQUE:
        raise UnsupportedOperator(
            f"the plan node {node.kind}", origin_of(node), UNSOUND_AS_OPAQUE[node.kind]
        )
    branches = [read_plan(child, reading, around) for child in node.children]
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
        why="its code may combine any of its input rows",
        columns=columns,
        node=len(reading.opaque_nodes) - 1,
        deterministic=bool(function.get("udfDeterministic", True)),
        origin=origin_of(node),
    )
    return Converted(operator, tuple(a.exprId().id() for a in attributes))


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
    }
)

_STREAMING = "predtrace traces batch pipelines; trace the batch that the stream writes"

UNSOUND_AS_OPAQUE = {
    "EventTimeWatermark": _STREAMING,
    "FlatMapGroupsWithState": _STREAMING,
    "TransformWithState": _STREAMING,
    "WithCTE": "report it: CTEs should have been inlined",
    "AsOfJoin": "write the as-of join as a join with a window or a lateral subquery",
}

READERS: dict[str, Reader] = {
    "Filter": _filter,
    "Project": _project,
    "Aggregate": read_aggregate,
    "Window": read_window,
    "Join": _join,
    "LateralJoin": _lateral_join,
    "Sort": _sort,
    "GlobalLimit": _limit,
    "Offset": _offset,
    "Sample": _sample,
    "Distinct": _distinct,
    "Deduplicate": _distinct,
    "Union": _set_operation(Union),
    "Intersect": _set_operation(Intersect),
    "Except": _set_operation(Except),
    "Generate": _generate,
    "Expand": _expand,
    "FlatMapGroupsInPandas": _grouped_map,
    "FlatMapGroupsInArrow": _grouped_map,
    "FlatMapCoGroupsInPandas": _cogrouped_map,
    "FlatMapCoGroupsInArrow": _cogrouped_map,
    "OneRowRelation": _one_row,
}
