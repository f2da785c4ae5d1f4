"""GroupedMap and CoGroupedMap: a Python function of a group, or of two groups with one key.

The function may return any rows, so only the key of the group, a hidden column, says which group a row is from; or a
column that is known to have it (`handed_on`). G and R are F on the keys. Either group of a CoGroupedMap may be empty.

Bound: two rows of each input, a witness and a violator, in one group or in two. One output row for each group
will do: all rows of a group have the same lineage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from predtrace.ir.expressions import Column
from predtrace.ir.operators import (
    CoGroupedMap,
    CoGroupedMapWithKeys,
    GroupedMap,
    GroupedMapWithKeys,
    Named,
    OneFor,
    Operator,
)
from predtrace.ir.types import BOOLEAN, LONG
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.pushing import most_to_least, pushed_to_keys
from predtrace.symbolic.functions import uninterpreted
from predtrace.symbolic.groups import groups_of, unknown_aggregate
from predtrace.symbolic.tables import SymbolicRow, SymbolicTable
from predtrace.symbolic.terms import Term, conjunction, negation
from predtrace.symbolic.values import NotExpressible, SymbolicValue, is_true, null_safe_equal


class GroupedMapLaws(OperatorLaws[GroupedMap]):
    def bound(self, operator: GroupedMap) -> tuple[int, ...]:
        return (2,)

    def run(self, operator: GroupedMap, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        _require_determinism(operator)
        table = inputs[0]
        rows = []
        for group in groups_of(table, operator.keys):
            seen = _seen(table, (*operator.keys, *operator.arguments))
            content = _content(group.members, seen)
            returns = conjunction(group.is_first, _returns_rows(content))
            values = _returned(operator.columns, content)
            for place, key in _keys_handed_on(operator):
                values[place] = group.keys[key]
            keys = group.keys if isinstance(operator, GroupedMapWithKeys) else ()
            rows.append(SymbolicRow(returns, (*values, *keys), (group.members,)))
        return SymbolicTable("mapped", operator.output, tuple(rows))

    def candidates(self, operator: GroupedMap, selection: Selection) -> tuple[Candidates, ...]:
        shown = [(operator.columns[place], operator.keys[key]) for place, key in _keys_handed_on(operator)]
        if isinstance(operator, GroupedMapWithKeys):
            shown += zip(operator.key_columns, operator.keys, strict=True)
        groups = _pushed(shown, selection, operator.input)
        return (Candidates(most_to_least(groups), most_to_least(groups)),)


class CoGroupedMapLaws(OperatorLaws[CoGroupedMap]):
    def bound(self, operator: CoGroupedMap) -> tuple[int, ...]:
        return (2, 2)

    def run(self, operator: CoGroupedMap, inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        _require_determinism(operator)
        keys = operator.left_keys, operator.right_keys
        of_rows = [_seen(table, own) for table, own in zip(inputs, keys, strict=True)]
        seen = [
            *_seen(inputs[0], (*operator.left_keys, *operator.left_arguments)),
            *_seen(inputs[1], (*operator.right_keys, *operator.right_arguments)),
        ]
        rows: list[SymbolicRow] = []
        before: list[Term] = []
        for table, own_keys in zip(inputs, of_rows, strict=True):
            for row, key in zip(table.rows, own_keys, strict=True):
                # The rows with this key, of both inputs; the group stands at the first of them.
                left, right = (
                    tuple(
                        conjunction(other.exists, *map(null_safe_equal, key, of_other))
                        for other, of_other in zip(side.rows, of_side, strict=True)
                    )
                    for side, of_side in zip(inputs, of_rows, strict=True)
                )
                members = (*left, *right)
                is_first = conjunction(row.exists, *(negation(m) for m in members[: len(before)]))
                before.append(row.exists)
                content = _content(members, seen)
                exists = conjunction(is_first, _returns_rows(content))
                shown = key if isinstance(operator, CoGroupedMapWithKeys) else ()
                values = _returned(operator.columns, content)
                rows.append(SymbolicRow(exists, (*values, *shown), (left, right)))
        return SymbolicTable("mapped", operator.output, tuple(rows))

    def candidates(self, operator: CoGroupedMap, selection: Selection) -> tuple[Candidates, ...]:
        sides = zip((operator.left_keys, operator.right_keys), operator.inputs, strict=True)
        known = operator if isinstance(operator, CoGroupedMapWithKeys) else None
        pushed = [
            _pushed(zip(known.key_columns, keys, strict=True) if known else (), selection, side)
            for keys, side in sides
        ]
        return tuple(Candidates(most_to_least(groups), most_to_least(groups)) for groups in pushed)


def _require_determinism(operator: GroupedMap | CoGroupedMap) -> None:
    if not operator.deterministic:
        raise NotExpressible(f"{operator.function_name} may return other rows when it is called again")


def _keys_handed_on(operator: GroupedMap) -> Iterator[tuple[int, int]]:
    """The columns of the output that have the value of a key of their group, both by place."""
    of_row = operator.keys if operator.one_for is OneFor.GROUP else operator.arguments
    for new, old in operator.handed_on:
        if of_row[old] in operator.keys:
            yield new, operator.keys.index(of_row[old])


def _pushed(shown: Iterable[tuple[Column, Column]], selection: Selection, below: Operator) -> Selection:
    """F as far as it is about columns of the output that have the values of keys."""
    return pushed_to_keys((Named(column, key) for column, key in shown), selection, below)


def _seen(table: SymbolicTable, columns: Sequence[Column]) -> list[tuple[SymbolicValue, ...]]:
    return [tuple(table.value(row, column) for column in columns) for row in table.rows]


def _content(members: Sequence[Term], seen: Sequence[tuple[SymbolicValue, ...]]) -> SymbolicValue:
    """The rows of a group as one value, of which everything is a function that the user's function is one of."""
    return SymbolicValue(LONG, unknown_aggregate("rows of a group", members, seen, LONG).term)


def _returns_rows(content: SymbolicValue) -> Term:
    return is_true(uninterpreted("returns a row", (content,), BOOLEAN))


def _returned(columns: Iterable[Column], content: SymbolicValue) -> list[SymbolicValue]:
    return [
        uninterpreted(f"returned value {at}", (content,), column.type) for at, column in enumerate(columns)
    ]
