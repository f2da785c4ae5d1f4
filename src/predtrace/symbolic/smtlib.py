"""Terms as SMT-LIB text, which Z3 reads faster than Python can build its terms.

The text depends on the structure alone. Whether a formula holds for all values and functions does not depend on what
these are called, so they are numbered in the order in which they occur: formulas that differ in names only give equal
text, which serves as the key under which verdicts are remembered. Most steps of pipelines ask the same questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from predtrace.errors import PlanIntegrityError
from predtrace.symbolic.terms import BOOL, INT, REAL, Term

DEFINED, _UNKNOWN, _NAMED = "d", "u", "n"
"""How the names of intermediate terms, of unknown values and functions, and of what is to be read begin."""


@dataclass(frozen=True)
class Text:
    """What Z3 reads, and what the unknowns and definitions are called in it."""

    text: str
    unknowns: Mapping[str, str]
    definitions: Mapping[str, str]


def to_smtlib(assertions: tuple[Term, ...], definitions: tuple[tuple[str, Term], ...] = ()) -> Text:
    """The text that asserts the terms; a definition gives a Boolean term a name to be read from a model."""
    writer = _Writer()
    for assertion in assertions:
        writer.lines.append(f"(assert {writer.write(assertion)})")
    named = {name: f"{_NAMED}{at}" for at, (name, _) in enumerate(definitions)}
    for name, term in definitions:
        writer.lines.append(f"(declare-const {named[name]} {BOOL})")
        writer.lines.append(f"(assert (= {named[name]} {writer.write(term)}))")
    return Text("\n".join(writer.lines), writer.unknowns, named)


def _symbol(name: str) -> str:
    """Any text as an SMT-LIB symbol."""
    return "|" + name.replace("~", "~0").replace("|", "~1").replace("\\", "~2") + "|"


def _sort_text(sort: str) -> str:
    return sort if sort in {BOOL, INT, REAL} else _symbol(sort)


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.by_identity: dict[int, str] = {}
        self.by_structure: dict[str, str] = {}
        self.unknowns: dict[str, str] = {}
        self.signatures: dict[str, tuple[tuple[str, ...], str]] = {}
        self.sorts = {BOOL, INT, REAL}

    def write(self, term: Term) -> str:
        """The text that stands for a term, after the lines that define what it is made of."""
        known = self.by_identity.get(id(term))
        if known is None:
            known = self.by_identity[id(term)] = self._new(term)
        return known

    def _new(self, term: Term) -> str:
        if term.value is not None:
            return _value(term.value)
        if term.operator == "constant":
            return self._declare(term.name, (), term.sort)
        known_terms, write = self.by_identity, self.write
        arguments = [known_terms.get(id(argument)) or write(argument) for argument in term.arguments]
        operator = term.operator
        if operator == "apply":
            operator = self._declare(term.name, tuple(a.sort for a in term.arguments), term.sort)
        text = f"({operator} {' '.join(arguments)})"
        known = self.by_structure.get(text)
        if known is None:
            known = self.by_structure[text] = f"{DEFINED}{len(self.by_structure)}"
            self.lines.append(f"(define-fun {known} () {_sort_text(term.sort)} {text})")
        return known

    def _declare(self, name: str, arguments: tuple[str, ...], sort: str) -> str:
        signature = arguments, sort
        known = self.signatures.get(name)
        if known is None:
            self._declare_sorts((*arguments, sort))
            self.signatures[name] = signature
            self.unknowns[name] = f"{_UNKNOWN}{len(self.unknowns)}"
            text = f"({' '.join(map(_sort_text, arguments))}) {_sort_text(sort)}"
            self.lines.append(f"(declare-fun {self.unknowns[name]} {text})")
        elif known != signature:
            raise PlanIntegrityError(f"{name} is used as {signature} and as {known}")
        return self.unknowns[name]

    def _declare_sorts(self, sorts: tuple[str, ...]) -> None:
        for sort in sorts:
            if sort not in self.sorts:
                self.sorts.add(sort)
                self.lines.append(f"(declare-sort {_symbol(sort)} 0)")


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
