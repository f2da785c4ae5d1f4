"""What a source is asked need not repeat what the values of an existing row decide; of others it must be asked."""

from __future__ import annotations

from tests.unit.ir.samples import call, column, number, source
from tests.unit.operators import cases as c
from tests.unit.operators.proofs import shown

from predtrace.infer.verify import push_down
from predtrace.ir.operators import Filter, Join, JoinKind, Sort
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING

X, Y = column(1, "x"), column(2, "y")
LARGE = Filter(input=source("t", X), condition=call(">", X, number(3)))
PAIRS = Join(left=source("l", X), right=source("r", Y), kind=JoinKind.INNER, condition=call("<", X, Y))


def asked(operator: Filter | Join, exists_if: Selection = None) -> list[str]:
    return [shown(part.lineage) for part in push_down(operator, c.everything(operator), exists_if)]


def test_a_row_that_exists_meets_the_condition() -> None:
    assert asked(LARGE) == ["x <=> :1"]
    assert asked(PAIRS) == ["x <=> :1", "y <=> :2"]


def test_of_a_row_that_may_not_exist_the_condition_is_asked() -> None:
    assert asked(LARGE, NOTHING) == ["x <=> :1 and x > 3"]
    assert asked(PAIRS, NOTHING) == ["x <=> :1 and x < :2", "y <=> :2 and :1 < y"]


def test_an_operator_below_may_need_to_hear_it() -> None:
    sorted_first = Filter(input=Sort(input=LARGE.input, keys=()), condition=LARGE.condition)
    assert asked(sorted_first) == ["x <=> :1 and x > 3"]
