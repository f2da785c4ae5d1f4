"""Aggregates that return one row's value, in groups and in the cells of a pivot."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir.samples import call, column, number, source
from tests.unit.operators import cases as c
from tests.unit.operators.proofs import is_exact, is_sound, kept, lineage, recomputes

from predtrace.ir.expressions import AggregateCall, Expression
from predtrace.ir.operators import GroupBy, Named, Operator, Pivot, PivotCell, Project
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import INTEGER, LONG
from predtrace.operators.hidden import with_hidden_columns
from predtrace.operators.pushing import all_of

P = column(30, "p")
T = source("t", c.K, c.X, P)
K_FIXED = c.fixed(c.K)
POSITIVE = call(">", P, number(0))
IGNORING = (("ignore_nulls", "true"),)


def one(function: str, *arguments: Expression, **more: object) -> AggregateCall:
    return AggregateCall(function, arguments or (c.X,), INTEGER, **more)  # type: ignore[arg-type]


def traceable(operator: Operator) -> Operator:
    found = with_hidden_columns(operator)
    return found.input if isinstance(found, Project) else found


def group(*calls: AggregateCall) -> Operator:
    aggregates = tuple(Named(column(20 + at, f"a{at}", f.type), f) for at, f in enumerate(calls))
    return traceable(GroupBy(input=T, keys=(Named(c.K, c.K),), aggregates=aggregates, plan_node=1))


GROUPS = [
    ("max", [one("max")], "(x <=> :20 or :20 is null)", True),
    ("first", [one("first")], "x <=> :20", True),
    ("last", [one("last")], "x <=> :20", True),
    ("any_value", [one("any_value")], "x <=> :20", True),
    ("first, ignore nulls", [one("first", options=IGNORING)], "(x <=> :20 or :20 is null)", True),
    (
        "max_by",
        [one("max_by", c.X, P)],
        "(x <=> :20 and p <=> :extreme.20 or :extreme.20 is null)",
        True,
    ),
    (
        "min_by with FILTER",
        [one("min_by", c.X, P, condition=POSITIVE)],
        "(p > 0 and x <=> :20 and p <=> :extreme.20 or :extreme.20 is null)",
        True,
    ),
    (
        "any of several",
        [one("max"), one("min_by", P, c.X)],
        "(x <=> :20 or :20 is null or p <=> :21 and x <=> :extreme.21 or :extreme.21 is null)",
        True,
    ),
    # NULL may be the value of a row that FILTER lets in, or stand for nobody: the value alone does not tell.
    ("first with FILTER", [one("first", condition=POSITIVE)], "", False),
    (
        "first with FILTER, ignore nulls",
        [one("first", condition=POSITIVE, options=IGNORING)],
        "(p > 0 and x <=> :20 or :20 is null)",
        True,
    ),
    ("beside a count", [one("max_by", c.X, P), AggregateCall("count", (), LONG)], "", True),
]


@pytest.mark.parametrize(("calls", "wanted", "exact"), [r[1:] for r in GROUPS], ids=[r[0] for r in GROUPS])
def test_the_rows_that_a_value_was_taken_from(calls: list[AggregateCall], wanted: str, exact: bool) -> None:
    operator = group(*calls)
    selected = c.everything(operator)
    assert lineage(operator, selected) == [(f"k <=> :1 and {wanted}" if wanted else "k <=> :1", exact)]
    assert kept(operator, selected) == ["k <=> :1"]


def test_wrong_rules_of_one_row_aggregates_are_refuted() -> None:
    latest, first = group(one("max_by", c.X, P)), group(one("first"))
    value = call("<=>", c.X, Parameter("20", INTEGER))
    extreme = call("<=>", P, Parameter("extreme.20", INTEGER))
    assert not is_exact(latest, c.everything(latest), all_of((K_FIXED, value))), "x beside a smaller p"
    assert not is_exact(latest, c.everything(latest), all_of((K_FIXED, extreme))), "a tie with another x"
    assert not is_sound(latest, c.everything(latest), all_of((K_FIXED, value, extreme, call("isnotnull", P))))
    assert not is_sound(first, c.everything(first), call("isnotnull", c.X)), "the first value may be NULL"
    assert not is_exact(first, c.everything(first), K_FIXED), "other values"
    assert not recomputes(first, c.everything(first), all_of((K_FIXED, value))), "another would be the first"
    # One aggregate that needs the whole group makes all of it count.
    beside = group(one("max_by", c.X, P), AggregateCall("count", (), LONG))
    assert not is_sound(beside, c.everything(beside), all_of((K_FIXED, value)))


def pivot(*calls: AggregateCall, values: tuple[int, ...] = (1, 2), missing_is_null: bool = True) -> Operator:
    cells = []
    for at, value in enumerate(values):
        named = tuple(Named(column(50 + 10 * at + i, "r"), f) for i, f in enumerate(calls))
        result: Expression = named[0].column
        if len(named) > 1:
            result = call("+", *(n.column for n in named), type_=INTEGER)
        cells.append(PivotCell(column(40 + at, f"cell {value}"), number(value), named, result))
    return traceable(
        Pivot(
            input=T,
            keys=(Named(c.K, c.K),),
            pivot=P,
            cells=tuple(cells),
            missing_is_null=missing_is_null,
            plan_node=1,
        )
    )


SUM = AggregateCall("sum", (c.X,), INTEGER)
PIVOTS = [
    ("sum", [SUM], "(not :pivoted.40 or p <=> 1 or p <=> 2)", True),
    (
        "max",
        [one("max")],
        "(not :pivoted.40 or p <=> 1 and (x <=> :40 or :40 is null) or p <=> 2 and (x <=> :41 or :41 is null))",
        True,
    ),
    # The sum of two values does not tell either.
    ("max plus min", [one("max"), one("min")], "(not :pivoted.40 or p <=> 1 or p <=> 2)", False),
]


@pytest.mark.parametrize("missing_is_null", [True, False])
@pytest.mark.parametrize(("calls", "wanted", "exact"), [r[1:] for r in PIVOTS], ids=[r[0] for r in PIVOTS])
def test_pivots(calls: list[AggregateCall], wanted: str, exact: bool, missing_is_null: bool) -> None:
    operator = pivot(*calls, missing_is_null=missing_is_null)
    selected = c.everything(operator)
    assert lineage(operator, selected) == [(f"k <=> :1 and {wanted}", exact)]
    assert kept(operator, selected) == ["k <=> :1"]


def test_wrong_rules_of_pivots_are_refuted() -> None:
    operator = pivot(SUM)
    selected = c.everything(operator)
    cells = call("or", call("<=>", P, number(1)), call("<=>", P, number(2)))
    assert not is_sound(operator, selected, all_of((K_FIXED, cells))), "no row may have a pivoted value"
    assert not is_exact(operator, selected, K_FIXED), "other pivot values"
    assert not recomputes(operator, selected, all_of((K_FIXED, cells))), "a group without cells is a row"
    # Without the flag, nothing tells the two apart.
    visible = c.fixed(*operator.output[:-1])
    assert lineage(operator, visible) == [("k <=> :1", False)]


def test_a_pivot_without_keys_returns_a_row_whatever_its_input() -> None:
    keyed = pivot(SUM)
    assert isinstance(keyed, Pivot)
    operator = replace(keyed, keys=())
    selected = c.everything(operator)
    assert lineage(operator, selected) == [("not :pivoted.40 or p <=> 1 or p <=> 2", True)]
    assert kept(operator, selected) == ["everything"]
