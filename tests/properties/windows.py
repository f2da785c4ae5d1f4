"""Random window functions, as Spark SQL text."""

from __future__ import annotations

from tests.properties.aggregates import aggregate
from tests.properties.draft import Column, Draft
from tests.properties.expressions import ORDERED_NUMBERS, Scope, leaf, type_in


def total_order(draft: Draft, scope: Scope) -> str:
    """An order by all columns: rows that tie are equal, and it does not matter which comes first."""
    keys = draft.some(list(scope), len(scope), len(scope))
    directions = ("", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST")
    return ", ".join(f"{key.text}{draft.choose(directions)}" for key in keys)


def window_function(draft: Draft, scope: Scope) -> Column:
    """A window function with its window."""
    partition = draft.some(list(scope), 0, 1)
    per = f"PARTITION BY {partition[0].text}" if partition else ""
    number, any_type = type_in(draft, scope, ORDERED_NUMBERS), type_in(draft, scope)
    match draft.choose(("whole", "rank", "range", "rows", "row_number", "fetch", "share", "peers")):
        case "whole":
            call = aggregate(draft, scope)
            plain = "count(*)" if "DISTINCT" in call.text else call.text
            return Column(f"{plain} OVER ({per})", call.type)
        case "rank":
            function = draft.choose(("rank()", "dense_rank()"))
            return Column(f"{function} OVER ({per} ORDER BY {draft.choose(scope).text})", "int")
        case "range":
            frame = draft.choose(
                ("1 PRECEDING AND CURRENT ROW", "1 PRECEDING AND 1 FOLLOWING", "1 FOLLOWING AND 2 FOLLOWING")
            )
            order = f"ORDER BY {leaf(draft, scope, 'int')} RANGE BETWEEN {frame}"
            name = draft.choose(("sum", "min", "count"))
            return Column(f"{name}({leaf(draft, scope, 'int')}) OVER ({per} {order})", "int")
        case "peers":
            return Column(
                f"sum({leaf(draft, scope, number)}) OVER ({per} ORDER BY {draft.choose(scope).text})", number
            )
        case "rows":
            frame = draft.choose(
                (
                    "1 PRECEDING AND CURRENT ROW",
                    "UNBOUNDED PRECEDING AND CURRENT ROW",
                    "1 FOLLOWING AND 1 FOLLOWING",
                )
            )
            order = f"ORDER BY {total_order(draft, scope)} ROWS BETWEEN {frame}"
            return Column(f"sum({leaf(draft, scope, number)}) OVER ({per} {order})", number)
        case "row_number":
            return Column(f"row_number() OVER ({per} ORDER BY {total_order(draft, scope)})", "int")
        case "share":
            function = draft.choose(("ntile(2)", "cume_dist()", "percent_rank()"))
            type_ = "int" if function == "ntile(2)" else "double"
            return Column(f"{function} OVER ({per} ORDER BY {total_order(draft, scope)})", type_)
    value = leaf(draft, scope, any_type)
    function = draft.choose(
        (f"lag({value})", f"lead({value}, 1)", f"first_value({value})", f"nth_value({value}, 1)")
    )
    return Column(f"{function} OVER ({per} ORDER BY {total_order(draft, scope)})", any_type)
