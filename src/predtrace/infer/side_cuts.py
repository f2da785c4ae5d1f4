"""Cutting a run down further: rows that nothing on the other side of a join asks for.

R (`infer.cutting`) is made of the target's values alone. But a run that computes an average for each part, to compare
it with the lines of a few parts, needs the lines of these few parts only:

    Join    l_partkey = avg_partkey              (`needed_beside`: other averages do not matter)
     ├─ part, lineitem                           (`upward`: a part tells p_partkey here)
     └─ GroupBy l_partkey                        (R for `l_partkey = :part.p_partkey`)
         └─ lineitem    l_partkey = :part.p_partkey for some part that is left

So a source is semi joined with another one before it is grouped. All three steps are proved, of any tables: what is
cut already may be cut again.

A needed result is kept on the way and looked up when the run is over. As R, such a cut passes it with the conditions
that each lookup has, in other words: one that compares with tuples of `needed_1` compares with the source's tuples
that tell theirs (`upward` again, as far as the place of `needed_1`). They are among those left of the source:
the tuples of `needed_1` come from the same run.

Where nothing but joins, filters and projections lie between the two sources, and no needed result, the run's own
join leaves the same rows out, and as early: such cuts are not looked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from predtrace.infer.cutting import Place, place_of
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
from predtrace.operators.pushing import all_of, parts_of, with_values

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
    search.push_all()
    return tuple(cut for cut in search.found if search.times[cut.source.plan_node] == 1)


class _Search:
    def __init__(self, needed: Sequence[NeededResult]) -> None:
        self.found: list[SideCut] = []
        self.times: Counter[int | None] = Counter()
        """How often a source's plan node is read: what one reader does not need, the other may."""
        self._lookups: dict[Place, list[NeededResult]] = {}
        for need in needed:
            self._lookups.setdefault(place_of(need.operator), []).append(need)
        self._told: dict[str, Known] = {}
        """What the sources tell of the tuples of needed results."""
        self._asked: list[tuple[Operator, Selection, str]] = []
        self._sources: dict[str, tuple[Source, Selection]] = {}
        self._models = Models()

    def visit(self, operator: Operator, cut: Cut) -> Known:
        """Find what can be asked of all that is below an operator; what the sources there tell of its rows."""
        found = self._visit(operator, cut)
        for need in self._lookups.get(place_of(operator), ()):
            if need.operator is operator:
                self._told[need.name] = found
        return found

    def _visit(self, operator: Operator, cut: Cut) -> Known:
        if isinstance(operator, Source):
            return self._source(operator, cut.selection)
        inputs = zip(operator.inputs, cut.inputs, strict=True)
        below = [self.visit(each, its_cut) for each, its_cut in inputs]
        for of, by in permutations(range(len(below)), 2):
            if below[by] and self._is_cut_earlier(operator.inputs[of]):
                tie = needed_beside(operator, of, by, cut.selection, self._models)
                for name, over in below[by].items():
                    told = (told_by_tuples(part, over) for part in parts_of(tie))
                    predicate = all_of(t for t in told if t is not None)
                    self._asked.append((operator.inputs[of], predicate, name))
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

    def push_all(self) -> None:
        """Push what can be asked down to the sources: only now it is known what tells the tuples of lookups."""
        for operator, predicate, name in self._asked:
            self._push(operator, predicate, name, False)

    def _push(self, operator: Operator, predicate: Selection, name: str, is_earlier: bool) -> None:
        """Push a predicate over a source's tuples down to the sources that it cuts."""
        predicate = all_of(part for part in parts_of(predicate) if has_parameter(part))
        for need in self._lookups.get(place_of(operator), ()):
            looked_up = self._in_other_words(need, name)
            predicate = all_of(part for part in parts_of(predicate) if part in looked_up)
        if predicate is None:
            return
        if isinstance(operator, Source):
            is_read = operator.plan_node is not None and operator.reference is not None
            if is_earlier and is_read and _can_be_looked_up(predicate):
                self.found.append(SideCut(operator, predicate, name, *self._sources[name]))
            return
        is_earlier = is_earlier or self._holds_rows_back(operator)
        for below, part in zip(operator.inputs, cut_down(operator, predicate, self._models), strict=True):
            self._push(below, part, name, is_earlier)

    def _in_other_words(self, need: NeededResult, name: str) -> list[Expression]:
        """A lookup's conditions with a source's tuples in place of those that it compares with."""
        told = self._told.get(need.given, {}).get(name, {})
        return parts_of(with_values(need.lookup, {f"{need.given}.{column}": e for column, e in told.items()}))

    def _is_cut_earlier(self, operator: Operator) -> bool:
        """Whether a cut leaves rows of some source below out before the run's own joins would."""
        if isinstance(operator, Source):
            return False
        return self._holds_rows_back(operator) or any(map(self._is_cut_earlier, operator.inputs))

    def _holds_rows_back(self, operator: Operator) -> bool:
        """Whether all rows must be there before a join above leaves some out: they are grouped, say, or kept."""
        return not isinstance(operator, _PASS_ROWS_ON) or place_of(operator) in self._lookups


def _can_be_looked_up(predicate: Expression) -> bool:
    """Whether a semi join need not compare each row with each tuple, and fails for none."""
    equalities = (p for p in parts_of(predicate) if isinstance(p, Call) and p.function in ("=", "<=>"))
    sides = ([(bool(columns_of(side)), has_parameter(side)) for side in e.arguments] for e in equalities)
    return cannot_fail(predicate) and any({*both} == {(True, False), (False, True)} for both in sides)
