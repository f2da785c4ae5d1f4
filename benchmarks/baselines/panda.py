"""Panda: attribute mappings and filters for one SELECT block, with augmentations saved when the query runs.

Faithful to what the papers say of it: output columns are mapped to the input columns they hand on, conditions to
filters on the sources. Over one source that is enough: the source's rows that pass the filter and agree with the
output row on the mapped columns. Over a join it is not, so the run saves an augmentation: the joined rows, before
they are projected, with the columns that the query uses. A trace selects the augmentation's rows of the output row,
and from each source the rows that agree with one of them on the columns saved. They need not hold a source's key:
rows that agree on every column the query uses fare alike in it.

Left out: more than one SELECT block, subqueries, outer joins, set operations; a group whose key the output does not
show; `min` and `max` alone (their lineage is the whole group there, not here).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.baselines.answers import Answer, NotSupported, Views, known_values, returns_extremes, same
from benchmarks.baselines.blocks import INNER, Wide, refuse_nested
from benchmarks.baselines.plan_sql import PlanSQL, conjunction, names, selected, text
from pyspark.sql import Row

from predtrace.frontends.spark.capture import Captured
from predtrace.ir.expressions import Column, Expression
from predtrace.ir.operators import (
    Distinct,
    Filter,
    GroupBy,
    Limit,
    Operator,
    Project,
    Sort,
    Source,
    walk_operators,
)
from predtrace.ir.parts import columns_of


@dataclass(frozen=True)
class Block:
    """A query of one SELECT. `keys` are what the rows of an output row have in common, with the output columns that
    show them; `read` what is computed from the body's rows."""

    body: Operator
    keys: tuple[tuple[Expression, Column], ...]
    read: tuple[Column, ...]


def block_of(root: Operator) -> Block:
    shown: dict[Expression, Column] = {column: column for column in root.output}
    """From columns of the operator looked at to the output columns that show their values."""
    operator = root
    while isinstance(operator, (Limit, Sort)):
        operator = operator.input
    body = operator
    while isinstance(operator, (Filter, Sort, Project)):
        if isinstance(operator, Project):
            shown = {
                named.expression: shown[named.column]
                for named in operator.columns
                if isinstance(named.expression, Column) and named.column in shown
            }
        operator = operator.input
    if not isinstance(operator, (GroupBy, Distinct)):
        return Block(body, tuple((column, column) for column in body.output), body.output)
    if isinstance(operator, Distinct):
        if not operator.is_full():
            raise NotSupported("duplicates of some columns")
        keys: dict[Column, Expression] = {column: column for column in operator.output}
    else:
        if returns_extremes(operator):
            raise NotSupported("groups of min and max alone, whose lineage is the whole group there")
        keys = {named.column: named.expression for named in operator.keys}
    hidden = [str(column) for column in keys if column not in shown]
    if hidden:
        raise NotSupported(f"groups by {', '.join(hidden)}, which the output does not show")
    read = {column for expression in operator.expressions for column in columns_of(expression)}
    pairs = tuple((expression, shown[column]) for column, expression in keys.items())
    return Block(operator.input, pairs, tuple(sorted(read, key=lambda column: column.id)))


class Panda:
    """Traces by mappings and filters, or from what its run saved."""

    def __init__(self, captured: Captured) -> None:
        refuse_nested(captured.written)
        self.captured = captured
        self.views = Views(captured)
        self.block = block_of(captured.operators)
        wide = Wide(PlanSQL(self.views), INNER)
        self._wide = wide.of(self.block.body)
        self.sources = [each for each in wide.inputs if isinstance(each, Source)]
        if len(self.sources) < len(wide.inputs):
            raise NotSupported("more than one SELECT block")

    @property
    def _augmentation(self) -> str:
        return f"{self.views.prefix}_augmentation"

    @property
    def needs_augmentation(self) -> bool:
        return len(self.sources) > 1

    def _saved_columns(self) -> list[Column]:
        """What the query uses, in its conditions, keys and results."""
        used = set(self.block.read)
        for operator in walk_operators(self.block.body):
            for expression in operator.expressions:
                used |= columns_of(expression)
        everything = {c for each in walk_operators(self.block.body) for c in each.output}
        return sorted(used & everything, key=lambda column: column.id)

    def run(self, folder: str) -> None:
        """The query, continued from the augmentation where it needs one."""
        session, root, instead = self.captured.session, self.captured.operators, dict[int, str]()
        if self.needs_augmentation:
            columns = names(self._saved_columns())
            rows = session.sql(f"SELECT {selected(columns)} FROM ({self._wide})")
            rows.write.mode("overwrite").parquet(f"{folder}/augmentation")
            session.read.parquet(f"{folder}/augmentation").createOrReplaceTempView(self._augmentation)
            instead[id(self.block.body)] = (
                f"SELECT {selected(names(self.block.read))} FROM {self._augmentation}"
            )
        output = session.sql(PlanSQL(self.views, instead).of(root))
        output.write.mode("overwrite").parquet(f"{folder}/output")

    def trace(self, row: Row) -> Answer:
        target = known_values(self.captured.operators.output, row)
        equal = conjunction(text(same(key, target[column])) for key, column in self.block.keys)
        queries = self._from_augmentation(equal) if self.needs_augmentation else self._by_mappings(equal)
        found = {
            source.reference: self.captured.session.sql(query).toDF(
                *self.views.source_names(source.reference)
            )
            for source, query in zip(self.sources, queries, strict=True)
            if source.reference is not None
        }
        return Answer(tuple(found.values()), found)

    def _by_mappings(self, equal: str) -> Iterable[str]:
        """The only source's rows that pass the filter and agree with the output row."""
        columns = names(self.sources[0].columns)
        yield f"SELECT {selected(columns)} FROM ({self._wide}) WHERE {equal}"

    def _from_augmentation(self, equal: str) -> Iterable[str]:
        """For each source, the rows that agree with the augmentation's rows of the output row."""
        saved = self._saved_columns()
        for source in self.sources:
            own = [name for name in names(source.columns) if name in names(saved)]
            rows = f"SELECT DISTINCT {selected(own)} FROM {self._augmentation} WHERE {equal}"
            agree = conjunction(f"s.{name} <=> a.{name}" for name in own)
            every = PlanSQL(self.views).of(source)
            yield f"SELECT s.* FROM ({every}) AS s LEFT SEMI JOIN ({rows}) AS a ON {agree}"
