"""What is pushed through each operator, and what is proved of it; wrong rules are refuted.

Exactness is listed as (left, right) or (only input). A row of the table that a careless rule would get wrong says
so in its comment.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from tests.unit.ir.samples import call, column, number, source
from tests.unit.operators import cases as c

from predtrace.infer.models import Models
from predtrace.infer.verification import Verification
from predtrace.infer.verify import cut_down, push_down
from predtrace.ir.expressions import Expression, Literal, UserCall
from predtrace.ir.operators import JoinKind, Named, Operator, Project
from predtrace.ir.predicates import Parameter
from predtrace.ir.printing import describe
from predtrace.ir.types import BOOLEAN, DOUBLE, STRING
from predtrace.operators.pushing import NOTHING, parts_of

P_K, P_X, P_J = (Parameter(column.id, column.type) for column in (c.K, c.X, c.J))
K_FIXED, X_FIXED, J_FIXED, Y_FIXED = (c.fixed(column) for column in (c.K, c.X, c.J, c.Y))

EXACT = [
    # The row itself is selected: everything follows from its existence.
    ("filter", c.FILTER, c.everything(c.FILTER), [True]),
    ("project", c.PROJECT, c.everything(c.PROJECT), [True]),
    ("sort", c.SORT, c.everything(c.SORT), [True]),
    ("limit", c.LIMIT, c.everything(c.LIMIT), [True]),
    ("sample", c.SAMPLE, c.everything(c.SAMPLE), [True]),
    ("expand", c.EXPAND, c.everything(c.EXPAND), [True]),
    ("distinct", c.DISTINCT, c.everything(c.DISTINCT), [True]),
    ("drop duplicates", c.DROP_DUPLICATES, c.everything(c.DROP_DUPLICATES), [True]),
    ("group by", c.group(c.COUNTED), c.everything(c.group(c.COUNTED)), [True]),
    ("group by, unknown aggregate", c.group(c.SUMMED), c.everything(c.group(c.SUMMED)), [True]),
    ("max", c.group(c.LARGEST), c.everything(c.group(c.LARGEST)), [True]),
    ("max and count", c.group(c.LARGEST, c.COUNTED), c.everything(c.group(c.LARGEST, c.COUNTED)), [True]),
    ("max with FILTER", c.group(c.LARGEST_POSITIVE), c.everything(c.group(c.LARGEST_POSITIVE)), [True]),
    ("global count", c.group(c.COUNTED, keys=False), c.fixed(c.COUNT), [True]),
    ("union", c.UNION, c.everything(c.UNION), [True, True]),
    ("intersect", c.INTERSECT, c.everything(c.INTERSECT), [True, True]),
    ("except", c.EXCEPT, c.everything(c.EXCEPT), [True, True]),
    ("except all", c.EXCEPT_ALL, c.everything(c.EXCEPT_ALL), [True, True]),
    ("inner", c.join(JoinKind.INNER), c.everything(c.join(JoinKind.INNER)), [True, True]),
    ("cross", c.join(JoinKind.CROSS, None), c.everything(c.join(JoinKind.CROSS, None)), [True, True]),
    ("left", c.join(JoinKind.LEFT), c.everything(c.join(JoinKind.LEFT)), [True, True]),
    ("right", c.join(JoinKind.RIGHT), c.everything(c.join(JoinKind.RIGHT)), [True, True]),
    # A row of NULLs and the NULLs that stand for no row look the same: that takes a match flag.
    ("full", c.join(JoinKind.FULL), c.everything(c.join(JoinKind.FULL)), [False, False]),
    ("semi", c.join(JoinKind.SEMI), c.everything(c.join(JoinKind.SEMI)), [True, True]),
    ("anti", c.join(JoinKind.ANTI), c.everything(c.join(JoinKind.ANTI)), [True, True]),
    ("existence", c.join(JoinKind.EXISTENCE), c.everything(c.join(JoinKind.EXISTENCE)), [True, True]),
    ("scalar", c.join(JoinKind.SCALAR, None), c.everything(c.join(JoinKind.SCALAR, None)), [True, True]),
    # Only some columns are selected.
    ("filter, x left open", c.FILTER, K_FIXED, [True]),
    ("limit, x left open", c.LIMIT, K_FIXED, [False]),  # rows that the cut left out
    ("group by, key only", c.group(c.COUNTED), K_FIXED, [True]),
    ("group by, key dropped", c.group(c.COUNTED), c.fixed(c.COUNT), [False]),
    ("max, key dropped", c.group(c.LARGEST), c.fixed(c.MAXIMUM), [False]),  # x = v in groups with a larger x
    ("union, x left open", c.UNION, c.fixed(c.OUT[0]), [True, True]),
    ("intersect, x left open", c.INTERSECT, c.fixed(c.OUT[0]), [False, False]),
    ("inner, right left open", c.join(JoinKind.INNER), c.fixed(c.K, c.X), [True, True]),
    ("inner, key left open", c.join(JoinKind.INNER), X_FIXED, [False, False]),  # rows without a partner
    ("semi, key fixed", c.join(JoinKind.SEMI), K_FIXED, [True, True]),
    ("semi, key left open", c.join(JoinKind.SEMI), X_FIXED, [False, False]),  # the paper's Q4
]


@pytest.mark.parametrize(
    ("operator", "selection", "exact"), [row[1:] for row in EXACT], ids=[r[0] for r in EXACT]
)
def test_exactness(operator: Operator, selection: Expression, exact: list[bool]) -> None:
    pushed = push_down(operator, selection)
    assert [p.is_exact for p in pushed] == exact, [str(p.exact) for p in pushed]
    for part in pushed:
        assert part.is_exact or (part.exact is not None and part.exact.is_refuted), "undecided"


def test_without_the_extreme_the_rows_of_max_by_are_not_told() -> None:
    operator = c.group(c.LATEST)
    (pushed,) = push_down(operator, c.everything(operator))
    assert (pushed.lineage, pushed.is_exact) == (K_FIXED, False)
    # Beside an aggregate that needs the whole group, max_by needs no rule of its own.
    beside = c.group(c.LATEST, c.COUNTED)
    assert all(p.is_exact for p in push_down(beside, c.everything(beside)))


def test_existence_is_a_premise_that_matters() -> None:
    """Where the target need not exist, the same predicates select rows that made nothing."""
    semi = c.join(JoinKind.SEMI)
    assert not any(p.is_exact for p in push_down(semi, c.everything(semi), exists_if=NOTHING))
    # A union's branch and a filter's own condition need no premise.
    for operator in (c.UNION, c.FILTER):
        assert all(p.is_exact for p in push_down(operator, c.everything(operator), exists_if=NOTHING))


EXISTENCE = [
    ("filter", c.FILTER, [True]),
    ("inner", c.join(JoinKind.INNER), [True, True]),
    ("left", c.join(JoinKind.LEFT), [True, False]),
    ("right", c.join(JoinKind.RIGHT), [False, True]),
    ("full", c.join(JoinKind.FULL), [False, False]),
    ("semi", c.join(JoinKind.SEMI), [True, True]),
    ("existence", c.join(JoinKind.EXISTENCE), [True, False]),
    ("anti", c.join(JoinKind.ANTI), [True, False]),
    ("scalar", c.join(JoinKind.SCALAR, None), [True, False]),
    ("group by", c.group(c.COUNTED), [True]),
    ("global", c.group(c.COUNTED, keys=False), [False]),
    ("union", c.UNION, [False, False]),
    ("intersect", c.INTERSECT, [True, True]),
    ("except", c.EXCEPT, [True, False]),
]


@pytest.mark.parametrize(("operator", "known"), [r[1:] for r in EXISTENCE], ids=[r[0] for r in EXISTENCE])
def test_where_the_target_s_existence_says_something_of_an_input(
    operator: Operator, known: list[bool]
) -> None:
    assert [p.exists_if is None for p in push_down(operator, c.everything(operator))] == known


def _verification(
    operator: Operator, selection: Expression | None, asked: Iterable[tuple[int, Expression | None]]
) -> Verification:
    model = Models().of(operator)
    assert model is not None
    return Verification(model, selection, asked)


def _shown(selection: Expression | None) -> str:
    return "everything" if selection is None else describe(selection)


RECOMPUTE = [
    ("filter", c.FILTER, c.everything(c.FILTER), ["k <=> :1 and x <=> :2 and x > 0"]),
    ("limit", c.LIMIT, c.everything(c.LIMIT), ["everything"]),
    ("sample", c.SAMPLE, c.everything(c.SAMPLE), ["everything"]),
    ("group by keeps whole groups", c.group(c.LARGEST), c.everything(c.group(c.LARGEST)), ["k <=> :1"]),
    ("global", c.group(c.COUNTED, keys=False), c.fixed(c.COUNT), ["everything"]),
    ("drop duplicates", c.DROP_DUPLICATES, c.everything(c.DROP_DUPLICATES), ["k <=> :1"]),
    ("left", c.join(JoinKind.LEFT), c.everything(c.join(JoinKind.LEFT)), ["k <=> :1 and x <=> :2", ":1 = j"]),
    ("anti", c.join(JoinKind.ANTI), c.everything(c.join(JoinKind.ANTI)), ["k <=> :1 and x <=> :2", ":1 = j"]),
    ("except", c.EXCEPT, c.everything(c.EXCEPT), ["k <=> :10 and x <=> :11", "j <=> :10 and y <=> :11"]),
]


@pytest.mark.parametrize(
    ("operator", "selection", "kept"), [r[1:] for r in RECOMPUTE], ids=[r[0] for r in RECOMPUTE]
)
def test_what_recomputing_needs(operator: Operator, selection: Expression, kept: list[str]) -> None:
    assert [_shown(r) for r in cut_down(operator, selection)] == kept


EVERYTHING = Literal(True, BOOLEAN)

WRONG_LINEAGE = [
    # operator, F, input, a predicate that misses a row of the lineage
    ("filter", c.FILTER, K_FIXED, 0, call("<", c.X, number(0))),
    ("project", c.PROJECT, c.everything(c.PROJECT), 0, call("<=>", c.X, Parameter(c.DOUBLED.id, c.X.type))),
    ("sort", c.SORT, K_FIXED, 0, c.fixed(c.K, c.X)),
    ("limit", c.LIMIT, K_FIXED, 0, NOTHING),
    ("expand", c.EXPAND, c.everything(c.EXPAND), 0, call("<=>", c.X, Parameter(c.OUT[1].id, c.X.type))),
    ("count loses NULLs", c.group(c.COUNTED), K_FIXED, 0, call("isnotnull", c.X)),
    (
        "max where all are NULL",
        c.group(c.LARGEST),
        c.everything(c.group(c.LARGEST)),
        0,
        call("isnotnull", c.X),
    ),
    ("distinct", c.DISTINCT, c.everything(c.DISTINCT), 0, NOTHING),
    ("union", c.UNION, c.everything(c.UNION), 1, NOTHING),
    ("intersect", c.INTERSECT, c.everything(c.INTERSECT), 1, NOTHING),
    ("inner", c.join(JoinKind.INNER), c.everything(c.join(JoinKind.INNER)), 0, call("=", c.X, P_J)),
    ("left, NULL in a matched row", c.join(JoinKind.LEFT), c.fixed(c.K), 1, call("isnotnull", c.Y)),
    ("semi as anti", c.join(JoinKind.SEMI), c.everything(c.join(JoinKind.SEMI)), 1, NOTHING),
    ("existence", c.join(JoinKind.EXISTENCE), c.everything(c.join(JoinKind.EXISTENCE)), 1, NOTHING),
    ("scalar", c.join(JoinKind.SCALAR, None), c.everything(c.join(JoinKind.SCALAR, None)), 1, NOTHING),
    ("anti's left", c.join(JoinKind.ANTI), c.everything(c.join(JoinKind.ANTI)), 0, call("=", c.K, P_K)),
    ("except's left", c.EXCEPT, c.everything(c.EXCEPT), 0, NOTHING),
]


@pytest.mark.parametrize(
    ("operator", "selection", "at", "wrong"),
    [r[1:] for r in WRONG_LINEAGE],
    ids=[r[0] for r in WRONG_LINEAGE],
)
def test_a_predicate_that_misses_rows_is_refuted(
    operator: Operator, selection: Expression, at: int, wrong: Expression
) -> None:
    verification = _verification(operator, selection, [(at, wrong), (at, EVERYTHING)])
    assert not verification.is_sound(at, wrong)
    assert verification.is_sound(at, EVERYTHING), "the law itself is too strict"


MORE_THAN_THE_LINEAGE = [
    ("max with FILTER, the whole group", c.group(c.LARGEST_POSITIVE), K_FIXED),
    ("max, the whole group", c.group(c.LARGEST), K_FIXED),
]


@pytest.mark.parametrize(
    ("operator", "wide"), [r[1:] for r in MORE_THAN_THE_LINEAGE], ids=[r[0] for r in MORE_THAN_THE_LINEAGE]
)
def test_a_predicate_that_selects_more_is_not_called_exact(operator: Operator, wide: Expression) -> None:
    verification = _verification(operator, c.everything(operator), [(0, wide)])
    verdict = verification.exactness(0, wide, None)
    assert verdict is not None
    assert verdict.is_refuted


WRONG_RECOMPUTE = [
    (
        "max recomputed from its value",
        c.group(c.LARGEST),
        c.everything(c.group(c.LARGEST)),
        [c.fixed(c.K, c.X)],
    ),
    ("limit", c.LIMIT, c.everything(c.LIMIT), [c.fixed(c.K, c.X)]),
    ("sample", c.SAMPLE, c.everything(c.SAMPLE), [c.fixed(c.K, c.X)]),
    ("drop duplicates", c.DROP_DUPLICATES, c.everything(c.DROP_DUPLICATES), [c.fixed(c.K, c.X)]),
    ("left's right", c.join(JoinKind.LEFT), c.fixed(c.K, c.Y), [K_FIXED, c.fixed(c.Y)]),
    ("anti's right is needed", c.join(JoinKind.ANTI), c.everything(c.join(JoinKind.ANTI)), [None, NOTHING]),
    ("except's right is needed", c.EXCEPT, c.everything(c.EXCEPT), [None, NOTHING]),
    ("global count", c.group(c.COUNTED, keys=False), c.fixed(c.COUNT), [c.POSITIVE]),
]


@pytest.mark.parametrize(
    ("operator", "selection", "cut"), [r[1:] for r in WRONG_RECOMPUTE], ids=[r[0] for r in WRONG_RECOMPUTE]
)
def test_a_cut_that_changes_the_result_is_refuted(
    operator: Operator, selection: Expression, cut: list[Expression | None]
) -> None:
    verification = _verification(operator, selection, enumerate(cut))
    assert not verification.recomputes(cut)
    assert verification.recomputes([None] * len(operator.inputs))


def test_nothing_is_pushed_over_a_random_value() -> None:
    random = call("<", call("rand", type_=c.X.type), c.X)
    random = type(random)(random.function, random.arguments, BOOLEAN, deterministic=False)
    from dataclasses import replace

    operator = replace(c.FILTER, condition=random)
    (pushed,) = push_down(operator, c.everything(operator))
    assert pushed.lineage is None
    assert not pushed.is_exact


@pytest.mark.parametrize(
    ("columns", "is_exact"), [("price name", True), ("price", False), ("name", False), ("", False)]
)
def test_what_is_sound_of_a_predicate_is_kept(columns: str, is_exact: bool) -> None:
    """A function may tell -0.0 from 0.0, and rows that differ in this alone share their lineage."""
    price, name, made = (
        column("price", "price", DOUBLE),
        column("name", "name", STRING),
        column("made", "made"),
    )
    label = UserCall("f", "f", (price,), made.type)
    carried = [each for each in (price, name) if each.name in columns.split()]
    named = tuple(Named(each, each) for each in carried)
    project = Project(input=source("t", price, name), columns=(*named, Named(made, label)))
    (pushed,) = push_down(project, c.everything(project))
    assert [describe(part) for part in parts_of(pushed.lineage)] == [
        f"{each.name} <=> :{each.id}" for each in carried
    ]
    assert pushed.is_exact is is_exact
