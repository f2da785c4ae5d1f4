"""Algorithm 1 of the paper: push the row selection down from the output to every source.

Where a predicate cannot be pushed exactly, the operator's output is needed: its rows are looked up by the
predicate that reached it, and below it the search goes on with the selection of those very rows. They exist,
whatever was known of the target before.

    GroupBy      F: priority <=> :target.priority
    SemiJoin     rows of other orders would be selected: its output is needed, looked up by F
     ├─ orders   key <=> :needed_1.key and ...
     └─ lineitem key = :needed_1.key and ...
"""

from __future__ import annotations

from predtrace.infer.selections import TARGET, Cut, Inferred, NeededResult, SourceSelection, row_selection
from predtrace.infer.verify import PushedDown, push_down
from predtrace.ir.operators import Operator, Source
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING


def infer(operator: Operator) -> Inferred:
    """Infer, once for all rows, how to find the lineage of the rows of a plan's output."""
    search = _Search()
    search.down(operator, row_selection(operator.output, TARGET), TARGET, True, "")
    return Inferred(tuple(search.needed), tuple(sorted(search.sources, key=lambda s: s.reference)))


class _Search:
    def __init__(self) -> None:
        self.needed: list[NeededResult] = []
        self.sources: list[SourceSelection] = []

    def down(self, operator: Operator, selection: Selection, given: str, exists: bool, why_not: str) -> None:
        """Push a selection, over tuples of the relation `given`, through an operator and all below it."""
        if isinstance(operator, Source):
            if operator.reference is not None:
                self.sources.append(SourceSelection(operator.reference, selection, given, why_not))
            return
        if selection == NOTHING:
            for below in operator.inputs:
                self.down(below, NOTHING, given, exists, why_not)
            return
        pushed = push_down(operator, selection, exists)
        refuted = next((part for part in pushed if not part.is_exact), None)
        if refuted is not None:
            name = f"needed_{len(self.needed) + 1}"
            cut = _cut(operator, selection)
            self.needed.append(NeededResult(name, operator, selection, given, cut, _in_words(refuted)))
            given, exists = name, True
            pushed = push_down(operator, row_selection(operator.output, name), exists)
        for below, part in zip(operator.inputs, pushed, strict=True):
            reason = why_not
            if not part.is_exact:
                reason = reason or f"{operator.title()}: {_in_words(part)}"
            self.down(below, part.lineage, given, exists and part.known_to_exist, reason)


def _cut(operator: Operator, selection: Selection) -> Cut:
    """How far the inputs can be cut down to recompute the selected rows, all the way to the sources."""
    if isinstance(operator, Source):
        return Cut(selection, ())
    kept = (part.recompute for part in push_down(operator, selection))
    return Cut(selection, tuple(_cut(below, r) for below, r in zip(operator.inputs, kept, strict=True)))


def _in_words(part: PushedDown) -> str:
    if part.exact is None:
        return "it has no rule, so every row of its input may count"
    if part.exact.counterexample is None:
        return "no proof was found within the budget"
    return "; ".join(part.exact.counterexample.notes)
