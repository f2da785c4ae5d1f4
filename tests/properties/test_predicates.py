"""Traces have the tracker's lineage, on generated pipelines.

In every source reference, for each output row apart (and at one of the two times for some rows together, as a user
asks for them):

1. from a pipeline that never ran through predtrace: what a trace needs is recomputed;
2. after `run()`, whose output has the rows and the schema of the DataFrame: what a trace needs was saved.

Where predicates are not proved exact, the tracker would answer, and there is nothing to compare: few may be so.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from tests.properties.generate import GeneratedPipeline, pipelines
from tests.properties.settings import FAST, configured, examples
from tests.properties.traces import examine_traces

MOST_TRACKED = 0.15
"""At most this share may be left to the tracker."""


def test_traces_of_generated_pipelines(spark: SparkSession, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()

    @examples(40)
    @given(pipelines(), st.randoms())
    def examine(pipeline: GeneratedPipeline, random: Random) -> None:
        examine_traces(pipeline, random, spark, tmp_path / str(counts["drawn"]), counts)

    with configured(spark, FAST):
        examine()
    print(dict(counts))
    tracked = counts["left to the tracker"]
    assert tracked <= MOST_TRACKED * (tracked + counts["compared"])
