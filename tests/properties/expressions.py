"""Random scalar expressions and conditions, as Spark SQL text.

None of them can fail at run time (no cast of text to numbers, no division by zero): Spark may evaluate an
expression on rows that the query would have filtered out. Conditions are drawn so that most rows pass: a pipeline
without output tests little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.properties import python_functions
from tests.properties.draft import Column, Draft
from tests.properties.tables import TYPES, VALUES, literal

Scope = Sequence[Column]
ORDERED_NUMBERS = ("int", "decimal")
"""Types whose sums are exact, so that later steps may decide by them."""

COMPARISONS = {"=": 2, ">=": 3, "<=": 3, "<>": 3, "<=>": 2, "<": 1, ">": 1, "IS NOT DISTINCT FROM": 1}


def constant(draft: Draft, type_: str, nullable: bool = False) -> str:
    return literal(draft.choose((*VALUES[type_], None) if nullable else VALUES[type_]), type_)


def type_in(draft: Draft, scope: Scope, allowed: Sequence[str] = TYPES) -> str:
    """A type that some column of the scope has, where there is one."""
    found = [column.type for column in scope if column.type in allowed]
    return draft.choose(found or allowed)


def column_of(draft: Draft, scope: Scope, type_: str) -> str:
    """A column of the type; a constant only where there is none."""
    found = [column.text for column in scope if column.type == type_]
    return draft.choose(found) if found else constant(draft, type_)


def leaf(draft: Draft, scope: Scope, type_: str) -> str:
    """A column of the type, mostly."""
    if draft.chance(8):
        return constant(draft, type_, nullable=draft.chance(8))
    return column_of(draft, scope, type_)


def partner(draft: Draft, scope: Scope, type_: str, than: str) -> str:
    """Something to compare an expression with: not itself."""
    found = [column.text for column in scope if column.type == type_ and column.text != than]
    return draft.choose(found) if found and draft.chance() else constant(draft, type_)


def expression(draft: Draft, scope: Scope, type_: str, depth: int = 2) -> str:
    """An expression of a type over the columns of a scope."""
    if depth == 0 or not draft.chance(3):
        return leaf(draft, scope, type_)

    def part(of_type: str = type_) -> str:
        return expression(draft, scope, of_type, depth - 1)

    if python_functions.returning(type_) and draft.option("udf", 10):
        return python_functions.call(draft, type_, lambda of_type: leaf(draft, scope, of_type))
    one = part()
    other = partner(draft, scope, type_, one)
    match draft.choose(("coalesce", "case", "if", "nullif", "own", "own")):
        case "coalesce":
            return f"coalesce({one}, {other})"
        case "case":
            otherwise = f" ELSE {other}" if draft.chance() else ""
            return f"CASE WHEN {predicate(draft, scope, depth - 1)} THEN {one}{otherwise} END"
        case "if":
            return f"if({predicate(draft, scope, depth - 1)}, {one}, {other})"
        case "nullif":
            return f"nullif({one}, {other})"
    return OWN[type_](draft, part)


Part = Callable[..., str]


def _int(draft: Draft, part: Part) -> str:
    match draft.choose(("+", "length", "abs", "day", "cast", "least", "%")):
        case "+":
            return f"({part()} {draft.choose(('+', '-', '*'))} {part()})"
        case "%":
            return f"({part()} % 2)"
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
    return f"({part(compared)} {draft.weighted(COMPARISONS)} {part(compared)})"


OWN: dict[str, Callable[[Draft, Part], str]] = {
    "int": _int,
    "string": _string,
    "double": _double,
    "decimal": _decimal,
    "date": _date,
    "boolean": _boolean,
}


CONDITIONS = {"compare": 5, "in": 2, "between": 2, "null": 1}
CONNECTED = {"or": 9, "not": 3, "case": 1, "and": 1}


def predicate(draft: Draft, scope: Scope, depth: int = 2) -> str:
    """A condition without subqueries."""
    type_ = type_in(draft, scope)

    def part() -> str:
        return predicate(draft, scope, depth - 1)

    match draft.weighted({**CONDITIONS, **CONNECTED} if depth > 0 else CONDITIONS):
        case "not":
            return f"NOT ({part()})"
        case "and":
            return f"({part()} AND {part()})"
        case "or":
            return f"({part()} OR {part()})"
        case "case":
            return f"CASE WHEN {part()} THEN {part()} ELSE {part()} END"
        case kind:
            value = expression(draft, scope, type_, max(depth - 1, 0))
            if not any(column.text in value for column in scope):  # a constant decides for all rows alike
                value = column_of(draft, scope, type_)
            return _condition(draft, scope, kind, type_, value)


def _condition(draft: Draft, scope: Scope, kind: str, type_: str, value: str) -> str:
    negated = draft.choose(("", "NOT ", "NOT "))
    match kind:
        case "in":
            items = ", ".join(constant(draft, type_, draft.chance(8)) for _ in range(draft.number(1, 3)))
            return f"{value} {negated}IN ({items})"
        case "between":
            low, high = sorted(draft.some(VALUES[type_], 2, 2))
            bound = partner(draft, scope, type_, value) if draft.chance(3) else literal(high, type_)
            return f"{value} {negated}BETWEEN {literal(low, type_)} AND {bound}"
        case "null":
            return f"{value} IS {draft.choose(('NOT ', negated))}NULL"
    if type_ == "boolean" and draft.chance():
        return value
    if type_ == "string" and draft.chance():
        return f"{value} {negated}LIKE '{draft.choose(('%', 'a%', '%b', '_'))}'"
    return f"{value} {draft.weighted(COMPARISONS)} {partner(draft, scope, type_, value)}"


def selective(draft: Draft, scope: Scope) -> str:
    """A condition that few rows pass: what stands below an anti join must not match everything."""
    column = draft.choose(scope)
    values = ", ".join(constant(draft, column.type) for _ in range(draft.number(1, 2)))
    return f"{column.text} IN ({values})"


def comparison(draft: Draft, left: Scope, right: Scope) -> str:
    """A comparison of a column on one side with one on the other: an equality, mostly."""
    common = sorted({column.type for column in left} & {column.type for column in right})
    if not common or draft.chance(10):
        return predicate(draft, [*left, *right], 1)
    type_ = draft.choose(common)
    operator = draft.weighted({"=": 6, "<=>": 2, "<": 1, "<>": 1, ">=": 1})
    return f"{_side(draft, left, type_)} {operator} {_side(draft, right, type_)}"


def _side(draft: Draft, scope: Scope, type_: str) -> str:
    if draft.chance(5):
        return expression(draft, scope, type_)
    return column_of(draft, scope, type_)
