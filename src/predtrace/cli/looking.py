"""Statements of a program that only show something: nothing that comes after them depends on them.

    df.T                                       shown at the end of a cell
    print(df.groupby("city")["price"].describe())

Where Spark cannot have what such a statement shows, the program goes on without it. So it must be certain that
nothing is changed, and no function of the program's own is called, as far as can be seen in the statement itself.
"""

from __future__ import annotations

import ast
from typing import Any

import pandas
from pandas.core.groupby import DataFrameGroupBy, SeriesGroupBy

_FUNCTIONS = "print display len round sorted list tuple set dict str repr int float abs min max sum type"
_CALLED = frozenset(_FUNCTIONS.split(" "))
_OF_VALUES = frozenset({"format", "join", "keys", "values", "upper", "lower", "title"})
_CHANGE_OR_WRITE = frozenset({"add", "append", "insert", "pop", "sort", "update"})
"""Lists and sets have methods of these names, too."""
_CALL_FUNCTIONS = frozenset({"apply", "map", "applymap", "transform", "agg", "aggregate", "filter", "pipe"})
_ACCESSORS: tuple[Any, ...] = (pandas.Series.str, pandas.Series.dt, pandas.Series.cat)
_FRAMES = (pandas.DataFrame, pandas.Series, pandas.Index, DataFrameGroupBy, SeriesGroupBy)
_GIVE_VALUES = frozenset(
    {"to_string", "to_frame", "to_dict", "to_list", "to_period", "to_timestamp", "to_datetime"}
)
_PUBLIC = {name for each in (pandas, *_FRAMES, *_ACCESSORS) for name in dir(each)}
_METHODS = (
    frozenset(name for name in _PUBLIC if not name.startswith(("_", "to_"))) | _OF_VALUES | _GIVE_VALUES
) - _CHANGE_OR_WRITE

_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
_TEXTS = (ast.JoinedStr, ast.FormattedValue)
_PLAIN = (*_LEAVES[1:], ast.List, ast.Tuple, ast.Dict, ast.UnaryOp)
_PARTS = (
    *(*_LEAVES, *_TEXTS, *_PLAIN),
    *(ast.Attribute, ast.Subscript, ast.Slice, ast.Set, ast.BinOp, ast.BoolOp, ast.Compare),
    *(ast.Call, ast.keyword, ast.Starred),
)


def only_shows(statement: ast.stmt) -> bool:
    """Whether a statement only shows something.

    >>> [only_shows(ast.parse(text).body[0]) for text in ("print(df.T)", "df.pop('x')", "total = df.T", "mine(df)")]
    [True, False, False, False]
    """
    return isinstance(statement, ast.Expr) and all(map(_changes_nothing, ast.walk(statement.value)))


def _changes_nothing(part: ast.AST) -> bool:
    if not isinstance(part, ast.Call):
        return isinstance(part, _PARTS)
    if any(each.arg in ("inplace", None) for each in part.keywords):
        return False
    if isinstance(part.func, ast.Name):
        return part.func.id in _CALLED
    if not isinstance(part.func, ast.Attribute) or part.func.attr not in _METHODS:
        return False
    return part.func.attr not in _CALL_FUNCTIONS or all(map(_is_plain, _arguments(part)))


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(each.value for each in call.keywords)]


def _is_plain(argument: ast.expr) -> bool:
    """Whether an argument is written down, so no function of the program's own."""
    return all(isinstance(part, _PLAIN) for part in ast.walk(argument))
