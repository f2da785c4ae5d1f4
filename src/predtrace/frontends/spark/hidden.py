"""Columns that a plan node computes, or could tell, but does not return.

The operators that show them say what they are (`operators.hidden`); here Spark's own nodes get them:

- a group's keys and aggregates, and the extreme a `max_by` chose by: more results of the same Aggregate;
- a row's position in a window's order: a numbering by the same specification directly below the node, so that Spark
  sorts once and rows that tie stand in the same order for both; the position that a function fetched from: the
  same function of the position, in the same node;
- which side of an outer join had a row: a constant that the side brings along, NULL where it had none;
- the key of the group that a Python function made a row from: `group_keys`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.catalyst import JavaExpression, JavaPlan, catalyst, items, with_arguments
from predtrace.frontends.spark.group_keys import with_group_keys
from predtrace.frontends.spark.plans.tree import Handle
from predtrace.ir.expressions import Column, ColumnId


def with_hidden(
    plan: JavaPlan, columns: Sequence[Column], known: Mapping[ColumnId, Handle]
) -> tuple[JavaPlan, dict[ColumnId, JavaExpression]]:
    """The node with hidden columns in its output, and the attribute of each of them.

    `known` has the expressions of those that the node itself computes.
    """
    keys = {column: int(column.id.split(".")[1]) for column in columns if column.id.startswith("key.")}
    if keys:
        return with_group_keys(plan, keys)
    adding = _Adding(plan, known)
    attributes = {column.id: adding.add(column) for column in columns}
    return adding.plan, attributes


@dataclass
class _Adding:
    """A node that gets one column after the other."""

    plan: JavaPlan
    known: Mapping[ColumnId, Handle]

    def add(self, column: Column) -> JavaExpression:
        kind, _, of = column.id.partition(".")
        rule = _RULES.get(kind)
        if column.id in self.known:
            return self._result(self.known[column.id](), column)
        if rule is None:
            raise PlanIntegrityError(
                f"nobody knows the hidden column {column}", todo="report it with the query"
            )
        return rule(self, of, column)

    def _result(self, expression: JavaExpression, column: Column) -> JavaExpression:
        """One more result of an Aggregate."""
        alias = _alias(expression, column)
        results = [*items(self.plan.aggregateExpressions()), alias]
        self.plan = with_arguments(self.plan, aggregateExpressions=catalyst().sequence(results))
        return alias.toAttribute()

    def extreme(self, of: str, column: Column) -> JavaExpression:
        """What a `max_by` or `min_by` chose by."""
        chosen = self.known[ColumnId(of)]()
        function = chosen.aggregateFunction()
        largest = function.getClass().getSimpleName() == "MaxBy"
        extreme = (catalyst().max if largest else catalyst().min)(function.orderingExpr())
        return self._result(extreme.toAggregateExpression(False, chosen.filter()), column)

    def position(self, of: str, column: Column) -> JavaExpression:
        """The place in the order of the window function `of`."""
        found: list[JavaExpression] = []

        def numbered(window: JavaPlan) -> JavaPlan:
            window, position = _numbered(window, column)
            found.append(position)
            return window

        self.plan = _in_chain(self.plan, of, numbered)
        return found[0]

    def fetched(self, of: str, column: Column) -> JavaExpression:
        """The place of the row that the window function `of` takes its value from."""
        found: list[JavaExpression] = []

        def fetching(window: JavaPlan) -> JavaPlan:
            window, position = _numbered(window, column)
            own = next(e for e in items(window.windowExpressions()) if _is(e, of))
            alias = _alias(_of_position(own.child(), position), column)
            found.append(alias.toAttribute())
            functions = catalyst().sequence([*items(window.windowExpressions()), alias])
            return with_arguments(window, windowExpressions=functions)

        self.plan = _in_chain(self.plan, of, fetching)
        return found[0]

    def matched(self, of: str, column: Column) -> JavaExpression:
        """Whether a side of the join had a row."""
        side = 0 if of.startswith("left") else 1
        children = self.plan.children()
        spark = catalyst()
        # An outer join has NULL where nothing matched, and Spark is not asked again what can be NULL.
        flag = _alias(spark.known_nullable(spark.literal(True, spark.boolean)), column)
        flagged = catalyst().project(
            catalyst().sequence([*items(children.apply(side).output()), flag]), children.apply(side)
        )
        self.plan = self.plan.withNewChildren(children.updated(side, flagged))
        return flag.toAttribute()


_RULES: dict[str, Callable[[_Adding, str, Column], JavaExpression]] = {
    "extreme": _Adding.extreme,
    "position": _Adding.position,
    "fetched": _Adding.fetched,
    "matched": _Adding.matched,
}


def _in_chain(plan: JavaPlan, function: str, change: Callable[[JavaPlan], JavaPlan]) -> JavaPlan:
    """Windows of one SELECT stand on each other: change the one that computes the function."""
    if plan.nodeName() != "Window":
        raise PlanIntegrityError(f"no window computes column {function}", todo="report it with the query")
    if any(_is(expression, function) for expression in items(plan.windowExpressions())):
        return change(plan)
    below = _in_chain(plan.child(), function, change)
    return plan.withNewChildren(catalyst().sequence([below]))


def _is(expression: JavaExpression, column: str) -> bool:
    return str(expression.exprId().id()) == column.split(".")[0]


_POSITION = "position in the window"


def _numbered(window: JavaPlan, column: Column) -> tuple[JavaPlan, JavaExpression]:
    """The window over rows that have their position in its order, once, and that position."""
    spark = catalyst()
    below = window.child()
    if below.nodeName() == "Window":
        for expression in items(below.windowExpressions()):
            if expression.name() == _POSITION:
                return window, expression.toAttribute()
    partition, order = window.partitionSpec(), window.orderSpec()
    specification = spark.window_specification(partition, order, spark.rows_until_current)
    nothing = spark.sequence([])
    number = spark.window_expression(spark.row_number(), specification)
    alias = spark.alias(number, _POSITION, spark.new_id(), nothing, spark.none, nothing)
    numbering = with_arguments(window, windowExpressions=spark.sequence([alias]))
    numbering = numbering.withNewChildren(spark.sequence([below]))
    return window.withNewChildren(spark.sequence([numbering])), alias.toAttribute()


def _of_position(call: JavaExpression, position: JavaExpression) -> JavaExpression:
    """A fetching window function applied to the position instead of its own value."""
    spark = catalyst()
    function, specification = call.windowFunction(), call.windowSpec()
    is_aggregate = function.getClass().getSimpleName() == "AggregateExpression"
    fetching = function.aggregateFunction() if is_aggregate else function
    nothing = spark.literal(None, position.dataType())
    arguments = items(fetching.children())
    if fetching.ignoreNulls():  # then a row is only fetched from where its value is not NULL
        position = spark.choice(spark.is_not_null(arguments[0]), position, nothing)
    arguments[0] = position
    if fetching.getClass().getSimpleName() in ("Lag", "Lead"):
        arguments[2] = nothing  # the default is fetched from nowhere
    changed = fetching.withNewChildren(spark.sequence(arguments))
    if is_aggregate:
        changed = changed.toAggregateExpression(False, function.filter())
    return spark.window_expression(changed, specification)


def _alias(expression: JavaExpression, column: Column) -> JavaExpression:
    spark = catalyst()
    nothing = spark.sequence([])
    return spark.alias(expression, column.name, spark.new_id(), nothing, spark.none, nothing)
