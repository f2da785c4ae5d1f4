"""What a Python value can be while a path is followed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

from predtrace.ir.expressions import Call, Expression, Literal
from predtrace.ir.parts import size_of
from predtrace.ir.types import BOOLEAN, DOUBLE, LONG, STRING, ArrayType, DataType


class Unknowable(Exception):
    """What happens on this path is not modelled."""


class Raises(Exception):
    """Python raises an exception here."""


class Kind(Enum):
    """The Python type of a value that differs from row to row; it is never None."""

    INT = "int"
    FLOAT = "float"
    STR = "str"
    BOOL = "bool"
    STRS = "list of str"


STRINGS = ArrayType("array", STRING, False)
TYPES: dict[Kind, DataType] = {
    Kind.INT: LONG,
    Kind.FLOAT: DOUBLE,
    Kind.STR: STRING,
    Kind.BOOL: BOOLEAN,
    Kind.STRS: STRINGS,
}


@dataclass(frozen=True)
class Known:
    """A constant."""

    value: Any


@dataclass(frozen=True)
class Symbolic:
    """A value of a known kind, computed by an expression from the arguments."""

    kind: Kind
    expression: Expression


@dataclass(frozen=True)
class Several:
    """A tuple or list whose items are not all constants."""

    kind: type
    items: tuple[Value, ...]


@dataclass(frozen=True)
class Method:
    """A method of a value, about to be called."""

    owner: Value
    name: str


@dataclass(frozen=True)
class Unseen:
    """An argument of a type that is not modelled. It is not None; nothing else is known."""


@dataclass(frozen=True)
class Local:
    """A function defined inside the function."""

    node: Any
    names: Any


Value = Known | Symbolic | Several | Method | Unseen | Local

_LARGEST = 2**63
_MOST_ITEMS = 5_000
_LONGEST = 10_000
_MOST_NODES = 300
_SCALARS = (int, float, str, bool, type(None))


def is_plain(value: object) -> bool:
    """Whether a constant is made of Python's own types only, and small: nothing of the user's can run in it."""
    left = _MOST_ITEMS
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        left -= 1
        if left < 0 or not _is_small(one):
            return False
        if type(one) is dict:
            waiting += [*one.keys(), *one.values()]
        elif type(one) in {tuple, list, set, frozenset}:
            waiting += list(one)  # type: ignore[call-overload]
    return True


def has_at_most(value: object, items: int) -> bool:
    """Whether a constant is no larger than that, each part counted as often as it is there.

    >>> has_at_most((1, (2, 3)), 3), has_at_most((1, (2, 3)), 10)
    (False, True)
    """
    waiting = [value]
    while waiting:
        one = waiting.pop()
        items -= 1
        if type(one) in {tuple, frozenset}:
            if len(one) > items:  # type: ignore[arg-type]
                return False
            waiting += one  # type: ignore[arg-type]
    return items >= 0


def _is_small(value: object) -> bool:
    if type(value) in {str, bytes}:
        return len(value) <= _LONGEST  # type: ignore[arg-type]
    if type(value) is int:
        return value.bit_length() <= 4096
    if type(value) is range:
        return abs(value.stop - value.start) <= _MOST_ITEMS * abs(value.step)
    if type(value) in {tuple, list, set, frozenset, dict}:
        return len(value) <= _MOST_ITEMS  # type: ignore[arg-type]
    return type(value) in _SCALARS


def is_scalar(value: object) -> bool:
    return type(value) in _SCALARS


def kind_of(value: Value) -> Kind | None:
    """The kind of a scalar; None for None and for everything else."""
    if isinstance(value, Symbolic):
        return value.kind
    kinds = {int: Kind.INT, float: Kind.FLOAT, str: Kind.STR, bool: Kind.BOOL}
    return kinds.get(type(value.value)) if isinstance(value, Known) else None


def literal(value: object) -> Literal:
    """A scalar constant that is not None, in the model."""
    if type(value) is bool:
        return Literal(value, BOOLEAN)
    if type(value) is int and -_LARGEST <= value < _LARGEST:
        return Literal(value, LONG)
    if type(value) is float:
        return Literal(value, DOUBLE)
    if type(value) is str and not any("\ud800" <= c <= "\udfff" for c in value):
        return Literal(value, STRING)
    raise Unknowable(f"the constant {value!r}")


def expression_of(value: Value) -> Expression:
    """A scalar as an expression."""
    if isinstance(value, Symbolic):
        return value.expression
    if isinstance(value, Known):
        return literal(value.value)
    raise Unknowable("a value that is no scalar")


def python(name: str, kind: Kind, *arguments: Value, **options: str) -> Symbolic:
    """A function of Python's, which is known by its name alone."""
    parts = tuple(map(expression_of, arguments))
    if any(size_of(part) > _MOST_NODES for part in parts):
        raise Unknowable("a long computation")
    return Symbolic(kind, Call(f"python {name}", parts, TYPES[kind], False, options=tuple(options.items())))


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
