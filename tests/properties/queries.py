"""Random queries, as Spark SQL text: one function per kind of query block.

A block stands in FROM of the one around it. Every row of a result is the same in every run: cuts are made
along an order by all columns, and sums of doubles are drawn at the very top only.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.properties.draft import ORDERED_NUMBERS, Column, Draft, Relation
from tests.properties.expressions import Scope, aggregate, comparison, expression, leaf, predicate, type_in
from tests.properties.subqueries import condition, scalar_subquery, subquery_flag
from tests.properties.windows import total_order, window_function

ITEM = tuple[str, tuple[Column, ...]]
"""A FROM item with its alias, and its columns."""


def base(draft: Draft) -> Relation:
    """A table, or a CTE that is defined already."""
    if draft.ctes and draft.chance():
        name, relation = draft.choose(draft.ctes)
        draft.features.add("cte")
        return Relation(name, relation.columns)
    table = draft.choose(draft.tables)
    return Relation(table.name, tuple(Column(name, type_) for name, type_ in table.columns))


def query(draft: Draft, budget: int, top: bool = False) -> Relation:
    """A query of at most so many blocks."""
    if budget <= 0:
        return base(draft)
    return draft.choose(BLOCKS)(draft, budget - 1, top)


def item(draft: Draft, budget: int) -> ITEM:
    relation, alias = query(draft, budget), draft.fresh("q")
    text = relation.sql if relation.sql.isidentifier() else f"({relation.sql})"
    return f"{text} AS {alias}", relation.of(alias)


def select(draft: Draft, outputs: list[Column], rest: str, distinct: bool = False) -> Relation:
    """A SELECT of some expressions, each under a name of its own."""
    named, columns, taken = [], [], set[str]()
    for output in outputs:
        name = output.text.rsplit(".", 1)[-1]
        if not name.isidentifier() or name in taken:
            name = draft.fresh("c")
        taken.add(name)
        named.append(output.text if output.text.endswith(f".{name}") else f"{output.text} AS {name}")
        columns.append(Column(name, output.type))
    keyword = "SELECT DISTINCT" if distinct else "SELECT"
    return Relation(f"{keyword} {', '.join(named)} {rest}", tuple(columns))


def outputs(draft: Draft, scope: Scope, most: int = 4) -> list[Column]:
    """What a block returns: columns mostly, some expressions."""
    chosen = draft.some(list(scope), 1, most)
    return [
        Column(expression(draft, scope, column.type), column.type) if draft.chance(4) else column
        for column in chosen
    ]


def where(draft: Draft, scope: Scope, one_in: int = 3) -> str:
    return f" WHERE {condition(draft, scope, query)}" if draft.chance(one_in) else ""


JOINS = (
    "JOIN",
    "JOIN",
    "LEFT JOIN",
    "FULL JOIN",
    "RIGHT JOIN",
    "LEFT SEMI JOIN",
    "LEFT ANTI JOIN",
    "CROSS JOIN",
)


def joined(draft: Draft, budget: int) -> tuple[str, tuple[Column, ...]]:
    """A FROM clause of one to three items."""
    text, scope = item(draft, budget)
    for _ in range(draft.number(0, 2)):
        other, columns = item(draft, 0 if budget < 2 else draft.number(0, budget - 1))
        kind = draft.choose(JOINS)
        on = "" if kind == "CROSS JOIN" else f" ON {comparison(draft, scope, columns)}"
        if on and draft.chance(4):
            on += f" AND {predicate(draft, [*scope, *columns], 1)}"
        text = f"{text} {kind} {other}{on}"
        draft.features.add(kind)
        if kind not in ("LEFT SEMI JOIN", "LEFT ANTI JOIN"):
            scope = (*scope, *columns)
    return text, scope


def select_block(draft: Draft, budget: int, top: bool) -> Relation:
    text, scope = joined(draft, budget)
    chosen = outputs(draft, scope)
    if draft.chance(6):
        chosen.append(subquery_flag(draft, scope, query))
    if draft.chance(5):
        chosen.append(scalar_subquery(draft, scope, query))
    distinct = draft.chance(5)
    draft.features.update(["distinct"] * distinct)
    return select(draft, chosen, f"FROM {text}{where(draft, scope)}", distinct)


def aggregate_block(draft: Draft, budget: int, top: bool) -> Relation:
    draft.features.add("aggregate")
    text, scope = joined(draft, budget) if draft.chance(3) else item(draft, budget)
    keys = [
        Column(expression(draft, scope, column.type, 1), column.type) if draft.chance(5) else column
        for column in draft.some(list(scope), 0, 2)
    ]
    if keys and draft.chance(12):
        keys.append(scalar_subquery(draft, scope, query))
    calls = [aggregate(draft, scope, inexact=top) for _ in range(draft.number(0 if keys else 1, 3))]
    shown = draft.some(keys, 0 if calls else 1, len(keys)) if keys else []
    grouping = f" GROUP BY {', '.join(key.text for key in keys)}" if keys else ""
    having = ""
    if draft.chance(3):
        tested = [*keys, aggregate(draft, scope)]
        having = (
            f" HAVING {condition(draft, tested, query) if draft.chance(3) else predicate(draft, tested, 1)}"
        )
    return select(draft, [*shown, *calls], f"FROM {text}{where(draft, scope, 3)}{grouping}{having}")


def grouping_sets_block(draft: Draft, budget: int, top: bool) -> Relation:
    draft.features.update(("aggregate", "grouping sets"))
    text, scope = item(draft, budget)
    keys = draft.some(list(scope), 1, 2)
    names = ", ".join(key.text for key in keys)
    sets = draft.choose(
        (f"ROLLUP ({names})", f"CUBE ({names})", f"GROUPING SETS (({names}), ({keys[0].text}), ())")
    )
    calls = [aggregate(draft, scope) for _ in range(draft.number(1, 2))]
    if draft.chance(3):
        calls.append(Column(f"grouping({keys[0].text})", "int"))
    return select(draft, [*keys, *calls], f"FROM {text}{where(draft, scope, 4)} GROUP BY {sets}")


def window_block(draft: Draft, budget: int, top: bool) -> Relation:
    draft.features.add("window")
    text, scope = item(draft, budget)
    functions = [window_function(draft, scope) for _ in range(draft.number(1, 2))]
    return select(draft, [*draft.some(list(scope), 1, 3), *functions], f"FROM {text}{where(draft, scope, 4)}")


def set_block(draft: Draft, budget: int, top: bool) -> Relation:
    operation = draft.choose(("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"))
    draft.features.add(operation)
    sides = [item(draft, budget), item(draft, draft.number(0, budget))]
    common = sorted({c.type for c in sides[0][1]} & {c.type for c in sides[1][1]}) or ["int"]
    types = draft.some(common, 1, 3)
    branches = []
    for text, scope in sides:
        chosen = [Column(leaf(draft, scope, type_), type_) for type_ in types]
        branches.append(select(draft, chosen, f"FROM {text}{where(draft, scope, 4)}"))
    return Relation(f"({branches[0].sql}) {operation} ({branches[1].sql})", branches[0].columns)


def top_block(draft: Draft, budget: int, top: bool) -> Relation:
    draft.features.add("limit")
    text, scope = item(draft, budget)
    order = total_order(draft, scope)
    return select(draft, list(scope), f"FROM {text} ORDER BY {order} LIMIT {draft.number(1, 3)}")


def pivot_block(draft: Draft, budget: int, top: bool) -> Relation:
    draft.features.update(("aggregate", "pivot"))
    text, scope = item(draft, budget)
    shown = [Column(leaf(draft, scope, type_in(draft, scope)), "") for _ in range(draft.number(0, 1))]
    pivot, value = leaf(draft, scope, "int"), type_in(draft, scope, ORDERED_NUMBERS)
    keys = "".join(f"{key.text} AS k{at}, " for at, key in enumerate(shown))
    inner = f"SELECT {keys}{pivot} AS p, {leaf(draft, scope, value)} AS v FROM {text}{where(draft, scope, 4)}"
    call = draft.choose(("sum", "max", "count", "min"))
    type_ = "int" if call == "count" else value
    columns = [Column(f"k{at}", "string") for at, _ in enumerate(shown)]
    sql = f"SELECT * FROM ({inner}) PIVOT ({call}(v) FOR p IN (0 AS p0, 1 AS p1))"
    cells = (Column("p0", type_), Column("p1", type_))
    if columns:
        # The key's type was drawn with its expression; as text it can be used like any other column.
        sql = f"SELECT CAST(k0 AS STRING) AS k0, p0, p1 FROM ({sql})"
    return Relation(sql, (*columns, *cells))


def unpivot_block(draft: Draft, budget: int, top: bool) -> Relation:
    draft.features.add("unpivot")
    text, scope = item(draft, budget)
    type_ = type_in(draft, scope)
    parts = (
        f"{draft.choose(scope).text} AS k, {leaf(draft, scope, type_)} AS a, {leaf(draft, scope, type_)} AS b"
    )
    nulls = draft.choose(("", "INCLUDE NULLS "))
    sql = f"SELECT n, v FROM (SELECT {parts} FROM {text}) UNPIVOT {nulls}(v FOR n IN (a, b))"
    return Relation(sql, (Column("n", "string"), Column("v", type_)))


def explode_block(draft: Draft, budget: int, top: bool) -> Relation:
    draft.features.add("explode")
    text, scope = joined(draft, budget)
    type_, name = type_in(draft, scope), draft.fresh("e")
    array = f"array({leaf(draft, scope, type_)}, {leaf(draft, scope, type_)})"
    generator = draft.choose((f"explode({array})", f"explode(filter({array}, x -> x IS NOT NULL))"))
    view = f"LATERAL VIEW {draft.choose(('', 'OUTER '))}{generator} {name} AS x"
    chosen = [*draft.some(list(scope), 0, 2), Column(f"{name}.x", type_)]
    return select(draft, chosen, f"FROM {text} {view}")


def shared_block(draft: Draft, budget: int, top: bool) -> Relation:
    """A CTE that the blocks drawn from here on may read, this one twice."""
    relation, name = query(draft, max(budget - 1, 1)), draft.fresh("w")
    draft.ctes.append((name, relation))
    draft.features.add("cte")
    one, other = draft.fresh("q"), draft.fresh("q")
    left, right = relation.of(one), relation.of(other)
    kind = draft.choose(("JOIN", "LEFT JOIN", "LEFT SEMI JOIN"))
    draft.features.add(kind)
    text = f"FROM {name} AS {one} {kind} {name} AS {other} ON {comparison(draft, left, right)}"
    scope = left if kind == "LEFT SEMI JOIN" else (*left, *right)
    return select(draft, outputs(draft, scope), f"{text}{where(draft, scope, 4)}")


def lateral_block(draft: Draft, budget: int, top: bool) -> Relation:
    draft.features.update(("lateral", "aggregate"))
    text, scope = item(draft, budget)
    inner, columns = item(draft, 0)
    call, name = aggregate(draft, columns), draft.fresh("l")
    body = f"SELECT {call.text} AS x FROM {inner} WHERE {comparison(draft, columns, scope)}"
    chosen = [*draft.some(list(scope), 1, 2), Column(f"{name}.x", call.type)]
    return select(draft, chosen, f"FROM {text}, LATERAL ({body}) AS {name}")


Block = Callable[[Draft, int, bool], Relation]
BLOCKS: tuple[Block, ...] = (
    *[select_block] * 6,
    *[aggregate_block] * 4,
    *[set_block] * 2,
    *[window_block] * 2,
    shared_block,
    top_block,
    grouping_sets_block,
    pivot_block,
    unpivot_block,
    explode_block,
    lateral_block,
)
