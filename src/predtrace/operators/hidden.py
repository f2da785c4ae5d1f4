"""Hidden columns: what an operator must show, besides what the query asks for, so that its rows can be traced.

The graph is rewritten; inference runs on the result. Above a rewritten operator a Project restores the output, so
nothing else sees the difference. Both keep the number of the plan node: it has the same rows, and whoever runs it
must be able to add these columns to it. The operators say how each is computed.

- Window: `position.<id>`, below it: `row_number()` by the partition and order of the function <id>, which must meet
  the rows in that very order.
- Window: `fetched.<id>`, one more function: the position of the row that the function <id> took its value from. It
  is the same function of the position, or, where that ignores NULLs, of NULL where the value is NULL.
- Outer joins: `matched.left.<n>`, `matched.right.<n>`: `true` from that input of plan node n, NULL if it had no row.
- GroupBy: `extreme.<id>`: the extreme by which the `max_by` or `min_by` <id> chose, one more aggregate.
- Pivot: `pivoted.<id of its first cell>`: whether the group has a row with a pivoted value, one more aggregate.
- GroupedMap, CoGroupedMap: `key.<id>`: the (left) key <id> of the group that the row was made from.

Operators get only what they need: a Window whose frames are told by visible columns has no positions, a GroupBy
without `max_by` no extremes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from predtrace.ir.expressions import AggregateCall, Call, Column, ColumnId, Expression, Literal
from predtrace.ir.operators import (
    CoGroupedMap,
    CoGroupedMapWithKeys,
    GroupBy,
    GroupByWithExtremes,
    GroupedMap,
    GroupedMapWithKeys,
    Join,
    JoinKind,
    Named,
    Operator,
    Pivot,
    PivotWithFlag,
    Project,
    RowNumber,
    RowNumbers,
    Window,
)
from predtrace.ir.types import BOOLEAN, INTEGER
from predtrace.operators.aggregates import chooses_by, extreme_of
from predtrace.operators.frames import fetching_position, needs_fetched, needs_position
from predtrace.operators.pushing import any_of
from predtrace.symbolic.values import NotExpressible

_TRUE = Literal(True, BOOLEAN)
_SUPPLIES_LEFT = {JoinKind.RIGHT, JoinKind.FULL}
_SUPPLIES_RIGHT = {JoinKind.LEFT, JoinKind.FULL}


def with_hidden_columns(operator: Operator) -> Operator:
    """The same operators, with the columns that make their rows traceable."""
    inputs = [with_hidden_columns(below) for below in operator.inputs]
    rebuilt = _over(operator, inputs)
    rewrite = _REWRITES.get(type(operator))
    traceable = rebuilt if rewrite is None else rewrite(rebuilt)
    return rebuilt if traceable is rebuilt else _restored(rebuilt, traceable)


def _restored(original: Operator, traceable: Operator) -> Project:
    columns = tuple(Named(column, column) for column in original.output)
    return Project(input=traceable, columns=columns, origin=original.origin, plan_node=original.plan_node)


def _over(operator: Operator, inputs: list[Operator]) -> Operator:
    """The operator over other inputs."""
    if all(new is old for new, old in zip(inputs, operator.inputs, strict=True)):
        return operator
    remaining: Iterator[Operator] = iter(inputs)
    changed: dict[str, Any] = {}
    for field in fields(operator):
        value = getattr(operator, field.name)
        if isinstance(value, Operator):
            changed[field.name] = next(remaining)
        elif isinstance(value, tuple) and value and isinstance(value[0], Operator):
            changed[field.name] = tuple(next(remaining) for _ in value)
    return replace(operator, **changed)


def _hidden(kind: str, like: str, type_: Any, nullable: bool = True) -> Column:
    name = f"{kind}.{like}"
    return Column(ColumnId(name), name, type_, nullable)


def _window(window: Window) -> Operator:
    """Over numbered rows, with the positions of fetched rows, as far as its functions need them."""
    numbers: dict[Any, RowNumber] = {}
    fetched: list[Named] = []
    try:
        for named, call in zip(window.functions, window.calls(), strict=True):
            if not needs_position(call):
                continue
            position = _hidden("position", named.column.id, INTEGER, nullable=False)
            number = RowNumber(position, call.partition, call.order, named.column)
            number = numbers.setdefault((call.partition, call.order), number)
            if needs_fetched(call):
                column = _hidden("fetched", named.column.id, INTEGER)
                fetched.append(Named(column, fetching_position(call, number.column)))
    except NotExpressible:  # a function that no rule covers
        return window
    if not numbers:
        return window
    numbered = RowNumbers(
        input=window.input,
        numbers=tuple(numbers.values()),
        origin=window.origin,
        plan_node=window.plan_node,
    )
    return replace(window, input=numbered, functions=(*window.functions, *fetched))


def _join(join: Join) -> Operator:
    """With a flag from each side that may be missing; without a plan node nobody could ask for it."""
    if join.plan_node is None:
        return join
    left, right = join.left, join.right
    if join.kind in _SUPPLIES_LEFT:
        left = _flagged(left, f"left.{join.plan_node}")
    if join.kind in _SUPPLIES_RIGHT:
        right = _flagged(right, f"right.{join.plan_node}")
    return join if (left, right) == (join.left, join.right) else replace(join, left=left, right=right)


def _flagged(operator: Operator, side: str) -> Operator:
    own = tuple(Named(column, column) for column in operator.output)
    flag = Named(_hidden("matched", side, BOOLEAN, nullable=False), _TRUE)
    return Project(input=operator, columns=(*own, flag), origin=operator.origin)


def _group_by(group: GroupBy) -> Operator:
    calls = group.calls()
    if not all(call.returns_one_row() for call in calls):
        return group
    extremes = tuple(
        Named(_hidden("extreme", named.column.id, extreme_of(call).type), extreme_of(call))
        for named, call in zip(group.aggregates, calls, strict=True)
        if chooses_by(call)
    )
    if not extremes:
        return group
    return GroupByWithExtremes(**_fields(group), extremes=extremes)


def _pivot(pivot: Pivot) -> Operator:
    tests: list[Expression] = [
        Call("<=>", (pivot.pivot, cell.value), BOOLEAN, is_nullable=False) for cell in pivot.cells
    ]
    pivoted = any_of(tests)
    assert pivoted is not None
    flag = Named(
        _hidden("pivoted", pivot.cells[0].column.id, BOOLEAN), AggregateCall("bool_or", (pivoted,), BOOLEAN)
    )
    return PivotWithFlag(**_fields(pivot), flag=flag)


def _keys(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """The front end finds a key by its place: it may know the column below by another id."""
    return tuple(
        _hidden("key", f"{place}.{column.id}", column.type, column.nullable)
        for place, column in enumerate(columns)
    )


def _grouped_map(grouped: GroupedMap) -> Operator:
    return GroupedMapWithKeys(**_fields(grouped), key_columns=_keys(grouped.keys))


def _cogrouped_map(grouped: CoGroupedMap) -> Operator:
    return CoGroupedMapWithKeys(**_fields(grouped), key_columns=_keys(grouped.left_keys))


def _fields(operator: Operator) -> dict[str, Any]:
    return {field.name: getattr(operator, field.name) for field in fields(operator)}


_REWRITES: dict[type[Operator], Callable[[Any], Operator]] = {
    Window: _window,
    Join: _join,
    GroupBy: _group_by,
    Pivot: _pivot,
    GroupedMap: _grouped_map,
    CoGroupedMap: _cogrouped_map,
}
