"""Set operations. Their output columns are new: a row may come from either input."""

from __future__ import annotations

from dataclasses import dataclass

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import Column
from predtrace.ir.operators.base import Operator


@dataclass(frozen=True, kw_only=True)
class SetOperation(Operator):
    """Base: inputs match by position; `keep_duplicates` is SQL's ALL."""

    branches: tuple[Operator, ...]
    columns: tuple[Column, ...]
    keep_duplicates: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        for branch in self.branches:
            if len(branch.output) != len(self.columns):
                raise PlanIntegrityError(f"a branch of {self.title()} has another width", self.origin)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.branches

    @property
    def output(self) -> tuple[Column, ...]:
        return self.columns

    def title(self) -> str:
        return type(self).__name__ + ("All" if self.keep_duplicates else "")


@dataclass(frozen=True, kw_only=True)
class Union(SetOperation):
    """The rows of all branches. Spark plans UNION (distinct) as a Distinct above this."""


@dataclass(frozen=True, kw_only=True)
class Intersect(SetOperation):
    """The rows that both branches have."""


@dataclass(frozen=True, kw_only=True)
class Except(SetOperation):
    """The rows of the first branch that the second does not have."""
