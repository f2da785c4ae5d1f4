"""Window and the numbering of its rows: the row itself and the rows its functions look at (`frames`).

| operator | G | R |
|---|---|---|
| RowNumbers | F on the columns of its input | F on partition keys that all numberings share |
| Window | the row itself, or for some function: of the same partition and looked at from F's position | likewise |

A partition must stay whole to be recomputed: the last row may decide the value of the first.

Bound: two rows. With positions as columns, whether a row is looked at from another depends on the two alone: a
witness and a violator. A function's value is an unknown function of its partition, another one for each row; so
no pair of rows is bound to agree on a value because the others are not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from predtrace.ir.expressions import Column, ColumnId, Expression, WindowCall
from predtrace.ir.operators import RowNumber, RowNumbers, Window
from predtrace.ir.parts import columns_of
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.frames import Look, current, fetching_position, look_of, needs_fetched
from predtrace.operators.pushing import (
    all_of,
    any_of,
    known_values,
    most_to_least,
    over,
    parts_of,
    readable,
    substituted,
)
from predtrace.symbolic.expressions import holds
from predtrace.symbolic.groups import unknown_aggregate
from predtrace.symbolic.tables import SymbolicTable, own_lineage
from predtrace.symbolic.terms import FALSE, Term, conjunction, disjunction
from predtrace.symbolic.values import NotExpressible, SymbolicValue, null_safe_equal


class RowNumbersLaws(OperatorLaws[RowNumbers]):
    def bound(self, operator: RowNumbers) -> tuple[int, ...]:
        return (2,)

    def run(self, operator: RowNumbers, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        table = own_lineage(inputs[0])
        rows = []
        for index, row in enumerate(table.rows):
            positions = (_position(number, table, index) for number in operator.numbers)
            rows.append(replace(row, values=(*row.values, *positions)))
        return SymbolicTable("numbered", operator.output, tuple(rows))

    def candidates(self, operator: RowNumbers, selection: Selection) -> tuple[Candidates, ...]:
        own = all_of(readable(parts_of(selection), operator.input))
        whole = _over_shared_keys((number.partition for number in operator.numbers), selection)
        return (Candidates(most_to_least(own), most_to_least(whole)),)


def _position(number: RowNumber, table: SymbolicTable, index: int) -> SymbolicValue:
    order = tuple(key.expression for key in number.order)
    found = _unknown(f"position {number.column.id}", table, index, number.partition, order, number.column)
    return replace(found, null=FALSE)


class WindowLaws(OperatorLaws[Window]):
    def bound(self, operator: Window) -> tuple[int, ...]:
        return (2,)

    def run(self, operator: Window, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        table, looks = inputs[0], _looks(operator)
        rows = []
        for index, row in enumerate(own_lineage(table).rows):
            values = (*row.values, *(_value(operator, at, table, index) for at in range(len(looks))))
            own = {current(c).id: value for c, value in zip(operator.output, values, strict=True)}
            seen = list(row.lineage[0])
            for at, other in enumerate(table.rows):
                pair = {**table.values(other), **own}
                looked_at = (
                    conjunction(*(holds(part, pair) for part in (*look.partition, *look.frame)))
                    for look in looks
                    if look is not None
                )
                seen[at] = disjunction(
                    seen[at], conjunction(row.exists, other.exists, disjunction(*looked_at))
                )
            rows.append(replace(row, values=values, lineage=(tuple(seen),)))
        return SymbolicTable("windowed", operator.output, tuple(rows))

    def candidates(self, operator: Window, selection: Selection) -> tuple[Candidates, ...]:
        whole = _over_shared_keys((call.partition for call in operator.calls()), selection)
        known = _known_of_current(operator, selection)
        try:
            looks = [look for look in _looks(operator) if look is not None]
        except NotExpressible:
            return (Candidates((None,), most_to_least(whole)),)
        itself = readable(parts_of(selection), operator.input)
        framed, partitioned = (
            _any_look(itself, looks, known, operator, with_frames) for with_frames in (True, False)
        )
        shared = parts_of(whole)
        lineage = (all_of([*shared, *framed]), all_of([*shared, *partitioned]), whole)
        return (Candidates(most_to_least(*lineage), most_to_least(whole)),)


def _looks(operator: Window) -> list[Look | None]:
    """What each function looks at; nothing for the hidden ones, which only repeat what others do."""
    positions = _positions(operator)
    columns = {named.expression: named.column for named in operator.functions}
    wanted: list[tuple[WindowCall, Column | None, Column | None]] = []
    hidden: set[ColumnId] = set()
    for call in operator.calls():
        position = positions.get((call.partition, call.order))
        fetched = None
        if position is not None and needs_fetched(call) and position not in columns_of(call.function):
            fetched = columns.get(fetching_position(call, position))
            hidden |= set() if fetched is None else {fetched.id}
        wanted.append((call, position, fetched))
    return [
        None if named.column.id in hidden else look_of(*found)
        for named, found in zip(operator.functions, wanted, strict=True)
    ]


def _positions(operator: Window) -> dict[object, Column]:
    numbers = operator.input.numbers if isinstance(operator.input, RowNumbers) else ()
    return {(number.partition, number.order): number.column for number in numbers}


def _value(operator: Window, at: int, table: SymbolicTable, index: int) -> SymbolicValue:
    named, call = operator.functions[at], operator.calls()[at]
    position = _positions(operator).get((call.partition, call.order))
    if position is not None and _is_numbering(call):
        return table.value(table.rows[index], position)
    seen = (*call.function.children(), *(key.expression for key in call.order))
    return _unknown(f"window function {at}", table, index, call.partition, seen, named.column)


def _is_numbering(call: WindowCall) -> bool:
    return getattr(call.function, "function", "") == "row_number"


def _unknown(
    identity: str,
    table: SymbolicTable,
    index: int,
    partition: tuple[Expression, ...],
    seen: tuple[Expression, ...],
    column: Column,
) -> SymbolicValue:
    """Any function of a row and its partition, of which it sees the values of some expressions."""
    keys = [tuple(table.value(row, part) for part in partition) for row in table.rows]
    members: list[Term] = [
        conjunction(row.exists, *map(null_safe_equal, keys[index], of_row))
        for row, of_row in zip(table.rows, keys, strict=True)
    ]
    arguments = [tuple(table.value(row, expression) for expression in seen) for row in table.rows]
    return unknown_aggregate(f"{identity} at {index}", members, arguments, column.type)


def _known_of_current(operator: Window, selection: Selection) -> dict[ColumnId, Expression]:
    """The values of the current row that F fixes; a `row_number` in the output is its position."""
    known = known_values(selection)
    positions = _positions(operator)
    for named, call in zip(operator.functions, operator.calls(), strict=True):
        position = positions.get((call.partition, call.order))
        if position is not None and _is_numbering(call) and named.column.id in known:
            known.setdefault(position.id, known[named.column.id])
    columns = {column.id: column for column in operator.output}
    return {current(columns[found]).id: value for found, value in known.items() if found in columns}


def _any_look(
    itself: list[Expression],
    looks: list[Look],
    known: Mapping[ColumnId, Expression],
    operator: Window,
    with_frames: bool,
) -> list[Expression]:
    """The row itself or what some function looks at, as far as F fixes it: what all share, and one of the rest."""
    choices: list[list[Expression]] = []
    for look in looks:
        parts = (*look.partition, *look.frame) if with_frames else look.partition
        choices.append(readable((substituted(part, known) for part in parts), operator.input))
    if not any(look.has_row_itself for look in looks):
        choices.append(itself)
    # What another choice includes anyway says nothing.
    choices = [one for one in choices if not any(set(other) < set(one) for other in choices)]
    shared = [part for part in choices[0] if all(part in choice for choice in choices)]
    rest = any_of(all_of(part for part in choice if part not in shared) for choice in choices)
    return [*shared, *parts_of(rest)]


def _over_shared_keys(partitions: Iterable[tuple[Expression, ...]], selection: Selection) -> Selection:
    """F as far as it reads columns by which every specification partitions."""
    keys = [{part.id for part in partition if isinstance(part, Column)} for partition in partitions]
    return all_of(over(parts_of(selection), set.intersection(*keys))) if keys else selection
