"""Room for long pipelines: operators are read, proved and written by functions that call themselves, level by level.

A program of two hundred steps is deeper than Python's limit, which is there for functions that never end. Ours end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

_DEEP = 10_000
"""Calls within calls. The stack that Python gets from the system holds more."""

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def deep(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """The function, with room for deep plans while it runs.

    >>> @deep
    ... def depth(levels: int) -> int:
    ...     return levels and 1 + depth.__wrapped__(levels - 1)
    >>> depth(5000)
    5000
    """

    @wraps(function)
    def with_room(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _DEEP))
        try:
            return function(*args, **kwargs)
        finally:
            sys.setrecursionlimit(before)

    return with_room
