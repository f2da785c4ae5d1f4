"""Which operators hand on the order of a Sort below them."""

from __future__ import annotations

from predtrace.ir.operators import Filter, Limit, Operator, Project, Sort


def carries_order(operator: Operator) -> bool:
    """Whether the rows come in an order that somebody asked for, so that who reads them may go by it."""
    return isinstance(_ordered_by(operator), Sort)


def is_ordered_throughout(operator: Operator) -> bool:
    """Whether all rows come in such an order, not only those of each partition."""
    below = _ordered_by(operator)
    return isinstance(below, Sort) and below.everywhere


def _ordered_by(operator: Operator) -> Operator:
    """The operator that decides in what order the rows come."""
    while isinstance(operator, (Filter, Project, Limit)):
        operator = operator.input
    return operator
