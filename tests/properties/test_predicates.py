"""Traces have the tracker's lineage, on generated pipelines.

For some output rows, each alone and all together, in every source reference:

1. from a pipeline that never ran through predtrace: what a trace needs is recomputed;
2. after `run()`, whose output has the rows and the schema of the DataFrame: what a trace needs was saved.

Where predicates are not proved exact, the tracker answers, and there is nothing to compare: few may be so.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession
from tests.properties.generate import GeneratedPipeline, pipelines
from tests.properties.settings import FAST, MANY, configured, examples
from tests.properties.traces import Judge
from tests.spark.oracle import Oracle

from predtrace import capture

MOST_TRACKED = 0.25
"""At most this share of the traces may be answered by the tracker."""
ROWS = 2
"""Rows to trace of each pipeline."""


def check(judge: Judge, data: st.DataObject) -> None:
    keys = list(judge.output)
    some = st.lists(st.sampled_from(keys), min_size=1, max_size=ROWS, unique=True)
    chosen = data.draw(some, label="rows")
    pipeline = capture(judge.oracle.frame)
    for has_run in (False, True):
        if has_run:
            judge.check_run(pipeline)
        for key in chosen:
            judge.check_trace(pipeline, [key])
        if len(keys) > 1:
            judge.check_trace(pipeline, keys)


@pytest.mark.skipif(not MANY, reason="takes minutes: make soak runs it")
def test_traces_of_generated_pipelines(spark: SparkSession, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()

    @examples(60)
    @given(pipelines(), st.data())
    def examine(pipeline: GeneratedPipeline, data: st.DataObject) -> None:
        counts["drawn"] += 1
        try:
            frame = pipeline.build(spark, tmp_path / str(counts["drawn"]))
        except (AnalysisException, ParseException):
            counts["refused by Spark"] += 1
            return
        judge = Judge(Oracle(frame), counts)
        if judge.output:
            check(judge, data)
        else:
            counts["no rows"] += 1

    with configured(spark, FAST):
        examine()
    print(dict(counts))
    assert counts["by tracking"] <= MOST_TRACKED * (counts["by tracking"] + counts["by predicates"])
