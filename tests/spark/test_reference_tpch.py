"""TPC-H: the reference tracker against Spark and re-execution, and pushed-down predicates against the tracker.

Every output row is compared, or 50 of them where there are more. A usual run takes every third query and re-executes
one row of each; `make soak` takes all queries, and re-executes all rows that it compares.
What inference decides is in the golden files.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.spark.oracle import Oracle
from tests.spark.predicates import assert_traced_exactly

from predtrace.reference.reexecution import Outcome, Reexecution

QUERIES = Path(__file__).parents[1] / "data" / "tpch"
FULL = bool(os.environ.get("PREDTRACE_FULL"))
REEXECUTED_ROWS = 50 if FULL else 1
NUMBERS = range(1, 23) if FULL else range(1, 23, 3)


@pytest.mark.parametrize("query", [f"q{number:02}" for number in NUMBERS])
def test_lineage_of_tpch(tpch: SparkSession, query: str) -> None:
    oracle = Oracle(tpch.sql((QUERIES / f"{query}.sql").read_text(encoding="utf-8")))
    written = oracle.tracked(oracle.captured.written)
    assert written.rows == oracle.spark_rows()
    decorrelated = oracle.tracked(oracle.captured.operators)
    assert decorrelated.lineage == written.lineage, "a rewriting changes the lineage"

    check = Reexecution(oracle.frame)
    keys = sorted(written.values, key=repr)
    sampled = random.Random(query).sample(keys, min(REEXECUTED_ROWS, len(keys)))
    for key in sampled:
        verdict = check.check(written.values[key], oracle.claimed(written.lineage[key]))
        assert verdict.outcome is not Outcome.NOT_REPRODUCED, str(verdict)

    assert assert_traced_exactly(oracle, written.lineage).plan.exact
