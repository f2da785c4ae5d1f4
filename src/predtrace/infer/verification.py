"""What can be asked of one operator and the predicates proposed for it: the laws, put to the solver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TypeVar

from predtrace.infer.folding import folded
from predtrace.infer.models import OUTPUT, Model
from predtrace.ir.parts import is_of_one_row
from predtrace.operators import Selection
from predtrace.operators.pushing import NOTHING, parts_of
from predtrace.symbolic.claims import Claim, Counterexample, Outcome, Verdict
from predtrace.symbolic.expressions import holds
from predtrace.symbolic.functions import is_blind
from predtrace.symbolic.laws import (
    Run,
    lineage_exact,
    lineage_sound,
    recompute_sound,
    recompute_sound_by_parts,
    target_exists,
)
from predtrace.symbolic.solver import is_soon_proved, prove
from predtrace.symbolic.tables import one_row
from predtrace.symbolic.terms import TRUE, Term, disjunction, negation
from predtrace.symbolic.values import NotExpressible

T = TypeVar("T")


class Verification:
    """One operator, run once on symbolic inputs of its bound, and what can be asked about it.

    `asked` are the predicates over inputs, and conditions on parameters, that will be asked about: rows are made as
    narrow as these allow, and what predicates say of columns that are only carried along is said in short.
    """

    def __init__(
        self,
        model: Model,
        selection: Selection,
        asked: Iterable[tuple[int, Selection]],
        in_short: bool = True,
    ) -> None:
        asked = tuple(asked)
        self._folded = folded(model, ((OUTPUT, selection), *asked), in_short)
        self._again = model.run
        self._run = Run(self._folded.inputs, model.run(self._folded.inputs))
        self._selection = self._folded.predicate(selection, OUTPUT)
        self._target_exists = target_exists(self._run, self._selection)
        self._at_length = cache(partial(Verification, model, selection, asked, in_short=False))

    def is_sound(self, at: int, lineage: Selection) -> bool:
        """Whether a lineage predicate misses no row; the one that selects every row does not."""
        return lineage is None or _is_proved(
            lambda: prove(lineage_sound(self._run, at, self._selection, self._of(lineage, at)))
        )

    def exactness(self, at: int, lineage: Selection, exists_if: Selection) -> Verdict | None:
        """Whether a lineage predicate selects the lineage and nothing else.

        Rows that are equal share their lineage. Where the predicate does not tell such rows apart, it is enough that
        it selects what is in the lineage by itself: it selects the others too, and for each of them one of those.
        """
        narrow = self._of(lineage, at)
        claim = partial(
            lineage_exact, self._run, at, self._selection, narrow, premise=self._premise(exists_if)
        )
        if tells_no_equal_rows_apart(narrow) and or_none(lambda: is_soon_proved(claim(equal=one_row))):
            return Verdict(Outcome.PROVED)
        verdict = or_none(lambda: prove(claim()))
        if verdict is None or verdict.is_proved or not self._folded.in_short:
            return verdict
        return replace(verdict, find_counterexample=partial(self._counterexample, at, lineage, exists_if))

    def _counterexample(self, at: int, lineage: Selection, exists_if: Selection) -> Counterexample | None:
        """An example to show: what was said in short is spelled out in it."""
        verdict = self._at_length().exactness(at, lineage, exists_if)
        return None if verdict is None else verdict.counterexample

    def selects_by_itself(self, at: int, lineage: Selection) -> bool:
        """Whether a lineage predicate selects the lineage and nothing else, target or not and equal rows apart."""
        claim = partial(lineage_exact, self._run, at, self._selection, self._of(lineage, at), premise=TRUE)
        return bool(or_none(lambda: is_soon_proved(claim(equal=one_row))))

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
        asked = self._again, self._run.inputs, self._selection, narrow
        claims = (
            partial(recompute_sound_by_parts, *asked),
            partial(recompute_sound, *asked, in_place=True),
            partial(recompute_sound, *asked),
        )
        return any(_is_proved(lambda: prove(claim())) for claim in claims)  # noqa: B023

    def _of(self, selection: Selection, at: int) -> Selection:
        return self._folded.predicate(selection, at)

    def _premise(self, exists_if: Selection) -> Term:
        return disjunction(self._target_exists, negation(holds(exists_if, {})))


def tells_no_equal_rows_apart(selection: Selection) -> bool:
    """Whether a predicate selects of equal rows all or none."""
    return all(p.is_deterministic() and is_of_one_row(p) and is_blind(p) for p in parts_of(selection))


def or_none(ask: Callable[[], T]) -> T | None:
    """None where something random is read, about which nothing can be proved."""
    try:
        return ask()
    except NotExpressible:
        return None


def _is_proved(ask: Callable[[], Verdict]) -> bool:
    verdict = or_none(ask)
    return verdict is not None and verdict.is_proved
