"""Algorithm 2 of the paper, the part that defers: a result is saved where fewer rows are left of it.

A needed result may be that of a later operator if the selection of its rows still gives the same lineage, every
edge proved anew (`infer.algorithm_1` does that). Whether later is smaller is known where an earlier run has counted
the rows of both, or where Spark has statistics. Without them Spark's estimates are worth nothing (a join counts as
the product of its inputs), so then we go by what operators are for: a join on equal keys, like a filter, is there to
leave rows out; a cross join, an outer join, an explode is not.

Such a presumption is given up once a run has counted more rows of the later result than it allows: no more than the
largest input has, down to the sources, whose files say how many rows they hold. The next run then saves earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from predtrace.infer.algorithm_1 import BetterLater
from predtrace.ir.expressions import Call
from predtrace.ir.operators import Expand, Generate, Join, JoinKind, Operator, SetOperation, Source
from predtrace.ir.parts import columns_of, conjuncts

RowEstimate = Callable[[int], "float | None"]
"""From the number of a plan node, or of a source, to the number of its rows; None if nobody knows."""


def _nobody_knows(number: int) -> float | None:
    return None


@dataclass(frozen=True)
class Sizes:
    """What is known of the numbers of rows."""

    estimated: RowEstimate = _nobody_knows
    """Of a plan node, from Spark's statistics."""
    in_files: RowEstimate = _nobody_knows
    """Of a source, by its reference."""
    counted: Mapping[int, float] = field(default_factory=dict)
    """Of plan nodes, as an earlier run of the pipeline found them."""

    def rows(self, operator: Operator) -> float | None:
        """How many rows an operator has, as far as that is known."""
        if operator.plan_node is None:
            return None
        counted = self.counted.get(operator.plan_node)
        return self.estimated(operator.plan_node) if counted is None else counted

    def presumed(self, operator: Operator) -> float | None:
        """How many rows it has at most, if it does what its kind is for."""
        known = self.rows(operator)
        if known is None and isinstance(operator, Source) and operator.reference is not None:
            known = self.in_files(operator.reference)
        if known is not None or not _leaves_rows_out(operator):
            return known
        found = [self.presumed(below) for below in _rows_come_from(operator)]
        most = [rows for rows in found if rows is not None]
        return max(most) if most and len(most) == len(found) else None

    def was_more_than_presumed(self, operator: Operator, needed: Operator) -> bool:
        """Whether a run counted more rows of an operator than its input should have let through."""
        later = self.counted.get(operator.plan_node) if operator.plan_node is not None else None
        most = None if later is None else self.presumed(needed)
        return later is not None and most is not None and later > most


def smaller_later(sizes: Sizes) -> BetterLater:
    """Whether fewer rows are expected of an operator than of the input given."""

    def better(operator: Operator, needed: Operator) -> bool:
        later, earlier = sizes.rows(operator), sizes.rows(needed)
        if later is not None and earlier is not None:
            return later <= earlier
        return _leaves_rows_out(operator) and not sizes.was_more_than_presumed(operator, needed)

    return better


def _leaves_rows_out(operator: Operator) -> bool:
    if isinstance(operator, Join):
        return operator.kind in (JoinKind.SEMI, JoinKind.ANTI) or (
            operator.kind is JoinKind.INNER and _has_equal_keys(operator)
        )
    return not isinstance(operator, (Expand, Generate, SetOperation))


def _rows_come_from(operator: Operator) -> tuple[Operator, ...]:
    if isinstance(operator, Join) and operator.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return (operator.left,)
    return operator.inputs


def _has_equal_keys(join: Join) -> bool:
    left = {column.id for column in join.left.output}
    for part in conjuncts(join.condition) if join.condition is not None else ():
        if isinstance(part, Call) and part.function in ("=", "<=>"):
            one, other = ({column.id for column in columns_of(side)} for side in part.arguments)
            if one and other and (one <= left) != (other <= left):
                return True
    return False
