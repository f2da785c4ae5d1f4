"""Runs a user's own PySpark script, as `python script.py` would, with somebody watching what it writes."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from predtrace.errors import InputError
from predtrace.frontends.spark.java import java_home_for_spark

_HERE = Path(__file__).parent


def run_script(path: Path, arguments: Sequence[str], quiet: bool) -> dict[str, Any]:
    """Run a script; its variables at the end. `quiet`: what it prints goes to stderr.

    What the script raises is shown as Python shows it, and is an InputError.
    """
    # The script may start Spark itself, and there may be no Java but the one we bring.
    os.environ["JAVA_HOME"] = java_home_for_spark()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    module = ModuleType("__main__")
    module.__file__ = str(path)
    with ExitStack() as around:
        around.enter_context(as_the_program(module, path, arguments))
        if quiet:
            around.enter_context(redirect_stdout(sys.stderr))
        try:
            code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
            exec(code, module.__dict__)
        except SystemExit as end:
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
            if end.code not in (None, 0):
                raise script_failed(
                    path, f"ended with exit code {end.code if isinstance(end.code, int) else 1}"
                ) from None
        except Exception as problem:
            shown = problem.with_traceback(from_the_script(problem.__traceback__))
            traceback.print_exception(shown, file=sys.stderr)
            raise script_failed(path, f"raised {type(problem).__name__}") from None
    return module.__dict__


def result_of(variables: dict[str, Any], name: str, path: Path) -> DataFrame:
    """The DataFrame that a script left in a variable."""
    found = variables.get(name)
    if isinstance(found, DataFrame):
        return found
    frames = sorted(n for n, value in variables.items() if isinstance(value, DataFrame))
    what = f"the script has no variable {name!r}" if name not in variables else f"{name!r} is no DataFrame"
    known = (
        f"give one of: {', '.join(frames)}"
        if frames
        else "it must be a variable of the module, not of a function"
    )
    raise InputError(what, where=f"at the end of {path}", todo=known)


@contextmanager
def session_kept() -> Iterator[None]:
    """Let sessions be stopped only when this ends: what a script made is looked at after it."""
    stop = SparkSession.stop
    stopped: list[SparkSession] = []
    SparkSession.stop = lambda session: stopped.append(session)  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        SparkSession.stop = stop  # type: ignore[method-assign]
        for session in dict.fromkeys(stopped):
            session.stop()


@contextmanager
def as_the_program(module: ModuleType, path: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Let a module be the program that Python runs."""
    before = sys.modules["__main__"], sys.argv, list(sys.path)
    sys.modules["__main__"], sys.argv = module, [str(path), *arguments]
    sys.path.insert(0, str(path.resolve().parent))
    try:
        yield
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = before


def from_the_script(trace: TracebackType | None) -> TracebackType | None:
    """The traceback without our own frames."""
    if trace is None:
        return None
    below = from_the_script(trace.tb_next)
    if Path(trace.tb_frame.f_code.co_filename).parent == _HERE:
        return below
    return TracebackType(below, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)


def script_failed(path: Path, how: str) -> InputError:
    """The error for a script that did not come to its end."""
    return InputError(
        f"the script {path} {how}", todo="see what it says above; without predtrace it does the same"
    )
