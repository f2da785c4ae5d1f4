"""Missing numbers between two others: `interpolate`, on the line between the rows before and after.

By position or by time; by time, a row that has the moment of others takes the last value that there is then. Beyond
the first and the last it is the nearest value, in the directions that are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from pyspark.sql import Column, Window
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, FLOAT64, INT64
from predtrace.frontends.pandas.core.facts import any_true, as_shown, one_misses
from predtrace.frontends.pandas.core.nearest import nearest_there
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import only, refused
from predtrace.frontends.pandas.core.tables import Label, Table
from predtrace.frontends.pandas.times.spans import microseconds

_NOT_GIVEN: Any = pd.api.extensions.no_default


@dataclass(frozen=True)
class Line:
    """How missing values are put on a line: by time or by position, and whether beyond the first and the last."""

    call: str
    by_time: bool
    before: bool
    after: bool


def line_of(call: str, method: str, axis: Any, given: dict[str, Any]) -> Line:
    """The line that the arguments of `interpolate` ask for."""
    direction = given.pop("limit_direction", None) or "forward"
    inside = given.pop("limit_area", None)
    only(call, {"limit": None, "downcast": _NOT_GIVEN}, given)
    wanted = {"method": method if method != "time" else "linear", "axis": 0 if axis == "index" else axis}
    only(call, {"method": "linear", "axis": 0}, wanted)
    if direction not in ("forward", "backward", "both") or inside not in (None, "inside"):
        raise refused(call, f"limit_direction={direction!r} and limit_area={inside!r} are not")
    ends = [inside is None and direction in (one, "both") for one in ("backward", "forward")]
    return Line(call, method == "time", *ends)


def on_lines(table: Table, line: Line) -> Table:
    """Missing numbers between two others in proportion to the positions, or to the time between them."""
    numbers = [value for _, value in table.columns if value.dtype.is_number and not value.dtype.is_bool]
    lines = {
        old.name: value
        for old, value in zip(numbers, as_shown(numbers), strict=True)
        if value.dtype.is_float and one_misses(value)
    }
    position, repeats = _position(table, line)
    if not lines:
        return table
    made = [
        (
            label,
            _on_line(table, lines[value.name], position, repeats, label, line)
            if value.name in lines
            else value,
        )
        for label, value in table.columns
    ]
    return table.with_columns(made)


def _position(table: Table, line: Line) -> tuple[Value, bool]:
    """Where each row is on the line, and whether several are at the same place. Asks Spark."""
    keys = frozenset(key.name for key in table.order)
    if not line.by_time:
        counted = Value(table.space, F.row_number().over(table.window()), keys, INT64, is_window=True)
        return table.space.settled(counted, "position"), False
    levels = table.levels()
    if len(levels) != 1 or not levels[0].value.dtype.is_moment:
        raise ValueError(
            "time-weighted interpolation only works on Series or DataFrames with a DatetimeIndex"
        )
    moment = levels[0].value
    before = F.lag(moment.column).over(table.window())
    questions = (moment.column.isNull() | (before > moment.column), before == moment.column)
    wrong, repeats = any_true(
        [Value(table.space, one, moment.uses | keys, BOOL, is_window=True) for one in questions]
    )
    if wrong:
        raise refused(line.call, "the moments are not in order", "use sort_index() first")
    passed = moment.column - F.lit("1970-01-01").cast("timestamp_ntz")
    position = table.space.settled(moment.with_column(microseconds(passed), INT64), "position")
    return position, repeats


def _on_line(table: Table, given: Value, position: Value, repeats: bool, label: Label, line: Line) -> Value:
    space = table.space
    value = space.settled(given, label)
    uses = value.uses | position.uses | {key.name for key in table.order}

    def window(column: Column) -> Value:
        return space.settled(Value(space, column, uses, FLOAT64, is_window=True), label)

    def nearest(of: Value, backwards: bool) -> Value:
        return window(nearest_there(table, F.when(value.column.isNotNull(), of.column), backwards))

    x0, x1 = (nearest(position, backwards) for backwards in (False, True))
    y0, y1 = (nearest(value, backwards) for backwards in (False, True))
    width = F.nullif(x1.column - x0.column, F.lit(0))
    on_line = (y1.column - y0.column) / width * (position.column - x0.column) + y0.column
    first, used = y1.column, [position, x0, x1, y0, y1]
    if repeats:  # the last of the values at this very place, also if it is of a row before or after
        every = table.window([position.name]).rowsBetween(
            Window.unboundedPreceding, Window.unboundedFollowing
        )
        here = window(F.last(value.column, ignorenulls=True).over(every))
        on_line = F.coalesce(here.column, on_line)
        first = F.when(y1.column.isNotNull(), F.coalesce(here.column, y1.column))
        used.append(here)
    ends = [*([y0.column] if line.after else []), *([first] if line.before else [])]
    inside = F.when(y0.column.isNotNull() & y1.column.isNotNull(), on_line)
    return value.with_column(F.coalesce(value.column, inside, *ends), FLOAT64, *used)
