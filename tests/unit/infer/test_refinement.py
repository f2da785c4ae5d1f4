"""Which sets narrow which: small plans where it is known."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.ir import samples
from tests.unit.ir.samples import call, column, number
from tests.unit.operators import cases as c

from predtrace.infer.refinement import TupleSet, refine
from predtrace.ir.expressions import AggregateCall, Cast
from predtrace.ir.operators import Filter, GroupBy, Join, JoinKind, Named, Operator, Project, Union
from predtrace.ir.printing import describe
from predtrace.ir.types import DOUBLE, INTEGER, LONG
from predtrace.operators.pushing import NOTHING

TOTAL = column(50, "total", LONG)
COUNT = Named(TOTAL, AggregateCall("count", (), LONG))


def _by_x(below: Operator) -> GroupBy:
    return GroupBy(input=below, keys=(Named(c.X, c.X),), aggregates=(COUNT,))


def _narrowings(found: TupleSet) -> list[str]:
    return [
        f"{'no' if n.excluding else 'some'} {n.by}: {describe(n.predicate)}"
        for n in dict.fromkeys(found.narrowings)
    ]


def _sets(operator: Operator, evaluate: int = 1) -> dict[str, list[str]]:
    return {found.name: _narrowings(found) for found in refine(operator, evaluate)}


def test_a_semi_join_narrows_both_its_sources() -> None:
    assert _sets(_by_x(c.join(JoinKind.SEMI))) == {
        "source_0": ["some source_1: k = :source_1.3"],
        "source_1": ["some source_0: :source_0.1 = j"],
    }


def test_an_outer_join_narrows_its_other_side_only() -> None:
    assert _sets(_by_x(c.join(JoinKind.LEFT))) == {
        "source_0": [],
        "source_1": ["some source_0: :source_0.1 = j"],
    }


def test_unless_a_condition_above_rejects_its_nulls() -> None:
    above = Filter(input=c.join(JoinKind.LEFT), condition=call("<", c.X, c.Y))
    assert _sets(_by_x(above)) == {
        "source_0": ["some source_1: k = :source_1.3 and x < :source_1.4"],
        "source_1": ["some source_0: :source_0.1 = j and :source_0.2 < y"],
    }


def test_the_key_is_an_expression_over_the_source() -> None:
    key = column(20, "key")
    doubled = Project(input=c.B, columns=(Named(key, call("+", c.J, c.J, type_=INTEGER)),))
    join = Join(left=c.A, right=doubled, kind=JoinKind.SEMI, condition=call("=", c.K, key))
    assert _sets(_by_x(join)) == {
        "source_0": ["some source_1: k = :source_1.3 + :source_1.3"],
        "source_1": ["some source_0: :source_0.1 = j + j"],
    }


def test_an_anti_join_excludes_what_its_inner_source_matches() -> None:
    inner = Filter(input=c.B, condition=call(">", c.Y, number(0)))
    anti = Join(left=c.A, right=inner, kind=JoinKind.ANTI, condition=c.EQUAL)
    outer, of_inner, outside = refine(_by_x(anti))
    assert _narrowings(outer) == [f"no {outside.name}: k = :{outside.name}.3"]
    assert of_inner.selection == NOTHING
    assert outside.outside
    assert outside.selection == call(">", c.Y, number(0))


def test_an_anti_join_excludes_nothing_where_its_inner_is_not_known_in_full() -> None:
    some = Join(
        left=c.B,
        right=samples.source("s", column(30, "s"), reference=2),
        kind=JoinKind.SEMI,
        condition=call("=", c.Y, column(30, "s")),
    )
    random = Filter(
        input=c.B, condition=call("<", replace(call("rand", type_=DOUBLE), deterministic=False), c.Y)
    )
    for inner in (some, random):
        anti = Join(left=c.A, right=inner, kind=JoinKind.ANTI, condition=c.EQUAL)
        assert not any(found.narrowings for found in refine(_by_x(anti)))


def test_a_union_ties_nothing() -> None:
    join = Join(
        left=Union(branches=(c.A, c.B), columns=c.OUT, keep_duplicates=True),
        right=samples.source("s", column(30, "s"), reference=2),
        kind=JoinKind.SEMI,
        condition=call("=", c.OUT[0], column(30, "s")),
    )
    found = _sets(GroupBy(input=join, keys=(), aggregates=(COUNT,)))
    # Each branch is narrowed by what the union is joined with; that may stand beside a row of either branch.
    assert found == {
        "source_0": ["some source_2: k = :source_2.30"],
        "source_1": ["some source_2: j = :source_2.30"],
        "source_2": [],
    }


def _above_count() -> Operator:
    """Rows of a whose x is above the number of b's rows with the same key."""
    counted = GroupBy(input=c.B, keys=(Named(c.J, c.J),), aggregates=(COUNT,), plan_node=1)
    condition = call("and", c.EQUAL, call(">", Cast(c.X, LONG), TOTAL))
    return _by_x(Join(left=c.A, right=counted, kind=JoinKind.INNER, condition=condition))


def test_what_no_source_row_tells_is_evaluated() -> None:
    assert _sets(_above_count()) == {
        "source_0": [
            "some source_1: k = :source_1.3",
            "some evaluated_2: k = :evaluated_2.3 and cast(x as bigint) > :evaluated_2.50",
        ],
        "source_1": ["some evaluated_2: j <=> :evaluated_2.3", "some source_0: :source_0.1 = j"],
        "evaluated_2": [
            "some source_1: j <=> :source_1.3",
            "some source_0: :source_0.1 = j and cast(:source_0.2 as bigint) > total",
        ],
    }


def test_without_evaluation_only_sources_are_read() -> None:
    assert set(_sets(_above_count(), evaluate=0)) == {"source_0", "source_1"}


def test_a_sum_that_may_differ_between_runs_narrows_nothing() -> None:
    total = column(51, "sum", DOUBLE)
    summed = Named(total, AggregateCall("sum", (c.Y,), DOUBLE))
    grouped = GroupBy(input=c.B, keys=(Named(c.J, c.J),), aggregates=(summed,), plan_node=1)
    condition = call("and", c.EQUAL, call(">", Cast(c.X, DOUBLE), total))
    found = _sets(_by_x(Join(left=c.A, right=grouped, kind=JoinKind.INNER, condition=condition)))
    assert found == {
        "source_0": ["some source_1: k = :source_1.3"],
        "source_1": ["some source_0: :source_0.1 = j"],
    }
