"""Operators whose output rows come from one input row each."""

from __future__ import annotations

from dataclasses import dataclass

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import Column, Expression, SortKey
from predtrace.ir.operators.base import Named, Operator


@dataclass(frozen=True, kw_only=True)
class Unary(Operator):
    """An operator over one input that keeps its columns unless it says otherwise."""

    input: Operator

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.input,)

    @property
    def output(self) -> tuple[Column, ...]:
        return self.input.output


@dataclass(frozen=True, kw_only=True)
class Filter(Unary):
    """Keeps the rows for which the condition is true (not NULL)."""

    condition: Expression

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.condition,)


@dataclass(frozen=True, kw_only=True)
class Project(Unary):
    """Computes new columns from each row: projection, renaming, casts, row-wise functions."""

    columns: tuple[Named, ...]

    @property
    def output(self) -> tuple[Column, ...]:
        return tuple(named.column for named in self.columns)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(named.expression for named in self.columns)


@dataclass(frozen=True, kw_only=True)
class Sort(Unary):
    """Orders the rows: all of them, or within each partition (`everywhere=False`)."""

    keys: tuple[SortKey, ...]
    everywhere: bool = True

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(key.expression for key in self.keys)


@dataclass(frozen=True, kw_only=True)
class Limit(Unary):
    """Keeps `count` rows (all if None) after skipping `offset`; above a Sort this is a TopK.

    `within` makes it a limit per group of rows with the same values there: a decorrelated subquery's LIMIT.
    """

    count: int | None
    offset: int = 0
    within: tuple[Column, ...] = ()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return self.within

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.count is not None and self.count < 0) or self.offset < 0:
            raise PlanIntegrityError(f"a limit of {self.count} rows after {self.offset}", self.origin)

    def title(self) -> str:
        return "TopK" if self.order() is not None else "Limit"

    def order(self) -> Sort | None:
        """The Sort whose order decides which rows are kept, if there is one."""
        below: Operator = self.input
        while isinstance(below, (Filter, Project)):
            below = below.input
        return below if isinstance(below, Sort) and below.everywhere else None


@dataclass(frozen=True, kw_only=True)
class Sample(Unary):
    """Keeps a random share of the rows."""

    lower: float
    upper: float
    with_replacement: bool
    seed: int | None


@dataclass(frozen=True, kw_only=True)
class Generate(Unary):
    """Turns each row into the rows its generator yields (explode, stack, inline...).

    `outer` keeps a row that yields none, with NULLs in the generated columns.
    """

    generator: Expression
    generated: tuple[Column, ...]
    outer: bool = False

    @property
    def output(self) -> tuple[Column, ...]:
        return (*self.input.output, *self.generated)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.generator,)


@dataclass(frozen=True, kw_only=True)
class Expand(Unary):
    """Turns each row into one row per projection: the levels of ROLLUP, CUBE and GROUPING SETS."""

    projections: tuple[tuple[Expression, ...], ...]
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(len(projection) != len(self.columns) for projection in self.projections):
            raise PlanIntegrityError(f"{self.title()} has projections of another width", self.origin)

    @property
    def output(self) -> tuple[Column, ...]:
        return self.columns

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(part for projection in self.projections for part in projection)


@dataclass(frozen=True, kw_only=True)
class Unpivot(Expand):
    """Turns columns into rows (unpivot, melt): an Expand that is not followed by a grouping."""
