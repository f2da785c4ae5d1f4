"""A plan as JSON and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.ir.samples import ORDER_KEY, PRIORITY, call
from tests.unit.ir.test_serialise import LITERALS, same
from tests.unit.plan.samples import decided, equal

from predtrace.errors import InputError
from predtrace.ir.expressions import Literal
from predtrace.ir.types import DataType
from predtrace.plan.building import lineage_plan
from predtrace.plan.lineage_plan import LineagePlan, NodeCut, ResultPlan, SourcePlan


def again(plan: LineagePlan) -> LineagePlan:
    return LineagePlan.from_json(json.loads(json.dumps(plan.to_json(), allow_nan=False)))


def test_a_plan_comes_back_with_names_and_types() -> None:
    operator, outcome = decided()
    plan = lineage_plan(outcome, operator)
    assert plan.cuts, "or the nested records are not tried"
    assert same(again(plan), plan)


@pytest.mark.parametrize(("value", "type_"), LITERALS, ids=[repr(value) for value, _ in LITERALS])
def test_literals_of_every_type_come_back_from_everywhere(value: Any, type_: DataType) -> None:
    predicate = call("and", equal(ORDER_KEY, "target"), call("=", ORDER_KEY, Literal(value, type_)))
    result = ResultPlan("needed_1", 7, "Sort", (PRIORITY,), predicate, "target", "")
    source = SourcePlan(0, (ORDER_KEY, PRIORITY), predicate, "needed_1", "Sample: a guess")
    plan = LineagePlan((ORDER_KEY,), (result,), (source,), (NodeCut(3, predicate),))
    assert same(again(plan), plan)
    assert not again(plan).exact


def test_a_selection_of_every_row_comes_back() -> None:
    plan = LineagePlan((ORDER_KEY,), (), (SourcePlan(0, (ORDER_KEY,), None, "target", ""),))
    assert same(again(plan), plan)


def test_another_version_is_refused() -> None:
    document = {**LineagePlan((), (), ()).to_json(), "lineage_plan": 99}
    with pytest.raises(InputError, match=r"version 99 of the lineage plan .* only 2 is known"):
        LineagePlan.from_json(document)


def test_a_field_too_many_or_too_few_is_refused() -> None:
    document = LineagePlan((), (), (SourcePlan(0, (ORDER_KEY,), None, "target", ""),)).to_json()
    del document["sources"][0]["given"]
    with pytest.raises(InputError, match="SourcePlan has other fields than this version knows: given"):
        LineagePlan.from_json(document)
