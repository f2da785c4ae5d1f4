"""The syntax tree of a function.

The source is looked up where the function says it is from. A file may have changed since, and a line may hold several
lambdas; so the tree found is compiled again, and taken only if its bytecode is that of the function.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import math
import sys
import types
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from predtrace.symbolic.python.values import Unknowable, is_plain

_MISSING = object()
Node = ast.FunctionDef | ast.Lambda

_LONGEST = 2_000_000
"""Characters of a file that is still read."""


def syntax_of(function: types.FunctionType) -> Node:
    """The tree of a function; `Unknowable` if there is no source, or another."""
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise Unknowable("a generator or coroutine")
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not text or len(text) > _LONGEST:
        raise Unknowable("no source")
    found = [node for node, compiled in _functions(text) if _is_same(compiled, code)]
    if not found:
        raise Unknowable("no source that is this function's")
    if len(found) > 1 and len({ast.dump(node) for node in found}) > 1:
        raise Unknowable("more than one source that may be this function's")
    return found[0]


def is_as_written(names: Mapping[str, Any], name: str) -> bool:
    """Whether a global has the same value wherever the function runs.

    It has if it was sent along with the function. A function of a module that is imported there takes what that
    module has when it is fresh: a constant that its source says once.
    """
    value = names[name]
    module = sys.modules.get(str(names.get("__name__")))
    if module is None or module.__name__ == "__main__" or module.__dict__ is not names:
        return True
    if type(value) is types.FunctionType:
        return value.__globals__ is names and value.__name__ == name
    if any(value is known for known in (*vars(builtins).values(), math)):
        return True
    file = getattr(module, "__file__", None)
    if not file:
        return False
    if not is_plain(value):
        return False
    return repr(_constants("".join(linecache.getlines(file))).get(name, _MISSING)) == repr(value)


@lru_cache(maxsize=16)
def _constants(text: str) -> dict[str, Any]:
    """The names that a module gives one constant, and nothing else anywhere."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    stored = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    found = {}
    for statement in tree.body:
        match statement:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                if stored[name] == 1:
                    found[name] = value
    return {name: value for name, node in found.items() if (value := _literal(node)) is not _MISSING}


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _MISSING


@lru_cache(maxsize=16)
def _functions(text: str) -> list[tuple[Node, types.CodeType]]:
    """The functions of a file, each with its compiled code."""
    try:
        tree = ast.parse(text)
        whole = compile(tree, "<source>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    nodes = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    by_place: dict[tuple[int, str], list[Node]] = {}
    for node in nodes:
        by_place.setdefault(_place(node), []).append(node)
    found = []
    for code in _codes(whole):
        candidates = by_place.get((code.co_firstlineno, code.co_name), [])
        for node in candidates:
            if len(candidates) == 1 or _covers(node, code):
                found.append((node, code))
    return found


def _place(node: Node) -> tuple[int, str]:
    if isinstance(node, ast.Lambda):
        return node.lineno, "<lambda>"
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first, node.name


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def _covers(node: Node, code: types.CodeType) -> bool:
    """Whether a piece of code is that of one lambda among several on a line: by the columns it is from."""
    if not isinstance(node, ast.Lambda) or not hasattr(code, "co_positions"):
        return False
    places = {p[2:] for p in code.co_positions() if None not in p and p[0] == node.body.lineno}
    whole = node.body.lineno, node.body.col_offset, node.body.end_col_offset
    return (whole[1], whole[2]) in places


def _is_same(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two pieces of code do the same, wherever they are from."""
    named = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_flags")
    if any(getattr(one, name) != getattr(other, name) for name in named):
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    return all(map(_same_constant, one.co_consts, other.co_consts))


def _same_constant(one: object, other: object) -> bool:
    if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
        return _is_same(one, other)
    return type(one) is type(other) and repr(one) == repr(other)
