"""A captured pipeline: run it, explain it, trace rows of its output.

How a trace is answered: by the predicates that inference found once for the pipeline, wherever they are proved
exact. What they need to know of intermediate results was kept when the pipeline ran through `run`; if it did not, it
runs again for the trace, cut down to the rows that matter. Where there is no such proof, the reference tracker runs
the pipeline again and tracks every row: right, and slow.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from itertools import chain

from pyspark.sql import DataFrame

from predtrace.api.asking import AnyFrame, check_engine, frame_to_capture, source_named, source_names
from predtrace.api.beside import worthwhile
from predtrace.api.cost import Cost
from predtrace.api.decisions import Decisions
from predtrace.api.depth import deep
from predtrace.api.execution import Execution
from predtrace.api.functions import live_functions
from predtrace.api.keeping import InMemory
from predtrace.api.lineage import Answer, Lineage
from predtrace.api.quoting import cost_of
from predtrace.api.rerunning import Rerun
from predtrace.api.spark_answers import PredicateAnswer, TrackedAnswer
from predtrace.api.stored import StoredRun, remote_states
from predtrace.api.storing import Store, Work, run_into_store
from predtrace.api.superset_answers import Superset, superset
from predtrace.api.timings import Timings, fixed_columns
from predtrace.engines.spark import SparkEngine
from predtrace.errors import InputError
from predtrace.frontends.places import place_of
from predtrace.frontends.spark.capture import Captured, capture_dataframe
from predtrace.frontends.spark.row_functions import register_row_functions
from predtrace.frontends.spark.targets import Target, target_condition
from predtrace.ir.expressions import Expression
from predtrace.ir.operators import (
    SourceDescriptor,
    columns_that_may_fail,
)
from predtrace.ir.types import is_comparable
from predtrace.operators.pushing import substituted
from predtrace.plan.explaining import decisions, explain, functions_in_words
from predtrace.plan.lineage_plan import LineagePlan
from predtrace.plan.reads import SourceRead, lineage_reads, run_reads, superset_reads, tracking_reads
from predtrace.store.fingerprints import check_unchanged
from predtrace.trace.known_targets import known_targets


@deep
def capture(df: AnyFrame) -> Pipeline:
    """Capture the pipeline behind a DataFrame of PySpark, or behind one of `predtrace.pandas`. Runs no Spark job.

    The index of a frame of pandas is a column of the pipeline's output, if it holds data.

    >>> orders = spark.createDataFrame([(1, "a", 10), (2, "b", 5), (3, "a", 7)], "id int, k string, v int")
    >>> orders.createOrReplaceTempView("orders")
    >>> pipeline = capture(spark.sql("select k, sum(v) as total from orders group by k"))
    >>> pipeline.sources
    ['orders']
    """
    return Pipeline(capture_dataframe(frame_to_capture(df)))


class Pipeline:
    """A captured pipeline. Made by `capture`."""

    def __init__(self, captured: Captured) -> None:
        self.captured = captured
        self.decided = Decisions(captured)
        """What is decided of it, once for all traces."""
        self._saved: Mapping[int, DataFrame] = {}
        self._output = captured.dataframe
        self._has_run = False  # and everything was kept that traces need
        self._timings = Timings()
        self.stored: StoredRun | None = None
        """The run in a store, after `run(store=...)`."""

    @property
    def sources(self) -> list[str]:
        """The names of the sources, in the order the pipeline reads them first."""
        return source_names(self.captured.descriptors)

    def source(self, name: str) -> SourceDescriptor:
        """What is known of a source: format, location, options, schema and fingerprint."""
        return source_named(name, self.captured.descriptors)

    @deep
    def explain(self) -> str:
        """The operators with the predicate at each and what was proved of it, what is saved and why, and how the
        lineage is selected from each source; and which steps keep a trace from being exact, if any.

        >>> spark.range(3).createOrReplaceTempView("numbers")
        >>> print(capture(spark.sql("select id from numbers where id > 1")).explain())
        Filter id > 1   (line 1 of the SQL)
        │    exact: id = target.id
        └─ Source numbers (range)   (line 1 of the SQL)
                lineage: id = target.id
        <BLANKLINE>
        Saved or recomputed
          nothing
        <BLANKLINE>
        Lineage
          numbers: exact
            where id = target.id
        <BLANKLINE>
        target: the output rows to trace; needed_1 and so on: the rows looked up in a saved or recomputed result.
        Compared with their values NULL equals NULL, except where the comparison is the pipeline's own, as in a join.
        """
        lines = [explain(self.decided.operators, self.decided.inferred.steps, self.plan, place_of)]
        if self.plan.results:
            lines += ["", *self._without_results()]
        functions = [f"  {line}" for line in functions_in_words(self.decided.operators)]
        if functions:
            lines += ["", "Python functions", *functions]
        reasons = self._not_exact_when_recomputed
        if reasons:
            lines += ["", "Not exact when recomputed:", *(f"- {reason}" for reason in reasons)]
        return "\n".join(lines)

    def _without_results(self) -> Iterator[str]:
        """What it costs to save nothing."""
        yield "If nothing may be saved (max_saved_bytes=0)"
        yield "  here: traces run the pipeline again, as said above"
        names = {number: d.name for number, d in self.captured.descriptors.items()}
        for source in self.decided.plan_without_results.sources:
            verdict = source.why_not_exact and f"may hold more rows than made it ({source.why_not_exact})"
            yield f"  from the store: {names[source.reference]}: {verdict or 'exact'}"

    @deep
    def decisions(self) -> str:
        """The second half of `explain` in full: every column of every needed result, every conjunct."""
        return decisions(self.plan, self.decided.operators)

    @property
    @deep
    def plan(self) -> LineagePlan:
        """What inference decided, once for all traces."""
        return self.decided.plan

    @property
    def saved(self) -> Mapping[int, DataFrame]:
        """What `run` kept, by plan node."""
        return self._saved

    @property
    def _gives_the_same_rows_again(self) -> bool:
        return not self.decided.unstable_steps and self.captured.operators.evaluates_deterministically()

    @property
    def _not_exact_when_recomputed(self) -> list[str]:
        return self.decided.opaque_steps + self.decided.unstable_steps

    @deep
    def run(self, store: str | None = None, name: str = "", max_saved_bytes: int | None = None) -> DataFrame:
        """Run the pipeline and keep the intermediate results that traces need.

        They are kept in the folder `store`, which `predtrace.open` can trace from later, in any process; or, without
        one, as long as this object lives. `name` is what you call the run, to find it in its store. What runs is the
        DataFrame's own plan; where a result is kept, the rest of the plan goes on from it. The rows and the schema
        are those of the captured DataFrame.

        `max_saved_bytes` limits what a store keeps besides the output. If the needed results take more, none of them
        is kept: `explain` says what that costs. With 0 they are not even computed.

        >>> sales = spark.createDataFrame([("a", 10), ("b", 5), ("a", 7)], "shop string, price int")
        >>> sales.createOrReplaceTempView("sales")
        >>> totals = capture(spark.sql("select sum(price) as total from sales group by shop"))
        >>> sorted(row.total for row in totals.run().collect())
        [5, 17]
        >>> totals.trace("total = 17").counts()
        {'sales': 2}
        """
        if store is None:
            # Another run may give other rows: traces are about the rows of this one.
            output = None if self._gives_the_same_rows_again else self.captured.operators.plan_node
            self._saved = Execution(self.captured).kept(self.plan, InMemory(), output)
            self.stored = None
        else:
            place = Store(store, name, max_saved_bytes)
            counted = place.rows_counted(self.captured, self.decided.operators) if self.plan.results else {}
            self.decided = self.decided.knowing(counted)
            work = Work(self.captured, self.decided, counted, Execution(self.captured).kept)
            self.stored, self._saved = run_into_store(work, place)
        self._has_run = {result.plan_node for result in self.plan.results} <= set(self._saved)
        frame = self.captured.dataframe
        self._output = self.captured.nodes.continued(self._saved, like=frame) if self._saved else frame
        return self._output

    @deep
    def trace(
        self, rows: Target, exact: bool = True, engine: str = "auto", allow_stale: bool = False
    ) -> Lineage:
        """The source rows that the given output rows were derived from.

        `rows` is a SQL condition over the output columns, a dict or Row of column values, a Column, or a list
        of these. `exact=False` gives a superset by predicates and semi joins on the sources alone: the pipeline is
        not run, and nobody looks whether there is such an output row. `engine="auto"` asks DuckDB where what it
        needs is in Parquet files and it is certain to select what Spark would. After `run`, a source that has changed
        since is an error; `allow_stale` selects from what is there now.

        >>> visits = spark.createDataFrame([(1, "a"), (2, "b"), (3, "a")], "id int, page string")
        >>> visits.createOrReplaceTempView("visits")
        >>> pages = capture(spark.sql("select page, count(*) as n from visits group by page"))
        >>> lineage = pages.trace("page = 'a'")
        >>> lineage.exact, lineage.counts()
        (True, {'visits': 2})
        >>> sorted(lineage["visits"].to_pandas()["id"])
        [1, 3]
        """
        watch = self._timings.stopwatch(lambda: fixed_columns(self._target(rows)))
        with watch.tracing():
            lineage = self._traced(rows, exact, engine, allow_stale)
        return lineage.timed_by(watch)

    def _traced(self, rows: Target, exact: bool, engine: str, allow_stale: bool) -> Lineage:
        check_engine(engine)
        if self._has_run and not allow_stale:
            check_unchanged(self.captured.descriptors.values(), remote_states)
        if not exact:
            return self._superset(rows, engine)
        by_predicates = self._is_answered_by_predicates
        if engine != "spark" and by_predicates and self._is_answered_by_the_store:
            assert self.stored is not None
            functions = live_functions(self.captured.functions)
            return self.stored.traced(rows, engine, functions, lambda: self._by_predicates(rows, "spark"))
        if engine == "duckdb" and (self._has_run or not by_predicates):
            raise InputError(
                "DuckDB answers from the results that a run saved in files, by predicates proved exact",
                todo='run the pipeline with run(store=...) first, or use engine="auto"',
            )
        descriptors = self.captured.descriptors
        if by_predicates:
            return Lineage(descriptors, self._by_predicates(rows, engine), [])
        condition = self._condition(rows)
        # Tracking runs the pipeline again, whether it has run before or not.
        answer = TrackedAnswer.of(self.captured, condition)
        return Lineage(descriptors, answer, self._not_exact_when_recomputed)

    def _superset(self, rows: Target, engine: str) -> Lineage:
        captured = self.captured
        asked = Superset.of(self.decided.refinement, self._target(rows), captured.descriptors)
        answer = superset(asked, self._engine({}), engine, live_functions(captured.functions))
        return Lineage(captured.descriptors, answer, asked.reasons)

    @deep
    def cost(self, rows: Target, exact: bool = True, engine: str = "auto") -> Cost:
        """What a trace would read, before it runs: the files and bytes of each source that may hold the rows, and how
        long the last similar trace took. Starts no Spark job.

        >>> spark.range(3).createOrReplaceTempView("numbers")
        >>> quote = capture(spark.sql("select id from numbers where id > 1")).cost("id = 2")
        >>> quote["numbers"].scanned, quote.last
        (True, None)
        """
        check_engine(engine)
        condition = self._target(rows)
        method, reads = self._reads(condition, exact)
        last = self._timings.last(method, fixed_columns(condition), None if engine == "auto" else engine)
        return cost_of(reads, condition, self.captured.descriptors, last)

    def _reads(self, condition: Expression, exact: bool) -> tuple[str, Iterator[SourceRead]]:
        """The method that a trace would use, and the passes over the sources that it makes."""
        descriptors = self.captured.descriptors
        if not exact:
            known = self.decided.refinement.knowing(known_targets(condition).columns)
            return "refinement", superset_reads(known, self.decided.operators, descriptors)
        if not self._is_answered_by_predicates:
            return "tracking", tracking_reads(self.captured.written)
        cuts, saved = ((), self._saved) if self._has_run else (self.plan.cuts, {})
        run = run_reads(self.decided.operators, cuts, saved)
        others = () if self._has_run else worthwhile(self.decided.side_cuts, self.captured.source_bytes)
        beside = (SourceRead(cut.by.descriptor.name, cut.by.columns, cut.selection) for cut in others)
        return "predicates", chain(lineage_reads(self.plan, descriptors), run, beside)

    @property
    def _is_answered_by_predicates(self) -> bool:
        unstable = [] if self._has_run else self.decided.unstable_steps
        compared = self.plan.results_can_be_looked_up and all(is_comparable(c.type) for c in self.plan.target)
        return self.plan.exact and not unstable and compared

    @property
    def _is_answered_by_the_store(self) -> bool:
        return self.stored is not None and self._has_run

    def rerun(self, rows: Target) -> Rerun:
        """The run that a trace of these rows takes if there was none, cut down to what they need."""
        register_row_functions(self.captured.session, self.captured.functions)
        return Rerun(self.captured, self.plan, self._target(rows), self._engine, self.decided.side_cuts)

    def _by_predicates(self, rows: Target, engine: str) -> Answer:
        if not self._has_run:
            return self.rerun(rows).answer(engine)
        of_run, descriptors = self._engine(self._saved), self.captured.descriptors
        may_fail = columns_that_may_fail(self.captured.operators)
        target = self._target(rows)
        return PredicateAnswer.of(self.plan, of_run, self._output, target, descriptors, may_fail=may_fail)

    def _engine(self, saved: Mapping[int, DataFrame]) -> SparkEngine:
        captured = self.captured
        register_row_functions(captured.session, captured.functions)
        return SparkEngine(captured.session, captured.nodes, captured.source_rows, saved)

    def _condition(self, rows: Target) -> Expression:
        return target_condition(self.captured.dataframe, self.captured.output_columns, rows)

    def _target(self, rows: Target) -> Expression:
        """The condition over the columns that predicates are about."""
        same = zip(self.captured.written.output, self.decided.operators.output, strict=True)
        return substituted(self._condition(rows), {written.id: column for written, column in same})

    def __str__(self) -> str:
        return self.explain()

    def __repr__(self) -> str:
        return f"<Pipeline over {', '.join(self.sources)}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.explain())}</pre>"
