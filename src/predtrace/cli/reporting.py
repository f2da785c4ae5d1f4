"""What a command says, and how: tables for people or one JSON document, errors as one sentence, an exit code.

A command's work gives a `Report` and prints nothing; with `--json` the report's document is all that is on stdout.
Progress and errors go to stderr.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import typer
from rich.console import Console, RenderableType

from predtrace.errors import (
    EnvironmentProblem,
    InputError,
    NoSuchRow,
    PredtraceError,
    StaleSource,
)


class ExitCode(IntEnum):
    """What a script can go by. docs/cli.md and the help text list them too."""

    OK = 0
    NO_SUCH_ROW = 1
    WRONG_INPUT = 2
    STALE_SOURCE = 3
    ENVIRONMENT = 4
    BUG = 5


@dataclass(frozen=True)
class Report:
    """The outcome of a command: for machines, for people (text is printed as it is), and for the calling script."""

    document: dict[str, Any]
    shown: Sequence[RenderableType] = ()
    exit_code: ExitCode = ExitCode.OK


def report(as_json: bool, work: Callable[[], Report]) -> None:
    """Do a command's work and print what came of it."""
    try:
        found = work()
    except Exception as problem:
        if os.environ.get("PREDTRACE_DEBUG"):
            raise
        _fail(as_json, _understood(problem))
    else:
        if as_json:
            _print_json(found.document)
        else:
            console = Console()
            for part in found.shown:
                show(console, part)
        if found.exit_code:
            raise typer.Exit(found.exit_code)


def show(console: Console, part: RenderableType) -> None:
    """Print a part of a report; text is wrapped by the terminal only, so that it can be copied."""
    plain = isinstance(part, str)
    console.print(part, markup=False, highlight=False, soft_wrap=plain)


@contextmanager
def progress(step: str) -> Iterator[None]:
    """Say what is going on while it takes its time."""
    with Console(stderr=True).status(f"{step} …"):
        yield


def note(text: str) -> None:
    """Say something beside the report."""
    show(Console(stderr=True), text)


def exit_code(problem: PredtraceError) -> ExitCode:
    """The exit code of an error."""
    match problem:
        case NoSuchRow():
            return ExitCode.NO_SUCH_ROW
        case StaleSource():
            return ExitCode.STALE_SOURCE
        case EnvironmentProblem():
            return ExitCode.ENVIRONMENT
        case InputError():
            return ExitCode.WRONG_INPUT
    return ExitCode.BUG


def first_line(problem: BaseException) -> str:
    """What an error says, without the plan and the stack trace that Spark adds."""
    java: Any = getattr(problem, "java_exception", None)  # of an error that PySpark did not translate
    text = str(problem if java is None else java.getMessage())
    return (text.strip().split("\n")[0] or type(problem).__name__).rstrip(".")


def _understood(problem: Exception) -> PredtraceError:
    match problem:
        case PredtraceError():
            return problem
        case OSError(filename=str(name), strerror=str(what)):
            return InputError(f"{name}: {what}", todo="check the path and its permissions")
    return PredtraceError(
        f"an unexpected {type(problem).__name__}: {first_line(problem)}",
        todo="please report it, with what the command prints when PREDTRACE_DEBUG=1 is set",
    )


def _fail(as_json: bool, problem: PredtraceError) -> None:
    code = exit_code(problem)
    name = type(problem).__name__
    if as_json:
        _print_json(
            {"error": {"kind": name, "what": problem.what, "where": problem.where, "todo": problem.todo}}
        )
    console = Console(stderr=True)
    console.print(f"[red]{name}[/red]: ", end="")
    show(console, str(problem))
    raise typer.Exit(code)


def _print_json(document: dict[str, Any]) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
