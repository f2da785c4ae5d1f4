"""Builtin functions and methods that are modelled.

Of constants they are computed. Of other values each is a function of Python's that is known by name: what it returns
has a kind, and equal arguments give equal results. Which exceptions they raise does not matter (`python.__init__`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from predtrace.symbolic.python.operations import (
    any_of,
    as_number,
    compared,
    folded,
    items_of,
    looked_up,
    truth,
)
from predtrace.symbolic.python.paths import Path
from predtrace.symbolic.python.values import (
    Kind,
    Known,
    Method,
    Raises,
    Several,
    Symbolic,
    Unknowable,
    Unseen,
    Value,
    is_plain,
    kind_of,
    python,
)

_LARGEST_COUNT = 5_000
"""No constant is padded or repeated beyond that."""

_STRING_METHODS: dict[str, Kind] = {
    **dict.fromkeys(("lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize"), Kind.STR),
    **dict.fromkeys(("casefold", "swapcase", "replace", "zfill", "ljust", "rjust", "center"), Kind.STR),
    **dict.fromkeys(("removeprefix", "removesuffix"), Kind.STR),
    **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha", "isalnum", "isnumeric"), Kind.BOOL),
    **dict.fromkeys(("isspace", "isupper", "islower", "isdecimal", "istitle"), Kind.BOOL),
    **dict.fromkeys(("find", "rfind", "index", "rindex", "count"), Kind.INT),
    **dict.fromkeys(("split", "rsplit", "splitlines"), Kind.STRS),
}
_NONE_MEANS_SPACE = {"split", "rsplit", "strip", "lstrip", "rstrip"}
_OTHER_METHODS: dict[type, set[str]] = {
    dict: {"get", "keys", "values", "items"},
    list: {"index", "count"},
    tuple: {"index", "count"},
}

_OF_FLOATS: dict[Any, Kind] = {
    **dict.fromkeys((math.floor, math.ceil, math.trunc), Kind.INT),
    **dict.fromkeys((math.sqrt, math.exp, math.log, math.log10, math.log2, math.fabs), Kind.FLOAT),
}
MODULES: dict[Any, set[str]] = {
    math: {"floor", "ceil", "trunc", "sqrt", "exp", "log", "log10", "log2", "fabs", "pi", "e", "inf"}
}
"""What may be taken from modules."""


def attribute(owner: Value, name: str) -> Value:
    """`owner.name`."""
    if isinstance(owner, Known):
        if any(owner.value is module and name in names for module, names in MODULES.items()):
            return Known(getattr(owner.value, name))
        if type(owner.value) is str and name in {*_STRING_METHODS, "join"}:
            return Method(owner, name)
        if name in _OTHER_METHODS.get(type(owner.value), set()):
            return Method(owner, name)
        if owner.value is None and not name.startswith("__"):
            raise Raises("AttributeError")
    if kind_of(owner) is Kind.STR and name in _STRING_METHODS:
        return Method(owner, name)
    raise Unknowable(f"the attribute {name}")


def call_method(method: Method, arguments: tuple[Value, ...], path: Path) -> Value:
    owner, name = method.owner, method.name
    if isinstance(owner, Known) and type(owner.value) is dict:
        return _of_table(owner.value, name, arguments, path)
    if isinstance(owner, Known) and name == "join":
        return _joined(owner, items_of(*arguments))
    if isinstance(owner, Known) and all(isinstance(a, Known) for a in arguments):
        values = [a.value for a in arguments if isinstance(a, Known)]
        if any(isinstance(v, int) and abs(v) > _LARGEST_COUNT for v in values):
            raise Unknowable("a large constant")
        return folded(getattr(type(owner.value), name), owner.value, *values)
    if name in {"startswith", "endswith"} and len(arguments) == 1 and _is_tuple(arguments[0]):
        return any_of([call_method(method, (choice,), path) for choice in items_of(arguments[0])])
    given = tuple(a for a in arguments if not (isinstance(a, Known) and a.value is None))
    if len(given) < len(arguments) and (given or name not in _NONE_MEANS_SPACE):
        raise Unknowable(f"{name} with None")
    if kind_of(owner) is not Kind.STR or any(kind_of(a) not in {Kind.STR, Kind.INT} for a in given):
        raise Unknowable(f"{name} of such values")
    return python(f"str.{name}", _STRING_METHODS[name], owner, *given)


def _is_tuple(value: Value) -> bool:
    return (value.kind if isinstance(value, Several) else type(getattr(value, "value", None))) is tuple


def call_builtin(function: Any, arguments: tuple[Value, ...], path: Path) -> Value:
    """A builtin function of some values."""
    modelled = _FUNCTIONS.get(function)
    if modelled is not None:
        most = _MOST_ARGUMENTS.get(function, 1)
        if len(arguments) > most:
            raise Unknowable(f"{function.__name__} with more arguments")
        return modelled(arguments, path)
    if function in _OF_FLOATS and len(arguments) == 1:
        argument = as_number(arguments[0], path)
        if isinstance(argument, Known):
            return folded(function, argument.value)
        if kind_of(argument) in {Kind.INT, Kind.FLOAT}:
            return python(f"math.{function.__name__}", _OF_FLOATS[function], argument)
        raise Unknowable(f"{function.__name__} of such a value")
    raise Unknowable(f"a call of {getattr(function, '__name__', 'an object')}")


def _of_table(table: dict[Any, Any], name: str, arguments: tuple[Value, ...], path: Path) -> Value:
    if name != "get":
        return Known(list(getattr(table, name)()))
    key, default = arguments if len(arguments) == 2 else (*arguments, Known(None))
    if isinstance(key, Known):
        found = folded(lambda k: k in table, key.value).value
        return Known(table[key.value]) if found else default
    return looked_up(table, key, path, default)


def _joined(separator: Known, parts: tuple[Value, ...]) -> Value:
    found: Value = Known("")
    for at, part in enumerate(parts):
        if kind_of(part) is not Kind.STR:
            raise Unknowable("joining such values")
        before = plus(found, separator) if at else found
        found = plus(before, part)
    return found


def plus(left: Value, right: Value) -> Value:
    """Two strings, one after the other."""
    if isinstance(left, Known) and isinstance(right, Known):
        return folded(lambda a, b: a + b, left.value, right.value)
    if isinstance(left, Known) and left.value == "":
        return right
    if isinstance(right, Known) and right.value == "":
        return left
    return python("str +", Kind.STR, left, right)


def as_text(value: Value, path: Path) -> Value:
    """`str(value)`."""
    if isinstance(value, Known):
        return folded(str, value.value) if is_plain(value.value) else _refuse("the text of an object")
    if isinstance(value, Symbolic) and value.kind is Kind.BOOL:
        return Known(str(path.decide(value.expression)))
    if kind_of(value) is Kind.STR:
        return value
    if kind_of(value) in {Kind.INT, Kind.FLOAT}:
        return python("str", Kind.STR, value)
    raise Unknowable("the text of such a value")


def _refuse(what: str) -> Value:
    raise Unknowable(what)


def _length(arguments: tuple[Value, ...], path: Path) -> Value:
    (value,) = arguments
    if isinstance(value, Several):
        return Known(len(value.items))
    if isinstance(value, Known):
        return folded(len, value.value)
    if kind_of(value) in {Kind.STR, Kind.STRS}:
        return python("len", Kind.INT, value)
    raise Unknowable("the length of such a value")


def _absolute(arguments: tuple[Value, ...], path: Path) -> Value:
    value = as_number(arguments[0], path)
    if isinstance(value, Known):
        return folded(abs, value.value)
    kind = kind_of(value)
    if kind not in {Kind.INT, Kind.FLOAT}:
        raise Unknowable("the absolute of such a value")
    assert kind is not None
    return python("abs", kind, value)


def _whole(arguments: tuple[Value, ...], path: Path) -> Value:
    return _converted(int, Kind.INT, arguments, path)


def _fraction(arguments: tuple[Value, ...], path: Path) -> Value:
    return _converted(float, Kind.FLOAT, arguments, path)


def _converted(function: type, kind: Kind, arguments: tuple[Value, ...], path: Path) -> Value:
    if len(arguments) != 1:
        raise Unknowable(f"{function.__name__} with a base")
    value = as_number(arguments[0], path)
    if isinstance(value, Known):
        return folded(function, value.value)
    if kind_of(value) is kind:
        return value
    if kind_of(value) not in {Kind.STR, Kind.INT, Kind.FLOAT}:
        raise Unknowable(f"{function.__name__} of such a value")
    return python(function.__name__, kind, value)


def _rounded(arguments: tuple[Value, ...], path: Path) -> Value:
    value, *digits = (as_number(argument, path) for argument in arguments)
    if isinstance(value, Known) and all(isinstance(d, Known) for d in digits):
        if any(isinstance(d, Known) and isinstance(d.value, int) and abs(d.value) > 20 for d in digits):
            raise Unknowable("rounding to so many digits")
        return folded(round, value.value, *(d.value for d in digits if isinstance(d, Known)))
    kind = kind_of(value)
    if kind not in {Kind.INT, Kind.FLOAT} or any(kind_of(d) is not Kind.INT for d in digits):
        raise Unknowable("rounding such a value")
    return python("round", Kind.INT if not digits or kind is Kind.INT else Kind.FLOAT, value, *digits)


def _best(symbol: str) -> Callable[[tuple[Value, ...], Path], Value]:
    def best(arguments: tuple[Value, ...], path: Path) -> Value:
        choices = items_of(arguments[0]) if len(arguments) == 1 else arguments
        if not choices:
            raise Raises("ValueError")
        found = choices[0]
        for choice in choices[1:]:
            if truth(compared(symbol, choice, found), path):
                found = choice
        return found

    return best


def _any(arguments: tuple[Value, ...], path: Path) -> Value:
    return Known(any(truth(value, path) for value in items_of(arguments[0])))


def _all(arguments: tuple[Value, ...], path: Path) -> Value:
    return Known(all(truth(value, path) for value in items_of(arguments[0])))


def _is_instance(arguments: tuple[Value, ...], path: Path) -> Value:
    value, classes = arguments
    if not isinstance(classes, (Known, Several)) or isinstance(value, (Unseen, Several)):
        raise Unknowable("isinstance of such a value")
    choices = [classes] if isinstance(classes, Known) and type(classes.value) is type else items_of(classes)
    wanted = tuple(c.value for c in choices if isinstance(c, Known))
    if len(wanted) != len(choices) or not all(
        c in {int, float, str, bool, list, tuple, dict} for c in wanted
    ):
        raise Unknowable("isinstance of other classes")
    if isinstance(value, Known) and is_plain(value.value):
        return Known(isinstance(value.value, wanted))
    of_kind = {Kind.INT: int, Kind.FLOAT: float, Kind.STR: str, Kind.BOOL: bool, Kind.STRS: list}
    kind = value.kind if isinstance(value, Symbolic) else None
    if kind is None:
        raise Unknowable("isinstance of such a value")
    return Known(issubclass(of_kind[kind], wanted))


def _iterable(function: Any) -> Callable[[tuple[Value, ...], Path], Value]:
    def made(arguments: tuple[Value, ...], path: Path) -> Value:
        if not all(isinstance(a, Known) and type(a.value) is int for a in arguments):
            raise Unknowable("a range that depends on the row")
        return folded(function, *(a.value for a in arguments if isinstance(a, Known)))

    return made


def _collected(kind: type) -> Callable[[tuple[Value, ...], Path], Value]:
    def collected(arguments: tuple[Value, ...], path: Path) -> Value:
        return Several(kind, items_of(arguments[0]) if arguments else ())

    return collected


_MOST_ARGUMENTS: dict[Any, int] = {round: 2, isinstance: 2, range: 3, min: 60, max: 60}

_FUNCTIONS: dict[Any, Callable[[tuple[Value, ...], Path], Value]] = {
    len: _length,
    abs: _absolute,
    int: _whole,
    float: _fraction,
    round: _rounded,
    min: _best("<"),
    max: _best(">"),
    any: _any,
    all: _all,
    isinstance: _is_instance,
    range: _iterable(range),
    list: _collected(list),
    tuple: _collected(tuple),
    str: lambda arguments, path: as_text(arguments[0], path) if arguments else Known(""),
    bool: lambda arguments, path: Known(truth(arguments[0], path) if arguments else False),
}
