"""One trace: from the target rows through the needed results to the sources.

A needed result is recomputed: every operator below it is run on inputs cut down to what the selected rows need
(R), and the selection is applied again to what comes out, so that no row computed from a cut-down input leaks
into the next operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from predtrace.infer.selections import TARGET, Cut, Inferred
from predtrace.ir.expressions import Column
from predtrace.ir.operators import Operator, Source
from predtrace.operators import Selection

Frame = TypeVar("Frame")


class Engine(Protocol[Frame]):
    """What runs predicates and operators. Frames have the columns of the operator they belong to."""

    def source(self, operator: Source) -> Frame:
        """The rows of a source."""

    def run(self, operator: Operator, inputs: Sequence[Frame]) -> Frame:
        """The output of an operator."""

    def where(self, rows: Frame, predicate: Selection, relation: Frame) -> Frame:
        """The rows that the predicate selects for some tuple of the relation."""

    def relation(self, name: str, columns: Sequence[Column], rows: Frame) -> Frame:
        """The rows, each once, as the tuples that parameters named `name.column` range over."""


class Evaluation(Generic[Frame]):
    """The relations of one trace, and the lineage they give."""

    def __init__(self, inferred: Inferred, engine: Engine[Frame], output: Operator, targets: Frame) -> None:
        self._engine = engine
        self._sources = {selection.reference: selection for selection in inferred.sources}
        self._relations = {TARGET: engine.relation(TARGET, output.output, targets)}
        for need in inferred.needed:
            rows = self._recomputed(need.operator, need.cut, self._relations[need.given])
            self._relations[need.name] = engine.relation(need.name, need.operator.output, rows)

    def lineage(self, source: Source) -> Frame:
        """The lineage rows of one source reference."""
        assert source.reference is not None
        selection = self._sources[source.reference]
        rows = self._engine.source(source)
        return self._engine.where(rows, selection.predicate, self._relations[selection.given])

    def _recomputed(self, operator: Operator, cut: Cut, relation: Frame) -> Frame:
        if isinstance(operator, Source):
            rows = self._engine.source(operator)
        else:
            pairs = zip(operator.inputs, cut.inputs, strict=True)
            rows = self._engine.run(operator, [self._recomputed(below, c, relation) for below, c in pairs])
        # What is not cut keeps its order, which a Limit above may go by.
        return rows if cut.selection is None else self._engine.where(rows, cut.selection, relation)
