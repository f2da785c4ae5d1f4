"""Running a subquery for every row around it at once.

A correlated subquery means: for each enclosing row, run the plan with that row's values. Here the plan is run
once, over the enclosing rows' distinct values: the first operator that reads an enclosing column pairs its
input with all of them, and from there on the values stay with each row (as bindings). Operators that work on
many rows (grouping, limits, windows, set operations) treat rows of different bindings as different runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from predtrace.frontends.spark.capture import Captured
from predtrace.ir.expressions import Column
from predtrace.ir.operators import Operator
from predtrace.reference.frames import Tracked, binding_column, column_name


@dataclass(frozen=True)
class Enclosing:
    """The rows around a subquery: the columns it reads of them, and all their values, each once."""

    columns: tuple[Column, ...]
    values: DataFrame


class Tracking(Protocol):
    """What the rules need of the tracker. `numbering` asks a Sort to number the rows it orders."""

    captured: Captured
    numbering: bool

    def track(self, operator: Operator, enclosing: Enclosing | None = None) -> Tracked: ...

    def input_of(self, operator: Operator, enclosing: Enclosing | None, at: int = 0) -> Tracked: ...


Rules = dict[type[Operator], Callable[..., Tracked]]
"""How to track each kind of operator: `(operator, tracking, enclosing) -> Tracked`."""


def bound(tracked: Tracked, enclosing: Enclosing | None) -> Tracked:
    """The rows once for every enclosing row."""
    if enclosing is None or tracked.bindings or not enclosing.columns:
        return tracked
    bindings = tuple(binding_column(column) for column in enclosing.columns)
    return Tracked(tracked.rows.crossJoin(enclosing.values), tracked.columns, tracked.references, bindings)


def enclosing_rows(tracked: Tracked, columns: set[Column]) -> Enclosing:
    """What a subquery sees of the rows around it; some of it these rows may only be bound to themselves."""
    own = {column.id for column in tracked.columns}
    outer = tuple(sorted(columns, key=lambda column: column.id))
    values = tracked.rows.select(
        *(
            F.col(f"`{column_name(c if c.id in own else binding_column(c))}`").alias(
                column_name(binding_column(c))
            )
            for c in outer
        )
    ).distinct()
    return Enclosing(outer, values)


def binding_pairs(tracked: Tracked, inner: Tracked) -> list[tuple[Column, Column]]:
    """Each binding of a subquery's rows with the column of the enclosing rows that it holds a value of."""
    here = {binding_column(column).id: column for column in tracked.columns}
    return [(here.get(binding.id, binding), binding) for binding in inner.bindings]
