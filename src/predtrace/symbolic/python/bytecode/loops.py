"""Rules for loops. Each says whether it has put something together."""

from __future__ import annotations

import ast

from predtrace.symbolic.python.bytecode.blocks import Block, is_untouched
from predtrace.symbolic.python.bytecode.graph import Graph
from predtrace.symbolic.python.bytecode.nodes import Iterated, Slot


def find_breaks(graph: Graph, start: int, end: int) -> None:
    """A jump out of a loop is a `break`; it drops what the loop goes through."""
    depth = graph.blocks[start].depth - graph.blocks[start].is_loop
    last = max(at for at in graph.blocks if at < end)
    for at, block in graph.blocks.items():
        leaves = block.next is not None and not start <= block.next < end
        if start < at < end and leaves and not block.test and not block.is_loop and len(block.stack) == depth:
            graph.breaks.setdefault(start, set()).add(block.next)  # type: ignore[arg-type]
            block.statements.append(ast.Break(lineno=block.line, col_offset=0))
            block.next = None
        if start < at < last and block.next == start and not graph.blocks[start].is_loop:
            block.statements.append(ast.Continue(lineno=block.line, col_offset=0))
            block.next = None


def for_loop(graph: Graph, block: Block) -> bool:
    head = graph.blocks.get(block.next) if block.next is not None and not block.test else None
    if head is None or not head.is_loop or block.is_loop or not block.stack:
        return False
    body, over = graph.only_after(head.next, head), block.stack[-1]
    if body is None or body.test or body.is_loop or not graph.before[head.at] <= {block.at, body.at}:
        return False
    if body.next is not None and (body.next != head.at or len(body.stack) != head.depth):
        return False
    match body.statements:
        case [ast.Assign([target], Slot() as item), *statements] if item.at == head.depth:
            pass
        case _:
            return False
    way_out, otherwise = _way_out(graph, head)
    if way_out is None:
        return False
    over = over.over if isinstance(over, Iterated) else over
    loop = ast.For(target, over, statements or [ast.Pass()], otherwise)
    block.statements.append(ast.copy_location(loop, over))
    block.stack.pop()
    block.next = way_out
    graph.breaks.pop(head.at, None)
    graph.remove(head, body)
    return True


def while_loop(graph: Graph, block: Block) -> bool:
    body = graph.only_after(block.next, block)
    if block.test is None or block.keeps or block.statements or body is None or body.next != block.at:
        return False
    if not (body.is_plain() and is_untouched(block.stack)):
        return False
    way_out, otherwise = _way_out(graph, block)
    if way_out is None:
        return False
    test = block.condition()
    loop = ast.While(test, body.statements or [ast.Pass()], otherwise)
    block.statements.append(ast.copy_location(loop, test))
    graph.breaks.pop(block.at, None)
    block.goes_on_at(way_out)
    graph.remove(body)
    return True


def endless_loop(graph: Graph, block: Block) -> bool:
    if block.next != block.at or not block.is_plain():
        return False
    left = {graph.end_of(at) for at in graph.breaks.pop(block.at, ())}
    if len(left) > 1:
        return False
    loop = ast.While(ast.Constant(True), block.statements or [ast.Pass()], [])
    block.statements = [ast.copy_location(loop, loop.body[0])]
    block.next = left.pop() if left else None
    return True


def continued(graph: Graph, block: Block) -> bool:
    """A jump back to where a loop begins, in the midst of it. Tried last: the end of a loop is one as well."""
    if block.next not in graph.loops or block.next not in graph.before or not block.is_plain():
        return False
    if not block.next < block.at < max(graph.before[block.next]):
        return False
    block.statements.append(ast.Continue(lineno=block.line, col_offset=0))
    block.next = None
    return True


def _way_out(graph: Graph, head: Block) -> tuple[int | None, list[ast.stmt]]:
    """What comes behind a loop, and what is done if it was not left before its end."""
    left = {graph.end_of(at) for at in graph.breaks.get(head.at, ())}
    if left <= {graph.end_of(head.jump)}:
        return head.jump, []
    otherwise = graph.only_after(head.jump, head)
    if len(left) != 1 or otherwise is None or not otherwise.is_plain():
        return None, []
    (way_out,) = left
    if otherwise.next is not None and graph.end_of(otherwise.next) != way_out:
        return None, []
    graph.remove(otherwise)
    return way_out, otherwise.statements
