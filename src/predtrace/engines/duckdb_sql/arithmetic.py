"""Numbers. Whole numbers are computed in a type that cannot overflow, then made to fit: NULL where Spark fails.

Floating point is IEEE 754 in both engines; only division by zero differs. Decimals are computed where the exact
result fits in 38 digits, so nothing is rounded.
"""

from __future__ import annotations

from predtrace.engines.duckdb_sql.rules import Rule, Texts, expect, integer_constant, refused
from predtrace.engines.duckdb_sql.types import FLOATING, WHOLE, scalar_type
from predtrace.ir.expressions import Call
from predtrace.ir.types import DataType, DecimalType

_WIDE = {"byte": "BIGINT", "short": "BIGINT", "integer": "BIGINT", "long": "HUGEINT"}

_KEPT_BY_SPARK = 34
"""Decimal digits; when it changes the sign of a number with more, Spark rounds it."""


def _sum(operator: str) -> Rule:
    def rule(write: Texts, call: Call) -> str:
        if all(isinstance(part.type, DecimalType) for part in call.arguments):
            return _decimal_sum(write, call, operator)
        return _plain(write, call, operator)

    return rule


def _product(write: Texts, call: Call) -> str:
    left, right = (part.type for part in call.arguments)
    if not isinstance(left, DecimalType) or not isinstance(right, DecimalType):
        return _plain(write, call, "*")
    _expect_exact(call, left.precision + right.precision + 1, left.scale + right.scale)
    one, other = write.all(call.arguments)
    # DuckDB multiplies in the width of its operands, so one of them gets that of the result.
    wide = DecimalType("decimal", left.precision + right.precision + 1, left.scale)
    return f"CAST(CAST({one} AS {scalar_type(wide)}) * {other} AS {scalar_type(call.type)})"


def _decimal_sum(write: Texts, call: Call, operator: str) -> str:
    types = [part.type for part in call.arguments if isinstance(part.type, DecimalType)]
    scale = max(type_.scale for type_ in types)
    _expect_exact(call, max(type_.precision - type_.scale for type_ in types) + scale + 1, scale)
    result = scalar_type(call.type)
    one, other = (f"CAST({text} AS {result})" for text in write.all(call.arguments))
    return f"CAST({one} {operator} {other} AS {result})"


def _expect_exact(call: Call, precision: int, scale: int) -> None:
    if precision > 38 or call.type != DecimalType("decimal", precision, scale):
        raise refused(call, "a result that is rounded")


def _plain(write: Texts, call: Call, operator: str) -> str:
    """Whole or floating numbers, all of the result's type."""
    _expect_one_type(call)
    one, other = write.all(call.arguments)
    if call.type.name in FLOATING:
        return f"({one} {operator} {other})"
    wide = _WIDE[call.type.name]
    return _fitted(f"CAST({one} AS {wide}) {operator} CAST({other} AS {wide})", call.type)


def _fitted(text: str, type_: DataType) -> str:
    return f"TRY_CAST({text} AS {scalar_type(type_)})"


def _expect_one_type(call: Call) -> None:
    expect(call, *WHOLE, *FLOATING)
    if any(part.type != call.type for part in call.arguments):
        raise refused(call)


def _divided(write: Texts, call: Call) -> str:
    expect(call, "double")
    one, other = write.all(call.arguments)
    return f"({one} / nullif({other}, 0))"


def _remainder(write: Texts, call: Call) -> str:
    _expect_one_type(call)
    one, other = write.all(call.arguments)
    return f"({one} % nullif({other}, 0))" if call.type.name in FLOATING else _whole(call, one, "%", other)


def _quotient(write: Texts, call: Call) -> str:
    expect(call, "long")
    one, other = write.all(call.arguments)
    return _whole(call, one, "//", other)


def _whole(call: Call, one: str, operator: str, other: str) -> str:
    wide = _WIDE[call.type.name]
    return _fitted(f"CAST({one} AS {wide}) {operator} nullif(CAST({other} AS {wide}), 0)", call.type)


def _unary(form: str) -> Rule:
    def rule(write: Texts, call: Call) -> str:
        expect(call, *WHOLE, *FLOATING, "decimal")
        if isinstance(call.type, DecimalType) and call.type.precision > _KEPT_BY_SPARK:
            raise refused(call)
        (text,) = write.all(call.arguments)
        if call.type.name in WHOLE:
            return _fitted(form.format(f"CAST({text} AS {_WIDE[call.type.name]})"), call.type)
        return f"({form.format(text)})"

    return rule


def _rounded_to_whole(write: Texts, call: Call) -> str:
    expect(call, "decimal")
    if len(call.arguments) > 1:
        raise refused(call)
    return _fitted(f"{call.function}({write.write(call.arguments[0])})", call.type)


def _rounded(write: Texts, call: Call) -> str:
    value, digits = call.arguments
    expect(call, "decimal", of=(value,))
    count = integer_constant(call, digits)
    if count < 0:
        raise refused(call, "a negative number of digits")
    return _fitted(f"round({write.write(value)}, {count})", call.type)


def _bitwise(form: str) -> Rule:
    def rule(write: Texts, call: Call) -> str:
        expect(call, *WHOLE)
        return form.format(*write.alike(call.arguments, call.type))

    return rule


def _on_doubles(form: str) -> Rule:
    def rule(write: Texts, call: Call) -> str:
        expect(call, "double")
        return form.format(*write.all(call.arguments))

    return rule


def _is_nan(write: Texts, call: Call) -> str:
    expect(call, *FLOATING)
    return f"coalesce(isnan({write.write(call.arguments[0])}), false)"


ARITHMETIC: dict[str, Rule] = {
    **dict.fromkeys(("+", "try_add"), _sum("+")),
    **dict.fromkeys(("-", "try_subtract"), _sum("-")),
    **dict.fromkeys(("*", "try_multiply"), _product),
    **dict.fromkeys(("/", "try_divide"), _divided),
    **dict.fromkeys(("%", "try_mod"), _remainder),
    "div": _quotient,
    "negative": _unary("-{}"),
    "positive": _unary("{}"),
    "abs": _unary("abs({})"),
    **dict.fromkeys(("ceil", "floor"), _rounded_to_whole),
    "round": _rounded,
    "&": _bitwise("({} & {})"),
    "|": _bitwise("({} | {})"),
    "^": _bitwise("xor({}, {})"),
    "~": _bitwise("(~{})"),
    "sqrt": _on_doubles("sqrt({})"),
    "isnan": _is_nan,
    "nanvl": _on_doubles("(CASE WHEN isnan({0}) THEN {1} ELSE {0} END)"),
}
