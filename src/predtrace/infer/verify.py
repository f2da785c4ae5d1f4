"""Which of an operator's proposals hold: decided by proof, never by trust.

For each input the most selective lineage predicate that is proved sound is taken, and told whether it is exact;
and the most selective predicate for recomputing, with those of the other inputs in force. Anything but PROVED
falls to the next proposal, in the end to the one that selects every row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from predtrace.ir.operators import Operator
from predtrace.operators import LAWS, OperatorLaws, Selection
from predtrace.symbolic.claims import Claim, Verdict
from predtrace.symbolic.laws import Run, lineage_exact, lineage_sound, recompute_sound, target_exists
from predtrace.symbolic.solver import prove
from predtrace.symbolic.tables import fresh_table
from predtrace.symbolic.terms import TRUE, disjunction
from predtrace.symbolic.values import NotExpressible

T = TypeVar("T")


@dataclass(frozen=True)
class PushedDown:
    """What is pushed to one input. None selects every row."""

    lineage: Selection
    exact: Verdict | None
    """Whether `lineage` selects the lineage and nothing else; None where that cannot even be asked."""
    recompute: Selection
    known_to_exist: bool
    """Whether the target's existence implies that a row with `lineage` is there."""

    @property
    def is_exact(self) -> bool:
        return self.exact is not None and self.exact.is_proved


def push_down(operator: Operator, selection: Selection, exists: bool = True) -> tuple[PushedDown, ...]:
    """Push an output predicate F to the inputs of an operator.

    `exists` is the premise that an output row with F is known to be there.
    """
    laws = LAWS.get(type(operator))
    verification = None if laws is None else _or_none(lambda: Verification(operator, laws, selection))
    if laws is None or verification is None:
        return tuple(PushedDown(None, None, None, False) for _ in operator.inputs)
    recompute: tuple[Selection, ...] = (None,) * len(operator.inputs)
    found: list[tuple[Selection, Verdict | None, bool]] = []
    for at, proposals in enumerate(laws.candidates(operator, selection)):
        lineage = next((g for g in proposals.lineage if verification.is_sound(at, g)), None)
        exact = verification.exactness(at, lineage, exists)
        found.append((lineage, exact, verification.implies_a_row(at, lineage)))
        attempts = ((*recompute[:at], r, *recompute[at + 1 :]) for r in proposals.recompute)
        recompute = next(filter(verification.recomputes, attempts), recompute)
    return tuple(
        PushedDown(lineage, exact, kept, implied)
        for (lineage, exact, implied), kept in zip(found, recompute, strict=True)
    )


class Verification:
    """One operator, run once on symbolic inputs of its bound, and what can be asked about it."""

    def __init__(self, operator: Operator, laws: OperatorLaws[Any], selection: Selection) -> None:
        sizes = zip(operator.inputs, laws.bound(operator), strict=True)
        inputs = tuple(
            fresh_table(f"input {at + 1}", below.output, rows) for at, (below, rows) in enumerate(sizes)
        )
        self._operator, self._laws, self._selection = operator, laws, selection
        self._run = Run(inputs, laws.run(operator, inputs))

    def is_sound(self, at: int, lineage: Selection) -> bool:
        """Whether a lineage predicate misses no row."""
        return _is_proved(lambda: prove(lineage_sound(self._run, at, self._selection, lineage)))

    def exactness(self, at: int, lineage: Selection, exists: bool) -> Verdict | None:
        """Whether a lineage predicate selects the lineage and nothing else."""
        premise = None if exists else TRUE
        return _or_none(
            lambda: prove(lineage_exact(self._run, at, self._selection, lineage, premise=premise))
        )

    def implies_a_row(self, at: int, lineage: Selection) -> bool:
        """Whether a row that a lineage predicate selects is there whenever the target is.

        Not below the null-supplying side of an outer join, in a union's branch, under a global aggregate...
        """
        found = disjunction(*self._run.inputs[at].selected(lineage))
        premise = target_exists(self._run, self._selection)
        return _is_proved(lambda: prove(Claim(found, premises=(premise,), tables=self._run.inputs)))

    def recomputes(self, recompute: Sequence[Selection]) -> bool:
        """Whether the output rows with F come out the same from inputs cut down by these predicates."""
        return _is_proved(
            lambda: prove(
                recompute_sound(
                    lambda inputs: self._laws.run(self._operator, inputs),
                    self._run.inputs,
                    self._selection,
                    recompute,
                )
            )
        )


def _or_none(ask: Callable[[], T]) -> T | None:
    """None where something random is read, about which nothing can be proved."""
    try:
        return ask()
    except NotExpressible:
        return None


def _is_proved(ask: Callable[[], Verdict]) -> bool:
    verdict = _or_none(ask)
    return verdict is not None and verdict.is_proved
