"""Windows: the row itself and, for each window function, the rows it looked at.

| function | rows |
|---|---|
| aggregates | the declared frame |
| row_number | from the start of the partition to the row |
| rank, dense_rank | the same, the row's peers included |
| ntile, percent_rank, cume_dist | the whole partition |
| lag, lead, first, last, nth_value | the row whose value was fetched |

A numbering that a frame of pandas has as its index (RowNumbers) is no window: the row alone.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import functions as F

from predtrace.errors import UnsupportedOperator
from predtrace.ir.expressions import (
    AggregateCall,
    Call,
    Column,
    Expression,
    Frame,
    FrameKind,
    Literal,
    WindowCall,
)
from predtrace.ir.operators import RowNumbers, Window
from predtrace.ir.types import BOOLEAN, INTEGER
from predtrace.reference.enclosing import Enclosing, Rules, Tracking
from predtrace.reference.frames import (
    ADDRESSES,
    NO_ADDRESSES,
    Tracked,
    column_name,
    sharing_lineage,
    sql,
)
from predtrace.reference.subqueries import attach

_UP_TO_ROW = Frame(FrameKind.ROWS, "unbounded", "current")
_UP_TO_PEERS = Frame(FrameKind.RANGE, "unbounded", "current")
_PARTITION = Frame(FrameKind.ROWS, "unbounded", "unbounded")
_RANKING = {
    "row_number": _UP_TO_ROW,
    "rank": _UP_TO_PEERS,
    "dense_rank": _UP_TO_PEERS,
    "ntile": _PARTITION,
    "percent_rank": _PARTITION,
    "cume_dist": _PARTITION,
}
_NUMBER = Call("row_number", (), INTEGER, is_nullable=False)
_FETCHING = frozenset({"lag", "lead", "nth_value", "first", "last", "any_value"})


def track_window(operator: Window, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    tracked = sharing_lineage(tracking.input_of(operator, enclosing))
    attached = attach(tracked, list(operator.expressions), tracking)
    tracked = attached.tracked
    calls: list[tuple[Column, WindowCall]] = []
    for item in operator.functions:
        call = attached.rewritten(item.expression)
        assert isinstance(call, WindowCall)
        calls.append((item.column, replace(call, partition=(*call.partition, *tracked.bindings))))
    looked_at = [
        F.expr(_union([f"`{column_name(cell)}`", *(_rows_seen(call, cell) for _, call in calls)])).alias(
            column_name(cell)
        )
        for cell in tracked.lineages()
    ]
    rows = tracked.rows.select(
        *tracked.values(),
        *(F.expr(sql(call)).alias(column_name(column)) for column, call in calls),
        *looked_at,
    )
    return replace(tracked, rows=rows, columns=operator.output, has_position=False)


def track_row_numbers(operator: RowNumbers, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    tracked = sharing_lineage(tracking.input_of(operator, enclosing))
    rows = tracked.rows
    for number in operator.numbers:
        if not number.order:
            raise UnsupportedOperator("a numbering of rows in no order", todo="sort the rows before")
        call = WindowCall(_NUMBER, tracked.bindings, number.order, _UP_TO_ROW)
        position = F.expr(sql(call)).cast("bigint") - 1
        rows = rows.withColumn(column_name(number.column), position)
    return replace(tracked, rows=rows, columns=operator.output, has_position=False)


def _union(parts: list[str]) -> str:
    return f"array_distinct(concat({', '.join(parts)}))"


def _rows_seen(call: WindowCall, cell: Column) -> str:
    """SQL: the lineage of the rows that a window function looked at."""
    function = call.function
    name = getattr(function, "function", "")
    if name in _RANKING:
        return _over(replace(call, frame=_RANKING[name]), cell)
    if name in _FETCHING and isinstance(function, (Call, AggregateCall)):
        return f"coalesce({sql(replace(call, function=_fetching_lineage(function, cell)))}, {NO_ADDRESSES})"
    if isinstance(function, AggregateCall):
        return _over(call, cell)
    raise UnsupportedOperator(f"the window function {name}", todo="report the query")


def _over(call: WindowCall, cell: Column) -> str:
    everything = AggregateCall("collect_list", (cell,), ADDRESSES)
    return f"flatten({sql(replace(call, function=everything))})"


def _fetching_lineage(function: Call | AggregateCall, cell: Column) -> Expression:
    """The same function, fetching the lineage of the row whose value it fetched."""
    value, *others = function.arguments
    fetched: Expression = cell
    if function.option("ignore_nulls"):
        # A row is passed over where its value is NULL, so its lineage must be NULL there.
        present = Call("isnotnull", (value,), BOOLEAN, is_nullable=False)
        fetched = Call("if", (present, cell, Literal(None, ADDRESSES)), ADDRESSES)
    if function.function in ("lag", "lead"):
        others = [*others[:1], Literal(None, ADDRESSES)]  # a default is no row
    return replace(function, arguments=(fetched, *others), data_type=ADDRESSES)


RULES: Rules = {Window: track_window, RowNumbers: track_row_numbers}
