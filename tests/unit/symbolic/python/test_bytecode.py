"""Functions without source are read from their bytecode, and as they are read from source: how much is read."""

from __future__ import annotations

import ast
import importlib.util
import sys
import types
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark import cloudpickle
from tests.unit.symbolic.python import deceptive as d
from tests.unit.symbolic.python import functions as f
from tests.unit.symbolic.python import test_deceptive, test_understanding
from tests.unit.symbolic.python.generated_functions import Writer
from tests.unit.symbolic.python.plain_evaluation import evaluated
from tests.unit.symbolic.python.test_understanding import Function, called

from predtrace.ir.expressions import Column, ColumnId, UserCall
from predtrace.ir.types import LONG, DataType
from predtrace.symbolic.python import picked, understand
from predtrace.symbolic.python.source import syntax_of
from predtrace.symbolic.python.values import Unknowable

HANDLERS = "no source, and its bytecode has handlers of exceptions"
GENERATOR = "no source, and its bytecode has a generator or coroutine inside"
_INLINED = {"comprehension", "overwritten", "shadowed_global", "late_lambdas", "a_generator_is_true"}
NOT_READ = {
    (3, 10): {"tries", "yielding", "loops"},
    (3, 11): {"tries", "yielding"},
    (3, 12): {"tries", "yielding", "loops", "while_loop", *_INLINED},
    (3, 13): {"tries", "yielding", "loops", "while_loop", "newton", *_INLINED},
}
"""By the version of Python: what is not read of the functions that the tests read from source."""

VERSION = sys.version_info[:2]
MEASURED = pytest.mark.skipif(
    VERSION not in NOT_READ, reason="this version compiles in a way not looked at yet"
)
ON_3_11 = pytest.mark.skipif(VERSION != (3, 11), reason="each version compiles in its own way")


def all_of(module: types.ModuleType) -> dict[str, types.FunctionType]:
    found = {name: value for name, value in vars(module).items() if type(value) is types.FunctionType}
    return {name: value for name, value in found.items() if value.__module__ == module.__name__}


def without_source(function: Any) -> Any:
    """A copy of a function whose file is gone."""
    code = function.__code__.replace(co_filename="<gone>")
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__annotations__ = function.__kwdefaults__, function.__annotations__
    return made


def made_by(text: str, name: str = "f") -> Any:
    """A function of a text that nobody keeps."""
    namespace: dict[str, Any] = {"LIMIT": 7}
    exec(compile(text, "<gone>", "exec"), namespace)
    return namespace[name]


@MEASURED
def test_what_is_read() -> None:
    every = all_of(f) | all_of(d)
    assert len(all_of(f)) == 51
    assert len(all_of(d)) == 26
    reasons = {}
    for name, function in every.items():
        try:
            syntax_of(without_source(function))
        except Unknowable as gap:
            reasons[name] = str(gap)
    assert set(reasons) == NOT_READ[VERSION]
    assert all(reason.startswith("no source, and its bytecode has ") for reason in reasons.values())
    if VERSION == (3, 11):
        assert reasons == {"tries": HANDLERS, "yielding": GENERATOR}


CASES = [
    *test_understanding.WHOLE,
    *test_understanding.IN_PART,
    *test_understanding.NOT_AT_ALL,
    *test_deceptive.CASES,
]


@MEASURED
@pytest.mark.parametrize(("function", "returns"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_it_is_understood_as_from_source(function: Function, returns: DataType) -> None:
    from_source = understand(called(function, returns), function)
    found = understand(called(function, returns), without_source(function))
    if function.__name__ in NOT_READ[VERSION]:
        assert found.meaning is None
        assert found.gaps[0].startswith("no source, and its bytecode has ")
    else:
        assert found == from_source


def test_functions_of_a_text() -> None:
    n = Column(ColumnId("n"), "n", LONG)
    several = made_by("f = [lambda n: n + 1, lambda n: n + 2, lambda n: n * 10 if n else 3]")
    for function, expected in zip(several, (6, 7, 50), strict=True):
        meaning = understand(UserCall("f", "f", (n,), LONG), function).meaning
        assert meaning is not None
        assert evaluated(meaning.body, {"p0": 5}) == expected


def test_closures_and_defaults() -> None:
    text = """
def around(low, high):
    def f(n, step=3, *, scale=2):
        if n is None:
            return None
        inside = [k for k in (1, 2, 3) if low < k + n <= high]
        return (n + step) * scale + len(inside)
    return f
f = around(4, 9)
"""
    function = made_by(text)
    meaning = understand(UserCall("f", "f", (Column(ColumnId("n"), "n", LONG),), LONG), function).meaning
    assert meaning is not None
    for value in (None, 0, 1, 4, 9):
        assert evaluated(meaning.body, {"p0": value}) == function(value)


def test_a_function_that_was_sent_and_whose_file_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "sent_away.py"
    file.write_text("RATES = {'a': 2}\ndef f(n, k='a'):\n    return n * RATES[k] if n is not None else -1\n")
    spec = importlib.util.spec_from_file_location("sent_away", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules["sent_away"] = module
    cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    try:
        sent = cloudpickle.dumps(module.f)  # type: ignore[no-untyped-call]
    finally:
        cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]
        del sys.modules["sent_away"]
    file.unlink()
    function = cloudpickle.loads(sent)
    found = understand(UserCall("f", "f", (Column(ColumnId("n"), "n", LONG),), LONG), function)
    assert found.gaps == ()
    assert found.meaning is not None
    assert [evaluated(found.meaning.body, {"p0": value}) for value in (None, 21)] == [-1, 42]


def test_aggregates_are_read_too() -> None:
    function = made_by("f = lambda v: v.max()")
    assert picked(function) == picked(lambda v: v.max())
    assert picked(function) is not None


def test_an_aggregate_with_a_default_is_left_alone() -> None:
    """Its second argument is no column; bytecode does not say that."""
    text = "def f(v, w=()):\n    for x in w:\n        return v.max()\n    return v.max()"
    assert picked(made_by(text.replace(", w=()", ", w"))) is not None
    assert picked(made_by(text)) is None


# Functions of a grammar

ARGUMENTS = [(1, 2), (0, "k"), (None, 3), (2.5, True), ("t", "k"), ((1, 2), 1)]


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """What a function returns or raises, if it is done soon."""
    left = 3_000

    def count(frame: Any, event: str, argument: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise TimeoutError
        return count

    tracing = sys.gettrace()
    sys.settrace(count)
    try:
        return repr(function(*arguments))
    except Exception as problem:
        return type(problem).__name__
    finally:
        sys.settrace(tracing)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**9))
def test_what_is_found_does_the_same(number: int) -> None:
    function = made_by(Writer(Random(number)).function())
    try:
        tree = syntax_of(function)
    except Unknowable:
        return
    again = made_by(ast.unparse(tree))
    again.__defaults__ = function.__defaults__
    for arguments in ARGUMENTS:
        expected = _outcome(function, arguments)
        assert expected == "TimeoutError" or _outcome(again, arguments) == expected


@ON_3_11
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_most_are_found() -> None:
    """The grammar has more of loops in loops, and of chains in them, than people write."""
    found = 0
    for number in range(100):
        try:
            syntax_of(made_by(Writer(Random(number)).function()))
        except Unknowable:
            continue
        found += 1
    assert found >= 0.88 * 100
