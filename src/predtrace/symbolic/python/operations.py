"""Python's operators: arithmetic, comparisons, truth, membership and look-ups."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from predtrace.ir.expressions import Call, Case, Cast, Expression, Literal
from predtrace.ir.types import BOOLEAN, DOUBLE
from predtrace.symbolic.python.paths import Path
from predtrace.symbolic.python.values import (
    Kind,
    Known,
    Raises,
    Several,
    Symbolic,
    Unknowable,
    Value,
    expression_of,
    is_nan,
    is_plain,
    is_scalar,
    kind_of,
    literal,
    python,
)

_MOST_CHOICES = 60
_NUMBERS = {Kind.INT, Kind.FLOAT}
_SMALL = {"byte", "short", "integer"}
"""Integers that a double holds exactly."""
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED = {"==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SQL = {"==": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def folded(function: Callable[..., Any], *values: Any) -> Known:
    """The result of an operator or builtin for constants."""
    try:
        result = function(*values)
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as problem:
        raise Raises(type(problem).__name__) from None
    if not is_plain(result):
        raise Unknowable("a constant that is not plain, or large")
    return Known(result)


def arithmetic(symbol: str, left: Value, right: Value, path: Path) -> Value:
    """`left symbol right`."""
    if symbol not in _ARITHMETIC:
        raise Unknowable(f"the operator {symbol}")
    if isinstance(left, Known) and isinstance(right, Known):
        _refuse_large(symbol, left.value, right.value)
        return folded(_ARITHMETIC[symbol], left.value, right.value)
    if symbol == "+" and isinstance(left, (Several, Known)) and isinstance(right, (Several, Known)):
        return _joined(left, right)
    left, right = as_number(left, path), as_number(right, path)
    kinds = kind_of(left), kind_of(right)
    if None in kinds:
        raise _type_error(left, right)
    if kinds == (Kind.STR, Kind.STR) and symbol == "+":
        return python("str +", Kind.STR, left, right)
    if not set(kinds) <= _NUMBERS or symbol in {"&", "|", "^"}:
        raise Unknowable(f"{symbol} of {kinds[0] and kinds[0].value} and {kinds[1] and kinds[1].value}")
    if symbol == "**" and not _is_small_power(right):
        raise Unknowable("a power that is no small whole number")
    is_whole = kinds == (Kind.INT, Kind.INT) and symbol != "/"
    return python(symbol, Kind.INT if is_whole else Kind.FLOAT, left, right)


def negated(value: Value, path: Path) -> Value:
    """`-value`."""
    value = as_number(value, path)
    if isinstance(value, Known):
        return folded(operator.neg, value.value)
    kind = kind_of(value)
    if kind not in _NUMBERS:
        raise _type_error(value)
    assert kind is not None
    return python("neg", kind, value)


def as_number(value: Value, path: Path) -> Value:
    """A boolean counts as 0 or 1."""
    if isinstance(value, Symbolic) and value.kind is Kind.BOOL:
        return Known(1 if path.decide(value.expression) else 0)
    if isinstance(value, Known) and type(value.value) is bool:
        return Known(int(value.value))
    return value


def compared(symbol: str, left: Value, right: Value) -> Value:
    """`==`, `<`, `<=`, `>` or `>=`; true or false where both sides have values of their kinds."""
    if isinstance(left, Known) and isinstance(right, Known):
        return folded(COMPARISONS[symbol], left.value, right.value)
    if isinstance(left, Known):
        return compared(_MIRRORED[symbol], right, left)
    kinds = kind_of(left), kind_of(right)
    is_none = isinstance(right, Known) and right.value is None
    if is_none or (None not in kinds and _never_equal(*kinds)):
        if symbol == "==":
            return Known(False)
        raise Raises("TypeError")
    match kinds:
        case (Kind.STR, Kind.STR) | (Kind.INT, Kind.INT):
            return _boolean(_SQL[symbol], expression_of(left), expression_of(right))
        case (Kind.BOOL, Kind.BOOL) if symbol == "==":
            return _boolean("=", expression_of(left), expression_of(right))
        case (Kind.INT, Kind.FLOAT) if isinstance(right, Known):
            return _whole_beside_fraction(symbol, left, right.value)
        case (Kind.INT | Kind.FLOAT, Kind.INT | Kind.FLOAT):
            return _floats(symbol, _as_double(left), _as_double(right))
    raise Unknowable("a comparison of such values")


def contains(container: Value, item: Value) -> Value:
    """`item in container`."""
    if isinstance(container, Known) and isinstance(item, Known):
        return folded(lambda a, b: a in b, item.value, container.value)
    if kind_of(container) is Kind.STR:
        if kind_of(item) is not Kind.STR:
            raise Raises("TypeError") if kind_of(item) else Unknowable("what is looked for in a string")
        return python("in", Kind.BOOL, item, container)
    unordered = isinstance(container, Known) and type(container.value) in {set, frozenset}
    choices = tuple(map(Known, container.value)) if unordered else items_of(container)  # type: ignore[union-attr]
    if any(isinstance(c, Known) and is_nan(c.value) for c in choices):
        raise Unknowable("NaN among the choices")
    if kind_of(item) is Kind.FLOAT and any(isinstance(choice, Symbolic) for choice in choices):
        raise Unknowable("NaN, which is in a list if it is the same object")
    tests = [compared("==", item, choice) for choice in choices]
    return any_of(tests)


def any_of(tests: list[Value]) -> Value:
    """Whether one of some booleans is true."""
    if any(isinstance(test, Known) and test.value for test in tests):
        return Known(True)
    found = [test.expression for test in tests if isinstance(test, Symbolic)]
    if len(found) > 1 and (among := _one_among(found)) is not None:
        return Symbolic(Kind.BOOL, among)
    if len(found) > _MOST_CHOICES:
        raise Unknowable("many choices")
    if not found:
        return Known(False)
    return Symbolic(Kind.BOOL, reduce(lambda one, other: Call("or", (one, other), BOOLEAN, False), found))


def _one_among(tests: list[Expression]) -> Expression | None:
    """`x IN (...)` for equations of one thing with constants."""
    choices = []
    for test in tests:
        match test:
            case Call(function="=", arguments=(left, Literal() as choice)):
                choices.append((left, choice))
            case _:
                return None
    lefts = {left for left, _ in choices}
    if len(lefts) > 1:
        return None
    return Call("in", (*lefts, *(choice for _, choice in choices)), BOOLEAN, False)


def items_of(value: Value) -> tuple[Value, ...]:
    """What a container of constants, or one written out, yields when it is iterated over."""
    if isinstance(value, Several):
        return value.items
    if isinstance(value, Known) and type(value.value) in {tuple, list, dict, range, str}:
        return tuple(map(Known, value.value))
    raise Unknowable("what is iterated over")  # the order of a set is no constant


def truth(value: Value, path: Path) -> bool:
    """Whether a value counts as true, on this path."""
    if isinstance(value, Known):
        if not is_plain(value.value):
            raise Unknowable("the truth of an object")
        return bool(value.value)
    if isinstance(value, Several):
        return bool(value.items)
    if not isinstance(value, Symbolic):
        raise Unknowable("the truth of such a value")
    match value.kind:
        case Kind.BOOL:
            return path.decide(value.expression)
        case Kind.STRS:
            return not path.decide(expression_of(compared("==", python("len", Kind.INT, value), Known(0))))
    empty = {Kind.INT: 0, Kind.FLOAT: 0.0, Kind.STR: ""}[value.kind]
    return not path.decide(_equal(value.expression, literal(empty)))


def inverted(value: Value, path: Path) -> Value:
    """`not value`."""
    if isinstance(value, Symbolic) and value.kind is Kind.BOOL:
        return Symbolic(Kind.BOOL, Call("not", (value.expression,), BOOLEAN, False))
    return Known(not truth(value, path))


def item(container: Value, key: Value, path: Path) -> Value:
    """`container[key]`."""
    if isinstance(container, Known) and isinstance(key, Known):
        return folded(operator.getitem, container.value, key.value)
    if isinstance(container, Several) and isinstance(key, Known):
        if type(key.value) not in {int, bool}:
            raise Raises("TypeError")
        if -len(container.items) <= key.value < len(container.items):
            return container.items[int(key.value)]
        raise Raises("IndexError")
    if isinstance(container, Symbolic) and kind_of(key) is Kind.INT:
        if container.kind is Kind.STR:
            return python("item", Kind.STR, container, key)
        if container.kind is Kind.STRS:
            return python("list item", Kind.STR, container, key)
    if isinstance(container, Known):
        return looked_up(_as_mapping(container.value), key, path, None)
    raise Unknowable("an item of such a value")


def looked_up(table: Mapping[Any, Any], key: Value, path: Path, default: Value | None) -> Value:
    """The entry of a constant table, or the default; without one Python raises."""
    entries = [(compared("==", key, Known(k)), v) for k, v in table.items() if not is_nan(k)]
    by_kind: dict[Kind | None, list[tuple[Value, Any]]] = {}
    for test, value in entries:
        if isinstance(test, Known) and not test.value:
            continue
        if is_scalar(value):
            by_kind.setdefault(kind_of(Known(value)), []).append((test, value))
        elif path.decide(expression_of(test)):
            return Known(value)
    for kind, found in by_kind.items():
        if path.decide(expression_of(any_of([test for test, _ in found]))):
            if kind is None:
                return Known(None)
            if len({repr(v) for _, v in found}) == 1:
                return Known(found[0][1])
            return Symbolic(kind, Case(tuple((expression_of(t), literal(v)) for t, v in found), None))
    if default is None:
        raise Raises("KeyError")
    return default


def _as_mapping(value: Any) -> Mapping[Any, Any]:
    if type(value) is dict:
        return value
    if type(value) in {list, tuple, str}:
        return {at: value[at] for at in range(-len(value), len(value))}
    raise Unknowable("an item of such a constant")


def _joined(left: Several | Known, right: Several | Known) -> Value:
    kinds = {x.kind if isinstance(x, Several) else type(x.value) for x in (left, right)}
    if len(kinds) != 1 or not kinds <= {list, tuple}:
        raise Raises("TypeError")
    items = (*items_of(left), *items_of(right))
    if len(items) > _MOST_CHOICES:
        raise Unknowable("a long list")
    return Several(kinds.pop(), items)


def _boolean(function: str, left: Expression, right: Expression) -> Symbolic:
    return Symbolic(Kind.BOOL, Call(function, (left, right), BOOLEAN, False))


def _never_equal(left: Kind | None, right: Kind | None) -> bool:
    families = [_NUMBERS | {Kind.BOOL}, {Kind.STR}, {Kind.STRS}]
    return not any(left in family and right in family for family in families)


def _whole_beside_fraction(symbol: str, left: Value, right: float) -> Value:
    if not math.isfinite(right):
        raise Unknowable("a comparison with infinity or NaN")
    if right == int(right):
        return compared(symbol, left, Known(int(right)))
    if symbol == "==":
        return Known(False)
    if symbol in {"<", "<="}:
        return compared("<=", left, Known(math.floor(right)))
    return compared(">=", left, Known(math.ceil(right)))


def _as_double(value: Value) -> Expression:
    """A number as a double, where that changes nothing."""
    if kind_of(value) is Kind.FLOAT:
        return expression_of(value)
    if isinstance(value, Known):
        if abs(value.value) > 2**53:
            raise Unknowable("a large number beside a float")
        return literal(float(value.value))
    expression = expression_of(value)
    if expression.type.name not in _SMALL:
        raise Unknowable("a large number beside a float")
    return Cast(expression, DOUBLE)


def _floats(symbol: str, left: Expression, right: Expression) -> Symbolic:
    """Nothing compares with NaN in Python; in SQL it equals itself and is above all others."""
    if symbol == "==":
        return Symbolic(Kind.BOOL, _equal(left, right))
    larger = right if symbol in {"<", "<="} else left
    return Symbolic(Kind.BOOL, _unless_nan(larger, Call(_SQL[symbol], (left, right), BOOLEAN, False)))


def _equal(left: Expression, right: Expression) -> Expression:
    if any(isinstance(side, Literal) and is_nan(side.value) for side in (left, right)):
        return Literal(False, BOOLEAN)
    test = Call("=", (left, right), BOOLEAN, False)
    return _unless_nan(left, test) if left.type == DOUBLE and not isinstance(right, Literal) else test


def _unless_nan(value: Expression, test: Expression) -> Expression:
    if isinstance(value, Literal):
        return Literal(False, BOOLEAN) if is_nan(value.value) else test
    known = Call("not", (Call("isnan", (value,), BOOLEAN, False),), BOOLEAN, False)
    return Call("and", (known, test), BOOLEAN, False)


def _is_small_power(value: Value) -> bool:
    return isinstance(value, Known) and type(value.value) is int and 0 <= value.value <= 64


def _refuse_large(symbol: str, left: Any, right: Any) -> None:
    """Constants that would take long to compute."""
    if not (is_plain(left) and is_plain(right)):
        raise Unknowable("an operator of objects")
    if symbol == "**" and not (is_scalar(left) and isinstance(right, (int, float)) and abs(right) <= 64):
        raise Unknowable("a large power")
    if symbol == "*" and not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
        sizes = [len(x) for x in (left, right) if hasattr(x, "__len__")]
        counts = [abs(x) for x in (left, right) if isinstance(x, int)]
        if not sizes or not counts or sizes[0] * counts[0] > 10_000:
            raise Unknowable("a large constant")
    if symbol == "%" and isinstance(left, (str, bytes)):
        raise Unknowable("formatting by %")


def _type_error(*values: Value) -> Exception:
    if any(isinstance(value, Known) and value.value is None for value in values):
        return Raises("TypeError")
    return Unknowable("an operator of such values")
