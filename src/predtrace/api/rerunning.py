"""Traces of a pipeline of which nothing was kept: it runs once more, over less, and keeps what they need on the way.

The sources are cut down by the values that the condition fixes in the rows to trace, as far as that is proved to
change neither these rows nor what is looked up for them (`infer.cutting`). What the run keeps is there for the one
trace only: in Parquet files, where DuckDB looks it up and then selects the lineage, if it is certain to select what
Spark would; else Spark keeps it and selects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from pyspark.sql import DataFrame

from predtrace.api.asking import no_such_row, not_in_duckdb
from predtrace.api.beside import semi_joined, worthwhile
from predtrace.api.duckdb_answers import (
    DuckAnswer,
    check_kept,
    check_schemas,
    check_settings,
)
from predtrace.api.execution import CutDown, Execution
from predtrace.api.functions import live_functions
from predtrace.api.handing_over import check_same_machine, handing_over
from predtrace.api.keeping import InMemory, Keeping
from predtrace.api.lineage import Answer
from predtrace.api.spark_answers import PredicateAnswer, running
from predtrace.engines.duckdb import DuckEngine
from predtrace.engines.duckdb_sql import NotInDuckDB
from predtrace.engines.spark import SparkEngine, divided, filtered
from predtrace.frontends.spark.capture import Captured
from predtrace.infer.selections import TARGET
from predtrace.infer.side_cuts import SideCut
from predtrace.ir.expressions import Expression
from predtrace.ir.operators import Sort, Source, columns_that_may_fail, walk_operators
from predtrace.ir.spark_sql import column_name
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, askable, parameters_of, parts_of, with_values
from predtrace.plan.lineage_plan import LineagePlan
from predtrace.plan.wording import listed
from predtrace.store.settings import settings_of
from predtrace.trace.known_targets import KnownTargets, known_targets


@dataclass(frozen=True)
class Rerun:
    """One trace. The condition is over the columns of `plan.target`; `engine_of` makes an engine of what was kept."""

    captured: Captured
    plan: LineagePlan
    condition: Expression
    engine_of: Callable[[Mapping[int, DataFrame]], SparkEngine]
    beside: Sequence[SideCut] = ()
    """How the run may be cut down beyond the plan's cuts."""

    def answer(self, engine: str) -> Answer:
        """The answer, by the engine asked for."""
        if engine != "spark":
            try:
                return self._in_duckdb()
            except NotInDuckDB as problem:
                if engine == "duckdb":
                    raise not_in_duckdb(problem.reason) from None
        return self._on_spark()

    def _in_duckdb(self) -> Answer:
        plan, captured = self.plan, self.captured
        settings = dict(settings_of(captured.session))
        engine = self._duckdb(settings)
        with handing_over() as handed:
            kept = self.kept(handed.keeping, with_output=self._only_row is None)
            engine.saved = {number: handed.files(number) for number in kept}
            if self._only_row is None:
                targets = engine.rows(handed.files(self.output), plan.target, self.condition)
            elif self._is_there(kept):
                targets = engine.constants(plan.target, [self._only_row])
            else:
                raise no_such_row(self.condition)
            return DuckAnswer.of(
                plan,
                engine,
                targets,
                self.condition,
                captured.descriptors,
                settings,
                cache(self._on_spark),
                self._in_words(),
            )

    def _duckdb(self, settings: Mapping[str, str]) -> DuckEngine:
        """Raises `NotInDuckDB` before anything runs."""
        check_same_machine(self.captured.session)
        check_settings(settings)
        check_schemas(self.captured.descriptors, settings)
        check_kept([*self.plan.target, *(c for result in self.plan.results for c in result.columns)])
        engine = DuckEngine(self.captured.descriptors, functions=live_functions(self.captured.functions))
        engine.check(self.plan, self.condition)
        return engine

    def _on_spark(self) -> Answer:
        kept = self.kept(InMemory())
        output = kept[self.output].select(*(f"`{column_name(column)}`" for column in self.plan.target))
        return PredicateAnswer.of(
            self.plan,
            self.engine_of(kept),
            output,
            self.condition,
            self.captured.descriptors,
            self._in_words(),
        )

    @property
    def output(self) -> int:
        """The plan node that has the output's rows, in whatever order: a Sort at the top is left out."""
        top = self.captured.operators
        while isinstance(top, Sort) and top.input.plan_node is not None:
            top = top.input
        assert top.plan_node is not None  # the output is a node of the plan
        return top.plan_node

    def kept(self, keeping: Keeping, with_output: bool = True) -> dict[int, DataFrame]:
        """Run; what is kept of the needed results and the output, by plan node."""
        output = self.output if with_output else None
        return Execution(self.captured).kept(self.plan, keeping, output, self._cut)

    @cached_property
    def _only_row(self) -> tuple[Expression, ...] | None:
        """The row to trace, if the condition says all of it. Then nobody must write it down to know it."""
        targets = known_targets(self.condition)
        if len(targets.rows) != 1 or self.output in {result.plan_node for result in self.plan.results}:
            return None
        values = dict(zip(targets.columns, targets.rows[0], strict=True))
        return tuple(values[c] for c in self.plan.target) if values.keys() >= set(self.plan.target) else None

    def _is_there(self, kept: Mapping[int, DataFrame]) -> bool:
        """Whether there is a row to trace."""
        rows = Execution(self.captured).rows(self.output, self.plan.target, kept, self._cut)
        may_fail = columns_that_may_fail(self.captured.operators)
        return not running(filtered(rows, self.condition, may_fail).isEmpty)

    @cached_property
    def _cut(self) -> CutDown:
        """How the run is cut down: by constants where there is one row to trace, so that Spark can skip files."""
        targets = known_targets(self.condition)
        known = {f"{TARGET}.{column.id}" for column in targets.columns}
        values = targets.parameters()
        selections = {
            number: selection
            for number, selection in _known_cuts(self.plan, known)
            if askable(with_values(selection, values)) is not None
        }
        root, needed = self.captured.operators.plan_node, {result.plan_node for result in self.plan.results}
        if root in selections and self.output not in needed:
            selections[self.output] = selections[root]  # the same columns
        where = self._by_constants(values) if values else self._among(targets)
        engine = self.engine_of({})
        beside = {
            cut.source.plan_node: semi_joined(cut, engine, where, _known(cut.selection, known))
            for cut in self._beside
            if cut.source.plan_node is not None
        }
        return CutDown(selections, where, beside)

    @cached_property
    def _beside(self) -> tuple[SideCut, ...]:
        return tuple(worthwhile(self.beside, self.captured.source_bytes))

    def _by_constants(self, values: Mapping[str, Expression]) -> Callable[[DataFrame, Selection], DataFrame]:
        may_fail = columns_that_may_fail(self.captured.operators)

        def where(rows: DataFrame, selection: Selection) -> DataFrame:
            return filtered(rows, askable(with_values(selection, values)), may_fail)

        return where

    def _among(self, known: KnownTargets) -> Callable[[DataFrame, Selection], DataFrame]:
        engine = self.engine_of({})
        targets = engine.parameters(TARGET, known.columns, engine.constants(known.columns, known.rows))
        may_fail = columns_that_may_fail(self.captured.operators)

        def where(rows: DataFrame, selection: Selection) -> DataFrame:
            return engine.cut_down(rows, divided(selection, may_fail)[0], targets)

        return where

    def _in_words(self) -> str:
        cut = self._cut.nodes
        names = {number: descriptor.name for number, descriptor in self.captured.descriptors.items()}
        sources = (o for o in walk_operators(self.captured.operators) if isinstance(o, Source))
        found = [names[o.reference] for o in sources if o.plan_node in cut and o.reference is not None]
        how = (
            f"{listed(list(dict.fromkeys(found)))} cut down to what the rows need"
            if found
            else "over every row"
        )
        return f"the pipeline was run again, {how}"


def _known_cuts(plan: LineagePlan, known: set[str]) -> Iterator[tuple[int, Selection]]:
    """What to cut where only some values of the target are known: what compares with others is left out."""
    for cut in plan.cuts:
        selection = _known(cut.selection, known)
        if selection is not None:
            yield cut.plan_node, selection


def _known(selection: Selection, known: set[str]) -> Selection:
    return all_of(part for part in parts_of(selection) if parameters_of(part) <= known)
