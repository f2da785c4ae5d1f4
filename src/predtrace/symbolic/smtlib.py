"""Terms as SMT-LIB text, which Z3 reads faster than Python can build its terms.

The text depends on the structure alone: equal formulas give equal text, so it also serves as the key under
which verdicts are remembered.
"""

from __future__ import annotations

from fractions import Fraction

from predtrace.errors import PlanIntegrityError
from predtrace.symbolic.terms import BOOL, INT, REAL, Term

DEFINED = "~d"
"""How the names of intermediate terms begin; `symbol` writes no constant like this."""


def to_smtlib(assertions: tuple[Term, ...], definitions: tuple[tuple[str, Term], ...] = ()) -> str:
    """The text that asserts the terms; a definition gives a Boolean term a name to be read from a model."""
    writer = _Writer()
    for assertion in assertions:
        writer.lines.append(f"(assert {writer.write(assertion)})")
    for name, term in definitions:
        writer.lines.append(f"(declare-const {symbol(name)} {BOOL})")
        writer.lines.append(f"(assert (= {symbol(name)} {writer.write(term)}))")
    return "\n".join(writer.lines)


def symbol(name: str) -> str:
    """Any text as an SMT-LIB symbol."""
    return "|" + name.replace("~", "~0").replace("|", "~1").replace("\\", "~2") + "|"


def sort_text(sort: str) -> str:
    return sort if sort in {BOOL, INT, REAL} else symbol(sort)


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.by_identity: dict[int, str] = {}
        self.by_structure: dict[str, str] = {}
        self.signatures: dict[str, str] = {}
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
        arguments = [self.write(argument) for argument in term.arguments]
        operator = term.operator
        if operator == "apply":
            operator = self._declare(term.name, tuple(a.sort for a in term.arguments), term.sort)
        text = f"({operator} {' '.join(arguments)})"
        known = self.by_structure.get(text)
        if known is None:
            known = self.by_structure[text] = f"{DEFINED}{len(self.by_structure)}"
            self.lines.append(f"(define-fun {known} () {sort_text(term.sort)} {text})")
        return known

    def _declare(self, name: str, arguments: tuple[str, ...], sort: str) -> str:
        text = symbol(name)
        signature = f"({' '.join(map(sort_text, arguments))}) {sort_text(sort)}"
        known = self.signatures.get(text)
        if known is None:
            self._declare_sorts((*arguments, sort))
            self.signatures[text] = signature
            self.lines.append(f"(declare-fun {text} {signature})")
        elif known != signature:
            raise PlanIntegrityError(f"{name} is used as {signature} and as {known}")
        return text

    def _declare_sorts(self, sorts: tuple[str, ...]) -> None:
        for sort in sorts:
            if sort not in self.sorts:
                self.sorts.add(sort)
                self.lines.append(f"(declare-sort {symbol(sort)} 0)")


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
