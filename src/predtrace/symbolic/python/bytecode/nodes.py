"""What is on the stack and has no place in a finished tree."""

from __future__ import annotations

import ast
from typing import Any


class Slot(ast.expr):
    """What stood at a place of the stack when a run of instructions began."""

    _fields = ()

    def __init__(self, at: int) -> None:
        self.at = at


class Null(ast.expr):
    """What the interpreter puts next to a function that is called or made."""

    _fields = ()


class Iterated(ast.expr):
    """What a loop goes through."""

    _fields = ("over",)

    def __init__(self, over: ast.expr) -> None:
        self.over = over


class Added(ast.expr):
    """What a comprehension adds in a round: an item, or a key and its value."""

    _fields = ("key", "item")
    __match_args__ = ("key", "item")

    def __init__(self, key: ast.expr | None, item: ast.expr) -> None:
        self.key = key
        self.item = item


class Made(ast.expr):
    """A function or comprehension that is made inside a function, before it has a name or is gone through.

    At first only its code.
    """

    _fields = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node


class AssertionFailed(ast.expr):
    """The exception of an `assert`."""

    _fields = ()


def without_null(call: ast.Call) -> ast.expr:
    """A call as it is written: without what stands for no `self`, and comprehensions over what they go through."""
    if isinstance(call.func, Null):
        call.func = call.args.pop(0)
    call.args = [argument for argument in call.args if not isinstance(argument, Null)]
    match call:
        case ast.Call(Made() as made, [Iterated() as iterated]):
            made.node.generators[0].iter = iterated.over
            made.node.lineno = made.node.end_lineno = call.lineno
            comprehension: ast.expr = made.node
            return comprehension
    return call
