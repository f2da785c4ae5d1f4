"""The blocks of a function and what leads where."""

from __future__ import annotations

from dataclasses import dataclass, field

from predtrace.symbolic.python.bytecode.blocks import Block


@dataclass
class Graph:
    """Blocks by where they begin; the first is where the function begins."""

    blocks: dict[int, Block]
    loops: dict[int, int]
    """Where loops begin, and what comes behind them."""
    prefers_values: bool
    """Whether `return a if x else b` is preferred to `if x: return a` and `return b`."""
    breaks: dict[int, set[int]] = field(default_factory=dict)
    """Where the `break` of a loop leads to."""
    before: dict[int, set[int]] = field(default_factory=dict)
    """From where each block is reached."""

    def connect(self) -> None:
        """Find out what leads where, and forget what nothing leads to any more."""
        first, *_ = self.blocks
        unused = [first]
        while unused:
            self.before = {at: set() for at in self.blocks}
            for at, block in self.blocks.items():
                for target in (block.next, block.jump, *self.breaks.get(at, ())):
                    if target is not None:
                        self.before[target].add(at)
            unused = [at for at, before in self.before.items() if not before and at != first]
            for at in unused:
                del self.blocks[at]

    def only_after(self, at: int | None, block: Block) -> Block | None:
        """The block at a place, if only this one leads there."""
        if at is None or at == block.at or self.before[at] != {block.at}:
            return None
        return self.blocks[at]

    def end_of(self, at: int | None) -> int | None:
        """Where it goes on, behind jumps that lead to jumps."""
        seen = set()
        while at is not None and at not in seen:
            seen.add(at)
            block = self.blocks[at]
            if block.statements or not block.is_plain() or block.next is None:
                break
            at = block.next
        return at

    def is_same(self, one: int | None, other: int | None) -> bool:
        return one is not None and other is not None and self.end_of(one) == self.end_of(other)

    def remove(self, *blocks: Block) -> None:
        for block in blocks:
            del self.blocks[block.at]
