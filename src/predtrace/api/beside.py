"""Which sources of a run are semi joined with others before it, and how (`infer.side_cuts`).

Such a cut costs another pass over the other source, and a run without it one over rows that nobody needs. Nobody
knows how many those are; but where the other source is much smaller and its own conditions leave some of it out, the
pass costs little and much may be saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pyspark.sql import DataFrame

from predtrace.engines.spark import SparkEngine
from predtrace.infer.selections import TARGET
from predtrace.infer.side_cuts import SideCut
from predtrace.operators import Selection
from predtrace.plan.lineage_plan import SourcePlan

MUCH_SMALLER = 4
"""How many times smaller the other source must be."""


def worthwhile(cuts: Iterable[SideCut], size: Callable[[int], int]) -> Iterator[SideCut]:
    """Of the cuts of each source the one by the smallest other source, if it is small enough."""
    by_node: dict[int | None, list[SideCut]] = {}
    for cut in cuts:
        if cut.selection is not None:
            by_node.setdefault(cut.source.plan_node, []).append(cut)
    for of_node in by_node.values():
        best = min(of_node, key=lambda cut: _size(cut.by.reference, size))
        if _size(best.by.reference, size) * MUCH_SMALLER <= _size(best.source.reference, size):
            yield best


def _size(reference: int | None, size: Callable[[int], int]) -> int:
    assert reference is not None  # sources that are cut, or cut others, are read from somewhere
    return size(reference)


def semi_joined(
    cut: SideCut,
    engine: SparkEngine,
    where: Callable[[DataFrame, Selection], DataFrame],
    selection: Selection,
) -> Callable[[DataFrame], DataFrame]:
    """Cuts rows of the source. `where` selects, by `selection`, the rows that must stay of the other one."""
    by = cut.by
    assert by.reference is not None
    other = where(engine.source(SourcePlan(by.reference, by.columns, None, TARGET, "")), selection)
    relation = engine.parameters(cut.name, by.columns, other)
    return lambda rows: engine.where(rows, [(cut.predicate, relation)])
