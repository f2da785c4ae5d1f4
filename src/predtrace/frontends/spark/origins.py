"""Where the user wrote something: the line of the SQL text, or the DataFrame call, where Spark tells.

Of plan nodes that DataFrame calls make Spark does not tell. A front end that makes them for a line of the user's
program marks them with it; Spark keeps such marks when it rewrites a plan.
"""

from __future__ import annotations

from typing import Any, Protocol

from pyspark.sql import DataFrame

from predtrace.frontends.spark.catalyst import catalyst, items


class HasHandle(Protocol):
    """A plan node that can fetch its JVM object."""

    @property
    def handle(self) -> Any: ...


def mark(rows: DataFrame, place: str) -> None:
    """The rows were made at a place, such as `line 7 of report.py`; those below that are marked already were not."""
    if not place:
        return
    tag = catalyst().place
    left = [rows._jdf.queryExecution().analyzed()]
    while left:
        node = left.pop()
        if node.getTagValue(tag).isEmpty():
            node.setTagValue(tag, place)
            left += items(node.children())


def origin_of(node: HasHandle) -> str:
    """The place of a plan node. Spark knows it for SQL text; DataFrame calls only mark expressions."""
    live = node.handle()
    line = live.origin().line()
    if line.isDefined():
        return f"in line {line.get()} of the SQL"
    place = live.getTagValue(catalyst().place)
    return f"in {place.get()}" if place.isDefined() else ""


def place_of(live: Any) -> str:
    """The place of a live plan node or expression, as `in line 3, column 8 of the SQL`."""
    origin = live.origin()
    if origin.line().isDefined():
        column = origin.startPosition()
        place = f"in line {origin.line().get()}"
        return (
            f"{place}, column {column.get() + 1} of the SQL" if column.isDefined() else f"{place} of the SQL"
        )
    if origin.pysparkErrorContext().isDefined():
        context = origin.pysparkErrorContext().get()
        return f"in the call of {context._1()} at {context._2()}"
    return ""
