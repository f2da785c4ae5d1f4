"""The names of a function: its arguments, its own variables, and what is around it."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from predtrace.ir.expressions import Call, LambdaVariable
from predtrace.ir.types import BOOLEAN
from predtrace.symbolic.python.calls import MODULES
from predtrace.symbolic.python.paths import Path
from predtrace.symbolic.python.source import is_as_written
from predtrace.symbolic.python.values import (
    Kind,
    Known,
    Raises,
    Symbolic,
    Unknowable,
    Unseen,
    Value,
    is_plain,
)


@dataclass(frozen=True)
class Argument:
    """An argument of the function: its kind (None: not modelled) and the variable that stands for it."""

    kind: Kind | None
    variable: LambdaVariable

    def on(self, path: Path) -> Value:
        """None, or a value that is not."""
        if path.decide(Call("isnull", (self.variable,), BOOLEAN, False)):
            return Known(None)
        return Unseen() if self.kind is None else Symbolic(self.kind, self.variable)


@dataclass(frozen=True)
class Lazy:
    """An argument that nobody has asked for yet."""

    argument: Argument


class Outside(dict[str, Any]):
    """The names around a function: its closure, its globals, Python's own."""

    def __init__(self, globals_: Mapping[str, Any], closure: Mapping[str, Any]) -> None:
        super().__init__()
        self.globals = globals_
        self.closure = closure

    def __missing__(self, name: str) -> Value:
        if name in self.closure:
            return constant(self.closure[name])
        if name in self.globals:
            if not is_as_written(self.globals, name):
                raise Unknowable(f"the global {name}, which may have changed")
            return constant(self.globals[name])
        found = getattr(builtins, name, None)
        if found is None:
            raise Raises("NameError")
        return Known(found)


class Enclosing(dict[str, Any]):
    """The names around an inner function."""

    def __init__(self, look_up: Callable[[str], Value]) -> None:
        super().__init__()
        self.look_up = look_up

    def __missing__(self, name: str) -> Value:
        return self.look_up(name)


def bound(
    expected: ast.arguments,
    values: Sequence[Any],
    named: Mapping[str, Any],
    defaults: Sequence[Value],
    only_named: Mapping[str, Any],
) -> dict[str, Any]:
    if expected.vararg or expected.kwarg:
        raise Unknowable("a function of any number of arguments")
    names = [a.arg for a in (*expected.posonlyargs, *expected.args)]
    if len(values) > len(names):
        raise Raises("TypeError")
    found = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True)) if defaults else {}
    found.update({name: constant(value) for name, value in only_named.items()})
    found.update(zip(names, values, strict=False))
    found.update(named)
    if set(found) != {*names, *(a.arg for a in expected.kwonlyargs)}:
        raise Raises("TypeError")
    return found


def constant(value: Any) -> Value:
    """A value from outside the function, if it is one that nothing of the user's runs in."""
    is_callable = type(value) is types.FunctionType or _is_builtin(value)
    if is_callable or is_plain(value) or any(value is module for module in MODULES):
        return Known(value)
    return Unseen()


def _is_builtin(value: Any) -> bool:
    own = (
        *vars(builtins).values(),
        *(getattr(module, n) for module, names in MODULES.items() for n in names),
    )
    return any(value is known for known in own)


def content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        raise Unknowable("an empty closure") from None


def assigned(node: ast.FunctionDef) -> set[str]:
    """The names that belong to a function because it assigns them. What it shares with others is not followed."""
    if any(isinstance(part, (ast.Global, ast.Nonlocal)) for part in ast.walk(node)):
        raise Unknowable("variables that it shares with other functions")
    stored = (p for p in _own_parts(node) if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store))
    return {part.id for part in stored}


def _own_parts(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, and not in functions or comprehensions inside it, which have names of their own."""
    inner = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, inner):
            yield part
            yield from _own_parts(part)
