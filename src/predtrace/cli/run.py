"""`predtrace run`: run a query or an unmodified script so that its output can be traced from a store.

A script behaves as it does without us: what it writes is written where and how it says, from the rows of the run.
Where a write cannot be captured it is left to Spark as it was, and the command says so in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.filesize import decimal

from predtrace.api.tables import table
from predtrace.cli.pipelines import Job, give
from predtrace.cli.reporting import ExitCode, Report, note, progress
from predtrace.cli.saying import said_of
from predtrace.cli.spark_errors import spark_errors
from predtrace.errors import InputError, PredtraceError
from predtrace.frontends.spark.quiet import quiet_spark
from predtrace.store.files import is_local, local_path
from predtrace.store.manifest import SavedSource

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from predtrace.api import Pipeline, StoredRun


class _Runner:
    """Runs what a job gives into a store."""

    lets_write = True

    def __init__(self, store: str) -> None:
        self._store = store
        self.runs: list[dict[str, Any]] = []
        self.left: list[dict[str, str]] = []

    def take(self, target: str, frame: DataFrame) -> None:
        stored, _ = self._run(target, _captured(frame))
        self.runs.append(_document(stored))

    @contextmanager
    def writing(self, target: str, frame: DataFrame) -> Iterator[DataFrame | None]:
        made = self._made(target, frame)
        if made is None:
            yield frame
            return
        stored, rows = made
        try:
            yield rows
        except BaseException:
            stored.remove()  # nothing was written: there is no output whose rows could be traced
            raise
        self.runs.append(_document(stored))

    def _made(self, target: str, frame: DataFrame) -> tuple[StoredRun, DataFrame] | None:
        try:
            pipeline = _captured(frame)
            _refuse_own_source(pipeline, target)
            return self._run(target, pipeline)
        except PredtraceError as problem:
            self.left.append({"target": target, "why": str(problem)})
            return None

    def _run(self, target: str, pipeline: Pipeline) -> tuple[StoredRun, DataFrame]:
        with progress(f"Running {target}" if target else "Running the query"):
            rows = pipeline.run(store=self._store, name=target)
        assert pipeline.stored is not None
        return pipeline.stored, rows


def run_job(job: Job, store: str) -> Report:
    """Run every pipeline of a job into a store."""
    if is_local(store) and local_path(store).is_file():
        raise InputError(
            f"{store} is a file", where="in --store", todo="give a folder, new or with runs in it"
        )
    runner = _Runner(store)
    try:
        ran = give(job, runner)
    except InputError:
        for run in runner.runs:
            note(f"{run['target']} was written before, as run {run['run']}.")
        raise
    if not runner.runs and not runner.left:
        raise InputError(
            "the script writes no DataFrame",
            where=f"in {job.path}",
            todo="name the variable to run with --result",
        )
    document: dict[str, Any] = {"store": store, "runs": runner.runs, "not_captured": runner.left}
    shown = _shown(document)
    if ran is not None:
        document["program"] = ran.document()
        shown += said_of(ran, [name for run in runner.runs for name in run["local_sources"]])
    return Report(document, shown, ExitCode.WRONG_INPUT if runner.left else ExitCode.OK)


def _captured(frame: DataFrame) -> Pipeline:
    import predtrace

    with progress("Reasoning about the pipeline"):
        pipeline = predtrace.capture(frame)
        _ = pipeline.plan
    return pipeline


def _refuse_own_source(pipeline: Pipeline, target: str) -> None:
    """Spark refuses to overwrite what it reads, and must go on doing so although the run's rows are in the store."""
    places = {target, *_folders_of_table(pipeline.captured.session, target)}
    for descriptor in pipeline.captured.descriptors.values():
        if any(_overlap(location, place) for location in descriptor.locations for place in places):
            raise InputError(
                f"it is written to its own source {descriptor.name}",
                todo="write to another place to have it captured",
            )


def _folders_of_table(session: SparkSession, target: str) -> set[str]:
    """Where the files of a table are, if the target is one."""
    try:
        # With its database, so that a view of the same name is not meant.
        name = target if "." in target else f"`{session.catalog.currentDatabase()}`.{target}"
        with quiet_spark():
            return {file.rpartition("/")[0] for file in session.table(name).inputFiles()}
    except spark_errors():
        return set()


def _overlap(one: str, other: str) -> bool:
    if not (is_local(one) and is_local(other)):
        return one.rstrip("/") == other.rstrip("/")
    first, second = (local_path(location).resolve() for location in (one, other))
    return first.is_relative_to(second) or second.is_relative_to(first)


def _document(stored: StoredRun) -> dict[str, Any]:
    manifest = stored.manifest
    saved = [result.saved for result in manifest.results]
    return {
        "run": manifest.run,
        "target": manifest.name,
        "rows": manifest.output.rows,
        "exact": manifest.plan.exact,
        "saved_results": len(saved),
        "saved_rows": sum(rows.rows for rows in saved),
        "saved_bytes": sum(rows.bytes for rows in saved),
        "local_sources": list(dict.fromkeys(s.descriptor.name for s in manifest.sources if _is_local(s))),
    }


def _is_local(source: SavedSource) -> bool:
    """Whether a source holds values of the program itself: what they were made of nobody can trace."""
    return source.descriptor.format == "memory"


def _shown(document: dict[str, Any]) -> list[RenderableType]:
    rows = [
        (
            run["run"],
            run["target"],
            f"{run['rows']:,}",
            "exact" if run["exact"] else "superset",
            decimal(run["saved_bytes"]),
        )
        for run in document["runs"]
    ]
    columns = ("run", "written to", "rows", "traces", "saved")
    shown: list[RenderableType] = []
    if rows:
        shown.append(table(f"Runs in {document['store']}", columns, rows, numbers=("rows", "saved")))
        shown.append(f"Next: predtrace trace {document['store']} --where \"some_column = 'some value'\"")
    shown += [f"Not captured: {left['target']}: {left['why']}" for left in document["not_captured"]]
    return shown
