"""Hidden columns: what is added, what restores the output, and what it is good for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.ir.samples import call, column, number
from tests.unit.operators import cases as c
from tests.unit.operators.proofs import is_exact, lineage

from predtrace.infer.verify import push_down
from predtrace.ir.expressions import AggregateCall, ColumnId, Frame, FrameKind, SortKey, WindowCall
from predtrace.ir.operators import (
    GroupedMap,
    Join,
    JoinKind,
    Named,
    Operator,
    Pivot,
    PivotCell,
    Project,
    Window,
    walk_operators,
)
from predtrace.ir.printing import describe, explain
from predtrace.ir.serialise import from_text, to_text
from predtrace.ir.types import BOOLEAN, LONG
from predtrace.operators.hidden import with_hidden_columns


def outer(kind: JoinKind, node: int | None = 7) -> Join:
    return replace(c.join(kind), plan_node=node)


def flagged(kind: JoinKind) -> Join:
    found = with_hidden_columns(outer(kind))
    assert isinstance(found, Project)
    assert isinstance(found.input, Join)
    return found.input


@pytest.mark.parametrize(
    "operator",
    [
        c.FILTER,
        c.PROJECT,
        c.LIMIT,
        c.UNION,
        c.group(c.COUNTED),
        c.group(c.LARGEST),
        outer(JoinKind.INNER),
        outer(JoinKind.SEMI),
        outer(JoinKind.ANTI),
        outer(JoinKind.LEFT, node=None),
    ],
    ids=lambda operator: operator.title(),
)
def test_operators_that_need_none_stay_as_they_are(operator: Operator) -> None:
    assert with_hidden_columns(operator) is operator


FLAGS = {
    JoinKind.LEFT: ["matched.right.7"],
    JoinKind.RIGHT: ["matched.left.7"],
    JoinKind.FULL: ["matched.left.7", "matched.right.7"],
}


@pytest.mark.parametrize("kind", FLAGS)
def test_outer_joins_get_a_flag_from_each_side_that_may_be_missing(kind: JoinKind) -> None:
    found = with_hidden_columns(outer(kind))
    assert (found.output, found.plan_node) == (outer(kind).output, 7)
    join = flagged(kind)
    assert join.plan_node == 7
    added = [column for column in join.output if column not in outer(kind).output]
    assert [(column.id, column.type, column.nullable) for column in added] == [
        (name, BOOLEAN, True) for name in FLAGS[kind]
    ]


def test_with_its_flags_a_full_join_tells_a_row_of_nulls_from_no_row() -> None:
    bare, join = outer(JoinKind.FULL), flagged(JoinKind.FULL)
    assert [exact for _, exact in lineage(bare, c.everything(bare))] == [False, False]
    assert [exact for _, exact in lineage(join, c.everything(join))] == [True, True]
    assert not is_exact(join, c.everything(join), c.fixed(c.K, c.X), at=0), "the flag decides"


@pytest.mark.parametrize(("kind", "side"), [(JoinKind.LEFT, 1), (JoinKind.RIGHT, 0), (JoinKind.FULL, 1)])
def test_a_flag_says_under_which_condition_a_row_was_matched(kind: JoinKind, side: int) -> None:
    join = flagged(kind)
    condition = push_down(join, c.everything(join))[side].exists_if
    assert condition is not None
    name = "right" if side else "left"
    assert describe(condition) == f":matched.{name}.7 is not null"


def test_everything_above_sees_the_columns_it_saw_before() -> None:
    tree = replace(c.FILTER, input=outer(JoinKind.LEFT), condition=call(">", c.Y, number(0)))
    found = with_hidden_columns(tree)
    assert found.output == tree.output
    assert explain(found).splitlines() == [
        "Filter y > 0",
        "└─ Project k, x, j, y",
        "   └─ LeftOuterJoin on k = j",
        "      ├─ Source a (parquet: a.parquet)",
        "      └─ Project j, y, matched.right.7 = true",
        "         └─ Source b (parquet: b.parquet)",
    ]
    # The flag's Project is no node of the plan.
    nodes = [operator.plan_node for operator in walk_operators(found) if isinstance(operator, Project)]
    assert nodes == [None, 7]


def test_flags_of_nested_joins_do_not_clash() -> None:
    inner = outer(JoinKind.FULL)
    other = replace(
        c.B,
        columns=tuple(replace(column, id=ColumnId(f"9{column.id}")) for column in c.B.columns),
        reference=2,
    )
    nested = Join(left=inner, right=other, kind=JoinKind.FULL, plan_node=8)
    ids = [
        column.id
        for operator in walk_operators(with_hidden_columns(nested))
        if isinstance(operator, Join)
        for column in operator.output
        if column.id.startswith("matched")
    ]
    assert sorted(ids) == ["matched.left.7", "matched.left.8", "matched.right.7", "matched.right.8"]


def _explained(operator: Operator) -> list[str]:
    return [line.removeprefix("└─ ") for line in explain(with_hidden_columns(operator)).splitlines()[1:-1]]


def test_hidden_columns_are_shown_with_the_operator_that_has_them() -> None:
    total = AggregateCall("sum", (c.X,), LONG)
    rows = Frame(FrameKind.ROWS, number(-1), "current")
    running = Named(column(20, "s", LONG), WindowCall(total, (c.K,), (SortKey(c.X),), rows))
    assert [line.strip() for line in _explained(Window(input=c.A, functions=(running,)))] == [
        "Window s = sum(x) over (partition by k order by x rows between 1 preceding and current row)",
        "└─ RowNumbers position.20 = row_number() over (partition by k order by x)",
    ]
    assert _explained(c.group(c.LATEST)) == ["GroupBy k: m = max_by(x, k), extreme.7 = max(k)"]
    cell = PivotCell(column(21, "one"), number(1), (Named(column(22, "r", LONG), total),), column(22, "r"))
    pivot = Pivot(input=c.A, keys=(), pivot=c.K, cells=(cell,), missing_is_null=True)
    assert _explained(pivot) == ["Pivot sum(x) for k in (1) as pivoted.21"]
    mapped = GroupedMap(
        input=c.A, keys=(c.K,), arguments=(c.X,), function="1", function_name="f", columns=(column(30, "a"),)
    )
    assert _explained(mapped) == ["GroupedMap f of each (k) as key.0.1"]


def test_rewritten_operators_come_back_from_json() -> None:
    for operator in (outer(JoinKind.FULL), c.group(c.LATEST)):
        found = with_hidden_columns(operator)
        assert from_text(to_text(found)) == found
