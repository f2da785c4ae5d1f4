"""Algorithm 1 of the paper: push the row selection down from the output to every source.

Where a predicate cannot be pushed exactly, the output of an operator is needed: its rows are looked up by the
predicate that reached it, and below it the search goes on with the selection of those very rows. They exist,
whatever was known of the target before.

    GroupBy      F: priority <=> :target.priority
    SemiJoin     rows of other orders would be selected: its output is needed, looked up by F
     ├─ orders   key <=> :needed_1.key and ...
     └─ lineitem key = :needed_1.key and ...

Only the rows of an operator that is a node of the front end's plan can be asked for. Which operators' outputs are
needed is a choice: two solutions are compared by how many sources they leave without an exact predicate, then by how
many results they need. At an operator there are two ways, to push on or to need its output, and needing it is tried

- where it does not push exactly itself;
- where an operator below does not whose rows cannot be asked for;
- where two or more results are needed below: this one may do for all of them. (Not again right above an operator
  that did not, if the rows are computed from its rows one by one.)

It is not tried where F already fixes every column of a row that exists: the row looked up says nothing new. Of
equally good solutions the later one is taken, as long as each operator up to it is `better_later`: by default those
with one input, where fewer rows and columns come out. So needing it is also tried right above a needed result.

The selection of the looked-up rows is that they have the values of a tuple (`keys` says of which columns), and what
the lookup demands of a row alone: above an outer join that may be a condition that a row of NULLs does not meet.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, replace
from functools import partial

from predtrace.infer.cutting import cut_of_run
from predtrace.infer.identity import determines
from predtrace.infer.keys import few_keys, has_parameter, likely_keys
from predtrace.infer.known_rows import as_far_as_needed, values_alone
from predtrace.infer.models import Models
from predtrace.infer.numbering import Names, Numbers, unnamed
from predtrace.infer.reasons import Reasons
from predtrace.infer.selections import (
    EXACT,
    TARGET,
    Inferred,
    NeededResult,
    SourceSelection,
    Step,
    row_selection,
)
from predtrace.infer.verify import PushedDown, push_down
from predtrace.ir.expressions import Column, ColumnId
from predtrace.ir.operators import Filter, Operator, Project, Sort, Source, walk_operators
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, all_of, known_values, parts_of
from predtrace.symbolic.claims import Outcome, Verdict

_NOT_TOLD_APART = "rows that differ only in values that may differ between runs are not told apart"


BetterLater = Callable[[Operator, Operator], bool]
"""Whether to need an operator's output rather than that of the input given."""


def has_one_input(operator: Operator, needed: Operator) -> bool:
    return len(operator.inputs) == 1


def infer(
    operator: Operator,
    without: frozenset[ColumnId] = frozenset(),
    better_later: BetterLater = has_one_input,
    keep_nothing: bool = False,
) -> Inferred:
    """Infer, once for all rows, how to find the lineage of the rows of a plan's output.

    `without` are columns by which no row is selected: their values may differ when they are computed again. With
    `keep_nothing` no result is asked for: some sources may be left with a superset.
    """
    nodes = {id(each) for each in walk_operators(operator) if each.plan_node is not None}
    askable = nodes or {id(each) for each in walk_operators(operator)}
    search = _Search(Names(operator), set() if keep_nothing else askable, without, better_later)
    found = search.with_fewer_columns(operator, search.from_target(operator))
    numbers, reasons = Numbers(found.needed), search.reasons
    needed = tuple(map(reasons.needed, numbers.needed()))
    sources = sorted(found.sources, key=lambda source: source.reference)
    return Inferred(
        needed,
        tuple(reasons.source(numbers.source(source)) for source in sources),
        tuple(reasons.step(numbers.step(step)) for step in found.steps),
        cut_of_run(operator, needed, search.models),
    )


@dataclass(frozen=True)
class _Limit:
    """How many results may be needed in all, and of which operators."""

    results: int
    operators: frozenset[int]


@dataclass(frozen=True)
class _Reached:
    """The predicate that reached an operator, over tuples of the relation `given`."""

    selection: Selection
    given: str
    exists_if: Selection = None
    why_not_exact: str = ""
    results: int = 0
    """How many results are needed before."""
    limit: _Limit | None = None
    """Set where only an exact solution within limits is of interest."""

    def fixes(self, columns: tuple[Column, ...]) -> bool:
        """Whether it fixes these columns of a row that is there."""
        return self.exists_if is None and known_values(self.selection).keys() >= {c.id for c in columns}


@dataclass(frozen=True)
class _Found:
    """What is decided about an operator and all below it."""

    needed: tuple[NeededResult, ...] = ()
    sources: tuple[SourceSelection, ...] = ()
    steps: tuple[Step, ...] = ()
    is_open: bool = False
    """Whether an operator refutes whose rows cannot be asked for: needing one above it may help."""

    def __add__(self, other: _Found) -> _Found:
        return _Found(
            self.needed + other.needed,
            self.sources + other.sources,
            self.steps + other.steps,
            self.is_open or other.is_open,
        )

    @property
    def inexact(self) -> int:
        return sum(bool(source.why_not_exact) for source in self.sources)

    @property
    def cost(self) -> tuple[int, int]:
        """What is to be as small as possible: sources without an exact predicate, then needed results."""
        return self.inexact, len(self.needed)


class _Search:
    """Looks for solutions; None where only a better one than is to be had was of interest."""

    def __init__(
        self, names: Names, askable: set[int], without: frozenset[ColumnId], better_later: BetterLater
    ) -> None:
        self._names = names
        self._askable = askable
        self._better_later = better_later
        self._without = without
        self.models = Models()
        self.reasons = Reasons()
        self._memory: dict[tuple[int, Selection, Selection], tuple[PushedDown, ...]] = {}
        self._unnamed: dict[tuple[int, Selection, Selection], tuple[PushedDown, ...]] = {}
        self._found: dict[tuple[int, _Reached], _Found | None] = {}
        self._decided: dict[int, str] = {}
        """The operators whose output is needed, and why, once that is decided."""

    def from_target(self, operator: Operator) -> _Found:
        found = self.best(operator, self._at_target(operator))
        assert found is not None  # nothing is at hand that it could be worse than
        return found

    def with_fewer_columns(self, operator: Operator, found: _Found) -> _Found:
        """The same results, of which fewer columns tell the rows apart, where all stays exact.

        This comes last: while it is looked for what is needed, any columns will do that tell rows apart.
        """
        if found.inexact or not found.needed:
            return found
        operators = [id(need.operator) for need in found.needed]
        self._decided = {id(need.operator): need.why for need in found.needed}
        self._found.clear()
        limit = _Limit(len(operators), frozenset(operators))
        other = self.best(operator, replace(self._at_target(operator), limit=limit))
        if other is None or other.inexact or [id(need.operator) for need in other.needed] != operators:
            return found
        return other

    def _at_target(self, operator: Operator) -> _Reached:
        reached = _Reached(row_selection(self._stable(operator), TARGET), TARGET)
        return self._if_told_apart(operator, reached)

    def best(self, operator: Operator, reached: _Reached) -> _Found | None:
        """The best way to push a predicate through an operator and all below it."""
        key = (id(operator), reached)
        if key not in self._found:
            self._found[key] = self._best(operator, reached)
        return self._found[key]

    def _best(self, operator: Operator, reached: _Reached) -> _Found | None:
        reached = replace(reached, selection=as_far_as_needed(operator, reached.selection, reached.exists_if))
        if isinstance(operator, Source):
            return _selected(operator, reached)
        if id(operator) in self._decided:
            return self._with_few_keys(operator, reached)
        reached, pushed = self._pushed_best(operator, reached)
        refuted = next((part for part in pushed if not part.is_exact), None)
        if reached.why_not_exact or reached.fixes(self._stable(operator)):
            return self._onward(operator, reached, pushed)
        if id(operator) not in self._open_to(reached):
            found = self._onward(operator, reached, pushed)
            return found and replace(found, is_open=found.is_open or refuted is not None)
        if refuted is not None:
            found = self._needing(operator, self.reasons.of(refuted), reached)
            if found is not None and found.inexact:
                found = _better(found, reached, lambda r: self._onward(operator, r, pushed))
        else:
            found = self._onward(operator, reached, pushed)
            if found is not None:
                found = self._later(operator, reached, found)
        return found and replace(found, is_open=False)

    def _later(self, operator: Operator, reached: _Reached, found: _Found) -> _Found:
        """Need an operator's output in place of what is needed below it, where that is better."""
        is_right_below = self._is_better_than_input(operator, found)
        does_for_several = len(found.needed) > 1 and not self._was_tried_below(operator, reached, found)
        if not (found.is_open or is_right_below or does_for_several):
            return found
        why = self.reasons.moved(found.needed, found.sources)
        needing = partial(self._needing, operator, why)
        return _better(found, reached, needing, or_equal=is_right_below) or found

    def _was_tried_below(self, operator: Operator, reached: _Reached, found: _Found) -> bool:
        """Whether the input could have done for the results below it: its rows tell all that the operator's tell.

        Where it did not, the operator hardly will: to try may only save a result, and takes long above many.
        """
        return (
            isinstance(operator, (Filter, Project, Sort))
            and not found.inexact
            and id(operator.input) in self._open_to(reached)
        )

    def _open_to(self, reached: _Reached) -> Set[int]:
        """The operators whose output may be asked for."""
        return self._askable if reached.limit is None else reached.limit.operators

    def _onward(
        self, operator: Operator, reached: _Reached, pushed: tuple[PushedDown, ...], needed: str = ""
    ) -> _Found | None:
        """Push on what is pushed to the inputs."""
        if reached.limit is not None and not all(part.is_exact for part in pushed):
            return None
        verdicts = tuple(EXACT if part.is_exact else self.reasons.of(part) for part in pushed)
        found = _Found(steps=(Step(operator, reached.selection, reached.given, needed, verdicts),))
        for below, part in zip(operator.inputs, pushed, strict=True):
            why_not = "" if part.is_exact else self.reasons.at(operator, part)
            solution = self.best(
                below,
                _Reached(
                    part.lineage,
                    needed or reached.given,
                    NOTHING if isinstance(below, Source) else part.exists_if,
                    reached.why_not_exact or why_not,
                    reached.results + len(found.needed) + bool(needed),
                    reached.limit,
                ),
            )
            if solution is None:
                return None
            found += solution
        return found

    def _needing(self, operator: Operator, why: str, reached: _Reached) -> _Found | None:
        """Look up the operator's rows, and push on the selection of these, by few columns if that will do."""
        if reached.limit is not None and reached.limit.results == reached.results:
            return None
        columns = self._stable(operator)
        keys = likely_keys(operator, reached.selection, self.models)
        if keys is None:
            return self._from_rows(operator, self._if_told_apart(operator, reached), columns, why)
        keys = tuple(column for column in keys if column in columns)
        found = self._from_rows(operator, reached, keys, why)
        if keys == columns or (found is not None and not found.inexact):
            return found
        return _better(found, reached, lambda r: self._from_rows(operator, r, columns, why))

    def _with_few_keys(self, operator: Operator, reached: _Reached) -> _Found | None:
        """Look up the rows of an operator that is needed, by as few columns as will do."""
        why, columns = self._decided[id(operator)], self._stable(operator)
        keys = likely_keys(operator, reached.selection, self.models)
        if keys is not None:
            keys = tuple(column for column in keys if column in columns)
            few = few_keys(operator, reached.selection, self.models, keys)
            found = self._from_rows(operator, reached, few, why) if few != keys else None
            if found is not None:
                return found
        return self._needing(operator, why, reached)

    def _is_better_than_input(self, operator: Operator, found: _Found) -> bool:
        inputs = [need.operator for need in found.needed if any(need.operator is i for i in operator.inputs)]
        return any(self._better_later(operator, needed) for needed in inputs)

    def _stable(self, operator: Operator) -> tuple[Column, ...]:
        return tuple(column for column in operator.output if column.id not in self._without)

    def _if_told_apart(self, operator: Operator, reached: _Reached) -> _Reached:
        """What reached an operator, not exact if its rows are not told apart without some columns."""
        by = {column.id for column in self._stable(operator)}
        if determines(operator, by, self._without, self.models):
            return reached
        return replace(reached, why_not_exact=f"{operator.title()}: {_NOT_TOLD_APART}")

    def _from_rows(
        self, operator: Operator, reached: _Reached, columns: tuple[Column, ...], why: str
    ) -> _Found | None:
        name = self._names.of(operator, reached.selection, reached.given)
        need = NeededResult(name, operator, reached.selection, reached.given, why)
        of_a_row = (part for part in parts_of(reached.selection) if not has_parameter(part))
        rows = all_of((*parts_of(row_selection(columns, name)), *of_a_row))
        onward = self._onward(operator, reached, self._pushed(operator, rows, None), name)
        return onward and _Found(needed=(need,)) + onward

    def _pushed_best(self, operator: Operator, reached: _Reached) -> tuple[_Reached, tuple[PushedDown, ...]]:
        """What is pushed to the inputs; where that is refuted, perhaps less will do to select the same rows."""
        pushed = self._pushed(operator, reached.selection, reached.exists_if)
        if not all(part.is_exact for part in pushed):
            less = values_alone(operator, reached.selection, reached.exists_if)
            if less != reached.selection:
                other = self._pushed(operator, less, reached.exists_if)
                if all(part.is_exact for part in other):
                    return replace(reached, selection=less), other
        return reached, pushed

    def _pushed(
        self, operator: Operator, selection: Selection, exists_if: Selection
    ) -> tuple[PushedDown, ...]:
        if selection == NOTHING:
            return tuple(PushedDown(NOTHING, Verdict(Outcome.PROVED)) for _ in operator.inputs)
        key = (id(operator), selection, exists_if)
        if key not in self._memory:
            (of_any, there_if), known = unnamed(selection, exists_if)
            pushed = self._pushed_of_any(operator, of_any, there_if)
            self._memory[key] = tuple(part.with_values(known) for part in pushed)
        return self._memory[key]

    def _pushed_of_any(
        self, operator: Operator, selection: Selection, exists_if: Selection
    ) -> tuple[PushedDown, ...]:
        key = (id(operator), selection, exists_if)
        if key not in self._unnamed:
            self._unnamed[key] = push_down(operator, selection, exists_if, self.models)
        return self._unnamed[key]


def _selected(source: Source, reached: _Reached) -> _Found:
    step = Step(source, reached.selection, reached.given, "", ())
    if source.reference is None:
        return _Found(steps=(step,))
    selected = SourceSelection(
        source.reference, source.columns, reached.selection, reached.given, reached.why_not_exact
    )
    return _Found(sources=(selected,), steps=(step,))


def _better(
    found: _Found | None,
    reached: _Reached,
    attempt: Callable[[_Reached], _Found | None],
    or_equal: bool = False,
) -> _Found | None:
    """What an attempt finds, if it is better (or as good), else what is found already.

    An exact solution is improved by needing one result in place of others: no new ones are looked for.
    """
    if found is not None and not found.inexact:
        most = reached.results + len(found.needed) - (not or_equal)
        reached = replace(reached, limit=_Limit(most, frozenset(id(need.operator) for need in found.needed)))
    other = attempt(reached)
    if found is None or other is None:
        return found or other
    return other if other.cost < found.cost or (or_equal and other.cost == found.cost) else found
