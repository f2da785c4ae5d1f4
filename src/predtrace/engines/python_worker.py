"""The program of a Python process that calls the user's functions. Its text is handed to Python.

It stands alone: the process may have other packages than the one that asks, as Spark's Python workers may. Requests
come and replies go as pickles of plain values. What functions print goes to the error output, and their input is
empty.

    ("load", code)                 a pickled function; the reply is its number
    ("call", number, kind, rows)   the values for rows of arguments, each None or a Python object of exactly this kind

A reply is a pair: True and the outcome, or False and what stands in the way.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NoReturn

KINDS = {"bool": bool, "int": int, "float": float, "str": str, "Decimal": Decimal, "date": date}
KINDS |= {"datetime": datetime}

asked_spark: list[str] = []  # what a function wanted of the Spark task that it does not run in


class NotInSpark(BaseException):
    """Nothing that functions catch, least of all the ones that return NULL where values make them raise."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks decides when to stop
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    functions: list[Callable[..., Any]] = []
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        try:
            reply: tuple[bool, Any] = True, answer(request, functions)
        except BaseException as problem:  # SystemExit as well: a function must not end the process for others
            reply = False, in_words(problem)
        pickle.dump(reply, replies, protocol=5)
        replies.flush()


def in_words(problem: BaseException) -> str:
    try:
        return f"{type(problem).__name__}: {problem}"
    except Exception:  # an exception of the user's own may fail to say what it is
        return type(problem).__name__


def answer(request: tuple[Any, ...], functions: list[Callable[..., Any]]) -> Any:
    if request[0] == "load":
        functions.append(loaded(request[1]))
        return len(functions) - 1
    asked_spark.clear()
    _, number, kind, rows = request
    return [value_of(functions[number], row, KINDS[kind]) for row in rows]


def value_of(function: Callable[..., Any], row: tuple[Any, ...], kind: type) -> Any:
    value = function(*row)
    if asked_spark:
        raise NotInSpark(f"it asks for {asked_spark[0]}")
    if value is not None and type(value) is not kind:
        raise TypeError(f"it returned a {type(value).__name__}, not a {kind.__name__}")
    return value


def loaded(code: bytes) -> Callable[..., Any]:
    made_by, path, function = pickle.loads(code)
    if made_by != sys.version_info[:2]:
        raise RuntimeError("another version of Python")
    try:
        import pyspark
    except ImportError:
        sys.path.append(path)
        import pyspark
    from pyspark import cloudpickle

    keep_from_spark(pyspark)
    return cloudpickle.loads(function)  # type: ignore[no-any-return]


def keep_from_spark(pyspark: Any) -> None:
    """Outside of a task these fail in ways that look as if the values of a row had made them fail."""
    for owner, names in (
        (pyspark.SparkFiles, ("get", "getRootDirectory")),
        (pyspark.TaskContext, ("get",)),
        (pyspark.BarrierTaskContext, ("get",)),
    ):
        for name in names:
            setattr(owner, name, staticmethod(refusal(f"{owner.__name__}.{name}")))


def refusal(name: str) -> Callable[..., NoReturn]:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        asked_spark.append(name)
        raise NotInSpark(f"it asks for {name}")

    return refuse


if __name__ == "__main__":
    main()
