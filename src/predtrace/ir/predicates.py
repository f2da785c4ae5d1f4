"""What only predicates hold: the target row's values, and sets of key tuples.

Both are names for what is not known before a trace. Binding replaces them by values and relations, so no SQL is
ever written for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import Expression
from predtrace.ir.types import BOOLEAN, DataType


@dataclass(frozen=True)
class Parameter(Expression):
    """A value of the target row, known when a row is traced. It may be NULL."""

    name: str
    data_type: DataType

    @property
    def type(self) -> DataType:
        return self.data_type


@dataclass(frozen=True)
class InTuples(Expression):
    """Whether a tuple of values is in a named set of key tuples; NULL equals NULL in it (`<=>` per position).

    One set of tuples, never one set per column: that would forget which values occurred together. Never NULL.
    """

    columns: tuple[Expression, ...]
    set_name: str

    def __post_init__(self) -> None:
        if not self.columns:
            raise PlanIntegrityError(f"membership of an empty tuple in {self.set_name}")

    @property
    def type(self) -> DataType:
        return BOOLEAN

    @property
    def nullable(self) -> bool:
        return False

    def children(self) -> tuple[Expression, ...]:
        return self.columns

    def rebuilt(self, children: tuple[Expression, ...]) -> Expression:
        return replace(self, columns=children)
