"""A row that is there and that a key tells from all others is selected by the key alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir.samples import column
from tests.unit.operators import cases as c

from predtrace.infer.algorithm_1 import infer
from predtrace.infer.known_rows import as_far_as_needed
from predtrace.infer.verify import push_down
from predtrace.ir.expressions import AggregateCall, Call, Cast
from predtrace.ir.operators import GroupedMap, Named, OneFor, Operator, Project
from predtrace.ir.predicates import Parameter
from predtrace.ir.printing import describe
from predtrace.ir.types import BOOLEAN, DOUBLE, STRING
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING

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
    assert not of_nobody.is_exact


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
    assert not push_down(labelled, c.everything(labelled), NOTHING)[0].is_exact


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
