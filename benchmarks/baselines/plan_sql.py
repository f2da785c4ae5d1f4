"""Operators as one text of Spark SQL, columns named by their ids.

As text, because a query of fifty operators is then analysed once: built step by step as a DataFrame, analysing it
takes longer than many a trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.baselines.answers import NotSupported, Views

from predtrace.ir.expressions import Column, Expression, Literal, Subquery, UserCall
from predtrace.ir.operators import (
    Distinct,
    Except,
    Filter,
    GroupBy,
    GroupByWithExtremes,
    Intersect,
    Join,
    JoinKind,
    LateralJoin,
    Limit,
    Operator,
    Project,
    SetOperation,
    Sort,
    Source,
    Union,
)
from predtrace.ir.parts import walk
from predtrace.ir.spark_sql import column_name, to_sql

JOINS = {
    JoinKind.INNER: "JOIN",
    JoinKind.CROSS: "JOIN",
    JoinKind.LEFT: "LEFT JOIN",
    JoinKind.RIGHT: "RIGHT JOIN",
    JoinKind.FULL: "FULL JOIN",
    JoinKind.SCALAR: "LEFT JOIN",
    JoinKind.SEMI: "LEFT SEMI JOIN",
    JoinKind.ANTI: "LEFT ANTI JOIN",
}


def not_supported(operator: Operator) -> NotSupported:
    return NotSupported(f"nothing is said of {operator.title()}", operator.origin)


def text(expression: Expression) -> str:
    """An expression over columns named by their ids."""
    for part in walk(expression):
        if isinstance(part, UserCall):
            raise NotSupported(f"nothing is said of Python functions ({part.name})")
        if isinstance(part, Subquery):
            raise NotSupported("a subquery in an expression")
    if not expression.is_deterministic():
        raise NotSupported("an expression that is random")
    return to_sql(expression, column_name)


def names(columns: Iterable[Column], of: str = "") -> list[str]:
    return [f"{of}{column_name(column)}" for column in columns]


def selected(parts: Iterable[str]) -> str:
    """A list for SELECT, also where nothing is selected but that there are rows."""
    return ", ".join(parts) or "true AS row"


def conjunction(parts: Iterable[str]) -> str:
    return " AND ".join(f"({part})" for part in parts) or "true"


def on_condition(join: Join) -> str:
    """The condition of a join that can be written as one."""
    if isinstance(join, LateralJoin) or join.matching is not None or join.kind not in JOINS:
        raise not_supported(join)
    return "true" if join.condition is None else text(join.condition)


@dataclass
class PlanSQL:
    """Writes plans. `instead` has texts for operators that are not to be computed, by `id(operator)`."""

    views: Views
    instead: Mapping[int, str] = field(default_factory=dict)

    def of(self, operator: Operator) -> str:
        """A query whose columns are the operator's output."""
        known = self.instead.get(id(operator))
        return self._of(operator) if known is None else known

    def _of(self, operator: Operator) -> str:
        match operator:
            case Source():
                return self.source(operator, names(operator.columns))
            case Filter(input=below, condition=condition):
                return f"SELECT * FROM ({self.of(below)}) WHERE {text(condition)}"
            case Project(input=below, columns=columns):
                chosen = (f"{text(named.expression)} AS {column_name(named.column)}" for named in columns)
                return f"SELECT {selected(chosen)} FROM ({self.of(below)})"
            case Sort(input=below):
                return f"SELECT * FROM ({self.of(below)}) {_order(operator)}"
            case Limit(input=below):
                return f"SELECT * FROM ({self.of(below)}) {_limit(operator)}"
            case GroupBy() if not isinstance(operator, GroupByWithExtremes):
                return self._group(operator)
            case Distinct(input=below) if operator.is_full():
                return f"SELECT DISTINCT * FROM ({self.of(below)})"
            case Join(left=left, right=right, kind=kind):
                matching = on_condition(operator)
                return f"SELECT * FROM ({self.of(left)}) {JOINS[kind]} ({self.of(right)}) ON {matching}"
            case SetOperation():
                return self._set_operation(operator)
        raise not_supported(operator)

    def source(self, source: Source, columns: Iterable[str]) -> str:
        """A source's rows, its columns by position under the names given."""
        number = source.reference
        view = self.views.named_like(source.descriptor) if number is None else self.views.name(number)
        chosen = (f"s{at} AS {name}" for at, name in enumerate(columns))
        return f"SELECT {', '.join(chosen)} FROM {view}"

    def _group(self, group: GroupBy) -> str:
        if any(isinstance(named.expression, Literal) for named in group.keys):
            raise NotSupported("groups by a constant")
        parts = (*group.keys, *group.aggregates)
        chosen = (f"{text(named.expression)} AS {column_name(named.column)}" for named in parts)
        keys = ", ".join(text(named.expression) for named in group.keys)
        by = f" GROUP BY {keys}" if keys else ""
        return f"SELECT {selected(chosen)} FROM ({self.of(group.input)}){by}"

    def _set_operation(self, operator: SetOperation) -> str:
        words = {Union: "UNION", Intersect: "INTERSECT", Except: "EXCEPT"}
        word = words[type(operator)] + (" ALL" if operator.keep_duplicates else "")
        branches = (self.branch(operator, at) for at in range(len(operator.branches)))
        return f" {word} ".join(f"({branch})" for branch in branches)

    def branch(self, operator: SetOperation, at: int) -> str:
        """A branch under the names of the operation's own columns."""
        branch = operator.branches[at]
        pairs = zip(names(branch.output), names(operator.columns), strict=True)
        return f"SELECT {selected(f'{theirs} AS {own}' for theirs, own in pairs)} FROM ({self.of(branch)})"


def _order(sort: Sort) -> str:
    keys = (
        f"{text(key.expression)} {'ASC' if key.ascending else 'DESC'}"
        f" NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        for key in sort.keys
    )
    return f"{'ORDER BY' if sort.everywhere else 'SORT BY'} {', '.join(keys)}"


def _limit(limit: Limit) -> str:
    if limit.within:
        raise not_supported(limit)
    count = "" if limit.count is None else f"LIMIT {limit.count}"
    return f"{count} OFFSET {limit.offset}" if limit.offset else count
