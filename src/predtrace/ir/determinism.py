"""Which steps of a plan may come out differently when they are run again (semantics.md, Determinism).

Two things must be told apart. A *value* may differ between runs (a sum of doubles in its last digit, `uuid()`);
that alone changes no row's lineage. It does when a later step *decides* by such a value: a filter, a join, a
grouping key, an order. Other steps decide by the order of rows themselves (LIMIT without ORDER BY, `first`), or
between rows that tie in an order. Where only equal rows can tie, it does not matter which comes first.

Of a list in the order of its rows only that order may differ: what sorts it first, or counts it, has the same value
in every run. So has a window's sum of doubles where no rows tie, as they are added up in their order.

Which of several values stands for all that are equal to it is left out of this, as it is in comparisons: of 0.0 and
-0.0, `max` takes the one it meets, and so does a group's key of texts that are equal under a collation.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, replace

from predtrace.ir.expressions import (
    AggregateCall,
    Call,
    Column,
    ColumnId,
    Expression,
    Literal,
    WindowCall,
)
from predtrace.ir.operators import (
    CoGroupedMap,
    Distinct,
    Except,
    Expand,
    Filter,
    Generate,
    GroupBy,
    GroupedMap,
    Intersect,
    Join,
    Limit,
    Opaque,
    Operator,
    Pivot,
    Project,
    RowNumbers,
    Sample,
    Sort,
    Union,
    Window,
)
from predtrace.ir.parts import columns_of, transform
from predtrace.ir.types import contains, is_collated
from predtrace.ir.unique import unique_keys

_DECIDED_BY_ORDER = frozenset({"first", "last", "any_value"})
_DECIDED_BY_TIES = frozenset({"min_by", "max_by"})
_LISTS = frozenset({"collect_list", "array_agg", "collect_set"})
_VALUE_BY_ORDER = frozenset({"listagg", "string_agg", "mode", "approx_percentile"})
_WHATEVER_THE_ORDER = frozenset(
    {"sort_array", "size", "array_size", "array_contains", "array_min", "array_max"}
)
"""Functions of a list whose value does not depend on its order."""
_EXACT_ON_FLOATS = (
    frozenset({"min", "max", "count", "count_if", "median", "percentile"})
    | _DECIDED_BY_ORDER
    | _DECIDED_BY_TIES
)
_BY_POSITION = frozenset({"row_number", "ntile", "lag", "lead", "nth_value"}) | _DECIDED_BY_ORDER
_ALIKE_FOR_PEERS = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
"""Rows that tie get the same value, though Spark gives some of these a frame of rows."""


@dataclass(frozen=True)
class _Stability:
    reasons: tuple[str, ...]
    unstable: frozenset[ColumnId]
    lists: frozenset[ColumnId] = frozenset()
    """Lists of which only the order may differ."""

    def reads(self, *expressions: Expression) -> bool:
        """Whether the expressions are random themselves or read a value that may differ."""
        return any(not e.is_deterministic() or self._reads(e) for e in expressions)

    def _reads(self, expression: Expression) -> bool:
        read = {column.id for column in columns_of(expression)} & self.unstable
        if not read & self.lists:
            return bool(read)
        in_any_order = transform(expression, self._without_lists)
        return any(column.id in self.unstable for column in columns_of(in_any_order))

    def _without_lists(self, part: Expression) -> Expression:
        if isinstance(part, Call) and _is_the_same_in_any_order(part):
            listed, *others = part.arguments
            if isinstance(listed, Column) and listed.id in self.lists:
                return replace(part, arguments=(Literal(None, listed.type), *others))
        return part


def _is_the_same_in_any_order(call: Call) -> bool:
    # With a comparator, `array_sort` may take different values for equal.
    sorts_by_value = call.function == "array_sort" and len(call.arguments) == 1
    return sorts_by_value or call.function in _WHATEVER_THE_ORDER


def unstable_steps(operator: Operator, is_output: bool = True) -> list[str]:
    """The steps, in words, that may choose other rows when they are run again; none: the plan is deterministic.

    A TopK with nothing but row-wise steps above it is not among them: its rows are the rows of the output,
    and their lineage is the same whichever of them tie. (Unless this is not the whole plan: `is_output`.)
    """
    return list(dict.fromkeys(_stability(operator, is_output).reasons))


def differing_columns(operator: Operator) -> frozenset[ColumnId]:
    """The columns of all operators whose value may differ between two runs although the row is the same.

    A sum of doubles, a list in the order of its rows, `uuid()`, and everything computed from them.
    """
    return _stability(operator, True).unstable


def _stability(operator: Operator, only_rows_above: bool) -> _Stability:
    passes_on = only_rows_above and isinstance(operator, (Filter, Project, Sort, Limit, Generate, Expand))
    below = [_stability(child, passes_on) for child in operator.inputs]
    unstable = frozenset[ColumnId]().union(*(b.unstable for b in below))
    lists = frozenset[ColumnId]().union(*(b.lists for b in below))
    seen = _Stability(tuple(reason for b in below for reason in b.reasons), unstable, lists)
    reason = _own_reason(operator, seen, only_rows_above)
    own = (f"{operator.title()}: {reason}",) if reason else ()
    return _Stability(
        seen.reasons + own, seen.unstable | _unstable_outputs(operator, seen), lists | _lists(operator, seen)
    )


def _own_reason(operator: Operator, seen: _Stability, only_rows_above: bool) -> str:
    differs = "it decides by a value that may differ between runs"
    match operator:
        case Limit():
            order = operator.order()
            if order is None:
                return "it keeps some rows of an unordered input"
            if only_rows_above or _only_equal_rows_tie(order.input, (key.expression for key in order.keys)):
                return ""
            return "rows that tie in the order at the cut may be kept or not"
        case Sample():
            return "which rows it takes depends on their order and partition"
        case Distinct(on=on):
            if not operator.is_full():
                return "which of the duplicates it keeps depends on the order of the rows"
            return differs if seen.reads(*on) else ""
        case Filter() | Join() | Generate():
            return differs if seen.reads(*operator.expressions) else ""
        case GroupBy(keys=keys):
            return _of_calls(operator.calls()) or (
                differs if seen.reads(*(k.expression for k in keys)) else ""
            )
        case Pivot(keys=keys, pivot=pivot):
            calls = tuple(call for cell in operator.cells for call in cell.aggregates())
            return _of_calls(calls) or (differs if seen.reads(pivot, *(k.expression for k in keys)) else "")
        case Window():
            return _of_window(operator, seen, differs)
        case Intersect() | Except():
            return differs if seen.unstable else ""
        case GroupedMap(keys=columns) | CoGroupedMap(left_keys=columns):
            if not operator.deterministic:
                return "its function is declared non-deterministic"
            return differs if seen.reads(*columns) else ""
        case Opaque():
            return "" if operator.deterministic else "its function is declared non-deterministic"
    return ""


def _of_calls(calls: tuple[AggregateCall, ...]) -> str:
    for call in calls:
        if call.function in _DECIDED_BY_ORDER:
            return f"the row that {call.function} takes depends on the order of the rows"
        if call.function in _DECIDED_BY_TIES and not _is_part_of(*call.arguments):
            return f"{call.function} takes one of the rows that tie"
    return ""


def _is_part_of(value: Expression, key: Expression) -> bool:
    """Whether rows with equal keys have equal values, as the key contains the value."""
    parts = key.children() if isinstance(key, Call) and key.function == "named_struct" else (key,)
    return value.is_deterministic() and value in parts


def _only_equal_rows_tie(rows: Operator, keys: Iterable[Expression]) -> bool:
    """Whether rows that are equal in all keys are one row, or equal in every column or what it is computed from."""
    known = {key.id for key in keys if isinstance(key, Column)}
    if _no_rows_tie(rows, known):
        return True
    computed = {n.column.id: n.expression for n in rows.columns} if isinstance(rows, Project) else {}

    def is_told(column: Column) -> bool:
        expression = computed.get(column.id, column)
        return column.id in known or (
            expression.is_deterministic() and all(read.id in known for read in columns_of(expression))
        )

    return all(map(is_told, rows.output))


def _no_rows_tie(rows: Operator, known: Set[ColumnId]) -> bool:
    """Whether no two rows are equal in these columns."""
    return any(key <= known for key in unique_keys(rows))


def _is_by_position(call: WindowCall) -> bool:
    """Whether a row's value depends on the place it has among the rows it ties with."""
    name = getattr(call.function, "function", "")
    by_rows = call.frame.kind.value == "rows" and (call.frame.lower, call.frame.upper) != ("unbounded",) * 2
    return name in _BY_POSITION or (by_rows and name not in _ALIKE_FOR_PEERS)


def _of_window(operator: Window, seen: _Stability, differs: str) -> str:
    where_equal_rows_tie = set()
    for call in operator.calls():
        keys = (*call.partition, *(key.expression for key in call.order))
        if seen.reads(*keys):
            return differs
        if not _is_by_position(call):
            continue
        if not _only_equal_rows_tie(operator.input, keys):
            return "rows that tie in the window's order may change places"
        if not _no_rows_tie(operator.input, {key.id for key in keys if isinstance(key, Column)}):
            where_equal_rows_tie.add((call.partition, call.order))
    # Of two equal rows, one comes first in each order: the same one or not.
    return "equal rows may come in another order for each window" if len(where_equal_rows_tie) > 1 else ""


def _unstable_outputs(operator: Operator, seen: _Stability) -> frozenset[ColumnId]:
    match operator:
        case Project(columns=columns):
            return frozenset(n.column.id for n in columns if seen.reads(n.expression))
        case GroupBy(keys=keys, aggregates=aggregates):
            of_keys = {n.column.id for n in keys if seen.reads(n.expression)}
            return frozenset(of_keys | {n.column.id for n in aggregates if _differs(n.expression, seen)})
        case Pivot(cells=cells):
            return frozenset(
                c.column.id for c in cells if any(_differs(call, seen) for call in c.aggregates())
            )
        case Window(functions=functions):
            return frozenset(
                n.column.id for n in functions if _differs_in_window(operator, n.expression, seen)
            )
        case RowNumbers(numbers=numbers):
            return frozenset(
                n.column.id
                for n in numbers
                if seen.reads(*(key.expression for key in n.order))
                or not _only_equal_rows_tie(operator.input, (key.expression for key in n.order))
            )
        case Generate(generated=generated, generator=generator):
            return frozenset(c.id for c in generated) if seen.reads(generator) else frozenset()
        case Expand(columns=columns, projections=projections):
            return frozenset(c.id for i, c in enumerate(columns) if seen.reads(*(p[i] for p in projections)))
        case Union(branches=branches, columns=columns):
            return frozenset(
                c.id for i, c in enumerate(columns) if any(b.output[i].id in seen.unstable for b in branches)
            )
        case Intersect(columns=columns) | Except(columns=columns):
            return frozenset(c.id for c in columns) if seen.unstable else frozenset()
        case GroupedMap(columns=columns) | CoGroupedMap(columns=columns) | Opaque(columns=columns):
            return frozenset(c.id for c in columns) if seen.unstable else frozenset()
    return frozenset()


def _differs(expression: Expression, seen: _Stability) -> bool:
    """Whether an aggregate's value may differ between runs."""
    if seen.reads(expression):
        return True
    if not isinstance(expression, AggregateCall):
        return False
    if expression.function in _VALUE_BY_ORDER | _LISTS:
        return True
    return contains(expression.type, "double", "float") and expression.function not in _EXACT_ON_FLOATS


def _differs_in_window(operator: Window, expression: Expression, seen: _Stability) -> bool:
    if not isinstance(expression, WindowCall) or seen.reads(expression):
        return True
    if not _differs(expression.function, seen):
        return False
    # Rows that are told apart are gone through in one order only.
    keys = (*expression.partition, *(key.expression for key in expression.order))
    return not _no_rows_tie(operator.input, {key.id for key in keys if isinstance(key, Column)})


def _lists(operator: Operator, seen: _Stability) -> frozenset[ColumnId]:
    """The lists it makes, or hands on, of which only the order may differ."""

    def is_list(expression: Expression) -> bool:
        if isinstance(expression, WindowCall):
            return is_list(expression.function)
        if isinstance(expression, AggregateCall):
            # Sorted, different texts that are equal under a collation stay in the order they came in.
            return (
                expression.function in _LISTS
                and not is_collated(expression.type)
                and not seen.reads(expression)
            )
        return isinstance(expression, Column) and expression.id in seen.lists

    match operator:
        case GroupBy(aggregates=made) | Window(functions=made) | Project(columns=made):
            return frozenset(named.column.id for named in made if is_list(named.expression))
    return frozenset()
