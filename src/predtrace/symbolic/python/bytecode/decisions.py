"""Rules for expressions: `and`, `or`, `a if x else b`, chained comparisons.

Each rule says whether it has put something together.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from predtrace.symbolic.python.bytecode.blocks import (
    Block,
    Filled,
    either,
    is_same_tree,
    is_untouched,
    negated,
)
from predtrace.symbolic.python.bytecode.graph import Graph
from predtrace.symbolic.python.bytecode.nodes import Slot


def decision(graph: Graph, block: Block) -> bool:
    """Two decisions with one outcome in common: `and`, `or`."""
    after = graph.only_after(block.next, block)
    if block.test is None or after is None or not after.is_decision() or after.depth != len(block.stack):
        return False
    test = Filled(block.stack).of(after.test)
    condition = block.condition()
    if block.keeps:
        if not after.keeps or block.jump != after.jump or block.jumps_for != after.jumps_for:
            return False
        block.test = either(block.jumps_for, block.test, test)
    elif graph.is_same(block.jump, after.jump) and not after.keeps:
        block.test = either(False, condition, negated(test) if after.jumps_for else test)
        block.jumps_for = False
    elif graph.is_same(block.jump, after.next):
        block.test = (
            either(False, condition, test) if after.jumps_for else either(True, negated(condition), test)
        )
        block.jumps_for, block.keeps = after.jumps_for, after.keeps
    else:
        return False
    block.next, block.jump = after.next, after.jump
    graph.remove(after)
    return True


def choice(graph: Graph, block: Block) -> bool:
    """One of two values: `a if condition else b`."""
    if block.test is None or block.keeps:
        return False
    one, other = graph.only_after(block.next, block), graph.only_after(block.jump, block)
    if one is None or other is None or not graph.is_same(one.next, other.next):
        return False
    if (first := one.pushed()) is None or (second := other.pushed()) is None:
        return False
    test = block.condition()
    block.stack.append(ast.copy_location(ast.IfExp(test, first, second), test))
    block.goes_on_at(one.next)
    graph.remove(one, other)
    return True


def condition(graph: Graph, block: Block) -> bool:
    """One of two decisions: `if (a if condition else b)`."""
    one, other = graph.only_after(block.next, block), graph.only_after(block.jump, block)
    if block.test is None or block.keeps or one is None or other is None:
        return False
    if not one.is_decision() or not other.is_decision() or one.keeps or other.keeps:
        return False
    if not graph.is_same(one.next, other.next) or not graph.is_same(one.jump, other.jump):
        return False
    test, filled = block.condition(), Filled(block.stack)
    either_test = ast.IfExp(test, filled.of(one.condition()), filled.of(other.condition()))
    block.test, block.jumps_for = ast.copy_location(either_test, test), False
    block.next, block.jump = other.next, other.jump
    graph.remove(one, other)
    return True


def value(graph: Graph, block: Block) -> bool:
    """The value that decides, or another: `a or b`."""
    after = graph.only_after(block.next, block) if block.keeps else None
    if after is None or not graph.is_same(after.next, block.jump) or (other := after.pushed()) is None:
        return False
    assert block.test is not None
    decided = either(block.jumps_for, block.test, other)
    del decided.is_open  # type: ignore[attr-defined]
    block.stack.append(decided)
    block.goes_on_at(block.jump)
    graph.remove(after)
    return True


def _as_jump(graph: Graph, block: Block, decision: Block) -> Block:
    """A block that ends like an outcome of a decision, as a jump to that: Python copies short ends of functions."""
    for at in (decision.next, decision.jump):
        end = graph.blocks[at] if at is not None else block
        is_end = end is not block and end.next is None and block.next is None and bool(end.statements)
        if is_end and len(block.stack) == len(end.stack) and is_same_tree(block.statements, end.statements):
            return replace(block, statements=[], next=at)
    return block


def chain(graph: Graph, block: Block) -> bool:
    """`a < b < c`: what is compared with both stays on the stack, and is dropped if the first does not hold."""
    first, after = block.test, graph.only_after(block.next, block)
    if not isinstance(first, ast.Compare) or after is None or block.jump is None or block.jumps_for:
        return False
    if not block.stack or block.stack[-1] is not first.comparators[-1]:
        return False
    drop, depth = _as_jump(graph, graph.blocks[block.jump], after), len(block.stack)
    dropped = [*drop.stack[: depth - 1]], drop.stack[depth - 1 :]
    is_drop = not drop.statements and not drop.test and is_untouched(dropped[0])
    kept = [value.at for value in dropped[1] if isinstance(value, Slot)]
    if not is_drop or kept != ([depth] if block.keeps else []) or len(dropped[1]) != len(kept):
        return False
    second: ast.expr | None
    if after.test is not None and after.jump == block.jump and after.keeps == block.keeps:
        second, below = after.test, after.stack[:-1]
        if not after.stack or after.stack[-1] is not getattr(second, "comparators", [None])[-1]:
            return False
    elif block.keeps:
        second, below = after.stack[-1] if after.stack else None, after.stack[:-1]
        if after.test or not graph.is_same(after.next, drop.next):
            return False
    else:
        second, below = after.test, after.stack
        otherwise = after.next if after.jumps_for else after.jump
        if after.keeps or not graph.is_same(otherwise, drop.next):
            return False
    is_link = (
        isinstance(second, ast.Compare) and isinstance(second.left, Slot) and second.left.at == depth - 1
    )
    if after.statements or not is_link or len(below) != depth - 1 or not is_untouched(below):
        return False
    assert isinstance(second, ast.Compare)
    others = Filled(block.stack).of(second.comparators)
    whole = ast.Compare(first.left, [*first.ops, *second.ops], [*first.comparators, *others])
    ast.copy_location(whole, first)
    block.stack.pop()
    if after.jump == block.jump and after.test is not None:
        block.test = whole
        block.stack.append(others[-1])
    elif block.keeps:
        block.stack.append(whole)
        block.goes_on_at(after.next)
    else:
        block.test, block.jumps_for, block.jump = whole, after.jumps_for, after.jump
    block.next = after.next
    graph.remove(after)
    return True
