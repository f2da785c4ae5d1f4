"""Operators that pair up rows of two inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import Column, Expression
from predtrace.ir.operators.base import Operator


class JoinKind(Enum):
    """How rows pair up. SCALAR attaches the one row (or NULLs) of an uncorrelated scalar subquery."""

    INNER = "inner"
    CROSS = "cross"
    LEFT = "left outer"
    RIGHT = "right outer"
    FULL = "full outer"
    SEMI = "semi"
    ANTI = "anti"
    EXISTENCE = "existence"
    SCALAR = "scalar"


_LEFT_ONLY = {JoinKind.SEMI, JoinKind.ANTI, JoinKind.EXISTENCE}
_NULL_LEFT = {JoinKind.RIGHT, JoinKind.FULL}
_NULL_RIGHT = {JoinKind.LEFT, JoinKind.FULL, JoinKind.SCALAR}


def _as_nullable(columns: tuple[Column, ...], nullable: bool) -> tuple[Column, ...]:
    return tuple(replace(c, is_nullable=True) for c in columns) if nullable else columns


@dataclass(frozen=True, kw_only=True)
class Join(Operator):
    """A join of any kind. `flag` is the boolean column an existence join adds to its left row.

    `matching` is set where not every pair that satisfies the condition is a match: a NOT IN under OR is an
    existence join whose condition also lets unknown comparisons through; only equal rows match.
    """

    left: Operator
    right: Operator
    kind: JoinKind
    condition: Expression | None = None
    flag: Column | None = None
    matching: Expression | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.kind is JoinKind.EXISTENCE) != (self.flag is not None):
            raise PlanIntegrityError(
                "a flag column belongs to existence joins, and only to them", self.origin
            )

    def title(self) -> str:
        return f"{self.kind.value.title().replace(' ', '')}Join"

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    @property
    def output(self) -> tuple[Column, ...]:
        left = _as_nullable(self.left.output, self.kind in _NULL_LEFT)
        if self.kind in _LEFT_ONLY:
            return left if self.flag is None else (*left, self.flag)
        return (*left, *_as_nullable(self.right.output, self.kind in _NULL_RIGHT))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(e for e in (self.condition, self.matching) if e is not None)


@dataclass(frozen=True, kw_only=True)
class LateralJoin(Join):
    """A join whose right side is evaluated for each left row, which it reads through `OuterColumn`."""

    def title(self) -> str:
        return "Lateral" + super().title()

    def outer_columns(self) -> set[Column]:
        own = {column.id for column in self.left.output}
        from_right = {c for c in self.right.outer_columns() if c.id not in own}
        return self.left.outer_columns() | from_right | self.own_outer_columns()
