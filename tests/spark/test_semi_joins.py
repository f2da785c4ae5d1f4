"""Semi joins that were made from IN are IN again where a run computes what is below them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from predtrace import capture

IN = """select a.k, s.total from a join (select k, sum(v) as total from b group by k) s on a.k = s.k
    where a.k in (select k from c where w > 1)"""
IN_TWO = """select a.k, a.v, s.total from a join (select k, v, sum(v) as total from b group by k, v) s
    on a.k = s.k and a.v = s.v where (a.k, a.v) in (select k, w from c)"""
EXISTS_TOO = f"{IN} and exists (select 1 from c where c.k = a.k and c.w < a.v)"
FLAGGED = IN.replace("w > 1)", "w > 1) and (a.v > 2 or exists (select 1 from c where c.k = a.k))")
LIMITED = IN.replace("where w > 1", "limit 1")
GROUPED = IN.replace("c where w > 1", "c group by k having sum(w) > 1")
SEMI = """select a.k, s.total from a left semi join c on a.k = c.k
    join (select k, sum(v) as total from b group by k) s on a.k = s.k"""


@pytest.fixture(autouse=True)
def views(spark: SparkSession) -> None:
    pairs = [(1, 10), (2, 20), (2, 3), (None, 4), (3, None), (4, 1)]
    spark.createDataFrame(pairs, "k int, v int").createOrReplaceTempView("a")
    spark.createDataFrame([*pairs, (1, 1)], "k int, v int").createOrReplaceTempView("b")
    others = [(1, 10), (2, 3), (2, 2), (None, 4), (3, None)]
    spark.createDataFrame(others, "k int, w int").createOrReplaceTempView("c")


@pytest.mark.parametrize("query", [IN, IN_TWO, EXISTS_TOO, FLAGGED, GROUPED, SEMI])
def test_the_rows_are_the_same(spark: SparkSession, tmp_path: Path, query: str) -> None:
    frame = spark.sql(query)
    output = capture(frame).run(store=str(tmp_path))
    assert output.schema == frame.schema
    assert frame.count() > 0
    assert sorted(output.collect()) == sorted(frame.collect())


def test_spark_infers_from_it_what_it_infers_from_the_query(spark: SparkSession) -> None:
    """The IN is inferred for the other side of the join, and filters below its aggregation."""
    frame = spark.sql(IN)
    assert _semi_joins(_run_as(frame)) == _semi_joins(frame) == 2


@pytest.mark.parametrize("query", [LIMITED, GROUPED, SEMI])
def test_others_stay_as_they_are(spark: SparkSession, query: str) -> None:
    """A LIMIT may choose other rows if it runs twice, an aggregation takes twice as long; and a join was a join."""
    assert _semi_joins(_run_as(spark.sql(query))) == 1


def _run_as(frame: DataFrame) -> DataFrame:
    captured = capture(frame).captured
    root = captured.operators.plan_node
    assert root is not None
    return captured.nodes.rows(root, captured.operators.output)


def _semi_joins(frame: DataFrame) -> int:
    execution: Any = frame._jdf.queryExecution()
    return str(execution.optimizedPlan().toString()).count("LeftSemi")
