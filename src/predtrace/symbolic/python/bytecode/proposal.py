"""The tree of a whole function."""

from __future__ import annotations

import ast
import inspect
import sys
import types
from itertools import islice, product

from predtrace.symbolic.python.bytecode.control_flow import Variant, structured
from predtrace.symbolic.python.bytecode.instructions import instructions_of
from predtrace.symbolic.python.bytecode.nodes import Added
from predtrace.symbolic.python.values import Unknowable

Node = ast.FunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

_MOST_INSTRUCTIONS = 2_000
_MOST_NODES = 20_000
_DEEPEST = 5
_YIELDS = (
    inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
)
_HAS_DOCSTRING = 0x4000000
_IS_MARKED = sys.version_info >= (3, 13)
"""Whether code says that it has a docstring. Before, its constants begin with the docstring, or None."""


VARIANTS = tuple(Variant(*both) for both in product((False, True), repeat=2))


def proposed(code: types.CodeType, variant: Variant = VARIANTS[0]) -> Node:
    """A tree that may be that of a function; `Unknowable` if none is found.

    >>> ast.unparse(proposed((lambda x: x + 1 if x else None).__code__))
    'lambda x: x + 1 if x else None'
    """
    try:
        found = _tree(code, variant, 0)
    except Unknowable:
        raise
    except Exception as problem:  # bytecode can be anything; nothing is claimed of it
        raise Unknowable(f"something unexpected ({type(problem).__name__})") from problem
    if not isinstance(found, (ast.FunctionDef, ast.Lambda)):
        raise Unknowable("no function")
    if next(islice(ast.walk(found), _MOST_NODES, None), None) is not None:
        raise Unknowable("too many instructions")
    for at, part in enumerate(ast.walk(ast.fix_missing_locations(found))):
        if isinstance(part, (ast.expr, ast.stmt)):  # what stands at one place counts as one, if it is equal
            part.end_lineno, part.col_offset, part.end_col_offset = part.lineno, at, at
    return found


def imported_by(node: Node) -> set[str]:
    """The names that the file of a proposed tree imports: calls of what they hold are compiled in another way."""
    found = set()
    for part in ast.walk(node):
        match part:
            case ast.Call(ast.Attribute(ast.Name(name)) as called) if not getattr(called, "is_method", True):
                found.add(name)
    return found


def _tree(code: types.CodeType, variant: Variant, depth: int) -> Node | _Comprehension:
    if depth > _DEEPEST:
        raise Unknowable("too many functions inside functions")
    if code.co_flags & _YIELDS and code.co_name != "<genexpr>":
        raise Unknowable("a generator or coroutine inside")
    if getattr(code, "co_exceptiontable", b"") and code.co_name != "<genexpr>":
        raise Unknowable("handlers of exceptions")
    instructions = instructions_of(code, _MOST_INSTRUCTIONS)
    body = structured(instructions, lambda inner: _tree(inner, variant, depth + 1), variant)
    match code.co_name:
        case "<lambda>":
            found: Node | _Comprehension = ast.Lambda(_arguments(code), _expression(body))
        case "<listcomp>" | "<setcomp>" | "<dictcomp>" | "<genexpr>":
            return _comprehension(code.co_name, body)
        case _:
            stored = [one for one in instructions if one.name in {"STORE_GLOBAL", "STORE_DEREF"}]
            shared = {one.value for one in stored if one.name == "STORE_GLOBAL"}
            enclosing = {one.value for one in stored if one.value in code.co_freevars}
            body = _falling_off(body) if variant.falls_off else body
            head = [*_docstring(code)]
            head += [ast.Global(sorted(shared))] if shared else []
            head += [ast.Nonlocal(sorted(enclosing))] if enclosing else []
            found = ast.FunctionDef(code.co_name, _arguments(code), [*head, *body], [])
            found.type_params = []  # type: ignore[attr-defined]
    found.lineno = found.end_lineno = max(code.co_firstlineno, 1)
    found.col_offset = found.end_col_offset = 0
    return found


def _arguments(code: types.CodeType) -> ast.arguments:
    names = [ast.arg(name) for name in code.co_varnames]
    ordinary, named = code.co_argcount, code.co_kwonlyargcount
    rest = names[ordinary + named :]
    return ast.arguments(
        posonlyargs=names[: code.co_posonlyargcount],
        args=names[code.co_posonlyargcount : ordinary],
        vararg=rest.pop(0) if code.co_flags & inspect.CO_VARARGS else None,
        kwonlyargs=names[ordinary : ordinary + named],
        kw_defaults=[None] * named,
        kwarg=rest.pop(0) if code.co_flags & inspect.CO_VARKEYWORDS else None,
        defaults=[],
    )


def _docstring(code: types.CodeType) -> list[ast.stmt]:
    first = code.co_consts[0] if code.co_consts else None
    if type(first) is not str or (_IS_MARKED and not code.co_flags & _HAS_DOCSTRING):
        return []
    return [ast.Expr(ast.Constant(first))]


def _falling_off(statements: list[ast.stmt]) -> list[ast.stmt]:
    match statements:
        case [*others, ast.Return(ast.Constant(None))] if others:
            return others
    return statements


def _expression(statements: list[ast.stmt]) -> ast.expr:
    """What a function of nothing but conditions returns."""
    match statements:
        case [ast.Return(ast.expr() as value)]:
            return value
        case [ast.If(test, body, otherwise), *others]:
            return ast.copy_location(
                ast.IfExp(test, _expression(body), _expression(otherwise or others)), test
            )
    raise Unknowable("a lambda with statements")


def _comprehension(name: str, statements: list[ast.stmt]) -> _Comprehension:
    generators: list[ast.comprehension] = []
    body = statements[:1]
    while True:
        match body:
            case [ast.For(target, over, inside, [])]:
                generators.append(ast.comprehension(target, over, [], 0))
            case [ast.If(test, inside, [])]:
                generators[-1].ifs.append(test)
            case [ast.Expr(Added(key, item))]:
                break
            case _:
                raise Unknowable("a comprehension that is not followed")
        body = inside
    if key is not None:
        return ast.DictComp(key, item, generators)
    if name == "<setcomp>":
        return ast.SetComp(item, generators)
    return ast.ListComp(item, generators) if name == "<listcomp>" else ast.GeneratorExp(item, generators)
