"""What must stay of every operator's rows to compute some rows again: R, from the operator down to the sources.

**One run for all.** To trace rows of a pipeline of which nothing was saved, it runs once more over less, and what is
needed to trace them is kept on the way. Cut down for the target rows, an operator returns rows that are right where
its R holds for them, and others that are not right or missing. So its output may be looked at only where the lookup
implies R. That is made sure by leaving out of R, at a needed result, every condition that its lookup does not have:
less of R is still R, with more rows. (Likewise at all operators of its plan node, for their rows are kept as one.)

Lookups compare with tuples of other needed results, R with the target alone. As far as such a tuple has a value of
the target, that stands in its place: a row of `needed_1` was found by `priority = :target.priority`.
"""

from __future__ import annotations

from collections.abc import Sequence

from predtrace.infer.models import Models
from predtrace.infer.selections import TARGET, Cut, NeededResult, row_selection, values_by_lookup
from predtrace.infer.verify import cut_down
from predtrace.ir.determinism import differing_columns
from predtrace.ir.operators import Operator, Source
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, parts_of, with_values

Place = tuple[str, int]
"""A plan node, or an operator that is none."""
Lookups = dict[Place, list[Selection]]
"""How the rows of a place are looked up for the target."""


def cut_for(operator: Operator, selection: Selection, models: Models, lookups: Lookups | None = None) -> Cut:
    """How far the inputs can be cut down to recompute the selected rows, all the way to the sources."""
    for lookup in (lookups or {}).get(place_of(operator), ()):
        demanded = parts_of(lookup)
        selection = all_of(part for part in parts_of(selection) if part in demanded)
    if isinstance(operator, Source):
        return Cut(selection, ())
    kept = zip(operator.inputs, cut_down(operator, selection, models), strict=True)
    return Cut(selection, tuple(cut_for(below, r, models, lookups) for below, r in kept))


def cut_of_run(operator: Operator, needed: Sequence[NeededResult], models: Models) -> Cut:
    """How far a run can be cut down that computes target rows, and the needed results as far as they are looked up.

    Values that may differ between runs cut nothing: the target has them from another run.
    """
    differing = differing_columns(operator)
    stable = (column for column in operator.output if column.id not in differing)
    return cut_for(operator, row_selection(stable, TARGET), models, _lookups(needed))


def place_of(operator: Operator) -> Place:
    """Where the rows of an operator are kept, if they are."""
    node = operator.plan_node
    return ("operator", id(operator)) if node is None else ("node", node)


def _lookups(needed: Sequence[NeededResult]) -> Lookups:
    """Of each needed result, from the output down."""
    values = values_by_lookup((need.name, need.lookup) for need in needed)
    found: Lookups = {}
    for need in needed:
        found.setdefault(place_of(need.operator), []).append(with_values(need.lookup, values))
    return found
