"""The reference tracker on the corpus: against hand-written lineage, against Spark, against re-execution.

Three judges that share no code with it: the lineage written down by hand in the corpus, the rows that Spark
itself returns, and running the user's own plan on nothing but a row's lineage. Besides, the plan with its
subqueries as joins must have the lineage of the plan as written.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.corpus import PIPELINES, TABLES, Pipeline, register, selects
from tests.spark.oracle import Oracle, TrackedOutput

from predtrace.errors import InputError
from predtrace.ir.serialise import from_json, to_json
from predtrace.reference.reexecution import Outcome, Reexecution

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REFUSED = {
    "api_sample_by": "Java or Scala",  # sampleBy is a filter by a function of Spark's own
    "python_table_function": "PythonUDTF",  # it may combine rows, and nobody says that it does not
}
"""Pipelines that are refused, and the words that say why."""


@pytest.fixture(scope="module")
def corpus(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    register(spark, tmp_path_factory.mktemp("corpus"))
    return spark


EVERY = 1 if os.environ.get("PREDTRACE_FULL") else 5
"""A fifth of the corpus, unless all of it is asked for (`make soak` does)."""

TRACKED = [entry for entry in PIPELINES if entry.name not in REFUSED][::EVERY]


@pytest.mark.parametrize("entry", TRACKED, ids=[entry.name for entry in TRACKED])
def test_tracker_finds_the_lineage(corpus: SparkSession, entry: Pipeline) -> None:
    oracle = Oracle(entry.build(corpus))
    written = oracle.tracked(oracle.captured.written)
    if entry.expected_rows is not None:
        assert sum(written.rows.values()) == entry.expected_rows
    if entry.deterministic:
        assert written.rows == oracle.spark_rows()
        if oracle.captured.operators != oracle.captured.written:
            decorrelated = oracle.tracked(oracle.captured.operators)
            assert decorrelated.rows == written.rows
            assert decorrelated.lineage == written.lineage, "a rewriting changes the lineage"
    for operators in (oracle.captured.written, oracle.captured.operators):
        assert from_json(to_json(operators)) == operators
    _check_expected(entry, oracle, written)
    if entry.deterministic and entry.reexecutable:
        _check_reexecution(entry, oracle, written)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_cannot_be_tracked_is_refused_clearly(corpus: SparkSession, name: str) -> None:
    (entry,) = [entry for entry in PIPELINES if entry.name == name]
    with pytest.raises(InputError, match=f"{REFUSED[name]}.*What to do"):
        Oracle(entry.build(corpus))


def _check_expected(entry: Pipeline, oracle: Oracle, written: TrackedOutput) -> None:
    columns = list(oracle.frame.columns)
    for selector, expected in entry.expected:
        picked = [key for key, values in written.values.items() if selects(selector, columns, values)]
        assert picked, f"no output row for {selector}"
        found: dict[str, set[Any]] = {}
        for number, descriptor in oracle.captured.descriptors.items():
            addresses = set[int]().union(*(written.lineage[key].get(number, set()) for key in picked))
            if addresses:
                found.setdefault(descriptor.name, set()).update(_keys(oracle, number, addresses))
        assert found == {name: set(keys) for name, keys in expected.items()}, selector


def _keys(oracle: Oracle, number: int, addresses: set[int]) -> set[Any]:
    rows = oracle.claimed({number: addresses})[number].collect()
    name = oracle.captured.descriptors[number].name
    key = TABLES[name].key if name in TABLES else None
    return {row[key] if key else tuple(row) for row in rows}


def _check_reexecution(entry: Pipeline, oracle: Oracle, written: TrackedOutput) -> None:
    """Re-run the plan on the lineage of one row: the last one the expectations pick, or any."""
    columns = list(oracle.frame.columns)
    wanted = [selector for selector, _ in entry.expected][-1:]
    keys = [k for k, values in written.values.items() if not wanted or selects(wanted[0], columns, values)]
    for key in keys[:1]:
        verdict = Reexecution(oracle.frame).check(written.values[key], oracle.claimed(written.lineage[key]))
        # The check may skip rows by what their plan looks like; here it need not skip a single one.
        assert verdict.outcome is Outcome.REPRODUCED, str(verdict)
