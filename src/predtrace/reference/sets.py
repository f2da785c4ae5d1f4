"""Set operations: the equal rows of the branches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.sql import functions as F

from predtrace.ir.operators import Except, Intersect, SetOperation, Union
from predtrace.reference.enclosing import Enclosing, Rules, Tracking, bound
from predtrace.reference.frames import (
    NO_ADDRESSES,
    Tracked,
    collected,
    column_name,
    lineage_column,
    renamed,
    same_values,
)

_COPIES = "predtrace_copies"


def _branches(operator: SetOperation, tracking: Tracking, enclosing: Enclosing | None) -> list[Tracked]:
    """The branches with the operation's own columns; if one is bound to enclosing rows, all are."""
    tracked = [tracking.track(branch, enclosing) for branch in operator.branches]
    if any(branch.bindings for branch in tracked):
        tracked = [bound(branch, enclosing) for branch in tracked]
    return [branch.select(zip(branch.columns, operator.columns, strict=True)) for branch in tracked]


def _with_all_references(branch: Tracked, references: frozenset[int]) -> Tracked:
    cells = [
        F.col(f"`{name}`") if number in branch.references else F.expr(NO_ADDRESSES).alias(name)
        for number in sorted(references)
        for name in [column_name(lineage_column(number))]
    ]
    rows = branch.rows.select(*(F.col(name) for name in branch.values()), *cells)
    return replace(branch, rows=rows, references=references, has_position=False)


def track_union(operator: Union, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    branches = _branches(operator, tracking, enclosing)
    references = frozenset[int]().union(*(branch.references for branch in branches))
    first, *others = (_with_all_references(branch, references) for branch in branches)
    rows = first.rows
    for other in others:
        rows = rows.unionByName(other.rows)
    return replace(first, rows=rows)


def _grouped(branch: Tracked) -> Any:
    """Each different row once, with its number of copies and the lineage of all of them."""
    return branch.rows.groupBy(*branch.values()).agg(
        F.count(F.lit(1)).alias(_COPIES), *collected(branch.lineages())
    )


def _repeated(tracked: Tracked, rows: Any, copies: str) -> Tracked:
    return tracked.with_rows(
        rows.withColumn("predtrace_copy", F.expr(f"explode(array_repeat(0, int({copies})))"))
    )


def _paired(
    operator: SetOperation, tracking: Tracking, enclosing: Enclosing | None
) -> tuple[Tracked, Tracked, str]:
    left, right = _branches(operator, tracking, enclosing)
    columns = (*left.columns, *left.bindings)
    other, fresh = renamed(_grouped(right).withColumnRenamed(_COPIES, "predtrace_other"), columns, "other_")
    return replace(left, rows=_grouped(left)), replace(right, rows=other), same_values(fresh.items())


def track_intersect(operator: Intersect, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    left, right, equal = _paired(operator, tracking, enclosing)
    rows = left.rows.join(right.rows, F.expr(equal), "inner")
    result = Tracked(rows, left.columns, left.references | right.references, left.bindings)
    copies = f"least({_COPIES}, predtrace_other)" if operator.keep_duplicates else "1"
    return _repeated(result, rows, copies)


def track_except(operator: Except, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    left, right, equal = _paired(operator, tracking, enclosing)
    others = right.rows.drop(*(column_name(column) for column in right.lineages()))
    rows = left.rows.join(others, F.expr(equal), "left")
    copies = f"{_COPIES} - coalesce(predtrace_other, 0)"
    if not operator.keep_duplicates:
        copies = "IF(predtrace_other IS NULL, 1, 0)"
    kept = _repeated(replace(left, has_position=False), rows.filter(f"{copies} > 0"), copies)
    return _with_all_references(kept, left.references | right.references)


RULES: Rules = {Union: track_union, Intersect: track_intersect, Except: track_except}
