"""Where even a right lineage need not bring an output row back, read off Spark's plan before running it.

Three families. Below an operator that combines rows, an operator that is not monotone: cut down to the
lineage, it can let through a row it used to keep out, and the combined value changes. What looks at
neighbours, positions or chance: the lineage of such a row leaves out rows that only took up a place. And a NOT IN
as a value: it is false for a row that it cannot compare with (NULL), but that row is no match and not in the lineage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from predtrace.frontends.spark.catalyst import items
from predtrace.frontends.spark.rewrite import ExpressionTree, PlanTree

# Operators that make one row of many. A row too many among their input changes the result, and cutting down
# what lies below them can bring such a row: the anti join's partner that kept it out is not in the lineage.
COMBINING = {
    "Aggregate": "an aggregate",
    "Distinct": "a distinct",
    "Deduplicate": "a distinct",
    "Window": "a window",
    "FlatMapGroupsInPandas": "a grouped map",
    "FlatMapGroupsInArrow": "a grouped map",
    "FlatMapCoGroupsInPandas": "a cogrouped map",
    "FlatMapCoGroupsInArrow": "a cogrouped map",
    "MapInPandas": "a map over batches",
    "MapInArrow": "a map over batches",
}
# Operators whose output is not monotone in their input (joins and existence flags are found apart).
NOT_MONOTONE = {
    "Except": "EXCEPT",
    "Window": "a window",
    "GlobalLimit": "a limit",
    "LocalLimit": "a limit",
    "Tail": "a tail",
}
NOT_MONOTONE_JOINS = {
    "LEFT ANTI": "an anti join",
    "LEFT OUTER": "an outer join",
    "RIGHT OUTER": "an outer join",
    "FULL OUTER": "an outer join",
}
# Operators that look at the position or the draw of a row: a row alone does not come back.
NUMBERING = "a number for each row"
NEVER_REPEATED = {"Offset": "an offset", "Sample": "a sample", "AttachDistributedSequence": NUMBERING}
# Operators whose expressions are conditions on which rows there are.
DECIDING_ROWS = frozenset({"Filter", "Join", "LateralJoin"})
FURTHEST_FETCH = 1


def skip_reasons_of(tree: PlanTree) -> list[str]:
    """The reasons of a whole plan, each once, in plan order."""
    reasons = dict.fromkeys(_reasons_at(tree, ""))  # a dict keeps the order
    if not tree.node.deterministic():
        reasons["a non-deterministic expression"] = None
    return list(reasons)


def _reasons_at(tree: PlanTree, above: str) -> Iterator[str]:
    """The reasons at a node and below it; `above` names the nearest combining operator over it."""
    name = tree.node.nodeName()
    if name in NEVER_REPEATED:
        yield NEVER_REPEATED[name]
    if above:
        # Window over window is one SELECT with several specifications: its frames are of the same rows.
        for what in _not_monotone(tree, name):
            if not (what == above == COMBINING["Window"]):
                yield f"{what} below {above}"
    if name == "Window":
        yield from _frames_not_closed(tree)
    if any(_has_unknowns(e, negated=False, decides=name in DECIDING_ROWS) for e in tree.expressions):
        yield "a NOT IN as a value, where comparisons may be unknown"
    below = COMBINING.get(name, above)
    if name == "Aggregate":
        if _is_pivot(tree.node):
            yield "a pivot"
        # The expressions of an Aggregate see its input rows: their subqueries lie below it.
        for expression in tree.expressions:
            yield from (f"{what} below {below}" for what in _existence(expression, conjunct=False))
    for child in tree.children:
        yield from _reasons_at(child, below)
    for _, subquery in tree.subqueries():
        yield from _reasons_at(subquery, below if name == "Aggregate" else above)


def _not_monotone(tree: PlanTree, name: str) -> Iterator[str]:
    if name in NOT_MONOTONE:
        yield NOT_MONOTONE[name]
    if name in ("Join", "LateralJoin", "AsOfJoin"):
        kind = tree.node.joinType().sql()
        if kind in NOT_MONOTONE_JOINS:
            yield NOT_MONOTONE_JOINS[kind]
    if name != "Aggregate":
        for expression in tree.expressions:
            yield from _existence(expression, conjunct=name in DECIDING_ROWS)


def _existence(tree: ExpressionTree, conjunct: bool) -> Iterator[str]:
    """What the EXISTS and IN of an expression are: anti join, existence flag; nothing for a semi join."""
    name = tree.expression.nodeName()
    children = list(tree.children.values())
    if name in ("Exists", "InSubquery"):
        if not conjunct:
            yield "an existence flag"
    elif conjunct and name == "Not" and children[0].expression.nodeName() in ("Exists", "InSubquery"):
        yield "an anti join"
    else:
        for child in children:
            yield from _existence(child, conjunct and name == "And")


def _has_unknowns(tree: ExpressionTree, negated: bool, decides: bool) -> bool:
    """Whether a NOT IN that can be false for want of a comparison is used as a value.

    Where it decides about rows, the row at hand is there although it was false: made true, it keeps the row as well.
    `negated` says whether the expression stands below an odd number of negations, which Spark moves down to it.
    """
    children = tree.children.values()
    match tree.expression.nodeName():
        case "InSubquery":
            if negated and not decides and tree.expression.nullable():
                return True
            negated, decides = False, False
        case "Not":
            negated = not negated
        case "EqualTo" if (constant := _boolean_constant(tree.expression)) is not None:
            negated = negated == constant
        case "And" | "Or":
            pass
        case _:
            negated, decides = False, False
    return any(_has_unknowns(child, negated, decides) for child in children)


def _boolean_constant(comparison: Any) -> bool | None:
    literals = (side.value() for side in items(comparison.children()) if side.nodeName() == "Literal")
    return next((value for value in literals if isinstance(value, bool)), None)


def _frames_not_closed(tree: PlanTree) -> Iterator[str]:
    for expression in items(tree.node.windowExpressions()):
        for window in _found("WindowExpression", expression):
            function, frame = window.windowFunction(), window.windowSpec().frameSpecification()
            name = function.nodeName()
            if name in ("Lag", "Lead", "NthValue") and abs(function.offset().eval(None)) > FURTHEST_FETCH:
                yield f"{function.prettyName()} by more than one row"
            elif _is_apart(frame):
                yield "a window frame apart from its row"


def _is_apart(frame: Any) -> bool:
    """Whether rows lie between a ROWS frame and its row; a RANGE frame goes by values, not by neighbours."""
    if frame.nodeName() != "SpecifiedWindowFrame" or frame.frameType().sql() != "ROWS":
        return False
    return _offset(frame.lower()) > FURTHEST_FETCH or _offset(frame.upper()) < -FURTHEST_FETCH


def _offset(bound: Any) -> int:
    """The offset of a frame bound; 0 for CURRENT ROW and the unbounded ones, which leave no gap."""
    unbounded_or_current = ("CurrentRow$", "UnboundedPreceding$", "UnboundedFollowing$")
    if bound.getClass().getSimpleName() in unbounded_or_current:
        return 0
    return int(bound.eval(None))


def _is_pivot(aggregate: Any) -> bool:
    """Both shapes in which Spark plans PIVOT: PivotFirst, or agg(if(column <=> literal, value, null))."""
    functions = [
        found.aggregateFunction()
        for expression in items(aggregate.aggregateExpressions())
        for found in _found("AggregateExpression", expression)
    ]
    if any(function.nodeName() == "PivotFirst" for function in functions):
        return True
    arguments = [argument for function in functions for argument in items(function.children())]
    return bool(arguments) and all(
        argument.nodeName() == "If" and argument.predicate().nodeName() == "EqualNullSafe"
        for argument in arguments
    )


def _found(name: str, expression: Any) -> Iterator[Any]:
    if expression.nodeName() == name:
        yield expression
        return
    for child in items(expression.children()):
        yield from _found(name, child)
