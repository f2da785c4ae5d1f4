"""Traces through the public interface on the corpus: the tracker's lineage, and who answered.

Each pipeline is traced before it ran through predtrace and afterwards: one row alone, and all rows together. The
list below says where the answer still comes from the tracker itself, and why; nothing is compared there.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from tests.corpus import PIPELINES, Pipeline, register, selects
from tests.properties.settings import FAST, configured
from tests.properties.traces import Judge
from tests.spark.oracle import Key, Oracle
from tests.spark.test_reference_corpus import REFUSED

from predtrace import capture

TRACKED: dict[str, str] = {}
"""Pipelines that are traced by tracking even after `run()`, and words of the reason."""

TRACED = [entry for entry in PIPELINES if entry.name not in REFUSED]


@pytest.fixture(scope="module")
def corpus(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    register(spark, tmp_path_factory.mktemp("corpus"))
    with configured(spark, FAST):
        yield spark


def chosen_row(entry: Pipeline, judge: Judge) -> Key:
    """The last row that the pipeline's expectations pick, or any."""
    columns = list(judge.oracle.frame.columns)
    wanted = [selector for selector, _ in entry.expected][-1:]
    return next(k for k, row in judge.output.items() if not wanted or selects(wanted[0], columns, row))


DETERMINISTIC = [entry for entry in TRACED if entry.deterministic]


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
    reasons = {source.why_not_exact for source in pipeline.plan.sources}
    assert (
        any(TRACKED[entry.name] in reason for reason in reasons) if entry.name in TRACKED else reasons <= {""}
    )
