"""Algorithm 2 of the paper, the part that defers: a result is saved where fewer rows are left of it.

A needed result may be that of a later operator if the selection of its rows still gives the same lineage, every
edge proved anew (`infer.algorithm_1` does that). Whether later is smaller is a guess. Spark's statistics are taken
where it has row counts for both. Without them they are worth nothing (a join counts as the product of its inputs), so
then we go by what operators are for: a join on equal keys, like a filter, is there to leave rows out; a cross join,
an outer join, an explode is not.
"""

from __future__ import annotations

from collections.abc import Callable

from predtrace.infer.algorithm_1 import BetterLater
from predtrace.ir.expressions import Call, columns_of, conjuncts
from predtrace.ir.operators import Expand, Generate, Join, JoinKind, Operator, SetOperation

RowEstimate = Callable[[int], "float | None"]
"""From a plan node to the number of its rows, None if nobody knows."""


def smaller_later(rows: RowEstimate) -> BetterLater:
    """Whether fewer rows are expected of an operator than of the input given."""

    def better(operator: Operator, needed: Operator) -> bool:
        if operator.plan_node is not None and needed.plan_node is not None:
            later, earlier = rows(operator.plan_node), rows(needed.plan_node)
            if later is not None and earlier is not None:
                return later <= earlier
        return _leaves_rows_out(operator)

    return better


def _leaves_rows_out(operator: Operator) -> bool:
    if isinstance(operator, Join):
        return operator.kind in (JoinKind.SEMI, JoinKind.ANTI) or (
            operator.kind is JoinKind.INNER and _has_equal_keys(operator)
        )
    return not isinstance(operator, (Expand, Generate, SetOperation))


def _has_equal_keys(join: Join) -> bool:
    left = {column.id for column in join.left.output}
    for part in conjuncts(join.condition) if join.condition is not None else ():
        if isinstance(part, Call) and part.function in ("=", "<=>"):
            one, other = ({column.id for column in columns_of(side)} for side in part.arguments)
            if one and other and (one <= left) != (other <= left):
                return True
    return False
