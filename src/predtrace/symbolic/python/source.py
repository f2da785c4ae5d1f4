"""The syntax tree of a function.

The source is looked up where the function says it is from. A file may have changed since, and a line may hold several
lambdas; so the tree found is compiled again, and taken only if its bytecode is that of the function.

Functions that were typed in, made by `exec` or unpickled have no source. For them a tree is guessed from the bytecode
(`bytecode`), and taken by the very same comparison: whatever compiles to the function's bytecode is the function.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import inspect
import linecache
import math
import sys
import types
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache, reduce
from operator import or_
from typing import Any

from predtrace.symbolic.python.bytecode import VARIANTS, imported_by, is_whole, proposed
from predtrace.symbolic.python.values import Unknowable, has_at_most, is_plain

_MISSING = object()
Node = ast.FunctionDef | ast.Lambda

_FUTURES = reduce(or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
_FUTURES &= ~0xFFFF  # what is in the language for long has flags that now mean something else
_MOST_ITEMS = 100_000
_LONGEST = 2_000_000
"""Characters of a file that is still read."""


def syntax_of(function: types.FunctionType) -> Node:
    """The tree of a function; `Unknowable` if there is no source, or another, and the bytecode is not read either."""
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise Unknowable("a generator or coroutine")
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    found = []
    if len(text) <= _LONGEST:
        found = [node for node, compiled in _functions(text) if _is_same(compiled, code)]
    if not found:
        return _from_bytecode(code)
    if len(found) > 1 and len({ast.dump(node) for node in found}) > 1:
        raise Unknowable("more than one source that may be this function's")
    return found[0]


def _from_bytecode(code: types.CodeType) -> Node:
    """The tree that is proposed for a bytecode, if it is that bytecode's. It is asked for once for each path."""
    known = _RECENT.get(id(code))
    if known is None:
        while len(_RECENT) >= _MOST_RECENT:
            _RECENT.pop(next(iter(_RECENT)), None)
        known = _RECENT[id(code)] = code, _confirmed(code)
    found = known[1]
    if isinstance(found, str):
        raise Unknowable(f"no source, and its bytecode has {found}")
    return found


_MOST_RECENT = 64
_RECENT: dict[int, tuple[types.CodeType, Node | str]] = {}
"""By identity: to compare code, Python would run what constants that someone put there say of themselves."""


def _confirmed(code: types.CodeType) -> Node | str:
    """The tree of a bytecode, or what it has that stands in the way."""
    problem = "no tree that compiles to it"
    for variant in VARIANTS:
        try:
            node = proposed(code, variant)
            compiled = _compiled(node, code)
        except Unknowable as gap:
            problem = str(gap)
        except Exception:  # a guess may be no tree at all
            continue
        else:
            if compiled is not None and _is_same(compiled, code):
                return node
    return problem


def _compiled(node: Node, code: types.CodeType) -> types.CodeType | None:
    """The code of a tree that stands where the function stood: inside another, next to the variables it shares."""
    statement: ast.stmt = ast.Expr(node) if isinstance(node, ast.Lambda) else node
    is_inner = bool(code.co_flags & inspect.CO_NESTED or code.co_freevars)
    if is_inner:
        nobody = ast.parse("def around(): pass").body[0]
        assert isinstance(nobody, ast.FunctionDef)
        variables: list[ast.expr] = [ast.Name(name, ast.Store()) for name in code.co_freevars]
        nobody.body = [ast.Assign(variables, ast.Constant(None))] if variables else []
        nobody.body.append(statement)
        statement = nobody
    imported: list[ast.stmt] = [ast.Import([ast.alias(name)]) for name in sorted(imported_by(node))]
    module = ast.fix_missing_locations(ast.Module([*imported, statement], []))
    with warnings.catch_warnings():  # whoever compiled it was warned
        warnings.simplefilter("ignore")
        flags = code.co_flags & _FUTURES
        whole: types.CodeType = compile(module, "<bytecode>", "exec", flags=flags, dont_inherit=True)
    for _ in range(1 + is_inner):
        inner = [constant for constant in whole.co_consts if isinstance(constant, types.CodeType)]
        if len(inner) != 1:
            return None
        (whole,) = inner
    return whole


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


_WRITTEN = {type(None), bool, float, complex, str, bytes, type(...)}
_COMPARED = (
    *("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags", "co_exceptiontable"),
    *("co_argcount", "co_posonlyargcount", "co_kwonlyargcount"),
)


def _is_same(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two pieces of code do the same, wherever they are from."""
    if not (is_whole(one) and is_whole(other)):
        return False
    if any(getattr(one, name, None) != getattr(other, name, None) for name in _COMPARED):
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    return all(map(_same_constant, one.co_consts, other.co_consts))


def _same_constant(one: object, other: object) -> bool:
    """Whether constants are the same. Nothing of the user's runs: only what a compiler makes is looked into."""
    if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
        return _is_same(one, other)
    if not (has_at_most(one, _MOST_ITEMS) and has_at_most(other, _MOST_ITEMS)):
        return False
    return _told_apart(one) == _told_apart(other)


def _told_apart(constant: object) -> object:
    """Something that is equal only for constants that are the same: 1 and True are not, nor are 0.0 and -0.0."""
    if type(constant) is tuple:
        return tuple, tuple(map(_told_apart, constant))
    if type(constant) is frozenset:
        return frozenset, frozenset(map(_told_apart, constant))
    if type(constant) is int:
        return int, constant
    return (type(constant), repr(constant)) if type(constant) in _WRITTEN else object()
