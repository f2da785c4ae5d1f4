"""Which of an operator's proposals hold: decided by proof, never by trust.

For each input the most selective lineage predicate that is proved sound is taken, and told whether it is exact
(`push_down`); and the most selective predicate for recomputing, with those of the other inputs in force (`cut_down`).
Anything but PROVED falls to the next proposal, in the end to the one that selects every row; before that, to what is
sound in the best proposal, conjunct by conjunct. (A function may tell -0.0 from 0.0, and rows that differ in this
alone are equal by definition: what it returns then tells too much, while the other columns may tell all.)
Long conditions are looked into only where a proof needs it (`abstraction`), and where rows stand alone no condition
is (`row_by_row`).

**Existence** is a premise, and it is conditional. A predicate comes with a condition on its parameters, `exists_if`:
where that holds for a target tuple, a row with the predicate is known to be there. None means always; NOTHING that
nothing is known. Below an outer join the condition is that the value of a column that is never NULL (a match flag)
is not NULL: a row was matched, or none was and nothing below is selected. In proofs the premise is
`a row with F exists, or exists_if does not hold`.

Exact implies sound: where the premise fails, there is no row with F, so nothing is in the lineage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import compress, islice

from predtrace.infer.abstraction import Abstract, abstract
from predtrace.infer.folding import matched
from predtrace.infer.known_rows import as_far_as_needed
from predtrace.infer.models import OUTPUT, Model, Models
from predtrace.infer.row_by_row import pushed_row_by_row
from predtrace.infer.verification import Verification, or_none, tells_no_equal_rows_apart
from predtrace.ir.expressions import Call, ColumnId, Expression
from predtrace.ir.operators import Operator, Source
from predtrace.ir.parts import columns_of
from predtrace.ir.types import BOOLEAN
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, all_of, known_values, parts_of, with_values
from predtrace.symbolic.claims import Outcome, Verdict


@dataclass(frozen=True)
class PushedDown:
    """What is pushed to one input. A lineage of None selects every row."""

    lineage: Selection
    exact: Verdict | None
    """Whether `lineage` selects the lineage and nothing else; None where that cannot even be asked."""
    find_existence: Callable[[], Selection] = lambda: NOTHING

    @property
    def is_exact(self) -> bool:
        return _is_proved(self.exact)

    @cached_property
    def exists_if(self) -> Selection:
        """Under which condition on the parameters a row with `lineage` is known to be there: proved when asked."""
        return self.find_existence()

    def with_values(self, values: Mapping[str, Expression]) -> PushedDown:
        """The same of other parameters."""
        lineage = with_values(self.lineage, values)
        return replace(self, lineage=lineage, find_existence=lambda: with_values(self.exists_if, values))


def push_down(
    operator: Operator, selection: Selection, exists_if: Selection = None, models: Models | None = None
) -> tuple[PushedDown, ...]:
    """Push an output predicate F to the inputs of an operator, for lineage."""
    models = models or Models()
    model = models.of(operator)
    if model is None:
        return tuple(PushedDown(None, None) for _ in operator.inputs)
    alone = pushed_row_by_row(operator, selection, models)
    if alone is not None:
        # A row with G is there if one with F is: it was made of that row.
        alone = as_far_as_needed(operator.inputs[0], alone, exists_if)
        if alone is None:  # that row is the only one
            return (PushedDown(None, Verdict(Outcome.PROVED), lambda: exists_if),)
    if alone is not None and tells_no_equal_rows_apart(alone):
        simpler = _undecided(alone) if isinstance(operator.inputs[0], Source) else alone
        # If a row with G is there, what reads only columns that G fixes is true for it, so for all that G selects.
        if simpler == alone or exists_if is None:
            return (PushedDown(simpler, Verdict(Outcome.PROVED), lambda: exists_if),)
    pushing = _Pushing(operator, model, selection, exists_if, alone)
    short = abstract(selection)
    if short is not None:
        any_alone = pushed_row_by_row(operator, short.selection, models)
        found = _Pushing(operator, model, short.selection, exists_if, any_alone).exactly()
        if found is not None:
            return tuple(pushing.spelled_out(at, part, short) for at, part in enumerate(found))
    return pushing.soundly()


@dataclass(frozen=True, eq=False)
class _Pushing:
    """A predicate on its way through an operator."""

    operator: Operator
    model: Model
    selection: Selection
    exists_if: Selection
    alone: Selection
    """What selects the rows that rows with F are made of, one by one; None if nothing is known to."""

    def exactly(self) -> tuple[PushedDown, ...] | None:
        """The most selective proposals, or what of them is sound where they tell equal rows apart, if that is exact
        for every input."""
        if self._verification is None:
            return None
        found = []
        for at, of_input in enumerate(self._proposals):
            best = of_input[0]
            exact = self._verification.exactness(at, best, self.exists_if)
            if _is_proved(exact):
                part: PushedDown | None = self._selecting(self._verification, at, best, exact)
            else:
                part = None if tells_no_equal_rows_apart(best) else self._by_parts(at)
            if part is None or not part.is_exact:
                return None
            found.append(part)
        return tuple(found)

    def soundly(self) -> tuple[PushedDown, ...]:
        """For each input the most selective predicate that is sound."""
        if self._verification is None:
            return tuple(PushedDown(None, None) for _ in self.operator.inputs)
        return tuple(self._sound(self._verification, at) for at in range(len(self.operator.inputs)))

    def spelled_out(self, at: int, part: PushedDown, short: Abstract) -> PushedDown:
        """What was found for a predicate without its long conditions, with them."""
        lineage = short.spelled_out(part.lineage)

        def existence() -> Selection:
            known = part.exists_if
            return known if known == self.exists_if else self._existence_of(at, lineage)

        return PushedDown(lineage, part.exact, existence)

    @cached_property
    def _proposals(self) -> Proposals:
        return [of_input.lineage for of_input in self.model.laws.candidates(self.operator, self.selection)]

    @cached_property
    def _conditions(self) -> list[tuple[Selection, ...]]:
        """For each input, when a row may be known to be there."""
        inputs = zip(self.operator.inputs, self._proposals, strict=True)
        return [_existence(below, of_input[0], self.exists_if) for below, of_input in inputs]

    @cached_property
    def _verification(self) -> Verification | None:
        asked = [(at, lineage) for at, of_input in enumerate(self._proposals) for lineage in of_input]
        last = [(at, lineage) for at, lineage in asked if isinstance(self.operator.inputs[at], Source)]
        asked.extend((at, _undecided(lineage)) for at, lineage in last)
        return self._verifying(asked, (condition for of in self._conditions for condition in of))

    def _verifying(
        self, asked: Iterable[tuple[int, Selection]], conditions: Iterable[Selection]
    ) -> Verification | None:
        everything = [*asked, *((OUTPUT, condition) for condition in conditions)]
        return or_none(lambda: Verification(self.model, self.selection, everything))

    def _sound(self, verification: Verification, at: int) -> PushedDown:
        whole = [lineage for lineage in self._proposals[at] if lineage is not None]
        attempts = (
            *(partial(self._if_sound, verification, at, lineage) for lineage in whole),
            partial(self._by_parts, at),
            partial(self._if_sound, verification, at, None),
        )
        return next((one for one in (try_() for try_ in attempts) if one is not None), PushedDown(None, None))

    def _if_sound(self, verification: Verification, at: int, lineage: Selection) -> PushedDown | None:
        exact = verification.exactness(at, lineage, self.exists_if)
        if not _is_proved(exact) and not verification.is_sound(at, lineage):
            return None
        return self._selecting(verification, at, lineage, exact)

    def _selecting(
        self, verification: Verification, at: int, lineage: Selection, exact: Verdict | None
    ) -> PushedDown:
        if _is_proved(exact) and isinstance(self.operator.inputs[at], Source):
            lineage = _simpler(verification, at, lineage, self.exists_if)
        existence = partial(verification.existence, at, lineage, self.exists_if, self._conditions[at])
        return PushedDown(lineage, exact, existence)

    def _by_parts(self, at: int) -> PushedDown | None:
        """Those conjuncts of a lineage predicate that are sound each by itself: so are all of them together.

        The ones that match a column with the target's value count as one: rows stay narrow then, and proofs short.
        """
        best = parts_of(self._proposals[at][0])
        plain = [part for part in best if matched(part) is not None]
        parts = [all_of(plain), *(part for part in best if part not in plain)] if plain else best
        if len(parts) < 2:
            return None
        verification = self._verifying(((at, part) for part in parts), self._conditions[at])
        if verification is None:
            return None
        sound = [part for part in parts if self._is_known(part) or verification.is_sound(at, part)]
        kept = all_of(one for part in sound for one in parts_of(part))
        return self._if_sound(verification, at, kept) if sound else None

    def _is_known(self, part: Selection) -> bool:
        """Whether a conjunct is known to be sound: it holds for each row that a row with F is made of, and so for all
        that equal it."""
        return tells_no_equal_rows_apart(part) and set(parts_of(part)) <= set(parts_of(self.alone))

    def _existence_of(self, at: int, lineage: Selection) -> Selection:
        """Under which condition a row is known to be there that a sound lineage predicate selects."""
        conditions = _existence(self.operator.inputs[at], lineage, self.exists_if)
        verification = self._verifying([(at, lineage)], conditions)
        if verification is None:
            return NOTHING
        return verification.existence(at, lineage, self.exists_if, conditions)


Proposals = Sequence[tuple[Selection, ...]]


def _is_proved(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.is_proved


def _simpler(verification: Verification, at: int, lineage: Selection, exists_if: Selection) -> Selection:
    """A lineage predicate without what the values it fixes decide, if it still is exact: it is quicker to run.

    Where a row of a join is traced by its values, say, that they meet the join's condition is no news. Only for what
    a source is asked: an operator further down may need to hear that a value is not NULL.
    """
    rest = _undecided(lineage)
    if rest == lineage:
        return lineage
    return rest if _is_proved(verification.exactness(at, rest, exists_if)) else lineage


def _undecided(lineage: Selection) -> Selection:
    """A predicate without the conjuncts that only read columns it fixes to values."""
    fixing: dict[ColumnId, Expression] = {}
    for part in parts_of(lineage):
        for column in known_values(part):
            fixing.setdefault(column, part)
    stays = [
        part in fixing.values() or not {column.id for column in columns_of(part)} <= set(fixing)
        for part in parts_of(lineage)
    ]
    return lineage if all(stays) else all_of(compress(parts_of(lineage), stays))


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
    models = models or Models()
    model = models.of(operator)
    if model is None:
        return (None,) * len(operator.inputs)
    alone = pushed_row_by_row(operator, selection, models)
    if alone is not None:
        return (alone,)
    short = abstract(selection)
    if short is not None:
        best = _best_cut(*_proposed_cuts(operator, model, short.selection))
        if best is not None:
            return tuple(map(short.spelled_out, best))
    proposals, verification = _proposed_cuts(operator, model, selection)
    return _best_cut(proposals, verification) or _cut_one_by_one(proposals, verification)


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
    return proposals, or_none(lambda: Verification(model, selection, asked))
