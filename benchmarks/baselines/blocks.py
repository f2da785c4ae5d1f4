"""What a SELECT block joins and filters, with every column of its inputs kept.

Trace and Panda look at a query as blocks: joins, filters and computed columns over inputs, and an aggregate or
DISTINCT on top. `Wide` writes what is below that, so that each row still has all columns of the input rows it was
made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.baselines.answers import NotSupported
from benchmarks.baselines.plan_sql import JOINS, PlanSQL, names, not_supported, on_condition, selected, text

from predtrace.ir.expressions import Column, Literal
from predtrace.ir.operators import (
    Distinct,
    Filter,
    GroupBy,
    Join,
    JoinKind,
    Limit,
    Operator,
    Project,
    SetOperation,
    Sort,
    Source,
    walk_operators,
)
from predtrace.ir.spark_sql import column_name

INPUTS = (Source, GroupBy, Distinct, Limit, SetOperation)
"""What a block reads."""

INNER = frozenset({JoinKind.INNER, JoinKind.CROSS})
OUTER = frozenset({JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL})


def refuse_nested(written: Operator) -> None:
    """Raise for subqueries in conditions and expressions: neither paper has them."""
    if any(operator.subqueries() for operator in walk_operators(written)):
        raise NotSupported("a subquery in a condition or an expression")


@dataclass
class Wide:
    """The rows of a block; `inputs` are numbered as they are met, `present_<number>` says that there is a row."""

    plain: PlanSQL
    joins: frozenset[JoinKind]
    inputs: list[Operator] = field(default_factory=list)
    _columns: set[str] = field(default_factory=set)

    def of(self, operator: Operator) -> str:
        if isinstance(operator, INPUTS):
            self.inputs.append(operator)
            self._columns.update(names(operator.output))
            return f"SELECT *, true AS {present(len(self.inputs) - 1)} FROM ({self.plain.of(operator)})"
        match operator:
            case Filter(input=below, condition=condition):
                return f"SELECT * FROM ({self.of(below)}) WHERE {text(condition)}"
            case Sort(input=below):
                return self.of(below)
            case Project(input=below, columns=columns):
                inner = self.of(below)
                fresh = [named for named in columns if column_name(named.column) not in self._columns]
                self._columns.update(column_name(named.column) for named in fresh)
                added = (f"{text(named.expression)} AS {column_name(named.column)}" for named in fresh)
                return f"SELECT {selected(['*', *added])} FROM ({inner})"
            case Join(left=left, right=right, kind=kind) if kind in self.joins:
                matching = on_condition(operator)
                return f"SELECT * FROM ({self.of(left)}) {JOINS[kind]} ({self.of(right)}) ON {matching}"
        raise not_supported(operator)


def present(number: int) -> str:
    return f"present_{number}"


@dataclass(frozen=True)
class Chain:
    """The input of a block without joins, and what is known of its columns."""

    input: Operator
    known: Mapping[Column, Literal]


def down_the_chain(operator: Operator, known: Mapping[Column, Literal]) -> Chain | None:
    """Follow values through projections that hand columns on (Panda's attribute mappings). None if a join is met."""
    while not isinstance(operator, INPUTS):
        if isinstance(operator, Project):
            known = {
                named.expression: known[named.column]
                for named in operator.columns
                if isinstance(named.expression, Column) and named.column in known
            }
        elif not isinstance(operator, (Filter, Sort)):
            return None
        operator = operator.input
    return Chain(operator, known)


def identifies(known: Mapping[Column, Literal], operator: Operator) -> bool:
    """Whether known values tell which group an operator's row is of."""
    if isinstance(operator, GroupBy):
        return all(named.column in known for named in operator.keys)
    return all(column in known for column in operator.output)
