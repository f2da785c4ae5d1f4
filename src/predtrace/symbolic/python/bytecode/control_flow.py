"""From jumps back to conditions and loops.

The instructions are cut into straight runs. Each rule replaces a few of them that are connected like one construct of
the language by a single one, until one is left.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from predtrace.symbolic.python.bytecode.blocks import Block, blocks_of
from predtrace.symbolic.python.bytecode.decisions import chain, choice, condition, decision, value
from predtrace.symbolic.python.bytecode.graph import Graph
from predtrace.symbolic.python.bytecode.instructions import Instruction
from predtrace.symbolic.python.bytecode.loops import (
    continued,
    endless_loop,
    find_breaks,
    for_loop,
    while_loop,
)
from predtrace.symbolic.python.bytecode.rewriting import while_loops, with_one_end
from predtrace.symbolic.python.bytecode.statements import branches, join_ends, joined, reopen, returned
from predtrace.symbolic.python.values import Unknowable

_RULES: tuple[Callable[[Graph, Block], bool], ...] = (
    *(chain, joined, decision, choice, condition, value),
    *(for_loop, while_loop, endless_loop, returned, branches, continued),
)
"""In the order they are tried: the end of a loop must not be taken for the end of a condition."""


class Variant(NamedTuple):
    """Python compiles different trees alike, but not everywhere. So there are several guesses."""

    prefers_values: bool = False
    """Whether `return a if x else b` is preferred to `if x: return a` and `return b`."""
    falls_off: bool = False
    """Whether the function comes to its end rather than to return None."""


def structured(
    instructions: Sequence[Instruction], inner: Callable[[types.CodeType], Any], variant: Variant
) -> list[ast.stmt]:
    """The statements of a function."""
    simpler, loops = while_loops(with_one_end(instructions) if variant.falls_off else instructions)
    graph = Graph(dict(blocks_of(simpler, inner)), loops, variant.prefers_values)
    first = next(iter(graph.blocks))
    graph.loops |= {at: b.jump for at, b in graph.blocks.items() if b.is_loop and b.jump is not None}
    if variant.falls_off:
        join_ends(graph)
    if variant.prefers_values:
        reopen(graph)
    for at in sorted(graph.loops, reverse=True):
        find_breaks(graph, at, graph.loops[at])
    graph.connect()
    while len(graph.blocks) > 1 or graph.blocks[first].next is not None:
        if not any(rule(graph, block) for rule in _RULES for block in reversed(graph.blocks.values())):
            raise Unknowable("jumps that are not followed")
        graph.connect()
    return graph.blocks[first].statements
