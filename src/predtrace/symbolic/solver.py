"""Decides claims with Z3.

The budget is Z3's count of resources, not time: the same claim gets the same verdict on every machine, fast or
slow. Verdicts are remembered by the text of the claim, in which names do not count.

So that nothing decided before has an influence, each claim is decided in a context of its own. To make one takes
several times as long as most proofs, so a claim is first looked at in a context that all claims of a thread share,
with a small part of the budget and without what only counterexamples show. What is proved or refuted there is; what
is not is decided anew, and so is where a counterexample is asked for.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from hashlib import sha256
from typing import Any

import z3

from predtrace.symbolic.claims import Claim, ConcreteTable, Counterexample, Note, Outcome, Verdict
from predtrace.symbolic.smtlib import Text, to_smtlib
from predtrace.symbolic.sorts import readable
from predtrace.symbolic.tables import SymbolicTable
from predtrace.symbolic.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Scalar,
    Term,
    conjunction,
    constants_of,
    known_term,
    negation,
    substituted,
)
from predtrace.symbolic.values import SymbolicValue

DEFAULT_BUDGET = 2_000_000
"""Z3 resources per claim."""

_SHARE_OF_FIRST_TRY = 10
_SHARED = threading.local()

_OUTCOMES = {"unsat": Outcome.PROVED, "sat": Outcome.REFUTED}

Model = Mapping[str, "Scalar | str"]
"""What a model says of each constant."""


@dataclass(frozen=True)
class _Answer:
    """A verdict without names, so that claims that differ in names only share it."""

    outcome: Outcome
    model: Model | None = None
    reason: str = ""


class VerdictMemory:
    """The answers given so far, by the text and budget of the question; the oldest are forgotten."""

    def __init__(self, size: int = 20_000) -> None:
        self.size = size
        self.hits = 0
        self._answers: OrderedDict[tuple[str, int, bytes], _Answer] = OrderedDict()

    def answer(self, text: str, budget: int, decide: Callable[[str, int], _Answer]) -> _Answer:
        """The remembered answer, or the one that `decide` gives now."""
        key = (decide.__name__, budget, sha256(text.encode()).digest())
        found = self._answers.get(key)
        if found is not None:
            self.hits += 1
            self._answers.move_to_end(key)
            return found
        found = self._answers[key] = decide(text, budget)
        if len(self._answers) > self.size:
            self._answers.popitem(last=False)
        return found

    def __len__(self) -> int:
        return len(self._answers)


_MEMORY = VerdictMemory()


def prove(claim: Claim, budget: int = DEFAULT_BUDGET, memory: VerdictMemory | None = None) -> Verdict:
    """Decide a claim."""
    memory = _MEMORY if memory is None else memory
    outcome = _at_first(claim, budget, memory)
    if outcome is Outcome.PROVED:
        return Verdict(outcome)
    decided = cache(lambda: _decided(claim, budget, memory))
    if outcome is Outcome.UNKNOWN:
        return decided()
    return Verdict(outcome, find_counterexample=lambda: decided().counterexample)


def is_soon_proved(claim: Claim, budget: int = DEFAULT_BUDGET) -> bool:
    """Whether a claim is proved at the first try."""
    return _at_first(claim, budget, _MEMORY) is Outcome.PROVED


def _at_first(claim: Claim, budget: int, memory: VerdictMemory) -> Outcome:
    parts = _negated(claim)
    if parts == (FALSE,):
        return Outcome.PROVED
    return memory.answer(to_smtlib(parts).text, budget, _first_try).outcome


def _decided(claim: Claim, budget: int, memory: VerdictMemory) -> Verdict:
    notes = tuple((_note(index), note.condition) for index, note in enumerate(claim.notes))
    written = to_smtlib(_negated(claim), notes)
    answer = memory.answer(written.text, budget, _decide)
    model = answer.model
    if model is None:
        return Verdict(answer.outcome, answer.reason)
    return Verdict(answer.outcome, "", lambda: _counterexample(claim, _by_name(model, written)))


def _negated(claim: Claim) -> tuple[Term, ...]:
    """What cannot be true all together if the claim is."""
    negated = conjunction(*claim.premises, negation(claim.conclusion))
    return negated.arguments if negated.operator == "and" else (negated,)


def _note(index: int) -> str:
    return f"note {index}"


def _by_name(model: Model, written: Text) -> Model:
    """A model of a claim's text, in the claim's own words."""
    names = {**written.unknowns, **written.definitions}
    return {name: model[symbol] for name, symbol in names.items() if symbol in model}


def _first_try(text: str, budget: int) -> _Answer:
    if not hasattr(_SHARED, "context"):
        _SHARED.context = z3.Context()
    result = str(_solver(text, max(1, budget // _SHARE_OF_FIRST_TRY), _SHARED.context).check())
    return _Answer(_OUTCOMES.get(result, Outcome.UNKNOWN))


def _decide(text: str, budget: int) -> _Answer:
    solver = _solver(text, budget, z3.Context())
    result = str(solver.check())
    if result == "unsat":
        return _Answer(Outcome.PROVED)
    if result == "sat":
        return _Answer(Outcome.REFUTED, _read(solver.model()))
    return _Answer(
        Outcome.UNKNOWN, reason=f"Z3 gave up within a budget of {budget}: {solver.reason_unknown()}"
    )


def _solver(text: str, budget: int, context: Any) -> Any:
    # Z3's default solver first tries tactics, which costs more than our small claims do.
    solver: Any = z3.SimpleSolver(ctx=context)
    solver.set("rlimit", budget)
    solver.from_string(text)
    return solver


def _read(model: Any) -> Model:
    constants = (declaration for declaration in model.decls() if declaration.arity() == 0)
    return {constant.name(): _scalar(model[constant]) for constant in constants}


def _scalar(value: Any) -> Scalar | str:
    if z3.is_true(value) or z3.is_false(value):
        return bool(z3.is_true(value))
    if z3.is_int_value(value):
        return int(value.as_long())
    if z3.is_rational_value(value):
        return Fraction(value.numerator_as_long(), value.denominator_as_long())
    if z3.is_algebraic_value(value):
        near = value.approx(20)
        return Fraction(near.numerator_as_long(), near.denominator_as_long())
    return str(value)


def _counterexample(claim: Claim, model: Model) -> Counterexample:
    return Counterexample(
        tuple(_table(table, model) for table in claim.tables),
        {name: _value(value, model) for name, value in claim.parameters},
        tuple(
            f"row {_place(note, model)} of {note.table.name} {note.sentence}"
            for index, note in enumerate(claim.notes)
            if note.condition is TRUE or model.get(_note(index), False) is True
        ),
    )


def _place(note: Note, model: Model) -> int:
    """Which row it is among those that exist, counted from one: the others are not shown."""
    return sum(_known(row.exists, model) is True for row in note.table.rows[: note.row + 1])


def _table(table: SymbolicTable, model: Model) -> ConcreteTable:
    places = tuple(index for index, row in enumerate(table.rows) if _known(row.exists, model) is True)
    return ConcreteTable(
        table.name,
        tuple(column.name for column in table.columns),
        tuple(tuple(_value(value, model) for value in table.rows[index].values) for index in places),
        places,
    )


def _value(value: SymbolicValue, model: Model) -> object:
    if _known(value.null, model) is True:
        return None
    return readable(_known(value.term, model), value.type, _known(value.minus, model) is True)


def _known(term: Term, model: Model) -> Scalar | str:
    """The value of a term in a model; where the model does not care, any value will do."""
    if term.value is not None:
        return term.value
    if term.operator == "constant":
        anything: Scalar | str = {BOOL: False, INT: 0}.get(term.sort, Fraction(0))
        return model.get(term.name, anything)
    leaves = {}
    for leaf in constants_of(term):
        found = _known(leaf, model)
        if not isinstance(found, str):
            leaves[leaf.name] = known_term(found, leaf.sort)
    folded = substituted(term, leaves).value
    return "of unknown value" if folded is None else folded
