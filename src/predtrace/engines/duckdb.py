"""The DuckDB engine: predicates over Parquet files, in this process, without Spark and Java.

All needed results must have been saved: DuckDB runs predicates, never an operator of the pipeline. With several
predicates, each row is taken by the first that selects it: a semi join, less anti joins with those before. Python
functions in predicates are called beforehand (`duckdb_functions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from predtrace.engines.duckdb_database import connect
from predtrace.engines.duckdb_frames import DuckFrame, Nulls, answered, column_text, join, narrowed, written
from predtrace.engines.duckdb_functions import Functions, FunctionValues, no_functions
from predtrace.engines.duckdb_sql import NotInDuckDB, Values
from predtrace.engines.parquet_files import FileColumn, ParquetFiles, files_of
from predtrace.ir.expressions import Column, Expression
from predtrace.ir.operators import SourceDescriptor
from predtrace.ir.predicates import Parameter
from predtrace.ir.spark_sql import column_name
from predtrace.ir.types import DataType
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING
from predtrace.plan.lineage_plan import LineagePlan, NodeCut, ResultPlan, SourcePlan


@dataclass(frozen=True)
class KeptSource:
    """The rows of a source that a run saved, as nobody else keeps them."""

    files: Sequence[str]
    columns: Sequence[Column]


class DuckEngine:
    """Runs on Parquet files: those of the sources, by reference number, and those of the saved results, by plan node.

    `kept` are sources whose rows were saved with the run, by reference number. Saved columns are named by their ids
    (`column_name`). `functions` gives the user's functions that predicates call.
    """

    def __init__(
        self,
        descriptors: Mapping[int, SourceDescriptor],
        saved: Mapping[int, Sequence[str]] | None = None,
        kept: Mapping[int, KeptSource] | None = None,
        functions: Functions = no_functions,
    ) -> None:
        self._descriptors, self._kept = descriptors, kept or {}
        self.saved = saved or {}
        self._connection = connect()
        self._files = ParquetFiles(self._connection)
        self._functions = FunctionValues(self._connection, functions)

    def close(self) -> None:
        """End all frames of this engine."""
        self._connection.close()

    def check(self, plan: LineagePlan, condition: Selection = None) -> None:
        """Raise `NotInDuckDB` unless this engine can run a plan whose needed results are all saved, for rows that
        satisfy a condition."""
        written(condition)
        self.check_selections((*(r.lookup for r in plan.results), *(s.predicate for s in plan.sources)))
        for source in plan.sources:
            self.source(source)

    def check_selections(self, selections: Iterable[Selection]) -> None:
        """Raise `NotInDuckDB` unless all of them can be asked as Spark would ask them."""
        for selection in selections:
            self._functions.check(selection)

    def rows(self, files: Sequence[str], columns: Sequence[Column], condition: Selection = None) -> DuckFrame:
        """Rows that a run saved: the pipeline's output, say, those of them that satisfy a condition."""
        own = [FileColumn(column_name(column), column.type, column_name(column)) for column in columns]
        sql, values = self._reading(files, own)
        text, more = written(condition)
        return DuckFrame(self._connection, f"SELECT * FROM ({sql}) WHERE {text}", {**values, **more})

    def constants(self, columns: Sequence[Column], rows: Sequence[Sequence[Expression]]) -> DuckFrame:
        """Rows of constants."""
        if not columns:
            raise NotInDuckDB("rows without a known value")
        selected, values = [], Values()
        for row in rows:
            texts = [written(value) for value in row]
            for _, more in texts:
                values |= more
            named = zip(columns, texts, strict=True)
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
        all_rows, asked_of, values = rows, [], Values()
        added: list[str] = []
        for predicate, relation in selections:
            if predicate == NOTHING:
                continue
            asked = self._functions.asked(all_rows, predicate, relation)
            all_rows = asked.rows
            added += asked.added
            asked_of.append((asked.predicate, asked.relation))
            values |= asked.relation.values
        values |= all_rows.values
        selected = f"SELECT * EXCLUDE ({', '.join(added)})" if added else "SELECT *"
        branches, joins = [], list[str]()
        for predicate, relation in asked_of:
            semi, more = join(predicate, relation)
            text = f"SELECT * FROM ({narrowed(all_rows.sql, predicate, relation)}) SEMI JOIN {semi}"
            for before in joins:
                text = f"SELECT * FROM ({text}) ANTI JOIN {before}"
            joins.append(semi)
            values |= more
            branches.append(f"{selected} FROM ({text})" if added else text)
        union = " UNION ALL ".join(branches)
        if not union:
            return replace(rows, sql=f"SELECT * FROM ({rows.sql}) WHERE false")
        return DuckFrame(self._connection, union, values, rows.nulls)

    def relation(self, name: str, columns: Sequence[Column], rows: DuckFrame) -> DuckFrame:
        names = [column_text(Parameter(f"{name}.{column.id}", column.type)) for column in columns]
        renamed = (f"{column_text(column)} AS {new}" for column, new in zip(columns, names, strict=True))
        return _with_nulls(rows.stored(f"DISTINCT {', '.join(renamed)}"), names)

    def is_empty(self, rows: DuckFrame) -> bool:
        return rows.count() == 0

    def without(self, rows: DuckFrame, predicate: Selection, relation: DuckFrame) -> DuckFrame:
        asked = self._functions.asked(rows, predicate, relation)
        anti, more = join(asked.predicate, asked.relation)
        left = f"SELECT * FROM ({asked.rows.sql}) ANTI JOIN {anti}"
        if asked.added:
            left = f"SELECT * EXCLUDE ({', '.join(asked.added)}) FROM ({left})"
        values = {**asked.rows.values, **asked.relation.values, **more}
        return DuckFrame(self._connection, left, values, rows.nulls)

    def kept(self, relation: DuckFrame) -> DuckFrame:
        return _with_nulls(relation.stored("*"), list(relation.nulls))

    def count(self, rows: DuckFrame) -> int:
        return rows.count()

    def _reading(self, files: Sequence[str], columns: Sequence[FileColumn]) -> tuple[str, Values]:
        return answered(lambda: self._files.reading(files, columns))


def _with_nulls(table: DuckFrame, names: Sequence[str]) -> DuckFrame:
    total, *known = table.first(", ".join(["count(*)", *(f"count({name})" for name in names)]))
    nulls = {name: _nulls(total, count) for name, count in zip(names, known, strict=True)}
    return DuckFrame(table.connection, table.sql, nulls=nulls, tuples=total)


def _by_position(columns: Sequence[tuple[str, DataType]], source: SourcePlan) -> list[FileColumn]:
    """The columns of a reference are those of the source, in the same order."""
    same = zip(columns, source.columns, strict=True)
    return [FileColumn(name, type_, column_name(column)) for (name, type_), column in same]


def _nulls(total: int, known: int) -> Nulls:
    return Nulls.NONE if known == total else Nulls.SOME if known else Nulls.ALL
