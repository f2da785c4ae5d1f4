"""The public interface: `capture` a DataFrame, `trace` rows of its output, look at the `Lineage`.

Traces are answered by the reference tracker: it runs the pipeline again, eagerly tracking every row. Right, but
not yet fast; nothing here will change its signature when it is.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from predtrace.errors import InputError, NoSuchRow, SourceProblem, UnknownSource
from predtrace.frontends.spark.capture import Captured, capture_dataframe
from predtrace.frontends.spark.targets import Target, target_condition
from predtrace.ir.determinism import unstable_steps
from predtrace.ir.operators import Opaque, SourceDescriptor, walk_operators
from predtrace.ir.printing import describe, explain
from predtrace.reference.addresses import ADDRESS
from predtrace.reference.frames import column_name, fixed, lineage_column, sql
from predtrace.reference.tracker import Tracker

if TYPE_CHECKING:
    import pandas
    import pyarrow

_ENGINES = ("auto", "spark", "duckdb")
_SHOWN_ROWS = 20

T = TypeVar("T")


def capture(df: DataFrame) -> Pipeline:
    """Capture the pipeline behind a PySpark DataFrame. Runs no Spark job.

    >>> orders = spark.createDataFrame([(1, "a", 10), (2, "b", 5), (3, "a", 7)], "id int, k string, v int")
    >>> orders.createOrReplaceTempView("orders")
    >>> pipeline = capture(spark.sql("select k, sum(v) as total from orders group by k"))
    >>> pipeline.sources
    ['orders']
    """
    return Pipeline(capture_dataframe(df))


@dataclass(frozen=True)
class Pipeline:
    """A captured pipeline. Made by `capture`."""

    captured: Captured = field(repr=False)

    @property
    def sources(self) -> list[str]:
        """The names of the sources, in the order the pipeline reads them first."""
        return list(dict.fromkeys(d.name for _, d in sorted(self.captured.descriptors.items())))

    def source(self, name: str) -> SourceDescriptor:
        """What is known of a source: format, location, options, schema and fingerprint."""
        for descriptor in self.captured.descriptors.values():
            if descriptor.name == name:
                return descriptor
        raise _unknown_source(name, self.sources)

    def explain(self) -> str:
        """The pipeline's operators as a tree, and which steps keep a trace from being exact, if any.

        >>> spark.range(3).createOrReplaceTempView("numbers")
        >>> print(capture(spark.sql("select id from numbers where id > 1")).explain())
        Filter id > 1
        └─ Source numbers (range)
        """
        lines = [explain(self.captured.operators)]
        if self._reasons:
            lines += ["", "Not exact when recomputed:", *(f"- {reason}" for reason in self._reasons)]
        return "\n".join(lines)

    @cached_property
    def _reasons(self) -> list[str]:
        opaque = [
            f"{operator.title()}: {operator.why}"
            for operator in walk_operators(self.captured.operators)
            if isinstance(operator, Opaque)
        ]
        return opaque + unstable_steps(self.captured.operators)

    def trace(self, rows: Target, exact: bool = True, engine: str = "auto") -> Lineage:
        """The source rows that the given output rows were derived from.

        `rows` is a SQL condition over the output columns, a dict or Row of column values, a Column, or a list
        of these. `exact=False` allows a superset where that is faster.

        >>> visits = spark.createDataFrame([(1, "a"), (2, "b"), (3, "a")], "id int, page string")
        >>> visits.createOrReplaceTempView("visits")
        >>> pages = capture(spark.sql("select page, count(*) as n from visits group by page"))
        >>> lineage = pages.trace("page = 'a'")
        >>> lineage.exact, lineage.counts()
        (True, {'visits': 2})
        >>> sorted(lineage["visits"].to_pandas()["id"])
        [1, 3]
        """
        if engine not in _ENGINES:
            raise InputError(f"there is no engine {engine!r}", todo=f"use one of: {', '.join(_ENGINES)}")
        if engine == "duckdb":
            raise InputError("traces run on Spark in this version", todo='use engine="auto"')
        condition = target_condition(self.captured, rows)
        tracker = Tracker(self.captured)
        tracked = _run(lambda: tracker.track(self.captured.written))
        cells = [column_name(column) for column in tracked.lineages()]
        found_rows = tracked.rows.filter(sql(condition)).select(*(f"`{cell}`" for cell in cells))
        found = _run(lambda: fixed(found_rows))
        if found.isEmpty():
            raise NoSuchRow(
                f"no output row satisfies: {describe(condition)}",
                todo="look at the output with df.show() and describe a row that is there",
            )
        return Lineage(self, tracker, found)

    def __str__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.explain())}</pre>"


class Lineage:
    """The source rows behind some output rows. Rows are read when asked for."""

    def __init__(self, pipeline: Pipeline, tracker: Tracker, found: DataFrame) -> None:
        self._pipeline = pipeline
        self._tracker = tracker
        self._found = found

    @property
    def exact(self) -> bool:
        """Whether the rows are the lineage and nothing else; if not, `why_not_exact` says why."""
        return not self._pipeline._reasons

    @property
    def why_not_exact(self) -> str:
        """The steps that stand in the way of an exact answer; empty if it is exact."""
        return "; ".join(self._pipeline._reasons)

    @property
    def sources(self) -> list[str]:
        """The names of the pipeline's sources."""
        return self._pipeline.sources

    @property
    def references(self) -> list[SourceRows]:
        """The lineage in each reference to a source apart: a table read twice has two."""
        descriptors = self._pipeline.captured.descriptors
        return [self._rows(d.name, [number]) for number, d in sorted(descriptors.items())]

    def __getitem__(self, source: str) -> SourceRows:
        """The lineage in a source: the union over all references to it."""
        descriptors = self._pipeline.captured.descriptors
        numbers = [number for number, descriptor in sorted(descriptors.items()) if descriptor.name == source]
        if not numbers:
            raise _unknown_source(source, self.sources)
        return self._rows(source, numbers)

    def counts(self) -> dict[str, int]:
        """The number of lineage rows in each source."""
        return {source: self[source].count() for source in self.sources}

    def _rows(self, source: str, numbers: list[int]) -> SourceRows:
        addressed = self._tracker.addresses.rows(numbers[0])
        cells = [f"`{column_name(lineage_column(number))}`" for number in numbers]
        addresses = self._found.select(F.explode(F.concat(*cells)).alias(ADDRESS)).distinct()
        rows = addressed.join(addresses, ADDRESS, "left_semi").drop(ADDRESS)
        return SourceRows(source, tuple(numbers), rows)

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "superset"
        return f"<Lineage ({kind}) in {', '.join(self.sources)}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(s)}</td><td>{n:,}</td></tr>" for s, n in self.counts().items())
        note = "exact" if self.exact else f"a superset: {html.escape(self.why_not_exact)}"
        return f"<table><tr><th>source</th><th>rows</th></tr>{rows}</table><p>{note}</p>"


@dataclass(frozen=True)
class SourceRows:
    """Lineage rows of one source, with the source's full schema. Lazy."""

    source: str
    reference_numbers: tuple[int, ...]
    _frame: DataFrame = field(repr=False)

    def count(self) -> int:
        """The number of rows."""
        return int(self._frame.count())

    def show(self, n: int = _SHOWN_ROWS) -> None:
        """Print the first rows."""
        self._frame.show(n, truncate=False)

    def to_spark(self) -> DataFrame:
        """The rows as a Spark DataFrame."""
        return self._frame

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame, in this process's memory."""
        return self._frame.toPandas()

    def to_arrow(self) -> pyarrow.Table:
        """The rows as an Arrow table, in this process's memory."""
        return self._frame.toArrow()

    def _repr_html_(self) -> str:
        first: Any = self._frame.limit(_SHOWN_ROWS).toPandas()
        return f"<p>{html.escape(self.source)}</p>{first.to_html(index=False)}"


def _run(step: Callable[[], T]) -> T:
    """Run a step on Spark; a source that is gone or cannot be read is said in one sentence."""
    try:
        return step()
    except (PySparkException, Py4JJavaError) as problem:
        # PySpark wraps most of Spark's errors, but not those of a failed job.
        java: Any = getattr(problem, "java_exception", None)
        text = str(problem if java is None else java.getMessage())
        first_line = text.strip().split("\n")[0].rstrip(".")
        raise SourceProblem(
            f"Spark could not run the pipeline again: {first_line}",
            todo="check that its sources are still there and unchanged, then build the DataFrame again",
        ) from problem


def _unknown_source(name: str, known: list[str]) -> UnknownSource:
    return UnknownSource(f"the pipeline has no source {name!r}", todo=f"use one of: {', '.join(known)}")
