"""Random scalar expressions and conditions, as Spark SQL text.

None of them can fail at run time (no cast of text to numbers, no division by zero): Spark may evaluate an
expression on rows that the query would have filtered out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.properties.draft import ORDERED_NUMBERS, TYPES, VALUES, Column, Draft, literal

Scope = Sequence[Column]
COMPARISONS = ("=", "<", ">=", "<>", "<=>", ">", "<=", "IS NOT DISTINCT FROM")


def constant(draft: Draft, type_: str, nullable: bool = False) -> str:
    values = VALUES[type_] if nullable else VALUES[type_][1:]
    return literal(draft.choose(values), type_)


def type_in(draft: Draft, scope: Scope, allowed: Sequence[str] = TYPES) -> str:
    """A type that some column of the scope has, where there is one."""
    found = [column.type for column in scope if column.type in allowed]
    return draft.choose(found or allowed)


def leaf(draft: Draft, scope: Scope, type_: str) -> str:
    """A column of the type, else a constant."""
    found = [column.text for column in scope if column.type == type_]
    if found and not draft.chance(6):
        return draft.choose(found)
    return constant(draft, type_, nullable=draft.chance(5))


def expression(draft: Draft, scope: Scope, type_: str, depth: int = 2) -> str:
    """An expression of a type over the columns of a scope."""
    if depth == 0 or not draft.chance(3):
        return leaf(draft, scope, type_)

    def part(of_type: str = type_) -> str:
        return expression(draft, scope, of_type, depth - 1)

    kind = draft.choose(("coalesce", "case", "if", "nullif", "own"))
    match kind:
        case "coalesce":
            return f"coalesce({part()}, {part()})"
        case "case":
            otherwise = f" ELSE {part()}" if draft.chance() else ""
            return f"CASE WHEN {predicate(draft, scope, depth - 1)} THEN {part()}{otherwise} END"
        case "if":
            return f"if({predicate(draft, scope, depth - 1)}, {part()}, {part()})"
        case "nullif":
            return f"nullif({part()}, {part()})"
    return OWN[type_](draft, part)


Part = Callable[..., str]


def _int(draft: Draft, part: Part) -> str:
    match draft.choose(("+", "length", "abs", "day", "cast", "least")):
        case "+":
            return f"({part()} {draft.choose(('+', '-'))} {part()})"
        case "length":
            return f"length({part('string')})"
        case "abs":
            return f"abs({part()})"
        case "day":
            return f"day({part('date')})"
        case "least":
            return f"least({part()}, {part()})"
    return f"CAST({part('boolean')} AS INT)"


def _string(draft: Draft, part: Part) -> str:
    match draft.choose(("concat", "upper", "substring", "cast", "concat_ws")):
        case "concat":
            return f"({part()} || {part()})"
        case "upper":
            return f"upper({part()})"
        case "substring":
            return f"substring({part()}, 1, 1)"
        case "concat_ws":
            return f"concat_ws('-', {part()}, {part()})"
    return f"CAST({part(draft.choose(('int', 'date', 'boolean', 'decimal')))} AS STRING)"


def _double(draft: Draft, part: Part) -> str:
    match draft.choose(("nanvl", "+", "cast", "abs")):
        case "nanvl":
            return f"nanvl({part()}, {part()})"
        case "+":
            return f"({part()} + {part()})"
        case "abs":
            return f"abs({part()})"
    return f"CAST({part(draft.choose(ORDERED_NUMBERS))} AS DOUBLE)"


def _decimal(draft: Draft, part: Part) -> str:
    match draft.choose(("+", "round", "cast")):
        case "+":
            return f"({part()} {draft.choose(('+', '-'))} {part()})"
        case "round":
            return f"round({part()}, 1)"
    return f"CAST({part('int')} AS DECIMAL(10, 0))"


def _date(draft: Draft, part: Part) -> str:
    match draft.choose(("date_add", "last_day", "interval", "greatest")):
        case "date_add":
            return f"date_add({part()}, {draft.number(-1, 1)})"
        case "last_day":
            return f"last_day({part()})"
        case "interval":
            return f"CAST({part()} + INTERVAL '1' MONTH AS DATE)"
    return f"greatest({part()}, {part()})"


def _boolean(draft: Draft, part: Part) -> str:
    compared = draft.choose(TYPES)
    return f"({part(compared)} {draft.choose(COMPARISONS)} {part(compared)})"


OWN: dict[str, Callable[[Draft, Part], str]] = {
    "int": _int,
    "string": _string,
    "double": _double,
    "decimal": _decimal,
    "date": _date,
    "boolean": _boolean,
}


def predicate(draft: Draft, scope: Scope, depth: int = 2) -> str:
    """A condition without subqueries."""
    kinds: tuple[str, ...] = ("compare", "null", "in", "between", "case", "boolean", "like")
    if depth > 0:
        kinds = (*kinds, "and", "or", "not")
    type_ = draft.choose([column.type for column in scope] or ["int"])

    def value() -> str:
        return expression(draft, scope, type_, max(depth - 1, 0))

    match draft.choose(kinds):
        case "compare":
            return f"{value()} {draft.choose(COMPARISONS)} {value()}"
        case "null":
            return f"{value()} IS {draft.choose(('', 'NOT '))}NULL"
        case "in":
            items = ", ".join(constant(draft, type_, draft.chance(4)) for _ in range(draft.number(1, 3)))
            return f"{value()} {draft.choose(('', 'NOT '))}IN ({items})"
        case "between":
            return f"{value()} BETWEEN {constant(draft, type_)} AND {value()}"
        case "case":
            return f"CASE WHEN {value()} IS NULL THEN {leaf(draft, scope, 'boolean')} ELSE true END"
        case "boolean":
            return leaf(draft, scope, "boolean")
        case "like":
            return f"{leaf(draft, scope, 'string')} LIKE '%{draft.choose(('a', 'b', ''))}'"
        case "not":
            return f"NOT ({predicate(draft, scope, depth - 1)})"
        case "and":
            return f"({predicate(draft, scope, depth - 1)} AND {predicate(draft, scope, depth - 1)})"
    return f"({predicate(draft, scope, depth - 1)} OR {predicate(draft, scope, depth - 1)})"


def comparison(draft: Draft, left: Scope, right: Scope) -> str:
    """A comparison of a column on one side with one on the other: an equality, mostly."""
    common = sorted({column.type for column in left} & {column.type for column in right})
    if not common or draft.chance(8):
        return predicate(draft, [*left, *right], 1)
    type_ = draft.choose(common)
    operator = draft.choose(("=", "=", "=", "<=>", "<", "<>"))
    one, other = expression(draft, left, type_, 1), expression(draft, right, type_, 1)
    return f"{one} {operator} {other}"


def aggregate(draft: Draft, scope: Scope, inexact: bool = False) -> Column:
    """An aggregate over a scope; one that adds doubles only where nothing decides by it."""
    filtered = f" FILTER (WHERE {predicate(draft, scope, 1)})" if draft.chance(5) else ""
    numbers = (*ORDERED_NUMBERS, "double") if inexact else ORDERED_NUMBERS
    number, any_type = type_in(draft, scope, numbers), type_in(draft, scope)
    match draft.choose(
        ("count", "sum", "max", "min", "distinct", "avg", "max_by", "min_by", "count_x", "bool")
    ):
        case "count":
            return Column(f"count(*){filtered}", "int")
        case "count_x":
            return Column(f"count({expression(draft, scope, any_type, 1)}){filtered}", "int")
        case "distinct":
            return Column(f"count(DISTINCT {expression(draft, scope, any_type, 1)}){filtered}", "int")
        case "sum":
            return Column(f"sum({expression(draft, scope, number, 1)}){filtered}", number)
        case "avg":
            result = "decimal" if number == "decimal" else "double"
            return Column(f"avg({expression(draft, scope, number, 1)}){filtered}", result)
        case "bool":
            return Column(f"bool_or({expression(draft, scope, 'boolean', 1)}){filtered}", "boolean")
        case "max":
            return Column(f"max({expression(draft, scope, any_type, 1)}){filtered}", any_type)
        case "min":
            return Column(f"min({expression(draft, scope, any_type, 1)}){filtered}", any_type)
        case by:
            value = leaf(draft, scope, any_type)
            # The value itself decides among equal keys, so that there are no ties.
            key = f"struct({leaf(draft, scope, type_in(draft, scope))}, {value})"
            return Column(f"{by}({value}, {key}){filtered}", any_type)
