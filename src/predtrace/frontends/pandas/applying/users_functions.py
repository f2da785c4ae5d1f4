"""The user's functions, made fit to be called by Spark for every row.

They are called in other processes, one row at a time, so a few things around them must be other ones there:

| what a function refers to | what it finds there |
|---|---|
| this pandas (`pd.isnull`, `pd.Series`) | plain pandas: the values of one row are no work for Spark |
| a value that Spark works out, such as a mean | the value, an argument in Spark's plan, so that rows depend on it |
| a frame or a series | all its rows, an argument in Spark's plan, as a frame of plain pandas |
| variables and frames that it changes | refused: nobody here would see the change |
| random numbers | refused: every call would give others |

A function that refers to none of these is called as it is. Others are copied: the same code with other names around.
"""

from __future__ import annotations

import builtins
import dis
import functools
import random
import sysconfig
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.applying.calling import Function
from predtrace.frontends.pandas.applying.whole_tables import WholeTable
from predtrace.frontends.pandas.core.dtypes import check_not_kept
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.steps import refused

_HERE = "predtrace.frontends.pandas"
_OUR_PANDAS = "predtrace.pandas"
_LIBRARIES = tuple({path for name, path in sysconfig.get_paths().items() if "lib" in name})


def prepared(function: Any, args: Any, kwargs: dict[str, Any], call: str) -> tuple[Function, list[Scalar]]:
    """The function for Spark, with its further arguments; the scalars that it takes after the row's own values."""
    copies = _Copies(call)
    fit = copies.fit(function) if _needs_another(function, call, set()) else function
    more, named = list(args), dict(kwargs)
    for owner, keys in ((more, range(len(more))), (named, list(named))):
        for key in keys:
            copies.put(owner, key, owner[key])  # type: ignore[index]
    if args or kwargs:
        fit = _curried(fit, more, named)
    if not copies.scalars:
        return fit, []
    makers = [
        scalar.made if isinstance(scalar, WholeTable) else _value_maker(scalar._dtype.name)
        for scalar in copies.scalars
    ]
    checks = [scalar.is_as_made for scalar in copies.scalars if isinstance(scalar, WholeTable)]
    return _told(fit, copies.places, makers, checks), copies.scalars


def _curried(function: Function, args: list[Any], kwargs: dict[str, Any]) -> Function:
    def curried(*values: Any) -> Any:
        return function(*values, *args, **kwargs)

    return curried


def _value_maker(dtype: str) -> Function:
    """What makes of a scalar's value in Spark the one that pandas has."""

    def made(value: Any) -> Any:
        if dtype == "datetime64[ns]":
            return pd.Timestamp(value)
        if dtype == "timedelta64[ns]":
            return pd.Timedelta(value)
        if value is None:
            return float("nan")
        return value if dtype in ("object", "category") else np.dtype(dtype).type(value)

    return made


def _told(
    function: Function, places: list[tuple[Any, Any, int]], makers: list[Function], checks: list[Function]
) -> Function:
    """The function, told the values of scalars before it is called: they come after the row's values."""

    put = _putter()

    def told(*values: Any) -> Any:
        count = len(makers)
        given = [make(value) for make, value in zip(makers, values[len(values) - count :], strict=True)]
        for owner, key, at in places:
            put(owner, key, given[at])
        result = function(*values[: len(values) - count])
        if not all(is_as_made() for is_as_made in checks):
            raise TypeError("the function changes a frame outside of it")
        return result

    return told


_DEFAULT = "default"
"""What the key of a default begins with: the number of its parameter follows, or the name if it must be named."""


def _putter() -> Callable[[Any, Any, Any], None]:
    """What sets an argument, a global name, a cell of a closure or a default.

    A function inside a function, so that it goes to Spark's processes as a whole (`calling`).
    """

    def put(owner: Any, key: Any, value: Any) -> None:
        if isinstance(owner, (list, dict)):
            owner[key] = value
        elif isinstance(key, int):
            owner.__closure__[key].cell_contents = value
        elif isinstance(key, str):
            owner.__globals__[key] = value
        elif isinstance(key[1], int):
            old = owner.__defaults__
            owner.__defaults__ = (*old[: key[1]], value, *old[key[1] + 1 :])
        else:
            owner.__kwdefaults__ = {**owner.__kwdefaults__, key[1]: value}

    return put


def _needs_another(value: Any, call: str, seen: set[int]) -> bool:
    """Whether a function refers, itself or by others, to something that is not there when Spark calls it."""
    if isinstance(value, functools.partial):
        parts = [value.func, *value.args, *value.keywords.values()]
        return any(_needs_another(part, call, seen) for part in parts)
    if isinstance(value, types.FunctionType) and is_users(value):
        if id(value) in seen:
            return False
        seen.add(id(value))
        _check(value, call)
        parts = [*outside_of(value).values(), *_defaults(value).values()]
        return any(_needs_another(one, call, seen) for one in parts)
    return isinstance(value, (Scalar, Held)) or _in_plain_pandas(value) is not value


def _in_plain_pandas(value: Any) -> Any:
    """What plain pandas has in the place of something of ours; everything else as it is."""
    if isinstance(value, types.ModuleType):
        return pd if value.__name__ == _OUR_PANDAS else value
    if not isinstance(value, (type, types.FunctionType)) or not _is_ours(value):
        return value
    from predtrace.frontends.pandas.frame import DataFrame
    from predtrace.frontends.pandas.series import Series

    name = value.__name__
    for own, plain in (
        (Series, pd.Series),
        (DataFrame, pd.DataFrame),
    ):  # `pd.Series.mode` is a function of ours
        if getattr(own, name, None) is value:
            return getattr(plain, name, value)
    return getattr(pd, name, value)


@dataclass
class _Copies:
    """Copies of functions. `places`: where scalars belong, as an owner of values, a key and the scalar's number."""

    call: str
    scalars: list[Scalar] = field(default_factory=list)
    places: list[tuple[Any, Any, int]] = field(default_factory=list)
    _known: dict[int, types.FunctionType] = field(default_factory=dict)
    _numbers: dict[int, int] = field(default_factory=dict)

    def fit(self, value: Any) -> Any:
        """The same, or what is to be there in its place."""
        if isinstance(value, functools.partial):
            named = {name: self.fit(one) for name, one in value.keywords.items()}
            return functools.partial(self.fit(value.func), *map(self.fit, value.args), **named)
        if isinstance(value, types.FunctionType) and is_users(value):
            return self._known.get(id(value)) or self._copied(value)
        if isinstance(value, (Scalar, Held)):
            raise refused(self.call, "a value that Spark works out is bound to the function")
        return _in_plain_pandas(value)

    def put(self, owner: Any, key: Any, value: Any) -> None:
        """Set an argument, a global name or a cell of a closure to a value, or to the scalar it will have."""
        if isinstance(value, (Scalar, Held)):
            self.places.append((owner, key, self._number(value)))
            fit = None
        else:
            fit = self.fit(value)
        _putter()(owner, key, fit)

    def _number(self, value: Scalar | Held) -> int:
        """The place of a scalar, or of all rows of a frame, among the scalars."""
        if isinstance(value, Scalar):
            check_not_kept(f"a value in {self.call}", value._dtype)
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.scalars)
            self.scalars.append(value if isinstance(value, Scalar) else WholeTable(value))
        return self._numbers[id(value)]

    def _copied(self, function: types.FunctionType) -> types.FunctionType:
        code = function.__code__
        names = {"__builtins__": builtins, "__name__": function.__module__}
        cells = tuple(types.CellType() for _ in code.co_freevars)
        copy = types.FunctionType(code, names, function.__name__, function.__defaults__, cells)
        copy.__kwdefaults__ = function.__kwdefaults__
        self._known[id(function)] = copy  # before its names: it may call itself
        for name, value in outside_of(function).items():
            self.put(copy, code.co_freevars.index(name) if name in code.co_freevars else name, value)
        for default, value in _defaults(function).items():
            self.put(copy, default, value)
        return copy


def _is_ours(value: type | types.FunctionType) -> bool:
    return str(value.__module__).startswith(_HERE)  # code that is executed from a text has no module


def is_users(function: types.FunctionType) -> bool:
    """Whether a function is of the program, and not of a library."""
    return not _is_ours(function) and not function.__code__.co_filename.startswith(_LIBRARIES)


def outside_of(function: types.FunctionType) -> dict[str, Any]:
    """The values of the names that a function takes from around it."""
    names = {
        step.argval for step in steps_of(function.__code__) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    found = {name: function.__globals__[name] for name in sorted(names) if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        found[name] = cell.cell_contents
    return found


def _defaults(function: types.FunctionType) -> dict[tuple[str, int | str], Any]:
    """The values of the parameters that need not be given."""
    found: dict[tuple[str, int | str], Any] = {}
    found |= {(_DEFAULT, place): value for place, value in enumerate(function.__defaults__ or ())}
    return found | {(_DEFAULT, name): value for name, value in (function.__kwdefaults__ or {}).items()}


def steps_of(code: types.CodeType) -> Iterator[dis.Instruction]:
    """What a function's code does, and that of the functions inside of it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from steps_of(constant)


_NAMING = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "IMPORT_NAME", "IMPORT_FROM")


def _check(function: types.FunctionType, call: str) -> None:
    """Refuse functions whose results depend on how often and where they are called."""
    steps = list(steps_of(function.__code__))
    shared = set(function.__code__.co_freevars)
    for step in steps:
        if step.opname == "STORE_GLOBAL" or (step.opname == "STORE_DEREF" and step.argval in shared):
            raise refused(call, f"the function changes {step.argval!r}, a variable outside of it")
    names = {step.argval for step in steps if step.opname in _NAMING}
    chance = [value for value in outside_of(function).values() if _is_random(value)]
    if chance or "random" in names:
        raise refused(
            call, "the function takes random numbers, and Spark may call it more than once for a row"
        )


def _is_random(value: Any) -> bool:
    owner = getattr(value, "__self__", None)
    return (
        value is random
        or isinstance(owner, random.Random)
        or type(owner).__module__.startswith("numpy.random")
    )
