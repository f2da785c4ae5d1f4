"""Follows one path through a function: statements and expressions."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from predtrace.ir.expressions import Call, LambdaVariable
from predtrace.ir.types import BOOLEAN
from predtrace.symbolic.python.calls import MODULES, as_text, attribute, call_builtin, call_method, plus
from predtrace.symbolic.python.operations import (
    arithmetic,
    compared,
    contains,
    folded,
    inverted,
    item,
    items_of,
    negated,
    truth,
)
from predtrace.symbolic.python.paths import Path
from predtrace.symbolic.python.source import is_as_written, syntax_of
from predtrace.symbolic.python.values import (
    Kind,
    Known,
    Local,
    Method,
    Raises,
    Several,
    Symbolic,
    Unknowable,
    Unseen,
    Value,
    is_plain,
    kind_of,
    python,
)

_DEEPEST = 12
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "==",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


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


def returned(function: types.FunctionType, arguments: Sequence[Argument], path: Path) -> Value:
    """What comes back on a path; raises `Raises` or `Unknowable`."""
    return _Frame.of(function, [_Lazy(a) for a in arguments], {}, path, 0).run()


@dataclass(frozen=True)
class _Lazy:
    """An argument that nobody has asked for yet."""

    argument: Argument


@dataclass
class _Frame:
    """A call in progress."""

    body: ast.FunctionDef | ast.Lambda
    names: dict[str, Any]
    around: Mapping[str, Any]
    path: Path
    depth: int
    locals: set[str] = field(default_factory=set)

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
        values = _bound(node.args, arguments, named, [*map(_constant, defaults)], only_named)
        cells = function.__closure__ or ()
        closure = dict(zip(function.__code__.co_freevars, map(_content, cells), strict=True))
        return _Frame(node, values, _Outside(function.__globals__, closure), path, depth)

    def run(self) -> Value:
        if isinstance(self.body, ast.Lambda):
            return self.value(self.body.body)
        self.locals = _assigned(self.body)
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

    # Expressions

    def value(self, node: ast.expr) -> Value:
        self.path.budget.step()
        match node:
            case ast.Constant(value):
                return _constant(value)
            case ast.Name(name):
                return self._name(name)
            case ast.BinOp(left, operator, right):
                return self._binary(operator, self.value(left), self.value(right))
            case ast.UnaryOp(ast.USub(), operand):
                return negated(self.value(operand), self.path)
            case ast.UnaryOp(ast.Not(), operand):
                return inverted(self.value(operand), self.path)
            case ast.BoolOp(operator, values):
                return self._either(isinstance(operator, ast.Or), values)
            case ast.IfExp(test, body, otherwise):
                return self.value(body if self._truth(test) else otherwise)
            case ast.Compare(left, operators, others):
                return self._compare(left, operators, others)
            case ast.Call(function, arguments, keywords):
                return self._call(function, arguments, keywords)
            case ast.Attribute(owner, name):
                return attribute(self.value(owner), name)
            case ast.Subscript(container, ast.Slice(lower, upper, step)):
                return self._slice(self.value(container), lower, upper, step)
            case ast.Subscript(container, key):
                return item(self.value(container), self.value(key), self.path)
            case ast.Tuple(parts):
                return _together(tuple, self._all(parts))
            case ast.List(parts):
                return _together(list, self._all(parts))
            case ast.Set(parts):
                return _set_of(self._all(parts))
            case ast.Dict(keys, values):
                return self._table(keys, values)
            case ast.JoinedStr(parts):
                return self._text(parts)
            case ast.ListComp(element, generators):
                return self._comprehension(element, generators)
            case ast.Lambda():
                return Local(node, self)
        raise Unknowable(f"an expression ({type(node).__name__.lower()})")

    def _all(self, nodes: Sequence[ast.expr]) -> tuple[Value, ...]:
        if any(isinstance(node, ast.Starred) for node in nodes):
            raise Unknowable("a starred expression")
        return tuple(self.value(node) for node in nodes)

    def _truth(self, node: ast.expr) -> bool:
        return truth(self.value(node), self.path)

    def _name(self, name: str) -> Value:
        if name.startswith("__") and not name.endswith("__"):
            raise Unknowable("a name that may be a class's own")
        if name in self.names:
            found = self.names[name]
            if isinstance(found, _Lazy):
                found = self.names[name] = found.argument.on(self.path)
            return found  # type: ignore[no-any-return]
        if name in self.locals:
            raise Raises("UnboundLocalError")
        return self.around[name]  # type: ignore[no-any-return]

    def _binary(self, operator: ast.operator, left: Value, right: Value) -> Value:
        return arithmetic(_OPERATORS.get(type(operator), "another operator"), left, right, self.path)

    def _either(self, is_or: bool, nodes: Sequence[ast.expr]) -> Value:
        """The value that decides."""
        value = self.value(nodes[0])
        for node in nodes[1:]:
            if truth(value, self.path) is is_or:
                return value if not _is_boolean(value) else Known(is_or)
            value = self.value(node)
        return value

    def _compare(self, left: ast.expr, operators: Sequence[ast.cmpop], others: Sequence[ast.expr]) -> Value:
        value, result = self.value(left), Known(True)
        for at, (operator, node) in enumerate(zip(operators, others, strict=True)):
            other = self.value(node)
            result = self._compared(operator, value, other)  # type: ignore[assignment]
            if at + 1 < len(operators) and not truth(result, self.path):
                return Known(False)
            value = other
        return result

    def _compared(self, operator: ast.cmpop, left: Value, right: Value) -> Value:
        match operator:
            case ast.Is() | ast.IsNot():
                same = _is_none(left, right)
                return Known(same if isinstance(operator, ast.Is) else not same)
            case ast.In():
                return contains(right, left)
            case ast.NotIn():
                return inverted(contains(right, left), self.path)
            case ast.NotEq():
                return inverted(compared("==", left, right), self.path)
        return compared(_COMPARISONS[type(operator)], left, right)

    def _slice(
        self, container: Value, lower: ast.expr | None, upper: ast.expr | None, step: ast.expr | None
    ) -> Value:
        bounds = [Known(None) if b is None else self.value(b) for b in (lower, upper, step)]
        if not all(isinstance(b, Known) and type(b.value) in {int, type(None)} for b in bounds):
            raise Unknowable("a slice that depends on the row")
        start, stop, by = (b.value for b in bounds if isinstance(b, Known))
        if isinstance(container, Known):
            return folded(lambda value: value[start:stop:by], container.value)
        if isinstance(container, Several):
            return Several(container.kind, container.items[start:stop:by])
        kind = kind_of(container)
        if kind not in {Kind.STR, Kind.STRS}:
            raise Unknowable("a slice of such a value")
        assert kind is not None
        return python("slice", kind, container, start=str(start), stop=str(stop), step=str(by))

    def _table(self, keys: Sequence[ast.expr | None], values: Sequence[ast.expr]) -> Value:
        found = {}
        for key, value in zip(keys, values, strict=True):
            own_key = Unseen() if key is None else self.value(key)
            own = self.value(value)
            if not (isinstance(own_key, Known) and isinstance(own, Known)):
                raise Unknowable("a table that depends on the row")
            found[own_key.value] = own.value
        return _constant(found)

    def _text(self, parts: Sequence[ast.expr]) -> Value:
        text: Value = Known("")
        for part in parts:
            if isinstance(part, ast.Constant):
                text = plus(text, Known(part.value))
                continue
            assert isinstance(part, ast.FormattedValue)
            if part.conversion != -1:
                raise Unknowable("a conversion in a formatted string")
            value = self.value(part.value)
            if part.format_spec is None:
                text = plus(text, as_text(value, self.path))
            else:
                text = plus(text, self._formatted(value, self.value(part.format_spec)))
        return text

    def _formatted(self, value: Value, how: Value) -> Value:
        if not isinstance(how, Known) or any(len(run) > 3 for run in _digits(how.value)):
            raise Unknowable("a format that depends on the row, or is very wide")
        if isinstance(value, Known):
            return folded(format, value.value, how.value)
        if kind_of(value) not in {Kind.INT, Kind.FLOAT, Kind.STR}:
            raise Unknowable("the format of such a value")
        return python("format", Kind.STR, value, how)

    def _iterated(self, node: ast.expr) -> tuple[Value, ...]:
        """What a loop goes through. What can be gone through only once is not kept, so it is known here alone."""
        if isinstance(node, ast.Call) and not node.keywords:
            called = self.value(node.func)
            if isinstance(called, Known) and called.value is enumerate and len(node.args) == 1:
                items = self._iterated(node.args[0])
                return tuple(Several(tuple, (Known(at), value)) for at, value in enumerate(items))
            if isinstance(called, Known) and called.value is zip:
                columns = [self._iterated(argument) for argument in node.args]
                return tuple(Several(tuple, values) for values in zip(*columns, strict=False))
        return items_of(self.value(node))

    def _comprehension(self, element: ast.expr, generators: Sequence[ast.comprehension]) -> Value:
        """All of it at once: whoever reads it may stop earlier, so what raises in it may never happen."""
        (generator, *more) = generators
        if more or generator.is_async:
            raise Unknowable("a comprehension of several loops")
        inner = _Frame(self.body, {}, _Enclosing(self), self.path, self.depth)  # its variable is its own
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
        own = _bound(node.args, values, named, [], {})
        frame: _Frame = called.names
        return _Frame(node, own, _Enclosing(frame), self.path, self.depth + 1).run()


class _Outside(dict[str, Any]):
    """The names around a function: its closure, its globals, Python's own."""

    def __init__(self, globals_: Mapping[str, Any], closure: Mapping[str, Any]) -> None:
        super().__init__()
        self.globals = globals_
        self.closure = closure

    def __missing__(self, name: str) -> Value:
        if name in self.closure:
            return _constant(self.closure[name])
        if name in self.globals:
            if not is_as_written(self.globals, name):
                raise Unknowable(f"the global {name}, which may have changed")
            return _constant(self.globals[name])
        found = getattr(builtins, name, None)
        if found is None:
            raise Raises("NameError")
        return Known(found)


class _Enclosing(dict[str, Any]):
    """The names around an inner function."""

    def __init__(self, frame: _Frame) -> None:
        super().__init__()
        self.frame = frame

    def __missing__(self, name: str) -> Value:
        return self.frame._name(name)


def _bound(
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
    found.update({name: _constant(value) for name, value in only_named.items()})
    found.update(zip(names, values, strict=False))
    found.update(named)
    if set(found) != {*names, *(a.arg for a in expected.kwonlyargs)}:
        raise Raises("TypeError")
    return found


def _constant(value: Any) -> Value:
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


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        raise Unknowable("an empty closure") from None


def _assigned(node: ast.FunctionDef) -> set[str]:
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


def _takes_all(called: Value) -> bool:
    """Whether a function goes through what it is given at once, and keeps nothing of it."""
    if isinstance(called, Method):
        return called.name == "join"
    return isinstance(called, Known) and any(called.value is f for f in (any, all, min, max, list, tuple))


def _together(kind: type, values: tuple[Value, ...]) -> Value:
    if all(isinstance(value, Known) for value in values):
        return _constant(kind(value.value for value in values if isinstance(value, Known)))
    return Several(kind, values)


def _set_of(values: tuple[Value, ...]) -> Value:
    if not all(isinstance(value, Known) for value in values):
        raise Unknowable("a set that depends on the row")
    return folded(lambda *items: set(items), *(v.value for v in values if isinstance(v, Known)))


def _can_change(value: Value) -> bool:
    kind = value.kind if isinstance(value, Several) else type(getattr(value, "value", None))
    return kind in {list, dict, set} or (isinstance(value, Symbolic) and value.kind is Kind.STRS)


def _is_none(left: Value, right: Value) -> bool:
    nones = [isinstance(value, Known) and value.value is None for value in (left, right)]
    if not any(nones):
        raise Unknowable("identity of values")
    return all(nones)


def _is_boolean(value: Value) -> bool:
    return isinstance(value, Symbolic) and value.kind is Kind.BOOL


def _digits(text: str) -> list[str]:
    return "".join(c if c.isdigit() else " " for c in text).split()
