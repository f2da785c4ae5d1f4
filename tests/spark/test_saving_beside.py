"""Results are written in threads of their own while the run goes on from copies that Spark keeps."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from tests.spark.stored_pipelines import sales

import predtrace
from predtrace import capture
from predtrace.api import keeping
from predtrace.store import saving
from predtrace.store.manifest import SavedRows

Saving = Callable[..., SavedRows]
save_rows: Saving = saving.save_rows


@pytest.fixture
def totals(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """One needed result, from which the run goes on."""
    query = "select sum(id) as total from {sales} group by shop having count(*) > 1"
    return spark.sql(query, sales=sales(spark, tmp_path))


def test_the_run_goes_on_before_the_result_is_written(
    totals: DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []
    monkeypatch.setattr(keeping, "save_rows", _slow_where_the_run_goes_on(ended))
    pipeline = capture(totals)
    output = pipeline.run(store=str(tmp_path / "store"))
    (needed,) = (result.plan_node for result in pipeline.plan.results)
    assert ended[-1] == keeping.folder_of(needed), (
        "the output was there first, and the run waited for the result"
    )
    assert sorted(output.collect()) == sorted(totals.collect())
    assert predtrace.open(str(tmp_path / "store")).trace("true").exact


def test_copies_go_when_the_run_is_over(spark: SparkSession, totals: DataFrame, tmp_path: Path) -> None:
    before = _kept_by_spark(spark)
    pipeline = capture(totals)
    pipeline.run(store=str(tmp_path / "store"))
    assert _kept_by_spark(spark) == before
    assert all(frame.inputFiles() for frame in pipeline.saved.values()), "later the rows are read from files"


def test_a_result_that_cannot_be_written_fails_the_run(
    totals: DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = capture(totals)
    needed = {keeping.folder_of(result.plan_node) for result in pipeline.plan.results}

    def instead(files: Any, run: str, folder: str, *rest: Any) -> SavedRows:
        if folder in needed:
            raise OSError("no room for the result")
        return save_rows(files, run, folder, *rest)

    monkeypatch.setattr(keeping, "save_rows", instead)
    with pytest.raises(OSError, match="no room for the result"):
        pipeline.run(store=str(tmp_path / "store"))
    assert not list((tmp_path / "store").iterdir())


def test_nothing_is_written_after_a_failed_run(
    spark: SparkSession, totals: DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes wrong while a result is being written is not an end before the writing is at its own."""
    ended: list[str] = []
    slow, pipeline = _slow_where_the_run_goes_on(ended), capture(totals)
    needed = {keeping.folder_of(result.plan_node) for result in pipeline.plan.results}

    def instead(files: Any, run: str, folder: str, *rest: Any) -> SavedRows:
        if folder not in needed:
            raise OSError("no room for the output")
        return slow(files, run, folder, *rest)

    monkeypatch.setattr(keeping, "save_rows", instead)
    before = _kept_by_spark(spark)
    with pytest.raises(OSError, match="no room for the output"):
        pipeline.run(store=str(tmp_path / "store"))
    assert set(ended) == needed
    assert not list((tmp_path / "store").iterdir())
    assert _kept_by_spark(spark) == before


def test_jobs_that_write_belong_to_the_group_of_the_run(
    spark: SparkSession, totals: DataFrame, tmp_path: Path
) -> None:
    """So whoever cancels a group cancels them, too."""
    pipeline, tracker = capture(totals), spark.sparkContext.statusTracker()
    before = set(tracker.getJobIdsForGroup(None))
    spark.sparkContext.setJobGroup("a run", "")
    try:
        pipeline.run(store=str(tmp_path / "store"))
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    assert tracker.getJobIdsForGroup("a run")
    assert set(tracker.getJobIdsForGroup(None)) == before


def _slow_where_the_run_goes_on(ended: list[str]) -> Saving:
    """Saves what is kept beside later than all else; notes the folders in the order they are done."""

    def instead(files: Any, run: str, folder: str, rows: DataFrame, *rest: Any) -> SavedRows:
        if rows._jdf.queryExecution().analyzed().getClass().getSimpleName() == "LogicalRDD":
            time.sleep(3)
        saved = save_rows(files, run, folder, rows, *rest)
        ended.append(folder)
        return saved

    return instead


def _kept_by_spark(spark: SparkSession) -> set[int]:
    context: Any = spark.sparkContext
    return set(context._jsc.getPersistentRDDs())
