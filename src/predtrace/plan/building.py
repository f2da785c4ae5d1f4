"""From what inference decided to the plan of all traces.

Two things are decided here, and both only leave out:

- **Columns.** A needed result keeps the columns that its lookup reads and those whose values a later predicate
  asks for. Tuples that differ in other columns only say the same.

- **Cuts.** A pipeline runs again over inputs cut down by the R of each operator. Leaving a cut or a conjunct of it
  out is sound (if R implies R', then `F(Op(R'(T))) = F(Op(R(R'(T)))) = F(Op(R(T))) = F(Op(T))`), so only what pays is
  kept. A conjunct without a parameter does not: it is the pipeline's own condition, which runs anyway. One that may
  fail (a division, a cast) must not be asked of rows that the pipeline would not ask it of: the node that computes it
  is cut instead, by its column. And a plan node is cut where its selection knows a value of the tuple that no cut
  right below it knows: a source, for it is the first to know anything; a grouping, an outer join, a window or a limit
  where some of the selection could not pass. Row-wise operators and inner joins pass everything on.

A cut speaks of the columns of a plan node's outermost operator, the ones that the node has in Spark's plan too.
Operators of one node are therefore taken as one: the selection at the outermost, the inputs of the innermost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from predtrace.errors import PlanIntegrityError
from predtrace.infer.selections import TARGET, Cut, Inferred, NeededResult, SourceSelection
from predtrace.ir.expressions import Column
from predtrace.ir.operators import Operator, Source, walk_everything, walk_operators
from predtrace.ir.parts import cannot_fail, columns_of
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, parameters_of, parts_of
from predtrace.plan.lineage_plan import LineagePlan, NodeCut, ResultPlan, SourcePlan
from predtrace.plan.wording import operator_name, reason_in_words
from predtrace.symbolic.python import calls_what_is_known


def lineage_plan(inferred: Inferred, operator: Operator) -> LineagePlan:
    """The plan of all traces of the pipeline whose output is `operator`."""
    predicates: list[Selection] = [
        *(need.lookup for need in inferred.needed),
        *(source.predicate for source in inferred.sources),
    ]
    asked = {name for predicate in predicates for name in parameters_of(predicate)}
    return LineagePlan(
        target=operator.output,
        results=tuple(_result(need, asked) for need in inferred.needed),
        sources=(*map(_source, inferred.sources), *out_of_reach(operator)),
        cuts=(*cuts_below(operator, inferred.cut), *_of_output(operator, inferred.cut)),
    )


def _of_output(operator: Operator, cut: Cut) -> Iterator[NodeCut]:
    """The output itself: only target rows are of interest."""
    selection = _usable(cut)
    if operator.plan_node is not None and selection is not None:
        yield NodeCut(operator.plan_node, selection)


def _result(need: NeededResult, asked: set[str]) -> ResultPlan:
    return ResultPlan(
        name=need.name,
        plan_node=_node(need.operator),
        operator=operator_name(need.operator),
        columns=_columns(need, asked),
        lookup=need.lookup,
        given=need.given,
        why=reason_in_words(need.why, need.operator),
    )


def _source(selection: SourceSelection) -> SourcePlan:
    why_not = reason_in_words(selection.why_not_exact)
    return SourcePlan(selection.reference, selection.columns, selection.predicate, selection.given, why_not)


def out_of_reach(operator: Operator) -> Iterator[SourcePlan]:
    """Sources inside subqueries that are no joins: no predicate is pushed there, every row may count."""
    reached = {found.reference for found in walk_operators(operator) if isinstance(found, Source)}
    for found in walk_everything(operator):
        if isinstance(found, Source) and found.reference is not None and found.reference not in reached:
            reached.add(found.reference)
            why = "it is read in a subquery that Spark could not turn into a join"
            yield SourcePlan(found.reference, found.columns, None, TARGET, why)


def _columns(need: NeededResult, asked: set[str]) -> tuple[Column, ...]:
    """In the operator's order; at least one, since that there is a tuple says something too."""
    read = set() if need.lookup is None else columns_of(need.lookup)
    kept = tuple(c for c in need.operator.output if c in read or f"{need.name}.{c.id}" in asked)
    return kept or need.operator.output[:1]


def _node(operator: Operator) -> int:
    if operator.plan_node is None:
        raise PlanIntegrityError(
            f"the rows of {operator.title()} are needed, but no node of the plan has them", operator.origin
        )
    return operator.plan_node


def cuts_below(operator: Operator, cut: Cut) -> tuple[NodeCut, ...]:
    """What to cut below an operator, inputs before consumers."""
    met = [(operator, cut), *_nodes_below(operator, cut)]
    # A node with two consumers is not cut: what one does not need, the other may.
    times = Counter(operator.plan_node for operator, _ in met)
    return tuple(
        NodeCut(_node(below), selection)
        for below, its_cut in reversed(met[1:])
        if times[below.plan_node] == 1
        if (selection := _worth_cutting(below, its_cut)) is not None
    )


def _worth_cutting(operator: Operator, cut: Cut) -> Selection:
    selection = _usable(cut)
    inputs = _node_inputs(operator, cut, operator.plan_node)
    known_below = {name for _, below in inputs for name in parameters_of(_usable(below))}
    return selection if parameters_of(selection) - known_below else None


def _usable(cut: Cut) -> Selection:
    """What can be asked of every row; of a condition on a Python function, what that implies (`askable`)."""
    told = (part for part in parts_of(cut.selection) if cannot_fail(part) or calls_what_is_known(part))
    return all_of(part for part in told if parameters_of(part))


def _nodes_below(operator: Operator, cut: Cut) -> Iterator[tuple[Operator, Cut]]:
    """The outermost operator of each plan node below one, with what must stay of it; consumers first."""
    for below in _node_inputs(operator, cut, operator.plan_node):
        yield below
        yield from _nodes_below(*below)


def _node_inputs(operator: Operator, cut: Cut, node: int | None) -> Iterator[tuple[Operator, Cut]]:
    """The inputs of a plan node that has this operator, past all operators that are no other node's output."""
    for below, its_cut in zip(operator.inputs, cut.inputs, strict=True):
        if below.plan_node is None or below.plan_node == node:
            yield from _node_inputs(below, its_cut, node)
        else:
            yield below, its_cut
