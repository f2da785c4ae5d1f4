"""Which passes over the sources a trace makes, and which rows each of them looks for.

A pass that looks for no row is not made, and is not listed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from predtrace.infer.selections import values_by_lookup
from predtrace.ir.expressions import Column, Expression
from predtrace.ir.operators import Filter, Operator, Source, SourceDescriptor, walk_everything
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, all_of, parts_of, with_values
from predtrace.plan.lineage_plan import LineagePlan, NodeCut
from predtrace.plan.refinement_plan import RefinementPlan


@dataclass(frozen=True)
class SourceRead:
    """One pass over a source, for the rows that a predicate over its columns selects."""

    source: str
    columns: tuple[Column, ...]
    predicate: Selection


def lineage_reads(plan: LineagePlan, descriptors: Mapping[int, SourceDescriptor]) -> Iterator[SourceRead]:
    """The lineage rows, selected when all needed results are known.

    What is found in a needed result by a value of the target has that value.
    """
    values = values_by_lookup((result.name, result.lookup) for result in plan.results)
    for source in plan.sources:
        if source.predicate != NOTHING:
            predicate = with_values(source.predicate, values)
            yield SourceRead(descriptors[source.reference].name, source.columns, predicate)


def run_reads(
    operator: Operator, cuts: Iterable[NodeCut] = (), saved: Collection[int] = ()
) -> Iterator[SourceRead]:
    """What it takes to run the pipeline whose output is `operator`, cut down, going on from saved plan nodes.

    Of the pipeline's own conditions those right above a source are counted: Spark skips files by them.
    """
    selections: dict[int | None, Selection] = {cut.plan_node: cut.selection for cut in cuts}

    def below(one: Operator, filters: list[Expression]) -> Iterator[SourceRead]:
        if one.plan_node in saved:
            return
        for query in one.subqueries():
            yield from run_reads(query.plan)
        own = parts_of(selections.get(one.plan_node))
        match one:
            case Source():
                yield SourceRead(one.descriptor.name, one.columns, all_of([*filters, *own]))
            case Filter():
                yield from below(one.input, [*filters, *own, *parts_of(one.condition)])
            case _:
                for each in one.inputs:
                    yield from below(each, [])

    yield from below(operator, [])


def superset_reads(
    plan: RefinementPlan, operator: Operator, descriptors: Mapping[int, SourceDescriptor]
) -> Iterator[SourceRead]:
    """What a superset takes: each set is filled from its source once."""
    nodes = {one.plan_node: one for one in walk_everything(operator)}
    for each in plan.sets:
        if each.reference is None:
            yield from run_reads(nodes[each.plan_node], each.cuts)
        elif each.predicate != NOTHING:
            yield SourceRead(descriptors[each.reference].name, each.columns, each.predicate)
    for whole in plan.whole:
        yield SourceRead(descriptors[whole.reference].name, whole.columns, whole.predicate)


def tracking_reads(operator: Operator) -> Iterator[SourceRead]:
    """What it takes to track every row of the pipeline whose output is `operator`: all of every source."""
    for one in walk_everything(operator):
        if isinstance(one, Source):
            yield SourceRead(one.descriptor.name, one.columns, None)
