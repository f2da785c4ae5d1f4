"""Rebuilding a Catalyst plan with other source leaves, over py4j, with no JAR and no callbacks.

The law: `replace_leaves` changes nothing but the leaves it is told to change, and gives every reference
of a source one number. The number is the reference's identity everywhere in predtrace, so its order is
fixed here: for each node first its children, left to right, then the subqueries of its own expressions in
expression order (within an expression: children left to right, then the expression's own plan). Numbers
count up from 0 and only sources are counted.

    Filter (x > scalar-subquery)      children first ...
    :  +- Aggregate                   ... then the subquery
    :     +- Relation c     2
    +- Join
       :- Relation a        0
       +- Relation b        1

An *occurrence* has its number, not a leaf object: a frame united with itself is two references. There is
one exception. Catalyst copies a subquery within one node (GROUP BY 1 copies it from the SELECT list into
the grouping keys, and may give the copy's leaves fresh expression ids); both copies must stay the same
expression or the node is invalid, so they share their numbers and `replace` is asked once for each copy.

To Spark, subqueries with one expression id are one: it runs the plan of one of them for all, and where it merges
several subqueries, it asks all of them for the same column. In a plan that is rebuilt this must hold: copies within
one node get one plan, and a subquery that another node has too (a frame united with itself) gets an id of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pyspark.sql import SparkSession

from predtrace.errors import PlanIntegrityError
from predtrace.frontends.spark.catalyst import (
    Catalyst,
    JavaExpression,
    JavaPlan,
    catalyst,
    items,
    with_arguments,
)

Replace: TypeAlias = "Callable[[JavaPlan, int], JavaPlan | None]"
Change: TypeAlias = "Callable[[JavaPlan], JavaPlan]"
Instead: TypeAlias = "Callable[[PlanTree], JavaPlan | None]"
Around: TypeAlias = "Callable[[PlanTree, JavaPlan], JavaPlan]"
Exchange: TypeAlias = "Callable[[JavaExpression, PlanTree], JavaExpression]"

# Leaves that bring in no rows from outside: the row of a FROM-less SELECT, a recursive CTE's own last step.
LEAVES_THAT_ARE_NO_SOURCE = frozenset({"OneRowRelation", "UnionLoopRef"})


@dataclass(frozen=True)
class ExpressionTree:
    """An expression that holds a subquery; only the children that hold one are kept."""

    expression: JavaExpression
    children: dict[int, ExpressionTree]
    subquery: PlanTree | None

    def subqueries(self) -> Iterator[tuple[JavaExpression, PlanTree]]:
        """Every subquery expression in it with its plan, in the order of the numbering."""
        for child in self.children.values():
            yield from child.subqueries()
        if self.subquery is not None:
            yield self.expression, self.subquery

    def rebuilt(self, exchanged: Exchange) -> JavaExpression:
        """The expression with its subqueries exchanged; the same object if none changed."""
        pairs = {at: (child.expression, child.rebuilt(exchanged)) for at, child in self.children.items()}
        expression = _with_children(self.expression, pairs)
        return expression if self.subquery is None else exchanged(expression, self.subquery)


@dataclass(frozen=True)
class PlanTree:
    """A plan walked once: its nodes, the subqueries in their expressions, and the numbers of its sources."""

    node: JavaPlan
    children: tuple[PlanTree, ...]
    expressions: tuple[ExpressionTree, ...]
    index: int | None
    copy_of: PlanTree | None = None
    """For the plan of a subquery: that of the first copy within the same node, if this is another one."""

    @staticmethod
    def of(plan: JavaPlan) -> PlanTree:
        """Walk a plan whose CTEs are inlined and number the references of its sources."""
        return _Walk(catalyst()).plan(plan, plan.containsPattern(catalyst().holds_plan))

    def subqueries(self) -> Iterator[tuple[JavaExpression, PlanTree]]:
        """The subqueries in this node's own expressions."""
        for expression in self.expressions:
            yield from expression.subqueries()

    def references(self) -> dict[int, JavaPlan]:
        """The leaf of each reference by its number (the first one where two copies share a number)."""
        found: dict[int, JavaPlan] = {}
        for tree in self.nodes():
            if tree.index is not None:
                found.setdefault(tree.index, tree.node)
        return found

    def nodes(self) -> Iterator[PlanTree]:
        """All nodes, those of subqueries included, in the order of the numbering."""
        for child in self.children:
            yield from child.nodes()
        for _, subquery in self.subqueries():
            yield from subquery.nodes()
        yield self

    def nests_subqueries(self) -> bool:
        """Whether a subquery holds another one."""
        queries = (plan for tree in self.nodes() for _, plan in tree.subqueries())
        return any(tree.expressions for plan in queries for tree in plan.nodes())

    def rebuilt(self, replace: Replace, change: Change | None = None) -> JavaPlan:
        """The plan with its leaves replaced; the same object if nothing was.

        `change` is applied to the plan of each subquery, innermost first.
        """
        if self.index is not None:
            replacement = replace(self.node, self.index)
            return self.node if replacement is None else replacement

        def rebuild_subquery(query: PlanTree) -> JavaPlan:
            plan = query.rebuilt(replace, change)
            return plan if change is None else change(plan)

        return self._with(lambda child: child.rebuilt(replace, change), rebuild_subquery)

    def renewed(self, instead: Instead, around: Around) -> JavaPlan:
        """The plan where `instead` gives another plan for some nodes and `around` may change what is rebuilt.

        They are asked about the first copy of a subquery within a node; the other copies become what that one does.
        """
        plan = instead(self)
        if plan is not None:
            return plan
        first_copies: dict[int, JavaPlan] = {}

        def rebuild(below: PlanTree) -> JavaPlan:
            return below.renewed(instead, around)

        def rebuild_subquery(query: PlanTree) -> JavaPlan:
            first = query.copy_of or query
            if id(first) not in first_copies:
                first_copies[id(first)] = rebuild(first)
            plan = first_copies[id(first)]
            return query.node if plan is first.node else plan

        return around(self, self._with(rebuild, rebuild_subquery))

    def _with(
        self, rebuild: Callable[[PlanTree], JavaPlan], rebuild_subquery: Callable[[PlanTree], JavaPlan]
    ) -> JavaPlan:
        new_ids: dict[int, Any] = {}

        def exchanged(expression: JavaExpression, query: PlanTree) -> JavaExpression:
            plan = rebuild_subquery(query)
            if plan is query.node:
                return expression
            new_id = new_ids.setdefault(expression.exprId().id(), catalyst().new_id())
            return with_arguments(expression.withNewPlan(plan), exprId=new_id)

        children = {at: (child.node, rebuild(child)) for at, child in enumerate(self.children)}
        expressions = [(tree.expression, tree.rebuilt(exchanged)) for tree in self.expressions]
        return with_expressions(_with_children(self.node, children), expressions)


def _with_children(node: Any, pairs: dict[int, tuple[Any, Any]]) -> Any:
    changed = {at: new for at, (old, new) in pairs.items() if new is not old}
    if not changed:
        return node
    sequence = node.children()
    for at, child in changed.items():
        sequence = sequence.updated(at, child)
    return node.withNewChildren(sequence)


def with_expressions(node: JavaPlan, pairs: list[tuple[JavaExpression, JavaExpression]]) -> JavaPlan:
    """Exchange some of a node's expressions, wherever they sit among its arguments.

    `mapExpressions` wants a Scala function; a Scala map is one. It compares by identity: two subqueries of
    one node may be equal and yet be cut down differently.
    """
    changed = [(old, new) for old, new in pairs if new is not old]
    if not changed:
        return node
    spark = catalyst()
    mapping = spark.identity_map()
    for old, new in changed:
        mapping.put(old, new)
    return node.mapExpressions(spark.as_scala(mapping).withDefault(spark.same))


class _Walk:
    """One walk over a plan: hands out the numbers."""

    def __init__(self, spark: Catalyst) -> None:
        self.spark = spark
        self.next_index = 0

    def plan(self, node: JavaPlan, holds_subquery: bool) -> PlanTree:
        java_children = items(node.children())
        if not java_children and self._is_source(node):
            self.next_index += 1
            return PlanTree(node, (), (), self.next_index - 1)
        if len(java_children) > 1 and holds_subquery:
            flags = [child.containsPattern(self.spark.holds_plan) for child in java_children]
        else:
            flags = [holds_subquery] * len(java_children)
        children = tuple(self.plan(child, flag) for child, flag in zip(java_children, flags, strict=True))
        expressions = self._expressions(node) if holds_subquery else ()
        return PlanTree(node, children, expressions, None)

    def _is_source(self, leaf: JavaPlan) -> bool:
        name = leaf.getClass().getSimpleName().rstrip("$")
        if name == "CTERelationRef":
            raise PlanIntegrityError("a CTE reference is left in the plan", todo="call inline_ctes first")
        return name not in LEAVES_THAT_ARE_NO_SOURCE

    def _expressions(self, node: JavaPlan) -> tuple[ExpressionTree, ...]:
        if node.subqueries().isEmpty():
            return ()
        seen = _SubqueriesOfNode()
        keys = node.groupingExpressions().size() if node.nodeName() == "Aggregate" else 0
        trees = []
        for position, expression in enumerate(items(node.expressions())):
            seen.in_grouping_keys = position < keys
            trees.append(self._expression(expression, seen))
        return tuple(tree for tree in trees if tree is not None)

    def _expression(self, expression: JavaExpression, seen: _SubqueriesOfNode) -> ExpressionTree | None:
        if not expression.containsPattern(self.spark.holds_plan):
            return None
        children = {}
        for position, child in enumerate(items(expression.children())):
            tree = self._expression(child, seen)
            if tree is not None:
                children[position] = tree
        subquery = None
        if self.spark.plan_expression.isInstance(expression):
            subquery = self._subquery(expression, seen)
        return ExpressionTree(expression, children, subquery)

    def _subquery(self, expression: JavaExpression, seen: _SubqueriesOfNode) -> PlanTree:
        plan = expression.plan()
        holds_subquery = plan.containsPattern(self.spark.holds_plan)
        found = seen.first_copy(expression)
        if found is None:
            first_index = self.next_index
            first = self.plan(plan, holds_subquery)
            seen.add(expression, _FirstCopy(first_index, first))
            return first
        resume_at, self.next_index = self.next_index, found.first_index
        copy = self.plan(plan, holds_subquery)
        self.next_index = resume_at
        return replace(copy, copy_of=found.plan)


@dataclass(frozen=True)
class _FirstCopy:
    """A subquery and the number of the first source in it."""

    first_index: int
    plan: PlanTree


class _SubqueriesOfNode:
    """Which subqueries of one node are copies of one another.

    A copy made by Catalyst keeps the subquery's expression id. In an Aggregate, a subquery written again
    in the SELECT list is also the same if it equals one of the grouping keys, for it then *is* that key.
    """

    def __init__(self) -> None:
        self.in_grouping_keys = False
        self.first_by_id: dict[int, _FirstCopy] = {}
        self.keys: list[tuple[JavaExpression, _FirstCopy]] = []

    def first_copy(self, expression: JavaExpression) -> _FirstCopy | None:
        found = self.first_by_id.get(expression.exprId().id())
        if found is None and not self.in_grouping_keys:
            found = next((first for key, first in self.keys if key.semanticEquals(expression)), None)
        return found

    def add(self, expression: JavaExpression, first: _FirstCopy) -> None:
        self.first_by_id[expression.exprId().id()] = first
        if self.in_grouping_keys:
            self.keys.append((expression, first))


def inline_ctes(session: SparkSession, plan: JavaPlan) -> JavaPlan:
    """The plan with each CTE reference replaced by its own copy of the CTE's definition."""
    # alwaysInline: a CTE used twice is two references; the others keep Spark's defaults.
    return catalyst().inline_cte(True, False, False).apply(plan)


def replace_leaves(plan: JavaPlan, replace: Replace) -> JavaPlan:
    """The plan with `replace(leaf, index)` put in the place of each source leaf (`None` keeps the leaf).

    The plan's CTEs must be inlined. The order of the indexes is that of this module's docstring.
    """
    return PlanTree.of(plan).rebuilt(replace)
