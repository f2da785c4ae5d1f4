"""What of a program was not done: calls of libraries that draw or train, lines for IPython, statements that would
have needed the value of one of these, and what only shows something that Spark cannot have."""

from __future__ import annotations

import ast
import linecache
import traceback
from types import FrameType
from typing import Any

from predtrace.frontends.pandas.standing_in import NeedsSkipped, Skipped


class Skips:
    """Counts what was skipped, and where it was first."""

    def __init__(self) -> None:
        self._calls: dict[str, list[str]] = {}
        self._others: list[dict[str, Any]] = []

    def called(self, name: str, place: str) -> None:
        """A call was absorbed."""
        parts = name.split(".")
        # A frame's own drawings are named in full.
        known = name if parts[0] in ("DataFrame", "Series") else parts[0]
        self._calls.setdefault(known, []).append(place)

    def line(self, line: str, piece: str) -> None:
        """A line for IPython was left out."""
        self._others.append({"what": line, "calls": 1, "where": piece})

    def statement(self, problem: Exception, piece: str) -> None:
        """A statement needed what was skipped, or shows what cannot be had; it was not done from there on."""
        steps = [
            step for step in traceback.extract_tb(problem.__traceback__) if step.filename.endswith(piece)
        ]
        step = steps[-1] if steps else None
        what = f"{step.line}" if step and step.line else "a statement"
        where = f"line {step.lineno} of {piece}" if step else piece
        self._others.append({"what": what, "calls": 1, "where": where})

    def document(self, imported: set[str]) -> list[dict[str, Any]]:
        """Everything, for `--json`; the modules that were stood in for, too, if nothing of them was called."""
        calls = [
            {"what": name, "calls": len(places), "where": places[0]} for name, places in self._calls.items()
        ]
        unused = [{"what": name, "calls": 0, "where": ""} for name in sorted(imported - set(self._calls))]
        return [*calls, *unused, *self._others]


def needs_skipped(problem: BaseException) -> bool:
    """Whether an error comes of a value that was skipped: it was given to what failed, or stands in the line."""
    if isinstance(problem, NeedsSkipped):
        return True
    step = problem.__traceback__
    while step is not None:
        frame = step.tb_frame
        if "__name__" in frame.f_globals and _is_program(frame):
            if any(isinstance(_value(frame, name), Skipped) for name in _names_at(frame, step.tb_lineno)):
                return True
        elif any(_holds(value) for value in frame.f_locals.values()):
            return True
        step = step.tb_next
    return False


def _is_program(frame: FrameType) -> bool:
    """Whether a frame is of the program's own code: that has built-in names of its own."""
    own = frame.f_builtins.get("__import__")
    return own is not __import__


def _value(frame: FrameType, name: str) -> Any:
    return frame.f_locals.get(name, frame.f_globals.get(name))


def _holds(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(isinstance(one, Skipped) for one in value)
    if isinstance(value, dict) and type(value) is dict:
        return any(isinstance(one, Skipped) for one in value.values())
    return isinstance(value, Skipped)


def _names_at(frame: FrameType, line: int) -> set[str]:
    """The names in the smallest statement that a line is of."""
    tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    if not around:
        return set()
    smallest = min(around, key=lambda node: (node.end_lineno or node.lineno) - node.lineno)
    if isinstance(smallest, (ast.For, ast.While, ast.If, ast.With)):
        heads = {ast.For: "iter", ast.While: "test", ast.If: "test"}
        head = getattr(smallest, heads.get(type(smallest), ""), None)
        return {node.id for node in ast.walk(head) if isinstance(node, ast.Name)} if head else set()
    return {node.id for node in ast.walk(smallest) if isinstance(node, ast.Name)}
