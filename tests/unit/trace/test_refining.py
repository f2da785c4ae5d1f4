"""Sets that narrow each other, over Parquet files with no Spark in sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.unit.ir import samples
from tests.unit.ir.samples import call, column, number
from tests.unit.operators import cases as c

from predtrace.engines.duckdb import DuckEngine
from predtrace.engines.duckdb_frames import DuckFrame
from predtrace.infer.refinement import refine
from predtrace.ir.expressions import AggregateCall, Column
from predtrace.ir.operators import (
    FileState,
    Filter,
    Fingerprint,
    GroupBy,
    Join,
    JoinKind,
    Named,
    Operator,
    Source,
)
from predtrace.ir.spark_sql import column_name
from predtrace.ir.types import LONG
from predtrace.plan.refinement_plan import RefinementPlan, refinement_plan
from predtrace.trace.refining import Refinement

A = [(1, 7), (1, 7), (2, 7), (3, 8), (None, 7), (4, 7)]
B = [(1, 1), (1, 5), (4, 9), (None, 3), (5, 5)]
COUNT = Named(column(50, "n", LONG), AggregateCall("count", (), LONG))


class _Sources:
    """Small tables as files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def table(self, source: Source, rows: Sequence[tuple[int | None, ...]]) -> Source:
        path = self.folder / f"{source.descriptor.name}.parquet"
        _write(path, [column.name for column in source.columns], rows)
        state = Fingerprint("files", (FileState(str(path), path.stat().st_size, 0),))
        there = replace(source.descriptor, locations=(path.as_uri(),), options=(), fingerprint=state)
        return replace(source, descriptor=there)


def _write(path: Path, names: list[str], rows: Sequence[tuple[int | None, ...]]) -> None:
    columns = [pa.array([row[at] for row in rows], pa.int32()) for at in range(len(names))]
    pa.parquet.write_table(pa.table(columns, names), path)


@pytest.fixture
def sources(tmp_path: Path) -> _Sources:
    """Return what makes tables of sources."""
    return _Sources(tmp_path)


def _refined(
    operator: Operator, sources: _Sources, target: int = 7
) -> tuple[RefinementPlan, Refinement[DuckFrame]]:
    """The refinement of the target row with this x."""
    plan = refinement_plan(refine(operator), operator)
    plan = plan.knowing(plan.target)
    found = {each.reference: each.descriptor for each in _leaves(operator) if each.reference is not None}
    engine = DuckEngine(found)
    path = sources.folder / "target.parquet"
    names = [column_name(each) for each in plan.target]
    pa.parquet.write_table(pa.table([pa.array([target], pa.int32()), pa.array([1], pa.int64())], names), path)
    return plan, Refinement(plan, engine, engine.rows([str(path)], plan.target))


def _leaves(operator: Operator) -> list[Source]:
    below = [leaf for each in operator.inputs for leaf in _leaves(each)]
    return [operator] if isinstance(operator, Source) else below


def _by_x(below: Operator) -> GroupBy:
    return GroupBy(input=below, keys=(Named(c.X, c.X),), aggregates=(COUNT,))


def _rows(refinement: Refinement[DuckFrame], *references: int) -> list[tuple[int | None, ...]]:
    table = refinement.lineage(references).to_arrow()
    return sorted(zip(*(part.to_pylist() for part in table.columns), strict=True), key=repr)


def test_rows_without_a_partner_go_and_duplicates_stay(sources: _Sources) -> None:
    a, b = sources.table(c.A, A), sources.table(c.B, B)
    join = Join(left=a, right=b, kind=JoinKind.SEMI, condition=c.EQUAL)
    _, refinement = _refined(_by_x(join), sources)
    assert _rows(refinement, 0) == [(1, 7), (1, 7), (4, 7)]
    assert _rows(refinement, 1) == [(1, 1), (1, 5), (4, 9)]


def test_narrowing_travels_as_far_as_it_goes_and_the_rounds_are_told(sources: _Sources) -> None:
    """Only b's last link ends in c; b and a learn it one after the other, from the far end."""
    keys = [column(60, "from"), column(61, "to")]
    a, b = sources.table(c.A, [(1, 7), (2, 7)]), sources.table(c.B, [(1, 10), (2, 20)])
    third = sources.table(samples.source("c", *keys, reference=2), [(20, 0)])
    inner = Join(left=b, right=third, kind=JoinKind.SEMI, condition=call("=", c.Y, keys[0]))
    join = Join(left=a, right=inner, kind=JoinKind.SEMI, condition=c.EQUAL)
    _, refinement = _refined(_by_x(join), sources)
    assert (_rows(refinement, 0), _rows(refinement, 1), _rows(refinement, 2)) == (
        [(2, 7)],
        [(2, 20)],
        [(20, 0)],
    )
    sizes = [sum(each.values()) for each in refinement.rounds]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 3


def test_an_empty_set_means_no_rows(sources: _Sources) -> None:
    a, b = sources.table(c.A, A), sources.table(c.B, [])
    join = Join(left=a, right=b, kind=JoinKind.SEMI, condition=c.EQUAL)
    _, refinement = _refined(_by_x(join), sources)
    assert (_rows(refinement, 0), _rows(refinement, 1)) == ([], [])


def test_an_anti_join_cuts_its_outer_side_and_a_null_matches_nothing(sources: _Sources) -> None:
    a, b = sources.table(c.A, A), sources.table(c.B, B)
    inner = Filter(input=b, condition=call(">", c.Y, number(4)))
    join = Join(left=a, right=inner, kind=JoinKind.ANTI, condition=c.EQUAL)
    _, refinement = _refined(_by_x(join), sources)
    assert _rows(refinement, 0) == [(2, 7), (None, 7)]
    assert _rows(refinement, 1) == []


def test_where_a_null_matches_everything_nothing_is_left(sources: _Sources) -> None:
    a, b = sources.table(c.A, A), sources.table(c.B, B)
    condition = call("or", c.EQUAL, call("isnull", c.EQUAL))
    join = Join(left=a, right=b, kind=JoinKind.ANTI, condition=condition)
    _, refinement = _refined(_by_x(join), sources)
    assert _rows(refinement, 0) == []


def test_references_to_one_source_are_taken_together(sources: _Sources) -> None:
    """A self join: what either reference keeps, each row once."""
    a = sources.table(c.A, [(1, 7), (7, 1), (3, 3)])
    again: tuple[Column, ...] = (column(70, "k"), column(71, "x"))
    second = replace(a, columns=again, reference=1)
    join = Join(left=a, right=second, kind=JoinKind.SEMI, condition=call("=", c.K, again[1]))
    plan, refinement = _refined(_by_x(join), sources)
    assert (_rows(refinement, 0), _rows(refinement, 1)) == ([(1, 7)], [(7, 1)])
    assert _rows(refinement, 0, 1) == [(1, 7), (7, 1)]
    assert not plan.exact


def test_what_is_exact_for_a_known_row_is_narrowed_for_one_known_in_part(sources: _Sources) -> None:
    a, b = sources.table(c.A, A), sources.table(c.B, B)
    join = Join(left=a, right=b, kind=JoinKind.INNER, condition=c.EQUAL)
    grouped = GroupBy(input=join, keys=(Named(c.X, c.X), Named(c.K, c.K)), aggregates=(COUNT,))
    plan = refinement_plan(refine(grouped), grouped)
    all_known, x_known = plan.knowing(plan.target), plan.knowing([c.X])
    assert all_known.exact
    assert not any(one.narrowings for one in all_known.sets)
    assert [column.id for column in x_known.target] == [c.X.id]
    engine = DuckEngine({0: a.descriptor, 1: b.descriptor})
    path = sources.folder / "target.parquet"
    pa.parquet.write_table(pa.table([pa.array([7], pa.int32())], [column_name(c.X)]), path)
    refinement = Refinement(x_known, engine, engine.rows([str(path)], x_known.target))
    assert _rows(refinement, 0) == [(1, 7), (1, 7), (4, 7)]
    assert _rows(refinement, 1) == [(1, 1), (1, 5), (4, 9)]
