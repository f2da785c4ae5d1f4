"""The instructions of a function, and what Python's versions call them.

Python 3.10 to 3.13 are told apart by the names of their instructions: what a version does not have, is not met in it.
"""

from __future__ import annotations

import ast
import dis
import sys
import types
from typing import Any, NamedTuple

from predtrace.symbolic.python.values import Unknowable

JUMPS_ALWAYS = {"JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}
LOOP = "FOR_ITER"
ENDS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"}
STORES = {"STORE_FAST", "STORE_DEREF", "STORE_GLOBAL"}
LOADS = {"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF", "LOAD_GLOBAL"}
DO_NOTHING = {"RESUME", "PRECALL", "MAKE_CELL", "COPY_FREE_VARS", "CACHE", "EXTENDED_ARG", "GEN_START"}
DO_NOTHING |= {"TO_BOOL", "END_FOR"}
NULL_IS_LAST = sys.version_info >= (3, 13)
"""Whether what stands for no `self` is put on the stack behind the function that is called, or before it."""
GLOBALS_HAVE_NULL = sys.version_info >= (3, 11)
ATTRIBUTES_ARE_METHODS = sys.version_info >= (3, 12)
BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "**": ast.Pow,
    "@": ast.MatMult,
    "<<": ast.LShift,
    ">>": ast.RShift,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
}
NAMED_BINARY = {
    "ADD": "+",
    "SUBTRACT": "-",
    "MULTIPLY": "*",
    "TRUE_DIVIDE": "/",
    "FLOOR_DIVIDE": "//",
    "MODULO": "%",
    "POWER": "**",
    "MATRIX_MULTIPLY": "@",
    "LSHIFT": "<<",
    "RSHIFT": ">>",
    "AND": "&",
    "OR": "|",
    "XOR": "^",
}
COMPARISONS: dict[str, type[ast.cmpop]] = {
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
}
UNARY: dict[str, type[ast.unaryop]] = {
    "UNARY_NEGATIVE": ast.USub,
    "UNARY_POSITIVE": ast.UAdd,
    "UNARY_INVERT": ast.Invert,
    "UNARY_NOT": ast.Not,
}


def _room_behind() -> dict[int, int]:
    """How many bytes behind each instruction belong to it: the interpreter keeps there what it has learned."""
    usual: dict[str, str] = getattr(dis, "deoptmap", {})
    numbers: dict[str, int] = getattr(dis, "_all_opmap", None) or {
        name: number for number, name in enumerate(getattr(dis, "_all_opname", dis.opname))
    }
    entries: Any = getattr(dis, "_inline_cache_entries", {})
    by_name = (
        entries if isinstance(entries, dict) else {dis.opname[n]: count for n, count in enumerate(entries)}
    )
    return {number: 2 * by_name.get(usual.get(name, name), 0) for name, number in numbers.items()}


_ROOM_BEHIND = _room_behind()


def is_whole(code: types.CodeType) -> bool:
    """Whether a bytecode ends where its last instruction ends. Python itself does not look: it writes on.

    >>> is_whole(is_whole.__code__)
    True
    """
    raw: bytes = getattr(code, "_co_code_adaptive", b"")
    at = 0
    while at < len(raw):
        at += 2 + _ROOM_BEHIND.get(raw[at], 0)
    return at == len(raw)


class Instruction(NamedTuple):
    """An instruction; those that stand for two are taken apart."""

    at: int
    name: str
    argument: int
    value: Any
    line: int

    @property
    def target(self) -> int | None:
        """Where it may jump to."""
        return self.value if "JUMP" in self.name or self.name == LOOP else None


def instructions_of(code: types.CodeType, most: int) -> list[Instruction]:
    """The instructions of a piece of code, if there are not too many.

    >>> [one.name for one in instructions_of((lambda: 5).__code__, 10)][-1][:6]
    'RETURN'
    """
    if not is_whole(code):
        raise Unknowable("an instruction that breaks off")
    if len(code.co_code) > 8 * most:
        raise Unknowable("too many instructions")
    lines = {at: line for start, end, line in code.co_lines() for at in range(start, end, 2)}
    found: list[Instruction] = []
    line = code.co_firstlineno
    # The text of every constant would be made, and that may be the user's code: numbers stand for them.
    places = code.replace(co_consts=tuple(range(len(code.co_consts))))
    for one in dis.get_instructions(places):
        line = max(lines.get(one.offset) or line, 1)
        if NULL_IS_LAST and one.opname == "POP_TOP" and found and found[-1].name == "END_FOR":
            continue  # the end of a loop is two instructions there
        found += [
            Instruction(one.offset, name, one.arg or 0, value, line) for name, value in _parts(one, code)
        ]
    if len(found) > most:
        raise Unknowable("too many instructions")
    return _with_kept_values(found)


def _parts(one: dis.Instruction, code: types.CodeType) -> list[tuple[str, Any]]:
    """The name of an instruction and what it is about; two if it loads or stores two variables."""
    names = one.opname.replace("_FAST", "_FAST,").strip(",").split(",_")
    if len(names) == 2 and isinstance(one.argval, tuple):
        return list(zip(names, one.argval, strict=True))
    if one.opname == "KW_NAMES" or one.opcode in dis.hasconst:
        return [(one.opname, code.co_consts[one.arg or 0])]
    return [(one.opname, one.argval)]


def _with_kept_values(found: list[Instruction]) -> list[Instruction]:
    """A value that is copied, tested and dropped behind the jump is one that stays if the jump is taken."""
    result: list[Instruction] = []
    for one in found:
        copy, jump = ([None, None] + [i for i in result[-3:] if i.name != "TO_BOOL"])[-2:]
        if copy is None or jump is None or one.name != "POP_TOP" or (copy.name, copy.argument) != ("COPY", 1):
            result.append(one)
        elif jump.name in {"POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"}:
            del result[result.index(copy) :]
            result.append(jump._replace(name=jump.name.removeprefix("POP_") + "_OR_POP", at=copy.at))
        else:
            result.append(one)
    return result
