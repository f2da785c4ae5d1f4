"""The straight runs of a function's instructions, and how they are connected."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

from predtrace.symbolic.python.bytecode.instructions import ENDS, JUMPS_ALWAYS, LOOP, Instruction
from predtrace.symbolic.python.bytecode.nodes import Slot, without_null
from predtrace.symbolic.python.bytecode.stack_machine import Run
from predtrace.symbolic.python.values import Unknowable

_MOST_BLOCKS = 300


@dataclass(eq=False)
class Block:
    """Statements, what is on the stack after them, and where it goes on."""

    at: int
    line: int
    """The line of its last instruction."""
    depth: int
    """How many values are on the stack before."""
    statements: list[ast.stmt]
    stack: list[ast.expr]
    next: int | None = None
    """Where it goes on, if it does and does not jump."""
    jump: int | None = None
    test: ast.expr | None = None
    """What decides about the jump."""
    jumps_for: bool = False
    keeps: bool = False
    is_loop: bool = False

    def pushed(self) -> ast.expr | None:
        """The value it adds to the stack, if that is all it does."""
        if self.statements or self.test or self.is_loop or len(self.stack) != self.depth + 1:
            return None
        return self.stack[-1] if is_untouched(self.stack[:-1]) else None

    def is_plain(self) -> bool:
        """Whether it leaves the stack as it was, and does not decide anything."""
        return not (self.test or self.is_loop) and (self.next is None or self._leaves())

    def is_decision(self) -> bool:
        return self.test is not None and not self.statements and self._leaves()

    def _leaves(self) -> bool:
        return len(self.stack) == self.depth and is_untouched(self.stack)

    def condition(self) -> ast.expr:
        """What holds where it does not jump."""
        assert self.test is not None
        return negated(self.test) if self.jumps_for else self.test

    def goes_on_at(self, next_: int | None) -> None:
        self.next, self.jump, self.test, self.keeps = next_, None, None, False


def negated(test: ast.expr) -> ast.expr:
    """What holds where a condition does not. Python compiles `not a in b` otherwise, so a `not` is taken inside."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.BoolOp) and hasattr(test, "is_open"):
        first, *others = map(negated, test.values)
        return reduce(partial(either, isinstance(test.op, ast.And)), others, first)
    return ast.copy_location(ast.UnaryOp(ast.Not(), test), test)


def is_untouched(stack: Sequence[ast.expr]) -> bool:
    return all(isinstance(value, Slot) and value.at == at for at, value in enumerate(stack))


def either(is_or: bool, first: ast.expr, second: ast.expr) -> ast.expr:
    """`first or second`, or `and`. What was put together here before is one expression with it."""
    operator = ast.Or if is_or else ast.And
    is_one = isinstance(first, ast.BoolOp) and isinstance(first.op, operator) and hasattr(first, "is_open")
    values = [*first.values, second] if is_one else [first, second]  # type: ignore[attr-defined]
    found = ast.copy_location(ast.BoolOp(operator(), values), first)
    found.is_open = True  # type: ignore[attr-defined]
    return found


def blocks_of(
    instructions: Sequence[Instruction], inner: Callable[[types.CodeType], Any]
) -> Iterator[tuple[int, Block]]:
    """The straight runs that can be reached, each from the stack that the ones before it leave."""
    runs = _runs(instructions)
    order = list(runs)
    depths = {order[0]: 0}
    for start in order:  # a loop's first run stands before the others
        if start not in depths:
            continue
        run, end = runs[start], runs[start][-1]
        follower = order[order.index(start) + 1] if start != order[-1] else None
        done = Run(depths[start], inner).follow(run)
        block = Block(start, end.line, depths[start], done.statements, done.stack, test=done.test)
        block.jumps_for, block.keeps, block.is_loop = done.jumps_for, done.keeps, end.name == LOOP
        block.next = end.target if end.name in JUMPS_ALWAYS else None if end.name in ENDS else follower
        block.jump = end.target if end.name not in JUMPS_ALWAYS else None
        after = len(done.stack)
        leads_to = {block.next: after + block.is_loop}
        if block.jump is not None:
            leads_to[block.jump] = after - 1 if block.is_loop else after + block.keeps
        for target, depth in leads_to.items():
            if target is not None and (target not in runs or depths.setdefault(target, depth) != depth):
                raise Unknowable("stacks that do not fit together")
        yield start, block


def _runs(instructions: Sequence[Instruction]) -> dict[int, list[Instruction]]:
    starts = {one.target for one in instructions}
    runs: dict[int, list[Instruction]] = {}
    is_new = True
    for one in instructions:
        if is_new or one.at in starts or one.name == LOOP:
            current = runs.setdefault(one.at, [])
            if len(runs) > _MOST_BLOCKS:
                raise Unknowable("too many instructions")
        current.append(one)
        is_new = one.target is not None or one.name in ENDS
    return runs


class Filled:
    """Puts what is on a stack into the places that stand for it. What was one thing stays one thing."""

    def __init__(self, stack: Sequence[ast.expr]) -> None:
        self.stack = stack
        self.done: dict[int, tuple[Any, Any]] = {}

    def of(self, node: Any) -> Any:
        if isinstance(node, list):
            return [self.of(part) for part in node]
        if not isinstance(node, ast.AST):
            return node
        if isinstance(node, Slot):
            return self.stack[node.at] if 0 <= node.at < len(self.stack) else node
        if id(node) not in self.done:
            parts = {name: self.of(getattr(node, name, None)) for name in node._fields}
            is_new = any(_differs(getattr(node, name, None), part) for name, part in parts.items())
            new = node
            if is_new:
                new = type(node)(**parts)
                new.__dict__.update({name: own for name, own in vars(node).items() if name not in parts})
                new = without_null(new) if isinstance(new, ast.Call) else new
            self.done[id(node)] = node, new
        return self.done[id(node)][1]


def is_same_tree(one: Any, other: Any) -> bool:
    """Whether trees are the same. Constants are the same if they are one."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same_tree, one, other))
    if isinstance(one, Slot) and isinstance(other, Slot):
        return one.at == other.at
    if isinstance(one, ast.AST) and type(one) is type(other):
        return all(is_same_tree(getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
    return one is other


def _differs(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return any(a is not b for a, b in zip(one, other, strict=True))
    return one is not other
