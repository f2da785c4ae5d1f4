"""What the compiler did to instructions, undone: conditions that stand twice, ends that stand everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from predtrace.symbolic.python.bytecode.instructions import ENDS, JUMPS_ALWAYS, LOOP, STORES, Instruction

_END_A_STATEMENT = {
    *STORES,
    *ENDS,
    *JUMPS_ALWAYS,
    LOOP,
    "POP_TOP",
    "NOP",
    "LIST_APPEND",
    "STORE_SUBSCR",
    "RESUME",
}


def with_one_end(instructions: Sequence[Instruction]) -> list[Instruction]:
    """Python returns None at once wherever a function would come to its end. All jumps to that lead to the last."""
    ends = [one.at for one, after in pairwise(instructions) if _returns_none(one, after)]
    return [one._replace(value=ends[-1]) if one.target in ends else one for one in instructions]


def _returns_none(one: Instruction, after: Instruction | None = None) -> bool:
    return (
        after is not None and one.name == "LOAD_CONST" and one.value is None and after.name == "RETURN_VALUE"
    )


def while_loops(instructions: Sequence[Instruction]) -> tuple[list[Instruction], dict[int, int]]:
    """The condition of a `while` is compiled twice, before the loop and at the end of each round.

    The second is replaced by a jump to the first. Returned too: where each loop begins, and what comes behind it.
    """
    found, loops = list(instructions), dict[int, int]()
    at = len(found) - 1
    while at > 0:
        at -= 1
        last = found[at]
        if last.target is None or last.target > last.at:
            continue
        body = next((place for place, one in enumerate(found) if one.at == last.target), 0)
        behind = found[at + 1].at
        if last.name in JUMPS_ALWAYS:
            if found[body].name != LOOP:
                loops.setdefault(last.target, behind)
            continue
        length = _repeated(found, body - 1, at, behind)
        if length:
            start, again = found[body - length], found[at - length + 1]
            loops[start.at] = behind
            jump = Instruction(again.at, "JUMP_BACKWARD", 0, start.at, last.line)
            found[at - length + 1 : at + 1] = [jump]
            at -= length - 1
    return found, loops


def _repeated(found: Sequence[Instruction], before: int, at: int, behind: int) -> int:
    """How many instructions before a loop are those at its end, the last jumping for the opposite."""
    first, last = found[before], found[at]
    ends = {behind, found[-2].at} if _returns_none(*found[at + 1 : at + 3]) else {behind}
    if before < 0 or first.target not in ends or _jumps_for(first) == _jumps_for(last):
        return 0
    length = 1
    while length <= before and at - length > before:
        one, other = found[before - length], found[at - length]
        if one.name in _END_A_STATEMENT or not _is_same(one, other):
            break
        length += 1
    return length


def _is_same(one: Instruction, other: Instruction) -> bool:
    if one.target is not None:
        return one.target == other.target and _jumps_for(one) == _jumps_for(other)
    return one.name == other.name and one.argument == other.argument and one.line == other.line


def _jumps_for(one: Instruction) -> str:
    """The value that it jumps for."""
    return one.name.rpartition("IF_")[2]
