"""The stack that instructions work on, and what makes calls, functions and assignments of it."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from predtrace.symbolic.python.bytecode.instructions import STORES, Instruction
from predtrace.symbolic.python.bytecode.nodes import Made, Slot, without_null
from predtrace.symbolic.python.values import Unknowable, has_at_most

_MOST_ITEMS = 5_000
_LONGEST_ANNOTATION = 1_000


@dataclass
class Stack:
    """Values and statements, while a straight run of instructions is followed."""

    depth: int
    inner: Callable[[types.CodeType], Any]
    """The tree of a function inside the function."""
    stack: list[ast.expr] = field(default_factory=list)
    statements: list[ast.stmt] = field(default_factory=list)
    _keywords: tuple[str, ...] = ()
    _line: int = 1
    _order: int = 0

    def _push(self, node: ast.expr) -> None:
        self._order += 1
        node.order = self._order  # type: ignore[attr-defined]
        self.stack.append(self._placed(node))

    def _pop(self) -> ast.expr:
        (only,) = self._pops(1)
        return only

    def _pops(self, count: int) -> list[ast.expr]:
        if not 0 <= count <= len(self.stack):
            raise Unknowable("a stack that does not fit")
        found = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return found

    def _placed(self, node: Any) -> Any:
        node.lineno = node.end_lineno = self._line
        node.col_offset = node.end_col_offset = 0
        return node

    def _state(self, statement: ast.stmt) -> None:
        self.statements.append(self._placed(statement))

    def _constant(self, value: Any) -> ast.expr:
        """A constant as it is written: tuples of constants are made one by one."""
        if isinstance(value, types.CodeType):
            return self._placed(Made(value))  # type: ignore[no-any-return]
        if not has_at_most(value, _MOST_ITEMS):
            raise Unknowable("a large constant")
        if type(value) is tuple:
            return self._placed(ast.Tuple([*map(self._constant, value)], ast.Load()))  # type: ignore[no-any-return]
        return self._placed(ast.Constant(value))  # type: ignore[no-any-return]

    # Calls and functions

    def _call(self, name: str, one: Instruction) -> None:
        if name == "KW_NAMES":
            self._keywords = one.value
            return
        if name not in {"CALL", "CALL_KW", "CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_METHOD"}:
            raise Unknowable(f"the instruction {name}")
        names, self._keywords = self._keywords, ()
        if name in {"CALL_KW", "CALL_FUNCTION_KW"}:
            names = tuple(_text(item) for item in items_of(self._pop()))
        arguments = self._pops(one.argument)
        function, *others = self._pops(1 if name.startswith("CALL_FUNCTION") else 2)
        by_place = [*others, *arguments[: len(arguments) - len(names)]]
        by_name = zip(names, arguments[len(arguments) - len(names) :], strict=True)
        keywords = [self._placed(ast.keyword(word, value)) for word, value in by_name]
        self._push(without_null(self._placed(ast.Call(function, by_place, keywords))))

    def _function(self, has: int) -> None:
        made = self._pop()
        if isinstance(made, ast.Constant):  # its qualified name, in Python 3.10
            made = self._pop()
        if not isinstance(made, Made):
            raise Unknowable("a function that is not made as usual")
        made = Made(self._placed(self.inner(made.node)))
        for flag in (8, 4, 2, 1):
            if has & flag:
                self._furnished(made, flag, self._pop())
        if isinstance(made.node, ast.Lambda):
            self._push(made.node)
        else:
            self._push(made)

    def _furnished(self, made: ast.expr, what: int, held: ast.expr) -> None:
        """Defaults and annotations of a function that is made."""
        node: Any = made.node if isinstance(made, Made) else made
        if what == 8:
            return
        arguments: ast.arguments = node.args
        match what:
            case 1:
                arguments.defaults = list(items_of(held))
            case 2 if isinstance(held, ast.Dict):
                given = {_text(key): value for key, value in zip(held.keys, held.values, strict=True)}
                arguments.kw_defaults = [given.get(argument.arg) for argument in arguments.kwonlyargs]
            case 4:
                parts = items_of(held)
                for word, value in zip(parts[::2], parts[1::2], strict=True):
                    _annotate(node, _text(word), value)

    # Assignments

    def _assign(self, waiting: list[Instruction]) -> None:
        """Stores that follow each other are one statement: of one value, or of a tuple."""
        pairs: list[tuple[ast.expr, ast.expr]] = []
        while waiting and (waiting[-1].name in STORES or waiting[-1].name.startswith("UNPACK_")):
            value = self._pop()
            pairs.append((self._target(waiting), value))
        (target, value), *others = pairs
        if not others:
            self._assign_one(target, value)
        elif all(other is value for _, other in others):
            self._state(ast.Assign([target for target, _ in pairs], value))
        else:
            pairs.sort(key=lambda pair: _order(pair[1]))
            targets = self._placed(ast.Tuple([target for target, _ in pairs], ast.Store()))
            values = self._placed(ast.Tuple([value for _, value in pairs], ast.Load()))
            self._state(ast.Assign([targets], values))

    def _assign_one(self, target: ast.expr, value: ast.expr) -> None:
        if not isinstance(target, ast.Name):
            self._state(ast.Assign([target], value))
        elif isinstance(value, Made):
            if value.node.name != target.id:
                raise Unknowable("a function under another name")
            self.statements.append(value.node)
        elif self.stack and self.stack[-1] is value and not isinstance(value, Slot):
            self.stack.pop()
            self._push(ast.NamedExpr(target, value))
        elif isinstance(value, ast.BinOp) and getattr(value, "in_place", False):
            self._state(ast.AugAssign(target, value.op, value.right))
        else:
            self._state(ast.Assign([target], value))

    def _target(self, waiting: list[Instruction]) -> ast.expr:
        if not waiting:
            raise Unknowable("values that are not stored")
        one = waiting.pop()
        if one.name in STORES:
            return self._placed(ast.Name(one.value, ast.Store()))  # type: ignore[no-any-return]
        if one.name != "UNPACK_SEQUENCE" or one.argument > len(waiting):
            raise Unknowable(f"the instruction {one.name}")
        targets = [self._target(waiting) for _ in range(one.argument)]
        return self._placed(ast.Tuple(targets, ast.Store()))  # type: ignore[no-any-return]


def _order(value: ast.expr) -> int:
    """In which order values came upon the stack."""
    return value.at - 1_000_000 if isinstance(value, Slot) else getattr(value, "order", 0)


def items_of(display: ast.expr) -> Sequence[ast.expr]:
    if not isinstance(display, (ast.Tuple, ast.List, ast.Set)):
        raise Unknowable("a display that is not filled as usual")
    return display.elts


def _text(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and type(node.value) is str:
        return node.value
    raise Unknowable("a name that is no text")


def _annotate(node: ast.FunctionDef, word: str, value: ast.expr) -> None:
    if isinstance(value, ast.Constant) and type(value.value) is str:  # annotations are not evaluated
        if len(value.value) > _LONGEST_ANNOTATION:
            raise Unknowable("a long annotation")
        value = ast.parse(value.value, mode="eval").body
        for part in ast.walk(value):
            ast.copy_location(part, node)
    arguments = node.args
    every = (
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    )
    for argument in every:
        if argument is not None and argument.arg == word:
            argument.annotation = value
    if word == "return":
        node.returns = value
