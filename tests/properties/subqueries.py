"""Random subqueries in conditions and select lists: EXISTS, IN, scalar; correlated and not; under OR and NOT."""

from __future__ import annotations

from collections.abc import Sequence

from tests.properties.aggregates import aggregate
from tests.properties.draft import Column, Draft
from tests.properties.expressions import (
    Scope,
    column_of,
    comparison,
    predicate,
    selective,
    type_in,
)

TESTS = {"exists": 3, "in": 3, "not exists": 3, "not in": 2, "scalar": 2}


def condition(draft: Draft, scope: Scope, one_in: int = 2) -> str:
    """A condition that may hold a subquery, in one draw of so many: as a conjunct, under OR, NOT, CASE."""
    if draft.subqueries_left <= 0 or not draft.chance(one_in):
        return predicate(draft, scope)
    if draft.option("flag", 2):
        flag = subquery_test(draft, scope)
        match draft.choose(("or", "or_not", "case")):
            case "or":
                return f"({predicate(draft, scope, 1)} OR {flag})"
            case "or_not":
                return f"(NOT ({flag}) OR {predicate(draft, scope, 0)})"
        return f"CASE WHEN {flag} THEN {predicate(draft, scope, 0)} ELSE {predicate(draft, scope, 0)} END"
    flag = subquery_test(draft, scope)
    if draft.option("negated", 6):
        return f"NOT ({flag})"
    return f"{flag} AND {predicate(draft, scope, 1)}" if draft.chance(3) else flag


def subquery_test(draft: Draft, scope: Scope) -> str:
    draft.subqueries_left -= 1
    match draft.feature(TESTS):
        case "exists" | "not exists" as kind:
            return f"{kind.upper()} ({_body(draft, scope, (), kind == 'not exists')})"
        case "scalar":
            value = _scalar(draft, scope)
            wanted = column_of(draft, scope, value.type)
            test = f"{wanted} {draft.choose(('<=', '>=', '<>', '<=>', '='))} {value.text}"
            # Without a row the value is NULL, and so is the test.
            return test if draft.chance(3) else f"coalesce({test}, true)"
        case kind:
            types = [type_in(draft, scope) for _ in range(2 if draft.chance(8) else 1)]
            wanted = ", ".join(column_of(draft, scope, type_) for type_ in types)
            return f"({wanted}) {kind.upper()} ({_body(draft, scope, types, kind == 'not in')})"


def subquery_flag(draft: Draft, scope: Scope) -> Column:
    """EXISTS or IN as a value."""
    return Column(f"({subquery_test(draft, scope)})", "boolean")


def scalar_subquery(draft: Draft, scope: Scope) -> Column:
    draft.subqueries_left -= 1
    return _scalar(draft, scope)


def _scalar(draft: Draft, scope: Scope) -> Column:
    """An aggregate without keys, so that there is one row."""
    text, columns = _source(draft)
    call = aggregate(draft, columns)
    restriction = _restriction(draft, [], columns, scope, not draft.chance(3))
    return Column(f"(SELECT {call.text} FROM {text}{restriction})", call.type)


def _source(draft: Draft) -> tuple[str, tuple[Column, ...]]:
    return draft.item(1 if draft.chance(5) else 0)


def _restriction(draft: Draft, parts: list[str], columns: Scope, scope: Scope, correlated: bool) -> str:
    if scope and correlated:
        parts.append(comparison(draft, columns, scope))
        draft.features.add("correlated")
    if draft.chance(4):
        parts.append(condition(draft, columns))
    return f" WHERE {' AND '.join(f'({part})' for part in parts)}" if parts else ""


def _body(draft: Draft, scope: Scope, types: Sequence[str], negated: bool) -> str:
    """The query of an EXISTS (no types) or of an IN; one that few rows pass, where it is negated."""
    text, columns = _source(draft)
    values = [column_of(draft, columns, type_) for type_ in types] or ["1"]
    parts = [selective(draft, columns)] if negated else []
    if negated and types and not draft.chance(3):  # no row passes NOT IN beside a NULL
        parts.append(f"{values[0]} IS NOT NULL")
    correlated = draft.chance(4) if types else not draft.chance(6)
    body = f"SELECT {', '.join(values)} FROM {text}{_restriction(draft, parts, columns, scope, correlated)}"
    # A number as a key would be read as a position.
    keys = [value for value in values if value in {column.text for column in columns}]
    if len(keys) in (0, len(values)) and draft.option("aggregate", 8):
        grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
        return f"{body}{grouped} HAVING {predicate(draft, [Column('count(*)', 'int')], 1)}"
    return body
