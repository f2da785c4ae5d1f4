"""Random pipelines over tiny random tables, for laws that must hold for every pipeline.

`pipelines()` is a Hypothesis strategy of `GeneratedPipeline`. One prints as SQL text with the contents of its
tables, ready to become a regression test. Its rows are the same in every run: no unordered limits, no ties at
cuts, no sums of doubles that anything decides by.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tests.properties.draft import Draft, Draw, Relation, Table, tables
from tests.properties.expressions import Scope, constant
from tests.properties.queries import query

ARROW_TYPES = {
    "int": pa.int32(),
    "string": pa.string(),
    "double": pa.float64(),
    "decimal": pa.decimal128(6, 2),
    "date": pa.date32(),
    "boolean": pa.bool_(),
}


@dataclass(frozen=True, repr=False)
class GeneratedPipeline:
    """SQL over some tables, then DataFrame calls, each a Python expression over `df` (and `F`)."""

    tables: tuple[Table, ...]
    sql: str
    calls: tuple[str, ...] = ()
    features: frozenset[str] = frozenset()
    """What was drawn, such as `LEFT JOIN` or `aggregate`; says which laws apply."""

    def build(self, spark: SparkSession, folder: Path) -> DataFrame:
        """Write the tables under a folder, register them as views, and build the DataFrame (not run)."""
        for table in self.tables:
            _frame(spark, table, folder).createOrReplaceTempView(table.name)
        frame = spark.sql(self.sql)
        for call in self.calls:
            frame = eval(call, {"df": frame, "F": F})
        return frame

    def __repr__(self) -> str:
        parts = [*map(str, self.tables), self.sql, *(f"df = {call}" for call in self.calls)]
        return "\n" + "\n".join(parts) + "\n"


def _frame(spark: SparkSession, table: Table, folder: Path) -> DataFrame:
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    arrays = [pa.array(c, ARROW_TYPES[type_]) for c, (_, type_) in zip(columns, table.columns, strict=True)]
    rows = pa.table(dict(zip((name for name, _ in table.columns), arrays, strict=True)))
    if table.storage == "memory":
        return spark.createDataFrame(rows)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{table.name}.parquet"
    pyarrow.parquet.write_table(rows, path)
    return spark.read.parquet(str(path))


@st.composite
def pipelines(draw: Draw, deepest: int = 2) -> GeneratedPipeline:
    """Pipelines of one to so many query blocks one above the other, each with several operators."""
    drawn = draw(tables())
    draft = Draft(draw, drawn)
    result = query(draft, draft.number(1, deepest), top=True)
    calls = _calls(draft, result) if draft.chance(4) else ()
    shared = ", ".join(f"{name} AS ({relation.sql})" for name, relation in draft.ctes)
    sql = f"WITH {shared} {result.sql}" if shared else result.sql
    return GeneratedPipeline(drawn, sql, calls, frozenset(draft.features))


def _calls(draft: Draft, result: Relation) -> tuple[str, ...]:
    """DataFrame calls that SQL has no words for, or that plan differently."""
    columns: Scope = result.columns
    first = draft.choose(columns)
    fill = constant(draft, "int")
    options = [
        ("dropna", "df.dropna(how='any')"),
        ("fillna", f"df.fillna({fill})"),
        ("distinct", "df.dropDuplicates()"),
        ("UNION ALL", "df.unionByName(df)"),
        (
            "self join",
            f"df.alias('l').join(df.alias('r'), F.col('l.{first.text}') == F.col('r.{first.text}'), 'left_semi')",
        ),
        (
            "JOIN",
            f"df.alias('l').join(df.alias('r'), F.col('l.{first.text}').eqNullSafe(F.col('r.{first.text}')))",
        ),
        ("JOIN", f"df.join(df, '{first.text}')"),
        ("FULL JOIN", f"df.join(df, '{first.text}', 'full')"),
        (
            "aggregate",
            f"df.groupBy('{first.text}').agg(F.count('*').alias('n'), F.max('{first.text}').alias('m'))",
        ),
        ("INTERSECT ALL", "df.intersectAll(df)"),
        ("EXCEPT", "df.exceptAll(df.dropDuplicates())"),
    ]
    feature, call = draft.choose(options)
    draft.features.add(feature)
    return (call,)
