"""Rules for statements: what follows each other, and what stands under a condition.

Each rule says whether it has put something together.
"""

from __future__ import annotations

import ast

from predtrace.symbolic.python.bytecode.blocks import Block, Filled, is_untouched, negated
from predtrace.symbolic.python.bytecode.graph import Graph
from predtrace.symbolic.python.bytecode.nodes import AssertionFailed, Slot


def joined(graph: Graph, block: Block) -> bool:
    """What only follows one block belongs to it."""
    after = None if block.test or block.is_loop else graph.only_after(block.next, block)
    if after is None or after.is_loop or len(block.stack) != after.depth:
        return False
    filled = Filled(block.stack)
    block.statements += [filled.of(statement) for statement in after.statements]
    block.stack = [filled.of(value) for value in after.stack]
    block.test = filled.of(after.test) if after.test else None
    block.next, block.jump = after.next, after.jump
    block.jumps_for, block.keeps = after.jumps_for, after.keeps
    graph.remove(after)
    return True


def returned(graph: Graph, block: Block) -> bool:
    """One of two values is returned. That is no statement if Python would return a constant at once in one."""
    one, other = graph.only_after(block.next, block), graph.only_after(block.jump, block)
    if block.test is None or block.keeps or one is None or other is None or not is_untouched(block.stack):
        return False
    match one.statements, other.statements:
        case [ast.Return(ast.expr() as first) as a], [ast.Return(ast.expr() as second) as b]:
            pass
        case _:
            return False
    if not (graph.prefers_values or hasattr(a, "is_loaded") or hasattr(b, "is_loaded")):
        return False
    test = block.condition()
    value = ast.copy_location(ast.IfExp(test, first, second), test)
    block.statements.append(ast.copy_location(ast.Return(value), test))
    block.goes_on_at(None)
    graph.remove(one, other)
    return True


def branches(graph: Graph, block: Block) -> bool:
    """Statements under a condition."""
    one = graph.only_after(block.next, block)
    if block.test is None or block.keeps or one is None or not one.is_plain():
        return False
    if not is_untouched(block.stack):
        return False
    other = graph.only_after(block.jump, block)
    body = one.statements
    if not body and one.next in graph.loops:
        body = [ast.Continue(lineno=one.line, col_offset=0)]
    if one.next is None or graph.is_same(one.next, block.jump):
        block.statements.append(_conditional(block.condition(), body, []))
        block.goes_on_at(block.jump)
        graph.remove(one)
        return True
    if other is None or not other.is_plain():
        return False
    if other.next is not None and not graph.is_same(one.next, other.next):
        return False
    block.statements.append(_conditional(block.condition(), body, other.statements))
    block.goes_on_at(one.next)
    graph.remove(one, other)
    return True


def _conditional(test: ast.expr, body: list[ast.stmt], otherwise: list[ast.stmt]) -> ast.stmt:
    match body:
        case [ast.Raise(AssertionFailed(), None)] if not otherwise:
            return ast.copy_location(ast.Assert(negated(test)), test)
        case [ast.Raise(ast.Call(AssertionFailed(), [said], []), None)] if not otherwise:
            return ast.copy_location(ast.Assert(negated(test), said), test)
    return ast.copy_location(ast.If(test, body or [ast.Pass()], otherwise), test)


def reopen(graph: Graph) -> None:
    """Python copies a `return` that several values lead to; where one is left, the copies lead to it again."""
    ends = {}
    for block in graph.blocks.values():
        match block.statements:
            case [ast.Return(Slot() as value)] if value.at == block.depth - 1 == len(block.stack):
                ends[len(block.stack)] = block.at
    for block in graph.blocks.values():
        match block.statements:
            case [ast.Return(ast.expr() as result)] if ends.get(len(block.stack), block.at) != block.at:
                block.statements = []
                block.next = ends[len(block.stack)]
                block.stack.append(result)


def join_ends(graph: Graph) -> None:
    """Python returns None at once wherever a function would come to its end."""
    ends = [block for block in graph.blocks.values() if _returns_none(block)]
    *others, last = ends or [next(iter(graph.blocks.values()))]
    if last.statements[:-1] or not ends:
        return
    for block in others:
        if last.depth == len(block.stack) == 0:
            block.statements.pop()
            block.next = last.at


def _returns_none(block: Block) -> bool:
    match block.statements:
        case [*_, ast.Return(ast.Constant(None))]:
            return block.next is None
    return False
