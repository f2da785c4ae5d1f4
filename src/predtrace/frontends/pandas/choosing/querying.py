"""`query` and `eval`: an expression that is a text, read as Python and worked out with the frame's own series.

pandas reads such a text almost as Python has it:

| text | means |
|---|---|
| `a > 1 & b < 2` | `and` and `or` bind as weakly as the words: `(a > 1) and (b < 2)` |
| `a == [1, 2]`, `a in [1, 2]` | `a.isin([1, 2])` |
| `` `two words` `` | the column of that label |
| `@limit` | the variable of the program |
"""

from __future__ import annotations

import ast
import io
import operator
import sys
import tokenize
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.core.elements import is_series
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.steps import in_place, only, refused

if TYPE_CHECKING:
    from predtrace.frontends.pandas.frame import DataFrame

_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS = frozenset(
    {"sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan"}
    | {"exp", "log", "expm1", "log1p", "sqrt", "abs", "log10"}
)
_WORDS = {"&": "and", "|": "or"}
_VARIABLE = "_variable_of_the_program_"
_QUOTED = "_quoted_label_"


class QueryingFrame(Held):
    """These methods of a DataFrame."""

    @in_place
    def query(self, expr: str, *, level: int = 0, **given: Any) -> Any:
        """The rows for which an expression is true."""
        frame: Any = self
        return frame[_Text(frame, "query", expr, given, sys._getframe(2 + level)).value()]

    @in_place
    def eval(self, expr: str, *, level: int = 0, **given: Any) -> Any:
        """What an expression gives; or the frame with the columns that the text assigns."""
        frame: Any = self
        return _Text(frame, "eval", expr, given, sys._getframe(2 + level)).result()


class _Text:
    """An expression in words, the frame it is about, and the variables that it may name."""

    def __init__(self, frame: DataFrame, call: str, text: str, given: Mapping[str, Any], caller: Any) -> None:
        if not isinstance(text, str):
            raise ValueError(f"expr must be a string to be evaluated, {type(text)} given")
        only(
            f"DataFrame.{call}()",
            {"engine": None, "parser": "pandas", "local_dict": None, "global_dict": None},
            {
                name: value
                for name, value in given.items()
                if name not in ("local_dict", "global_dict", "engine")
            },
        )
        self._frame = frame
        self._call = f"DataFrame.{call}({text!r})"
        self._known = {
            **(given.get("global_dict") or caller.f_globals),
            **(given.get("local_dict") or caller.f_locals),
        }
        self._quoted: list[str] = []
        self._parsed = ast.parse(self._as_python(text.strip())).body

    def _as_python(self, text: str) -> str:
        """The text as Python can parse it: names for what pandas has signs for."""
        parts = text.split("`")
        for place in range(1, len(parts), 2):
            self._quoted.append(parts[place])
            parts[place] = f"{_QUOTED}{len(self._quoted) - 1}"
        words: list[tuple[int, str]] = []
        marked = False
        for token in tokenize.generate_tokens(io.StringIO("".join(parts)).readline):
            if token.type == tokenize.OP and token.string == "@":
                marked = True
                continue
            if token.type == tokenize.OP and token.string in _WORDS:
                words.append((tokenize.NAME, _WORDS[token.string]))
            else:
                words.append((token.type, _VARIABLE + token.string if marked else token.string))
            marked = False
        return tokenize.untokenize(words)

    def value(self) -> Any:
        """The value of the text, which is one expression."""
        if len(self._parsed) != 1 or not isinstance(self._parsed[0], ast.Expr):
            raise ValueError("query() takes one expression")
        return self._of(self._parsed[0].value)

    def result(self) -> Any:
        """The value, or the frame with what is assigned, one after the other."""
        if len(self._parsed) == 1 and isinstance(self._parsed[0], ast.Expr):
            return self.value()
        frame = self._frame.copy()
        self._frame = frame
        for step in self._parsed:
            if not isinstance(step, ast.Assign) or len(step.targets) != 1:
                raise ValueError(
                    "Multi-line expressions are only valid if all expressions contain an assignment"
                )
            target = step.targets[0]
            if not isinstance(target, ast.Name):
                raise SyntaxError("left hand side of an assignment must be a single name")
            frame[self._label(target.id)] = self._of(step.value)
        return frame

    def _label(self, name: str) -> str:
        return self._quoted[int(name.removeprefix(_QUOTED))] if name.startswith(_QUOTED) else name

    def _of(self, node: ast.expr) -> Any:
        if isinstance(node, ast.BoolOp):
            found = self._of(node.values[0])
            for each in node.values[1:]:
                found = _both(found, self._of(each), isinstance(node.op, ast.And))
            return found
        if isinstance(node, ast.Compare):
            return self._compared(node)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](self._of(node.left), self._of(node.right))
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._of(each) for each in node.elts]
        if isinstance(node, ast.Attribute):
            return getattr(self._of(node.value), node.attr)
        if isinstance(node, ast.Subscript):
            return self._of(node.value)[self._of(node.slice)]
        if isinstance(node, ast.Call):
            return self._called(node)
        raise refused(self._call, f"{ast.unparse(node)!r} is not known there")

    def _unary(self, node: ast.UnaryOp) -> Any:
        found: Any = self._of(node.operand)
        if isinstance(node.op, ast.USub):
            return -found
        if isinstance(node.op, ast.UAdd):
            return found
        is_series: bool = isinstance(found, Held)
        return ~found if is_series else not found

    def _compared(self, node: ast.Compare) -> Any:
        """Comparisons, one after the other: `1 < a <= 5`."""
        sides = [self._of(each) for each in [node.left, *node.comparators]]
        found: Any = None
        for sign, left, right in zip(node.ops, sides, sides[1:], strict=False):
            one = _compared(sign, left, right)
            found = one if found is None else _both(found, one, True)
        return found

    def _called(self, node: ast.Call) -> Any:
        args = [self._of(each) for each in node.args]
        kwargs = {each.arg: self._of(each.value) for each in node.keywords if each.arg is not None}
        if isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and node.func.id not in self._frame:
            return getattr(np, node.func.id)(*args, **kwargs)
        return self._of(node.func)(*args, **kwargs)

    def _named(self, name: str) -> Any:
        if name.startswith(_VARIABLE):
            wanted = name.removeprefix(_VARIABLE)
            if wanted not in self._known:
                raise pd.errors.UndefinedVariableError(wanted, is_local=True)
            return self._known[wanted]
        label = self._label(name)
        frame: Any = self._frame
        if label in frame:
            return frame[label]
        index = frame.index
        if label in index.names:
            return index._level(index.names.index(label))
        if label == "index":
            return index._level(0)
        if label in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[label]
        raise pd.errors.UndefinedVariableError(label)


def _both(one: Any, other: Any, is_and: bool) -> Any:
    if isinstance(one, Held) or isinstance(other, Held):
        return one & other if is_and else one | other
    return (one and other) if is_and else (one or other)


def _compared(sign: ast.cmpop, left: Any, right: Any) -> Any:
    several = isinstance(right, (list, tuple, set, np.ndarray, pd.Index, pd.Series, range))
    is_in = isinstance(sign, ast.In) or (isinstance(sign, ast.Eq) and several)
    if is_in or isinstance(sign, ast.NotIn) or (isinstance(sign, ast.NotEq) and several):
        if not isinstance(left, Held):
            return (left in right) == is_in
        found = left.isin(right)  # type: ignore[attr-defined]
        return found if is_in else ~found
    for one, other in ((left, right), (right, left)):
        if is_series(one) and one._value.dtype.is_period and isinstance(other, str):
            raise refused(
                "query() of periods beside a text", "pandas takes them for unequal", "select with df[...]"
            )
    return _OPERATORS[type(sign)](left, right)
