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

**In short**, a predicate may say more of such columns. A conjunct over columns that are carried along the same way is
then an unknown function of their numbers, the same one wherever the predicates have the conjunct:

    name <=> :name and upper(town) <=> :town and size > length(town)      is      n <=> :name and f(n, m)

where n is the number of what is compared with the target, m of the rest. If the conjunct tells no equal tuples apart,
there is such a function in the tables with numbers, so what is proved for all functions holds. The reverse is not
so: what is refuted in short may be proved by what the conjunct says. It must be asked again at length.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from predtrace.infer.models import OUTPUT, Carried, Model, Place
from predtrace.ir.expressions import Call, Column, ColumnId, Expression
from predtrace.ir.parts import columns_of, is_of_one_row, leaves_of
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, known_values, parts_of, substituted
from predtrace.symbolic.functions import BLIND, is_blind
from predtrace.symbolic.sorts import some_value, sort_of
from predtrace.symbolic.tables import SymbolicTable
from predtrace.symbolic.values import SymbolicValue, fresh_value

Predicates = Sequence[tuple[int, Selection]]
"""Predicates, each with the input it is over, or OUTPUT."""


@dataclass(frozen=True, eq=False)
class Folded:
    """Inputs in which some columns have fixed values, and predicates without them."""

    inputs: tuple[SymbolicTable, ...]
    fixed: frozenset[Place] = frozenset()
    in_short: Mapping[tuple[int, Expression], Expression] = field(default_factory=dict)
    """Conjuncts that are unknown functions of numbers, by where they are asked."""

    def predicate(self, selection: Selection, at: int) -> Selection:
        """A predicate without the conjuncts that the one for the kept column stands for."""
        parts = parts_of(selection)
        kept = [self.in_short.get((at, part), part) for part in parts if not self._is_folded(part, at)]
        unchanged = len(kept) == len(parts) and all(new is old for new, old in zip(kept, parts, strict=True))
        return selection if unchanged else all_of(kept)

    def _is_folded(self, part: Expression, at: int) -> bool:
        found = matched(part)
        return found is not None and (at, found[0]) in self.fixed


def folded(model: Model, predicates: Iterable[tuple[int, Selection]], in_short: bool = False) -> Folded:
    """Fold the columns that an operator and all these predicates treat alike; no others may be asked about then."""
    asked = list(predicates)
    said = _Said(model, asked) if in_short else None
    mentions = _Mentions(asked, said.parts if said else {})
    alike: dict[object, list[Carried]] = defaultdict(list)
    for carried in model.carried:
        by = mentions.of(carried.places())
        if by is not None:
            is_said = said is not None and carried.places()[0] in said.places
            alike[by, is_said and not by, carried.way, carried.inputs()].append(carried)
    fixed: set[Place] = set()
    values: dict[tuple[int, ColumnId, int], SymbolicValue] = {}
    numbers: dict[Place, Column] = {}
    for group in alike.values():
        kept = next((carried for carried in group if carried.is_countable()), None)
        if kept is not None:
            fixed.update(place for carried in group if carried is not kept for place in carried.places())
            values.update(_values(model.inputs, kept, group))
            numbers.update(_numbers(kept, group))
    return Folded(
        tuple(_with(table, at, values) for at, table in enumerate(model.inputs)),
        frozenset(fixed),
        said.in_short(numbers) if said else {},
    )


class _Mentions:
    """Where predicates mention columns and parameters, apart from what is said in short."""

    def __init__(self, predicates: Predicates, in_short: Mapping[tuple[int, Expression], object]) -> None:
        self._otherwise: set[Place | str] = set()
        self._at: dict[Place, list[tuple[int, str]]] = defaultdict(list)
        self._times: Counter[str] = Counter()
        for number, (at, selection) in enumerate(predicates):
            for part in parts_of(selection):
                found = matched(part)
                if found is not None:
                    self._at[at, found[0]].append((number, found[1]))
                    self._times[found[1]] += 1
                elif (at, part) not in in_short:
                    self._otherwise.update(_mentioned(part, at))

    def of(self, places: list[Place]) -> frozenset[int] | None:
        """The predicates that match a column with a parameter used for nothing else; None if it is used otherwise."""
        found = [mention for place in places for mention in self._at.get(place, ())]
        parameters = {name for _, name in found}
        if len(parameters) > 1 or not self._otherwise.isdisjoint((*places, *parameters)):
            return None
        by = frozenset(number for number, _ in found)
        once_each = len(by) == len(found) == sum(self._times[name] for name in parameters)
        return by if once_each else None


class _Said:
    """The conjuncts that are said in short: over columns that are carried along the same way, and of which everything
    else that is said can be said in short, too."""

    def __init__(self, model: Model, predicates: Predicates) -> None:
        self._carried = {place: carried for carried in model.carried for place in carried.places()}
        self.parts: dict[tuple[int, Expression], Expression] = {}
        """By where it is asked: the conjunct in the same words wherever it is asked."""
        self._asked_by: dict[Expression, set[int]] = defaultdict(set)
        asked = [
            (number, at, part)
            for number, (at, selection) in enumerate(predicates)
            for part in parts_of(selection)
            if matched(part) is None
        ]
        at_length: set[Place] = set()
        rest = [each for each in asked if self._can_be_said(*each[1:])]
        left = [each for each in asked if not self._can_be_said(*each[1:])]
        while left:
            at_length.update(place for _, at, part in left for place in self._all_places(at, part))
            left = [
                (n, at, part) for n, at, part in rest if not at_length.isdisjoint(self._all_places(at, part))
            ]
            rest = [(n, at, part) for n, at, part in rest if at_length.isdisjoint(self._all_places(at, part))]
        for number, at, part in rest:
            in_common = self.parts.setdefault((at, part), self._in_common(part, at))
            self._asked_by[in_common].add(number)
        self.places = {place for _, at, part in rest for place in self._all_places(at, part)}

    def _can_be_said(self, at: int, part: Expression) -> bool:
        found = [self._carried.get((at, column.id)) for column in columns_of(part)]
        carried = [each for each in found if each is not None]
        goes_one_way = len(carried) == len(found) and len({(c.way, c.inputs()) for c in carried}) == 1
        is_plain = part.is_deterministic() and is_of_one_row(part) and is_blind(part)
        return goes_one_way and None not in carried[0].way and is_plain and not known_values(part)

    def _all_places(self, at: int, part: Expression) -> list[Place]:
        found = ((at, column.id) for column in columns_of(part))
        return [
            p
            for place in found
            for p in (self._carried[place].places() if place in self._carried else [place])
        ]

    def _in_common(self, part: Expression, at: int) -> Expression:
        first = {c.id: self._carried[at, c.id].columns[0][1] for c in columns_of(part)}
        return part if all(own == of.id for own, of in first.items()) else substituted(part, first)

    def in_short(self, numbers: Mapping[Place, Column]) -> dict[tuple[int, Expression], Expression]:
        """Each conjunct as a function of the columns that have the numbers; those always asked together are one."""
        together: dict[frozenset[int], list[tuple[int, Expression]]] = defaultdict(list)
        for asked, in_common in self.parts.items():
            together[frozenset(self._asked_by[in_common])].append(asked)
        found: dict[tuple[int, Expression], Expression] = {}
        for name, asked_together in enumerate(together.values()):
            for at in {at for at, _ in asked_together}:
                parts = [part for place, part in asked_together if place == at]
                columns = (column for part in parts for column in columns_of(part))
                read = {numbers.get((at, column.id), column) for column in columns}
                order = sorted(read, key=lambda column: self._carried[at, column.id].columns[0][1].id)
                said = Call(f"said {name}", tuple(order), BOOLEAN, options=(BLIND,))
                found.update({(at, part): said for part in parts})
        return found


def _numbers(kept: Carried, group: list[Carried]) -> Iterator[tuple[Place, Column]]:
    """Where the columns of a group stand: the kept column there."""
    columns = dict(kept.columns)
    if kept.output is not None:
        columns[OUTPUT] = kept.output
    for carried in group:
        for place in carried.places():
            yield place, columns[place[0]]


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
