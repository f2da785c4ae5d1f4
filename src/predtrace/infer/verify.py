"""Which of an operator's proposals hold: decided by proof, never by trust.

For each input the most selective lineage predicate that is proved sound is taken, and told whether it is exact
(`push_down`); and the most selective predicate for recomputing, with those of the other inputs in force (`cut_down`).
Anything but PROVED falls to the next proposal, in the end to the one that selects every row; before that, to what is
sound in the best proposal, conjunct by conjunct. (A function may tell -0.0 from 0.0, and rows that differ in this
alone are equal by definition: what it returns then tells too much, while the other columns may tell all.)
Long conditions are looked into only where a proof needs it (`abstraction`).

**Existence** is a premise, and it is conditional. A predicate comes with a condition on its parameters, `exists_if`:
where that holds for a target tuple, a row with the predicate is known to be there. None means always; NOTHING that
nothing is known. Below an outer join the condition is that the value of a column that is never NULL (a match flag)
is not NULL: a row was matched, or none was and nothing below is selected. In proofs the premise is
`a row with F exists, or exists_if does not hold`.

Exact implies sound: where the premise fails, there is no row with F, so nothing is in the lineage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import TypeVar

from predtrace.infer.abstraction import abstract
from predtrace.infer.folding import folded, matched
from predtrace.infer.models import OUTPUT, Model, Models
from predtrace.ir.expressions import Call, ColumnId, Expression
from predtrace.ir.operators import Operator, Source
from predtrace.ir.parts import columns_of, is_of_one_row
from predtrace.ir.types import BOOLEAN
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, all_of, known_values, parts_of
from predtrace.symbolic.claims import Claim, Outcome, Verdict
from predtrace.symbolic.expressions import holds
from predtrace.symbolic.functions import is_blind
from predtrace.symbolic.laws import Run, lineage_exact, lineage_sound, recompute_sound, target_exists
from predtrace.symbolic.solver import is_soon_proved, prove
from predtrace.symbolic.tables import one_row
from predtrace.symbolic.terms import TRUE, Term, disjunction, negation
from predtrace.symbolic.values import NotExpressible

T = TypeVar("T")


@dataclass(frozen=True)
class PushedDown:
    """What is pushed to one input. A lineage of None selects every row."""

    lineage: Selection
    exact: Verdict | None
    """Whether `lineage` selects the lineage and nothing else; None where that cannot even be asked."""
    find_existence: Callable[[], Selection] = lambda: NOTHING

    @property
    def is_exact(self) -> bool:
        return self.exact is not None and self.exact.is_proved

    @cached_property
    def exists_if(self) -> Selection:
        """Under which condition on the parameters a row with `lineage` is known to be there: proved when asked."""
        return self.find_existence()


def push_down(
    operator: Operator, selection: Selection, exists_if: Selection = None, models: Models | None = None
) -> tuple[PushedDown, ...]:
    """Push an output predicate F to the inputs of an operator, for lineage."""
    model = (models or Models()).of(operator)
    if model is None:
        return tuple(PushedDown(None, None) for _ in operator.inputs)
    short = abstract(selection)
    if short is not None:
        found = _pushed_down(operator, model, short.selection, exists_if)
        if all(part.is_exact for part in found):

            def existence(at: int) -> Selection:
                known = found[at].exists_if
                lineage = short.spelled_out(found[at].lineage)
                return (
                    known
                    if known == exists_if
                    else _existing(operator, model, selection, exists_if, at, lineage)
                )

            return tuple(
                PushedDown(short.spelled_out(part.lineage), part.exact, partial(existence, at))
                for at, part in enumerate(found)
            )
    return _pushed_down(operator, model, selection, exists_if)


def _pushed_down(
    operator: Operator, model: Model, selection: Selection, exists_if: Selection
) -> tuple[PushedDown, ...]:
    if model.single is not None:
        found = _row_by_row(operator, model.single, selection, exists_if)
        if found is not None:
            return (found,)
    proposals = [of_input.lineage for of_input in model.laws.candidates(operator, selection)]
    existence = [_existence(b, g[0], exists_if) for b, g in zip(operator.inputs, proposals, strict=True)]
    asked = [(at, lineage) for at, of_input in enumerate(proposals) for lineage in of_input]
    asked.extend((OUTPUT, condition) for of_input in existence for condition in of_input)
    verification = _or_none(lambda: Verification(model, selection, asked))
    if verification is None:
        return tuple(PushedDown(None, None) for _ in operator.inputs)
    pushed = []
    for at, (below, of_input) in enumerate(zip(operator.inputs, proposals, strict=True)):
        pushing = partial(_pushed, at, exists_if, existence[at], isinstance(below, Source))
        by_parts = partial(_by_parts, model, selection, at, of_input[0], existence[at], pushing)
        whole = [partial(pushing, verification, lineage) for lineage in of_input if lineage is not None]
        attempts = (attempt() for attempt in (*whole, by_parts, partial(pushing, verification, None)))
        pushed.append(next((one for one in attempts if one is not None), PushedDown(None, None)))
    return tuple(pushed)


def _row_by_row(
    operator: Operator, model: Model, selection: Selection, exists_if: Selection
) -> PushedDown | None:
    """What is pushed through an operator whose rows stand alone, if one row shows that it is exact.

    That row is in the lineage of a selected row if and only if G selects it, whatever else there is: no premise is
    needed, and it is so for each row of a table. Where G tells no equal rows apart, that is all. And if a selected
    row is there, so is the row it was made of, which G selects.
    """
    (below,) = operator.inputs
    (proposed,) = model.laws.candidates(operator, selection)
    lineage = proposed.lineage[0]
    if isinstance(below, Source) or not _tells_no_equal_rows_apart(lineage):
        return None  # what a source is asked may be simpler yet
    conditions = _existence(below, lineage, exists_if)
    asked = [(0, lineage), *((OUTPUT, condition) for condition in conditions)]
    verification = _or_none(lambda: Verification(model, selection, asked))
    if verification is None or not verification.selects_by_itself(0, lineage):
        return None
    existence = partial(verification.existence, 0, lineage, exists_if, conditions)
    return PushedDown(lineage, Verdict(Outcome.PROVED), existence)


Pushing = Callable[["Verification", Selection], PushedDown | None]


def _pushed(
    at: int,
    exists_if: Selection,
    conditions: Iterable[Selection],
    is_last: bool,
    verification: Verification,
    lineage: Selection,
) -> PushedDown | None:
    """A lineage predicate for the input at a position, if it is sound."""
    exact = verification.exactness(at, lineage, exists_if)
    is_exact = exact is not None and exact.is_proved
    if not is_exact and not verification.is_sound(at, lineage):
        return None
    if is_exact and is_last:
        lineage = _simpler(verification, at, lineage, exists_if)
    return PushedDown(lineage, exact, partial(verification.existence, at, lineage, exists_if, conditions))


def _by_parts(
    model: Model,
    selection: Selection,
    at: int,
    lineage: Selection,
    conditions: Iterable[Selection],
    pushing: Pushing,
) -> PushedDown | None:
    """Those conjuncts of a lineage predicate that are sound each by itself: so are all of them together.

    The ones that match a column with the target's value count as one: rows stay narrow then, and proofs short.
    """
    plain = [part for part in parts_of(lineage) if matched(part) is not None]
    parts = (
        [all_of(plain), *(part for part in parts_of(lineage) if part not in plain)]
        if plain
        else parts_of(lineage)
    )
    if len(parts) < 2:
        return None
    asked = [*((at, part) for part in parts), *((OUTPUT, condition) for condition in conditions)]
    verification = _or_none(lambda: Verification(model, selection, asked))
    if verification is None:
        return None
    sound = [part for part in parts if verification.is_sound(at, part)]
    kept = all_of(one for part in sound for one in parts_of(part))
    return pushing(verification, kept) if sound else None


def _simpler(verification: Verification, at: int, lineage: Selection, exists_if: Selection) -> Selection:
    """A lineage predicate without what the values it fixes decide, if it still is exact: it is quicker to run.

    Where a row of a join is traced by its values, say, that they meet the join's condition is no news. Only for what
    a source is asked: an operator further down may need to hear that a value is not NULL.
    """
    fixing: dict[ColumnId, Expression] = {}
    for part in parts_of(lineage):
        for column in known_values(part):
            fixing.setdefault(column, part)
    rest = [
        part
        for part in parts_of(lineage)
        if part in fixing.values() or not {column.id for column in columns_of(part)} <= set(fixing)
    ]
    if len(rest) == len(parts_of(lineage)):
        return lineage
    exact = verification.exactness(at, all_of(rest), exists_if)
    return all_of(rest) if exact is not None and exact.is_proved else lineage


def _existing(
    operator: Operator, model: Model, selection: Selection, exists_if: Selection, at: int, lineage: Selection
) -> Selection:
    """Under which condition a row is known to be there that a sound lineage predicate selects."""
    conditions = _existence(operator.inputs[at], lineage, exists_if)
    asked = [(at, lineage), *((OUTPUT, condition) for condition in conditions)]
    verification = _or_none(lambda: Verification(model, selection, asked))
    return NOTHING if verification is None else verification.existence(at, lineage, exists_if, conditions)


def _existence(operator: Operator, lineage: Selection, exists_if: Selection) -> tuple[Selection, ...]:
    """Conditions under which a row with a lineage predicate may be known to be there, weakest first."""
    if exists_if == NOTHING:
        return ()
    never_null = {column.id for column in operator.output if not column.nullable}
    matched = (value for column, value in known_values(lineage).items() if column in never_null)
    flags = (Call("isnotnull", (value,), BOOLEAN, is_nullable=False) for value in islice(matched, 1))
    return tuple(dict.fromkeys((exists_if, all_of((*parts_of(exists_if), *flags)))))


def cut_down(operator: Operator, selection: Selection, models: Models | None = None) -> tuple[Selection, ...]:
    """Push an output predicate F to the inputs of an operator, for recomputing the rows it selects."""
    model = (models or Models()).of(operator)
    if model is None:
        return (None,) * len(operator.inputs)
    short = abstract(selection)
    if short is not None:
        best = _best_cut(*_proposed_cuts(operator, model, short.selection))
        if best is not None:
            return tuple(map(short.spelled_out, best))
    proposals, verification = _proposed_cuts(operator, model, selection)
    return _best_cut(proposals, verification) or _cut_one_by_one(proposals, verification)


Proposals = Sequence[tuple[Selection, ...]]


def _best_cut(proposals: Proposals, verification: Verification | None) -> tuple[Selection, ...] | None:
    """The most selective predicates for all inputs at once, if they are sound together."""
    best = tuple(of_input[0] for of_input in proposals)
    return best if verification is not None and verification.recomputes(best) else None


def _cut_one_by_one(proposals: Proposals, verification: Verification | None) -> tuple[Selection, ...]:
    kept: tuple[Selection, ...] = (None,) * len(proposals)
    if verification is None:
        return kept
    for at, of_input in enumerate(proposals):
        attempts = ((*kept[:at], r, *kept[at + 1 :]) for r in of_input)
        kept = next(filter(verification.recomputes, attempts), kept)
    return kept


def _proposed_cuts(
    operator: Operator, model: Model, selection: Selection
) -> tuple[Proposals, Verification | None]:
    proposals = [of_input.recompute for of_input in model.laws.candidates(operator, selection)]
    asked = [(at, r) for at, of_input in enumerate(proposals) for r in of_input]
    return proposals, _or_none(lambda: Verification(model, selection, asked))


class Verification:
    """One operator, run once on symbolic inputs of its bound, and what can be asked about it.

    `asked` are the predicates over inputs, and conditions on parameters, that will be asked about: rows are made as
    narrow as these allow.
    """

    def __init__(self, model: Model, selection: Selection, asked: Iterable[tuple[int, Selection]]) -> None:
        self._folded = folded(model, ((OUTPUT, selection), *asked))
        self._again = model.run
        self._run = Run(self._folded.inputs, model.run(self._folded.inputs))
        self._selection = self._folded.predicate(selection, OUTPUT)
        self._target_exists = target_exists(self._run, self._selection)

    def is_sound(self, at: int, lineage: Selection) -> bool:
        """Whether a lineage predicate misses no row."""
        return _is_proved(lambda: prove(lineage_sound(self._run, at, self._selection, self._of(lineage, at))))

    def exactness(self, at: int, lineage: Selection, exists_if: Selection) -> Verdict | None:
        """Whether a lineage predicate selects the lineage and nothing else.

        Rows that are equal share their lineage. Where the predicate does not tell such rows apart, it is enough that
        it selects what is in the lineage by itself: it selects the others too, and for each of them one of those.
        """
        narrow = self._of(lineage, at)
        claim = partial(
            lineage_exact, self._run, at, self._selection, narrow, premise=self._premise(exists_if)
        )
        if _tells_no_equal_rows_apart(narrow) and _or_none(lambda: is_soon_proved(claim(equal=one_row))):
            return Verdict(Outcome.PROVED)
        return _or_none(lambda: prove(claim()))

    def selects_by_itself(self, at: int, lineage: Selection) -> bool:
        """Whether a lineage predicate selects the lineage and nothing else, target or not and equal rows apart."""
        claim = partial(lineage_exact, self._run, at, self._selection, self._of(lineage, at), premise=TRUE)
        return bool(_or_none(lambda: is_soon_proved(claim(equal=one_row))))

    def existence(
        self, at: int, lineage: Selection, exists_if: Selection, conditions: Iterable[Selection]
    ) -> Selection:
        """The first condition on the parameters under which a row that a lineage predicate selects is there.

        None holds below a scalar subquery, in a union's branch, under a global aggregate...
        """
        found = disjunction(*self._run.inputs[at].selected(self._of(lineage, at)))
        for condition in conditions:
            claim = Claim(found, (self._premise(exists_if), holds(condition, {})), self._run.inputs)
            if prove(claim).is_proved:
                return condition
        return NOTHING

    def recomputes(self, recompute: Sequence[Selection]) -> bool:
        """Whether the output rows with F come out the same from inputs cut down by these predicates."""
        narrow = [self._of(r, at) for at, r in enumerate(recompute)]
        return any(
            _is_proved(
                lambda: prove(
                    recompute_sound(self._again, self._run.inputs, self._selection, narrow, in_place=in_place)  # noqa: B023
                )
            )
            for in_place in (True, False)
        )

    def _of(self, selection: Selection, at: int) -> Selection:
        return self._folded.predicate(selection, at)

    def _premise(self, exists_if: Selection) -> Term:
        return disjunction(self._target_exists, negation(holds(exists_if, {})))


def _tells_no_equal_rows_apart(selection: Selection) -> bool:
    return all(p.is_deterministic() and is_of_one_row(p) and is_blind(p) for p in parts_of(selection))


def _or_none(ask: Callable[[], T]) -> T | None:
    """None where something random is read, about which nothing can be proved."""
    try:
        return ask()
    except NotExpressible:
        return None


def _is_proved(ask: Callable[[], Verdict]) -> bool:
    verdict = _or_none(ask)
    return verdict is not None and verdict.is_proved
