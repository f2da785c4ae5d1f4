"""One trace: from the target rows through the needed results to the sources, as the lineage plan says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from predtrace.infer.selections import TARGET
from predtrace.ir.expressions import Column
from predtrace.operators import Selection
from predtrace.operators.pushing import parts_of, substituted
from predtrace.plan.lineage_plan import LineagePlan, ResultPlan, SourcePlan

Frame = TypeVar("Frame")


class Engine(Protocol[Frame]):
    """What runs predicates. The columns of a frame are known by their ids."""

    def result(self, result: ResultPlan) -> Frame:
        """The rows of a needed result, as they were kept: at least those that its lookup may select."""

    def where(self, rows: Frame, selections: Sequence[tuple[Selection, Frame]]) -> Frame:
        """The rows that one of the predicates selects for some tuple of its relation."""

    def relation(self, name: str, columns: Sequence[Column], rows: Frame) -> Frame:
        """The rows, each once, as the tuples that parameters named `name.column` range over."""

    def source(self, source: SourcePlan) -> Frame:
        """The rows of a source."""

    def is_empty(self, rows: Frame) -> bool:
        """Whether there are no rows."""


class Evaluation(Generic[Frame]):
    """The relations of one trace, and the lineage they give."""

    def __init__(self, plan: LineagePlan, engine: Engine[Frame], targets: Frame) -> None:
        self._plan, self._engine = plan, engine
        self._relations = {TARGET: engine.relation(TARGET, plan.target, targets)}
        for result in plan.results:
            given = self._relations[result.given]
            rows = engine.where(engine.result(result), [(result.lookup, given)])
            self._relations[result.name] = engine.relation(result.name, result.columns, rows)

    def is_empty(self) -> bool:
        """Whether there is no row to trace."""
        return self._engine.is_empty(self._relations[TARGET])

    def lineage(self, references: Sequence[int]) -> Frame:
        """The lineage rows of a source that the pipeline reads as these references: those of any of them."""
        sources = [source for source in self._plan.sources if source.reference in references]
        first = sources[0]
        selections = without_implied([(_over(first, source), source.given) for source in sources])
        return self._engine.where(
            self._engine.source(first),
            [(predicate, self._relations[given]) for predicate, given in selections],
        )


def without_implied(selections: Sequence[tuple[Selection, str]]) -> list[tuple[Selection, str]]:
    """Predicates over named relations that select the same rows, without those that another one implies.

    A predicate implies each that has some of its conjuncts only, for the same tuple. So a table that is read twice is
    often looked through once: where one reading has a condition more than the other. (Conjuncts are compared by their
    texts: 0.0 and -0.0 are equal, and not the same.)
    """
    conjuncts = [{repr(part) for part in parts_of(predicate)} for predicate, _ in selections]

    def is_implied(at: int, other: int) -> bool:
        if selections[at][1] != selections[other][1] or not conjuncts[other] <= conjuncts[at]:
            return False
        return conjuncts[other] < conjuncts[at] or other < at

    every = range(len(selections))
    return [selections[at] for at in every if not any(is_implied(at, other) for other in every)]


def _over(first: SourcePlan, other: SourcePlan) -> Selection:
    """A reference's predicate over the columns of another reference to the same source."""
    if other.predicate is None:
        return None
    same = zip(other.columns, first.columns, strict=True)
    return substituted(other.predicate, {column.id: column_of_first for column, column_of_first in same})
