"""DuckDB and Spark read the same Parquet file: whatever the tables of the DuckDB engine let through must agree.

Spark's side is wrapped in `TryEval`, so a row on which Spark fails shows as such; there DuckDB must say NULL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from tests.unit.engines.duckdb_samples import (
    CASE_SAMPLES,
    CAST_SAMPLES,
    CONDITIONS,
    FUNCTION_SAMPLES,
    READ_AS_DATES_AND_NUMBERS,
    REFUSED,
)
from tests.unit.engines.duckdb_values import EDGES, TYPES, rows

from predtrace.engines.duckdb import DuckEngine
from predtrace.engines.duckdb_frames import DuckFrame, column_text
from predtrace.engines.duckdb_sql import NotInDuckDB, to_duckdb
from predtrace.engines.duckdb_sql.casts import CASTS
from predtrace.frontends.spark.capture import capture_dataframe
from predtrace.frontends.spark.targets import columns_by_id
from predtrace.frontends.spark.targets import target_condition as by_spark
from predtrace.frontends.sql import target_condition
from predtrace.ir import expressions as ir
from predtrace.ir import operators as op
from predtrace.ir.parts import transform, walk
from predtrace.ir.spark_sql import to_sql
from predtrace.ir.types import BOOLEAN, quoted
from predtrace.plan.lineage_plan import SourcePlan

FAILS = "fails"
Answers = dict[int, Any]
"""What an expression gives on each row, by the row's id."""


@dataclass(frozen=True)
class Table:
    """One Parquet file, as both engines see it."""

    frame: DataFrame
    engine: DuckEngine
    duck: DuckFrame
    columns: dict[str, ir.Column]

    def in_spark(self, texts: Sequence[str]) -> list[Answers]:
        """Each expression's value on each row, in one job."""
        cells = [_trying(self.frame, text).alias(f"r{at}") for at, text in enumerate(texts)]
        found = self.frame.select("id", *cells).toArrow()
        ids = found.column("id").to_pylist()
        answers = []
        for at in range(len(texts)):
            cell = found.column(f"r{at}").combine_chunks()
            known = zip(cell.is_valid().to_pylist(), _values(cell.field(0)), strict=True)
            answers.append(dict(zip(ids, (value if fine else FAILS for fine, value in known), strict=True)))
        return answers

    def in_duckdb(self, expression: ir.Expression) -> Answers:
        text, values = to_duckdb(expression, column_text)
        selected = f"SELECT {column_text(self.columns['id'])} AS id, {text} AS r FROM ({self.duck.sql})"
        found = DuckFrame(self.duck.connection, selected, {**self.duck.values, **values}).to_arrow()
        return dict(zip(found.column("id").to_pylist(), _values(found.column("r")), strict=True))

    def read(self, texts: Sequence[str]) -> list[ir.Expression]:
        """The expressions as the front end reads them, over this table's columns."""
        selected = self.frame.selectExpr(*(f"{text} AS r{at}" for at, text in enumerate(texts)))
        project = capture_dataframe(selected).operators
        assert isinstance(project, op.Project)
        own = {column.id: self.columns[column.name] for column in project.inputs[0].output}

        def change(part: ir.Expression) -> ir.Expression:
            return own[part.id] if isinstance(part, ir.Column) else part

        return [transform(named.expression, change) for named in project.columns]


def _trying(frame: DataFrame, text: str) -> Column:
    jvm: Any = frame.sparkSession._jvm
    utilities = jvm.org.apache.spark.sql.classic.ExpressionUtils
    whole = utilities.expression(F.struct(F.expr(text))._jc)
    return Column(utilities.column(jvm.org.apache.spark.sql.catalyst.expressions.TryEval(whole)))


def _values(cells: Any) -> list[Any]:
    """Values that compare as they do in SQL; days and microseconds, because Python's calendar ends too soon."""
    if pa.types.is_date(cells.type):
        cells = cells.cast(pa.int32())
    elif pa.types.is_timestamp(cells.type):
        cells = cells.cast(pa.int64())
    return ["NaN" if value != value else value for value in cells.to_pylist()]


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    names = ["id", *(f"{name}{side}" for name in TYPES for side in (1, 2))]
    schema = "id int, " + ", ".join(f"{name} {TYPES[name[:-1]].sql()}" for name in names[1:])
    path = str(tmp_path_factory.mktemp("edges") / "both engines.parquet")
    made = spark.createDataFrame([tuple(row[name] for name in names) for row in rows()], schema)
    made.coalesce(1).write.parquet(path)
    frame = spark.read.parquet(path)
    captured = capture_dataframe(frame)
    source = captured.operators
    assert isinstance(source, op.Source)
    engine = DuckEngine(captured.descriptors)
    duck = engine.source(SourcePlan(0, source.columns, None, "target", ""))
    yield Table(frame, engine, duck, {column.name: column for column in source.columns})
    engine.close()


def _differences(table: Table, texts: Sequence[str], expressions: Sequence[ir.Expression]) -> list[str]:
    found = []
    for text, expression, expected in zip(texts, expressions, table.in_spark(texts), strict=True):
        answers = table.in_duckdb(expression)
        assert answers.keys() == expected.keys()
        for row, value in expected.items():
            if answers[row] != (None if value == FAILS else value):
                found.append(f"{text} on row {row}: Spark {value!r}, DuckDB {answers[row]!r}")
                break
    return found


def test_the_file_is_read_alike(table: Table) -> None:
    names = [name for name in table.columns if name != "id"]
    assert _differences(table, names, [table.columns[name] for name in names]) == []


GROUPS = [list(FUNCTION_SAMPLES)[at::6] for at in range(6)]


@pytest.mark.parametrize("functions", GROUPS, ids=lambda group: f"{group[0]}...")
def test_functions(table: Table, functions: list[str]) -> None:
    samples = [(function, text) for function in functions for text in FUNCTION_SAMPLES[function]]
    texts = [text for _, text in samples]
    expressions = table.read(texts)
    for (function, text), expression in zip(samples, expressions, strict=True):
        calls = {part.function for part in walk(expression) if isinstance(part, ir.Call)}
        assert function in calls, f"{text} is no sample of {function}"
    assert _differences(table, texts, expressions) == []


def test_casts(table: Table) -> None:
    expressions = table.read(CAST_SAMPLES)
    tried = {(e.child.type.name, e.type.name) for e in expressions if isinstance(e, ir.Cast)}
    assert tried >= set(CASTS)
    assert _differences(table, CAST_SAMPLES, expressions) == []


@pytest.mark.parametrize("texts", [CASE_SAMPLES, READ_AS_DATES_AND_NUMBERS], ids=["case", "strings"])
def test_other_expressions(table: Table, texts: list[str]) -> None:
    assert _differences(table, texts, table.read(texts)) == []


def test_constants(table: Table) -> None:
    """Every edge value as a constant, compared with its column."""
    expressions: list[ir.Expression] = []
    for name, values in EDGES.items():
        column = table.columns[f"{name}1"]
        for value in [*values, None]:
            constant = ir.Literal(value, column.type)
            expressions += [ir.Call(sign, (column, constant), BOOLEAN) for sign in ("<=>", "<")]
    texts = [to_sql(expression, lambda column: quoted(column.name)) for expression in expressions]
    assert _differences(table, texts, expressions) == []


@pytest.mark.parametrize("text", REFUSED)
def test_what_differs_is_refused(table: Table, text: str) -> None:
    (expression,) = table.read([text])
    with pytest.raises(NotInDuckDB):
        to_duckdb(expression, column_text)


def test_conditions_mean_what_they_mean_to_spark(table: Table) -> None:
    columns = list(table.columns.values())
    by_id = columns_by_id(table.frame, columns)
    mine = [target_condition(columns, condition) for condition in CONDITIONS]
    spark_s = [by_spark(table.frame, by_id, condition) for condition in CONDITIONS]
    texts = [to_sql(expression, lambda column: quoted(column.name)) for expression in (*mine, *spark_s)]
    answers = table.in_spark(texts)
    for at, condition in enumerate(CONDITIONS):
        assert answers[at] == answers[len(CONDITIONS) + at], condition
