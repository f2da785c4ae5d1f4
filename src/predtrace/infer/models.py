"""Operators as proofs see them: run once on symbolic inputs, and which columns the run only carries along.

The inputs are any tables that the operators below can give, as far as it is known which columns tell their rows
apart (`unique_keys`): a row that a key selects needs no more to be said of it, and a group by a key has one row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from predtrace.ir.expressions import Column, ColumnId
from predtrace.ir.operators import LateralJoin, Operator
from predtrace.ir.unique import unique_keys
from predtrace.operators import LAWS, OperatorLaws, Selection
from predtrace.symbolic.sorts import Family, family
from predtrace.symbolic.tables import SymbolicTable, fresh_table, told_apart
from predtrace.symbolic.terms import TRUE, Term, constants_of
from predtrace.symbolic.values import NotExpressible, SymbolicValue

OUTPUT = -1
"""Where a predicate over the output reads its columns, beside the numbers of the inputs."""

_COUNTABLE = {Family.WHOLE, Family.MOMENT, Family.DECIMAL, Family.TEXT}
"""Types with as many values as one likes, as far as proofs are concerned."""

_KEYS, _WIDEST_KEY = 3, 4
"""So many keys of so many columns are told to proofs: what they compare cannot be folded."""

Place = tuple[int, ColumnId]
"""A column of an input, or of the output."""
Way = tuple[tuple[int, int] | None, ...]
"""For each output row: the input and the row that a value comes from; None: it is NULL."""


@dataclass(frozen=True)
class Carried:
    """Columns of inputs, at most one of each, that become one column of the output, or none."""

    columns: tuple[tuple[int, Column], ...]
    output: Column | None
    way: Way

    def places(self) -> list[Place]:
        own = [(at, column.id) for at, column in self.columns]
        return own if self.output is None else [*own, (OUTPUT, self.output.id)]

    def inputs(self) -> tuple[int, ...]:
        return tuple(at for at, _ in self.columns)

    def is_countable(self) -> bool:
        return all(family(column.type) in _COUNTABLE for _, column in self.columns)


@dataclass(frozen=True, eq=False)
class Model:
    """An operator's run on any tables of its bound."""

    laws: OperatorLaws[Any]
    run: Callable[[tuple[SymbolicTable, ...]], SymbolicTable]
    inputs: tuple[SymbolicTable, ...]
    output: SymbolicTable
    carried: tuple[Carried, ...]
    single: Model | None = None
    """Its run on any one row, where rows stand alone."""


class Models:
    """The models of operators, each made once. An operator that cannot be reasoned about has none."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Operator, Model | None]] = {}
        self.looked_at: dict[int, Set[ColumnId]] = {}
        """By operator: the columns of its output that it or one below it looks at, as `keys` finds them."""
        self.gone_by: dict[int, Set[ColumnId]] = {}
        """The same of operators over several rows alone."""
        self.row_by_row: dict[int, Selection] = {}
        """By operator: what any condition on its output is for its input, as `row_by_row` finds it."""

    def of(self, operator: Operator) -> Model | None:
        if id(operator) not in self._known:
            self._known[id(operator)] = operator, _model(operator)
        return self._known[id(operator)][1]


def _model(operator: Operator) -> Model | None:
    laws = LAWS.get(type(operator))
    if laws is None:
        return None

    def run(inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
        return laws.run(operator, inputs)

    def model(rows: Sequence[int], single: Model | None = None) -> Model:
        inputs = tuple(_any_input(operator, at, most) for at, most in enumerate(rows))
        output = run(inputs)
        return Model(laws, run, inputs, output, tuple(_carried(inputs, output)), single)

    try:
        return model(laws.bound(operator), model((1,)) if laws.rows_stand_alone else None)
    except NotExpressible:
        return None


def _any_input(operator: Operator, at: int, most: int) -> SymbolicTable:
    """Any rows that the operator below can give, at most so many."""
    below = operator.inputs[at]
    table = fresh_table(f"input {at + 1}", below.output, most)
    if most == 1 or (isinstance(operator, LateralJoin) and below is operator.right):
        return table  # (the right rows are those of all left rows, and a key holds for those of one)
    places = {column.id: place for place, column in enumerate(below.output)}
    keys = [key for key in unique_keys(below) if len(key) <= _WIDEST_KEY]
    return told_apart(table, [[places[column] for column in sorted(key)] for key in keys[:_KEYS]])


def _carried(inputs: tuple[SymbolicTable, ...], output: SymbolicTable) -> Iterator[Carried]:
    """The columns that nothing in the output depends on, but columns that repeat them."""
    origin = {
        id(value): (at, column, row)
        for at, table in enumerate(inputs)
        for row, cells in enumerate(table.rows)
        for column, value in zip(table.columns, cells.values, strict=True)
    }
    terms = [term for row in output.rows for term in (row.exists, *(c for of in row.lineage for c in of))]
    repeating: list[tuple[Column, list[tuple[int, Column, int] | None]]] = []
    for position, column in enumerate(output.columns):
        values = [row.values[position] for row in output.rows]
        if all(id(value) in origin or value.null is TRUE for value in values):
            repeating.append((column, [origin.get(id(value)) for value in values]))
        else:
            terms.extend(term for value in values for term in _terms(value))
    read = {id(constant) for constant in constants_of(*terms)}
    times = Counter(place for _, way in repeating for place in {cell[:2] for cell in way if cell is not None})
    free = {
        (at, column)
        for at, table in enumerate(inputs)
        for position, column in enumerate(table.columns)
        if times[at, column] <= 1
        and read.isdisjoint(id(c) for row in table.rows for c in constants_of(*_terms(row.values[position])))
    }
    for column, way in repeating:
        cells = {cell[:2] for cell in way if cell is not None}
        if cells and cells <= free and len({at for at, _ in cells}) == len(cells):
            where = tuple(None if cell is None else (cell[0], cell[2]) for cell in way)
            yield Carried(tuple(sorted(cells, key=lambda cell: cell[0])), column, where)
    for at, column in sorted(free, key=lambda place: (place[0], place[1].id)):
        if times[at, column] == 0:
            yield Carried(((at, column),), None, ())


def _terms(value: SymbolicValue) -> tuple[Term, ...]:
    return value.term, value.null, value.minus
