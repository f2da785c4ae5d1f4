"""Long conditions as unknown functions: nothing is decided otherwise, and what they say comes back whole."""

from __future__ import annotations

import pytest
from tests.unit.infer.test_folding import MORE, OPERATORS, WIDE
from tests.unit.ir import samples
from tests.unit.ir.samples import call, column, number, text
from tests.unit.operators import cases as c

from predtrace.infer import abstraction, verify
from predtrace.infer.abstraction import abstract
from predtrace.infer.verify import PushedDown, cut_down, push_down
from predtrace.ir.expressions import Call, Cast, Column, Expression
from predtrace.ir.operators import JoinKind, Named, Operator, Project
from predtrace.ir.parts import columns_of, conjuncts
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import DOUBLE, INTEGER, STRING
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, all_of, parts_of
from predtrace.symbolic.functions import BLIND

pytestmark = pytest.mark.usefixtures("proved_one_by_one")


def said(of: Column) -> list[Expression]:
    """What a predicate may say of a column after some steps."""
    shown = Parameter(f"target.{of.name}", of.type)
    doubled = call("concat", of, of, type_=STRING) if of.type == STRING else call("+", of, of, type_=of.type)
    return [
        call("<=>", doubled, shown),
        call("or", call("isnull", of), call("<", of, doubled)),
        call("<", of, doubled),
        call("=", of, Parameter(f"fixed.{of.name}", of.type)),
    ]


def predicates(operator: Operator) -> list[Selection]:
    parts = [part for each in operator.output if each.type in (INTEGER, STRING) for part in said(each)]
    return [all_of(parts), all_of(parts[:3]), all_of((*parts_of(c.everything(operator)), *parts))]


def _in_any_order(selection: Selection) -> object:
    """A predicate, whatever the order of what its ANDs and ORs connect."""
    if not isinstance(selection, Call) or selection.function not in {"and", "or"}:
        return selection
    connected = conjuncts(selection) if selection.function == "and" else selection.arguments
    return selection.function, frozenset(map(_in_any_order, connected))


def decided_of(operator: Operator, selections: list[Selection]) -> list[object]:
    """What is decided of predicates."""

    def pushed(parts: tuple[PushedDown, ...]) -> list[object]:
        return [(_in_any_order(part.lineage), part.is_exact, part.exists_if) for part in parts]

    return [
        (
            pushed(push_down(operator, f)),
            pushed(push_down(operator, f, exists_if=NOTHING)),
            list(map(_in_any_order, cut_down(operator, f))),
        )
        for f in selections
    ]


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_nothing_is_decided_otherwise(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = OPERATORS[name]
    selections = predicates(operator)
    monkeypatch.setattr(abstraction, "_LONG", 0)
    assert all(map(abstract, selections))
    as_functions = decided_of(operator, selections)
    monkeypatch.setattr(verify, "abstract", lambda selection: None)
    assert as_functions == decided_of(operator, selections)


def test_conditions_on_the_same_columns_are_one_function() -> None:
    one, other = MORE[0], c.K
    short = abstract(all_of((*said(one)[:2], *said(other)[:2], call("<=>", c.X, Parameter("x", INTEGER)))))
    assert short is None, "short conditions are read as they are"

    long = all_of(
        (
            *_deep(one, 40),
            *said(one)[:2],
            call(">", other, number(1)),
            call("<=>", c.X, Parameter("x", INTEGER)),
        )
    )
    found = abstract(long)
    assert found is not None
    parts = parts_of(found.selection)
    assert [columns_of(part) for part in parts] == [{other}, {c.X}, {one}]
    assert set(parts_of(found.spelled_out(found.selection))) == set(parts_of(long))


def test_a_projection_is_written_into_the_condition() -> None:
    name = MORE[0]
    project = Project(input=WIDE, columns=(Named(name, call("lower", name, type_=STRING)), Named(c.K, c.K)))
    (pushed,) = push_down(project, all_of(_deep(name, 40)))
    assert pushed.is_exact
    (expected,) = _deep(name, 40, over=call("lower", name, type_=STRING))
    assert pushed.lineage == expected


D = column(41, "d", DOUBLE)
ABOVE_DOUBLES = Project(input=samples.source("doubles", D), columns=(Named(D, D),))


def _written(of: Column) -> Expression:
    """What text a number is, with much behind it."""
    told: Expression = Cast(of, STRING)
    for _ in range(30):
        told = call("concat", told, text("!"), type_=STRING)
    return call("<=>", told, Parameter("t", STRING))


def test_what_tells_minus_zero_from_zero_still_does() -> None:
    """Rows with either are equal, so a function that returns other text for them selects too few."""
    assert _options(_written(D)) == ()
    assert not any(part.is_exact for part in push_down(ABOVE_DOUBLES, _written(D)))


def test_what_does_not_is_known_not_to() -> None:
    told: Expression = call("sqrt", D, type_=DOUBLE)
    for _ in range(30):
        told = call("exp", told, type_=DOUBLE)
    condition = call("<", told, Parameter("t", DOUBLE))
    assert _options(condition) == (BLIND,)
    assert all(part.is_exact for part in push_down(ABOVE_DOUBLES, condition))


def test_another_column_of_the_same_id_is_not_taken_for_it() -> None:
    """Ids count from one in each pipeline, so one process sees the same ids with other types."""
    number_of_rows = Column(D.id, "n", INTEGER)
    assert _written(number_of_rows) == _written(D)
    assert _options(_written(number_of_rows)) == (BLIND,)
    assert _options(_written(D)) == ()


def _options(condition: Expression) -> tuple[tuple[str, str], ...]:
    found = abstract(condition)
    assert found is not None
    assert isinstance(found.selection, Call)
    return found.selection.options


def test_what_a_condition_says_of_existence_is_not_forgotten() -> None:
    """A row of NULLs does not meet it, so a partner was found, whatever else it says."""
    join = c.join(JoinKind.LEFT)
    far = [
        call("or", call(">", c.Y, number(at)), call("<", c.Y, number(-at, INTEGER))) for at in range(1, 10)
    ]
    matched = call("<=>", c.K, Parameter("k", INTEGER))
    assert abstract(all_of((matched, *far))) is not None
    found = push_down(join, all_of((matched, *far)))
    assert [part.is_exact for part in found] == [True, True]
    assert [part.exists_if for part in found] == [None, None]


def _deep(column: Column, steps: int, over: Expression | None = None) -> list[Expression]:
    said: Expression = column if over is None else over
    for _ in range(steps):
        said = call("trim", said, type_=STRING)
    return [call("<=>", said, Parameter("target.deep", STRING))]
