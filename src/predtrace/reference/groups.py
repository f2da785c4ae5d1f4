"""Grouping: every row of the group, or the rows that attain the value (semantics.md, GroupBy and Pivot).

An aggregate that returns one row's value has the rows that attain it as lineage, if all aggregates of its
GroupBy (or of its pivot cell) are like that. To find them, the group's results are joined back to its rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from predtrace.ir.expressions import AggregateCall, Call, Column, ColumnId, Expression
from predtrace.ir.operators import Distinct, GroupBy, Named, Pivot
from predtrace.ir.parts import transform
from predtrace.ir.types import BOOLEAN
from predtrace.reference.enclosing import Enclosing, Rules, Tracking
from predtrace.reference.frames import (
    Tracked,
    collected,
    column_name,
    fixed,
    grouped,
    helper_column,
    named,
    renamed,
    same_values,
    sql,
)
from predtrace.reference.subqueries import Attached, attach

_PRESENT = "x_present"


@dataclass(frozen=True)
class Group:
    """The rows to group, with their keys as columns."""

    tracked: Tracked
    keys: tuple[Column, ...]
    attached: Attached


def _grouped_input(operator: GroupBy | Pivot, tracking: Tracking, enclosing: Enclosing | None) -> Group:
    tracked = tracking.input_of(operator, enclosing)
    attached = attach(tracked, list(operator.expressions), tracking)
    tracked = attached.tracked
    # Under names of their own: a key may be called like a column that an aggregate still reads.
    keys = [(helper_column(f"key{i}", n.expression), n) for i, n in enumerate(operator.keys)]
    rows = tracked.rows.select("*", *(named(attached.rewritten(n.expression), key) for key, n in keys))
    if tracked.bindings and not operator.keys:
        rows = _every_binding(rows, tracked, enclosing)
    else:
        rows = rows.withColumn(_PRESENT, F.lit(True))
    return Group(replace(tracked, rows=rows), tuple(key for key, _ in keys), attached)


def _every_binding(rows: DataFrame, tracked: Tracked, enclosing: Enclosing | None) -> DataFrame:
    """A global aggregate in a subquery returns a row for every enclosing row, also where nothing reached it."""
    assert enclosing is not None
    found, fresh = renamed(rows.withColumn(_PRESENT, F.lit(True)), tracked.bindings, "found_")
    joined = enclosing.values.join(found, F.expr(same_values(fresh.items())), "left")
    return joined.withColumn(_PRESENT, F.coalesce(F.col(f"`{_PRESENT}`"), F.lit(False)))


def _also_where(call: AggregateCall, condition: Expression) -> AggregateCall:
    both = condition if call.condition is None else Call("and", (condition, call.condition), BOOLEAN)
    return replace(call, condition=both)


def track_group_by(operator: GroupBy, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    group = _grouped_input(operator, tracking, enclosing)
    made_up = bool(group.tracked.bindings) and not operator.keys
    calls = []
    for item in operator.aggregates:
        call = group.attached.rewritten(item.expression)
        assert isinstance(call, AggregateCall)
        calls.append((item.column, _when_present(call) if made_up else call))
    values = [named(call, column) for column, call in calls]
    in_python = any(call.user_function for _, call in calls)
    attaining = [Attainment(call, column) for column, call in calls if call.returns_one_row()]
    if attaining and len(attaining) == len(calls):
        condition = " OR ".join(a.condition() for a in attaining)
        helpers = [helper for a in attaining for helper in a.helpers()]
        return _attaining_rows(operator, group, values, helpers, condition, in_python)
    lineage = collected(group.tracked.lineages(), f"`{_PRESENT}`")
    if in_python:
        rows = _aggregated_apart(group, values, lineage)
    else:
        rows = grouped(group.tracked.rows, _key_names(group), [*values, *lineage])
    return _finished(operator, group, rows)


def _aggregated_apart(group: Group, values: list[SparkColumn], own: list[SparkColumn]) -> DataFrame:
    """Spark computes aggregates in Python and its own in different groupings; the keys bring them together."""
    keys = (*group.keys, *group.tracked.bindings)
    results = grouped(group.tracked.rows, _key_names(group), values)
    addresses, fresh = renamed(grouped(group.tracked.rows, _key_names(group), own), keys, "apart_")
    return results.join(addresses, F.expr(same_values(fresh.items())), "inner")


def _when_present(call: AggregateCall) -> AggregateCall:
    """The aggregate without the rows that `_every_binding` made up."""
    return _also_where(call, Column(ColumnId("x:present"), "present", BOOLEAN))


def _key_names(group: Group) -> list[str]:
    return [f"`{column_name(column)}`" for column in (*group.keys, *group.tracked.bindings)]


def _finished(operator: GroupBy | Pivot, group: Group, rows: DataFrame) -> Tracked:
    keys = [
        F.col(f"`{column_name(key)}`").alias(column_name(n.column))
        for key, n in zip(group.keys, operator.keys, strict=True)
    ]
    others = [f"`{column_name(column)}`" for column in operator.output[len(keys) :]]
    tracked = group.tracked
    kept = [f"`{column_name(column)}`" for column in (*tracked.lineages(), *tracked.bindings)]
    return Tracked(rows.select(*keys, *others, *kept), operator.output, tracked.references, tracked.bindings)


def _attaining_rows(
    operator: GroupBy | Pivot,
    group: Group,
    values: list[SparkColumn],
    helpers: list[SparkColumn],
    condition: str,
    in_python: bool = False,
) -> Tracked:
    """Join the results of each group back to its rows, and keep the lineage of those that attain one."""
    if in_python:
        results = _aggregated_apart(group, values, helpers)
    else:
        results = grouped(group.tracked.rows, _key_names(group), [*values, *helpers])
    key_columns = (*group.keys, *group.tracked.bindings)
    members, fresh = renamed(group.tracked.rows, key_columns, "member_")
    # From the results' side: a global aggregate over nothing has a result and no rows.
    joined = results.join(members, F.expr(same_values(fresh.items())), "left")
    own = [column_name(column) for column in operator.output[len(operator.keys) :]]
    values = [F.first(f"`{name}`").alias(name) for name in own]
    lineage = collected(group.tracked.lineages(), f"`{_PRESENT}` AND ({condition})")
    rows = grouped(joined, _key_names(group), [*values, *lineage])
    return _finished(operator, group, rows)


@dataclass(frozen=True)
class Attainment:
    """Which rows of a group attain the value of an aggregate that returns one row's value.

    `counted` is the input whose NULLs the aggregate passes over: where all are NULL, or FILTER let nobody in,
    every row of the group counts.
    """

    call: AggregateCall
    value: Column
    within: str = "true"

    def _let_in(self) -> str:
        condition = "true" if self.call.condition is None else f"coalesce({sql(self.call.condition)}, false)"
        return f"({self.within}) AND {condition}"

    def _counted(self) -> str:
        return sql(self.call.arguments[1 if self._is_by() else 0])

    def _is_by(self) -> bool:
        return self.call.function in ("min_by", "max_by")

    def _name(self, kind: str) -> str:
        return f"x_{kind}_{column_name(self.value)}"

    def helpers(self) -> list[SparkColumn]:
        let_in = self._let_in()
        count = F.expr(f"count_if({let_in} AND {self._counted()} IS NOT NULL)").alias(self._name("count"))
        if not self._is_by():
            return [count]
        extreme = self.call.function.removesuffix("_by")
        return [
            count,
            F.expr(f"{extreme}({self._counted()}) FILTER (WHERE {let_in})").alias(self._name("extreme")),
        ]

    def condition(self) -> str:
        """SQL over a row of the group and the group's results."""
        attains = f"{sql(self.call.arguments[0])} <=> `{column_name(self.value)}`"
        if self._is_by():
            attains += f" AND {self._counted()} <=> `{self._name('extreme')}`"
        nobody = f"`{self._name('count')}` = 0"
        return f"(({self.within}) AND ({nobody} OR ({self._let_in()} AND {attains})))"


def track_pivot(operator: Pivot, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    group = _grouped_input(operator, tracking, enclosing)
    pivot = group.attached.rewritten(operator.pivot)
    values: list[SparkColumn] = []
    helpers: list[SparkColumn] = []
    conditions: list[str] = []
    inside: list[str] = []
    for cell in operator.cells:
        within_cell = Call("<=>", (pivot, cell.value), BOOLEAN, is_nullable=False)
        within = sql(within_cell)
        inside.append(within)
        calls = [Named(item.column, group.attached.rewritten(item.expression)) for item in cell.calls]
        aggregates = [(c.column, c.expression) for c in calls if isinstance(c.expression, AggregateCall)]
        values.append(_cell_value(operator, cell.result, cell.column, aggregates, within_cell))
        if aggregates and all(call.returns_one_row() for _, call in aggregates):
            for column, call in aggregates:
                inner = helper_column(f"cell_{cell.column.id}_{column.id}", call)
                helpers.append(named(_also_where(call, within_cell), inner))
                attainment = Attainment(call, inner, within)
                helpers.extend(attainment.helpers())
                conditions.append(attainment.condition())
        else:
            conditions.append(within)
    pivoted = " OR ".join(inside)
    helpers.append(F.expr(f"count_if({pivoted})").alias("predtrace_pivoted"))
    condition = f"{' OR '.join(conditions)} OR predtrace_pivoted = 0"
    return _attaining_rows(operator, group, values, helpers, condition)


def _cell_value(
    operator: Pivot,
    result: Expression,
    column: Column,
    aggregates: list[tuple[Column, AggregateCall]],
    within: Expression,
) -> SparkColumn:
    replaced = {c.id: _also_where(call, within) for c, call in aggregates}

    def change(part: Expression) -> Expression:
        return replaced.get(part.id, part) if isinstance(part, Column) else part

    text = sql(transform(result, change))
    if operator.missing_is_null:
        text = f"IF(count_if({sql(within)}) = 0, NULL, {text})"
    return F.expr(text).alias(column_name(column))


def track_distinct(operator: Distinct, tracking: Tracking, enclosing: Enclosing | None) -> Tracked:
    tracked = replace(tracking.input_of(operator, enclosing), has_position=False)
    on = (*operator.on, *tracked.bindings)
    names = [f"`{column_name(column)}`" for column in on]
    shared = grouped(tracked.rows, names, collected(tracked.lineages()))
    if operator.is_full():
        return tracked.with_rows(shared)
    kept = fixed(tracked.rows.select(*tracked.values()).dropDuplicates([column_name(c) for c in on]))
    shared, fresh = renamed(shared, on, "kept_")
    return tracked.with_rows(kept.join(shared, F.expr(same_values(fresh.items())), "left"))


RULES: Rules = {GroupBy: track_group_by, Distinct: track_distinct, Pivot: track_pivot}
