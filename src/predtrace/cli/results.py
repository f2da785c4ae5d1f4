"""Which frame of a program is meant: the one that is named, else the last one that it shows or writes, else the last
one that it assigns to a variable."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from predtrace.errors import InputError
from predtrace.frontends.pandas.core.held import Held
from predtrace.frontends.pandas.frame import DataFrame
from predtrace.frontends.pandas.standing_in import Skipped

_GLANCES = frozenset({"head", "tail", "sample"})


class Results:
    """Hears what a program does with its frames."""

    def __init__(self, variables: dict[str, Any], lets_write: bool) -> None:
        self._variables = variables
        self._last: dict[str, tuple[str, Held, str]] = {}
        self._statement: ast.stmt | None = None
        self._place = ""
        self.lets_write = lets_write
        self.left_at: list[str] = []
        self._not_shown: InputError | None = None

    def at(self, statement: ast.stmt, place: str) -> None:
        """The statement that is run next."""
        self._statement, self._place = statement, place

    def show_value(self, value: Any) -> None:
        """Show the value of a cell, as Jupyter does."""
        if value is not None and not isinstance(value, Skipped):
            print(value if isinstance(value, Held) else repr(value))

    def display(self, *values: Any, **_: Any) -> None:
        """What notebooks show values with."""
        for value in values:
            self.show_value(value)

    def shown(self, frame: Held) -> None:
        """A frame was printed."""
        glanced = self._glanced()
        if glanced is not None:
            self._remember(glanced, self._variables[glanced], f"a part of it is shown in {self._place}")
        else:
            self._remember(self._name_of(frame), frame, f"shown in {self._place}")

    def not_shown(self, problem: InputError) -> None:
        """Something was to be shown that cannot be had."""
        print(f"(not shown: {problem.what})")
        self._not_shown = problem

    def written(self, frame: Held, target: str) -> None:
        """A frame is written."""
        self._remember(target, frame, f"written in {self._place}")

    def left(self, call: str, place: str) -> None:
        """Values were taken out of Spark."""
        self.left_at.append(f"{call} in {place}")

    def drawn(self, call: str) -> Skipped:
        """A drawing was asked for."""
        return Skipped(call)

    def assigned(self, names: list[str]) -> None:
        """Variables were set."""
        for name in names:
            value = self._variables.get(name)
            if isinstance(value, Held):
                self._last["assigned"] = name, value, "assigned last"

    def _remember(self, name: str, frame: Held, why: str) -> None:
        # What is shown is meant as it is now, whatever the program does to the frame later.
        self._last["looked at" if isinstance(frame, DataFrame) else "a series"] = name, frame.copy(), why
        self._not_shown = None

    def _name_of(self, frame: Held) -> str:
        names = [name for name, value in self._variables.items() if value is frame]
        return names[-1] if names else "result"

    def _glanced(self) -> str | None:
        """The variable of which the statement shows some rows: `df.head()` is about `df`."""
        value = self._statement.value if isinstance(self._statement, ast.Expr) else None
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and len(value.args) == 1:
            value = value.args[0]  # print(df.head())
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
            return None
        of = value.func.value
        if value.func.attr not in _GLANCES or not isinstance(of, ast.Name):
            return None
        return of.id if isinstance(self._variables.get(of.id), Held) else None

    def chosen(self, asked: str | None, path: Path) -> tuple[str, Held, str]:
        """The frame that is meant, its name, and why it is the one."""
        if asked is not None:
            return asked, self._evaluated(asked, path), "asked for"
        if (problem := self._not_shown) is not None:  # it might have been the result
            todo = f"{problem.todo}; or name the frame that is meant with --result"
            raise InputError(problem.what, problem.where, todo)
        for kind in ("looked at", "a series", "assigned"):
            if kind in self._last:
                return self._last[kind]
        todo = "name the variable to take with --result"
        raise InputError("the program shows, writes and assigns no frame", where=f"in {path}", todo=todo)

    def _evaluated(self, asked: str, path: Path) -> Held:
        """The value of a variable, or of an expression over them."""
        try:
            found = eval(asked, self._variables)
        except Exception as problem:
            why = f"{asked} cannot be worked out ({type(problem).__name__}: {problem})"
            raise InputError(why, where=f"at the end of {path}", todo=self._known()) from None
        if not isinstance(found, Held):
            raise InputError(f"{asked!r} is no DataFrame", where=f"at the end of {path}", todo=self._known())
        return found

    def _known(self) -> str:
        frames = sorted(name for name, value in self._variables.items() if isinstance(value, Held))
        return f"give one of: {', '.join(frames)}" if frames else "give a variable that holds a frame"
