"""Random queries, as Spark SQL text: one function per kind of query block.

A block stands in FROM of the one around it. Every row of a result is the same in every run: cuts are made
along an order by all columns, and sums of doubles are drawn at the very top only.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.properties.aggregates import aggregate, aggregates
from tests.properties.draft import Column, Draft, Relation
from tests.properties.expressions import Scope, column_of, comparison, expression, predicate, selective
from tests.properties.reshaping import explode_block, pivot_block, select, unpivot_block
from tests.properties.subqueries import condition, scalar_subquery, subquery_flag
from tests.properties.windows import total_order, window_function


def query(draft: Draft, budget: int, top: bool = False) -> Relation:
    """A query of at most so many blocks: a table, if none."""
    if budget <= 0:
        return base(draft)
    return BLOCKS[draft.feature(WEIGHTS)](draft, budget - 1, top)


def base(draft: Draft) -> Relation:
    """A table, or a CTE that is defined already."""
    if draft.ctes and draft.chance():
        name, relation = draft.choose(draft.ctes)
        return Relation(name, relation.columns)
    table = draft.choose(draft.tables)
    return Relation(table.name, tuple(Column(name, type_) for name, type_ in table.columns))


def outputs(draft: Draft, scope: Scope, most: int = 4) -> list[Column]:
    """What a block returns: columns mostly, some expressions."""
    return [_changed(draft, scope, column) for column in draft.some(list(scope), 1, most)]


def _changed(draft: Draft, scope: Scope, column: Column) -> Column:
    changed = expression(draft, scope, column.type) if draft.chance(4) else column.text
    # As a key, a bare number would be read as a position.
    return Column(changed, column.type) if "." in changed else column


def where(draft: Draft, scope: Scope, one_in: int) -> str:
    if draft.conditions_left <= 0 or not draft.chance(one_in):
        return ""
    draft.conditions_left -= 1
    return f" WHERE {condition(draft, scope)}"


JOINS = {
    "JOIN": 4,
    "LEFT JOIN": 3,
    "RIGHT JOIN": 2,
    "FULL JOIN": 2,
    "LEFT SEMI JOIN": 2,
    "LEFT ANTI JOIN": 2,
    "CROSS JOIN": 1,
}
FILTERING_JOINS = ("LEFT SEMI JOIN", "LEFT ANTI JOIN")


def joined(draft: Draft, budget: int, joins: int) -> tuple[str, tuple[Column, ...]]:
    """A FROM clause with so many joins."""
    text, scope = draft.item(budget)
    for _ in range(joins):
        other, columns = draft.item(draft.number(0, budget) if draft.chance(3) else 0)
        kind = draft.feature(JOINS)
        text = f"{text} {kind} {other}{_on(draft, kind, scope, columns)}"
        scope = scope if kind in FILTERING_JOINS else (*scope, *columns)
    return text, scope


def _on(draft: Draft, kind: str, left: Scope, right: Scope) -> str:
    if kind == "CROSS JOIN":
        return ""
    parts = [comparison(draft, left, right)]
    if kind == "LEFT ANTI JOIN":
        parts.append(selective(draft, right))
    if draft.chance(6):
        parts.append(predicate(draft, [*left, *right]))
    return f" ON {' AND '.join(parts)}"


def select_block(draft: Draft, budget: int, top: bool) -> Relation:
    """Joins, or else a subquery: a bare selection from one table is what other blocks have below them."""
    joins = draft.choose((1, 0, 1, 2) if draft.subqueries_left > 0 else (1, 2))
    text, scope = joined(draft, budget, joins)
    rest = f"FROM {text}{where(draft, scope, 2) if joins else f' WHERE {condition(draft, scope, 1)}'}"
    chosen = outputs(draft, scope)
    if draft.subqueries_left > 0 and draft.option("flag", 6):
        chosen.append(subquery_flag(draft, scope))
    if draft.subqueries_left > 0 and draft.option("scalar", 6):
        chosen.append(scalar_subquery(draft, scope))
    return select(draft, chosen, rest, distinct=draft.option("distinct", 6))


def aggregate_block(draft: Draft, budget: int, top: bool) -> Relation:
    text, scope = joined(draft, budget, draft.choose((0, 0, 1)))
    restriction = where(draft, scope, 3)
    keys = [_changed(draft, scope, key) for key in draft.some(list(scope), 0 if draft.chance(5) else 1, 2)]
    if keys and draft.subqueries_left > 0 and draft.option("scalar", 15):
        keys.append(scalar_subquery(draft, ()))
    calls = aggregates(draft, scope, 0 if keys and draft.chance(5) else 1, inexact=top)
    shown = draft.some(keys, 0 if calls else 1, len(keys))
    grouping = f" GROUP BY {', '.join(key.text for key in keys)}" if keys else ""
    having = ""
    if draft.conditions_left > 0 and draft.chance(4):
        draft.conditions_left -= 1
        having = f" HAVING {condition(draft, [*keys, aggregate(draft, scope)], 3)}"
    return select(draft, [*shown, *calls], f"FROM {text}{restriction}{grouping}{having}")


def grouping_sets_block(draft: Draft, budget: int, top: bool) -> Relation:
    text, scope = draft.item(budget)
    keys = draft.some(list(scope), 1, 2)
    names = ", ".join(key.text for key in keys)
    sets = draft.choose(
        (f"ROLLUP ({names})", f"CUBE ({names})", f"GROUPING SETS (({names}), ({keys[0].text}), ())")
    )
    calls = aggregates(draft, scope, 1)
    if draft.chance(3):
        calls.append(Column(f"grouping({keys[0].text})", "int"))
    shown = draft.some(keys, 0 if draft.chance(4) else len(keys), len(keys))
    return select(draft, [*shown, *calls], f"FROM {text}{where(draft, scope, 4)} GROUP BY {sets}")


def window_block(draft: Draft, budget: int, top: bool) -> Relation:
    text, scope = joined(draft, budget, draft.choose((0, 0, 0, 1)))
    functions = [window_function(draft, scope) for _ in range(draft.number(1, 2))]
    chosen = [*draft.some(list(scope), 1, 3), *functions]
    windows = select(draft, chosen, f"FROM {text}{where(draft, scope, 4)}")
    if not draft.chance(3):
        return windows
    alias = draft.fresh("q")
    scope = windows.of(alias)
    rest = f"FROM ({windows.sql}) AS {alias} WHERE {condition(draft, scope[-1:], 4)}"
    return select(draft, outputs(draft, scope), rest)


SET_OPERATIONS = {
    "UNION ALL": 3,
    "UNION": 2,
    "INTERSECT": 2,
    "EXCEPT": 2,
    "INTERSECT ALL": 1,
    "EXCEPT ALL": 1,
}


def set_block(draft: Draft, budget: int, top: bool) -> Relation:
    operation = draft.feature(SET_OPERATIONS)
    (left, scope), (right, others) = draft.item(budget), draft.item(draft.number(0, budget))
    common = sorted({column.type for column in scope} & {column.type for column in others}) or ["int"]
    # Rows of several columns rarely meet.
    types = draft.some(common, 1, 3 if operation.startswith("UNION") else 1)
    first = select(draft, _of_types(draft, scope, types), f"FROM {left}{where(draft, scope, 4)}")
    few = f" WHERE {selective(draft, others)}" if operation.startswith("EXCEPT") else where(draft, others, 4)
    second = select(draft, _of_types(draft, others, types), f"FROM {right}{few}")
    return Relation(f"({first.sql}) {operation} ({second.sql})", first.columns)


def _of_types(draft: Draft, scope: Scope, types: list[str]) -> list[Column]:
    return [Column(column_of(draft, scope, type_), type_) for type_ in types]


def top_block(draft: Draft, budget: int, top: bool) -> Relation:
    text, scope = draft.item(budget)
    offset = " OFFSET 1" if draft.chance(8) else ""
    rest = f"FROM {text}{where(draft, scope, 4)} ORDER BY {total_order(draft, scope)}"
    return select(draft, list(scope), f"{rest} LIMIT {draft.number(1, 4)}{offset}")


def shared_block(draft: Draft, budget: int, top: bool) -> Relation:
    """A CTE that the blocks drawn from here on may read, this one twice."""
    relation, name = query(draft, max(budget, 1)), draft.fresh("w")
    draft.ctes.append((name, relation))
    one, other = draft.fresh("q"), draft.fresh("q")
    left, right = relation.of(one), relation.of(other)
    kind = draft.feature(JOINS)
    text = f"FROM {name} AS {one} {kind} {name} AS {other}{_on(draft, kind, left, right)}"
    scope = left if kind in FILTERING_JOINS else (*left, *right)
    return select(draft, outputs(draft, scope), f"{text}{where(draft, scope, 4)}")


def lateral_block(draft: Draft, budget: int, top: bool) -> Relation:
    text, scope = draft.item(budget)
    inner, columns = draft.item(0)
    call, name = aggregate(draft, columns), draft.fresh("l")
    body = f"SELECT {call.text} AS x FROM {inner} WHERE {comparison(draft, columns, scope)}"
    chosen = [*draft.some(list(scope), 1, 2), Column(f"{name}.x", call.type)]
    return select(draft, chosen, f"FROM {text}, LATERAL ({body}) AS {name}")


WEIGHTS = {
    "select": 8,
    "aggregate": 6,
    "set": 3,
    "window": 3,
    "cte": 2,
    "limit": 2,
    "grouping sets": 2,
    "pivot": 1,
    "unpivot": 1,
    "explode": 1,
    "lateral": 1,
}
BLOCKS: dict[str, Callable[[Draft, int, bool], Relation]] = {
    "select": select_block,
    "aggregate": aggregate_block,
    "set": set_block,
    "window": window_block,
    "cte": shared_block,
    "limit": top_block,
    "grouping sets": grouping_sets_block,
    "pivot": pivot_block,
    "unpivot": unpivot_block,
    "explode": explode_block,
    "lateral": lateral_block,
}
