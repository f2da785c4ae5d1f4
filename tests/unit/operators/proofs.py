"""What the tests of the laws ask: is it exact, is a wrong rule refuted."""

from __future__ import annotations

from predtrace.infer.models import Models
from predtrace.infer.verification import Verification
from predtrace.infer.verify import cut_down, push_down
from predtrace.ir.expressions import Expression
from predtrace.ir.operators import Operator
from predtrace.ir.printing import describe
from predtrace.operators import Selection


def shown(selection: Selection) -> str:
    return "everything" if selection is None else describe(selection)


def lineage(operator: Operator, selection: Selection) -> list[tuple[str, bool]]:
    """What is pushed to each input, and whether it is exact. It must be decided, not given up."""
    pushed = push_down(operator, selection)
    for part in pushed:
        assert part.exact is not None, "not asked"
        assert part.is_exact or part.exact.is_refuted, "undecided"
    return [(shown(part.lineage), part.is_exact) for part in pushed]


def kept(operator: Operator, selection: Selection) -> list[str]:
    """What recomputing keeps of each input."""
    return [shown(part) for part in cut_down(operator, selection)]


def is_sound(operator: Operator, selection: Selection, guess: Selection, at: int = 0) -> bool:
    return _verification(operator, selection, (at, guess)).is_sound(at, guess)


def is_exact(operator: Operator, selection: Selection, guess: Selection, at: int = 0) -> bool:
    verdict = _verification(operator, selection, (at, guess)).exactness(at, guess, None)
    assert verdict is not None
    assert verdict.is_proved or verdict.is_refuted, "undecided"
    return verdict.is_proved


def recomputes(operator: Operator, selection: Selection, *cut: Expression | None) -> bool:
    return _verification(operator, selection, *enumerate(cut)).recomputes(cut)


def _verification(operator: Operator, selection: Selection, *asked: tuple[int, Selection]) -> Verification:
    model = Models().of(operator)
    assert model is not None
    return Verification(model, selection, asked)
