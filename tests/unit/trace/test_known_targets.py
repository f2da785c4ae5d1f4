"""What a condition tells of the parameters of a trace."""

from __future__ import annotations

import pytest
from tests.unit.ir.samples import ORDER_KEY, PRIORITY, call, column
from tests.unit.plan.samples import equal

from predtrace.ir.expressions import Column, Expression, Literal
from predtrace.ir.types import DOUBLE
from predtrace.plan.lineage_plan import LineagePlan, ResultPlan
from predtrace.trace.known_targets import known_targets

X = column(8, "x", DOUBLE)
NEEDED = ResultPlan("needed_1", 4, "Sort", (ORDER_KEY,), equal(ORDER_KEY, "target", PRIORITY), "target", "")
NEXT = ResultPlan("needed_2", 3, "Sort", (PRIORITY,), equal(PRIORITY, "needed_1", ORDER_KEY), "needed_1", "")
PLAN = LineagePlan((PRIORITY,), (NEEDED, NEXT), ())


def is_(own: Column, value: object) -> Expression:
    return call("=", own, Literal(value, own.type))


def test_one_row_fixes_parameters_through_the_lookups() -> None:
    value = Literal("high", PRIORITY.type)
    found = known_targets(is_(PRIORITY, "high")).parameters(PLAN)
    assert found == {
        f"target.{PRIORITY.id}": value,
        f"needed_1.{ORDER_KEY.id}": value,
        f"needed_2.{PRIORITY.id}": value,
    }


def test_several_rows_fix_none() -> None:
    either = call("or", is_(PRIORITY, "high"), is_(PRIORITY, "low"))
    assert known_targets(either).parameters(PLAN) == {}


@pytest.mark.parametrize(
    ("value", "is_known"), [(0.0, False), (-0.0, False), (1.5, True), (float("nan"), True)]
)
def test_zero_has_two_forms_that_functions_tell_apart(value: float, is_known: bool) -> None:
    found = known_targets(is_(X, value))
    assert (len(found.columns) == 1, found.is_all) == (is_known, is_known)
