"""What is guessed of a bytecode is taken only if it is the function; whatever the bytecode is, there is an answer."""

from __future__ import annotations

import ast
import dis
import math
import time
import types
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.symbolic.python import functions as f
from tests.unit.symbolic.python.loud import Loud
from tests.unit.symbolic.python.test_bytecode import (
    MEASURED,
    NOT_READ,
    ON_3_11,
    VERSION,
    all_of,
    made_by,
    without_source,
)

from predtrace.symbolic.python import source
from predtrace.symbolic.python.bytecode import VARIANTS, proposed
from predtrace.symbolic.python.source import syntax_of
from predtrace.symbolic.python.values import Unknowable


def with_code(instructions: list[tuple[str, int]], **changed: Any) -> Any:
    """A function of instructions that no compiler made."""
    pairs: list[int] = []
    for name, argument in instructions:
        pairs += [dis.opmap[name], argument]
        pairs += [0, 0] * getattr(dis, "_inline_cache_entries", [0] * 256)[dis.opmap[name]]
    code = (lambda x: x).__code__.replace(co_code=bytes(pairs), co_filename="<gone>", **changed)
    return types.FunctionType(code, {})


# Nothing is taken that is not the function


class _Tampering(ast.NodeTransformer):
    """Changes one thing of a tree."""

    def __init__(self, place: int) -> None:
        self.left = place

    def visit(self, node: ast.AST) -> Any:
        changed = _changed(node)
        if changed is not None:
            self.left -= 1
            if self.left == -1:
                return ast.copy_location(changed, node)
        return self.generic_visit(node)


def _changed(node: ast.AST) -> ast.AST | None:
    match node:
        case ast.Constant(bool() | None | str()):
            return ast.Constant(17)
        case ast.Constant(0.0):
            return ast.Constant(-0.0)
        case ast.Constant(int() | float() as value):
            return ast.Constant(-value - 1)
        case ast.BinOp(left, ast.Add(), right):
            return ast.BinOp(left, ast.Sub(), right)
        case ast.Compare(left, [ast.Lt()], others):
            return ast.Compare(left, [ast.LtE()], others)
        case ast.Compare(left, [ast.Is()], others):
            return ast.Compare(left, [ast.Eq()], others)
        case ast.IfExp(test, body, otherwise) if ast.dump(body) != ast.dump(otherwise):
            return ast.IfExp(test, otherwise, body)
        case ast.Name(name, ast.Load()):
            return ast.Name(name + "_", ast.Load())
        case ast.Attribute(owner, name):
            return ast.Attribute(owner, name + "_", ast.Load())
        case ast.If(test, body, otherwise):
            return ast.If(ast.UnaryOp(ast.Not(), test), body, otherwise)
        case ast.AugAssign(ast.Name(name), operator, value):
            whole = ast.BinOp(ast.Name(name, ast.Load()), operator, value)
            return ast.Assign([ast.Name(name, ast.Store())], whole)
    return None


def _tree(function: Any) -> ast.AST:
    """A new one each time, of the variant that is the function's."""
    for variant in VARIANTS:
        found = proposed(function.__code__, variant)
        if ast.dump(found) == ast.dump(syntax_of(without_source(function))):
            return found
    raise AssertionError(function)


def _tampered(function: Any) -> Iterator[ast.AST]:
    for place in range(200):
        tampering = _Tampering(place)
        tree = ast.fix_missing_locations(tampering.visit(_tree(function)))
        if tampering.left >= 0:
            return
        yield tree


@MEASURED
def test_a_tampered_proposal_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    for name, function in all_of(f).items():
        if name in NOT_READ[VERSION]:
            continue
        assert syntax_of(without_source(function))
        for tree in _tampered(function):
            monkeypatch.setattr(source, "proposed", lambda *_, tree=tree: tree)
            with pytest.raises(Unknowable, match="no tree that compiles to it"):
                syntax_of(without_source(function))
            monkeypatch.undo()
            count += 1
    assert count > 400


def test_arguments_count() -> None:
    """Bytecode does not say which of its variables are given, and how."""
    keyword, positional = made_by("def f(a, *, b): return a + b"), made_by("def f(a, b): return a + b")
    assert [arg.arg for arg in syntax_of(keyword).args.kwonlyargs] == ["b"]
    code = keyword.__code__.replace(co_kwonlyargcount=0, co_nlocals=2)
    local = types.FunctionType(code, {})
    with pytest.raises(Unknowable):  # `b` has no value there: no tree says so
        syntax_of(local)
    assert not source._is_same(keyword.__code__, code)
    assert not source._is_same(keyword.__code__, positional.__code__)


@ON_3_11
def test_handlers_count() -> None:
    plain = made_by("def f(a): return int(a)")
    handled = plain.__code__.replace(co_exceptiontable=b"\x81\x02\x03\x00")
    assert not source._is_same(plain.__code__, handled)
    with pytest.raises(Unknowable, match="handlers of exceptions"):
        syntax_of(types.FunctionType(handled, {}))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, True, False),
        (0.0, -0.0, False),
        (math.nan, math.nan, True),
        ((1, (2.0,)), (1, (2,)), False),
        (frozenset({1, "a"}), frozenset({"a", 1}), True),
        (frozenset({1}), frozenset({1.0}), False),
        (frozenset({8, 0}), frozenset([0, 8]), True),
        (10**5000, 10**5000, True),
        ("\ud800", "\\ud800", False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_constants_are_told_apart(one: Any, other: Any, same: bool) -> None:
    assert source._same_constant(one, other) is same


def test_constants_are_not_run() -> None:
    made = made_by("def f(a): return a + 1.5")
    loud = Loud()
    for constant in (loud, (loud,), ((1, loud),), (1, [loud])):
        code = made.__code__.replace(co_consts=(None, constant))
        with pytest.raises(Unknowable):
            syntax_of(types.FunctionType(code, {}))
    assert not loud.happened


# Whatever it is, it is answered soon


def _is_left(function: Any) -> str:
    started = time.process_time()
    with pytest.raises(Unknowable) as gap:
        syntax_of(function)
    assert time.process_time() - started < 5
    return str(gap.value)


def test_generators_and_coroutines() -> None:
    assert _is_left(made_by("def f(a): yield a")) == "a generator or coroutine"
    assert _is_left(made_by("async def f(a): return a")) == "a generator or coroutine"
    inner = "def f(a):\n    def g():\n        yield a\n    return g()"
    assert "a generator or coroutine inside" in _is_left(made_by(inner))


@ON_3_11
def test_code_that_no_compiler_made() -> None:
    start, end = ("LOAD_FAST", 0), ("RETURN_VALUE", 0)
    assert "too many instructions" in _is_left(with_code([("NOP", 0)] * 100_000 + [start, end]))
    doubled = [("COPY", 1), ("BINARY_OP", 0)] * 500
    assert "its bytecode has" in _is_left(with_code([start, *doubled, end], co_stacksize=9))
    deep = [("UNARY_NOT", 0)] * 1_900
    assert "its bytecode has" in _is_left(with_code([start, *deep, end]))
    assert "stacks that do not fit" in _is_left(with_code([start, ("JUMP_BACKWARD", 2), end]))
    assert "its bytecode has" in _is_left(with_code([("JUMP_BACKWARD", 1)]))
    assert "its bytecode has" in _is_left(with_code([("POP_JUMP_BACKWARD_IF_TRUE", 1), start, end]))
    assert "its bytecode has" in _is_left(with_code([start, ("JUMP_FORWARD", 200), end]))
    assert "a stack that does not fit" in _is_left(with_code([("BINARY_OP", 0), end]))
    assert "its bytecode has" in _is_left(with_code([("LOAD_CONST", 99), end]))
    assert "its bytecode has" in _is_left(with_code([start]))
    assert "its bytecode has" in _is_left(with_code([]))
    torn = with_code([start, ("LOAD_GLOBAL", 0)]).__code__._co_code_adaptive[:-8]
    code = (lambda x: x).__code__.replace(co_code=torn, co_filename="<gone>")
    assert "an instruction that breaks off" in _is_left(types.FunctionType(code, {}))


def test_constants_that_are_larger_than_they_look() -> None:
    constant: tuple[Any, ...] = (1, 2)
    for _ in range(16):  # Python itself goes through all of it
        constant = (constant, constant)
    made = made_by("def f(a): return a + 1.5")
    code = made.__code__.replace(co_consts=(None, constant))
    assert "a large constant" in _is_left(types.FunctionType(code, {}))
    for _ in range(60):
        constant = (constant, constant)
    started = time.process_time()
    assert not source._same_constant((constant, 1), (constant, 1))
    assert time.process_time() - started < 1


def test_functions_inside_functions() -> None:
    text = "f = lambda a: " + "(lambda a: " * 40 + "a" + ")(a)" * 40
    assert "too many functions inside functions" in _is_left(made_by(text))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.binary(max_size=60), st.integers(0, 30))
def test_any_bytes(noise: bytes, at: int) -> None:
    code = f.loops.__code__
    changed = bytearray(code.co_code)
    changed[2 * at : 2 * at + len(noise)] = noise
    changed = changed[: len(changed) // 2 * 2]
    function = types.FunctionType(code.replace(co_code=bytes(changed), co_filename="<gone>"), vars(f))
    started = time.process_time()
    try:
        tree = syntax_of(function)
    except Unknowable:
        return
    finally:
        assert time.process_time() - started < 5
    assert made_by(ast.unparse(tree), "loops").__code__.co_code == function.__code__.co_code
