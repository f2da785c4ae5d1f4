"""Rows to come from DuckDB, and predicates over them.

A frame is a SELECT with bound values, run when its rows are asked for; relations are temporary tables.

A predicate over the tuples of a relation is a semi join, which DuckDB hashes on its equalities. NULL-safe equality
keeps it from skipping the parts of a file that cannot match. So where a relation's column has no NULL, it becomes
`=`, and where it has nothing but NULL, IS NULL; only among the conjuncts of the predicate, where NULL is as good as
false.

Of a join on several columns, a scan learns the range of each of them only. From a join on one column it learns the
values, and decodes the other columns of a file only near rows that have one. So a join on several columns comes after
one on each of them (`narrowed`): what passes the first passes all of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any, TypeVar

import duckdb
import pyarrow

from predtrace.engines.duckdb_database import let_go
from predtrace.engines.duckdb_sql import NotInDuckDB, Values, new_name, to_duckdb
from predtrace.engines.duckdb_sql.types import FLOATING, identifier
from predtrace.ir.expressions import Call, Column, Expression
from predtrace.ir.predicates import Parameter
from predtrace.ir.spark_sql import column_name
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, factored, parts_of

T = TypeVar("T")


class Nulls(Enum):
    """How much of a relation's column is NULL."""

    NONE = "none"
    SOME = "some"
    ALL = "all"


@dataclass(frozen=True)
class DuckFrame:
    """Rows to come. Columns are named by their ids; those of a relation by its parameters, with their NULLs known."""

    connection: duckdb.DuckDBPyConnection = field(repr=False)
    sql: str
    values: Values = field(default_factory=dict)
    nulls: Mapping[str, Nulls] = field(default_factory=dict)
    tuples: int = 0
    """Of a relation: how many it has."""

    def to_arrow(self, limit: int | None = None) -> pyarrow.Table:
        """The rows, or the first of them."""
        return answered(lambda: self._selected(limit).to_arrow_table())

    def batches(self) -> pyarrow.RecordBatchReader:
        """The rows, a batch at a time."""
        return answered(lambda: self._selected().to_arrow_reader())

    def _selected(self, limit: int | None = None) -> duckdb.DuckDBPyRelation:
        rows = self.sql if limit is None else f"SELECT * FROM ({self.sql}) LIMIT {limit:d}"
        return self.connection.sql(rows, params=self.values)

    def count(self) -> int:
        """The number of rows."""
        return int(self.first("count(*)")[0])

    def first(self, selected: str) -> tuple[Any, ...]:
        """The first row of a SELECT from these rows."""
        return answered(lambda: self._run(f"SELECT {selected} FROM ({self.sql})").fetchall()[0])

    def stored(self, selected: str) -> DuckFrame:
        """A SELECT from these rows, computed now."""
        table = new_name()
        answered(lambda: self._run(f"CREATE TEMP TABLE {table} AS SELECT {selected} FROM ({self.sql})"))
        return DuckFrame(self.connection, f"FROM {table}")

    def _run(self, sql: str) -> duckdb.DuckDBPyConnection:
        return self.connection.execute(sql, self.values)


def answered(step: Callable[[], T]) -> T:
    """Run a step in DuckDB. A file it does not read, a value beyond its range: Spark may well have an answer."""
    try:
        return step()
    except duckdb.Error as problem:
        if isinstance(problem, duckdb.FatalException | duckdb.InternalException):
            let_go()  # a database that met with a bug of its own refuses everything from then on
        raise NotInDuckDB(str(problem).strip().split("\n")[0]) from problem


def join(predicate: Selection, relation: DuckFrame) -> tuple[str, Values]:
    """What follows SEMI JOIN or ANTI JOIN, for a predicate over the tuples of a relation."""
    text, values = written(all_of(_conjuncts(predicate, relation)))
    return f"({relation.sql}) ON {text}", values


def narrowed(rows: str, predicate: Selection, relation: DuckFrame) -> str:
    """A SELECT of the rows, without some that the semi join with a predicate over a relation cannot select."""
    equal = [part for part in _conjuncts(predicate, relation) if _compares_a_column(part)]
    if relation.tuples < 2 or len(equal) < 2:
        return rows  # ranges tell as much
    for part in dict.fromkeys(equal):
        rows = f"SELECT * FROM ({rows}) SEMI JOIN ({relation.sql}) ON {written(part)[0]}"
    return rows


def _conjuncts(predicate: Selection, relation: DuckFrame) -> Iterator[Expression]:
    parts = (each for part in parts_of(predicate) for each in factored(part))
    return map(partial(_sharpened, relation.nulls), parts)


def _compares_a_column(part: Expression) -> bool:
    """Whether a conjunct is an equality of a column, which is in the files as it is, and a value of a tuple."""
    match part:
        case Call(
            function="=", arguments=(Column() as column, Parameter()) | (Parameter(), Column() as column)
        ):
            return column.type.name not in FLOATING
    return False


def _sharpened(nulls: Mapping[str, Nulls], part: Expression) -> Expression:
    """A conjunct that selects the same, and that DuckDB can use better."""
    match part:
        case Call(function="<=>", arguments=(other, Parameter() as value) | (Parameter() as value, other)):
            known = nulls.get(column_text(value), Nulls.SOME)
            if known is Nulls.NONE:
                return Call("=", (other, value), part.type)
            if known is Nulls.ALL:
                return Call("isnull", (other,), part.type)
    return part


def written(selection: Selection) -> tuple[str, Values]:
    """The text of a predicate and the values bound in it."""
    return ("true", {}) if selection is None else to_duckdb(selection, column_text)


def column_text(column: Column | Parameter) -> str:
    """How a column, or a parameter of a relation, is written in the SQL of this engine."""
    return identifier(column_name(column) if isinstance(column, Column) else f"parameter {column.name}")
