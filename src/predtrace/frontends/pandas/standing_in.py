"""Stands in for what a program is not run for: drawings and models. It takes whatever is done to it and does nothing.

Where its value would have to be known (a column made of predictions, a function sent to Spark) there is none to give:
`NeedsSkipped`.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from predtrace.errors import InputError
from predtrace.frontends.pandas.core.steps import users_line

_SAID = "(skipped)"
_heard: list[Callable[[str, str], None]] = []
"""Who is told of each call, and where it is."""


class NeedsSkipped(InputError):
    """A step needs the value of something that was skipped."""


class Skipped:
    """The result of something that was not done, under the name that the program calls it by."""

    _skipped_name = "something"

    def __init__(self, name: str = "something", *_: Any, **__: Any) -> None:
        object.__setattr__(self, "_skipped_name", name)

    def __getattr__(self, name: str) -> Skipped:
        if name.startswith("__"):
            raise AttributeError(name)  # protocols of Python and others ask what is not there
        return Skipped(f"{self._skipped_name}.{name}")

    def __call__(self, *_: Any, **__: Any) -> Skipped:
        for hears in _heard:
            hears(self._skipped_name, users_line())
        return Skipped(self._skipped_name)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """A class that inherits from it absorbs everything, too."""
        first = next(base for base in bases if isinstance(base, Skipped))
        return (Skipped,) if first is self else ()

    def __iter__(self) -> Iterator[Skipped]:
        """Nothing; but as many as the program takes apart: `figure, axes = plt.subplots()`."""
        count = _names_unpacked(sys._getframe(1))
        return iter([Skipped(self._skipped_name) for _ in range(count)])

    def __reduce__(self) -> Any:
        raise self.needed()

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self.needed()

    def needed(self) -> NeedsSkipped:
        """The error where a value must be known."""
        todo = "leave this step out, or do without its result"
        return NeedsSkipped(f"this needs {self._skipped_name}, which is skipped", f"in {users_line()}", todo)

    def __getitem__(self, key: Any) -> Skipped:
        return Skipped(self._skipped_name)

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __delitem__(self, key: Any) -> None:
        return None

    def __contains__(self, value: Any) -> bool:
        return False

    def __instancecheck__(self, other: object) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __enter__(self) -> Skipped:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __float__(self) -> float:
        return float("nan")

    def __int__(self) -> int:
        return 0

    __index__ = __int__

    def __str__(self) -> str:
        return _SAID

    __repr__ = __str__

    def __format__(self, how: str) -> str:
        return _SAID

    def __hash__(self) -> int:
        return id(self)


def _absorbed(self: Skipped, *_: Any, **__: Any) -> Skipped:
    return Skipped(self._skipped_name)


_WITH_TWO_SIDES = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_OTHERS = "eq ne lt le gt ge neg pos abs invert round array_ufunc array_function"
for _name in _WITH_TWO_SIDES.split():
    setattr(Skipped, f"__{_name}__", _absorbed)
    setattr(Skipped, f"__r{_name}__", _absorbed)
for _name in _OTHERS.split():
    setattr(Skipped, f"__{_name}__", _absorbed)


def _names_unpacked(frame: FrameType) -> int:
    """How many values the program is about to take apart, if that is what it does."""
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset == frame.f_lasti:
            if instruction.opname == "UNPACK_SEQUENCE":
                return int(instruction.arg or 0)
            if instruction.opname == "UNPACK_EX":
                before_and_after = int(instruction.arg or 0)
                return (before_and_after & 0xFF) + (before_and_after >> 8)
    return 0


@contextmanager
def telling_of_calls(hears: Callable[[str, str], None]) -> Iterator[None]:
    """Tell somebody the name and the place of each call that is absorbed, until this ends."""
    _heard.append(hears)
    try:
        yield
    finally:
        _heard.remove(hears)
