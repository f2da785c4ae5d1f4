"""Which columns of a node's rows are read above it, and so must be saved for a run to go on."""

from __future__ import annotations

from tests.unit.ir.samples import ORDER_KEY, PRIORITY, orders
from tests.unit.plan.samples import at, orders_per_priority

from predtrace.ir import operators as op
from predtrace.plan.columns import columns_read_above


def test_what_is_dropped_unread_is_not_saved() -> None:
    read = columns_read_above(orders_per_priority())
    assert read[4] == {PRIORITY.id}  # the semi join: its key is of no more use
    assert read[1] == {PRIORITY.id, ORDER_KEY.id}


def test_what_a_result_above_keeps_is_read() -> None:
    source = at(1, orders())
    rows = op.Project(input=source, columns=tuple(op.Named(c, c) for c in source.columns), plan_node=2)
    top = op.Project(input=rows, columns=(op.Named(PRIORITY, PRIORITY),), plan_node=3)
    assert columns_read_above(top)[1] == {PRIORITY.id}
    assert columns_read_above(top, {2: [ORDER_KEY]})[1] == {PRIORITY.id, ORDER_KEY.id}


def test_set_operations_read_by_position() -> None:
    source = at(1, orders())
    both = op.Distinct(input=source, on=source.columns, plan_node=2)
    top = op.Project(input=both, columns=(op.Named(PRIORITY, PRIORITY),), plan_node=3)
    assert columns_read_above(top)[1] == {column.id for column in source.columns}
