"""Why a result is needed or a source has no exact predicate, put into words for the solution that is taken.

To find the counterexample that tells it takes as long as a proof, and most solutions that are looked at are not
taken. So, while they are searched, a reason goes by a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

from predtrace.infer.selections import NeededResult, SourceSelection, Step
from predtrace.infer.verify import PushedDown
from predtrace.ir.operators import Operator

_NO_RULE = "it has no rule, so every row of its input may count"
_NO_PROOF = "no proof was found within the budget"


class Reasons:
    """The reasons that were named. What is no name of one is the reason itself."""

    def __init__(self) -> None:
        self._texts: dict[str, Callable[[], str]] = {}
        self._names: dict[tuple[int, int], tuple[PushedDown, str]] = {}

    def of(self, pushed: PushedDown) -> str:
        """That what is pushed is not exact."""
        return self._known(0, pushed, lambda: _in_words(pushed))

    def at(self, operator: Operator, pushed: PushedDown) -> str:
        """The same, with the operator that it is pushed through."""
        return self._known(id(operator), pushed, lambda: f"{operator.title()}: {_in_words(pushed)}")

    def moved(self, needed: Iterable[NeededResult], sources: Iterable[SourceSelection]) -> str:
        """Why a result is needed although its operator pushes exactly: it says which do not."""
        inexact = [source.why_not_exact for source in sources if source.why_not_exact]
        others = list(needed)

        def text() -> str:
            texts = [self.in_words(why) for why in inexact] or [self._with_title(need) for need in others]
            return "; ".join(dict.fromkeys(texts))

        return self._named(text)

    def _with_title(self, need: NeededResult) -> str:
        why = self.in_words(need.why)
        return why if ": " in why else f"{need.operator.title()}: {why}"

    def _known(self, at: int, pushed: PushedDown, text: Callable[[], str]) -> str:
        key = (at, id(pushed))  # which stays its own, as long as it is kept here
        if key not in self._names:
            self._names[key] = pushed, self._named(text)
        return self._names[key][1]

    def _named(self, text: Callable[[], str]) -> str:
        name = f"reason_{len(self._texts) + 1}"
        self._texts[name] = cache(text)
        return name

    def in_words(self, reason: str) -> str:
        text = self._texts.get(reason)
        return reason if text is None else text()

    def needed(self, need: NeededResult) -> NeededResult:
        return replace(need, why=self.in_words(need.why))

    def source(self, source: SourceSelection) -> SourceSelection:
        return replace(source, why_not_exact=self.in_words(source.why_not_exact))

    def step(self, step: Step) -> Step:
        return replace(step, verdicts=tuple(map(self.in_words, step.verdicts)))


def _in_words(pushed: PushedDown) -> str:
    if pushed.exact is None:
        return _NO_RULE
    if pushed.exact.counterexample is None:
        return _NO_PROOF
    return "; ".join(pushed.exact.counterexample.notes)
