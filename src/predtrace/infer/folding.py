"""Wide rows made narrow before anything is proved: columns that always go together are one column.

Most columns of a wide row are only carried along. The operator does not look at them; predicates compare them, if
at all, with the target's values, all of them at once. Such columns are equal together or not, and one column that is
equal where all of them are says it for them. The others need no unknowns: they have one fixed value, NULL where
the tuple of all of them is all NULL.

Why that hides no counterexample. Let C be columns of one input (in a union: of the branches, place by place) where

1. nothing in a run of the operator depends on them: no condition of existence or lineage, no computed value;
2. they reach the output together, from the same input rows to the same output rows, or not at all;
3. each predicate has for all of them a conjunct `column <=> :parameter`, or mentions none of them;
4. these parameters are mentioned nowhere else.

Take tables and parameters that refute a claim. Number the different tuples of C in them, as `<=>` tells them apart
(the parameters are one more tuple), with NULL for the tuple of NULLs. Write the number into the kept column and the
fixed value into the others: by 1 and 2 the run is the same, by 3 and 4 every predicate selects the same rows, and
the same rows are equal. So the tables with numbers refute the claim too. The kept column must have enough values for
numbers, which rules out booleans; it is nullable only if all of C are, as only then all of them can be NULL.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from predtrace.infer.models import Carried, Model, Place
from predtrace.ir.expressions import Call, Column, ColumnId, Expression
from predtrace.ir.parts import leaves_of
from predtrace.ir.predicates import Parameter
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, parts_of
from predtrace.symbolic.sorts import some_value, sort_of
from predtrace.symbolic.tables import SymbolicTable
from predtrace.symbolic.values import SymbolicValue, fresh_value


@dataclass(frozen=True, eq=False)
class Folded:
    """Inputs in which some columns have fixed values, and predicates without them."""

    inputs: tuple[SymbolicTable, ...]
    fixed: frozenset[Place] = frozenset()

    def predicate(self, selection: Selection, at: int) -> Selection:
        """A predicate without the conjuncts that the one for the kept column stands for."""
        kept = [part for part in parts_of(selection) if not self._is_folded(part, at)]
        return selection if len(kept) == len(parts_of(selection)) else all_of(kept)

    def _is_folded(self, part: Expression, at: int) -> bool:
        found = matched(part)
        return found is not None and (at, found[0]) in self.fixed


def folded(model: Model, predicates: Iterable[tuple[int, Selection]]) -> Folded:
    """Fold the columns that an operator and all these predicates treat alike; no others may be asked about then."""
    inputs, mentions = model.inputs, _Mentions(predicates)
    alike: dict[object, list[Carried]] = defaultdict(list)
    for carried in model.carried:
        by = mentions.of(carried.places())
        if by is not None:
            alike[by, carried.way, tuple(at for at, _ in carried.columns)].append(carried)
    fixed: set[Place] = set()
    values: dict[tuple[int, ColumnId, int], SymbolicValue] = {}
    for group in alike.values():
        kept = next((carried for carried in group if carried.is_countable()), None)
        if kept is not None:
            fixed.update(place for carried in group if carried is not kept for place in carried.places())
            values.update(_values(inputs, kept, group))
    return Folded(tuple(_with(table, at, values) for at, table in enumerate(inputs)), frozenset(fixed))


class _Mentions:
    """Where predicates mention columns and parameters."""

    def __init__(self, predicates: Iterable[tuple[int, Selection]]) -> None:
        self._otherwise: set[Place | str] = set()
        self._at: dict[Place, list[tuple[int, str]]] = defaultdict(list)
        self._times: Counter[str] = Counter()
        for number, (at, selection) in enumerate(predicates):
            for part in parts_of(selection):
                found = matched(part)
                if found is None:
                    self._otherwise.update(_mentioned(part, at))
                else:
                    self._at[at, found[0]].append((number, found[1]))
                    self._times[found[1]] += 1

    def of(self, places: list[Place]) -> frozenset[int] | None:
        """The predicates that match a column with a parameter used for nothing else; None if it is used otherwise."""
        found = [mention for place in places for mention in self._at.get(place, ())]
        parameters = {name for _, name in found}
        if len(parameters) > 1 or not self._otherwise.isdisjoint((*places, *parameters)):
            return None
        by = frozenset(number for number, _ in found)
        once_each = len(by) == len(found) == sum(self._times[name] for name in parameters)
        return by if once_each else None


def matched(part: Expression) -> tuple[ColumnId, str] | None:
    """The column and the parameter of a conjunct that matches a row with the target."""
    match part:
        case Call(function="<=>", arguments=(Column() as column, Parameter() as parameter)):
            return column.id, parameter.name
    return None


def _mentioned(part: Expression, at: int) -> Iterator[Place | str]:
    for node in leaves_of(part):
        if isinstance(node, Column):
            yield at, node.id
        elif isinstance(node, Parameter):
            yield node.name


def _values(
    inputs: tuple[SymbolicTable, ...], kept: Carried, group: list[Carried]
) -> Iterator[tuple[tuple[int, ColumnId, int], SymbolicValue]]:
    """The new values of the cells of a group of columns that go together."""
    for which, (at, column) in enumerate(kept.columns):
        nullable = all(carried.columns[which][1].nullable for carried in group)
        for row in range(len(inputs[at].rows)):
            place = inputs[at].columns.index(column)
            number = fresh_value(f"{inputs[at].name}.{row} kept {place}", column.type, nullable)
            for carried in group:
                own = carried.columns[which][1]
                fixed = SymbolicValue(own.type, some_value(sort_of(own.type)), number.null)
                yield (at, own.id, row), number if carried is kept else fixed


def _with(
    table: SymbolicTable, at: int, values: dict[tuple[int, ColumnId, int], SymbolicValue]
) -> SymbolicTable:
    def cells(row: int) -> Iterator[SymbolicValue]:
        for column, value in zip(table.columns, table.rows[row].values, strict=True):
            yield values.get((at, column.id, row), value)

    rows = (replace(row, values=tuple(cells(number))) for number, row in enumerate(table.rows))
    return replace(table, rows=tuple(rows))
