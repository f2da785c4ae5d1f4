"""The paths through a function: each follows its own decisions, and all of them share one budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from predtrace.ir.expressions import Call, Expression, Literal
from predtrace.ir.types import BOOLEAN

_MOST_PATHS = 256
_MOST_STEPS = 50_000
_MOST_DECISIONS = 60


class Exhausted(Exception):
    """There is too much to look at."""


@dataclass
class Budget:
    steps: int = _MOST_STEPS

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise Exhausted


@dataclass
class Path:
    """One way through. `given` are the decisions to begin with; later ones are taken as True first."""

    given: tuple[bool, ...]
    budget: Budget
    decisions: list[tuple[Expression, bool]] = field(default_factory=list)

    def decide(self, condition: Expression) -> bool:
        """Whether a condition holds on this path. It must be true or false for all arguments that lead here."""
        self.budget.step()
        implied = self._implied(condition)
        if implied is not None:
            return implied
        at = len(self.decisions)
        if at == _MOST_DECISIONS:
            raise Exhausted
        chosen = self.given[at] if at < len(self.given) else True
        self.decisions.append((condition, chosen))
        return chosen

    def _implied(self, condition: Expression) -> bool | None:
        """What the decisions so far say of a condition."""
        if isinstance(condition, Literal):
            return bool(condition.value)
        if isinstance(condition, Call) and condition.function == "not":
            inner = self._implied(condition.arguments[0])
            return None if inner is None else not inner
        for decided, chosen in self.decisions:
            if decided == condition and repr(decided) == repr(condition):  # 0.0 equals -0.0
                return chosen
            if chosen and _exclude_each_other(decided, condition):
                return False
        return None

    def condition(self) -> Expression:
        """What leads here."""
        parts = [c if chosen else Call("not", (c,), BOOLEAN, False) for c, chosen in self.decisions]
        if not parts:
            return Literal(True, BOOLEAN)
        together = parts[0]
        for part in parts[1:]:
            together = Call("and", (together, part), BOOLEAN, False)
        return together

    def alternatives(self) -> Iterator[tuple[bool, ...]]:
        """How the paths begin that leave this one at a decision of its own."""
        chosen = [decision for _, decision in self.decisions]
        for at in range(len(self.given), len(chosen)):
            yield (*chosen[:at], not chosen[at])


Result = TypeVar("Result")


def explored(follow: Callable[[Path], Result]) -> tuple[list[tuple[Path, Result]], bool]:
    """What comes of every path, in the order of their decisions, and whether these are all of them."""
    budget = Budget()
    waiting: list[tuple[bool, ...]] = [()]
    found: list[tuple[Path, Result]] = []
    while waiting:
        if len(found) == _MOST_PATHS:
            return found, False
        path = Path(waiting.pop(), budget)
        try:
            found.append((path, follow(path)))
        except (Exhausted, RecursionError):
            return found, False
        waiting.extend(path.alternatives())
    return found, True


def _exclude_each_other(one: Expression, other: Expression) -> bool:
    """Whether two equations ask for different constants of one thing."""
    match one, other:
        case (
            Call(function="=", arguments=(left, Literal(value=a, data_type=ta))),
            Call(function="=", arguments=(right, Literal(value=b, data_type=tb))),
        ):
            return left == right and ta == tb and a != b
    return False
