"""Whether an aggregate written in Python returns one of the values it was given.

A pandas function of a group's columns is followed in its source with what is known of each value: it is one of the
columns, or a part of one in whatever order (`Series`); one value of a column (`Picked`); None, or anything else.
A loop over a column is followed once for the first value, and then until nothing more is learned. So what is found
holds for groups of every size.

    def latest(price, day):
        best = None
        for p, d in zip(price, day):
            if best is None or d > best:
                best, found = d, p
        return found                      # one of the prices

`max()` and `min()` of a column say which value; of others it is only known that a row of the group has it.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from predtrace.symbolic.python.source import syntax_of
from predtrace.symbolic.python.values import Unknowable

_MOST_STEPS = 5_000
_MOST_ROUNDS = 20


@dataclass(frozen=True)
class Series:
    """Values of a column: all of them (`whole`: but for missing ones), or some, in whatever order; `filled`: at least
    one. A group has rows. `pandas`: missing values are passed over by `max` and `min`."""

    column: int
    whole: bool = True
    filled: bool = True
    pandas: bool = True


@dataclass(frozen=True)
class Position:
    """The index of a value of a column, as `idxmax` and the like return it."""

    by_label: bool


@dataclass(frozen=True)
class Picked:
    """One value of a column; `how` says which, if it is `max` or `min`."""

    column: int
    how: str = "any_value"


@dataclass(frozen=True)
class Pairs:
    """The rows of several columns, one after the other."""

    columns: tuple[Series, ...]


@dataclass(frozen=True)
class Nothing:
    """None."""


@dataclass(frozen=True)
class Other:
    """Anything."""


What = Series | Position | Picked | Pairs | Nothing | Other
Names = dict[str, What]

_SAME_SERIES = {"copy", "sort_values", "sort_index", "drop_duplicates"}
_ARRAYS = {"to_numpy", "tolist", "to_list", "unique"}
_SOME_VALUES = {"mode", "head", "tail", "nlargest", "nsmallest"}
_CHANGE_NOTHING = {
    *_SAME_SERIES,
    *_ARRAYS,
    *_SOME_VALUES,
    *("max", "min", "dropna", "item", "idxmax", "idxmin", "argmax", "argmin"),
    *("isnull", "isna", "notnull", "notna", "any", "all", "sum", "mean", "count", "nunique", "median"),
}
"""Methods of pandas and numpy that leave what they are called for as it is, whatever they return."""
_FUNCTIONS = {"max": max, "min": min, "sorted": sorted, "list": list, "zip": zip, "len": len, "abs": abs}
_POSITIONS = {"idxmax": True, "idxmin": True, "argmax": False, "argmin": False}


def picked(function: Any) -> Picked | None:
    """What a function of a group's columns returns, if that is always one value of its first column.

    >>> print(picked(len))
    None
    """
    if type(function) is not types.FunctionType:
        return None
    try:
        found = _Following(function).returned()
    except Exception:  # what users write knows no bounds; nothing is claimed of it
        return None
    return found if isinstance(found, Picked) and found.column == 0 else None


class _Following:
    def __init__(self, function: types.FunctionType) -> None:
        node = syntax_of(function)
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or function.__defaults__:
            raise Unknowable("a function of any number of columns")
        self.node = node
        self.names: Names = {
            argument.arg: Series(at) for at, argument in enumerate((*arguments.posonlyargs, *arguments.args))
        }
        self.outcomes: list[What] = []
        self.steps = _MOST_STEPS
        hidden = {*function.__globals__, *function.__code__.co_freevars, *function.__code__.co_varnames}
        self.builtins = _FUNCTIONS.keys() - hidden
        for part in ast.walk(node):
            self._check(part)

    def _check(self, part: ast.AST) -> None:
        """Nothing may change the columns behind our back, or assign names in places that nobody looks at."""
        match part:
            case ast.Call(ast.Attribute(_, method), _, keywords) if method in _CHANGE_NOTHING:
                if any(keyword.arg != "ascending" for keyword in keywords):
                    raise Unknowable("a method with options")
            case ast.Call(ast.Name(name), _, []) if name in self.builtins:
                pass
            case ast.Call():
                raise Unknowable("a call of something else")
            case ast.NamedExpr() | ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp():
                if part is not self.node:
                    raise Unknowable("an expression with names of its own")
            case ast.GeneratorExp() | ast.Yield() | ast.YieldFrom() | ast.Await() | ast.Delete():
                raise Unknowable("an expression with names of its own")

    def returned(self) -> What:
        if isinstance(self.node, ast.Lambda):
            return self.value(self.node.body, self.names)
        if any(isinstance(part, (ast.Global, ast.Nonlocal)) for part in ast.walk(self.node)):
            raise Unknowable("shared variables")
        end = self.block(self.node.body, self.names)
        if end is not None:
            self.outcomes.append(Nothing())
        return _either(self.outcomes)

    # Statements: the names after a block, None where it never ends

    def block(self, statements: Sequence[ast.stmt], names: Names) -> Names | None:
        now: Names | None = dict(names)
        for statement in statements:
            if now is None:
                return None
            self.step()
            now = self.statement(statement, now)
        return now

    def statement(self, statement: ast.stmt, names: Names) -> Names | None:
        match statement:
            case ast.Return(value):
                self.outcomes.append(Nothing() if value is None else self.value(value, names))
                return None
            case ast.Raise():
                return None
            case ast.Assign([target], value):
                return self.assigned(target, value, names)
            case ast.If(test, body, otherwise):
                decided = self.decided(test, names)
                ends = []
                if decided is not False:
                    ends.append(self.block(body, names))
                if decided is not True:
                    ends.append(self.block(otherwise, names))
                return _joined(ends)
            case ast.For(target, iterable, body, []):
                return self.loop(target, self.value(iterable, names), body, names)
            case ast.Pass() | ast.Expr(ast.Constant()):
                return names
        raise Unknowable(f"a statement ({type(statement).__name__.lower()})")

    def assigned(self, target: ast.expr, value: ast.expr, names: Names) -> Names:
        match target, value:
            case ast.Name(name), _:
                return {**names, name: self.value(value, names)}
            case ast.Tuple(targets), ast.Tuple(values) if len(targets) == len(values):
                found = [self.value(part, names) for part in values]
                return {**names, **dict(zip(map(_name, targets), found, strict=True))}
        raise Unknowable("an assignment to something else")

    def loop(self, target: ast.expr, over: What, body: Sequence[ast.stmt], names: Names) -> Names | None:
        """A group has a first row; what holds after it and after any further round holds in the end."""
        now = self.round(target, over, body, names)
        columns = over.columns if isinstance(over, Pairs) else (over,)
        if not all(isinstance(column, Series) and column.filled for column in columns):
            now = _joined([names, now])
        for _ in range(_MOST_ROUNDS):
            if now is None:
                return None
            further = _joined([now, self.round(target, over, body, now)])
            if further == now:
                return now
            now = further
        raise Unknowable("a loop that goes on")

    def round(self, target: ast.expr, over: What, body: Sequence[ast.stmt], names: Names) -> Names | None:
        match target, over:
            case ast.Name(name), Series(column):
                inner = {**names, name: Picked(column)}
            case ast.Tuple(targets), Pairs(columns) if len(targets) == len(columns):
                own = {_name(t): Picked(c.column) for t, c in zip(targets, columns, strict=True)}
                inner = {**names, **own}
            case _:
                raise Unknowable("a loop over something else")
        return self.block(body, inner)

    def decided(self, test: ast.expr, names: Names) -> bool | None:
        """Whether a condition holds, where that is certain: only about None."""
        match test:
            case ast.Compare(ast.Name(name), [ast.Is() | ast.IsNot() as operator], [ast.Constant(None)]):
                what = names.get(name, Other())
                if isinstance(what, Nothing):
                    return isinstance(operator, ast.Is)
            case ast.BoolOp(ast.Or(), [first, *_]) if self.decided(first, names) is True:
                return True
            case ast.BoolOp(ast.And(), [first, *_]) if self.decided(first, names) is False:
                return False
        return None

    # Expressions

    def value(self, node: ast.expr, names: Names) -> What:
        self.step()
        match node:
            case ast.Constant(None):
                return Nothing()
            case ast.Name(name):
                return names.get(name, Other())
            case ast.IfExp(_, body, otherwise):
                return _either([self.value(body, names), self.value(otherwise, names)])
            case ast.Attribute(owner, "values"):
                of = self.value(owner, names)
                return replace(of, pandas=False) if isinstance(of, Series) else Other()
            case ast.Subscript(ast.Attribute(owner, ("iloc" | "iat" | "loc" | "at") as how), key):
                return self.item(self.value(owner, names), key, names, how in {"loc", "at"})
            case ast.Subscript(owner, key):
                return self.item(self.value(owner, names), key, names, None)
            case ast.Call(ast.Attribute(owner, method), arguments, keywords):
                return self.method(self.value(owner, names), method, arguments, bool(keywords))
            case ast.Call(ast.Name(name), arguments, []) if name in self.builtins and name not in names:
                return self.builtin(name, [self.value(a, names) for a in arguments])
        return Other()

    def item(self, owner: What, key: ast.expr, names: Names, by_label: bool | None) -> What:
        if not isinstance(owner, Series):
            return Other()
        if isinstance(key, ast.Slice):
            return Series(owner.column, whole=False, filled=False)
        if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub):
            key = key.operand
        is_number = isinstance(key, ast.Constant) and type(key.value) is int
        found = self.value(key, names)
        is_position = isinstance(found, Position) and by_label in {None, found.by_label}
        if (is_number and by_label is not True) or is_position:
            return Picked(owner.column)
        return Other()

    def method(self, owner: What, method: str, arguments: Sequence[ast.expr], has_options: bool) -> What:
        if not isinstance(owner, Series):
            return Other()
        if method in _SOME_VALUES:
            return Series(owner.column, whole=False, filled=False)
        if method == "sort_values" and not arguments:
            return owner
        if arguments or has_options:
            return Other()
        if method in {"max", "min"}:
            if not owner.filled and not owner.whole:
                return Other()  # of nothing it is NaN
            return Picked(owner.column, method if owner.whole and owner.pandas else "any_value")
        if method in _SAME_SERIES:
            return owner
        if method in _ARRAYS:
            return replace(owner, pandas=False)
        if method == "dropna":
            return replace(owner, filled=False)
        if method in _POSITIONS:
            return Position(_POSITIONS[method])
        return Picked(owner.column) if method == "item" else Other()

    def builtin(self, name: str, arguments: list[What]) -> What:
        if name == "zip" and all(isinstance(a, Series) for a in arguments):
            return Pairs(tuple(a for a in arguments if isinstance(a, Series)))
        if len(arguments) == 1 and isinstance(arguments[0], Series):
            only = arguments[0]
            if name in {"max", "min"}:
                return Picked(only.column)
            return replace(only, pandas=False) if name in {"sorted", "list"} else Other()
        if name in {"max", "min"} and len(arguments) > 1 and all(isinstance(a, Picked) for a in arguments):
            return _either([Picked(a.column) for a in arguments if isinstance(a, Picked)])
        return Other()

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise Unknowable("too much to follow")


def _name(target: ast.expr) -> str:
    if not isinstance(target, ast.Name):
        raise Unknowable("an assignment to something else")
    return target.id


def _either(values: Sequence[What]) -> What:
    """What is certain of a value that is one of these."""
    different = set(values)
    if len(different) == 1:
        return values[0]
    columns = {value.column for value in different if isinstance(value, Picked)}
    if len(columns) == 1 and all(isinstance(value, Picked) for value in different):
        return Picked(columns.pop())
    return Other()


def _joined(ends: Sequence[Names | None]) -> Names | None:
    """What is certain of the names after one of several ways."""
    reached = [names for names in ends if names is not None]
    if not reached:
        return None
    return {
        name: _either([names.get(name, Other()) for names in reached])
        for name in {n for e in reached for n in e}
    }
