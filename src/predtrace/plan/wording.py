"""Operators, columns and reasons as a data engineer would name them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from predtrace.ir.expressions import Column, ColumnId
from predtrace.ir.operators import (
    CoGroupedMap,
    Distinct,
    Filter,
    GroupBy,
    GroupedMap,
    Join,
    JoinKind,
    Operator,
    Project,
    Sort,
    Source,
    walk_everything,
    walk_operators,
)

_LEFT_ROWS = {JoinKind.SEMI, JoinKind.ANTI, JoinKind.EXISTENCE, JoinKind.SCALAR}
_NEEDLESS = re.compile(r"row \d+ of input (\d+) is selected although it is in the lineage of no target row")


def operator_name(operator: Operator) -> str:
    """A source by its name, anything else by what it is and what it is made of."""
    if isinstance(operator, Source):
        return operator.descriptor.name
    below = [s.descriptor.name for s in walk_operators(operator) if isinstance(s, Source)]
    return f"the {operator.title()}" + (f" of {listed(below, 4)}" if below else "")


def input_name(operator: Operator) -> str:
    """What an input's rows are rows of: a filtered or projected source is still that source."""
    while True:
        if isinstance(operator, (Filter, Project, Sort)):
            operator = operator.input
        elif isinstance(operator, Join) and operator.kind in _LEFT_ROWS:
            operator = operator.left
        else:
            return operator_name(operator)


def source_names(operator: Operator) -> dict[int, str]:
    """The name of each source reference; where a source is read several times, which time it is."""
    sources = (found for found in walk_everything(operator) if isinstance(found, Source))
    found = sorted({(s.reference, s.descriptor.name) for s in sources if s.reference is not None})
    times = Counter(name for _, name in found)
    seen: Counter[str] = Counter()
    names: dict[int, str] = {}
    for reference, name in found:
        seen[name] += 1
        names[reference] = name if times[name] == 1 else f"{name} ({seen[name]} of {times[name]})"
    return names


def column_names(columns: Sequence[Column]) -> dict[ColumnId, str]:
    """Plain names; `#id` is added to those that several of the columns have."""
    times = Counter(column.name for column in columns)
    return {c.id: c.name if times[c.name] == 1 else str(c) for c in columns}


def numbered_names(columns: Sequence[Column]) -> dict[ColumnId, str]:
    """Plain names; `[1]`, `[2]` is added in order of appearance to those that several of the columns have."""
    times = Counter(column.name for column in columns)
    seen: Counter[str] = Counter()
    names: dict[ColumnId, str] = {}
    for column in columns:
        seen[column.name] += 1
        names[column.id] = column.name if times[column.name] == 1 else f"{column.name}[{seen[column.name]}]"
    return names


def listed(names: Sequence[str], most: int | None = None) -> str:
    """`a, b and c`; beyond `most`, only how many more there are."""
    shown = list(dict.fromkeys(names))
    if most is not None and len(shown) > most:
        shown = [*shown[: most - 1], f"{len(shown) - most + 1} more"]
    return " and ".join(part for part in (", ".join(shown[:-1]), *shown[-1:]) if part)


def reason_in_words(reason: str, operator: Operator | None = None) -> str:
    """Why a predicate is not exact, the input that shows it called by its name.

    Only a reason that is nothing but one counterexample is sure to speak of this operator's inputs: one with several
    parts, or with another operator's title before it, may be what was found further down.
    """
    at = operator if _NEEDLESS.fullmatch(reason) else None
    parts = (_NEEDLESS.sub(lambda found: _needless_rows(at, found), part) for part in reason.split("; "))
    return "; ".join(dict.fromkeys(parts))


def _needless_rows(operator: Operator | None, found: re.Match[str]) -> str:
    if operator is None:
        return "rows would be selected that make no traced row"
    at = int(found[1]) - 1
    rows = f"rows of {input_name(operator.inputs[at])} would be selected"
    if isinstance(operator, Join):
        return f"{rows} that make no traced row when matched with {input_name(operator.inputs[1 - at])}"
    return f"{rows} that {'belong to other groups' if _takes_groups(operator) else 'make no traced row'}"


def _takes_groups(operator: Operator) -> bool:
    """Whether each row of a group is in the lineage of what is made of the group."""
    if isinstance(operator, GroupBy):
        calls = operator.calls()
        return bool(operator.keys) and not (calls and all(call.returns_one_row() for call in calls))
    if isinstance(operator, GroupedMap):
        return not operator.by_row
    return isinstance(operator, (Distinct, CoGroupedMap))
