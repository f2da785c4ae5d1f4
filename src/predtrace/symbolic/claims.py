"""Statements to decide, and what deciding them gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from predtrace.symbolic.tables import SymbolicTable
from predtrace.symbolic.terms import FALSE, Term
from predtrace.symbolic.values import SymbolicValue


@dataclass(frozen=True, eq=False)
class Note:
    """A sentence about a row of a table, which a counterexample quotes if the condition holds in it."""

    condition: Term
    table: SymbolicTable
    row: int
    sentence: str


@dataclass(frozen=True, eq=False)
class Claim:
    """`conclusion` holds for all values of all unknowns that meet the premises.

    `tables` and `parameters` are what a counterexample shows; `notes` say in words what is wrong in it.
    """

    conclusion: Term
    premises: tuple[Term, ...] = ()
    tables: tuple[SymbolicTable, ...] = ()
    parameters: tuple[tuple[str, SymbolicValue], ...] = ()
    notes: tuple[Note, ...] = ()


class Outcome(Enum):
    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class ConcreteTable:
    """The rows of a table that exist in a counterexample; `positions` are their places in the symbolic table."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    positions: tuple[int, ...]

    def __str__(self) -> str:
        rows = (
            " ".join(f"{n}={shown(v)}" for n, v in zip(self.columns, row, strict=True)) for row in self.rows
        )
        return f"{self.name}: {', '.join(rows) or 'no rows'}"


@dataclass(frozen=True)
class Counterexample:
    """Tables and parameters for which a claim is false. Values are Python's; NULL is None."""

    tables: tuple[ConcreteTable, ...]
    parameters: Mapping[str, object]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        parameters = " ".join(f":{name}={shown(value)}" for name, value in self.parameters.items())
        return "\n".join([*map(str, self.tables), *([parameters] if parameters else []), *self.notes])


@dataclass(frozen=True)
class Verdict:
    """What is known about a claim. Only `is_proved` may be relied upon: anything else is the safe side."""

    outcome: Outcome
    reason: str = ""
    find_counterexample: Callable[[], Counterexample | None] = field(default=lambda: None, compare=False)

    @cached_property
    def counterexample(self) -> Counterexample | None:
        """An example where the claim is false: Z3 looks for it when it is asked for."""
        return self.find_counterexample()

    @property
    def is_proved(self) -> bool:
        return self.outcome is Outcome.PROVED

    @property
    def is_refuted(self) -> bool:
        return self.outcome is Outcome.REFUTED

    def __bool__(self) -> bool:
        raise TypeError("a verdict is no truth value: ask for is_proved")

    def __str__(self) -> str:
        detail = self.counterexample if self.reason == "" else self.reason
        return self.outcome.value if detail is None or detail == "" else f"{self.outcome.value}\n{detail}"


def shown(value: object) -> str:
    return "NULL" if value is None else str(value)


def contradicts(claim: Claim) -> Claim:
    """The claim that the premises cannot be met: refuted, its counterexample is an example of them.

    A claim whose premises contradict each other is proved and says nothing; tests ask for this.
    """
    return Claim(FALSE, claim.premises, claim.tables, claim.parameters)
