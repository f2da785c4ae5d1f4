"""The benchmark itself, on little data: everything is measured, nothing is measured that is wrong or cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.__main__ import QUICK_QUERIES, asked_for
from benchmarks.baselines.answers import NotSupported
from benchmarks.checking import Verdict
from benchmarks.corpora import jobs, measure_pipeline, notebooks
from benchmarks.queries import EVERYTHING, STORED, Settings, measure_query
from benchmarks.records import (
    FAILED,
    MEASURED,
    NOT_SUPPORTED,
    OVER_THE_LIMIT,
    VERSION,
    WRONG,
    Document,
    read_document,
)
from benchmarks.turns import Step, timed, to_nothing
from pyspark.sql import SparkSession

from predtrace.errors import InputError

ONCE = Settings(turns=1)


def test_a_query_is_measured_in_every_way(tpch: SparkSession, tmp_path: Path) -> None:
    right = {name: Verdict(MEASURED) for name in ("gprom", "panda", "naive")}
    verdicts = {**right, "trace": Verdict(WRONG, "2 rows missed")}
    record = measure_query(tpch, "q06", ONCE, verdicts)
    steps = record.steps
    assert (steps["trace"].status, steps["trace"].why) == (WRONG, "2 rows missed")
    assert steps["trace"].times_ms == (), "what is wrong is not timed"
    measured = {name for name, step in steps.items() if step.status == MEASURED}
    nothing_to_defer = {"run_not_deferred", "saved_not_deferred"}
    assert measured == set(EVERYTHING) - nothing_to_defer - {"trace"}, steps
    assert all(len(steps[name].times_ms) == 1 for name in measured)
    assert record.lineage_rows == {"lineitem": 1191}
    assert record.false_positives == {"naive": 0.0, "iterative": 0.0}
    assert record.saved["run"].bytes == 0
    assert record.saved["run_panda"].rows == 0, "attribute mappings and filters are enough for one table"
    assert (record.saved["run_eager"].rows, record.saved["run_eager"].bytes > 0) == (1, True)
    document = Document(VERSION, "2026-01-01", {}, 0.01, 1, 60.0, (record,), ())
    document.write(tmp_path / "bench-sf0.01.json")
    assert read_document(tmp_path / "bench-sf0.01.json") == document


def test_what_deferring_saves_is_measured(tpch: SparkSession) -> None:
    steps = (*STORED, "run_not_deferred", "saved_not_deferred")
    record = measure_query(tpch, "q03", replace(ONCE, steps=steps), {})
    assert record.steps.keys() == set(steps)
    assert 0 < record.saved["run"].rows < record.saved["run_not_deferred"].rows
    assert record.saved["run"].bytes < record.saved["run_not_deferred"].bytes


def test_what_takes_too_long_is_cut(spark: SparkSession) -> None:
    endless = spark.range(10**13).selectExpr("sum(id % 7) as n")
    times = timed(spark, {"endless": Step(lambda: to_nothing(endless))}, turns=1, limit_seconds=1)
    assert times["endless"].status == OVER_THE_LIMIT
    assert spark.range(3).count() == 3, "the session lives on"


def test_what_goes_wrong_is_told_without_paths(spark: SparkSession) -> None:
    def refuse() -> None:
        raise NotSupported("nothing is said of windows")

    def fail() -> None:
        raise InputError("no file /home/somebody/data.parquet here")

    times = timed(spark, {"refused": Step(refuse), "failed": Step(fail)}, turns=1, limit_seconds=60)
    assert (times["refused"].status, times["refused"].why) == (NOT_SUPPORTED, "nothing is said of windows")
    assert (times["failed"].status, times["failed"].why) == (FAILED, "no file … here.")


def test_steps_take_turns(spark: SparkSession) -> None:
    seen: list[str] = []
    steps = {name: Step(lambda n=name: seen.append(n)) for name in ("a", "b")}  # type: ignore[misc]
    times = timed(spark, steps, turns=2, limit_seconds=60)
    assert seen == ["a", "b", "a", "b", "b", "a", "a", "b"]
    assert [len(step.times_ms) for step in times.values()] == [2, 2], "the first two turns are thrown away"


def test_a_single_turn_has_one_to_warm_up(spark: SparkSession) -> None:
    seen: list[str] = []
    times = timed(spark, {"a": Step(lambda: seen.append("a"))}, turns=1, limit_seconds=60)
    assert (len(seen), len(times["a"].times_ms)) == (2, 1)


def test_a_job_is_measured(spark: SparkSession, tmp_path: Path) -> None:
    entry = next(iter(jobs(spark, tmp_path)))
    record = measure_pipeline(spark, entry, ONCE)
    assert record is not None
    assert record.input_rows == 10
    assert {name: step.status for name, step in record.steps.items()} == dict.fromkeys(
        ("inference", "query", "run", "run_eager", "saved", "eager"), MEASURED
    )


def test_notebooks_may_be_missing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.corpora.find_spec", lambda name: None)
    assert list(notebooks(spark, tmp_path)) == []


def test_the_command_line() -> None:
    asked = asked_for(["--sf", "0.1", "1", "--queries", "3", "q12"])
    assert (asked.scale_factors, asked.queries, asked.settings.turns) == ([0.1, 1.0], ["q03", "q12"], 3)
    quick = asked_for(["--quick"])
    assert (quick.scale_factors, quick.queries, quick.settings.turns) == ([0.1], list(QUICK_QUERIES), 1)
    assert asked_for(["--only", "stored"]).settings.steps == STORED
