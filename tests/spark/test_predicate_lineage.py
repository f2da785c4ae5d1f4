"""Lineage by pushed-down predicates where a careless push-down would select rows that made nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.spark.oracle import Oracle
from tests.spark.predicates import assert_traced_exactly

from predtrace.infer.algorithm_1 import infer

QUERIES = Path(__file__).parents[1] / "data" / "tpch"


def test_why_a_result_is_needed_is_said_in_words(tpch: SparkSession) -> None:
    oracle = Oracle(tpch.sql((QUERIES / "q04.sql").read_text(encoding="utf-8")))
    (need,) = infer(oracle.captured.operators).needed
    assert "is selected although it is in the lineage of no target row" in need.why


EXISTENCE = {
    # The row comes from one branch only; rows of the other branch's tables that match it made nothing.
    "union": (
        "select id from (select id from t1 where exists (select 1 from t2 where t2.k = t1.k)"
        " union all select id from t2 where id < 20)",
        (10,),
    ),
    # The row is null-extended over a semi join: what is below the semi join made nothing.
    "outer join": (
        "select a.id, s.id from t1 a left join"
        " (select * from t1 where exists (select 1 from t2 where t2.k = t1.k)) s on a.id = s.id + 3",
        (1, None),
    ),
    # The row is kept by one arm of an OR; the other arm's EXISTS finds nothing for it.
    "or": ("select id from t1 where v = 7 or exists (select 1 from t2 where t2.k = t1.k and t2.v > 4)", (3,)),
}


@pytest.mark.parametrize("name", sorted(EXISTENCE))
def test_rows_that_merely_match_are_not_selected(spark: SparkSession, tmp_path: Path, name: str) -> None:
    rows = {
        "t1": [(1, "a", 5), (2, "a", 3), (3, "b", 7), (4, None, 7), (5, "b", None)],
        "t2": [(10, "a", 5), (20, "a", 5), (30, "b", 1), (40, "c", 7)],
    }
    for table, values in rows.items():
        spark.createDataFrame(values, "id int, k string, v int").coalesce(1).write.parquet(
            str(tmp_path / table)
        )
        spark.read.parquet(str(tmp_path / table)).createOrReplaceTempView(table)
    text, row = EXISTENCE[name]
    oracle = Oracle(spark.sql(text))
    expected = oracle.tracked(oracle.captured.written)
    assert row in expected.lineage
    assert assert_traced_exactly(oracle, expected.lineage).plan.exact
