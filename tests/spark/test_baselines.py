"""The evaluation's baselines against the reference tracker: their answers are right, and they answer all they should.

A usual run takes a few queries and corpus pipelines; `PREDTRACE_FULL=1` takes all.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from benchmarks.checking import verdicts
from benchmarks.queries import QUERIES
from benchmarks.records import FAILED, MEASURED, NOT_SUPPORTED, WRONG
from pyspark.sql import SparkSession
from tests.corpus import PIPELINES, Pipeline, register
from tests.spark.test_reference_corpus import REFUSED

FULL = bool(os.environ.get("PREDTRACE_FULL"))

NOT_NESTED = {1, 3, 5, 6, 7, 8, 9, 10, 12, 13, 14, 19}
"""Queries without subqueries in conditions: the twelve that the paper says Trace can handle."""

ONE_BLOCK = {1, 3, 5, 6, 7, 8, 9, 10, 12, 14, 19}
"""Those that are one SELECT block once blocks that only select and compute are merged into the one around them."""

NUMBERS = range(1, 23) if FULL else (4, 13)
SOME = (
    "intersect",
    "full_join",
    "min_and_max",
    "max_of_sums",
    "union_all_tagged",
    "count_of_nothing",
    "intersect_doubles",
)
ENTRIES = [
    entry
    for entry in PIPELINES
    if entry.name not in REFUSED and entry.deterministic and (FULL or entry.name in SOME)
]


@pytest.mark.parametrize("number", NUMBERS)
def test_baselines_answer_what_they_should(tpch: SparkSession, number: int) -> None:
    text = (QUERIES / f"q{number:02}.sql").read_text(encoding="utf-8")
    found = verdicts(tpch.sql(text), f"q{number:02}")
    supported = {
        "gprom": True,
        "trace": number in NOT_NESTED,
        "panda": number in ONE_BLOCK,
        "naive": True,
    }
    expected = {name: MEASURED if does else NOT_SUPPORTED for name, does in supported.items()}
    assert {name: verdict.status for name, verdict in found.items()} == expected, found


def test_a_wrong_answer_is_noticed(tpch: SparkSession) -> None:
    """Naive push-down has rows too many for this query: it is wrong unless that is allowed."""
    text = (QUERIES / "q04.sql").read_text(encoding="utf-8")
    verdict = verdicts(tpch.sql(text), "q04", ["naive"], supersets=())["naive"]
    assert verdict.status == WRONG
    assert re.fullmatch(r"0 rows of \w+ missed, [1-9]\d* too many", verdict.why)


@pytest.fixture(scope="module")
def corpus(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    folder: Path = tmp_path_factory.mktemp("corpus")
    register(spark, folder)
    return spark


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.name for entry in ENTRIES])
def test_no_baseline_is_wrong(corpus: SparkSession, entry: Pipeline) -> None:
    frame = entry.build(corpus)
    found = verdicts(frame, entry.name)
    assert not any(verdict.status == WRONG for verdict in found.values()), found
    if not frame.isEmpty():
        assert not any(verdict.status == FAILED for verdict in found.values()), found
