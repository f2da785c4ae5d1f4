"""Operators whose output rows come from groups of input rows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import AggregateCall, Column, Expression, SortKey, WindowCall
from predtrace.ir.operators.base import Named, Operator
from predtrace.ir.operators.rows import Unary


@dataclass(frozen=True, kw_only=True)
class GroupBy(Unary):
    """One row per group: the keys, then the aggregates. No keys: one row, also for no input.

    Spark's Aggregate may drop keys and compute with aggregates; that part is a Project above this.
    """

    keys: tuple[Named, ...]
    aggregates: tuple[Named, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        for named in self.aggregates:
            if not isinstance(named.expression, AggregateCall):
                raise PlanIntegrityError(f"{named.column} of a GroupBy is no aggregate", self.origin)

    def title(self) -> str:
        return "GroupBy" if self.keys else "GlobalAggregate"

    @property
    def output(self) -> tuple[Column, ...]:
        return tuple(named.column for named in (*self.keys, *self.aggregates))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(named.expression for named in (*self.keys, *self.aggregates))

    def calls(self) -> tuple[AggregateCall, ...]:
        return tuple(n.expression for n in self.aggregates if isinstance(n.expression, AggregateCall))


@dataclass(frozen=True, kw_only=True)
class GroupByWithExtremes(GroupBy):
    """A GroupBy that also shows the extremes by which its `max_by` and `min_by` chose, one for each of them.

    They are hidden columns: the query does not compute them, so they have no lineage of their own.
    """

    extremes: tuple[Named, ...]

    @property
    def output(self) -> tuple[Column, ...]:
        return (*super().output, *(named.column for named in self.extremes))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (*super().expressions, *(named.expression for named in self.extremes))


@dataclass(frozen=True, kw_only=True)
class Distinct(Unary):
    """One row for all input rows that are equal on `on`; with fewer than all columns, some row of them."""

    on: tuple[Column, ...]

    def title(self) -> str:
        return "Distinct" if self.is_full() else "DropDuplicates"

    def is_full(self) -> bool:
        return {c.id for c in self.on} == {c.id for c in self.input.output}

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return self.on


@dataclass(frozen=True)
class PivotCell:
    """One cell of a pivoted row: aggregates over the rows with this pivot value, and what is made of them."""

    column: Column
    value: Expression
    calls: tuple[Named, ...]
    result: Expression

    def aggregates(self) -> tuple[AggregateCall, ...]:
        return tuple(n.expression for n in self.calls if isinstance(n.expression, AggregateCall))


@dataclass(frozen=True, kw_only=True)
class Pivot(Unary):
    """Groups by the keys and lays out aggregates per pivot value as the cells of one row.

    A cell without rows is NULL (`missing_is_null`, as PIVOT does it) or the aggregate of no rows (as a
    hand-written `agg(if(p <=> 'x', e, null))` does it).
    """

    keys: tuple[Named, ...]
    pivot: Expression
    cells: tuple[PivotCell, ...]
    missing_is_null: bool

    @property
    def output(self) -> tuple[Column, ...]:
        return (*(named.column for named in self.keys), *(cell.column for cell in self.cells))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        calls = (call for cell in self.cells for call in cell.aggregates())
        return (*(named.expression for named in self.keys), self.pivot, *calls)


@dataclass(frozen=True, kw_only=True)
class PivotWithFlag(Pivot):
    """A Pivot that also shows, as a hidden column, whether any row of the group has one of the pivoted values."""

    flag: Named

    def title(self) -> str:
        return "Pivot"

    @property
    def output(self) -> tuple[Column, ...]:
        return (*super().output, self.flag.column)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (*super().expressions, self.flag.expression)


@dataclass(frozen=True)
class RowNumber:
    """The numbering by one window specification; `function` is the column of a window function that has it."""

    column: Column
    partition: tuple[Expression, ...]
    order: tuple[SortKey, ...]
    function: Column


@dataclass(frozen=True, kw_only=True)
class RowNumbers(Unary):
    """Adds to each row its position in its partition, once per window specification: hidden columns of a Window.

    The lineage of a row is the same row without its positions.
    """

    numbers: tuple[RowNumber, ...]

    @property
    def output(self) -> tuple[Column, ...]:
        return (*self.input.output, *(number.column for number in self.numbers))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(
            expression
            for number in self.numbers
            for expression in (*number.partition, *(key.expression for key in number.order))
        )


@dataclass(frozen=True, kw_only=True)
class Window(Unary):
    """Adds window functions to each row. All window functions of one SELECT are one operator."""

    functions: tuple[Named, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        for named in self.functions:
            if not isinstance(named.expression, WindowCall):
                raise PlanIntegrityError(f"{named.column} of a Window is no window function", self.origin)

    @property
    def output(self) -> tuple[Column, ...]:
        return (*self.input.output, *(named.column for named in self.functions))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(named.expression for named in self.functions)

    def calls(self) -> tuple[WindowCall, ...]:
        return tuple(n.expression for n in self.functions if isinstance(n.expression, WindowCall))


class OneFor(Enum):
    """What a function over groups gives one row for at most, as far as that is known."""

    ROW = "row"
    GROUP = "group"
    UNKNOWN = ""


@dataclass(frozen=True, kw_only=True)
class GroupedMap(Unary):
    """Hands each group to a Python function and returns its rows (applyInPandas, applyInArrow).

    `handed_on`: columns of the output, by place, that have the value of an argument of the row (or of a key of the
    group) that the row is for.

    `by_row`: the function takes a whole partition, but is declared to treat each row by itself
    (`predtrace.rowwise`). Its groups are the rows that are equal in every column.
    """

    keys: tuple[Column, ...]
    arguments: tuple[Column, ...]
    function: str
    function_name: str
    columns: tuple[Column, ...]
    deterministic: bool = True
    by_row: bool = False
    one_for: OneFor = OneFor.UNKNOWN
    handed_on: tuple[tuple[int, int], ...] = ()

    def title(self) -> str:
        return "RowMap" if self.by_row else "GroupedMap"

    @property
    def output(self) -> tuple[Column, ...]:
        return self.columns

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (*self.keys, *self.arguments)


@dataclass(frozen=True, kw_only=True)
class GroupedMapWithKeys(GroupedMap):
    """A GroupedMap that also shows each output row's group: hidden columns, in the order of `keys`."""

    key_columns: tuple[Column, ...]

    @property
    def output(self) -> tuple[Column, ...]:
        return (*self.columns, *self.key_columns)


@dataclass(frozen=True, kw_only=True)
class CoGroupedMap(Operator):
    """Hands the groups of two inputs with one key to a Python function (cogroup().applyInPandas)."""

    left: Operator
    right: Operator
    left_keys: tuple[Column, ...]
    left_arguments: tuple[Column, ...]
    right_keys: tuple[Column, ...]
    right_arguments: tuple[Column, ...]
    function: str
    function_name: str
    columns: tuple[Column, ...]
    deterministic: bool = True

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    @property
    def output(self) -> tuple[Column, ...]:
        return self.columns

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (*self.left_keys, *self.left_arguments, *self.right_keys, *self.right_arguments)


@dataclass(frozen=True, kw_only=True)
class CoGroupedMapWithKeys(CoGroupedMap):
    """A CoGroupedMap that also shows each output row's pair of groups: hidden columns, in the order of the keys."""

    key_columns: tuple[Column, ...]

    def title(self) -> str:
        return "CoGroupedMap"

    @property
    def output(self) -> tuple[Column, ...]:
        return (*self.columns, *self.key_columns)
