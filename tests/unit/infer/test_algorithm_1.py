"""Which results are needed, and why: small plans where the choice is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import pytest
from tests.unit.ir import samples
from tests.unit.ir.samples import call, column, number
from tests.unit.operators import cases as c

from predtrace.infer import algorithm_1
from predtrace.infer.algorithm_1 import infer
from predtrace.infer.selections import EXACT
from predtrace.infer.verify import PushedDown, push_down
from predtrace.ir.expressions import AggregateCall, Column, Literal
from predtrace.ir.operators import Filter, GroupBy, Join, JoinKind, Limit, Named, Operator, Project
from predtrace.ir.printing import describe
from predtrace.ir.types import BOOLEAN, DOUBLE, LONG

Node = TypeVar("Node", bound=Operator)

TOTAL, NUMBER = column(51, "total", DOUBLE), column(52, "number", LONG)
COUNT = Named(NUMBER, AggregateCall("count", (), LONG))
SUM = Named(TOTAL, AggregateCall("sum", (c.X,), DOUBLE))
SEMI = c.join(JoinKind.SEMI)


def _node(operator: Node, number: int = 1) -> Node:
    return replace(operator, plan_node=number)


def _by_x(below: Operator) -> GroupBy:
    """Its groups leave the key of the join below open, so that is needed."""
    return GroupBy(input=below, keys=(Named(c.X, c.X),), aggregates=(COUNT,))


def test_the_operator_that_refutes_is_needed() -> None:
    semi = _node(SEMI)
    inferred = infer(_by_x(semi))
    (need,) = inferred.needed
    assert need.operator is semi
    assert describe(need.lookup) == "x <=> :target.2"  # type: ignore[arg-type]
    assert inferred.exact
    assert [source.given for source in inferred.sources] == ["needed_1", "needed_1"]


def test_where_it_cannot_be_asked_for_one_above_it_is() -> None:
    above = _node(Filter(input=SEMI, condition=c.POSITIVE))
    (need,) = infer(_by_x(above)).needed
    assert need.operator is above


def test_where_none_above_it_helps_the_sources_say_why_they_are_not_exact() -> None:
    inferred = infer(_node(_by_x(SEMI)))
    assert inferred.needed == ()
    assert [source.why_not_exact.split(":")[0] for source in inferred.sources] == ["SemiJoin", "SemiJoin"]


def test_one_result_does_for_two() -> None:
    """Both semi joins leave their key open; the join above them has both keys."""
    third, fourth = column(61, "p"), column(62, "q")
    sides = [
        Join(
            left=left,
            right=samples.source("s", key, reference=n),
            kind=JoinKind.SEMI,
            condition=call("=", key, on),
        )
        for left, key, on, n in ((c.A, third, c.X, 2), (c.B, fourth, c.Y, 3))
    ]
    join = Join(left=sides[0], right=sides[1], kind=JoinKind.INNER, condition=c.EQUAL)
    inferred = infer(GroupBy(input=join, keys=(Named(c.K, c.K),), aggregates=(COUNT,)))
    assert inferred.exact
    assert [need.operator for need in inferred.needed] == [join]


def test_a_needed_result_moves_up_as_far_as_it_identifies_its_rows() -> None:
    project = Project(
        input=Filter(input=SEMI, condition=c.POSITIVE), columns=(Named(c.K, c.K), Named(c.X, c.X))
    )
    (need,) = infer(_by_x(project)).needed
    assert need.operator is project
    assert need.why.startswith("SemiJoin: "), "what it is needed for"
    without_key = Project(input=project, columns=(Named(c.X, c.X),))
    (need,) = infer(_by_x(without_key)).needed
    assert need.operator is project


def test_rows_of_a_needed_result_are_told_apart_by_few_columns() -> None:
    carried = column(70, "carried")
    wide = samples.source("a", c.K, c.X, carried)
    semi = Join(left=wide, right=c.B, kind=JoinKind.SEMI, condition=c.EQUAL)
    inferred = infer(_by_x(semi))
    assert inferred.exact
    assert "carried" not in " ".join(describe(source.predicate) for source in inferred.sources)  # type: ignore[arg-type]


def test_neither_conditions_on_a_row_alone_nor_both_sides_of_an_equality_are_kept() -> None:
    """b is joined with a by j and with s by j: the values of j tell the rows of all three."""
    checked, computed = column(70, "checked"), column(71, "computed")
    wide = samples.source("a", c.K, c.X, checked)
    left = Project(
        input=Filter(input=wide, condition=call(">", checked, number(0))),
        columns=(
            *(Named(each, each) for each in wide.columns),
            Named(computed, call("+", c.K, checked, type_=c.K.type)),
        ),
    )
    third = samples.source("s", column(61, "p"), reference=2)
    first = Join(left=left, right=c.B, kind=JoinKind.INNER, condition=c.EQUAL)
    both = Join(left=first, right=third, kind=JoinKind.INNER, condition=call("=", c.J, column(61, "p")))
    inferred = infer(_by_x(both))
    assert inferred.exact
    assert [need.operator for need in inferred.needed] == [both]
    assert [describe(source.predicate) for source in inferred.sources] == [  # type: ignore[arg-type]
        "x <=> :needed_1.2 and k <=> :needed_1.3 and checked > 0",
        "j <=> :needed_1.3",
        "p <=> :needed_1.3",
    ]


def test_a_filter_above_an_outer_join_shows_that_there_was_a_partner() -> None:
    """The lookup demands y > 0, which NULLs do not meet: so the semi join on the right has the row."""
    right = Join(
        left=c.B,
        right=samples.source("s", column(61, "p"), reference=2),
        kind=JoinKind.SEMI,
        condition=call("=", column(61, "p"), c.Y),
    )
    outer = Join(left=c.A, right=right, kind=JoinKind.LEFT, condition=c.EQUAL)
    shown = Filter(input=outer, condition=call(">", c.Y, number(0)))
    for above, results in ((shown, 1), (outer, 2)):
        inferred = infer(GroupBy(input=above, keys=(), aggregates=(COUNT,)))
        assert inferred.exact
        assert len(inferred.needed) == results


def _flagged(below: Operator, number: int) -> tuple[Project, Column]:
    flag = Column(column(number, "flag").id, "flag", BOOLEAN, False)
    named = (*(Named(each, each) for each in below.output), Named(flag, Literal(True, BOOLEAN)))
    return Project(input=below, columns=named), flag


def test_a_match_flag_makes_existence_conditional() -> None:
    """Below a full outer join a semi join's rows are there if the flag is not NULL, and only then selected."""
    right = Join(
        left=c.B,
        right=samples.source("s", column(61, "p"), reference=2),
        kind=JoinKind.SEMI,
        condition=call("=", column(61, "p"), c.J),
    )
    with_flag = Join(
        left=_flagged(c.A, 81)[0], right=_flagged(right, 82)[0], kind=JoinKind.FULL, condition=c.EQUAL
    )
    inferred = infer(with_flag)
    assert inferred.exact
    assert inferred.needed == ()
    of_inner = inferred.sources[2]
    assert "true <=> :target.82" in describe(of_inner.predicate)  # type: ignore[arg-type]
    # Without it, NULLs may stand for a row of NULLs or for none.
    assert not infer(Join(left=c.A, right=right, kind=JoinKind.FULL, condition=c.EQUAL)).exact


def test_steps_tell_what_reached_each_operator() -> None:
    group = _by_x(SEMI)
    steps = infer(group).steps
    assert [step.operator for step in steps] == [group, SEMI, c.A, c.B]
    assert [step.needed for step in steps] == ["", "needed_1", "", ""]
    assert [step.given for step in steps] == ["target", "target", "needed_1", "needed_1"]
    assert [step.verdicts for step in steps] == [(EXACT,), (EXACT, EXACT), (), ()]


def test_an_operator_without_a_rule_is_not_needed_in_vain() -> None:
    limited = Limit(input=c.A, count=1)
    inferred = infer(
        GroupBy(
            input=limited, keys=(), aggregates=(Named(c.MAXIMUM, AggregateCall("max", (c.X,), c.X.type)),)
        )
    )
    assert inferred.exact
    assert [need.operator for need in inferred.needed] == [limited]


class TestWithoutColumnsThatDifferBetweenRuns:
    WITHOUT = frozenset({TOTAL.id})

    def test_they_are_in_no_selection(self) -> None:
        summed = GroupBy(input=SEMI, keys=(Named(c.K, c.K),), aggregates=(SUM,))
        inferred = infer(summed, self.WITHOUT)
        assert inferred.exact
        assert all(
            "51" not in describe(step.selection) for step in inferred.steps if step.selection is not None
        )

    def test_rows_that_only_they_tell_apart_are_not_exact(self) -> None:
        summed = GroupBy(input=c.A, keys=(Named(c.K, c.K),), aggregates=(SUM,))
        only = Project(input=summed, columns=(Named(TOTAL, TOTAL),))
        assert infer(only).exact
        inferred = infer(only, self.WITHOUT)
        assert "may differ between runs" in inferred.sources[0].why_not_exact

    def test_keys_tell_groups_apart_through_joins_and_projections(self) -> None:
        summed = GroupBy(input=c.A, keys=(Named(c.K, c.K),), aggregates=(SUM,))
        join = Join(left=summed, right=c.B, kind=JoinKind.INNER, condition=c.EQUAL)
        twice = Named(column(91, "twice", DOUBLE), call("+", TOTAL, TOTAL, type_=DOUBLE))
        kept = Project(input=join, columns=(Named(c.K, c.K), Named(c.Y, c.Y), twice))
        lost = Project(input=join, columns=(Named(c.Y, c.Y), twice))
        left_out = self.WITHOUT | {twice.column.id}
        assert infer(kept, left_out).exact
        assert not infer(lost, left_out).exact


def _rounds(count: int) -> Operator:
    """Groups over semi joins, one after the other, with some projections between them: each join is needed."""
    below: Operator = samples.source("a", column("k0", "k"), column("x0", "x"))
    for at in range(1, count + 1):
        key, grouped = below.output
        other = column(f"j{at}", "j", key.type)
        semi = Join(
            left=below,
            right=samples.source(f"b{at}", other, reference=at),
            kind=JoinKind.SEMI,
            condition=call("=", key, other),
        )
        counted = Named(column(f"n{at}", "n", LONG), AggregateCall("count", (), LONG))
        below = GroupBy(input=semi, keys=(Named(grouped, grouped),), aggregates=(counted,))
        for step in range(4):
            first, second = below.output
            more = call("+", second, number(1, LONG), type_=LONG)
            below = Project(
                input=below, columns=(Named(first, first), Named(column(f"n{at}.{step}", "n", LONG), more))
            )
    return below


def test_twice_as_many_steps_take_about_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(rounds: int) -> int:
        pushed = []

        def push(operator: Operator, *arguments: Any) -> tuple[PushedDown, ...]:
            pushed.append(operator)
            return push_down(operator, *arguments)

        with monkeypatch.context() as patch:
            patch.setattr(algorithm_1, "push_down", push)
            inferred = infer(_rounds(rounds))
        assert inferred.exact
        assert [need.name for need in inferred.needed] == [f"needed_{n}" for n in range(1, rounds + 1)]
        return len(pushed)

    assert counted(8) < 3 * counted(4)
