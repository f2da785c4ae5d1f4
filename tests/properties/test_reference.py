"""Laws of the reference tracker that hold for every pipeline, on generated ones.

1. The tracker's rows are Spark's rows.
2. Subqueries as joins have the lineage of subqueries as written.
3. The user's own plan makes a row again from its lineage alone, where the check does not skip it.
4. Where every derivation of a row takes one row of each reference, a source row is in the lineage exactly if
   the row comes out when that reference has nothing but it. This asks Spark alone, no code of ours.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession
from tests.properties.generate import GeneratedPipeline, pipelines
from tests.properties.settings import examples, in_rounds
from tests.properties.tables import Table
from tests.spark.oracle import Key, Oracle, TrackedOutput

from predtrace.reference.reexecution import Outcome, Reexecution, Report

LEAST_ANALYSED = 0.8
"""Spark must accept this share of what is drawn, or the generator tests too little."""
LEAST_WITH_ROWS = 0.6
"""And this share must have output rows; it is far more, but a short run may be unlucky."""

ONE_ROW_OF_EACH = frozenset(
    {"select", "JOIN", "CROSS JOIN", "LEFT SEMI JOIN", "exists", "in", "correlated", "cte"}
) | {"distinct", "set", "INTERSECT", "unpivot", "explode", "dropna", "fillna"}
"""Features whose rows are derived from one row of each reference."""


@dataclass
class Examination:
    """Checks pipelines one after the other, and counts what it could check."""

    spark: SparkSession
    folder: Path
    counts: Counter[str] = field(default_factory=Counter)
    report: Report = field(default_factory=Report)

    def built(self, pipeline: GeneratedPipeline) -> Oracle | None:
        """The pipeline, unless Spark does not accept it."""
        self.counts["drawn"] += 1
        try:
            frame = pipeline.build(self.spark, self.folder / str(self.counts["drawn"]))
        except (AnalysisException, ParseException):
            self.counts["refused by Spark"] += 1
            return None
        return Oracle(frame)

    def check(self, oracle: Oracle, data: st.DataObject) -> None:
        """Laws 1 to 3."""
        written = oracle.tracked(oracle.captured.written)
        assert written.rows == oracle.spark_rows(), "the tracker has other rows than Spark"
        joined = oracle.tracked(oracle.captured.operators)
        assert joined.rows == written.rows, "with subqueries as joins, the rows are others"
        assert joined.lineage == written.lineage, "with subqueries as joins, the lineage is another"
        if written.rows:
            self.counts["with rows"] += 1
            key = data.draw(st.sampled_from(list(written.rows)), label="row")
            self._check_reexecution(oracle, Reexecution(oracle.frame), written, key)

    def probe(self, oracle: Oracle, data: st.DataObject) -> None:
        """Law 4 for one row and one reference."""
        written = oracle.tracked(oracle.captured.written)
        if written.rows:
            self.counts["with rows"] += 1
            key = data.draw(st.sampled_from(list(written.rows)), label="row")
            number = data.draw(st.sampled_from(sorted(oracle.captured.descriptors)), label="reference")
            self.check_membership(oracle, Reexecution(oracle.frame), written, key, number)

    def finish(self) -> None:
        print(dict(self.counts), self.report.summary(), sep="\n")
        drawn = self.counts["drawn"]
        assert drawn - self.counts["refused by Spark"] >= _fewest(LEAST_ANALYSED, drawn)
        assert self.counts["with rows"] >= _fewest(LEAST_WITH_ROWS, drawn)

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


def _fewest(share: float, drawn: int) -> float:
    """How few of those drawn may be so before the share itself is in doubt: three standard deviations below it."""
    return share * drawn - 3 * math.sqrt(share * (1 - share) * drawn)


@in_rounds
def test_generated_pipelines(spark: SparkSession, tmp_path: Path, number: int) -> None:
    examination = Examination(spark, tmp_path)

    @examples(25, number)
    @given(pipelines(), st.data())
    def examine(pipeline: GeneratedPipeline, data: st.DataObject) -> None:
        note(repr(pipeline))
        if (oracle := examination.built(pipeline)) is not None:
            examination.check(oracle, data)

    examine()
    examination.finish()


@in_rounds
def test_membership_in_generated_pipelines(spark: SparkSession, tmp_path: Path, number: int) -> None:
    examination = Examination(spark, tmp_path)

    @examples(15, number)
    @given(pipelines(only=ONE_ROW_OF_EACH), st.data())
    def examine(pipeline: GeneratedPipeline, data: st.DataObject) -> None:
        note(repr(pipeline))
        if (oracle := examination.built(pipeline)) is not None:
            examination.probe(oracle, data)

    examine()
    examination.finish()


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
