"""Traces have the tracker's lineage, on generated pipelines.

In every source reference, for each output row apart (and for some of them once more together, as a user asks):

1. from a pipeline that never ran through predtrace: it runs again for each trace;
2. after `run()`, whose output has the rows and the schema of the DataFrame: what a trace needs was saved.

A usual run does one or the other with each pipeline, many more pipelines being worth more than both.

Where predicates are not proved exact, the tracker would answer, and there is nothing to compare: few may be so.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from tests.properties.generate import GeneratedPipeline, pipelines
from tests.properties.settings import examples, in_rounds
from tests.properties.traces import examine_traces

from predtrace.api import beside

MOST_TRACKED = 0.15
"""At most this share may be left to the tracker."""


@in_rounds
def test_traces_of_generated_pipelines(
    spark: SparkSession, tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: Counter[str] = Counter()
    monkeypatch.setattr(beside, "MUCH_SMALLER", 0)

    @examples(80 if number else 60, number)
    @given(pipelines(), st.randoms())
    def examine(pipeline: GeneratedPipeline, random: Random) -> None:
        note(repr(pipeline))
        ways = [False, True] if number else [random.choice((False, True))]
        examine_traces(pipeline, random, spark, tmp_path / str(counts["drawn"]), counts, ways)

    examine()
    print(dict(counts))
    tracked = counts["left to the tracker"]
    assert tracked <= MOST_TRACKED * (tracked + counts["compared"])
