"""TPC-H: the reference tracker against Spark and re-execution, and pushed-down predicates against the tracker.

The table says what inference decides: which operators' outputs are needed, from the output down. A change there
is a change of behaviour, to be looked at before it is written down.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.spark.oracle import Oracle
from tests.spark.predicates import evaluated, tracked

from predtrace.infer.algorithm_1 import infer
from predtrace.reference.reexecution import Outcome, Reexecution

QUERIES = Path(__file__).parents[1] / "data" / "tpch"
SAMPLED_ROWS = 2

NEEDED = {
    "q01": [],
    "q02": ["LeftOuterJoin", "GroupBy", "InnerJoin"],
    "q03": ["InnerJoin"],
    "q04": ["SemiJoin"],
    "q05": ["InnerJoin"],
    "q06": [],
    "q07": ["InnerJoin"],
    "q08": ["InnerJoin"],
    "q09": ["InnerJoin"],
    "q10": ["InnerJoin"],
    "q11": ["InnerJoin", "CrossJoin"],
    "q12": ["InnerJoin"],
    "q13": ["GroupBy"],
    "q14": ["InnerJoin"],
    "q15": ["GlobalAggregate", "GroupBy"],
    "q16": ["InnerJoin"],
    "q17": ["LeftOuterJoin", "GroupBy"],
    "q18": [],
    "q19": ["InnerJoin"],
    "q20": ["InnerJoin", "LeftOuterJoin", "GroupBy"],
    "q21": ["InnerJoin"],
    "q22": ["AntiJoin"],
}


@pytest.mark.parametrize("query", sorted(NEEDED))
def test_lineage_of_tpch(tpch: SparkSession, query: str) -> None:
    oracle = Oracle(tpch.sql((QUERIES / f"{query}.sql").read_text(encoding="utf-8")))
    written = oracle.tracked(oracle.captured.written)
    assert written.rows == oracle.spark_rows()
    decorrelated = oracle.tracked(oracle.captured.operators)
    assert decorrelated.lineage == written.lineage, "a rewriting changes the lineage"

    check = Reexecution(oracle.frame)
    keys = sorted(written.values, key=repr)
    sampled = random.Random(query).sample(keys, min(SAMPLED_ROWS, len(keys)))
    for key in sampled:
        verdict = check.check(written.values[key], oracle.claimed(written.lineage[key]))
        assert verdict.outcome is not Outcome.NOT_REPRODUCED, str(verdict)

    inferred = infer(oracle.captured.operators)
    assert inferred.exact
    assert [need.operator.title() for need in inferred.needed] == NEEDED[query]
    row = sampled[0]
    assert evaluated(oracle, inferred, written.values[row]) == tracked(oracle, written, row)
