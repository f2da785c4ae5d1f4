"""Folding changes no verdict: wide rows are proved about as they are and folded."""

from __future__ import annotations

from itertools import combinations

import pytest
from tests.unit.ir import samples
from tests.unit.ir.samples import call, column, number
from tests.unit.operators import cases as c

from predtrace.infer import verification
from predtrace.infer.folding import Folded, folded
from predtrace.infer.models import OUTPUT, Model, Models
from predtrace.infer.verify import cut_down, push_down
from predtrace.ir.expressions import Column, Literal, SortKey
from predtrace.ir.operators import (
    Distinct,
    Except,
    Expand,
    Filter,
    GroupBy,
    Intersect,
    Join,
    JoinKind,
    Limit,
    Named,
    Operator,
    Project,
    Sort,
    Union,
)
from predtrace.ir.types import BOOLEAN, INTEGER, STRING
from predtrace.operators.pushing import NOTHING

MORE = (column(21, "a", STRING), column(22, "b"), Column(column(23, "c").id, "c", BOOLEAN, False))
OTHERS = (column(31, "d", STRING), column(32, "e"), column(33, "f", BOOLEAN))
WIDE = samples.source("wide", c.K, c.X, *MORE)
BESIDE = samples.source("beside", c.J, c.Y, *OTHERS, reference=1)
BOTH = tuple(
    column(40 + at, name, t.type) for at, (name, t) in enumerate(zip("vwxyz", WIDE.output, strict=True))
)
NULLS = tuple(Literal(None, each.type) for each in WIDE.output[1:])

OPERATORS: dict[str, Operator] = {
    "filter": Filter(input=WIDE, condition=call(">", c.X, number(0))),
    "project": Project(
        input=WIDE,
        columns=(*(Named(x, x) for x in (c.K, *MORE)), Named(c.DOUBLED, call("+", c.X, c.X, type_=INTEGER))),
    ),
    "renamed twice": Project(input=WIDE, columns=tuple(Named(o, MORE[1]) for o in BOTH[:2])),
    "sort": Sort(input=WIDE, keys=(SortKey(c.X),)),
    "limit": Limit(input=WIDE, count=1),
    "expand": Expand(input=WIDE, projections=(WIDE.output, (c.K, *NULLS)), columns=BOTH),
    "distinct": Distinct(input=WIDE, on=WIDE.output),
    "drop duplicates": Distinct(input=WIDE, on=(c.K,)),
    "group": GroupBy(input=WIDE, keys=(Named(c.K, c.K), Named(MORE[0], MORE[0])), aggregates=(c.COUNTED,)),
    "union": Union(branches=(WIDE, BESIDE), columns=BOTH, keep_duplicates=True),
    "intersect": Intersect(branches=(WIDE, BESIDE), columns=BOTH, keep_duplicates=False),
    "except": Except(branches=(WIDE, BESIDE), columns=BOTH, keep_duplicates=True),
    **{
        kind.value: Join(left=WIDE, right=BESIDE, kind=kind, condition=c.EQUAL)
        for kind in (
            JoinKind.INNER,
            JoinKind.LEFT,
            JoinKind.RIGHT,
            JoinKind.FULL,
            JoinKind.SEMI,
            JoinKind.ANTI,
        )
    },
}


def _selections(operator: Operator) -> list[tuple[Column, ...]]:
    """All columns, all but one, all but two."""
    columns = operator.output
    return [kept for size in (len(columns), len(columns) - 1) for kept in combinations(columns, size)][:8]


def _as_it_is(model: Model, predicates: object, in_short: bool) -> Folded:
    return Folded(model.inputs)


@pytest.mark.usefixtures("proved_one_by_one")
@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_no_verdict_changes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = OPERATORS[name]
    predicates = [c.fixed(*kept) for kept in _selections(operator)]

    def decided() -> list[object]:
        return [
            (
                [(p.lineage, p.is_exact, p.exists_if) for p in push_down(operator, f)],
                [(p.lineage, p.is_exact) for p in push_down(operator, f, exists_if=NOTHING)],
                cut_down(operator, f),
            )
            for f in predicates
        ]

    narrow = decided()
    monkeypatch.setattr(verification, "folded", _as_it_is)
    assert narrow == decided()


def _fixed(operator: Operator, *predicates: tuple[int, object]) -> set[str]:
    model = Models().of(operator)
    assert model is not None
    names = {each.id: each.name for below in (*operator.inputs, operator) for each in below.output}
    return {names[place[1]] for place in folded(model, predicates).fixed if place[0] != OUTPUT}  # type: ignore[arg-type]


def test_columns_that_go_together_are_one() -> None:
    operator = OPERATORS["filter"]
    everything = c.everything(operator)
    # x is read; of the others one column, which must not be a boolean, is kept.
    assert _fixed(operator, (OUTPUT, everything), (0, everything)) == {"a", "b", "c"}


def test_a_column_that_one_predicate_leaves_out_is_not_folded_with_those_it_has() -> None:
    operator = OPERATORS["sort"]
    without_b = c.fixed(c.K, c.X, MORE[0], MORE[2])
    assert "b" not in _fixed(operator, (OUTPUT, c.everything(operator)), (0, without_b))


def test_a_parameter_used_elsewhere_keeps_its_column() -> None:
    operator = OPERATORS["sort"]
    everything = c.everything(operator)
    elsewhere = call("isnotnull", c.fixed(MORE[1]).children()[1])
    assert "b" not in _fixed(operator, (OUTPUT, everything), (0, everything), (OUTPUT, elsewhere))
    assert "b" in _fixed(operator, (OUTPUT, everything), (0, everything))


def test_a_parameter_for_two_columns_keeps_both() -> None:
    operator = OPERATORS["sort"]
    parameter = c.fixed(c.K).children()[1]
    twice = call("and", c.everything(operator), call("<=>", MORE[1], parameter))
    assert _fixed(operator, (OUTPUT, twice)).isdisjoint({"k", "b"})


def test_columns_an_operator_looks_at_are_kept() -> None:
    for name in ("distinct", "intersect", "except"):
        operator = OPERATORS[name]
        assert _fixed(operator, (OUTPUT, c.everything(operator))) == set(), name
