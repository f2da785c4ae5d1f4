"""Who is told what a program does with its frames: that it shows one, writes one, or takes values out of Spark.

`predtrace run notebook.ipynb` listens, to know which frame is meant and what cannot be traced. Otherwise nobody does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from pyspark.sql import DataFrame as Rows

from predtrace.frontends.pandas.core.steps import users_line


class Listener(Protocol):
    """Hears of every frame that is looked at."""

    @property
    def lets_write(self) -> bool:
        """Whether files are written as the program says."""

    def shown(self, frame: Any) -> None:
        """A frame or series was printed."""

    def written(self, frame: Any, target: str) -> None:
        """A frame or series is written to a file or a database."""

    def left(self, call: str, place: str) -> None:
        """The program took values out of Spark: what it does with them is not in any pipeline."""

    def drawn(self, call: str) -> Any:
        """The program asks for a drawing; what it gets instead."""


_listeners: list[Listener] = []
_left: list[dict[int, list[Rows]]] = []
"""The frames that values left from, by what Spark has for a hash: of the programs that are run."""
_untold: list[tuple[str, str]] = []
"""What is told of only if a frame is made of it: the call and its line."""


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell somebody everything, until this ends."""
    _listeners.append(listener)
    try:
        with own_program():
            yield
    finally:
        _listeners.remove(listener)


@contextmanager
def own_program() -> Iterator[None]:
    """A program is run: what leaves Spark comes back, if at all, before this ends."""
    _left.append({})
    try:
        yield
    finally:
        _left.pop()
        _untold.clear()


def listener() -> Listener | None:
    """Who listens now."""
    return _listeners[-1] if _listeners else None


def tell_shown(frame: Any) -> None:
    """A frame or series was printed."""
    hears = listener()
    if hears is not None:
        hears.shown(frame)


def frames_that_left() -> list[Rows]:
    """The frames that the program took values from; none are known where no program is run as a whole."""
    return [rows for alike in _left[-1].values() for rows in alike] if _left else []


def tell_come_back() -> None:
    """A frame was made of values that left."""
    hears = listener()
    while hears is not None and _untold:
        hears.left(*_untold.pop(0))


def tell_left(call: str, rows_of: Callable[[], Rows], only_if_it_comes_back: bool = False) -> None:
    """Values of these rows were taken out of Spark."""
    if _left:
        rows = rows_of()
        alike = _left[-1].setdefault(rows.semanticHash(), [])
        if not any(rows.sameSemantics(known) for known in alike):
            alike.append(rows)
    hears = listener()
    if hears is not None and only_if_it_comes_back:
        _untold.append((call, users_line()))
    elif hears is not None:
        hears.left(call, users_line())
