"""Rows that are equal share their lineage: where a predicate does not tell them apart, proofs need not compare them,
and where rows stand alone one row shows it all. Nothing is decided otherwise for it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.infer.test_folding import OPERATORS
from tests.unit.ir.samples import call, column, source
from tests.unit.operators import cases as c

from predtrace.infer import verification, verify
from predtrace.infer.known_rows import as_far_as_needed
from predtrace.infer.verify import push_down
from predtrace.ir.expressions import Cast, Column, Expression
from predtrace.ir.operators import Filter, Named, Operator, Project
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import DOUBLE, INTEGER, STRING
from predtrace.operators import LAWS
from predtrace.symbolic.claims import Claim
from predtrace.symbolic.solver import prove
from predtrace.symbolic.tables import fresh_table, same_bag

X = column(1, "x", DOUBLE)
N = column(2, "n", INTEGER)


def computed(expression: Expression) -> Operator:
    return Project(input=source("t", X, N), columns=(Named(column(3, "y", expression.type), expression),))


def is_target(of: Column) -> Expression:
    return call("<=>", of, Parameter(f"target.{of.name}", of.type))


COMPUTED = {
    "no sign of zero is told": (computed(call("+", X, X, type_=DOUBLE)), True),
    "the sign of zero is told": (computed(Cast(X, STRING)), False),
    "whole numbers have no sign of zero": (computed(Cast(N, STRING)), True),
    "an unknown function may tell it": (computed(call("f", X, type_=INTEGER)), False),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_a_predicate_that_tells_equal_rows_apart_is_not_exact(name: str) -> None:
    operator, is_exact = COMPUTED[name]
    (pushed,) = push_down(operator, is_target(operator.output[0]))
    assert pushed.is_exact is is_exact


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_nothing_is_decided_otherwise(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = OPERATORS[name]
    selections = [c.everything(operator), is_target(operator.output[0])]
    of_rows = Filter(input=operator, condition=call("isnotnull", operator.output[0]))

    def decided() -> list[object]:
        pushed = [
            (below, part)
            for f in selections
            for each in (operator, of_rows)
            for below, part in zip(each.inputs, push_down(each, f), strict=True)
        ]
        return [
            (as_far_as_needed(below, part.lineage, part.exists_if), part.is_exact, part.exists_if)
            for below, part in pushed
        ]

    without_comparing = decided()
    monkeypatch.setattr(verify, "pushed_row_by_row", lambda *asked: None)
    assert without_comparing == decided()
    monkeypatch.setattr(verification, "tells_no_equal_rows_apart", lambda selection: False)
    assert without_comparing == decided()


@pytest.mark.parametrize("name", [name for name in sorted(OPERATORS) if len(OPERATORS[name].inputs) == 1])
def test_rows_stand_alone_where_it_is_said(name: str) -> None:
    """The output for two rows is that for each of them: where it is not said, some table shows the contrary."""
    operator = OPERATORS[name]
    laws = LAWS[type(operator)]
    both = fresh_table("t", operator.inputs[0].output, 2)
    apart = [laws.run(operator, (replace(both, rows=(row,)),)) for row in both.rows]
    together = replace(apart[0], rows=tuple(row for table in apart for row in table.rows))
    stand_alone = prove(Claim(same_bag(laws.run(operator, (both,)), together))).is_proved
    assert stand_alone is laws.rows_stand_alone
