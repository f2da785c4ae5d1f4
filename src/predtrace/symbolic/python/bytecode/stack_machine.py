"""What a straight run of instructions does, as statements and expressions."""

from __future__ import annotations

import ast
import dis
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from predtrace.symbolic.python.bytecode.instructions import (
    ATTRIBUTES_ARE_METHODS,
    BINARY,
    COMPARISONS,
    DO_NOTHING,
    GLOBALS_HAVE_NULL,
    JUMPS_ALWAYS,
    LOADS,
    LOOP,
    NAMED_BINARY,
    NULL_IS_LAST,
    STORES,
    UNARY,
    Instruction,
)
from predtrace.symbolic.python.bytecode.nodes import Added, AssertionFailed, Iterated, Null, Slot
from predtrace.symbolic.python.bytecode.stack import Stack, items_of
from predtrace.symbolic.python.values import Unknowable

_CONVERSIONS = (-1, 115, 114, 97)


@dataclass
class Run(Stack):
    """Follows a straight run of instructions from the stack that it begins with."""

    test: ast.expr | None = None
    """What decides about the jump at the end, if one does."""
    jumps_for: bool = False
    keeps: bool = False
    """Whether the value that decides stays on the stack where the jump is taken."""

    def follow(self, instructions: Sequence[Instruction]) -> Run:
        self.stack = [Slot(at) for at in range(self.depth)]
        waiting = list(reversed(instructions))
        while waiting:
            self._line = waiting[-1].line
            if waiting[-1].name in STORES or waiting[-1].name.startswith("UNPACK_"):
                self._assign(waiting)
            else:
                self._follow(waiting.pop())
        return self

    def _follow(self, one: Instruction) -> None:
        name, argument = one.name, one.argument
        if name in DO_NOTHING or name in JUMPS_ALWAYS or name == LOOP:
            return
        binary = name.removeprefix("BINARY_").removeprefix("INPLACE_")
        if name in LOADS:
            has_null = name == "LOAD_GLOBAL" and GLOBALS_HAVE_NULL and bool(argument & 1)
            self._push_called(ast.Name(one.value, ast.Load()), has_null)
        elif name in UNARY:
            self._push(ast.UnaryOp(UNARY[name](), self._pop()))
        elif name != binary and binary in NAMED_BINARY:
            self._binary(NAMED_BINARY[binary], name.startswith("INPLACE_"))
        elif "JUMP" in name:
            self._jump(name)
        elif name.startswith(("CALL", "KW_NAMES")):
            self._call(name, one)
        elif not any(kind(one) for kind in (self._shuffle, self._end, self._express, self._build)):
            raise Unknowable(f"the instruction {name}")

    def _jump(self, name: str) -> None:
        value = self._pop()
        if name.endswith(("IF_NONE", "IF_NOT_NONE")):
            none = self._placed(ast.Constant(None))
            self.test = self._placed(ast.Compare(value, [ast.Is()], [none]))
            self.jumps_for = name.endswith("IF_NONE")
        elif "IF_TRUE" in name or "IF_FALSE" in name:
            self.test, self.jumps_for, self.keeps = value, "IF_TRUE" in name, name.endswith("_OR_POP")
        else:
            raise Unknowable(f"the instruction {name}")

    def _shuffle(self, one: Instruction) -> bool:
        """Instructions that only move what is on the stack."""
        name, argument = one.name, one.argument
        match name:
            case "SWAP" | "ROT_TWO":
                last, *others, first = reversed(self._pops(argument if name == "SWAP" else 2))
                self.stack += [last, *reversed(others), first]
            case "ROT_THREE" | "ROT_FOUR" | "ROT_N":
                *others, last = self._pops({"ROT_THREE": 3, "ROT_FOUR": 4}.get(name, argument))
                self.stack += [last, *others]
            case "COPY" | "DUP_TOP":
                copied, *others = self._pops(argument if name == "COPY" else 1)
                self.stack += [copied, *others, copied]
            case "PUSH_NULL" | "LOAD_CLOSURE":
                self._push(Null())
            case "GET_ITER":
                self._push(Iterated(_display(self._pop())))
            case _:
                return False
        return True

    def _end(self, one: Instruction) -> bool:
        """Instructions that make a statement."""
        argument = one.argument
        match one.name:
            case "NOP":
                self._state(ast.Pass())
            case "POP_TOP":
                dropped = self._pop()
                if not isinstance(dropped, Slot):
                    self._state(ast.Expr(dropped))
            case "RETURN_VALUE":
                returned = ast.Return(self._pop())
                # Where Python has an instruction that returns a constant, it is used if that is all there is.
                if "RETURN_CONST" in dis.opmap and isinstance(returned.value, (ast.Constant, ast.Tuple)):
                    returned.is_loaded = True  # type: ignore[attr-defined]
                self._state(returned)
            case "RETURN_CONST":
                self._state(ast.Return(self._constant(one.value)))
            case "RAISE_VARARGS" if argument in {1, 2}:
                raised, *cause = self._pops(argument)
                self._state(ast.Raise(raised, cause[0] if cause else None))
            case "LOAD_ASSERTION_ERROR":
                self._push(AssertionFailed())
            case "STORE_SUBSCR":
                new, owner, key = self._pops(3)
                self._state(ast.Assign([self._placed(ast.Subscript(owner, key, ast.Store()))], new))
            case "STORE_ATTR":
                new, owner = self._pops(2)
                self._state(ast.Assign([self._placed(ast.Attribute(owner, one.value, ast.Store()))], new))
            case "LIST_APPEND" | "SET_ADD" if argument >= 2:
                self._state(ast.Expr(self._placed(Added(None, self._pop()))))
            case "MAP_ADD":
                key, item = self._pops(2)
                self._state(ast.Expr(self._placed(Added(key, item))))
            case "YIELD_VALUE":
                self._push(Added(None, self._pop()))
            case "RETURN_GENERATOR":
                self._push(Slot(-1))
            case _:
                return False
        return True

    def _express(self, one: Instruction) -> bool:
        """Instructions that make an expression of others."""
        argument = one.argument
        match one.name:
            case "LOAD_CONST":
                self._push(self._constant(one.value))
            case "LOAD_METHOD" | "LOAD_ATTR":
                is_method = one.name == "LOAD_METHOD" or (ATTRIBUTES_ARE_METHODS and bool(argument & 1))
                attribute = ast.Attribute(self._pop(), one.value, ast.Load())
                attribute.is_method = is_method  # type: ignore[attr-defined]
                self._push_called(attribute, is_method)
            case "BINARY_OP":
                operator = dis._nb_ops[argument][1]  # type: ignore[attr-defined]
                self._binary(operator.rstrip("="), operator.endswith("="))
            case "BINARY_SUBSCR":
                owner, key = self._pops(2)
                self._push(ast.Subscript(owner, key, ast.Load()))
            case "BUILD_SLICE":
                self._push(ast.Slice(*map(_unless_none, self._pops(argument))))
            case "BINARY_SLICE":
                owner, lower, upper = self._pops(3)
                part = self._placed(ast.Slice(_unless_none(lower), _unless_none(upper)))
                self._push(ast.Subscript(owner, part, ast.Load()))
            case "COMPARE_OP":
                self._compare(COMPARISONS[str(one.value).removeprefix("bool(").removesuffix(")")]())
            case "IS_OP":
                self._compare(ast.IsNot() if argument else ast.Is())
            case "CONTAINS_OP":
                self.stack.append(_display(self._pop()))
                self._compare(ast.NotIn() if argument else ast.In())
            case _:
                return False
        return True

    def _build(self, one: Instruction) -> bool:
        """Instructions that make displays, texts and functions."""
        name, argument = one.name, one.argument
        match name:
            case "BUILD_LIST":
                self._push(ast.List(self._pops(argument), ast.Load()))
            case "BUILD_TUPLE":
                self._push(ast.Tuple(self._pops(argument), ast.Load()))
            case "BUILD_SET":
                self._push(ast.Set(self._pops(argument)))
            case "BUILD_MAP":
                parts = self._pops(2 * argument)
                self._push(ast.Dict(list(parts[::2]), parts[1::2]))
            case "BUILD_CONST_KEY_MAP":
                keys, values = self._pop(), self._pops(argument)
                self._push(ast.Dict(list(items_of(keys)), values))
            case "LIST_EXTEND" | "SET_UPDATE" if argument == 1:
                display, more = self._pops(2)
                all_items = [*items_of(display), *items_of(_display(more))]
                self._push(ast.List(all_items, ast.Load()) if name == "LIST_EXTEND" else ast.Set(all_items))
            case "FORMAT_VALUE":
                self._format(_CONVERSIONS[argument & 3], self._pop() if argument & 4 else None)
            case "CONVERT_VALUE":
                self._format(_CONVERSIONS[argument], None)
                self.stack[-1].waits = True  # type: ignore[attr-defined]
            case "FORMAT_SIMPLE" | "FORMAT_WITH_SPEC":
                self._format(-1, self._pop() if name == "FORMAT_WITH_SPEC" else None)
            case "BUILD_STRING":
                parts = self._pops(argument)
                texts = [part.values if isinstance(part, ast.JoinedStr) else [part] for part in parts]
                self._push(ast.JoinedStr([part for text in texts for part in text]))
            case "MAKE_FUNCTION":
                self._function(argument)
            case "SET_FUNCTION_ATTRIBUTE":
                made = self._pop()
                self._furnished(made, argument, self._pop())
                self.stack.append(made)
            case _:
                return False
        return True

    def _push_called(self, function: ast.expr, with_null: bool) -> None:
        both: list[ast.expr] = [function, Null()] if NULL_IS_LAST else [Null(), function]
        for part in both if with_null else [function]:
            self._push(part)

    def _binary(self, operator: str, in_place: bool) -> None:
        left, right = self._pops(2)
        self._push(ast.BinOp(left, BINARY[operator](), right))
        self.stack[-1].in_place = in_place  # type: ignore[attr-defined]

    def _compare(self, operator: ast.cmpop) -> None:
        left, right = self._pops(2)
        self._push(ast.Compare(left, [operator], [right]))

    def _format(self, conversion: int, how: ast.expr | None) -> None:
        value = self._pop()
        if getattr(value, "waits", False) and isinstance(value, ast.JoinedStr):  # its conversion came before
            (inner,) = value.values
            assert isinstance(inner, ast.FormattedValue)
            value, conversion = inner.value, inner.conversion
        if how is not None and not isinstance(how, ast.JoinedStr):
            how = self._placed(ast.JoinedStr([how]))
        self._push(ast.JoinedStr([self._placed(ast.FormattedValue(value, conversion, how))]))


def _unless_none(bound: ast.expr) -> ast.expr | None:
    return None if isinstance(bound, ast.Constant) and bound.value is None else bound


def _display(node: ast.expr) -> ast.expr:
    """A set that was made when the function was compiled, as it is written."""
    constant: Any = getattr(node, "value", None)
    if not isinstance(node, ast.Constant) or type(constant) is not frozenset:
        return node
    items: list[ast.expr] = [ast.copy_location(ast.Constant(item), node) for item in constant]
    return ast.copy_location(ast.Set(items), node)
