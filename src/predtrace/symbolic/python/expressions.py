"""What expressions are worth on one path through a function."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from predtrace.symbolic.python.calls import as_text, attribute, plus
from predtrace.symbolic.python.names import Lazy, constant
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
from predtrace.symbolic.python.values import (
    Kind,
    Known,
    Local,
    Raises,
    Several,
    Symbolic,
    Unknowable,
    Unseen,
    Value,
    kind_of,
    python,
)

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


@dataclass
class Expressions(ABC):
    """Where expressions stand: the names they see, and the path."""

    body: ast.FunctionDef | ast.Lambda
    names: dict[str, Any]
    around: Mapping[str, Any]
    path: Path
    depth: int
    locals: set[str] = field(default_factory=set)

    def value(self, node: ast.expr) -> Value:
        self.path.budget.step()
        match node:
            case ast.Constant(value):
                return constant(value)
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
            if isinstance(found, Lazy):
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
        return constant(found)

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

    @abstractmethod
    def _comprehension(self, element: ast.expr, generators: Sequence[ast.comprehension]) -> Value:
        """What a comprehension makes."""

    @abstractmethod
    def _call(
        self, function: ast.expr, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword]
    ) -> Value:
        """What a call returns."""


def _together(kind: type, values: tuple[Value, ...]) -> Value:
    if all(isinstance(value, Known) for value in values):
        return constant(kind(value.value for value in values if isinstance(value, Known)))
    return Several(kind, values)


def _set_of(values: tuple[Value, ...]) -> Value:
    if not all(isinstance(value, Known) for value in values):
        raise Unknowable("a set that depends on the row")
    return folded(lambda *items: set(items), *(v.value for v in values if isinstance(v, Known)))


def _is_none(left: Value, right: Value) -> bool:
    nones = [isinstance(value, Known) and value.value is None for value in (left, right)]
    if not any(nones):
        raise Unknowable("identity of values")
    return all(nones)


def _is_boolean(value: Value) -> bool:
    return isinstance(value, Symbolic) and value.kind is Kind.BOOL


def _digits(text: str) -> list[str]:
    return "".join(c if c.isdigit() else " " for c in text).split()
