"""Where in the user's program we are, and the error for what cannot be done as pandas does it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import numpy
import pandas

from predtrace.errors import InputError

_NOT_THE_USER = (
    str(Path(__file__).parent.parent),
    functools.__file__,  # it calls our cached properties
    *(str(Path(str(module.__file__)).parent) for module in (pandas, numpy)),
)

Method = TypeVar("Method", bound=Callable[..., Any])


class Unfaithful(InputError):
    """A call of pandas that cannot be answered on Spark with the very result of pandas."""


def users_line() -> str:
    """The place in the user's program that called us, as `line 7 of report.py`."""
    frame = users_frame()
    return "" if frame is None else f"line {frame.f_lineno} of {Path(frame.f_code.co_filename).name}"


def users_frame() -> FrameType | None:
    """What runs of the user's program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_NOT_THE_USER) and not file.startswith("<frozen"):
            return frame
        frame = frame.f_back
    return None


def refused(call: str, why: str, todo: str = "") -> Unfaithful:
    """The error for a call that is not supported. Better no result than one that pandas would not give.

    >>> raise refused("DataFrame.plot()", "it draws")
    Traceback (most recent call last):
    predtrace.frontends.pandas.core.steps.Unfaithful: DataFrame.plot() is not supported: it draws, ...
    """
    advice = todo or "write this step otherwise, or do it in plain pandas: df.to_pandas() leaves Spark"
    return Unfaithful(f"{call} is not supported: {why}", where=f"in {users_line()}", todo=advice)


def only(call: str, defaults: dict[str, Any], given: dict[str, Any]) -> None:
    """Refuse arguments that are not at their defaults: they ask for something that is not done here."""
    for name, value in given.items():
        if name not in defaults:
            raise TypeError(f"{call} got an unexpected keyword argument {name!r}")
        default = defaults[name]
        if value is not default and not (type(value) is type(default) and value == default):
            raise refused(call, f"{name}={value!r} is not")


def in_place(method: Method) -> Method:
    """Give a method that returns a changed object the argument `inplace`, as pandas has it."""

    @functools.wraps(method)
    def either(self: Any, *args: Any, inplace: bool = False, **kwargs: Any) -> Any:
        changed = method(self, *args, **kwargs)
        if not inplace:
            return changed
        self._become(changed)
        return None

    return either  # type: ignore[return-value]
