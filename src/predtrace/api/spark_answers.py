"""The two ways to answer a trace on Spark: by predicates, or by tracking where predicates are not exact.

Both give, for the references of one source, the lineage rows with the source's own columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pyarrow
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException, PythonException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from predtrace.api.asking import no_such_row, steps_of
from predtrace.engines.spark import SparkEngine, filtered
from predtrace.errors import SourceProblem
from predtrace.frontends.spark.capture import Captured
from predtrace.frontends.spark.quiet import quiet_spark
from predtrace.ir.expressions import ColumnId, Expression
from predtrace.ir.operators import SourceDescriptor
from predtrace.ir.spark_sql import column_name
from predtrace.plan.lineage_plan import LineagePlan
from predtrace.reference import frames
from predtrace.reference.addresses import ADDRESS
from predtrace.reference.tracker import Tracker
from predtrace.trace.evaluation import Evaluation
from predtrace.trace.known_targets import known_targets

T = TypeVar("T")


@dataclass(frozen=True)
class SparkRows:
    """Rows of a source, selected by Spark."""

    frame: DataFrame

    def count(self) -> int:
        return running(lambda: int(self.frame.count()))

    def to_arrow(self, limit: int | None = None) -> pyarrow.Table:
        rows = self.frame if limit is None else self.frame.limit(limit)
        return running(rows.toArrow)

    def to_spark(self) -> DataFrame:
        return self.frame

    def write_parquet(self, folder: str) -> None:
        running(lambda: self.frame.write.parquet(folder))


@dataclass(frozen=True)
class PredicateAnswer:
    """Predicates select the rows from the sources. `descriptors` name the columns of each reference's source."""

    plan: LineagePlan
    evaluation: Evaluation[DataFrame]
    descriptors: Mapping[int, SourceDescriptor]
    run_again: str = ""
    engine: str = "spark"
    method: str = "predicates"

    @classmethod
    def of(
        cls,
        plan: LineagePlan,
        engine: SparkEngine,
        output: DataFrame,
        condition: Expression,
        descriptors: Mapping[int, SourceDescriptor],
        run_again: str = "",
        may_fail: Collection[ColumnId] = (),
    ) -> PredicateAnswer:
        """`output` has the rows of the run to trace; the condition, over `plan.target`, those of interest."""
        known = known_targets(condition).parameters(plan)
        engine = replace(engine, known=known)
        targets = filtered(output.toDF(*map(column_name, plan.target)), condition, may_fail)
        evaluation = running(lambda: Evaluation(plan, engine, targets))
        if running(evaluation.is_empty):
            raise no_such_row(condition)
        return cls(plan, evaluation, descriptors, run_again)

    def steps(self) -> Iterator[str]:
        return steps_of(self.plan, self.run_again)

    def rows(self, references: Sequence[int]) -> SparkRows:
        names = [field.name for field in self.descriptors[references[0]].schema.fields]
        return SparkRows(self.evaluation.lineage(references).toDF(*names))


@dataclass(frozen=True)
class TrackedAnswer:
    """The pipeline was run again with every row tracked."""

    tracker: Tracker
    found: DataFrame
    engine: str = "spark"
    method: str = "tracking"

    @classmethod
    def of(cls, captured: Captured, rows: Expression) -> TrackedAnswer:
        tracker = Tracker(captured)
        tracked = running(lambda: tracker.track(captured.written))
        cells = [f"`{frames.column_name(column)}`" for column in tracked.lineages()]
        found_rows = tracked.rows.filter(frames.sql(rows)).select(*cells)
        found = running(lambda: frames.fixed(found_rows))
        if found.isEmpty():
            raise no_such_row(rows)
        return cls(tracker, found)

    def steps(self) -> Iterator[str]:
        yield "the pipeline was run again, with the addresses of source rows carried along each row"

    def rows(self, references: Sequence[int]) -> SparkRows:
        addressed = self.tracker.addresses.rows(references[0])
        cells = [f"`{frames.column_name(frames.lineage_column(number))}`" for number in references]
        addresses = self.found.select(F.explode(F.concat(*cells)).alias(ADDRESS)).distinct()
        return SparkRows(addressed.join(addresses, ADDRESS, "left_semi").drop(ADDRESS))


_RAISED_IN_PYTHON = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)")
"""What a traceback ends with."""


def running(step: Callable[[], T]) -> T:
    """Run a step on Spark; what fails (a source that is gone, a condition's cast) is said in one sentence."""
    try:
        with quiet_spark():
            return step()
    except (PySparkException, Py4JJavaError) as problem:
        # PySpark wraps most of Spark's errors, but not those of a failed job.
        java: Any = getattr(problem, "java_exception", None)
        text = str(problem if java is None else java.getMessage())
        in_python = _RAISED_IN_PYTHON.search(text)
        if in_python is not None or isinstance(problem, PythonException):
            what = text.strip().splitlines()[-1] if in_python is None else in_python[1]
            raise SourceProblem(
                f"a Python function of the pipeline failed: {what}",
                todo="see whether the pipeline itself runs; a trace may call a function for more rows than it did",
            ) from problem
        first_line = text.strip().split("\n")[0].rstrip(".")
        raise SourceProblem(
            f"Spark could not select the rows: {first_line}",
            todo="check the condition, and that the sources are still there and unchanged",
        ) from problem
