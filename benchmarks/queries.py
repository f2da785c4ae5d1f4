"""One TPC-H query, measured in every way.

| step | what it takes |
|---|---|
| `inference` | from a DataFrame to the plan of its traces |
| `query` | the query alone, its output written to Parquet |
| `run` | the same through predtrace, into a store, with what traces need |
| `run_not_deferred` | the same without Algorithm 2, where that saves something else |
| `run_panda`, `run_eager` | the same with what Panda and eager tracking need |
| `saved_duckdb`, `saved_spark` | a trace of one row after `run`, by each engine |
| `saved_not_deferred` | the same after `run_not_deferred`, by DuckDB |
| `unsaved` | an exact trace of a query that was not run through predtrace |
| `superset_duckdb`, `superset_spark` | a superset by refinement, without a run |
| `naive`, `gprom`, `trace`, `panda`, `eager` | the baselines |

A trace is timed from asking until every lineage row of every source has been read. Two steps take so long that they
are timed once, without a turn to warm up: `run_eager` and `superset_spark`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from benchmarks.baselines.answers import Baseline
from benchmarks.baselines.eager import Eager
from benchmarks.baselines.naive import NaivePushDown
from benchmarks.baselines.panda import Panda
from benchmarks.checking import BASELINES, Verdict, chosen_row
from benchmarks.records import MEASURED, QueryRecord, Saved, Timed
from benchmarks.turns import Step, read_all, timed, to_nothing
from pyarrow import parquet
from pyspark.sql import Row, SparkSession

from predtrace import Pipeline, capture
from predtrace.api.decisions import Decisions
from predtrace.infer.algorithm_1 import infer
from predtrace.infer.selections import Inferred

QUERIES = Path(__file__).parents[1] / "tests" / "data" / "tpch"

STORED = ("inference", "query", "run", "saved_duckdb", "saved_spark")
UNSAVED = ("query", "run", "saved_duckdb", "unsaved", "superset_duckdb", "superset_spark")
GROWTH = ("inference", "query", "run", "saved_duckdb", "unsaved", "superset_duckdb")
RUNS = ("inference", "query", "run", "run_not_deferred", "run_panda", "run_eager")
TRACES = (
    *("saved_duckdb", "saved_spark", "saved_not_deferred", "unsaved", "superset_duckdb", "superset_spark"),
    *("naive", "gprom", "trace", "panda", "eager"),
)
EVERYTHING = (*RUNS, *TRACES)


@dataclass(frozen=True)
class Settings:
    """How to measure. `told` hears what is going on."""

    turns: int = 3
    limit_seconds: float = 300.0
    steps: Collection[str] = EVERYTHING
    told: Callable[[str], object] = lambda what: None


class NotDeferred(Decisions):
    """Decisions without Algorithm 2: results are saved where they are first needed."""

    @cached_property
    def inferred(self) -> Inferred:
        return infer(self.operators, better_later=lambda operator, needed: False)

    def knowing(self, counted: Mapping[int, int]) -> Decisions:
        return self


@dataclass
class QueryBench:
    """A query, prepared to be run and traced in every way. Everything it writes is below `folder`."""

    spark: SparkSession
    query: str
    text: str
    folder: Path
    settings: Settings
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.frame = self.spark.sql(self.text)
        self.pipeline, self.unsaved = capture(self.frame), capture(self.frame)
        self.not_deferred = Pipeline(self.unsaved.captured)
        self.not_deferred.decided = NotDeferred(self.unsaved.captured)
        row = chosen_row(self.frame, self.query)
        assert row is not None, f"{self.query} has no rows"
        self.row: Row = row
        self.target = row.asDict()

    @cached_property
    def eager(self) -> Eager:
        return Eager(self.unsaved.captured)

    @cached_property
    def baselines(self) -> dict[str, Baseline]:
        """Those that answer rightly."""
        allowed = {name for name, verdict in self.verdicts.items() if verdict.status == MEASURED}
        captured = self.unsaved.captured
        return {name: made(captured) for name, made in BASELINES.items() if name in allowed}

    def measured(self) -> QueryRecord:
        steps = self._timed(self._runs())
        if self.pipeline.stored is not None:
            steps |= self._timed(self._traces(steps))
        for name, verdict in self.verdicts.items():
            if verdict.status != MEASURED and self._asked(name):
                steps[name] = Timed(verdict.status, verdict.why)
        return QueryRecord(
            query=self.query,
            target=", ".join(f"{name} = {value}" for name, value in self.target.items()),
            lineage_rows=self._lineage_rows(),
            saved=self._saved(steps),
            false_positives=self._false_positives(),
            steps={name: steps[name] for name in EVERYTHING if name in steps},
        )

    def _asked(self, step: str) -> bool:
        return step in self.settings.steps

    def _timed(self, steps: Mapping[str, Step]) -> dict[str, Timed]:
        settings = self.settings
        asked = {name: step for name, step in steps.items() if self._asked(name)}
        return timed(
            self.spark,
            asked,
            settings.turns,
            settings.limit_seconds,
            lambda step: settings.told(f"{self.query}: {step}"),
        )

    def _into(self, name: str, run: Callable[[str], object]) -> Step:
        """A step that writes to a folder of its own, which is empty each time."""
        folder = self.folder / name
        return Step(lambda: run(str(folder)), lambda: shutil.rmtree(folder, ignore_errors=True))

    def _runs(self) -> dict[str, Step]:
        steps = {
            "inference": Step(lambda: capture(self.spark.sql(self.text)).plan),
            "query": self._into("query", lambda folder: self.spark.sql(self.text).write.parquet(folder)),
            "run": self._into("run", lambda folder: self.pipeline.run(store=folder)),
            "run_eager": replace(self._into("eager", self.eager.run), once=True),
        }
        if _needed(self.not_deferred) != _needed(self.pipeline):
            steps["run_not_deferred"] = self._into(
                "not_deferred", lambda folder: self.not_deferred.run(store=folder)
            )
        if isinstance(panda := self.baselines.get("panda"), Panda):
            steps["run_panda"] = self._into("panda", panda.run)
        return steps

    def _traces(self, runs: Mapping[str, Timed]) -> dict[str, Step]:
        stored, row = self.pipeline.stored, self.target
        assert stored is not None
        steps = {
            "saved_duckdb": Step(lambda: read_all(stored.trace(row, engine="duckdb"))),
            "saved_spark": Step(lambda: read_all(stored.trace(row, engine="spark"))),
            "unsaved": Step(lambda: read_all(self.unsaved.trace(row))),
            "superset_duckdb": Step(lambda: read_all(self.unsaved.trace(row, exact=False, engine="duckdb"))),
            "superset_spark": Step(
                lambda: read_all(self.unsaved.trace(row, exact=False, engine="spark")), once=True
            ),
        }
        not_deferred = self.not_deferred.stored
        if not_deferred is not None:
            steps["saved_not_deferred"] = Step(lambda: read_all(not_deferred.trace(row, engine="duckdb")))
        methods: dict[str, Baseline] = dict(self.baselines)
        if runs.get("run_eager", _NOT_RUN).status == MEASURED:
            methods["eager"] = self.eager
        return steps | {name: step_of_baseline(method, self.row) for name, method in methods.items()}

    def _lineage_rows(self) -> dict[str, int]:
        stored = self.pipeline.stored
        return {} if stored is None else stored.trace(self.target).counts()

    def _saved(self, steps: Mapping[str, Timed]) -> dict[str, Saved]:
        found = {}
        for step, pipeline in (("run", self.pipeline), ("run_not_deferred", self.not_deferred)):
            if step in steps and pipeline.stored is not None:
                found[step] = saved_by(pipeline)
        for step, kept in (("panda", "augmentation"), ("eager", "tracked")):
            if f"run_{step}" in steps and steps[f"run_{step}"].status == MEASURED:
                size = _bytes_below(self.folder / step) - _bytes_below(self.folder / "query")
                rows = _rows_below(self.folder / step / kept)
                found[f"run_{step}"] = Saved(int(rows > 0), rows, max(0, size))
        return found

    def _false_positives(self) -> dict[str, float]:
        """The share of rows too many among those returned, tables pooled (semantics of the whole project)."""
        if self.pipeline.stored is None or not self._asked("superset_duckdb") or not self._asked("naive"):
            return {}
        lineage = sum(self._lineage_rows().values())
        refined = sum(self.unsaved.trace(self.target, exact=False).counts().values())
        naive = sum(NaivePushDown(self.unsaved).counts(self.row).values())
        return {
            "naive": 1 - lineage / naive if naive else 0.0,
            "iterative": 1 - lineage / refined if refined else 0.0,
        }


_NOT_RUN = Timed("failed", "it was not run")


def saved_by(pipeline: Pipeline) -> Saved:
    """What a pipeline's run keeps besides its output."""
    stored = pipeline.stored
    assert stored is not None
    output = stored.manifest.output.folder
    parts = [result.saved for result in stored.manifest.results if result.saved.folder != output]
    return Saved(len(parts), sum(part.rows for part in parts), sum(part.bytes for part in parts))


def _needed(pipeline: Pipeline) -> list[tuple[int, tuple[str, ...]]]:
    return [(r.plan_node, tuple(str(column) for column in r.columns)) for r in pipeline.plan.results]


def step_of_baseline(method: Baseline, row: Row) -> Step:
    def work() -> None:
        for frame in method.trace(row).read:
            to_nothing(frame)

    return Step(work)


def _bytes_below(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*.parquet"))


def _rows_below(folder: Path) -> int:
    return sum(parquet.read_metadata(file).num_rows for file in folder.rglob("*.parquet"))


def measure_query(
    spark: SparkSession, query: str, settings: Settings, verdicts: Mapping[str, Verdict]
) -> QueryRecord:
    """Measure one query over the views that the session has."""
    text = (QUERIES / f"{query}.sql").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        return QueryBench(spark, query, text, Path(folder), settings, verdicts).measured()
