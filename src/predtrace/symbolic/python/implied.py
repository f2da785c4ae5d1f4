"""What a condition with a Python function in it says of the columns alone, so that files can be skipped by it.

`implied(f(x) <=> v)` holds wherever the condition is true, and can be asked of every row: it compares columns with
constants, and calls nothing. Each path through the function is gone back from the value it returns: a constant is the
value asked for or not; what was added is taken off, what was multiplied is divided, with room for what floats round
off; a lower-case string has a first letter in either case. What cannot be gone back says nothing (None).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from predtrace.ir.expressions import Call, Case, Cast, Column, Expression, LambdaVariable, Literal, UserCall
from predtrace.ir.parts import cannot_fail, size_of, transform, walk
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN, DOUBLE, STRING, DataType

Implied = Expression | None
"""None: nothing."""

_NEVER = Literal(False, BOOLEAN)
_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
_SMALL = {"byte", "short", "integer"}
"""Integers that a double holds exactly."""
_LAST = "\U0010ffff"
_LARGEST = 2_000
"""How many nodes a condition may have that is worth asking."""


def implied(condition: Expression) -> Implied:
    """What holds wherever a condition is true; nothing in it can fail.

    >>> from predtrace.ir.expressions import ColumnId, Lambda
    >>> p, x = LambdaVariable(ColumnId("p0"), "p0", STRING), Column(ColumnId("x"), "x", STRING)
    >>> table = Case(((Call("=", (p, Literal("de", STRING)), BOOLEAN), Literal("EU", STRING)),), None)
    >>> call = UserCall("f", "region", (x,), STRING, meaning=Lambda((p,), table))
    >>> found = implied(Call("<=>", (call, Literal("EU", STRING)), BOOLEAN))
    >>> found.function, found.arguments[0].name, found.arguments[1].value
    ('=', 'x', 'de')
    """
    if not calls_what_is_known(condition):
        return None
    try:
        found = _true(condition)
    except RecursionError:
        return None
    return None if found is None or size_of(found) > _LARGEST else found


def calls_what_is_known(condition: Expression) -> bool:
    """Whether a Python function is called of which something is known."""
    return any(isinstance(part, UserCall) and part.meaning is not None for part in walk(condition))


def unfolded(call: UserCall) -> Expression | None:
    """What a call returns, over its own arguments."""
    if call.meaning is None:
        return None
    values = dict(zip((p.id for p in call.meaning.parameters), call.arguments, strict=True))

    def change(part: Expression) -> Expression:
        return values[part.id] if isinstance(part, LambdaVariable) and part.id in values else part

    return transform(call.meaning.body, change)


def _true(condition: Expression) -> Implied:
    if _is_plain(condition):
        return condition
    match condition:
        case Call(function="and", arguments=parts):
            return _all(map(_true, parts))
        case Call(function="or", arguments=parts):
            return _any(map(_true, parts))
        case Call(function="not", arguments=(inner,)):
            return _false(inner)
        case Call(function="=", arguments=(left, right)):
            return (
                _equal(left, right) if _is_value(right) else _equal(right, left) if _is_value(left) else None
            )
        case Call(function="<=>", arguments=(left, right)):
            return _same(left, right) if _is_value(right) else _same(right, left) if _is_value(left) else None
        case Call(function="in", arguments=(value, *choices)) if all(map(_is_value, choices)):
            return _any(_equal(value, choice) for choice in choices)
        case Call(function="python str.startswith", arguments=(Column() as text, Literal(value=str(start)))):
            return _begins(text, start)
        case UserCall() | Case():
            return _same(condition, Literal(True, BOOLEAN))
    return None


def _false(condition: Expression) -> Implied:
    if _is_plain(condition):
        return Call("not", (condition,), BOOLEAN)
    match condition:
        case Call(function="and", arguments=parts):
            return _any(map(_false, parts))
        case Call(function="or", arguments=parts):
            return _all(map(_false, parts))
        case Call(function="not", arguments=(inner,)):
            return _true(inner)
        case UserCall() | Case():
            return _same(condition, Literal(False, BOOLEAN))
    return None


def _equal(expression: Expression, value: Expression) -> Implied:
    """What SQL's `=` with a value takes: NULL equals nothing."""
    if isinstance(value, Literal) and value.value is None and value.text is None:
        return _NEVER
    return _same(expression, value)


def _same(expression: Expression, value: Expression) -> Implied:
    """What it takes for an expression to have a value: a constant, or a parameter."""
    match expression:
        case Column():
            return Call("<=>", (expression, value), BOOLEAN)
        case Literal() if isinstance(value, Literal) and _are_alike(expression, value):
            return Literal(True, BOOLEAN) if _are_same(expression.value, value.value) else _NEVER
        case Literal():
            return Call("<=>", (expression, value), BOOLEAN)
        case Case(branches, default):
            taken = [_all((_true(when), _same(then, value))) for when, then in branches]
            ending = Literal(None, expression.type) if default is None else default
            return _any((*taken, _same(ending, value)))
        case UserCall():
            body = unfolded(expression)
            return None if body is None else _same(body, value)
        case Cast(child) if _is_widened(expression):
            return _same(child, value)
        case Call() if isinstance(value, Literal) and type(value.value) is bool:
            return _true(expression) if value.value else _false(expression)
        case Call(function=function) if function.startswith("python ") and isinstance(value, Literal):
            return _gone_back(expression, value.value)
    return None


def _gone_back(call: Call, value: Any) -> Implied:
    if value is None:
        return _NEVER  # functions of Python's return values
    name = call.function.removeprefix("python ")
    if isinstance(value, str):
        known = _OF_TEXT.get(name)
        return None if known is None else known(call, value)
    if type(value) in {int, float} and math.isfinite(value):
        exact = Fraction(value)
        return _within(call, exact, exact)
    return None


# Numbers


def _within(expression: Expression, low: Fraction, high: Fraction) -> Implied:
    """What it takes for a number to lie between two bounds."""
    match expression:
        case Column():
            return _between(expression, low, high)
        case Literal(value=value) if type(value) in {int, float} and math.isfinite(value):
            return Literal(True, BOOLEAN) if low <= Fraction(value) <= high else _NEVER
        case Cast(child, type_) if _is_widened(expression) or (type_ == DOUBLE and child.type.name in _SMALL):
            return _within(child, low, high)
        case Call(function=function, arguments=arguments) if function.startswith("python "):
            if expression.type != DOUBLE:
                return _operands(function.removeprefix("python "), arguments, low, high)
            low, high = _unrounded(low, -1), _unrounded(high, 1)
            return _operands(function.removeprefix("python "), tuple(map(_rounded, arguments)), low, high)
        case _Rounded(whole):
            return _within(whole, _unrounded(low, -1), _unrounded(high, 1))
    return None


@dataclass(frozen=True)
class _Rounded(Expression):
    """A whole number that was made a float."""

    whole: Expression

    @property
    def type(self) -> DataType:
        return self.whole.type


def _rounded(argument: Expression) -> Expression:
    is_whole = argument.type.name in _BITS and not isinstance(argument, Literal)
    return _Rounded(argument) if is_whole else argument


def _operands(name: str, arguments: tuple[Expression, ...], low: Fraction, high: Fraction) -> Implied:
    match name, arguments:
        case "+", (inner, Literal(value=c)) | (Literal(value=c), inner) if _is_finite(c):
            return _within(inner, low - Fraction(c), high - Fraction(c))
        case "-", (inner, Literal(value=c)) if _is_finite(c):
            return _within(inner, low + Fraction(c), high + Fraction(c))
        case "-", (Literal(value=c), inner) if _is_finite(c):
            return _within(inner, Fraction(c) - high, Fraction(c) - low)
        case "*", (inner, Literal(value=c)) | (Literal(value=c), inner) if _is_finite(c) and c:
            return _within(inner, *sorted((low / Fraction(c), high / Fraction(c))))
        case "/", (inner, Literal(value=c)) if _is_finite(c) and c:
            return _within(inner, *sorted((low * Fraction(c), high * Fraction(c))))
        case "//", (inner, Literal(value=int(c))) if c > 0 and inner.type != DOUBLE:
            return _within(inner, low * c, high * c + c - 1)
        case "neg", (inner,):
            return _within(inner, -high, -low)
        case "abs", (inner,):
            return _any((_within(inner, low, high), _within(inner, -high, -low)))
        case (("int" | "math.trunc" | "math.floor" | "math.ceil" | "round"), (inner,)):
            return None if inner.type == STRING else _within(inner, low - 1, high + 1)
        case "round", (inner, Literal(value=int(digits))) if 0 <= digits <= 20:
            room = Fraction(1, 10**digits)
            return _within(inner, low - room, high + room)
        case "float", (inner,) if inner.type != STRING:
            return _within(inner, low, high)
    return None


def _unrounded(bound: Fraction, direction: int) -> Fraction:
    """A bound for what was there before a float was rounded, or a whole number made one: well beyond it."""
    room = max(abs(bound) * Fraction(1, 2**49), Fraction(1, 2**1070))
    return bound + direction * room


def _between(column: Column, low: Fraction, high: Fraction) -> Implied:
    type_ = column.type
    if type_.name in _BITS:
        limit = 2 ** (_BITS[type_.name] - 1)
        first, last = max(math.ceil(low), -limit), min(math.floor(high), limit - 1)
        if first > last:
            return _NEVER
        if first == last:
            return Call("=", (column, Literal(first, type_)), BOOLEAN)
        return _range(column, Literal(first, type_), Literal(last, type_))
    if type_ != DOUBLE:
        return None
    bounds = _as_float(low, -math.inf), _as_float(high, math.inf)
    return _range(column, Literal(bounds[0], DOUBLE), Literal(bounds[1], DOUBLE))


def _as_float(bound: Fraction, towards: float) -> float:
    try:
        return math.nextafter(float(bound), towards)
    except OverflowError:
        return math.inf if bound > 0 else -math.inf


def _is_finite(value: object) -> bool:
    return type(value) in {int, float} and math.isfinite(value)  # type: ignore[arg-type]


# Text


def _begins(text: Column, start: str) -> Implied:
    """What it takes to begin with something: to lie between two strings."""
    if not start or text.type != STRING:
        return None
    after = Call(">=", (text, Literal(start, STRING)), BOOLEAN)
    following = _next_text(start)
    return (
        after if following is None else _all((after, Call("<", (text, Literal(following, STRING)), BOOLEAN)))
    )


def _next_text(start: str) -> str | None:
    """The first string after all that begin so."""
    last = ord(start[-1]) + 1
    last = 0xE000 if 0xD800 <= last < 0xE000 else last  # no characters there
    return start[:-1] + chr(last) if last <= ord(_LAST) else None


def _extended(call: Call, value: str) -> Implied:
    match call.arguments:
        case inner, Literal(value=str(end)):
            return (
                _same(inner, Literal(value[: len(value) - len(end)], STRING))
                if value.endswith(end)
                else _NEVER
            )
        case Literal(value=str(start)), inner:
            return _same(inner, Literal(value[len(start) :], STRING)) if value.startswith(start) else _NEVER
    return None


def _sliced(call: Call, value: str) -> Implied:
    text, options = call.arguments[0], dict(call.options)
    if options["start"] not in {"None", "0"} or options["step"] not in {"None", "1"}:
        return None
    if not isinstance(text, Column) or not options["stop"].isdigit():
        return None
    length = int(options["stop"])
    if len(value) > length:
        return _NEVER
    return _begins(text, value) if len(value) == length else _same(text, Literal(value, STRING))


def _first_item(call: Call, value: str) -> Implied:
    match call.arguments:
        case Column() as text, Literal(value=0):
            return _begins(text, value) if len(value) == 1 else _NEVER
    return None


def _changed_case(change: Callable[[str], str]) -> Callable[[Call, str], Implied]:
    def gone_back(call: Call, value: str) -> Implied:
        text = call.arguments[0]
        if not isinstance(text, Column) or not value.isascii():
            return None
        if not value:
            return _same(text, Literal("", STRING))
        first = _sources_of(change, value[0])
        # One letter becomes several in upper case, so only the first is certain to be the first.
        others = [_sources_of(change, c) for c in value[1:3]] if change is str.lower else []
        return _any(_begins(text, "".join(letters)) for letters in product(first, *others))

    return gone_back


@lru_cache(maxsize=512)
def _sources_of(change: Callable[[str], str], letter: str) -> tuple[str, ...]:
    """The characters that become an ASCII one, or something that begins with it. There are none beyond the BMP."""
    characters = (chr(n) for n in range(0x10000) if not 0xD800 <= n < 0xE000)
    return tuple(c for c in characters if change(c)[:1] == letter)


def _whole_number(call: Call, value: str) -> Implied:
    inner = call.arguments[0]
    if inner.type.name not in _BITS:
        return None
    try:
        number = int(value)
    except ValueError:
        return _NEVER
    return _within(inner, Fraction(number), Fraction(number)) if str(number) == value else _NEVER


_OF_TEXT: dict[str, Callable[[Call, str], Implied]] = {
    "str +": _extended,
    "slice": _sliced,
    "item": _first_item,
    "str.lower": _changed_case(str.lower),
    "str.upper": _changed_case(str.upper),
    "str": _whole_number,
}


# Logic


def _together(function: str, parts: list[Expression]) -> Expression:
    """Parts put together in halves: a long chain would be too deep to go through."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return Call(function, (_together(function, parts[:half]), _together(function, parts[half:])), BOOLEAN)


def _all(parts: Iterable[Implied]) -> Implied:
    found = [part for part in parts if part is not None and part != Literal(True, BOOLEAN)]
    if _NEVER in found:
        return _NEVER
    return _together("and", list(dict.fromkeys(found))) if found else None


def _any(parts: Iterable[Implied]) -> Implied:
    found = list(parts)
    if any(part is None or part == Literal(True, BOOLEAN) for part in found):
        return None
    left = [part for part in dict.fromkeys(found) if part is not None and part != _NEVER]
    return _together("or", left) if left else _NEVER


def _range(column: Column, low: Literal, high: Literal) -> Expression:
    bounds = Call(">=", (column, low), BOOLEAN), Call("<=", (column, high), BOOLEAN)
    return Call("and", bounds, BOOLEAN)


def _is_plain(condition: Expression) -> bool:
    """Whether a condition is about columns, and can be asked of every row as it is."""
    return cannot_fail(condition) and not any(isinstance(part, LambdaVariable) for part in walk(condition))


def _is_value(expression: Expression) -> bool:
    return isinstance(expression, (Literal, Parameter))


def _is_widened(cast: Cast) -> bool:
    """Whether a whole number is kept as it is."""
    bits = _BITS.get(cast.type.name), _BITS.get(cast.child.type.name)
    return bits[0] is not None and bits[1] is not None and bits[0] >= bits[1]


def _are_alike(one: Literal, other: Literal) -> bool:
    """Whether two constants can be compared here and now; else Spark compares them."""
    if one.text is not None or other.text is not None:
        return False
    return None in (one.value, other.value) or type(one.value) is type(other.value)


def _are_same(one: Any, other: Any) -> bool:
    """Whether two constants of one type are the same to `<=>`."""
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and bool(one == other)
