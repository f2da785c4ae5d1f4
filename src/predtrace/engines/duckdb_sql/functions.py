"""The functions and operators, by Spark's names: logic, comparisons and strings here, the rest joined in.

A rule refuses the argument types it was not shown to hold for. Not here, because the engines differ: upper, lower and
ilike (letters such as ß), reverse and the pads (what a character is), round and ceil of doubles, decimal division,
and whatever reads a timestamp by the session's time zone.
"""

from __future__ import annotations

from predtrace.engines.duckdb_sql.arithmetic import ARITHMETIC
from predtrace.engines.duckdb_sql.dates import DATES, plus_months
from predtrace.engines.duckdb_sql.rules import Rule, Texts, expect, integer_constant, refused
from predtrace.ir.expressions import Call, Literal


def _infix(operator: str) -> Rule:
    def rule(write: Texts, call: Call) -> str:
        return f"({f' {operator} '.join(write.alike(call.arguments))})"

    return rule


def _logic(operator: str) -> Rule:
    def rule(write: Texts, call: Call) -> str:
        expect(call, "boolean")
        return f"({f' {operator} '.join(write.all(call.arguments))})"

    return rule


def _not(write: Texts, call: Call) -> str:
    expect(call, "boolean")
    return f"(NOT {write.write(call.arguments[0])})"


def _in(write: Texts, call: Call) -> str:
    value, *others = write.alike(call.arguments)
    return f"({value} IN ({', '.join(others)}))"


def _between(write: Texts, call: Call) -> str:
    value, lower, upper = write.alike(call.arguments)
    return f"({value} BETWEEN {lower} AND {upper})"


def _if(write: Texts, call: Call) -> str:
    condition, *values = call.arguments
    then, otherwise = write.alike(values, call.type)
    return f"(CASE WHEN {write.write(condition)} THEN {then} ELSE {otherwise} END)"


def _coalesce(write: Texts, call: Call) -> str:
    return f"coalesce({', '.join(write.alike(call.arguments, call.type))})"


def _nullif(write: Texts, call: Call) -> str:
    value, other = write.alike(call.arguments, call.type)
    return f"(CASE WHEN {value} = {other} THEN NULL ELSE {value} END)"


def _extreme(write: Texts, call: Call) -> str:
    return f"{call.function}({', '.join(write.alike(call.arguments, call.type))})"


def _like(write: Texts, call: Call) -> str:
    expect(call, "string")
    value, pattern = call.arguments
    escape = call.option("escape") or "\\"
    if (
        not isinstance(pattern, Literal)
        or not isinstance(pattern.value, str)
        or not _is_clear(pattern.value, escape)
    ):
        raise refused(call, "such a pattern")
    # Without ESCAPE nothing escapes in DuckDB, and it is faster.
    ending = f" ESCAPE {write.bind(escape)}" if escape in pattern.value else ""
    return f"({write.write(value)} LIKE {write.write(pattern)}{ending})"


def _is_clear(pattern: str, escape: str) -> bool:
    """Whether each escape character stands before what it escapes; Spark fails otherwise."""
    if len(escape) != 1 or escape in "%_":
        return False
    escaped = False
    for character in pattern:
        if escaped and character not in ("%", "_", escape):
            return False
        escaped = not escaped and character == escape
    return not escaped


def _on_strings(form: str) -> Rule:
    """A function of strings, its texts filled into the form."""

    def rule(write: Texts, call: Call) -> str:
        expect(call, "string")
        return form.format(*write.all(call.arguments))

    return rule


def _concat(write: Texts, call: Call) -> str:
    expect(call, "string")
    return f"({' || '.join(write.all(call.arguments))})"


def _substring(write: Texts, call: Call) -> str:
    text, start, length = call.arguments
    expect(call, "string", of=(text,))
    first, count = integer_constant(call, start), integer_constant(call, length)
    if first < 0 or count < 0:
        raise refused(call, "a position counted from the end")
    return f"substring({write.write(text)}, {max(first, 1)}, {count})"


def _end(write: Texts, call: Call) -> str:
    text, length = call.arguments
    expect(call, "string", of=(text,))
    count = integer_constant(call, length)
    if count < 0:
        raise refused(call, "a negative length")
    return f"{call.function}({write.write(text)}, {count})"


FUNCTIONS: dict[str, Rule] = {
    **{operator: _infix(operator) for operator in ("=", "<", "<=", ">", ">=")},
    **dict.fromkeys(("<=>", "equal_null"), _infix("IS NOT DISTINCT FROM")),
    "and": _logic("AND"),
    "or": _logic("OR"),
    "not": _not,
    "isnull": lambda write, call: f"({write.write(call.arguments[0])} IS NULL)",
    "isnotnull": lambda write, call: f"({write.write(call.arguments[0])} IS NOT NULL)",
    "in": _in,
    "between": _between,
    "if": _if,
    **dict.fromkeys(("coalesce", "nvl"), _coalesce),
    "nullif": _nullif,
    **dict.fromkeys(("greatest", "least"), _extreme),
    "like": _like,
    "startswith": _on_strings("starts_with({}, {})"),
    "endswith": _on_strings("suffix({}, {})"),
    "contains": _on_strings("contains({}, {})"),
    "replace": _on_strings("replace({}, {}, {})"),
    "length": _on_strings("CAST(length({}) AS INTEGER)"),
    **{side: _on_strings(f"{side}({{}}, ' ')") for side in ("trim", "ltrim", "rtrim")},
    "concat": _concat,
    "substring": _substring,
    **dict.fromkeys(("left", "right"), _end),
    **ARITHMETIC,
    **DATES,
    **dict.fromkeys(
        "+-", lambda write, call: plus_months(write, call) or ARITHMETIC[call.function](write, call)
    ),
}
