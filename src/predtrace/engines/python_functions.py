"""The user's Python functions, called in a Python process like those that Spark calls them in.

Not in this process: what a function returns may depend on where it runs. The seed of hashes, the variables of the
modules that it uses, the precision of decimals and what is set in the environment are here as the user's program
left them, and in Spark's workers as they were at the start. A process lives as long as this one, and all traces use
it.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from predtrace.engines.duckdb_sql import NotInDuckDB
from predtrace.ir.types import DataType

_PROGRAM = Path(__file__).with_name("python_worker.py")

_KINDS = {
    "boolean": "bool",
    **dict.fromkeys(("byte", "short", "integer", "long"), "int"),
    "double": "float",
    "string": "str",
    "decimal": "Decimal",
    "date": "date",
    "timestamp_ntz": "datetime",
}
"""What a function must return for its value to be what Spark makes of it, by the type it was declared with. Floats of
32 bits are left out: they round."""

_ARGUMENTS = frozenset({*_KINDS, "float"}) - {"timestamp_ntz"}
"""Types whose values are the same Python objects from DuckDB as from Spark. Moments are not: Spark shows them by a
time zone."""


@dataclass(frozen=True)
class Place:
    """Where functions run: the program, the folder it starts in, its environment, and where PySpark is at least."""

    python: str
    folder: str
    environment: tuple[tuple[str, str], ...]
    packages: str


@dataclass(frozen=True)
class RowFunction:
    """A function to call with the values of a row. Its code is pickled, as Spark pickles it."""

    name: str
    code: bytes
    place: Place

    def check(self, arguments: Sequence[DataType], returns: DataType) -> None:
        """Raise `NotInDuckDB` unless it gets and returns here what it gets and returns in Spark."""
        if not arguments:
            raise NotInDuckDB(f"the function {self.name} without arguments")
        for type_ in arguments:
            if type_.name not in _ARGUMENTS:
                raise NotInDuckDB(f"the function {self.name} of a {type_}")
        if returns.name not in _KINDS:
            raise NotInDuckDB(f"the function {self.name}, which returns a {returns}")

    def begin(self) -> None:
        """Start the process, which takes a moment: it may as well be now."""
        _process(self.place)

    def values(self, rows: Sequence[tuple[Any, ...]], returns: DataType) -> list[Any]:
        """What it returns for each row of arguments; `NotInDuckDB` if that is for Spark to work out."""
        try:
            found = _process(self.place).called(self.code, _KINDS[returns.name], rows)
        except _Failed as problem:
            raise NotInDuckDB(f"the function {self.name}: {problem}") from None
        return found


class _Failed(Exception):
    """A function could not be loaded or called, or returned something else than it was declared to."""


class _Process:
    """One process, asked by one thread at a time."""

    def __init__(self, place: Place) -> None:
        self._packages = place.packages
        self._lock = threading.Lock()
        self._numbers: dict[bytes, int] = {}
        self._process = subprocess.Popen(
            [place.python, "-c", _PROGRAM.read_text(encoding="utf-8")],
            cwd=place.folder,
            env=dict(place.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def is_fit(self) -> bool:
        """Whether it is there, and does not hold on to the functions of too many traces."""
        return self._process.poll() is None and len(self._numbers) < _MOST_FUNCTIONS

    def called(self, code: bytes, kind: str, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
        with self._lock:
            if code not in self._numbers:
                made = pickle.dumps((sys.version_info[:2], self._packages, code))
                self._numbers[code] = self._asked(("load", made))
            return list(self._asked(("call", self._numbers[code], kind, rows)))

    def _asked(self, request: tuple[Any, ...]) -> Any:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump(request, process.stdin, protocol=5)
            process.stdin.flush()
            is_answer, outcome = pickle.load(process.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):  # gone, or ended by another thread
            self.end()
            raise _Failed("the Python process that called it came to an end") from None
        except BaseException:  # interrupted: what it says later would be taken for another answer
            self.end()
            raise
        if not is_answer:
            raise _Failed(str(outcome))
        return outcome

    def end(self) -> None:
        """Stop, whatever it is doing."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):  # what was not sent yet is sent to nobody
                pipe.close()
        self._process.wait()


_processes: dict[tuple[int, Place], _Process] = {}
"""By the process that asks, too: one that was forked off must not listen to the answers to another."""
_MOST_PROCESSES, _MOST_FUNCTIONS = 4, 50
_starting = threading.Lock()


def _process(place: Place) -> _Process:
    with _starting:
        key = os.getpid(), place
        known = _processes.get(key)
        if known is not None and not known.is_fit():
            _processes.pop(key).end()
            known = None
        if known is None:
            own = [other for other in _processes if other[0] == os.getpid()]
            if len(own) >= _MOST_PROCESSES:
                _processes.pop(own[0]).end()
            try:
                known = _processes[key] = _Process(place)
            except OSError as problem:
                raise NotInDuckDB(f"a Python that does not start: {problem}") from None
        return known


@atexit.register
def _end_all() -> None:
    for (owner, _), process in _processes.items():
        if owner == os.getpid():
            process.end()
