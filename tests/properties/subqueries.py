"""Random subqueries in conditions and select lists: EXISTS, IN, scalar; correlated and not."""

from __future__ import annotations

from collections.abc import Callable

from tests.properties.draft import Column, Draft, Relation
from tests.properties.expressions import Scope, aggregate, comparison, expression, predicate

Query = Callable[[Draft, int], Relation]


def condition(draft: Draft, scope: Scope, query: Query) -> str:
    """A condition that may hold subqueries: as a conjunct, under OR, under NOT."""
    if draft.subqueries_left <= 0 or not draft.chance():
        return predicate(draft, scope)
    flag = subquery_test(draft, scope, query)
    match draft.choose(("alone", "and", "or", "and_not", "case")):
        case "alone":
            return flag
        case "and":
            return f"{flag} AND {predicate(draft, scope, 1)}"
        case "and_not":
            draft.features.add("negated")
            return f"{predicate(draft, scope, 1)} AND NOT {flag}"
        case "case":
            draft.features.add("flag")
            return f"CASE WHEN {flag} THEN {predicate(draft, scope, 0)} ELSE {predicate(draft, scope, 0)} END"
    draft.features.add("flag")
    return f"({predicate(draft, scope, 1)} OR {flag})"


def subquery_test(draft: Draft, scope: Scope, query: Query) -> str:
    draft.subqueries_left -= 1
    match draft.choose(("exists", "in", "not exists", "not in", "scalar")):
        case "exists":
            draft.features.add("semi")
            return f"EXISTS ({_body(draft, scope, query, '1')})"
        case "not exists":
            draft.features.add("anti")
            return f"NOT EXISTS ({_body(draft, scope, query, '1')})"
        case "scalar":
            value = scalar_subquery(draft, scope, query)
            return f"{expression(draft, scope, value.type, 1)} {draft.choose(('=', '>', '<=', '<=>'))} {value.text}"
        case kind:
            draft.features.add("semi" if kind == "in" else "anti")
            type_ = draft.choose([column.type for column in scope] or ["int"])
            wanted = expression(draft, scope, type_, 1)
            return f"{wanted} {kind.upper()} ({_body(draft, scope, query, type_)})"


def subquery_flag(draft: Draft, scope: Scope, query: Query) -> Column:
    """EXISTS or IN as a value."""
    draft.features.add("flag")
    return Column(f"({subquery_test(draft, scope, query)})", "boolean")


def scalar_subquery(draft: Draft, scope: Scope, query: Query) -> Column:
    """An aggregate without keys, so that there is one row."""
    draft.subqueries_left -= 1
    draft.features.update(("scalar", "aggregate"))
    text, columns = _source(draft, query)
    call = aggregate(draft, columns)
    value = f"SELECT {call.text} FROM {text}{_restriction(draft, columns, scope, query)}"
    return Column(f"({value})", call.type)


def _source(draft: Draft, query: Query) -> tuple[str, tuple[Column, ...]]:
    relation, alias = query(draft, 1 if draft.chance(4) else 0), draft.fresh("s")
    text = relation.sql if relation.sql.isidentifier() else f"({relation.sql})"
    return f"{text} AS {alias}", relation.of(alias)


def _restriction(draft: Draft, columns: Scope, scope: Scope, query: Query) -> str:
    parts = []
    if scope and not draft.chance(3):
        parts.append(comparison(draft, columns, scope))
        draft.features.add("correlated")
    if draft.chance(3):
        parts.append(condition(draft, columns, query))
    return f" WHERE {' AND '.join(f'({part})' for part in parts)}" if parts else ""


def _body(draft: Draft, scope: Scope, query: Query, returned: str) -> str:
    """The query of an EXISTS (returning a constant) or of an IN (returning a value of a type)."""
    text, columns = _source(draft, query)
    value = returned if returned == "1" else expression(draft, columns, returned, 1)
    restriction = _restriction(draft, columns, scope, query)
    if draft.chance(8):
        draft.features.add("aggregate")
        having = predicate(draft, [Column("count(*)", "int")], 1)
        return f"SELECT {value} FROM {text}{restriction} GROUP BY {value} HAVING {having}"
    return f"SELECT {value} FROM {text}{restriction}"
