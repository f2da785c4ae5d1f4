"""What the rules of the function table share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from predtrace.engines.duckdb_sql.unsupported import NotInDuckDB
from predtrace.ir.expressions import Call, Expression, Literal
from predtrace.ir.types import DataType


class Texts(Protocol):
    """Writes the arguments of a call (see `writing.Writer`)."""

    def write(self, expression: Expression) -> str: ...

    def all(self, expressions: Iterable[Expression]) -> list[str]: ...

    def alike(self, expressions: Iterable[Expression], type_: DataType | None = None) -> list[str]: ...

    def bind(self, value: Any) -> str: ...


Rule = Callable[[Texts, Call], str]


def refused(call: Call, what: str = "") -> NotInDuckDB:
    types = ", ".join(str(argument.type) for argument in call.arguments)
    return NotInDuckDB(f"{call.function}({types}){' with ' if what else ''}{what}")


def expect(call: Call, *kinds: str, of: Iterable[Expression] | None = None) -> None:
    """Refuse a call whose arguments (or those of `of`) have other types."""
    if any(part.type.name not in kinds for part in (call.arguments if of is None else of)):
        raise refused(call)


def integer_constant(call: Call, argument: Expression) -> int:
    """The value of an argument that must be a constant."""
    if not isinstance(argument, Literal) or not isinstance(argument.value, int):
        raise refused(call, "an argument that is not constant")
    return argument.value
