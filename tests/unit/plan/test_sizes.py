"""Where a result is saved: counted rows are believed before estimates, estimates before presumptions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir.samples import LINE_KEY, ORDER_KEY, call, column, lines, orders, source

from predtrace.ir.operators import Join, JoinKind, Sort
from predtrace.ir.types import LONG
from predtrace.plan.sizes import Sizes, smaller_later


def join(kind: JoinKind = JoinKind.INNER) -> Join:
    left, right = replace(orders(), plan_node=1), replace(lines(), plan_node=2)
    return Join(left=left, right=right, kind=kind, condition=call("=", LINE_KEY, ORDER_KEY), plan_node=3)


@pytest.mark.parametrize(
    ("sizes", "is_better"),
    [
        (Sizes(), True),
        (Sizes(estimated={1: 10.0, 3: 11.0}.get), False),
        (Sizes(estimated={1: 10.0, 3: 10.0}.get), True),
        (Sizes(estimated={1: 10.0, 3: 11.0}.get, counted={1: 12}), True),
        (Sizes(estimated={1: 10.0, 3: 9.0}.get, counted={3: 13}), False),
        (Sizes(in_files={0: 10.0}.get, counted={3: 11}), False),
        (Sizes(in_files={0: 10.0}.get, counted={3: 10}), True),
        (Sizes(in_files={0: 10.0}.get), True),
        (Sizes(counted={3: 1000}), True),
    ],
)
def test_of_a_join_and_its_left_side(sizes: Sizes, is_better: bool) -> None:
    joined = join()
    assert smaller_later(sizes)(joined, joined.left) is is_better


def test_what_runs_count_shows_the_way_back() -> None:
    """One operator at a time: each run counts the result that it saves."""
    files = {0: 10.0, 1: 30.0}.get
    first = join()
    more = source("more", column(5, "key", LONG), reference=1)
    second = Join(
        left=first,
        right=more,
        kind=JoinKind.INNER,
        condition=call("=", LINE_KEY, more.columns[0]),
        plan_node=4,
    )
    assert smaller_later(Sizes(in_files=files, counted={4: 30}))(second, first)
    assert not smaller_later(Sizes(in_files=files, counted={4: 31}))(second, first)
    assert smaller_later(Sizes(in_files=files, counted={4: 31}))(first, first.left)
    assert not smaller_later(Sizes(in_files=files, counted={4: 31, 3: 20}))(first, first.left)


def test_presumptions() -> None:
    sizes = Sizes(in_files={0: 10.0, 1: 30.0}.get)
    assert sizes.presumed(join()) == 30
    assert sizes.presumed(join(JoinKind.SEMI)) == 10
    assert sizes.presumed(join(JoinKind.LEFT)) is None
    assert sizes.presumed(Sort(input=join(JoinKind.ANTI), keys=())) == 10
    assert Sizes(in_files={0: 10.0}.get).presumed(join()) is None
