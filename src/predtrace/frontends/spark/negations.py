"""Negations moved down to the INs they negate, before it is decided whether one is a NOT IN.

The two differ by more than a negation: IN is true where a comparison is true, NOT IN where none is true *or
unknown*. Spark's optimizer moves negations (De Morgan, a comparison with FALSE) before it rewrites subqueries. Its
rules cannot be used here, because they also drop what decides nothing (`TRUE OR v IN (...)`), whose rows are in
the lineage all the same.

    NOT (v IN (...) OR k = 'a')   →   v NOT IN (...) AND NOT k = 'a'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from predtrace.frontends.spark.catalyst import JavaExpression, JavaPlan, catalyst, items
from predtrace.frontends.spark.rewrite import with_expressions


class Negations:
    """Moves the negations of one pipeline, plan by plan."""

    def __init__(self) -> None:
        self.not_in_columns: set[int] = set()
        """The expression ids of what the subqueries of all NOT INs return."""

    def moved(self, plan: JavaPlan) -> JavaPlan:
        """The plan with the negations above its INs moved down to them; the plans of its subqueries stay."""
        if not plan.containsPattern(catalyst().holds_in):
            return plan
        plan = _with_children(plan, self.moved)
        return with_expressions(
            plan, [(part, self._moved(part, False)) for part in items(plan.expressions())]
        )

    def _moved(self, expression: JavaExpression, negated: bool) -> JavaExpression:
        """The expression, or its negation, with the negations where the INs are."""
        spark = catalyst()
        if not expression.containsPattern(spark.holds_in):
            return spark.negation(expression) if negated else expression
        children = items(expression.children())
        match expression.nodeName():
            case "Not":
                return self._moved(children[0], not negated)
            case "EqualTo" if (constant := _constant(children)) is not None:
                compared, value = constant
                return self._moved(compared, negated == value)
            case "And" if negated:
                return spark.either(*(self._moved(child, True) for child in children))
            case "Or" if negated:
                return spark.both(*(self._moved(child, True) for child in children))
            case "InSubquery" if negated:
                returned = items(expression.query().plan().output())[: expression.values().size()]
                self.not_in_columns.update(column.exprId().id() for column in returned)
        rebuilt = _with_children(expression, lambda child: self._moved(child, False))
        return spark.negation(rebuilt) if negated else rebuilt


def _constant(sides: list[JavaExpression]) -> tuple[JavaExpression, bool] | None:
    """What a comparison compares with a boolean constant, and that constant."""
    for compared, other in (sides, sides[::-1]):
        if other.nodeName() == "Literal" and isinstance(other.value(), bool):
            return compared, other.value()
    return None


def _with_children(node: Any, change: Callable[[Any], Any]) -> Any:
    children = items(node.children())
    changed = [change(child) for child in children]
    if all(new is old for new, old in zip(changed, children, strict=True)):
        return node
    return node.withNewChildren(catalyst().sequence(changed))
