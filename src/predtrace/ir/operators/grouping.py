"""Operators whose output rows come from groups of input rows."""

from __future__ import annotations

from dataclasses import dataclass

from predtrace.errors import PlanIntegrityError
from predtrace.ir.expressions import AggregateCall, Column, Expression, Literal, WindowCall
from predtrace.ir.operators.base import Named, Operator
from predtrace.ir.operators.rows import Unary

_ORDER_DEPENDENT = frozenset(
    {"first", "last", "any_value", "collect_list", "min_by", "max_by", "mode", "listagg", "approx_percentile"}
)


def _dependence_of_aggregate(call: AggregateCall) -> str:
    if call.user_function is not None:
        return ""
    if call.function in _ORDER_DEPENDENT:
        return f"{call.function} depends on the order of the rows or on ties"
    if call.function in {"sum", "avg"} and call.type.name in {"double", "float"}:
        return f"{call.function} of floating-point numbers depends on the order of the rows"
    return ""


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

    def order_dependence(self) -> str:
        return super().order_dependence() or next(filter(None, map(_dependence_of_aggregate, self.calls())), "")


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

    def order_dependence(self) -> str:
        return "" if self.is_full() else "which of the duplicates is kept depends on the order of the rows"


@dataclass(frozen=True)
class PivotCell:
    """One cell of a pivoted row: aggregates over the rows with this pivot value, and what is made of them."""

    column: Column
    value: Literal
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

    def order_dependence(self) -> str:
        calls = (call for cell in self.cells for call in cell.aggregates())
        return super().order_dependence() or next(filter(None, map(_dependence_of_aggregate, calls)), "")


_TIE_DEPENDENT_WINDOW = frozenset({"row_number", "lag", "lead", "first", "last", "nth_value", "ntile"})


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

    def order_dependence(self) -> str:
        for call in self.calls():
            name = getattr(call.function, "function", "")
            if name in _TIE_DEPENDENT_WINDOW or call.frame.kind.value == "rows" and call.order:
                return "rows that tie in a window's order may change places"
        return super().order_dependence()


@dataclass(frozen=True, kw_only=True)
class GroupedMap(Unary):
    """Hands each group to a Python function and returns its rows (applyInPandas, applyInArrow)."""

    keys: tuple[Column, ...]
    arguments: tuple[Column, ...]
    function: str
    function_name: str
    columns: tuple[Column, ...]
    deterministic: bool = True

    @property
    def output(self) -> tuple[Column, ...]:
        return self.columns

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (*self.keys, *self.arguments)

    def order_dependence(self) -> str:
        return "" if self.deterministic else f"{self.function_name} is declared non-deterministic"


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

    def order_dependence(self) -> str:
        return "" if self.deterministic else f"{self.function_name} is declared non-deterministic"
