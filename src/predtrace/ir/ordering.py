"""Which operators hand on the order of a Sort below them."""

from __future__ import annotations

from predtrace.ir.operators import Filter, Limit, Operator, Project, Sort


def carries_order(operator: Operator) -> bool:
    """Whether the rows come in an order that somebody asked for, so that who reads them may go by it."""
    while isinstance(operator, (Filter, Project, Limit)):
        operator = operator.input
    return isinstance(operator, Sort)
