"""Random blocks that lay out values differently (pivot, unpivot, explode), and how a SELECT is written."""

from __future__ import annotations

from collections.abc import Sequence

from tests.properties.draft import Column, Draft, Relation
from tests.properties.expressions import ORDERED_NUMBERS, leaf, type_in


def select(draft: Draft, outputs: Sequence[Column], rest: str, distinct: bool = False) -> Relation:
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


def pivot_block(draft: Draft, budget: int, top: bool) -> Relation:
    text, scope = draft.item(budget)
    pivoted, value = leaf(draft, scope, "int"), type_in(draft, scope, ORDERED_NUMBERS)
    keys = [draft.choose(scope)] if draft.chance() else []
    named = [(key.text, "k") for key in keys] + [(pivoted, "p"), (leaf(draft, scope, value), "v")]
    inner = ", ".join(f"{expression} AS {name}" for expression, name in named)
    call = draft.choose(("sum", "max", "count", "min"))
    type_ = "int" if call == "count" else value
    sql = f"SELECT * FROM (SELECT {inner} FROM {text}) PIVOT ({call}(v) FOR p IN (0 AS p0, 1 AS p1))"
    cells = (Column("p0", type_), Column("p1", type_))
    return Relation(sql, (*(Column("k", key.type) for key in keys), *cells))


def unpivot_block(draft: Draft, budget: int, top: bool) -> Relation:
    text, scope = draft.item(budget)
    type_, kept = type_in(draft, scope), draft.choose(scope)
    parts = f"{kept.text} AS k, {leaf(draft, scope, type_)} AS a, {leaf(draft, scope, type_)} AS b"
    nulls = draft.choose(("", "INCLUDE NULLS "))
    shown = draft.choose(("n, v", "k, v", "k, n, v"))
    sql = f"SELECT {shown} FROM (SELECT {parts} FROM {text}) UNPIVOT {nulls}(v FOR n IN (a, b))"
    columns = {"k": kept.type, "n": "string", "v": type_}
    return Relation(sql, tuple(Column(name, columns[name]) for name in shown.split(", ")))


def explode_block(draft: Draft, budget: int, top: bool) -> Relation:
    text, scope = draft.item(budget)
    type_, name = type_in(draft, scope), draft.fresh("e")
    array = f"array({leaf(draft, scope, type_)}, {leaf(draft, scope, type_)})"
    generator = draft.choose((f"explode({array})", f"explode(filter({array}, x -> x IS NOT NULL))"))
    view = f"LATERAL VIEW {draft.choose(('', 'OUTER '))}{generator} {name} AS x"
    chosen = [*draft.some(list(scope), 0, 2), Column(f"{name}.x", type_)]
    return select(draft, chosen, f"FROM {text} {view}")
