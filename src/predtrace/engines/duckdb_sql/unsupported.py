"""The one way to say that something is left to Spark."""

from __future__ import annotations

from predtrace.errors import InputError


class NotInDuckDB(InputError):
    """DuckDB cannot do it, or not as Spark does. `what` says what: "the function upper"."""

    def __init__(self, what: str) -> None:
        super().__init__(f"DuckDB does not do as Spark does: {what}", todo="trace with Spark")
        self.reason = what
