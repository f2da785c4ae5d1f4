"""The plan of all traces as text: the operators with what reaches them, what is needed, and what is selected.

Below each operator stands the predicate that reached it, and whether it goes on exactly:

    GroupBy o_orderpriority: count = count(*)
    │    exact: o_orderpriority = target.o_orderpriority and count = target.order_count
    └─ SemiJoin on l_orderkey = o_orderkey
       │    exact from needed_1, looked up by: o_orderpriority = target.o_orderpriority
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from predtrace.infer.selections import EXACT, TARGET, Step
from predtrace.ir.expressions import Column, UserCall
from predtrace.ir.operators import Filter, Operator, Project, Source, walk_everything, walk_operators
from predtrace.ir.parts import walk
from predtrace.ir.printing import TreePrinter
from predtrace.plan.lineage_plan import LineagePlan, ResultPlan
from predtrace.plan.predicate_text import PredicateText
from predtrace.plan.wording import listed, operator_name, source_names

_MOST_NAMES = 8
_MOST_CONJUNCTS = 3
_MOST_PLACES = 2
_FOOTER = """\
target: the output rows to trace; needed_1 and so on: the rows looked up in a saved or recomputed result.
Compared with their values NULL equals NULL, except where the comparison is the pipeline's own, as in a join."""


def explain(
    operator: Operator,
    steps: Iterable[Step],
    plan: LineagePlan,
    place_of: Callable[[str], str] = lambda _: "",
) -> str:
    """The tree from the result down to the sources, what is saved or recomputed, and how lineage is selected.

    `place_of`: where in the user's program a column was made, if that is known.
    """
    tree = _AnnotatedTree(operator, tuple(steps), plan.target, place_of)
    return "\n".join([*tree.lines(operator), "", *_Decisions(plan, operator).lines(), "", _FOOTER])


def functions_in_words(operator: Operator) -> Iterator[str]:
    """The Python functions that are called row by row, and what was found out about each."""
    calls = (
        part
        for one in walk_everything(operator)
        for expression in one.expressions
        for part in walk(expression)
        if isinstance(part, UserCall)
    )
    for call in {call.function: call for call in calls}.values():
        if call.meaning is None:
            known = f"taken as it is, not looked into ({listed(list(call.gaps))})"
        else:
            known = f"read, except {listed(list(call.gaps))}" if call.gaps else "read"
        yield f"{call.name}: {known}"


def decisions(plan: LineagePlan, operator: Operator) -> str:
    """What was decided, in full: every column of every needed result, every conjunct of every predicate."""
    return "\n".join(_Decisions(plan, operator, precise=True).lines())


def _relations(plan: LineagePlan) -> dict[str, tuple[Column, ...]]:
    return {TARGET: plan.target, **{result.name: result.columns for result in plan.results}}


class _AnnotatedTree(TreePrinter):
    """The operator tree with the predicate that reached each operator, and what became of it."""

    def __init__(
        self,
        top: Operator,
        steps: tuple[Step, ...],
        target: tuple[Column, ...],
        place_of: Callable[[str], str],
    ) -> None:
        super().__init__()
        self._top = top
        self._above = ("", "")
        self._place_of = place_of
        self._steps = {id(step.operator): step for step in steps}
        # All columns: a value may be asked for on the way that no source's predicate asks for in the end.
        needed = {step.needed: step.operator.output for step in steps if step.needed}
        self._text = PredicateText({TARGET: target, **needed})

    def lines(self, operator: Operator) -> list[str]:
        while operator is not self._top and self._only_hands_on(operator):
            (operator,) = operator.inputs
        above = self._above
        place = self._place_at(operator) or _inherited(operator, *above)
        self._above = place, _made_at(operator)
        head, *below = super().lines(operator)
        self._above = above
        head += f"   ({place})" if place else ""
        step = self._steps.get(id(operator))
        if step is None:
            return [head, *below]
        parts = self._text.conjuncts(step.selection, operator.output)
        if len(parts) > _MOST_CONJUNCTS:
            parts = [*parts[:_MOST_CONJUNCTS], f"{len(parts) - _MOST_CONJUNCTS} more"]
        bar = "│" if below else " "
        return [head, f"{bar}    {_outcome(step)}: {' and '.join(parts)}", *below]

    def _only_hands_on(self, operator: Operator) -> bool:
        """Whether an operator leaves rows and columns as they are, though it may leave out some columns, and nothing
        is looked up in it. A front end makes many of these; no step of the user's is lost if nobody sees them."""
        step = self._steps.get(id(operator))
        if not isinstance(operator, Project) or (step is not None and (step.needed or not _is_exact(step))):
            return False
        return all(named.expression == named.column for named in operator.columns)

    def _place_at(self, operator: Operator) -> str:
        """The line of the program that made an operator; the lines of the columns that a Project adds."""
        made = _made_at(operator)
        if made and not isinstance(operator, Project):
            return made
        known = {column.id for below in operator.inputs for column in below.output}
        places = (self._place_of(column.name) for column in operator.output if column.id not in known)
        found = list(dict.fromkeys(place for place in places if place))
        return listed(found, _MOST_PLACES) if found else made


def _outcome(step: Step) -> str:
    if isinstance(step.operator, Source):
        return "lineage"
    verdict = "exact" if _is_exact(step) else "not exact"
    return f"{verdict} from {step.needed}, looked up by" if step.needed else verdict


def _made_at(operator: Operator) -> str:
    return operator.origin.removeprefix("in ")


def _inherited(operator: Operator, place: str, made_at: str) -> str:
    """The place of an operator that a rewriting made: that of the step above it. A filter that was moved below a
    projection has left its own mark there."""
    return made_at or place if isinstance(operator, Filter) else place


def _is_exact(step: Step) -> bool:
    return all(verdict == EXACT for verdict in step.verdicts)


class _Decisions:
    """What is needed and what is selected, result by result and source by source."""

    def __init__(self, plan: LineagePlan, operator: Operator, precise: bool = False) -> None:
        self._plan = plan
        self._precise = precise
        self._text = PredicateText(_relations(plan), precise)
        self._source_names = source_names(operator)
        self._nodes: dict[int, Operator] = {}
        for found in walk_operators(operator):
            if found.plan_node is not None:
                self._nodes[found.plan_node] = found  # consumers come last: the outermost stays

    def lines(self) -> Iterator[str]:
        yield "Saved or recomputed"
        for result in self._plan.results:
            yield f"  {result.name}: {result.operator}"
            yield from (f"    {line}" for line in self._result(result))
        if not self._plan.results:
            yield "  nothing"
        if self._plan.results:
            yield "  or, if nothing was saved, run again:"
            yield from (f"    {line}" for line in self._run_again())
        yield ""
        yield "Lineage"
        for source in self._plan.sources:
            verdict = f"not exact: {source.why_not_exact}" if source.why_not_exact else "exact"
            yield f"  {self._source_names[source.reference]}: {verdict}"
            for position, part in enumerate(self._text.conjuncts(source.predicate, source.columns)):
                yield f"    {'and' if position else 'where'} {part}"

    def _result(self, result: ResultPlan) -> Iterator[str]:
        names = list(self._text.names(result.columns).values())
        yield f"needed because {result.why}"
        yield f"columns: {', '.join(names) if self._precise else listed(names, _MOST_NAMES)}"
        yield f"looked up where {self._text.text(result.lookup, result.columns)}"

    def _run_again(self) -> Iterator[str]:
        for cut in self._plan.cuts:
            node = self._nodes[cut.plan_node]
            yield f"{self._name(node)} where {self._text.text(cut.selection, node.output)}"
        cut_nodes = {cut.plan_node for cut in self._plan.cuts}
        sources = (node for node in self._nodes.values() if isinstance(node, Source))
        whole = [self._name(source) for source in sources if source.plan_node not in cut_nodes]
        if whole:
            yield f"{listed(whole)}, every row"

    def _name(self, operator: Operator) -> str:
        if isinstance(operator, Source) and operator.reference is not None:
            return self._source_names[operator.reference]
        return operator_name(operator)
