"""What is pushed through an operator whose rows stand alone: found out once, for every predicate.

Whatever F says of an output row, let it be an unknown condition f of all of its columns. The operator's laws push f
down as they push anything, and one row shows whether that is right: it is in the lineage of an output row with f if
and only if G selects it, whatever else there is. What is proved so holds for every f, so for any F put in its place
(`abstraction` says the same of the long parts of a predicate):

    f(name, size)                  above a projection that computes `name` from `first`
    f(concat(first, ' '), size)    below it: exact, and F has not been looked at

From this one fact follows

- that G is exact, for each row of a table and with no premise, if it tells no equal rows apart;
- that a row with G is there if one with F is: the row it was made of;
- that G will do for recomputing: other rows make no row with F.
"""

from __future__ import annotations

from functools import partial

from predtrace.infer.abstraction import spelled_out
from predtrace.infer.models import Models
from predtrace.infer.verification import Verification, or_none
from predtrace.ir.expressions import Call
from predtrace.ir.operators import Operator
from predtrace.ir.parts import is_of_one_row
from predtrace.ir.types import BOOLEAN
from predtrace.operators import Selection
from predtrace.operators.pushing import parts_of

_ANY = "any condition"


def pushed_row_by_row(operator: Operator, selection: Selection, models: Models) -> Selection:
    """A predicate that selects the rows that rows with F are made of; None if none is known to."""
    if selection is None or not all(p.is_deterministic() and is_of_one_row(p) for p in parts_of(selection)):
        return None
    known = models.row_by_row
    if id(operator) not in known:
        known[id(operator)] = _below(operator, models)
    return spelled_out(known[id(operator)], {_ANY: (operator.output, selection)})


def _below(operator: Operator, models: Models) -> Selection:
    """What an unknown condition on the output is for the input; None if one row does not show it."""
    model = models.of(operator)
    if model is None or model.single is None:
        return None
    anything = Call(_ANY, operator.output, BOOLEAN)
    (proposed,) = model.laws.candidates(operator, anything)
    below = proposed.lineage[0]
    verification = or_none(partial(Verification, model.single, anything, [(0, below)]))
    if verification is None or below != proposed.recompute[0]:
        return None
    return below if verification.selects_by_itself(0, below) else None
