"""The reference tracker on TPC-H: all 22 queries, sampled rows of each re-executed on their lineage."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.spark.oracle import Oracle

from predtrace.reference.reexecution import Outcome, Reexecution

QUERIES = sorted((Path(__file__).parents[1] / "data" / "tpch").glob("q*.sql"))
SAMPLED_ROWS = 2


@pytest.mark.parametrize("path", QUERIES, ids=[path.stem for path in QUERIES])
def test_lineage_of_tpch(tpch: SparkSession, path: Path) -> None:
    oracle = Oracle(tpch.sql(path.read_text(encoding="utf-8")))
    written = oracle.tracked(oracle.captured.written)
    assert written.rows == oracle.spark_rows()
    decorrelated = oracle.tracked(oracle.captured.operators)
    assert decorrelated.lineage == written.lineage, "a rewriting changes the lineage"
    check = Reexecution(oracle.frame)
    keys = sorted(written.values, key=repr)
    for key in random.Random(path.stem).sample(keys, min(SAMPLED_ROWS, len(keys))):
        verdict = check.check(written.values[key], oracle.claimed(written.lineage[key]))
        assert verdict.outcome is not Outcome.NOT_REPRODUCED, str(verdict)
