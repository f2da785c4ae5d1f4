"""Who is told what a program does with its frames: that it shows one, writes one, or takes values out of Spark.

`predtrace run notebook.ipynb` listens, to know which frame is meant and what cannot be traced. Otherwise nobody does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

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


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell somebody everything, until this ends."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def listener() -> Listener | None:
    """Who listens now."""
    return _listeners[-1] if _listeners else None


def tell_shown(frame: Any) -> None:
    """A frame or series was printed."""
    hears = listener()
    if hears is not None:
        hears.shown(frame)


def tell_left(call: str) -> None:
    """Values were taken out of Spark."""
    hears = listener()
    if hears is not None:
        hears.left(call, users_line())
