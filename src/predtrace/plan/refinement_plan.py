"""How a superset of the lineage is found without the pipeline, decided once and written down as plain data.

There is a set of tuples for each source reference and for what is evaluated over one or two of them. It starts with
the rows that its predicate selects for the target, and is narrowed by the others (`infer.refinement`). A set holds
only the columns `tuples` that narrowing reads and, to find its rows again, those compared with the target. A row is
in the lineage's superset if it meets the predicate's conditions that are the pipeline's own, and its tuple is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from predtrace.infer.refinement import Narrowing, TupleSet
from predtrace.infer.selections import TARGET
from predtrace.ir.expressions import Column, ColumnId, Expression
from predtrace.ir.operators import Operator, Source
from predtrace.ir.parts import columns_of
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, parameters_of, parts_of
from predtrace.plan.building import cuts_below, out_of_reach
from predtrace.plan.lineage_plan import NodeCut, SourcePlan
from predtrace.plan.wording import operator_name, reason_in_words


@dataclass(frozen=True)
class SetPlan:
    """One set: of a source reference, or (`plan_node`) of an operator that is evaluated.

    `outside` sets only exclude rows of others; none of their rows is in the lineage. `tuples` is empty where nothing
    narrows the set and it narrows nothing.
    """

    name: str
    operator: str
    reference: int | None
    plan_node: int | None
    columns: tuple[Column, ...]
    predicate: Selection
    tuples: tuple[Column, ...]
    narrowings: tuple[Narrowing, ...]
    outside: bool
    cuts: tuple[NodeCut, ...]
    why_not_exact: str


@dataclass(frozen=True)
class RefinementPlan:
    """All of it. `whole` are sources of which every row may count."""

    target: tuple[Column, ...]
    sets: tuple[SetPlan, ...]
    whole: tuple[SourcePlan, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the predicates alone select the lineage and nothing else."""
        return not self.whole and not any(each.why_not_exact for each in self.sets)

    def knowing(self, columns: Collection[Column]) -> RefinementPlan:
        """The plan for targets of which only these columns are known: what compares with others is left out.

        Where nothing is left out, exact predicates need no narrowing.
        """
        asked = {name for each in self.sets for name in parameters_of(each.predicate)}
        unknown = {f"{TARGET}.{column.id}" for column in self.target if column not in columns}

        def known(selection: Selection) -> Selection:
            return all_of(part for part in parts_of(selection) if not unknown & parameters_of(part))

        def changed(one: SetPlan) -> SetPlan:
            if not unknown & asked:
                is_done = one.plan_node is None and not one.why_not_exact
                return replace(one, narrowings=()) if is_done else one
            cuts = ((cut, known(cut.selection)) for cut in one.cuts)
            kept = tuple(replace(cut, selection=part) for cut, part in cuts if part is not None)
            return replace(one, predicate=known(one.predicate), cuts=kept)

        target = tuple(column for column in self.target if column in columns)
        return replace(self, target=target, sets=_settled(map(changed, self.sets)))


def refinement_plan(sets: Iterable[TupleSet], operator: Operator) -> RefinementPlan:
    """The plan of all traces of the pipeline whose output is `operator`."""
    return RefinementPlan(operator.output, _settled(map(_set, sets)), tuple(out_of_reach(operator)))


def _set(found: TupleSet) -> SetPlan:
    operator = found.operator
    is_source = isinstance(operator, Source)
    return SetPlan(
        name=found.name,
        operator=operator_name(operator),
        reference=operator.reference if isinstance(operator, Source) else None,
        plan_node=None if is_source else operator.plan_node,
        columns=operator.output,
        predicate=found.selection,
        tuples=(),
        narrowings=tuple(dict.fromkeys(found.narrowings)),
        outside=found.outside,
        cuts=() if found.cut is None else cuts_below(operator, found.cut),
        why_not_exact=reason_in_words(found.why_not_exact) if is_source else "",
    )


def _settled(sets: Iterable[SetPlan]) -> tuple[SetPlan, ...]:
    """The sets without what would be evaluated in vain, each with the columns that its tuples need."""
    sets = tuple(sets)
    read = {n.by for each in sets for n in each.narrowings}
    kept = tuple(each for each in sets if each.plan_node is None or each.name in read)
    if len(kept) < len(sets):
        return _settled(kept)
    asked = {name for each in sets for n in each.narrowings for name in parameters_of(n.predicate)}
    return tuple(replace(each, tuples=_tuples(each, asked)) for each in sets)


def _tuples(one: SetPlan, asked: set[str]) -> tuple[Column, ...]:
    """In the operator's order: what others ask for, what narrowing reads, and what is compared with the target."""
    shown = {column.id for column in one.columns if f"{one.name}.{column.id}" in asked}
    read = _read(n.predicate for n in one.narrowings)
    if not shown and not read:
        return ()
    compared = _read(part for part in parts_of(one.predicate) if parameters_of(part))
    return tuple(c for c in one.columns if c.id in shown | read | compared)


def _read(predicates: Iterable[Expression]) -> set[ColumnId]:
    return {column.id for predicate in predicates for column in columns_of(predicate)}
