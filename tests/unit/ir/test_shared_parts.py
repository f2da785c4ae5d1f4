"""Expressions whose parts stand in many places: each is seen once, or the tests here would never end."""

from __future__ import annotations

import pickle

from tests.unit.ir.samples import call, column, number

from predtrace.infer.abstraction import abstract
from predtrace.ir import expressions as ir
from predtrace.ir.parts import columns_of, transform, walk
from predtrace.ir.types import BOOLEAN, INTEGER
from predtrace.symbolic.expressions import evaluate
from predtrace.symbolic.functions import is_blind
from predtrace.symbolic.values import known_value

STEPS = 60
X = column(1, "x")


def _doubled(steps: int = STEPS, of: ir.Expression = X) -> ir.Expression:
    """x + x + ..., written out 2 ** steps times."""
    for _ in range(steps):
        of = call("+", of, of, type_=INTEGER)
    return of


def test_it_is_walked_and_changed_once() -> None:
    found = list(walk(_doubled()))
    assert len(found) == STEPS + 1
    other = column(2, "y")
    changed = transform(_doubled(), lambda node: other if node == X else node)
    assert changed == _doubled(of=other)
    assert columns_of(changed) == {other}
    assert len(list(walk(changed))) == STEPS + 1


def test_it_is_compared_once() -> None:
    assert _doubled() == _doubled()
    assert hash(_doubled()) == hash(_doubled())
    assert _doubled() != _doubled(of=column(2, "y"))
    assert {_doubled(), _doubled()} == {_doubled()}


def test_equal_parts_are_equal_whichever_was_compared_first() -> None:
    one, same, third = (_doubled(3) for _ in range(3))
    assert one == same
    assert third == same
    assert one == third
    other = _doubled(3, number(1))
    assert other not in (one, same, third)


def test_it_is_equal_when_it_comes_back_from_another_process() -> None:
    """Hashes of text differ between processes: none may travel along."""
    sent = _doubled(3)
    assert hash(sent)
    assert "_hash" not in vars(pickle.loads(pickle.dumps(sent)))
    assert pickle.loads(pickle.dumps(sent)) == sent


def test_it_is_evaluated_once() -> None:
    chosen: ir.Expression = X
    for _ in range(STEPS):
        chosen = ir.Call("if", (call(">", chosen, number(5)), chosen, chosen), INTEGER)
    assert evaluate(chosen, {X.id: known_value(7, INTEGER)}).term.value == 7
    assert is_blind(chosen)
    assert abstract(ir.Call(">", (chosen, number(5)), BOOLEAN)) is not None
