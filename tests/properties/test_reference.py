"""Laws of the reference tracker that hold for every pipeline, on generated ones.

1. The tracker's rows are Spark's rows.
2. Subqueries as joins have the lineage of subqueries as written.
3. The user's own plan makes a row again from its lineage alone, where the check does not skip it.
4. Where every derivation of a row takes one row of each reference, a source row is in the lineage exactly if
   the row comes out when that reference has nothing but it. This asks Spark alone, no code of ours.

`PREDTRACE_EXAMPLES` asks for more examples than a usual test run draws, and for other ones each time.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession
from tests.properties.draft import Table
from tests.properties.generate import GeneratedPipeline, pipelines
from tests.spark.oracle import Key, Oracle, TrackedOutput

from predtrace.reference.reexecution import Outcome, Reexecution, Report

MANY = int(os.environ.get("PREDTRACE_EXAMPLES", "0"))
EXAMPLES = MANY or 40
SETTINGS = settings(
    max_examples=EXAMPLES,
    derandomize=not MANY,
    database=None,
    deadline=None,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
)
LEAST_ANALYSED = 0.8
"""Spark must accept this share of what is drawn, or the generator tests too little."""

ONE_ROW_OF_EACH = frozenset(
    {"JOIN", "CROSS JOIN", "LEFT SEMI JOIN", "self join", "cte", "correlated", "semi"}
) | {"distinct", "unpivot", "explode", "INTERSECT", "dropna", "fillna"}
"""Features whose rows are derived from one row of each reference."""

FAST = {
    # Compiling each tiny query takes longer than running it.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
}


@contextmanager
def configured(spark: SparkSession, options: dict[str, str]) -> Iterator[None]:
    """The session with other options for a while."""
    before = {name: spark.conf.get(name, None) for name in options}
    for name, value in options.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


@dataclass
class Examination:
    """Checks pipelines one after the other, and counts what it could check."""

    spark: SparkSession
    folder: Path
    counts: Counter[str] = field(default_factory=Counter)
    report: Report = field(default_factory=Report)

    def check(self, pipeline: GeneratedPipeline, data: st.DataObject) -> None:
        self.counts["drawn"] += 1
        folder = self.folder / str(self.counts["drawn"])
        try:
            frame = pipeline.build(self.spark, folder)
        except (AnalysisException, ParseException):
            self.counts["refused by Spark"] += 1
            return
        oracle = Oracle(frame)
        expected = oracle.spark_rows()
        written = oracle.tracked(oracle.captured.written)
        assert written.rows == expected, "the tracker has other rows than Spark"
        joined = oracle.tracked(oracle.captured.operators)
        assert joined.rows == written.rows, "with subqueries as joins, the rows are others"
        assert joined.lineage == written.lineage, "with subqueries as joins, the lineage is another"
        if not written.rows:
            self.counts["no rows"] += 1
            return
        key = data.draw(st.sampled_from(list(written.rows)), label="row")
        reexecution = Reexecution(frame)
        self._check_reexecution(oracle, reexecution, written, key)
        if oracle.captured.descriptors and pipeline.features <= ONE_ROW_OF_EACH:
            self.counts["probed"] += 1
            number = data.draw(st.sampled_from(sorted(oracle.captured.descriptors)), label="reference")
            self.check_membership(oracle, reexecution, written, key, number)

    def _check_reexecution(
        self, oracle: Oracle, reexecution: Reexecution, written: TrackedOutput, key: Key
    ) -> None:
        claimed = oracle.claimed(written.lineage[key])
        verdict = self.report.add(reexecution.check(written.values[key], claimed))
        assert verdict.outcome is not Outcome.NOT_REPRODUCED, f"{key}: {verdict}"

    def check_membership(
        self, oracle: Oracle, reexecution: Reexecution, written: TrackedOutput, key: Key, number: int
    ) -> None:
        """Law 4 for all rows of one reference."""
        whole = {other: oracle.captured.source_rows(other) for other in oracle.captured.descriptors}
        for row in oracle.tracker.addresses.rows(number).collect():
            address = row[-1]
            alone = oracle.claimed({number: {address}})[number]
            verdict = reexecution.check(written.values[key], {**whole, number: alone})
            found = address in written.lineage[key].get(number, set())
            assert found == verdict.reproduced, f"{key}: {row} of reference {number}, in the lineage: {found}"


def test_generated_pipelines(spark: SparkSession, tmp_path: Path) -> None:
    examination = Examination(spark, tmp_path)

    @SETTINGS
    @given(pipelines(), st.data())
    def examine(pipeline: GeneratedPipeline, data: st.DataObject) -> None:
        examination.check(pipeline, data)

    with configured(spark, FAST):
        examine()
    counts = examination.counts
    print(dict(counts), examination.report.summary(), sep="\n")
    assert counts["refused by Spark"] <= (1 - LEAST_ANALYSED) * counts["drawn"]
    assert counts["probed"] > 0


def test_a_wrong_lineage_would_be_noticed(spark: SparkSession, tmp_path: Path) -> None:
    """The membership probe can fail: it refuses a lineage that lacks a row, and one with a row too many."""
    table = Table("t0", (("i", "int"), ("s", "string")), ((1, "a"), (2, "a"), (3, "b")), "parquet")
    pipeline = GeneratedPipeline((table,), "SELECT DISTINCT q1.s FROM t0 AS q1")
    oracle = Oracle(pipeline.build(spark, tmp_path))
    written = oracle.tracked(oracle.captured.written)
    reexecution, examination = Reexecution(oracle.frame), Examination(spark, tmp_path)
    assert written.lineage[("a",)] == {0: {0, 1}}
    examination.check_membership(oracle, reexecution, written, ("a",), 0)
    for wrong in ({0}, {0, 1, 2}):
        written.lineage[("a",)] = {0: wrong}
        with pytest.raises(AssertionError, match="in the lineage"):
            examination.check_membership(oracle, reexecution, written, ("a",), 0)
