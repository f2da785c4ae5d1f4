"""Trace (Cui and Widom): for each source an inverse query, which joins the row in question back to it.

Faithful to the papers: a query is cut into blocks of joins, filters and projections with at most one aggregate on
top. The rows of a block's inputs that made a row t are found by the block's own joins and filters, with the group's
keys (or all columns) equal to t's, and then split: one query for each input, projected to its columns. An input that
is itself a block gives a set of rows, which is traced on. Nothing is saved, so an inner block is computed again
wherever the rows in question are not told by constants.

Left out: what the papers do not have. Subqueries in conditions, semi and anti joins, windows, generators, Python
functions. INTERSECT and EXCEPT they have, and we left out. For `min` and `max` their lineage is the whole group, ours
is not, so a block with nothing else is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce

from benchmarks.baselines.answers import Answer, NotSupported, Views, known_values, returns_extremes, same
from benchmarks.baselines.blocks import (
    INNER,
    OUTER,
    Wide,
    down_the_chain,
    identifies,
    present,
    refuse_nested,
)
from benchmarks.baselines.plan_sql import PlanSQL, conjunction, names, not_supported, selected, text
from pyspark.sql import DataFrame, Row

from predtrace.frontends.spark.capture import Captured
from predtrace.ir.expressions import Column, Expression, Literal
from predtrace.ir.operators import Distinct, GroupBy, Limit, Operator, SetOperation, Source, Union
from predtrace.ir.spark_sql import column_name


@dataclass(frozen=True)
class Constants:
    """One row that exists, by the values of some of its columns."""

    values: Mapping[Column, Literal]


@dataclass(frozen=True)
class Relation:
    """A query for the rows in question."""

    sql: str


Target = Constants | Relation


@dataclass
class _Inversion:
    plain: PlanSQL
    queries: dict[int, list[str]] = field(default_factory=dict)
    """For each reference to a source, queries for its rows."""

    def trace(self, operator: Operator, target: Target) -> None:
        match operator:
            case Limit(input=below):
                target = target if self._is_complete(operator, target) else self._computed(operator, target)
                self.trace(below, target)
            case Union():
                for at, branch in enumerate(operator.branches):
                    self.trace(branch, self._in_branch(operator, at, target))
            case SetOperation():
                raise not_supported(operator)
            case Source():
                self._block(operator, operator, _own(operator), target)
            case Distinct() if not operator.is_full():
                raise not_supported(operator)
            case Distinct(input=body):
                self._block(operator, body, _own(operator), target)
            case GroupBy(input=body):
                if returns_extremes(operator):
                    raise NotSupported("groups of min and max alone, whose lineage is the whole group there")
                self._block(operator, body, {n.column: n.expression for n in operator.keys}, target)
            case _:
                self._block(operator, operator, _own(operator), target)

    def _is_complete(self, operator: Operator, target: Target) -> bool:
        return isinstance(target, Relation) or all(column in target.values for column in operator.output)

    def _computed(self, operator: Operator, target: Target) -> Relation:
        """The rows in question, as a query, where constants do not tell enough."""
        if isinstance(target, Relation):
            return target
        return Relation(f"SELECT * FROM ({self.plain.of(operator)}) WHERE {_equal(target.values)}")

    def _in_branch(self, union: Union, at: int, target: Target) -> Relation:
        """Whether a branch has the row is not known, so that it is computed."""
        rows = self._computed(union, target).sql
        own, branch = names(union.columns), union.branches[at]
        pairs = zip(names(branch.output), own, strict=True)
        equal = conjunction(f"b.{theirs} <=> t.{ours}" for theirs, ours in pairs)
        return Relation(
            f"SELECT * FROM ({self.plain.of(branch)}) AS b LEFT SEMI JOIN ({rows}) AS t ON {equal}"
        )

    def _block(
        self, operator: Operator, body: Operator, keys: Mapping[Column, Expression], target: Target
    ) -> None:
        if isinstance(target, Constants) and not all(column in target.values for column in keys):
            target = self._computed(operator, target)
        wide = Wide(self.plain, INNER | OUTER)
        rows = _matching(wide.of(body), keys, target)
        for number, below in enumerate(wide.inputs):
            columns = names(below.output)
            found = f"SELECT DISTINCT {selected(columns)} FROM ({rows}) WHERE {present(number)}"
            if isinstance(below, Source):
                if below.reference is not None:
                    self.queries.setdefault(below.reference, []).append(found)
            else:
                self.trace(below, self._below(body, target) or Relation(found))

    def _below(self, body: Operator, target: Target) -> Constants | None:
        """The row in a block's only input, where constants tell it."""
        chain = down_the_chain(body, target.values) if isinstance(target, Constants) else None
        if chain is not None and isinstance(chain.input, (GroupBy, Distinct)):
            return Constants(chain.known) if identifies(chain.known, chain.input) else None
        return None


def _own(operator: Operator) -> dict[Column, Expression]:
    return {column: column for column in operator.output}


def _equal(values: Mapping[Column, Literal]) -> str:
    return conjunction(text(same(column, value)) for column, value in values.items())


def _matching(wide: str, keys: Mapping[Column, Expression], target: Target) -> str:
    """The rows of a block that the rows in question were made of."""
    if isinstance(target, Constants):
        equal = conjunction(text(same(key, target.values[column])) for column, key in keys.items())
        return f"SELECT * FROM ({wide}) WHERE {equal}"
    own = (f"{text(key)} AS key_{at}" for at, key in enumerate(keys.values()))
    equal = conjunction(f"w.key_{at} <=> t.{column_name(column)}" for at, column in enumerate(keys))
    keyed = f"SELECT {selected(['*', *own])} FROM ({wide})"
    return f"SELECT * FROM ({keyed}) AS w LEFT SEMI JOIN ({target.sql}) AS t ON {equal}"


class InverseQueries:
    """Traces by one query for each source."""

    def __init__(self, captured: Captured) -> None:
        refuse_nested(captured.written)
        self.captured = captured
        self.views = Views(captured)
        self._queries({column: Literal(None, column.type) for column in captured.operators.output})

    def _queries(self, values: Mapping[Column, Literal]) -> dict[int, list[str]]:
        inversion = _Inversion(PlanSQL(self.views))
        inversion.trace(self.captured.operators, Constants(values))
        return inversion.queries

    def trace(self, row: Row) -> Answer:
        found = {
            reference: self._rows(reference, queries)
            for reference, queries in self._queries(known_values(self.captured.operators.output, row)).items()
        }
        return Answer(tuple(found.values()), found)

    def _rows(self, reference: int, queries: list[str]) -> DataFrame:
        frames = [self.captured.session.sql(query) for query in queries]
        united = reduce(DataFrame.union, frames)
        return (united.distinct() if len(frames) > 1 else united).toDF(*self.views.source_names(reference))
