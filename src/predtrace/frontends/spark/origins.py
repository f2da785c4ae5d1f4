"""Where the user wrote something: the line of the SQL text, or the DataFrame call, where Spark tells."""

from __future__ import annotations

from typing import Any, Protocol


class HasHandle(Protocol):
    """A plan node that can fetch its JVM object."""

    @property
    def handle(self) -> Any: ...


def origin_of(node: HasHandle) -> str:
    """The place of a plan node. Spark knows it for SQL text; DataFrame calls only mark expressions."""
    line = node.handle().origin().line()
    return f"in line {line.get()} of the SQL" if line.isDefined() else ""


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
