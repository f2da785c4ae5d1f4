"""What predicates say of columns that are only carried along is said in short, and nothing is decided otherwise."""

from __future__ import annotations

import pytest
from tests.unit.infer.test_abstraction import decided_of, predicates, said
from tests.unit.infer.test_folding import MORE, OPERATORS, WIDE
from tests.unit.ir.samples import call, column, number, source
from tests.unit.operators import cases as c

from predtrace.infer import verification
from predtrace.infer.folding import Folded, folded
from predtrace.infer.models import OUTPUT, Model, Models
from predtrace.infer.verification import Verification
from predtrace.ir.expressions import Cast, Expression, Literal
from predtrace.ir.operators import JoinKind, Operator, Sort
from predtrace.ir.parts import columns_of
from predtrace.ir.types import DOUBLE, INTEGER, STRING
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, parts_of

pytestmark = pytest.mark.usefixtures("proved_one_by_one")

A, B, FLAG = MORE
OF_A, OF_B = said(A)[0], said(B)[0]
OF_BOTH = call("<", call("length", A), B)


def _model(operator: Operator) -> Model:
    model = Models().of(operator)
    assert model is not None
    return model


def _in_short(operator: Operator, selection: Selection, *others: tuple[int, Selection]) -> list[Expression]:
    """The conjuncts of F in short."""
    asked = [(OUTPUT, selection), *others]
    return parts_of(folded(_model(operator), asked, in_short=True).predicate(selection, OUTPUT))


def _without_values(operator: Operator) -> list[Selection]:
    """What is said of all columns but of which value they are, alone and beside the target's values."""
    of_all = [part for each in operator.output if each.type in (INTEGER, STRING) for part in said(each)[:3]]
    target = parts_of(c.everything(operator))
    return [all_of(of_all), all_of((*target, *of_all)), all_of((*target[1:], *of_all))]


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_nothing_is_decided_otherwise(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = OPERATORS[name]
    selections = [*predicates(operator), *_without_values(operator)]
    in_short = decided_of(operator, selections)

    def at_length(model: Model, asked: list[tuple[int, Selection]], in_short: bool) -> Folded:
        return folded(model, asked)

    monkeypatch.setattr(verification, "folded", at_length)
    assert in_short == decided_of(operator, selections)


def test_all_that_is_said_of_columns_is_a_function_of_two_numbers() -> None:
    everything = all_of((*parts_of(c.fixed(A, FLAG)), OF_A, OF_B, OF_BOTH))
    compared, function = sorted(
        _in_short(OPERATORS["sort"], everything), key=lambda part: len(columns_of(part))
    )
    assert {each.name for each in columns_of(compared)} == {"a"}, "what is compared with the target"
    assert {each.name for each in columns_of(function)} == {"a", "b"}, "and the rest"


def test_conjuncts_that_are_not_asked_together_are_several_functions() -> None:
    operator, both = OPERATORS["sort"], all_of((OF_A, OF_B))
    assert len(_in_short(operator, both, (0, both))) == 1
    assert len(_in_short(operator, both, (0, OF_A))) == 2
    one, other = (Verification(_model(operator), of, [(0, OF_A), (0, OF_B)]) for of in (OF_A, OF_B))
    assert one.is_sound(0, OF_A), "G says what F says"
    assert other.is_sound(0, OF_B)
    assert not one.is_sound(0, OF_B), "G says something else"


@pytest.mark.parametrize(
    ("operator", "part"),
    [
        (OPERATORS["filter"], call("<", c.X, B)),
        (Sort(input=WIDE, keys=()), call("=", A, Literal("late", STRING))),
        (OPERATORS[JoinKind.RIGHT.value], OF_A),
    ],
    ids=["of a column that is looked at", "of a value", "of a column that may be supplied with NULL"],
)
def test_what_laws_may_have_to_know_is_said_at_length(operator: Operator, part: Expression) -> None:
    assert part in _in_short(operator, all_of((part, OF_B)))


def test_with_it_all_that_is_said_of_its_columns() -> None:
    looked_at = call("<", c.X, B)
    operator = OPERATORS["filter"]
    assert _in_short(operator, all_of((looked_at, OF_BOTH))) == [looked_at, OF_BOTH]


def test_what_tells_equal_rows_apart_is_said_at_length() -> None:
    size = column(51, "size", DOUBLE)
    operator = Sort(input=source("sizes", size), keys=())
    shown = call("=", Cast(size, STRING), Literal("-0.0", STRING))
    assert _in_short(operator, shown) == [shown]


def test_a_counterexample_is_spelled_out() -> None:
    operator = OPERATORS["drop duplicates"]
    selection = call("<", number(3), B)
    assert _in_short(operator, selection) != [selection]
    verdict = Verification(_model(operator), selection, [(0, selection)]).exactness(0, selection, None)
    assert verdict is not None
    assert verdict.is_refuted
    found = verdict.counterexample
    assert found is not None
    values = dict(zip(found.tables[0].columns, zip(*found.tables[0].rows, strict=True), strict=True))
    assert any(isinstance(b, int) and b > 3 for b in values["b"]), str(found)
