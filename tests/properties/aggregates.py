"""Random aggregate calls, as Spark SQL text."""

from __future__ import annotations

from collections.abc import Sequence

from tests.properties.draft import Column, Draft
from tests.properties.expressions import ORDERED_NUMBERS, Scope, expression, leaf, predicate, type_in

ONE_ROW = ("max", "min", "max_by", "min_by")
"""Aggregates that return one row's value; alone, they have the lineage of the rows that attain it."""
WHOLE_GROUP = ("count", "sum", "avg", "distinct", "count_x", "bool", "sum_distinct")


def aggregates(draft: Draft, scope: Scope, least: int, inexact: bool = False) -> list[Column]:
    """Several aggregates over a scope: minima and maxima alone, in one draw of three."""
    kinds = ONE_ROW if draft.chance(3) else (*WHOLE_GROUP, *ONE_ROW)
    return [aggregate(draft, scope, inexact, kinds) for _ in range(draft.number(least, 3))]


def aggregate(
    draft: Draft, scope: Scope, inexact: bool = False, kinds: Sequence[str] = (*WHOLE_GROUP, *ONE_ROW)
) -> Column:
    """An aggregate over a scope; one that adds doubles only where nothing decides by it."""
    filtered = f" FILTER (WHERE {predicate(draft, scope, 1)})" if draft.chance(5) else ""
    numbers = (*ORDERED_NUMBERS, "double") if inexact else ORDERED_NUMBERS
    number, any_type = type_in(draft, scope, numbers), type_in(draft, scope)
    match draft.choose(kinds):
        case "count":
            return Column(f"count(*){filtered}", "int")
        case "count_x":
            return Column(f"count({expression(draft, scope, any_type, 1)}){filtered}", "int")
        case "distinct":
            return Column(f"count(DISTINCT {expression(draft, scope, any_type, 1)}){filtered}", "int")
        case "sum":
            return Column(f"sum({expression(draft, scope, number, 1)}){filtered}", number)
        case "sum_distinct":
            return Column(f"sum(DISTINCT {expression(draft, scope, 'int', 1)}){filtered}", "int")
        case "avg":
            result = "decimal" if number == "decimal" else "double"
            return Column(f"avg({expression(draft, scope, number, 1)}){filtered}", result)
        case "bool":
            return Column(f"bool_or({expression(draft, scope, 'boolean', 1)}){filtered}", "boolean")
        case "max" | "min" as extreme:
            return Column(f"{extreme}({expression(draft, scope, any_type, 1)}){filtered}", any_type)
        case by:
            value = leaf(draft, scope, any_type)
            # The value itself decides among equal keys, so that there are no ties.
            key = f"struct({leaf(draft, scope, type_in(draft, scope))}, {value})"
            return Column(f"{by}({value}, {key}){filtered}", any_type)
