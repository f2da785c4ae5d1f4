"""Semi joins back in the form of the IN that they were made from, for Spark to run.

Inference wants joins; Spark's optimizer wants predicates. From `a.k IN (...)` and a join on `a.k = b.k` it infers
`b.k IN (...)`, and puts that below an aggregation of `b`, which then groups a few rows instead of all:

    A semi join S on a.k = s.k        Filter a.k IN (SELECT s.k FROM S)
     └─ A                       →      └─ A

A semi join gives it nothing to infer from. As a filter, both keep the same rows: where a key is NULL, neither does.
What is inferred asks S once more: only where rows of one leaf are selected is that cheap for certain (TPC-H's Q20; in
Q18, where S is an aggregation of the largest table, it costs more than it saves).
"""

from __future__ import annotations

from predtrace.frontends.spark.catalyst import JavaPlan, catalyst, items
from predtrace.frontends.spark.rewrite import PlanTree

_ATTRIBUTE = "AttributeReference"
_ROW_BY_ROW = ("Project", "Filter")


def semi_joins(root: PlanTree) -> set[int]:
    """The identities of the semi joins in a plan whose right side just selects rows."""
    return {id(tree) for tree in root.nodes() if _is_semi_join(tree.node) and _selects(tree.children[1])}


def _is_semi_join(node: JavaPlan) -> bool:
    # (Not by its SQL: a join that makes a flag of existence has none, and says so by an error.)
    return bool(node.nodeName() == "Join" and node.joinType().toString() == "LeftSemi")


def _selects(tree: PlanTree) -> bool:
    while len(tree.children) == 1 and not tree.expressions and tree.node.nodeName() in _ROW_BY_ROW:
        (tree,) = tree.children
    return not tree.children


def as_filter(join: JavaPlan) -> JavaPlan:
    """A semi join as a filter by IN; the join itself if more than columns of its right side are compared, or if
    somebody told Spark how to run it."""
    spark = catalyst()
    found = spark.equal_keys.unapply(join)
    hint = join.hint()
    if found.isEmpty() or hint.leftHint().isDefined() or hint.rightHint().isDefined():
        return join
    left, right, further = found.get()._2(), found.get()._3(), found.get()._4()
    if further.isDefined() or any(key.getClass().getSimpleName() != _ATTRIBUTE for key in items(right)):
        return join
    nothing = spark.sequence([])
    keys = spark.project(right, join.right())
    query = spark.list_query(keys, nothing, spark.new_id(), right.size(), nothing, spark.none)
    return spark.filter(spark.in_subquery(left, query), join.left())
