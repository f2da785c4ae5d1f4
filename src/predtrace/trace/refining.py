"""One trace for a superset: sets of tuples that narrow each other until none shrinks.

Every source is read once to fill its set, with the columns that matter only, and once more for the rows themselves.
In between, sets are narrowed by semi joins among each other. A set is looked at again only when one that narrows it
has shrunk; the rounds that takes, and the tuples left after each, are kept in `rounds`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Generic, Protocol, TypeVar

from predtrace.infer.keys import has_parameter
from predtrace.infer.refinement import Narrowing
from predtrace.infer.selections import TARGET, row_selection
from predtrace.ir.expressions import Column
from predtrace.ir.parts import columns_of
from predtrace.ir.predicates import Parameter
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, parts_of, substituted
from predtrace.plan.lineage_plan import NodeCut, SourcePlan
from predtrace.plan.refinement_plan import RefinementPlan, SetPlan
from predtrace.trace.evaluation import Engine

Frame = TypeVar("Frame")


class RefiningEngine(Engine[Frame], Protocol[Frame]):
    """What narrows sets, besides running predicates."""

    def computed(
        self, plan_node: int, columns: Sequence[Column], cuts: Sequence[NodeCut], given: Frame
    ) -> Frame:
        """The rows of a plan node, computed from inputs cut down for the tuples of a relation."""

    def without(self, rows: Frame, predicate: Selection, relation: Frame) -> Frame:
        """The rows that a predicate selects for no tuple of its relation."""

    def kept(self, relation: Frame) -> Frame:
        """The tuples of a relation, computed now."""

    def count(self, rows: Frame) -> int:
        """The number of rows."""


class Refinement(Generic[Frame]):
    """The sets of one trace, narrowed as far as it goes."""

    def __init__(self, plan: RefinementPlan, engine: RefiningEngine[Frame], targets: Frame) -> None:
        self._plan, self._engine = plan, engine
        self._target = engine.relation(TARGET, plan.target, targets)
        self._relations: dict[str, Frame] = {}
        self._sizes: dict[str, int] = {}
        self.rounds: list[dict[str, int]] = []
        """The number of tuples in each set, after it is filled and after each round of narrowing."""
        self._refine()

    def is_empty(self) -> bool:
        """Whether there is no row to trace."""
        return self._engine.is_empty(self._target)

    def lineage(self, references: Sequence[int]) -> Frame:
        """The rows of a source, which the pipeline reads as these references, that are left in any of their sets."""
        chosen = [self._selection(s) for s in self._plan.sets if not s.outside and s.reference in references]
        chosen += [(w.columns, None, self._target) for w in self._plan.whole if w.reference in references]
        columns = chosen[0][0]
        return self._engine.where(
            self._engine.source(SourcePlan(references[0], columns, None, TARGET, "")),
            [(_over(own, columns, selection), relation) for own, selection, relation in chosen],
        )

    def _selection(self, one: SetPlan) -> tuple[tuple[Column, ...], Selection, Frame]:
        if not one.tuples:
            return one.columns, one.predicate, self._target
        own = (part for part in parts_of(one.predicate) if not has_parameter(part))
        found = all_of([*own, *parts_of(row_selection(one.tuples, one.name))])
        return one.columns, found, self._relations[one.name]

    def _refine(self) -> None:
        # What is compared with the target is small: it narrows the others before they are kept.
        sets = sorted((s for s in self._plan.sets if s.tuples), key=_is_narrow, reverse=True)
        pending: dict[str, set[str]] = {}
        for one in sets:
            pending[one.name] = {n.by for n in one.narrowings} - self._relations.keys()
            self._fill(one)
        self.rounds.append(dict(self._sizes))
        while any(pending.values()):
            for one in sets:
                changed, pending[one.name] = pending[one.name], set()
                if changed and self._narrowed(one, changed):
                    for reader in sets:
                        if any(n.by == one.name and not n.excluding for n in reader.narrowings):
                            pending[reader.name].add(one.name)
            self.rounds.append(dict(self._sizes))

    def _fill(self, one: SetPlan) -> None:
        rows = self._engine.where(self._rows(one), [(one.predicate, self._target)])
        for narrowing in one.narrowings:
            if narrowing.by in self._relations:
                rows = self._narrow(rows, narrowing, narrowing.predicate)
        self._keep(one, self._engine.relation(one.name, one.tuples, rows))

    def _narrowed(self, one: SetPlan, by: Collection[str]) -> bool:
        """Narrow a set by others; whether it has become smaller."""
        rows, before = self._relations[one.name], self._sizes[one.name]
        if not before:
            return False
        shown = {c.id: Parameter(f"{one.name}.{c.id}", c.type) for c in one.tuples}
        for narrowing in one.narrowings:
            if narrowing.by in by:
                rows = self._narrow(rows, narrowing, substituted(narrowing.predicate, shown))
        self._keep(one, self._engine.kept(rows))
        return self._sizes[one.name] < before

    def _narrow(self, rows: Frame, narrowing: Narrowing, predicate: Selection) -> Frame:
        relation = self._relations[narrowing.by]
        if narrowing.excluding:
            return self._engine.without(rows, predicate, relation)
        return self._engine.where(rows, [(predicate, relation)])

    def _keep(self, one: SetPlan, relation: Frame) -> None:
        self._relations[one.name] = relation
        self._sizes[one.name] = self._engine.count(relation)

    def _rows(self, one: SetPlan) -> Frame:
        if one.plan_node is None:
            assert one.reference is not None  # a set is one or the other
            return self._engine.source(SourcePlan(one.reference, one.columns, None, TARGET, ""))
        read = {*one.tuples, *(columns_of(one.predicate) if one.predicate is not None else ())}
        columns = tuple(column for column in one.columns if column in read)
        return self._engine.computed(one.plan_node, columns, one.cuts, self._target)


def _is_narrow(one: SetPlan) -> tuple[bool, bool]:
    return one.outside, any(map(has_parameter, parts_of(one.predicate)))


def _over(columns: Sequence[Column], first: Sequence[Column], selection: Selection) -> Selection:
    """A reference's predicate over the columns of another reference to the same source."""
    if selection is None:
        return None
    return substituted(selection, {c.id: of_first for c, of_first in zip(columns, first, strict=True)})
