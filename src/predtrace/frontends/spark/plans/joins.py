"""Plan nodes with several inputs: joins and set operations."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import reduce
from typing import Any

from predtrace.errors import UnsupportedOperator
from predtrace.frontends.spark.origins import origin_of
from predtrace.frontends.spark.plans.laterals import over_rows
from predtrace.frontends.spark.plans.reader import Converted, NodeScope, Reading
from predtrace.frontends.spark.plans.tree import PlanNode, plan_from_nodes, short_name
from predtrace.ir.expressions import Call, Column, Expression
from predtrace.ir.operators import Except, Intersect, Join, JoinKind, LateralJoin, Union
from predtrace.ir.parts import conjuncts
from predtrace.ir.types import BOOLEAN

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


def read_join(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    left = reading.read_plan(node.children[0], reading, around)
    right = reading.read_plan(node.children[1], reading, around)
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
    matching: Expression | None = None
    if kind is JoinKind.EXISTENCE and condition is not None:
        returned = {c for i, c in right.columns().items() if i in reading.not_in_columns}
        matching = without_unknowns(condition, returned)
    operator = Join(
        matching=matching,
        left=left.operator,
        right=right.operator,
        kind=kind,
        condition=condition,
        flag=flag,
        origin=origin_of(node),
    )
    return Converted(operator, ids)


def without_unknowns(condition: Expression, returned: Set[Column]) -> Expression | None:
    """The equalities of a NOT IN, of which Spark makes `(a = b) OR ((a = b) IS NULL)`; None if it is none.

    `returned` are the columns that the subqueries of NOT INs return: anybody can write such a condition.
    """
    parts = [_known(part, returned) for part in conjuncts(condition)]
    if all(known is part for known, part in zip(parts, conjuncts(condition), strict=True)):
        return None
    return reduce(lambda one, other: Call("and", (one, other), BOOLEAN), parts)


def _known(part: Expression, returned: Set[Column]) -> Expression:
    match part:
        case Call(function="or", arguments=(known, Call(function="isnull", arguments=(compared,)))) if (
            compared == known and isinstance(known, Call) and known.arguments[-1] in returned
        ):
            return known
    return part


def read_lateral_join(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
    left = reading.read_plan(node.children[0], reading, around)
    scope = NodeScope(reading, left.columns(), around)
    subquery = node.field("right")[0]
    handle = node.expression_handle("right")
    inner = reading.read_plan(plan_from_nodes(subquery["plan"], lambda: handle().plan()), reading, scope)
    kind, _ = _join_kind(node)
    condition: Expression | None = None
    if node.field("condition"):
        both = NodeScope(reading, {**inner.columns(), **left.columns()}, around)
        condition_handle = node.expression_handle("condition")
        condition = both.expression(node.field("condition"), lambda: condition_handle().get())
    elif kind is JoinKind.INNER:
        kind = JoinKind.CROSS
    ids = (*left.expression_ids, *inner.expression_ids)
    row_by_row = over_rows(inner.operator, left.operator) if kind is JoinKind.CROSS else None
    if row_by_row is not None:
        return Converted(row_by_row, ids)
    operator = LateralJoin(
        left=left.operator, right=inner.operator, kind=kind, condition=condition, origin=origin_of(node)
    )
    return Converted(operator, ids)


def read_set_operation(
    kind: type[Union | Intersect | Except],
) -> Callable[[PlanNode, Reading, NodeScope | None], Converted]:
    def read(node: PlanNode, reading: Reading, around: NodeScope | None) -> Converted:
        branches = [reading.read_plan(child, reading, around) for child in node.children]
        ids = branches[0].expression_ids
        nullable = [any(b.operator.output[i].nullable for b in branches) for i in range(len(ids))]
        columns = tuple(
            reading.define(expression_id, column.name, column.type, can_be_null)
            for expression_id, column, can_be_null in zip(
                ids, branches[0].operator.output, nullable, strict=True
            )
        )
        operator = kind(
            branches=tuple(b.operator for b in branches),
            columns=columns,
            keep_duplicates=kind is Union or bool(node.field("isAll")),
            origin=origin_of(node),
        )
        return Converted(operator, ids)

    return read
