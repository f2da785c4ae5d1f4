"""Pipelines that are no queries: PySpark jobs (`tests/jobs`) and, where there are any, notebooks (`tests/notebooks`).

For each: its run alone and through predtrace, from DataFrame to plan, and a trace of one row after the run, each
beside eager tracking. What cannot be answered by predicates is tracked, and `method` says so.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.baselines.eager import Eager
from benchmarks.checking import chosen_row
from benchmarks.queries import Settings, saved_by, step_of_baseline
from benchmarks.records import FAILED, MEASURED, PipelineRecord, Saved, Timed
from benchmarks.turns import Step, in_short, read_all, timed
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

from predtrace import Pipeline, capture
from predtrace.errors import PredtraceError
from predtrace.ir.operators import walk_everything

STEPS = ("inference", "query", "run", "run_eager", "saved", "eager")


@dataclass(frozen=True)
class Entry:
    """A pipeline of a corpus; `build` gives what `predtrace.capture` takes."""

    corpus: str
    name: str
    build: Callable[[], Any]


def jobs(spark: SparkSession, folder: Path) -> Iterator[Entry]:
    """The PySpark jobs of the tests, their tables in a folder."""
    from tests.jobs import JOBS, use_folder

    use_folder(spark, folder)
    for job in JOBS:
        yield Entry("jobs", job.name, partial(job.build, spark))


def notebooks(spark: SparkSession, folder: Path) -> Iterator[Entry]:
    """The pandas notebooks of the tests, run with predtrace's pandas; none if this version has none."""
    if find_spec("tests.notebooks") is None or find_spec("predtrace.pandas") is None:
        return
    catalogue = import_module("tests.notebooks.catalogue")
    running = import_module("tests.notebooks.running")
    pandas = import_module("predtrace.pandas")
    for number, notebook in enumerate(catalogue.NOTEBOOKS):
        own = folder / f"notebook_{number}"
        own.mkdir()

        def build(file: str = notebook.file, result: str = notebook.result, own: Path = own) -> Any:
            return running.run(file, own, pandas)[result]

        yield Entry("notebooks", Path(notebook.file).stem, build)


CORPORA: dict[str, Callable[[SparkSession, Path], Iterator[Entry]]] = {"jobs": jobs, "notebooks": notebooks}


def measure_pipeline(spark: SparkSession, entry: Entry, settings: Settings) -> PipelineRecord | None:
    """Measure a pipeline; None if it has no output row."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            frame = entry.build()
            pipeline = capture(frame)
            row = chosen_row(pipeline.captured.dataframe, entry.name)
        except (PredtraceError, PySparkException, Py4JJavaError) as problem:
            return PipelineRecord(
                entry.corpus, entry.name, 0, 0, "", {}, {"inference": Timed(FAILED, in_short(problem))}
            )
        return (
            None
            if row is None
            else _Bench(spark, entry, pipeline, frame, row, Path(folder), settings).measured()
        )


@dataclass
class _Bench:
    spark: SparkSession
    entry: Entry
    pipeline: Pipeline
    frame: Any
    row: Row
    folder: Path
    settings: Settings

    def measured(self) -> PipelineRecord:
        captured = self.pipeline.captured
        eager = Eager(captured)
        steps = self._timed(
            {
                "inference": Step(lambda: capture(self.frame).plan),
                "query": self._into(
                    "query", lambda folder: _named_apart(captured.dataframe).write.parquet(folder)
                ),
                "run": self._into("run", lambda folder: self.pipeline.run(store=folder)),
                "run_eager": self._into("eager", eager.run),
            }
        )
        traces = {}
        if steps["run"].status == MEASURED:
            traces["saved"] = Step(lambda: read_all(self.pipeline.trace(self.row)))
        if steps["run_eager"].status == MEASURED:
            traces["eager"] = step_of_baseline(eager, self.row)
        steps |= self._timed(traces)
        return PipelineRecord(
            corpus=self.entry.corpus,
            name=self.entry.name,
            input_rows=self._input_rows(),
            operators=sum(1 for _ in walk_everything(captured.written)),
            method=self.pipeline.trace(self.row).method
            if steps.get("saved", _NONE).status == MEASURED
            else "",
            saved={"run": saved_by(self.pipeline)}
            if self.pipeline.stored is not None
            else dict[str, Saved](),
            steps={name: steps[name] for name in STEPS if name in steps},
        )

    def _timed(self, steps: dict[str, Step]) -> dict[str, Timed]:
        told, name = self.settings.told, self.entry.name
        return timed(
            self.spark,
            steps,
            self.settings.turns,
            self.settings.limit_seconds,
            lambda step: told(f"{name}: {step}"),
        )

    def _into(self, name: str, run: Callable[[str], object]) -> Step:
        folder = self.folder / name
        return Step(lambda: run(str(folder)), lambda: shutil.rmtree(folder, ignore_errors=True))

    def _input_rows(self) -> int:
        captured = self.pipeline.captured
        references = {descriptor.name: number for number, descriptor in captured.descriptors.items()}
        return sum(captured.source_rows(number).count() for number in references.values())


def _named_apart(frame: DataFrame) -> DataFrame:
    """The rows under other names: a file cannot have two columns of one name, a frame can."""
    return frame.toDF(*(f"c{at}" for at in range(len(frame.columns))))


_NONE = Timed(FAILED, "it was not run")
