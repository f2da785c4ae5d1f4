"""The DuckDB engine: predicates over Parquet files, in this process, without Spark and Java.

All needed results must have been saved: DuckDB runs predicates, never an operator of the pipeline. A frame is a
SELECT with bound values, run when its rows are asked for; relations are temporary tables.

A predicate over the tuples of a relation is a semi join, which DuckDB hashes on its equalities. NULL-safe equality
keeps it from skipping the parts of a file that cannot match. So where a relation's column has no NULL, it becomes
`=`, and where it has nothing but NULL, IS NULL; only among the conjuncts of the predicate, where NULL is as good as
false. With several predicates, each row is taken by the first that selects it: a semi join, less anti joins with
those before.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow

from predtrace.engines.duckdb_sql import NotInDuckDB, Values, new_name, to_duckdb
from predtrace.engines.duckdb_sql.types import identifier
from predtrace.engines.parquet_files import FileColumn, ParquetFiles, files_of
from predtrace.ir.expressions import Call, Column, Expression
from predtrace.ir.operators import SourceDescriptor
from predtrace.ir.predicates import Parameter
from predtrace.ir.spark_sql import column_name
from predtrace.ir.types import DataType
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, all_of, parts_of
from predtrace.plan.lineage_plan import LineagePlan, NodeCut, ResultPlan, SourcePlan

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

    def to_arrow(self, limit: int | None = None) -> pyarrow.Table:
        """The rows, or the first of them."""
        return _answered(lambda: self._selected(limit).to_arrow_table())

    def batches(self) -> pyarrow.RecordBatchReader:
        """The rows, a batch at a time."""
        return _answered(lambda: self._selected().to_arrow_reader())

    def _selected(self, limit: int | None = None) -> duckdb.DuckDBPyRelation:
        rows = self.sql if limit is None else f"SELECT * FROM ({self.sql}) LIMIT {limit:d}"
        return self.connection.sql(rows, params=self.values)

    def count(self) -> int:
        """The number of rows."""
        return int(self.first("count(*)")[0])

    def first(self, selected: str) -> tuple[Any, ...]:
        """The first row of a SELECT from these rows."""
        return _answered(lambda: self._run(f"SELECT {selected} FROM ({self.sql})").fetchall()[0])

    def stored(self, selected: str) -> DuckFrame:
        """A SELECT from these rows, computed now."""
        table = new_name()
        _answered(lambda: self._run(f"CREATE TEMP TABLE {table} AS SELECT {selected} FROM ({self.sql})"))
        return DuckFrame(self.connection, f"FROM {table}")

    def _run(self, sql: str) -> duckdb.DuckDBPyConnection:
        return self.connection.execute(sql, self.values)


def _answered(step: Callable[[], T]) -> T:
    """Run a step in DuckDB. A file it does not read, a value beyond its range: Spark may well have an answer."""
    try:
        return step()
    except duckdb.Error as problem:
        raise NotInDuckDB(str(problem).strip().split("\n")[0]) from problem


@dataclass(frozen=True)
class KeptSource:
    """The rows of a source that a run saved, as nobody else keeps them."""

    files: Sequence[str]
    columns: Sequence[Column]


class DuckEngine:
    """Runs on Parquet files: those of the sources, by reference number, and those of the saved results, by plan node.

    `kept` are sources whose rows were saved with the run, by reference number. Saved columns are named by their ids
    (`column_name`).
    """

    def __init__(
        self,
        descriptors: Mapping[int, SourceDescriptor],
        saved: Mapping[int, Sequence[str]] | None = None,
        kept: Mapping[int, KeptSource] | None = None,
    ) -> None:
        self._descriptors, self._kept = descriptors, kept or {}
        self.saved = saved or {}
        # DuckDB makes the folder when memory runs short, and takes it away again.
        spill = Path(tempfile.gettempdir()) / f"predtrace-{uuid.uuid4().hex}"
        self._connection = duckdb.connect(config={"temp_directory": str(spill)})
        self._connection.execute("SET TimeZone = 'UTC'")
        self._files = ParquetFiles(self._connection)

    def close(self) -> None:
        """End all frames of this engine."""
        self._connection.close()

    def check(self, plan: LineagePlan, condition: Selection = None) -> None:
        """Raise `NotInDuckDB` unless this engine can run a plan whose needed results are all saved, for rows that
        satisfy a condition."""
        self.check_selections(
            (condition, *(r.lookup for r in plan.results), *(s.predicate for s in plan.sources))
        )
        for source in plan.sources:
            self.source(source)

    def check_selections(self, selections: Iterable[Selection]) -> None:
        """Raise `NotInDuckDB` unless all of them can be asked as Spark would ask them."""
        for selection in selections:
            _written(selection)

    def rows(self, files: Sequence[str], columns: Sequence[Column], condition: Selection = None) -> DuckFrame:
        """Rows that a run saved: the pipeline's output, say, those of them that satisfy a condition."""
        own = [FileColumn(column_name(column), column.type, column_name(column)) for column in columns]
        sql, values = self._reading(files, own)
        text, more = _written(condition)
        return DuckFrame(self._connection, f"SELECT * FROM ({sql}) WHERE {text}", {**values, **more})

    def constants(self, columns: Sequence[Column], rows: Sequence[Sequence[Expression]]) -> DuckFrame:
        """Rows of constants."""
        if not columns:
            raise NotInDuckDB("rows without a known value")
        selected, values = [], Values()
        for row in rows:
            written = [_written(value) for value in row]
            for _, more in written:
                values |= more
            named = zip(columns, written, strict=True)
            selected.append("SELECT " + ", ".join(f"{text} AS {column_text(c)}" for c, (text, _) in named))
        return DuckFrame(self._connection, " UNION ALL ".join(selected), values)

    def result(self, result: ResultPlan) -> DuckFrame:
        if result.plan_node not in self.saved:
            raise NotInDuckDB(f"computing {result.operator}, whose result was not saved")
        return self.rows(self.saved[result.plan_node], result.columns)

    def computed(
        self, plan_node: int, columns: Sequence[Column], cuts: Sequence[NodeCut], given: DuckFrame
    ) -> DuckFrame:
        raise NotInDuckDB("computing rows of the pipeline's own operators")

    def source(self, source: SourcePlan) -> DuckFrame:
        kept = self._kept.get(source.reference)
        if kept is not None:
            own = [(column_name(column), column.type) for column in kept.columns]
            return DuckFrame(self._connection, *self._reading(kept.files, _by_position(own, source)))
        descriptor = self._descriptors[source.reference]
        fields = [(field.name, field.type) for field in descriptor.schema.fields]
        if len(fields) != len(source.columns):
            raise NotInDuckDB(f"the source {descriptor.name} with columns that are not in its files")
        return DuckFrame(self._connection, *self._reading(files_of(descriptor), _by_position(fields, source)))

    def where(self, rows: DuckFrame, selections: Sequence[tuple[Selection, DuckFrame]]) -> DuckFrame:
        joins = [_join(predicate, relation) for predicate, relation in selections if predicate != NOTHING]
        values = dict(rows.values)
        branches = []
        for at, (join, more) in enumerate(joins):
            values |= more
            text = f"SELECT * FROM ({rows.sql}) SEMI JOIN {join}"
            for before, _ in joins[:at]:
                text = f"SELECT * FROM ({text}) ANTI JOIN {before}"
            branches.append(text)
        union = " UNION ALL ".join(branches)
        text = union or f"SELECT * FROM ({rows.sql}) WHERE false"
        return DuckFrame(self._connection, text, values, rows.nulls)

    def relation(self, name: str, columns: Sequence[Column], rows: DuckFrame) -> DuckFrame:
        names = [column_text(Parameter(f"{name}.{column.id}", column.type)) for column in columns]
        renamed = (f"{column_text(column)} AS {new}" for column, new in zip(columns, names, strict=True))
        return _with_nulls(rows.stored(f"DISTINCT {', '.join(renamed)}"), names)

    def is_empty(self, rows: DuckFrame) -> bool:
        return rows.count() == 0

    def without(self, rows: DuckFrame, predicate: Selection, relation: DuckFrame) -> DuckFrame:
        join, more = _join(predicate, relation)
        return DuckFrame(
            self._connection,
            f"SELECT * FROM ({rows.sql}) ANTI JOIN {join}",
            {**rows.values, **more},
            rows.nulls,
        )

    def kept(self, relation: DuckFrame) -> DuckFrame:
        return _with_nulls(relation.stored("*"), list(relation.nulls))

    def count(self, rows: DuckFrame) -> int:
        return rows.count()

    def _reading(self, files: Sequence[str], columns: Sequence[FileColumn]) -> tuple[str, Values]:
        return _answered(lambda: self._files.reading(files, columns))


def _with_nulls(table: DuckFrame, names: Sequence[str]) -> DuckFrame:
    total, *known = table.first(", ".join(["count(*)", *(f"count({name})" for name in names)]))
    nulls = {name: _nulls(total, count) for name, count in zip(names, known, strict=True)}
    return DuckFrame(table.connection, table.sql, nulls=nulls)


def _by_position(columns: Sequence[tuple[str, DataType]], source: SourcePlan) -> list[FileColumn]:
    """The columns of a reference are those of the source, in the same order."""
    same = zip(columns, source.columns, strict=True)
    return [FileColumn(name, type_, column_name(column)) for (name, type_), column in same]


def _join(predicate: Selection, relation: DuckFrame) -> tuple[str, Values]:
    text, values = _written(all_of(map(partial(_sharpened, relation.nulls), parts_of(predicate))))
    return f"({relation.sql}) ON {text}", values


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


def _nulls(total: int, known: int) -> Nulls:
    return Nulls.NONE if known == total else Nulls.SOME if known else Nulls.ALL


def _written(selection: Selection) -> tuple[str, Values]:
    return ("true", {}) if selection is None else to_duckdb(selection, column_text)


def column_text(column: Column | Parameter) -> str:
    """How a column, or a parameter of a relation, is written in the SQL of this engine."""
    return identifier(column_name(column) if isinstance(column, Column) else f"parameter {column.name}")
