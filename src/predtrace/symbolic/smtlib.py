"""Terms as SMT-LIB text, which Z3 reads faster than Python can build its terms.

The text depends on the structure alone. Whether a formula holds for all values and functions does not depend on what
these are called, so they are numbered in the order in which they occur: formulas that differ in names only give equal
text, which serves as the key under which verdicts are remembered. Most steps of pipelines ask the same questions.

A term that stands in several places is written once, under a name of its own in a LET around everything; others are
written where they stand. (To define each in a command of its own takes Z3 twice as long to read.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from predtrace.errors import PlanIntegrityError
from predtrace.symbolic.terms import BOOL, INT, REAL, Term

_SHARED, _UNKNOWN, _NAMED = "d", "u", "n"
"""How the names of shared terms, of unknown values and functions, and of what is to be read begin."""


@dataclass(frozen=True)
class Text:
    """What Z3 reads, and what the unknowns and definitions are called in it."""

    text: str
    unknowns: Mapping[str, str]
    definitions: Mapping[str, str]


def to_smtlib(assertions: tuple[Term, ...], definitions: tuple[tuple[str, Term], ...] = ()) -> Text:
    """The text that asserts the terms; a definition gives a Boolean term a name to be read from a model."""
    writer = _Writer((*assertions, *(term for _, term in definitions)))
    written = [writer.write(assertion) for assertion in assertions]
    named = {name: f"{_NAMED}{at}" for at, (name, _) in enumerate(definitions)}
    for name, term in definitions:
        writer.declarations.append(f"(declare-const {named[name]} {BOOL})")
        written.append(f"(= {named[name]} {writer.write(term)})")
    together = written[0] if len(written) == 1 else f"(and {' '.join(written)})"
    lets = "".join(f"(let (({name} {text}))" for name, text in writer.shared)
    asserted = f"(assert {lets}{together}{')' * len(writer.shared)})"
    return Text("\n".join([*writer.declarations, asserted]), writer.unknowns, named)


def _symbol(name: str) -> str:
    """Any text as an SMT-LIB symbol."""
    return "|" + name.replace("~", "~0").replace("|", "~1").replace("\\", "~2") + "|"


def _sort_text(sort: str) -> str:
    return sort if sort in {BOOL, INT, REAL} else _symbol(sort)


class _Writer:
    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.declarations: list[str] = []
        self.shared: list[tuple[str, str]] = []
        self.unknowns: dict[str, str] = {}
        self._written: dict[int, str] = {}
        self._several = _in_several_places(terms)
        self._signatures: dict[str, tuple[tuple[str, ...], str]] = {}
        self._sorts = {BOOL, INT, REAL}

    def write(self, term: Term) -> str:
        """The text that stands for a term, after the names of what it is made of."""
        known = self._written.get(id(term))
        if known is None:
            known = self._written[id(term)] = self._new(term)
        return known

    def _new(self, term: Term) -> str:
        if term.value is not None:
            return _value(term.value)
        operator = term.operator
        if operator == "constant":
            return self._declare(term.name, (), term.sort)
        known_terms, write = self._written, self.write
        arguments = [known_terms.get(id(argument)) or write(argument) for argument in term.arguments]
        if operator == "apply":
            operator = self._declare(term.name, tuple(a.sort for a in term.arguments), term.sort)
        text = f"({operator} {' '.join(arguments)})"
        if id(term) not in self._several:
            return text
        name = f"{_SHARED}{len(self.shared)}"
        self.shared.append((name, text))
        return name

    def _declare(self, name: str, arguments: tuple[str, ...], sort: str) -> str:
        signature = arguments, sort
        known = self._signatures.get(name)
        if known is None:
            self._declare_sorts((*arguments, sort))
            self._signatures[name] = signature
            self.unknowns[name] = f"{_UNKNOWN}{len(self.unknowns)}"
            text = f"({' '.join(map(_sort_text, arguments))}) {_sort_text(sort)}"
            self.declarations.append(f"(declare-fun {self.unknowns[name]} {text})")
        elif known != signature:
            raise PlanIntegrityError(f"{name} is used as {signature} and as {known}")
        return self.unknowns[name]

    def _declare_sorts(self, sorts: tuple[str, ...]) -> None:
        for sort in sorts:
            if sort not in self._sorts:
                self._sorts.add(sort)
                self.declarations.append(f"(declare-sort {_symbol(sort)} 0)")


def _in_several_places(terms: tuple[Term, ...]) -> set[int]:
    """The terms, by identity, that stand in several places of these."""
    reached = list(terms)
    seen = set(map(id, terms))
    several: set[int] = set()
    for term in reached:  # which grows
        for argument in term.arguments:
            if id(argument) in seen:
                several.add(id(argument))
            else:
                seen.add(id(argument))
                reached.append(argument)
    return several


def _value(value: bool | int | Fraction) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value < 0:
        return f"(- {_value(-value)})"
    if isinstance(value, int):
        return str(value)
    if value.denominator == 1:
        return f"{value.numerator}.0"
    return f"(/ {value.numerator}.0 {value.denominator}.0)"
