"""What all operators have in common.

An operator is immutable and knows its inputs, its output columns and the expressions it evaluates. It checks
itself when built: every column an expression reads must come from an input, no output repeats a column id.
The graph is a tree: a plan that Spark shares (a CTE used twice) appears once per use, because lineage is
per reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import Column, ColumnId, Expression, OuterColumn, Subquery
from predtrace.ir.parts import cannot_fail, columns_of, subqueries_of, walk


@dataclass(frozen=True)
class Named:
    """An output column and the expression that computes it."""

    column: Column
    expression: Expression

    def is_rename_only(self) -> bool:
        return isinstance(self.expression, Column)


@dataclass(frozen=True, kw_only=True)
class Operator:
    """Base of all operators. `origin` is where the user wrote it, as far as Spark tells.

    `plan_node` numbers the node of the front end's plan that has the same rows: one node may be several operators
    (Spark's Aggregate is a GroupBy and a Project), each with some of the columns. An operator that is no node's
    output (the join that a rewriting makes of a scalar subquery) has none; its rows cannot be asked for.
    """

    origin: str = field(default="", compare=False)
    plan_node: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        ids = [column.id for column in self.output]
        repeated = sorted({i for i in ids if ids.count(i) > 1}) if len(set(ids)) < len(ids) else []
        if repeated:
            raise PlanIntegrityError(f"{self.title()} outputs column ids {repeated} twice", self.origin)
        available = {column.id for operator in self.inputs for column in operator.output}
        for expression in self.expressions:
            for column in walk(expression):
                if isinstance(column, Column) and column.id not in available:
                    raise PlanIntegrityError(
                        f"{self.title()} reads {column}, which no input has", self.origin
                    )

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return ()

    @property
    def output(self) -> tuple[Column, ...]:
        raise NotImplementedError

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The expressions evaluated over the rows of the inputs."""
        return ()

    def title(self) -> str:
        """The operator's name as people read it."""
        return type(self).__name__

    def evaluates_deterministically(self) -> bool:
        """Whether no expression here or below is random (see `ir.determinism` for all that can differ)."""
        own = all(expression.is_deterministic() for expression in self.expressions)
        return own and all(operator.evaluates_deterministically() for operator in self.inputs)

    def outer_columns(self) -> set[Column]:
        """The columns of enclosing queries that the plan below, this operator included, refers to."""
        found = self.own_outer_columns()
        for operator in self.inputs:
            found |= operator.outer_columns()
        return found

    def own_outer_columns(self) -> set[Column]:
        found: set[Column] = set()
        available = {column.id for operator in self.inputs for column in operator.output}
        for expression in self.expressions:
            for node in walk(expression):
                if isinstance(node, OuterColumn):
                    found.add(node.column)
                elif isinstance(node, Subquery):
                    found |= {c for c in node.plan.outer_columns() if c.id not in available}
        return found

    def subqueries(self) -> list[Subquery]:
        return [query for expression in self.expressions for query in subqueries_of(expression)]


def walk_operators(operator: Operator) -> Iterator[Operator]:
    """The operator and all below it, inputs before consumers; not into subquery expressions."""
    for below in operator.inputs:
        yield from walk_operators(below)
    yield operator


def walk_everything(operator: Operator) -> Iterator[Operator]:
    """Like `walk_operators`, and into the plans of subqueries, at any depth."""
    for below in operator.inputs:
        yield from walk_everything(below)
    for query in operator.subqueries():
        yield from walk_everything(query.plan)
    yield operator


def columns_that_may_fail(operator: Operator) -> set[ColumnId]:
    """The columns of a graph that are not certain to be computed without failing, whatever the values."""
    safe: set[ColumnId] = set()
    every: set[ColumnId] = set()
    for one in walk_everything(operator):  # inputs come before those who read them
        every.update(column.id for column in one.output)
        if not one.inputs and not _is_in_a_database(one):
            safe.update(column.id for column in one.output)
        parts = (part for value in vars(one).values() if isinstance(value, tuple) for part in value)
        for named in (part for part in parts if isinstance(part, Named)):
            reads = (column.id for column in columns_of(named.expression))
            if cannot_fail(named.expression) and all(column in safe for column in reads):
                safe.add(named.column.id)
    return every - safe


def _is_in_a_database(operator: Operator) -> bool:
    """Whether conditions may be asked of a database, which compares by its own rules and refuses some (CLOBs)."""
    return getattr(getattr(operator, "descriptor", None), "format", "") == "jdbc"
