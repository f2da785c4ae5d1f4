"""A condition on aggregates may ask for many rows in the witness: there must still be room for a violator.

Each group has to show a row for every value of `p` that is asked for. With the key dropped, rows of other groups are
selected, and that must be seen however many rows the traced group needs.
"""

from __future__ import annotations

import pytest
from tests.unit.ir.samples import call, column, number, source
from tests.unit.operators import cases as c
from tests.unit.operators.proofs import is_exact

from predtrace.ir.expressions import AggregateCall, Expression
from predtrace.ir.operators import GroupBy, Named, Pivot, PivotCell
from predtrace.ir.types import INTEGER, LONG
from predtrace.operators.pushing import all_of

P = column(30, "p")
T = source("t", c.K, c.X, P)
KEYS = (Named(c.K, c.K),)


def largest_where(value: int, at: int) -> Named:
    """The largest x of the rows with one p: not NULL only if there is such a row."""
    is_asked_for = call("=", P, number(value))
    return Named(column(40 + at, f"m{at}"), AggregateCall("max", (c.X,), INTEGER, condition=is_asked_for))


def all_there(aggregates: list[Named]) -> Expression:
    found = all_of(call("isnotnull", named.column) for named in aggregates)
    assert found is not None
    return found


@pytest.mark.parametrize("values", [3, 4])
def test_aggregates_of_whole_groups(values: int) -> None:
    asked = [largest_where(value, value) for value in range(values)]
    total = Named(column(60, "t", LONG), AggregateCall("sum", (c.X,), LONG))
    group = GroupBy(input=T, keys=KEYS, aggregates=(*asked, total))
    assert not is_exact(group, all_there(asked), None)


@pytest.mark.parametrize("values", [3, 4])
def test_aggregates_of_one_row(values: int) -> None:
    asked = [largest_where(value, value) for value in range(values)]
    group = GroupBy(input=T, keys=KEYS, aggregates=tuple(asked))
    assert not is_exact(group, all_there(asked), None)


@pytest.mark.parametrize("values", [3, 4])
def test_cells_of_a_pivot(values: int) -> None:
    cells = []
    for value in range(values):
        inner = Named(column(50 + value, f"s{value}", LONG), AggregateCall("sum", (c.X,), LONG))
        cells.append(PivotCell(column(40 + value, f"c{value}", LONG), number(value), (inner,), inner.column))
    pivot = Pivot(input=T, keys=KEYS, pivot=P, cells=tuple(cells), missing_is_null=True)
    asked = all_of(call("isnotnull", cell.column) for cell in cells)
    assert not is_exact(pivot, asked, None)
