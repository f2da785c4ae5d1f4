"""Cutting a run down further: rows that nothing on the other side of a join asks for.

R (`infer.cutting`) is made of the target's values alone. But a run that computes an average for each part, to compare
it with the lines of a few parts, needs the lines of these few parts only:

    Join    l_partkey = avg_partkey              (`needed_beside`: other averages do not matter)
     ├─ part, lineitem                           (`upward`: a part tells p_partkey here)
     └─ GroupBy l_partkey                        (R for `l_partkey = :part.p_partkey`)
         └─ lineitem    l_partkey = :part.p_partkey for some part that is left

So a source is semi joined with another one before it is grouped. All three steps are proved, of any tables: what is
cut already may be cut again. As R, such a cut must not pass a needed result, whose rows are looked up otherwise.

Where nothing but joins, filters and projections lie between the two sources, the run's own join leaves the same rows
out, and as early: such cuts are not looked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import permutations

from predtrace.infer.cutting import Place, place_of, places_looked_up
from predtrace.infer.keys import has_parameter
from predtrace.infer.models import Models
from predtrace.infer.push_up import needed_beside, upward
from predtrace.infer.selections import Cut, Inferred, NeededResult
from predtrace.infer.tuple_sets import Known, over_tuples, told_by_tuples, tuple_parameters
from predtrace.infer.verify import cut_down
from predtrace.ir.expressions import Call, Expression
from predtrace.ir.operators import Expand, Filter, Generate, Join, Operator, Project, Sort, Source
from predtrace.ir.parts import cannot_fail, columns_of
from predtrace.ir.types import is_comparable
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, parts_of

_PASS_ROWS_ON = (Project, Filter, Join, Sort, Generate, Expand)


@dataclass(frozen=True)
class SideCut:
    """The rows of `source` that must stay: the predicate holds with some row of `by`.

    The columns of that row are the parameters `name.column`. `selection` is what must stay of `by` itself.
    """

    source: Source
    predicate: Expression
    name: str
    by: Source
    selection: Selection


def side_cuts(operator: Operator, inferred: Inferred) -> tuple[SideCut, ...]:
    """What can be cut of the run of a pipeline beyond `inferred.cut`."""
    search = _Search(inferred.needed)
    search.visit(operator, inferred.cut)
    return tuple(cut for cut in search.found if search.times[cut.source.plan_node] == 1)


class _Search:
    def __init__(self, needed: Sequence[NeededResult]) -> None:
        self.found: list[SideCut] = []
        self.times: Counter[int | None] = Counter()
        """How often a source's plan node is read: what one reader does not need, the other may."""
        self._looked_up: Container[Place] = places_looked_up(needed)
        self._sources: dict[str, tuple[Source, Selection]] = {}
        self._models = Models()

    def visit(self, operator: Operator, cut: Cut) -> Known:
        """Find the cuts of all that is below an operator; what the sources there tell of its rows."""
        if isinstance(operator, Source):
            return self._source(operator, cut.selection)
        inputs = zip(operator.inputs, cut.inputs, strict=True)
        below = [self.visit(each, its_cut) for each, its_cut in inputs]
        for of, by in permutations(range(len(below)), 2):
            if below[by] and _is_grouped(operator.inputs[of]):
                tie = needed_beside(operator, of, by, cut.selection, self._models)
                for name, over in below[by].items():
                    told = (told_by_tuples(part, over) for part in parts_of(tie))
                    self._push(operator.inputs[of], all_of(t for t in told if t is not None), name, False)
        found: Known = {}
        for at, sets in enumerate(below):
            shown = upward(operator, at, None, self._models) if sets else {}
            found |= {name: over_tuples(shown, over) for name, over in sets.items()}
        return {name: over for name, over in found.items() if over}

    def _source(self, source: Source, selection: Selection) -> Known:
        self.times[source.plan_node] += 1
        if source.reference is None:
            return {}
        name = f"beside_{len(self._sources)}"
        self._sources[name] = source, selection
        return {name: tuple_parameters(name, tuple(c for c in source.output if is_comparable(c.type)))}

    def _push(self, operator: Operator, predicate: Selection, name: str, is_grouped: bool) -> None:
        """Push a predicate over a source's tuples down to the sources that it cuts."""
        predicate = all_of(part for part in parts_of(predicate) if has_parameter(part))
        if predicate is None or place_of(operator) in self._looked_up:
            return
        if isinstance(operator, Source):
            is_read = operator.plan_node is not None and operator.reference is not None
            if is_grouped and is_read and _can_be_looked_up(predicate):
                self.found.append(SideCut(operator, predicate, name, *self._sources[name]))
            return
        is_grouped = is_grouped or not isinstance(operator, _PASS_ROWS_ON)
        for below, part in zip(operator.inputs, cut_down(operator, predicate, self._models), strict=True):
            self._push(below, part, name, is_grouped)


def _can_be_looked_up(predicate: Expression) -> bool:
    """Whether a semi join need not compare each row with each tuple, and fails for none."""
    equalities = (p for p in parts_of(predicate) if isinstance(p, Call) and p.function in ("=", "<=>"))
    sides = ([(bool(columns_of(side)), has_parameter(side)) for side in e.arguments] for e in equalities)
    return cannot_fail(predicate) and any({*both} == {(True, False), (False, True)} for both in sides)


def _is_grouped(operator: Operator) -> bool:
    """Whether anything but joins, filters and projections lies between an operator and a source."""
    if isinstance(operator, Source):
        return False
    return not isinstance(operator, _PASS_ROWS_ON) or any(map(_is_grouped, operator.inputs))
