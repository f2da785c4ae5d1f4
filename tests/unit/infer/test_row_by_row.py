"""Operators whose rows stand alone are proved once for every predicate: nothing is decided otherwise for it."""

from __future__ import annotations

import pytest
from tests.unit.infer.test_folding import OPERATORS, WIDE
from tests.unit.ir.samples import call, number
from tests.unit.operators import cases as c

from predtrace.infer import verification, verify
from predtrace.infer.models import Models
from predtrace.infer.row_by_row import pushed_row_by_row
from predtrace.infer.verify import cut_down, push_down
from predtrace.ir.expressions import Expression
from predtrace.ir.operators import Filter, Named, Operator, Project
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import INTEGER
from predtrace.operators import LAWS, Candidates, Selection
from predtrace.operators.pushing import NOTHING, all_of
from predtrace.operators.row_operators import FilterLaws

ALONE = {name: each for name, each in OPERATORS.items() if LAWS[type(each)].rows_stand_alone}
FLAG = call("isnotnull", Parameter("target.flag", INTEGER))
X_PLUS_1 = call("+", c.X, number(1), type_=INTEGER)


def above(operator: Operator) -> Operator:
    """A filter whose input is no source, with a condition that a fixed column decides."""
    first = operator.output[0]
    return Filter(input=operator, condition=call("or", call("isnull", first), call(">", first, number(3))))


def _predicates(operator: Operator) -> list[Selection]:
    first = operator.output[0]
    return [c.everything(operator), c.fixed(first), call("or", c.fixed(first), call("isnull", first))]


@pytest.mark.parametrize("name", sorted(ALONE))
def test_nothing_is_decided_otherwise(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def decided() -> list[object]:
        found: list[object] = []
        for operator in (ALONE[name], above(ALONE[name]), above(WIDE)):
            for f in _predicates(operator):
                for exists_if in (None, NOTHING, FLAG):
                    (pushed,) = push_down(operator, f, exists_if)
                    found.append((pushed.lineage, pushed.is_exact, pushed.exists_if))
                found.append(cut_down(operator, f))
        return found

    once_for_all = decided()
    monkeypatch.setattr(verify, "pushed_row_by_row", lambda *asked: None)
    assert once_for_all == decided()


@pytest.mark.parametrize("name", sorted(ALONE))
def test_predicates_are_not_looked_at(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operator, models = above(ALONE[name]), Models()
    assert pushed_row_by_row(operator, c.everything(operator), models) is not None

    def nothing_more(*asked: object) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(verification, "prove", nothing_more)
    monkeypatch.setattr(verification, "is_soon_proved", nothing_more)
    (pushed,) = push_down(operator, c.fixed(operator.output[0]), None, models)
    assert pushed.is_exact


class WithoutItsCondition(FilterLaws):
    def candidates(self, operator: Filter, selection: Selection) -> tuple[Candidates, ...]:
        return (Candidates((selection,), (selection,)),)


def test_a_wrong_law_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that the filter leaves out would be selected."""
    operator = above(WIDE)
    monkeypatch.setitem(LAWS, Filter, WithoutItsCondition())
    assert pushed_row_by_row(operator, c.fixed(operator.output[0]), Models()) is None
    (pushed,) = push_down(operator, call(">", c.X, number(1)))
    assert not pushed.is_exact


def test_what_a_column_is_computed_from_stands_in_its_place() -> None:
    operator = Project(input=WIDE, columns=(Named(c.X, X_PLUS_1), Named(c.K, c.K)))
    condition = all_of([call(">", c.X, c.K), call("isnotnull", c.K)])
    expected: list[Expression] = [call(">", X_PLUS_1, c.K), call("isnotnull", c.K)]
    assert pushed_row_by_row(operator, condition, Models()) == all_of(expected)
