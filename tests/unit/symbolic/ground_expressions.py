"""Random expressions over a row of known values, and what they evaluate to by a second, plain opinion."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from random import Random
from typing import Any

from predtrace.ir import expressions as ir
from predtrace.ir.types import BOOLEAN, INTEGER, STRING, DataType, DecimalType
from predtrace.symbolic.sorts import readable
from predtrace.symbolic.values import SymbolicValue

MONEY = DecimalType("decimal", 10, 2)
WIDE = DecimalType("decimal", 38, 10)
COLUMNS: dict[str, DataType] = {
    **dict.fromkeys("ij", INTEGER),
    **dict.fromkeys("de", MONEY),
    **dict.fromkeys("bc", BOOLEAN),
    **dict.fromkeys("st", STRING),
}
ROWS: list[dict[str, Any]] = [
    dict(zip(COLUMNS, row, strict=True))
    for row in (
        (1, 2, Decimal("1.50"), Decimal("-7.25"), True, False, "a", "b"),
        (None, 2, None, Decimal("1.50"), None, True, None, ""),
        (-3, -3, Decimal("0.00"), Decimal("0.00"), False, False, "ab", "ab"),
        (7, None, Decimal("99.99"), None, True, None, "é", "z"),
        (0, 50, Decimal("-0.01"), Decimal("1.50"), False, None, "Z", "a\0"),
        (None,) * 8,
    )
]
LITERALS: dict[str, list[Any]] = {
    "integer": [None, 0, 1, -3, 50],
    "decimal": [None, Decimal("0.00"), Decimal("1.50"), Decimal("-7.25")],
    "boolean": [None, True, False],
    "string": [None, "", "a", "ab", "é"],
}
COMPARISONS = ("=", "<=>", "<", "<=", ">", ">=")


def column(name: str) -> ir.Column:
    return ir.Column(ir.ColumnId(name), name, COLUMNS[name])


class Generator:
    """Typed expressions, all of whose functions have a meaning in the symbolic layer."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def leaf(self, type_: DataType) -> ir.Expression:
        if self.random.random() < 0.7:
            return column(self.random.choice([n for n, t in COLUMNS.items() if t.name == type_.name]))
        return ir.Literal(self.random.choice(LITERALS[type_.name]), type_)

    def any(self, depth: int) -> ir.Expression:
        return self.of(self.random.choice([BOOLEAN, BOOLEAN, INTEGER, MONEY, STRING]), depth)

    def of(self, type_: DataType, depth: int) -> ir.Expression:
        if depth <= 0:
            return self.leaf(type_)
        if type_ == BOOLEAN:
            return self._boolean(depth - 1)
        if self.random.random() < 0.4 and type_ in (INTEGER, MONEY):
            return self._arithmetic(type_, depth - 1)
        return self._chosen(type_, depth - 1)

    def _chosen(self, type_: DataType, depth: int) -> ir.Expression:
        kind = self.random.choice(["if", "case", "coalesce", "nvl2", "nullif", "leaf"])
        match kind:
            case "if":
                arguments = (self.of(BOOLEAN, depth), self.of(type_, depth), self.of(type_, depth))
            case "case":
                branches = tuple((self.of(BOOLEAN, depth), self.of(type_, depth)) for _ in range(2))
                return ir.Case(branches, self.random.choice([None, self.of(type_, depth)]))
            case "nvl2":
                arguments = (self.any(0), self.of(type_, depth), self.of(type_, depth))
            case "coalesce" | "nullif":
                arguments = (self.of(type_, depth), self.of(type_, depth))  # type: ignore[assignment]
            case _:
                return self.leaf(type_)
        return ir.Call(kind, arguments, type_)

    def _arithmetic(self, type_: DataType, depth: int) -> ir.Expression:
        operator = self.random.choice(["+", "-", "*", "negative"] if type_ == INTEGER else ["+", "-", "*"])
        if operator == "negative":
            return ir.Call(operator, (self.of(type_, depth),), type_)
        below = 0 if operator == "*" else depth
        arguments = (self.of(type_, below), self.of(type_, below))
        if type_ == INTEGER:
            return ir.Call(operator, arguments, type_)
        result = DecimalType("decimal", 21, 4) if operator == "*" else DecimalType("decimal", 11, 2)
        return _of_one_type(ir.Call(operator, arguments, result))

    def _boolean(self, depth: int) -> ir.Expression:
        kind = self.random.choice(["and", "or", "not", "compare", "compare", "null", "in", "between", "if"])
        match kind:
            case "and" | "or":
                return ir.Call(kind, (self.of(BOOLEAN, depth), self.of(BOOLEAN, depth)), BOOLEAN)
            case "not":
                return ir.Call("not", (self.of(BOOLEAN, depth),), BOOLEAN)
            case "null":
                return ir.Call(self.random.choice(["isnull", "isnotnull"]), (self.any(depth),), BOOLEAN)
            case "if":
                return self._chosen(BOOLEAN, depth)
        type_ = self.random.choice([INTEGER, MONEY, STRING, BOOLEAN])
        count = {"compare": 2, "between": 3}.get(kind, self.random.randint(2, 4))
        arguments = tuple(self.of(type_, depth) for _ in range(count))
        function = self.random.choice(COMPARISONS) if kind == "compare" else kind
        return ir.Call(function, arguments, BOOLEAN)


def _of_one_type(exact: ir.Call) -> ir.Expression:
    """The result of decimal arithmetic has a type of its own; it decides between two values of the common one."""
    zero = ir.Literal(Decimal("0.00"), MONEY)
    negative = ir.Call("<", (ir.Cast(exact, WIDE), ir.Cast(zero, WIDE)), BOOLEAN)
    return ir.Call("if", (negative, zero, column("d")), MONEY)


def ground(value: SymbolicValue) -> object:
    """The Python value of a symbolic value in which nothing is unknown."""
    assert value.null.value is not None, "the symbolic value did not fold"
    if value.null.value:
        return None
    assert value.term.value is not None, "the symbolic value did not fold"
    return readable(value.term.value, value.type, value.minus.value is True)


def plain(expression: ir.Expression, row: Mapping[str, Any]) -> Any:
    """The value of an expression, written down from the SQL standard and sharing nothing with the layer."""
    match expression:
        case ir.Column(id=name):
            return row[name]
        case ir.Literal(value):
            return value
        case ir.Cast(child):
            return plain(child, row)
        case ir.Case(branches, default):
            for when, then in branches:
                if plain(when, row) is True:
                    return plain(then, row)
            return None if default is None else plain(default, row)
        case ir.Call(function, arguments):
            return _plain_call(function, [plain(argument, row) for argument in arguments])
    raise AssertionError(expression)


def _plain_call(function: str, values: list[Any]) -> Any:
    if function == "and":
        return False if False in values else None if None in values else True
    if function == "or":
        return True if True in values else None if None in values else False
    if function == "in":
        return _plain_call("or", [_plain_call("=", [values[0], other]) for other in values[1:]])
    if function == "between":
        low, high = (_plain_call(o, [values[0], v]) for o, v in zip((">=", "<="), values[1:], strict=True))
        return _plain_call("and", [low, high])
    if function in {"isnull", "isnotnull"}:
        return (values[0] is None) == (function == "isnull")
    if function == "coalesce":
        return next((value for value in values if value is not None), None)
    if function == "if":
        return values[1] if values[0] is True else values[2]
    if function == "nvl2":
        return values[2] if values[0] is None else values[1]
    if function == "nullif":
        return None if _plain_call("=", values) is True else values[0]
    if function == "<=>" and None in values:
        return values[0] is None and values[1] is None
    return None if None in values else _plain_strict(function, [_comparable(value) for value in values])


def _comparable(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _plain_strict(function: str, values: list[Any]) -> Any:
    match function, values:
        case "not", [a]:
            return not a
        case "negative", [a]:
            return -a
        case (("=" | "<=>"), [a, b]):
            return a == b
        case "<", [a, b]:
            return a < b
        case "<=", [a, b]:
            return a <= b
        case ">", [a, b]:
            return a > b
        case ">=", [a, b]:
            return a >= b
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
    raise AssertionError(function)
