"""A row that is there and that a key tells from all others is selected by the key alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir.samples import call, column, number
from tests.unit.operators import cases as c

from predtrace.infer import models
from predtrace.infer.algorithm_1 import infer
from predtrace.infer.known_rows import as_far_as_needed, values_alone
from predtrace.infer.verify import push_down
from predtrace.ir.expressions import AggregateCall, Call, Cast
from predtrace.ir.operators import GroupBy, GroupedMap, Join, JoinKind, Named, OneFor, Operator, Project
from predtrace.ir.operators.sources import UNIQUE
from predtrace.ir.predicates import Parameter
from predtrace.ir.printing import describe
from predtrace.ir.types import BOOLEAN, DOUBLE, LONG, STRING
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING
from predtrace.symbolic.claims import Claim, Outcome
from predtrace.symbolic.solver import prove
from predtrace.symbolic.tables import fresh_table, told_apart
from predtrace.symbolic.terms import conjunction, negation
from predtrace.symbolic.values import null_safe_equal

MEAN, LABEL = column(51, "mean", DOUBLE), column(52, "label", STRING)
GROUPED = c.group(Named(MEAN, AggregateCall("avg", (c.X,), DOUBLE)))
LABELLED = Project(input=GROUPED, columns=(Named(c.K, c.K), Named(LABEL, Cast(MEAN, STRING))))
LABEL_BELOW = Call("=", (Cast(MEAN, STRING), Parameter("label", STRING)), BOOLEAN)
MATCHED = Call("isnotnull", (Parameter("flag", BOOLEAN),), BOOLEAN)


def both(one: Selection, other: Selection) -> Selection:
    assert one is not None
    assert other is not None
    return Call("and", (one, other), BOOLEAN)


@pytest.mark.parametrize(
    ("selection", "exists_if", "expected"),
    [
        (both(c.fixed(c.K), LABEL_BELOW), None, "k <=> :1"),
        (both(c.fixed(c.K, MEAN), LABEL_BELOW), None, "k <=> :1 and mean <=> :51"),
        # It may be that no row is there: what a function says of it decides.
        (both(c.fixed(c.K), LABEL_BELOW), NOTHING, None),
        (both(c.fixed(c.K), LABEL_BELOW), MATCHED, None),
        # Other rows may have this mean, too.
        (both(c.fixed(MEAN), LABEL_BELOW), None, None),
        (LABEL_BELOW, None, None),
        (None, None, None),
    ],
)
def test_what_functions_say_is_left_out_of_rows_that_are_known(
    selection: Selection, exists_if: Selection, expected: str | None
) -> None:
    found = as_far_as_needed(GROUPED, selection, exists_if)
    assert found == selection if expected is None else describe(found) == expected  # type: ignore[arg-type]


def test_rows_of_a_source_may_be_there_twice() -> None:
    selection = both(c.fixed(c.K), LABEL_BELOW)
    assert as_far_as_needed(c.A, selection, None) == selection


def test_a_function_of_a_double_does_not_hinder_a_group_from_being_found() -> None:
    (pushed,) = push_down(LABELLED, c.everything(LABELLED))
    assert pushed.is_exact
    assert describe(pushed.lineage) == "k <=> :1"  # type: ignore[arg-type]
    assert infer(LABELLED).exact
    (of_nobody,) = push_down(LABELLED, c.everything(LABELLED), NOTHING)
    assert of_nobody.is_exact
    assert of_nobody.lineage is not None
    assert "cast(mean as string)" in describe(of_nobody.lineage)


def test_of_the_only_row_there_is_nothing_to_say() -> None:
    """`cast(avg(x) as string)` over a whole table: every row, and no other will do."""
    whole = replace(GROUPED, keys=())
    labelled = Project(input=whole, columns=(Named(LABEL, Cast(MEAN, STRING)),))
    assert as_far_as_needed(whole, LABEL_BELOW, None) is None
    (pushed,) = push_down(labelled, c.everything(labelled))
    assert pushed.is_exact
    assert pushed.lineage is None
    assert pushed.exists_if is None
    assert infer(labelled).exact
    (of_nobody,) = push_down(labelled, c.everything(labelled), NOTHING)
    assert of_nobody.is_exact
    assert of_nobody.lineage is not None


@pytest.mark.parametrize(
    ("one_for", "handed_on", "expected"),
    [
        (OneFor.GROUP, ((1, 0),), "k <=> :31"),
        (OneFor.ROW, ((0, 1),), "k <=> :30"),
        (OneFor.ROW, ((0, 0),), None),  # an argument that is no key
        (OneFor.UNKNOWN, (), None),
    ],
)
def test_a_key_that_a_function_hands_on_tells_its_group(
    one_for: OneFor, handed_on: tuple[tuple[int, int], ...], expected: str | None
) -> None:
    out = (column(30, "a"), column(31, "b"))
    mapped = GroupedMap(
        input=c.A,
        keys=(c.K,),
        arguments=(c.X, c.K),
        function="f",
        function_name="f",
        columns=out,
        one_for=one_for,
        handed_on=handed_on,
    )
    (pushed,) = push_down(mapped, c.everything(mapped))
    assert pushed.is_exact is (expected is not None)
    assert expected is None or describe(pushed.lineage) == expected  # type: ignore[arg-type]
    claimed: Operator = replace(mapped, handed_on=())
    assert not push_down(claimed, c.everything(claimed))[0].is_exact


def numbered() -> Operator:
    """The rows of a file, each with a number."""
    return replace(c.A, descriptor=replace(c.A.descriptor, options=((UNIQUE, '["k"]'),)))


def beside_the_mean(rows: Operator) -> Operator:
    """`x - mean(y)` for each row with a mean that is large enough, as in `df[df.x > df.y.mean()]`."""
    mean = column(61, "mean", LONG)
    of_all = GroupBy(input=c.B, keys=(), aggregates=(Named(mean, AggregateCall("sum", (c.Y,), LONG)),))
    beside = Join(left=rows, right=of_all, kind=JoinKind.INNER, condition=call(">", c.X, mean))
    difference = Named(column(62, "d", LONG), call("-", c.X, mean, type_=LONG))
    return Project(input=beside, columns=(Named(c.K, c.K), difference))


def test_a_row_with_a_number_is_found_by_it_alone() -> None:
    """Whatever was computed of it, and of other tables: nothing is looked up."""
    found = infer(beside_the_mean(numbered()))
    assert found.exact
    assert not found.needed
    assert [source.predicate and describe(source.predicate) for source in found.sources] == [
        "k <=> :target.1",
        None,
    ]


def test_rows_without_a_number_are_looked_up() -> None:
    assert infer(beside_the_mean(c.A)).needed


def test_it_takes_the_number_to_prove_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "unique_keys", lambda operator: ())
    assert infer(beside_the_mean(numbered())).needed


def test_what_is_said_of_computed_values_is_left_out_where_a_key_tells_the_row() -> None:
    rows = numbered()
    positive = call(">", c.X, number(0))
    assert values_alone(rows, both(c.fixed(c.K), positive), None) == c.fixed(c.K)
    for selection, operator, exists_if in (
        (both(c.fixed(c.K), positive), c.A, None),
        (both(c.fixed(c.X), positive), rows, None),
        (both(c.fixed(c.K), positive), rows, MATCHED),
    ):
        assert values_alone(operator, selection, exists_if) == selection


@pytest.mark.parametrize("keys", [[[0]], [[0, 1]], [[]], [[1], [0]]])
def test_rows_that_keys_tell_apart(keys: list[list[int]]) -> None:
    """No two rows are equal in a key; all else is as in any table."""
    table = told_apart(fresh_table("t", (c.K, c.X), 2), keys)
    one, other = table.rows
    for key in keys:
        alike = conjunction(*(null_safe_equal(one.values[at], other.values[at]) for at in key))
        assert prove(Claim(negation(conjunction(one.exists, other.exists, alike)))).is_proved
    assert prove(Claim(negation(other.exists))).outcome is Outcome.REFUTED
    both_exist = prove(Claim(negation(conjunction(one.exists, other.exists)))).outcome
    assert both_exist is (Outcome.PROVED if [] in keys else Outcome.REFUTED)
