"""Does a loop over rows on Spark: its body is called for each row, as `DataFrame.apply(axis=1)` calls a function.

What the calls return says which cells each turn set and what it appended. With that the loop is done on the values,
as the program would have done it; and the same is done to the frame on Spark, by a function of the row:

    found = df.apply(is_set_and_value, axis=1, result_type="expand")
    df.loc[found[0], "rent"] = found[1]

If both come out alike, the loop was done. If anything is otherwise, nothing was done, and the program runs its loop.
"""

from __future__ import annotations

import ast
import base64
import linecache
import pickle
import types
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from predtrace.frontends.pandas.applying.calling import Function, bound_to_its_rows, called
from predtrace.frontends.pandas.applying.row_calls import returning
from predtrace.frontends.pandas.applying.row_wise import call_for_rows
from predtrace.frontends.pandas.applying.users_functions import is_users, outside_of, steps_of
from predtrace.frontends.pandas.core.built_lists import BuiltList, alike, as_typed
from predtrace.frontends.pandas.core.dtypes import TEXT
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.watching import frames_that_left, tell_left
from predtrace.frontends.pandas.frame import DataFrame
from predtrace.frontends.pandas.looping.recognising import APPENDED, CELLS, CHANGING, RowLoop
from predtrace.frontends.pandas.series import Series

_RAISED = ""
_PLAIN = (str, bytes, int, float, bool, type(None), np.generic, pd.Timestamp, pd.Timedelta)
_LOOKED_INTO = (tuple, frozenset, list, dict, set, range, np.ndarray, pd.Series, pd.DataFrame, pd.Index)


def done_on_spark(
    loop: RowLoop, variables: dict[str, Any], is_read_elsewhere: Callable[[str], bool], where: str
) -> bool:
    """Whether a loop was done; if not, nothing has happened. `where`: the loop's line, to name its functions."""
    read = [variables[name] for name in loop.read if name in variables]
    if not all(map(_is_settled, read)) or (frames_that_left() and any(map(_holds_values, read))):
        return False
    if not all(type(variables.get(name)) is list and not variables[name] for name in loop.lists):
        return False
    try:
        frame = eval(compile(ast.Expression(loop.frame), "<loop>", "eval"), variables)
        if type(frame) is not DataFrame:
            return False
        turns = _Turns(loop, frame.copy(), _given(frame, loop), _Functions(loop, variables, where))
        if not turns.all or turns.keeps_others(is_read_elsewhere):
            return False
        made = turns.frame_on_spark() if loop.cells else None
    except Exception:
        # whatever it is: the program's own loop says what is wrong
        return False
    if made is not None:
        frame._become(made)
    turns.leave(variables, is_read_elsewhere)
    return True


def _given(frame: DataFrame, loop: RowLoop) -> DataFrame:
    """The frame; for tuples with a column of texts, so that a row's numbers come as they are, not as floats."""
    if not loop.as_tuples:
        return frame.copy()
    label = next(f"{at}" for at in range(len(frame.columns) + 1) if f"{at}" not in frame.columns)
    return frame.assign(**{label: ""})


def _is_settled(value: Any) -> bool:
    """Whether it is known that reading a value changes nothing."""
    if isinstance(value, types.FunctionType) and is_users(value):
        return all(map(_changes_nothing, _functions_of(value)))
    kinds = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, Held, Scalar)
    return isinstance(value, (*kinds, *_PLAIN, *_LOOKED_INTO))


def _holds_values(value: Any) -> bool:
    """Whether it is, or has, plain values of the program: they may be some that left Spark, and nobody would know."""
    if isinstance(value, types.FunctionType) and is_users(value):
        named = (one for function in _functions_of(value) for one in outside_of(function).values())
        return any(isinstance(one, (*_PLAIN, *_LOOKED_INTO)) for one in named)
    return isinstance(value, (*_PLAIN, *_LOOKED_INTO))


def _functions_of(function: types.FunctionType) -> list[types.FunctionType]:
    """A function of the program and those that it names."""
    found = [function]
    for one in found:  # grows meanwhile
        named = (value for value in outside_of(one).values() if isinstance(value, types.FunctionType))
        found += [value for value in named if is_users(value) and not any(value is known for known in found)]
    return found


def _changes_nothing(function: types.FunctionType) -> bool:
    changing = ("STORE_SUBSCR", "STORE_ATTR", "STORE_GLOBAL", "DELETE_")
    return not any(
        step.opname.startswith(changing) or step.argval in CHANGING for step in steps_of(function.__code__)
    )


class _Functions:
    """The functions of the row that a loop is, named after its line."""

    def __init__(self, loop: RowLoop, variables: dict[str, Any], where: str) -> None:
        self._loop, self._variables, self._where = loop, variables, where

    def of(self, name: str, returns: str) -> Function:
        text = self._loop.function(f"{name}_in_the_loop", returns)
        file = f"<{name} in the loop in {self._where}>"
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        made: dict[str, Any] = {}
        exec(compile(text, file, "exec", dont_inherit=True), self._variables, made)
        return made[f"{name}_in_the_loop"]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class _Turn:
    cells: dict[str | int, Any]
    appended: dict[str, list[Any]]
    stored: dict[str, Any]
    others: set[str]
    """Variables that were set to what cannot be taken out of Spark's processes as it is."""


@dataclass
class _Turns:
    """What a loop does, turn by turn."""

    loop: RowLoop
    frame: DataFrame
    given: DataFrame
    """The frame as functions are given its rows."""
    functions: _Functions

    @cached_property
    def all(self) -> list[_Turn]:
        """Empty if one of them failed."""
        told = [str(one) for one in self._told._collected()]
        if _RAISED in told:
            return []
        return [_Turn(*pickle.loads(base64.b64decode(one))) for one in told]

    @cached_property
    def _told(self) -> Series:
        function = self.functions.of("everything", f"({CELLS}, {APPENDED}, locals())")
        table, call, _, _ = call_for_rows(self.given, function, (), {})
        told = _telling(returning(call, None), {str(self.loop.label), self.loop.row, CELLS, APPENDED})
        value = bound_to_its_rows(called(told, call.arguments, TEXT, call.name))
        return Series._of(replace(table, columns=((None, value),), column_names=(None,)))

    @cached_property
    def _values(self) -> pd.DataFrame:
        found: pd.DataFrame = self.frame._collected()
        return found

    def keeps_others(self, is_read_elsewhere: Callable[[str], bool]) -> bool:
        """Whether the program may later ask for a variable that is no plain value."""
        return any(is_read_elsewhere(name) for turn in self.all for name in turn.others)

    def frame_on_spark(self) -> DataFrame:
        """The frame with its cells set, which has the values that the loop would have left."""
        expected = self._expected()
        made = self.frame.copy()
        for column in (label for label in expected.columns if label in self.loop.cells):
            self._set(made, column)
        made = as_typed(made, expected)
        if not alike(made._collected(), expected):
            raise ValueError
        return DataFrame._of(made._raw)

    def _expected(self) -> pd.DataFrame:
        left = self._values.copy()
        if not left.index.is_unique:
            raise ValueError
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for label, turn in zip(left.index, self.all, strict=True):
                for column, value in turn.cells.items():
                    left.loc[label, column] = value
        return left

    def _set(self, made: DataFrame, column: str | int) -> None:
        if all(column in turn.cells for turn in self.all):
            made[column] = self.given.apply(self.functions.of("value", f"{CELLS}[{column!r}]"), axis=1)
            return
        both = f"({column!r} in {CELLS}, {CELLS}.get({column!r}))"
        found = self.given.apply(self.functions.of("is_set_and_value", both), axis=1, result_type="expand")
        made.loc[found[0], column] = found[1]

    def leave(self, variables: dict[str, Any], is_read_elsewhere: Callable[[str], bool]) -> None:
        """Set the variables that the loop leaves."""
        loop, last = self.loop, self._values.iloc[-1:]
        left: dict[str, Any] = {}
        if loop.as_tuples:
            (left[loop.row],) = last.itertuples(index=loop.label is not None)
        else:
            ((left[str(loop.label)], left[loop.row]),) = last.iterrows()
        for turn in self.all:
            left.update(turn.stored)
        variables.update(left)
        parts: dict[tuple[bool, ...], DataFrame] = {}
        for name in loop.lists:
            values = [value for turn in self.all for value in turn.appended.get(name, ())]
            variables[name].extend(values)  # others may have the same list
            with suppress(Exception):  # then it is a list as any other
                variables[name] = BuiltList(values, self._on_spark(name, parts))
        if loop.lists or any(map(is_read_elsewhere, left)):
            tell_left("a loop over DataFrame.iterrows()", self._told._table.rows, only_if_it_comes_back=True)

    def _on_spark(self, name: str, parts: dict[tuple[bool, ...], DataFrame]) -> Any:
        """What was appended to a list, for the rows that append to it; `parts`: by these, the frame of them."""
        appends = tuple(name in turn.appended for turn in self.all)
        if not any(appends) or any(len(turn.appended.get(name, ())) > 1 for turn in self.all):
            raise ValueError
        if appends not in parts:
            has = self.functions.of("appends", f"{name!r} in {APPENDED}")
            parts[appends] = self.given if all(appends) else self.given[self.given.apply(has, axis=1)]
        value = self.functions.of(f"to_{name}", f"{APPENDED}[{name!r}][0]")
        return parts[appends].apply(value, axis=1, result_type="expand")


def _telling(function: Function, without: set[str]) -> Function:
    """The function, made to return a text of what a turn did."""
    raised, plain = _RAISED, _PLAIN

    def telling(*values: Any) -> str:
        try:
            cells, appended, variables = function(*values)
            own = {name: value for name, value in variables.items() if name not in without}
            kept = {name: value for name, value in own.items() if isinstance(value, plain)}
            return base64.b64encode(pickle.dumps((cells, appended, kept, set(own) - set(kept)))).decode()
        except Exception:
            return raised

    return telling
