"""Follows one path through a function: statements and calls."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from predtrace.symbolic.python.calls import call_builtin, call_method
from predtrace.symbolic.python.expressions import Expressions
from predtrace.symbolic.python.names import (
    Argument,
    Enclosing,
    Lazy,
    Outside,
    assigned,
    bound,
    constant,
    content,
)
from predtrace.symbolic.python.operations import items_of
from predtrace.symbolic.python.paths import Path
from predtrace.symbolic.python.source import syntax_of
from predtrace.symbolic.python.values import (
    Kind,
    Known,
    Local,
    Method,
    Raises,
    Several,
    Symbolic,
    Unknowable,
    Value,
)

_DEEPEST = 12


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


def returned(function: types.FunctionType, arguments: Sequence[Argument], path: Path) -> Value:
    """What comes back on a path; raises `Raises` or `Unknowable`."""
    return _Frame.of(function, [Lazy(a) for a in arguments], {}, path, 0).run()


@dataclass
class _Frame(Expressions):
    """A call in progress."""

    @staticmethod
    def of(
        function: types.FunctionType,
        arguments: Sequence[Any],
        named: Mapping[str, Any],
        path: Path,
        depth: int,
    ) -> _Frame:
        if depth > _DEEPEST:
            raise Unknowable("calls that go too deep")
        node = syntax_of(function)
        if any(isinstance(part, ast.NamedExpr) for part in ast.walk(node)):
            raise Unknowable("an assignment in an expression")
        defaults = function.__defaults__ or ()
        only_named = function.__kwdefaults__ or {}
        if any(type(value) in {list, dict, set} for value in (*defaults, *only_named.values())):
            raise Unknowable("a default that may have changed")
        values = bound(node.args, arguments, named, [*map(constant, defaults)], only_named)
        cells = function.__closure__ or ()
        closure = dict(zip(function.__code__.co_freevars, map(content, cells), strict=True))
        return _Frame(node, values, Outside(function.__globals__, closure), path, depth)

    def run(self) -> Value:
        if isinstance(self.body, ast.Lambda):
            return self.value(self.body.body)
        self.locals = assigned(self.body)
        try:
            self.execute(self.body.body)
        except _Return as result:
            return result.value
        return Known(None)

    # Statements

    def execute(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self.path.budget.step()
            self._execute(statement)

    def _execute(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Return(value):
                raise _Return(Known(None) if value is None else self.value(value))
            case ast.Assign(targets, value):
                found = self.value(value)
                for target in targets:
                    self._assign(target, found)
            case ast.AnnAssign(target, _, value):
                if value is not None:
                    self._assign(target, self.value(value))
            case ast.AugAssign(ast.Name(name), operator, value):
                current = self._name(name)
                if _can_change(current):
                    raise Unknowable("a list that changes, which may have other names")
                self.names[name] = self._binary(operator, current, self.value(value))
            case ast.If(test, body, otherwise):
                self.execute(body if self._truth(test) else otherwise)
            case ast.For(target, iterable, body, otherwise):
                self._loop(((target, value) for value in self._iterated(iterable)), body, otherwise)
            case ast.While(test, body, otherwise):
                self._loop(self._while(test), body, otherwise)
            case ast.FunctionDef(name) if not statement.decorator_list:
                self.names[name] = Local(statement, self)
            case ast.Assert(test):
                if not self._truth(test):
                    raise Raises("AssertionError")
            case ast.Expr(ast.Constant()) | ast.Pass():
                pass
            case ast.Break():
                raise _Break
            case ast.Continue():
                raise _Continue
            case ast.Raise():
                raise Raises("an exception of the function's own")
            case _:
                raise Unknowable(f"a statement ({type(statement).__name__.lower()})")

    def _loop(
        self,
        rounds: Iterator[tuple[ast.expr | None, Value]],
        body: Sequence[ast.stmt],
        otherwise: Sequence[ast.stmt],
    ) -> None:
        for target, value in rounds:
            self.path.budget.step()
            if target is not None:
                self._assign(target, value)
            try:
                self.execute(body)
            except _Break:
                return
            except _Continue:
                continue
        self.execute(otherwise)

    def _while(self, test: ast.expr) -> Iterator[tuple[None, Value]]:
        while self._truth(test):
            yield None, Known(None)

    def _assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(name):
                self.names[name] = value
            case ast.Tuple(parts) | ast.List(parts) if not any(isinstance(p, ast.Starred) for p in parts):
                values = items_of(value)
                if len(values) != len(parts):
                    raise Raises("ValueError")
                for part, own in zip(parts, values, strict=True):
                    self._assign(part, own)
            case _:
                raise Unknowable("an assignment to a part of something")

    # Calls and comprehensions

    def _comprehension(self, element: ast.expr, generators: Sequence[ast.comprehension]) -> Value:
        """All of it at once: whoever reads it may stop earlier, so what raises in it may never happen."""
        (generator, *more) = generators
        if more or generator.is_async:
            raise Unknowable("a comprehension of several loops")
        inner = _Frame(self.body, {}, Enclosing(self._name), self.path, self.depth)  # its variable is its own
        found = []
        try:
            for value in self._iterated(generator.iter):
                inner._assign(generator.target, value)
                if all(inner._truth(test) for test in generator.ifs):
                    found.append(inner.value(element))
        except Raises as problem:
            raise Unknowable("a comprehension that may raise") from problem
        return Several(list, tuple(found))

    def _call(
        self, function: ast.expr, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword]
    ) -> Value:
        called = self.value(function)
        if len(arguments) == 1 and isinstance(arguments[0], ast.GeneratorExp) and _takes_all(called):
            values: tuple[Value, ...] = (self._comprehension(arguments[0].elt, arguments[0].generators),)
        else:
            values = self._all(arguments)
        named = {k.arg: self.value(k.value) for k in keywords if k.arg is not None}
        if len(named) != len(keywords):
            raise Unknowable("arguments by a table")
        if isinstance(called, Local):
            return self._call_local(called, values, named)
        if isinstance(called, Known) and type(called.value) is types.FunctionType:
            return _Frame.of(called.value, values, named, self.path, self.depth + 1).run()
        if named:
            raise Unknowable("a builtin with named arguments")
        try:
            if isinstance(called, Method):
                return call_method(called, values, self.path)
            if isinstance(called, Known):
                return call_builtin(called.value, values, self.path)
        except (ValueError, TypeError) as problem:  # so many arguments are not modelled
            raise Unknowable("a call with such arguments") from problem
        raise Unknowable("a call of such a value")

    def _call_local(self, called: Local, values: Sequence[Value], named: Mapping[str, Value]) -> Value:
        node: ast.FunctionDef | ast.Lambda = called.node
        if self.depth + 1 > _DEEPEST:
            raise Unknowable("calls that go too deep")
        if any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)) for part in ast.walk(node)):
            raise Unknowable("a generator or coroutine")
        if node.args.defaults or node.args.kw_defaults:
            raise Unknowable("an inner function with defaults")
        own = bound(node.args, values, named, [], {})
        frame: _Frame = called.names
        return _Frame(node, own, Enclosing(frame._name), self.path, self.depth + 1).run()


def _takes_all(called: Value) -> bool:
    """Whether a function goes through what it is given at once, and keeps nothing of it."""
    if isinstance(called, Method):
        return called.name == "join"
    return isinstance(called, Known) and any(called.value is f for f in (any, all, min, max, list, tuple))


def _can_change(value: Value) -> bool:
    kind = value.kind if isinstance(value, Several) else type(getattr(value, "value", None))
    return kind in {list, dict, set} or (isinstance(value, Symbolic) and value.kind is Kind.STRS)
