"""Rows that carry their lineage: the data structure of the reference tracker.

A tracked frame is a Spark DataFrame with one column `c<id>` per column of the operator's output, and one column
`r<n>` per source reference below it: the array of addresses of the source rows that the row was derived
from. Inside a correlated subquery it also has a column `b<id>` per column of the enclosing row, so that one
frame holds the subquery's rows for every enclosing row at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from predtrace.ir.expressions import Column, ColumnId, Expression, OuterColumn
from predtrace.ir.parts import transform
from predtrace.ir.spark_sql import to_sql
from predtrace.ir.types import LONG, ArrayType

ADDRESSES = ArrayType("array", LONG)
POSITION = "predtrace_position"
NO_ADDRESSES = "CAST(array() AS ARRAY<BIGINT>)"


def column_name(column: Column) -> str:
    """The Spark name of a column. Ids are unique in a pipeline, so no two columns ever share a name."""
    plain = column.id.replace(".", "_").replace(":", "_")
    return plain if ":" in column.id else f"c{plain}"


def _spelled(column: Column) -> str:
    return f"`{column_name(column)}`"


def lineage_column(reference: int) -> Column:
    return Column(ColumnId(f"r:{reference}"), f"r{reference}", ADDRESSES, False)


def binding_column(column: Column) -> Column:
    """The column that holds an enclosing row's value inside a subquery."""
    return replace(column, id=ColumnId(f"b:{column.id}"))


def helper_column(name: str, like: Expression) -> Column:
    """A column that one step of the tracker adds and drops again."""
    return Column(ColumnId(f"x:{name}"), name, like.type)


def sql(expression: Expression) -> str:
    """The Spark SQL text of an expression over tracked columns; outer columns read their bindings."""

    def bind(part: Expression) -> Expression:
        return binding_column(part.column) if isinstance(part, OuterColumn) else part

    return to_sql(transform(expression, bind), _spelled)


def spark(expression: Expression) -> SparkColumn:
    return F.expr(sql(expression))


def named(expression: Expression, column: Column) -> SparkColumn:
    return spark(expression).alias(column_name(column))


@dataclass(frozen=True)
class Tracked:
    """An operator's output rows with their lineage."""

    rows: DataFrame
    columns: tuple[Column, ...]
    references: frozenset[int]
    bindings: tuple[Column, ...] = ()
    has_position: bool = False
    """Inside a subquery a Sort numbers the rows of each binding, for a Limit above it to go by."""

    def kept(self) -> list[str]:
        """The names of the columns that row-wise operators hand on: lineage, bindings, position."""
        names = [_spelled(column) for column in (*self.lineages(), *self.bindings)]
        return [*names, POSITION] if self.has_position else names

    def values(self) -> list[str]:
        """The names of the columns that make up a row's value, bindings included."""
        return [_spelled(column) for column in (*self.columns, *self.bindings)]

    def lineages(self) -> list[Column]:
        return [lineage_column(reference) for reference in sorted(self.references)]

    def everything(self) -> list[str]:
        return [*(_spelled(column) for column in self.columns), *self.kept()]

    def select(self, columns: Iterable[tuple[Expression, Column]]) -> Tracked:
        """Other columns, computed from these; lineage and bindings stay."""
        chosen = list(columns)
        rows = self.rows.select(*(named(e, c) for e, c in chosen), *self.kept())
        return replace(self, rows=rows, columns=tuple(c for _, c in chosen))

    def with_rows(self, rows: DataFrame) -> Tracked:
        """The same columns over other rows; columns that a step added are dropped."""
        return replace(self, rows=rows.select(*self.everything()))

    def where(self, condition: Expression) -> Tracked:
        return replace(self, rows=self.rows.filter(sql(condition)))


def union_of(addresses: str) -> str:
    """SQL: the addresses of all rows of a group, each once."""
    return f"array_distinct(flatten(collect_list({addresses})))"


def collected(lineages: Iterable[Column], only_if: str = "") -> list[SparkColumn]:
    """Per reference, the union of a group's lineage, of the rows that satisfy a condition."""

    def one(column: Column) -> SparkColumn:
        cell = _spelled(column)
        chosen = f"IF({only_if}, {cell}, {NO_ADDRESSES})" if only_if else cell
        return F.expr(union_of(f"coalesce({chosen}, {NO_ADDRESSES})")).alias(column_name(column))

    return [one(column) for column in lineages]


def grouped(frame: DataFrame, keys: Iterable[str], columns: Iterable[SparkColumn]) -> DataFrame:
    """One row per group. Spark refuses to group without aggregates, but a plan may read no source at all."""
    chosen, names = list(columns), list(keys)
    if chosen:
        return frame.groupBy(*names).agg(*chosen)
    return frame.select(*names).distinct() if names else frame.groupBy().agg(F.count(F.lit(1)))


def fixed(frame: DataFrame) -> DataFrame:
    """The rows as they come out now, however often they are used: a random choice is made once.

    A checkpoint, not `persist`: Spark skips batches of a cached frame by their smallest and largest value,
    which leave NaN out, so that a filter for NaN finds nothing.
    """
    return frame.localCheckpoint()


def never_null(lineages: Iterable[Column]) -> list[SparkColumn]:
    """Lineage columns that an outer join may have made NULL, as empty sets."""
    return [
        F.expr(f"coalesce({_spelled(column)}, {NO_ADDRESSES})").alias(column_name(column))
        for column in lineages
    ]


def same_values(pairs: Iterable[tuple[Column, Column]]) -> str:
    """SQL: two rows agree, NULL being equal to NULL."""
    return " AND ".join(f"{_spelled(one)} <=> {_spelled(other)}" for one, other in pairs) or "true"


def renamed(
    frame: DataFrame, columns: Iterable[Column], prefix: str
) -> tuple[DataFrame, dict[Column, Column]]:
    """The frame with some columns under other names, so that it can be joined to where they came from."""
    mapping = {c: replace(c, id=ColumnId(f"x:{prefix}{c.id}")) for c in columns}
    known = {column_name(c): column_name(new) for c, new in mapping.items()}
    return frame.select(*(F.col(f"`{n}`").alias(known.get(n, n)) for n in frame.columns)), mapping


def sharing_lineage(tracked: Tracked) -> Tracked:
    """Rows that are equal in all columns share their lineage (semantics.md, set semantics).

    Needed only where equal rows can fare differently: everywhere else they end up together anyway.
    """
    partition = tuple(dict.fromkeys((*tracked.columns, *tracked.bindings)))
    by_values = f"PARTITION BY {', '.join(map(_spelled, partition))}" if partition else ""
    shared = [
        F.expr(f"array_distinct(flatten(collect_list({_spelled(column)}) OVER ({by_values})))").alias(
            column_name(column)
        )
        for column in tracked.lineages()
    ]
    others = [F.col(name) for name in tracked.values()] + [F.col(POSITION)] * tracked.has_position
    return replace(tracked, rows=tracked.rows.select(*others, *shared))
