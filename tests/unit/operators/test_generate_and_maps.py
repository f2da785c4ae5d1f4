"""Generators, Python functions of groups, lateral joins, limits within groups."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.ir.samples import call, column, number
from tests.unit.operators import cases as c
from tests.unit.operators.proofs import is_exact, is_sound, kept, lineage, recomputes

from predtrace.infer.verify import push_down
from predtrace.ir.expressions import OuterColumn
from predtrace.ir.operators import (
    CoGroupedMap,
    Filter,
    Generate,
    GroupedMap,
    JoinKind,
    LateralJoin,
    Limit,
    Operator,
    Project,
)
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import INTEGER
from predtrace.operators.hidden import with_hidden_columns
from predtrace.operators.pushing import NOTHING

ELEMENT = column(20, "element")
K_FIXED = c.fixed(c.K)


def explode(outer: bool = False) -> Generate:
    return Generate(
        input=c.A, generator=call("explode", c.X, type_=INTEGER), generated=(ELEMENT,), outer=outer
    )


def test_a_generated_row_tells_the_row_it_came_from() -> None:
    for operator in (explode(), explode(outer=True)):
        selected = c.everything(operator)
        assert lineage(operator, selected) == [("k <=> :1 and x <=> :2", True)]
        assert kept(operator, selected) == ["k <=> :1 and x <=> :2"]
        # What was exploded is left open: other rows may not have held the element.
        assert lineage(operator, c.fixed(c.K, ELEMENT)) == [("k <=> :1", False)]
        assert kept(operator, c.fixed(c.K, ELEMENT)) == ["k <=> :1"]


def test_wrong_rules_of_generators_are_refuted() -> None:
    selected = c.fixed(c.K, ELEMENT)
    same_value = call("<=>", c.X, number(1))
    assert not is_sound(explode(), selected, same_value)
    assert not is_exact(explode(), selected, K_FIXED)
    assert not recomputes(explode(), selected, call(">", c.X, number(0)))


def test_a_row_that_yields_none_comes_out_only_if_it_is_kept() -> None:
    assert lineage(explode(), K_FIXED) == [("k <=> :1", False)]
    assert lineage(explode(outer=True), K_FIXED) == [("k <=> :1", True)]


OUT = (column(30, "a"), column(31, "b"))
MAP = GroupedMap(input=c.A, keys=(c.K,), arguments=(c.K, c.X), function="f", function_name="f", columns=OUT)
COMAP = CoGroupedMap(
    left=c.A,
    right=c.B,
    left_keys=(c.K,),
    left_arguments=(c.X,),
    right_keys=(c.J,),
    right_arguments=(c.Y,),
    function="f",
    function_name="f",
    columns=OUT,
)


def with_keys(operator: Operator) -> Operator:
    found = with_hidden_columns(operator)
    assert isinstance(found, Project)
    assert found.output == operator.output
    return found.input


def test_the_key_of_a_group_selects_its_rows() -> None:
    operator = with_keys(MAP)
    selected = c.everything(operator)
    assert lineage(operator, selected) == [("k <=> :key.0.1", True)]
    assert kept(operator, selected) == ["k <=> :key.0.1"]
    assert lineage(operator, c.fixed(*OUT)) == [("everything", False)]
    # Without the hidden key no group can be told from another.
    assert lineage(MAP, c.everything(MAP)) == [("everything", False)]


def test_both_groups_of_a_cogrouped_map_count() -> None:
    operator = with_keys(COMAP)
    selected = c.everything(operator)
    assert lineage(operator, selected) == [("k <=> :key.0.1", True), ("j <=> :key.0.1", True)]
    assert kept(operator, selected) == ["k <=> :key.0.1", "j <=> :key.0.1"]
    # Either group may be empty, so neither is known to have a row.
    assert [part.exists_if for part in push_down(operator, selected)] == [NOTHING, NOTHING]


def test_wrong_rules_of_maps_are_refuted() -> None:
    operator, both = with_keys(MAP), with_keys(COMAP)
    key = call("<=>", c.K, Parameter("key.0.1", INTEGER))
    narrow = call("and", key, call(">", c.X, number(0)))
    assert not is_sound(operator, c.everything(operator), narrow)
    assert not recomputes(operator, c.everything(operator), narrow)
    assert not is_exact(operator, c.everything(operator), None)
    assert not is_sound(both, c.everything(both), NOTHING, at=1)
    assert not recomputes(both, c.everything(both), None, NOTHING), "the other group is an argument"


def test_nothing_is_claimed_of_a_function_that_may_return_other_rows() -> None:
    for operator in (with_keys(replace(MAP, deterministic=False)), replace(COMAP, deterministic=False)):
        assert [part.exact for part in push_down(operator, c.everything(operator))] == [None] * len(
            operator.inputs
        )


RIGHT = Filter(input=c.B, condition=call("=", c.J, OuterColumn(c.K)))
LATERAL = LateralJoin(left=c.A, right=RIGHT, kind=JoinKind.INNER)


def test_a_lateral_join_tells_its_left_row_and_not_which_right_rows_it_had() -> None:
    selected = c.everything(LATERAL)
    assert lineage(LATERAL, selected) == [
        ("k <=> :1 and x <=> :2", True),
        ("j <=> :3 and y <=> :4", True),
    ]
    assert lineage(LATERAL, c.fixed(c.K, c.X)) == [("k <=> :1 and x <=> :2", True), ("everything", False)]
    assert not is_sound(LATERAL, selected, NOTHING, at=1)
    # Below it, what reads the left row has no value of its own.
    (pushed,) = push_down(RIGHT, c.everything(RIGHT))
    assert (pushed.lineage, pushed.exact) == (None, None)


def test_a_limit_within_groups_is_recomputed_from_its_group() -> None:
    operator = Limit(input=c.A, count=1, within=(c.K,))
    assert lineage(operator, c.everything(operator)) == [("k <=> :1 and x <=> :2", True)]
    assert lineage(operator, K_FIXED) == [("k <=> :1", False)], "rows that the cut left out"
    assert kept(operator, c.everything(operator)) == ["k <=> :1"]
    assert not recomputes(operator, c.everything(operator), c.everything(operator))
