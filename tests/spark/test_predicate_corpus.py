"""Traces through the public interface on the corpus: the tracker's lineage, and who answered.

Each pipeline is traced before it ran through predtrace and afterwards: one row alone, and all rows together. The
list below says where the answer still comes from the tracker itself, and why; nothing is compared there.
"""

from __future__ import annotations

import os

import pytest
from pyspark.sql import SparkSession
from tests.corpus import PIPELINES, Pipeline, register, selects
from tests.properties.traces import Judge
from tests.spark.oracle import Key, Oracle
from tests.spark.test_reference_corpus import REFUSED

from predtrace import capture

OURS = "the join with an uncorrelated scalar subquery is ours, not Spark's: its rows cannot be had again"
MAP = "the rows of its source have a map, and maps cannot be compared"
ANY = "any input row may have made any output row"
TRACKED = {
    "scalar_row_value": ("ScalarJoin", OURS),
    "scalar_over_empty": ("ScalarJoin", OURS),
    "scalar_in_case_branch": ("ScalarJoin", OURS),
    "api_pivot_all_values": ("Pivot", "NULL is one of the pivoted values, and no proof is found"),
    "nested_fields": ("Project", MAP),
    "higher_order_functions": ("Project", MAP),
    "map_in_pandas": ("Opaque", ANY),
    "map_in_arrow_below_group": ("Opaque", ANY),
}
"""Pipelines that are traced by tracking even after `run()`: the operator it is due to, and why."""

TRACED = [entry for entry in PIPELINES if entry.name not in REFUSED]


@pytest.fixture(scope="module")
def corpus(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    register(spark, tmp_path_factory.mktemp("corpus"))
    return spark


def chosen_row(entry: Pipeline, judge: Judge) -> Key:
    """The last row that the pipeline's expectations pick, or any."""
    columns = list(judge.oracle.frame.columns)
    wanted = [selector for selector, _ in entry.expected][-1:]
    return next(k for k, row in judge.output.items() if not wanted or selects(wanted[0], columns, row))


EVERY = 1 if os.environ.get("PREDTRACE_FULL") else 20
"""A twentieth of the corpus, unless all of it is asked for (`make soak` does)."""

DETERMINISTIC = [entry for entry in TRACED if entry.deterministic][::EVERY]


@pytest.mark.parametrize("entry", DETERMINISTIC, ids=[entry.name for entry in DETERMINISTIC])
def test_traces_have_the_lineage_of_the_tracker(corpus: SparkSession, entry: Pipeline) -> None:
    judge = Judge(Oracle(entry.build(corpus)))
    pipeline = capture(judge.oracle.frame)
    if judge.output:
        judge.check_trace(pipeline, [chosen_row(entry, judge)])
    judge.check_run(pipeline)
    if judge.output:
        lineage = judge.check_trace(pipeline, [chosen_row(entry, judge)])
        judge.check_trace(pipeline, judge.output)
        assert lineage.exact is not entry.opaque
    reasons = {source.why_not_exact for source in pipeline.plan.sources if source.why_not_exact}
    operator, why = TRACKED.get(entry.name, ("", ""))
    assert bool(reasons) == bool(why), "it is traced otherwise than the list says"
    assert all(reason.startswith(operator) for reason in reasons)
