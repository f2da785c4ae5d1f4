"""Random pipelines over tiny random tables, for laws that must hold for every pipeline.

`pipelines()` is a Hypothesis strategy of `GeneratedPipeline`. One prints as SQL text with the contents of its
tables, ready to become a regression test. Its rows are the same in every run: no unordered limits, no ties at
cuts, no sums of doubles that anything decides by.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from tests.properties import python_functions
from tests.properties.draft import Draft, Relation
from tests.properties.queries import query
from tests.properties.tables import Table, draw_tables, filled


@dataclass(frozen=True, repr=False)
class GeneratedPipeline:
    """SQL over some tables, then DataFrame calls: each a Python expression over `df` and `python_functions`."""

    tables: tuple[Table, ...]
    sql: str
    calls: tuple[str, ...] = ()
    features: frozenset[str] = frozenset()
    """What was drawn, such as `LEFT JOIN` or `aggregate`."""

    def build(self, spark: SparkSession, folder: Path) -> DataFrame:
        """Write the tables under a folder, register them as views, and build the DataFrame (not run)."""
        for table in self.tables:
            table.frame(spark, folder).createOrReplaceTempView(table.name)
        python_functions.register(spark, self.sql)
        frame = spark.sql(self.sql)
        for call in self.calls:
            frame = eval(call, {"df": frame, **python_functions.namespace()})
        return frame

    def __repr__(self) -> str:
        called = python_functions.definitions(" ".join((self.sql, *self.calls)))
        parts = [*map(str, self.tables), *called, self.sql, *(f"df = {call}" for call in self.calls)]
        return "\n" + "\n".join(parts) + "\n"


def pipelines(only: frozenset[str] | None = None) -> st.SearchStrategy[GeneratedPipeline]:
    """Pipelines of one to three query blocks one above the other, each with several operators.

    `only` names the features to draw from; the tests that use it say why.
    """
    return st.randoms().map(lambda random: drawn(random, only))


def drawn(random: Random, only: frozenset[str] | None = None) -> GeneratedPipeline:
    """The pipeline that a random generator leads to."""
    draft = Draft(random, draw_tables(random), query, only, conditions_left=random.choice((1, 0, 1, 2)))
    result = query(draft, draft.choose((1, 2, 1, 2, 3)), top=True)
    calls = _calls(draft, result) if draft.chance(3) else ()
    shared = ", ".join(f"{name} AS ({relation.sql})" for name, relation in draft.ctes)
    sql = f"WITH {shared} {result.sql}" if shared else result.sql
    # Rows come last: shrinking can take some away without changing the query.
    read = tuple(filled(random, table) for table in draft.tables if f"{table.name} AS q" in sql)
    return GeneratedPipeline(read, sql, calls, frozenset(draft.features))


def _calls(draft: Draft, result: Relation) -> tuple[str, ...]:
    """DataFrame calls that SQL has no words for, or that plan differently; many read the same plan twice."""
    names = [column.text for column in draft.some(result.columns, 1, 2)]
    first, both = names[0], "df.alias('l').join(df.alias('r'), "
    safe = f"F.col('l.{first}').eqNullSafe(F.col('r.{first}'))"
    calls = {
        "dropna": (1, f"df.dropna(subset={names})"),
        "fillna": (1, "df.fillna(1).fillna('a')"),
        "distinct": (2, f"df.dropDuplicates({names}).select({names})"),
        "LEFT SEMI JOIN": (2, f"{both}{safe}, 'left_semi')"),
        "JOIN": (2, f"{both}{safe})"),
        "UNION ALL": (1, "df.unionByName(df)"),
        "LEFT JOIN": (1, f"df.join(df.dropDuplicates(), '{first}', 'left')"),
        "FULL JOIN": (1, f"df.join(df, '{first}', 'full')"),
        "aggregate": (2, f"df.groupBy({names}).agg(F.count('*').alias('n'), F.max('{first}').alias('m'))"),
        "grouping sets": (1, f"df.cube({names}).agg(F.min('{first}').alias('m'))"),
        "INTERSECT ALL": (1, "df.intersectAll(df)"),
        "EXCEPT": (1, "df.unionByName(df).exceptAll(df)"),
        "limit": (1, "df.orderBy(*df.columns).limit(2)"),
        **python_functions.calls(names, first),
    }
    feature = draft.feature({name: weight for name, (weight, _) in calls.items()})
    return (calls[feature][1],)
