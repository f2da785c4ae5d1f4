"""By which columns the rows of a needed result are told apart.

A needed result is the relation of the rows that its lookup F selects. Below it, a row is selected by its values in
some columns, and by what F demands of a row alone. These need not be all columns: any set that contains those F
compares with parameters selects the very same rows, for a row that has these values in common with a looked-up row
is looked up too. So the fewest columns with which the search goes on exactly are the best: they are what is saved,
compared and joined with. And columns whose values may differ when they are recomputed can be left out.

(Unless F can tell values apart that are equal, such as -0.0 and 0.0 in a string. Then only rows that are equal in
every column stand for each other.)

What is likely to be enough is what F compares and what operators look at: join keys, grouping keys, conditions, but
not the columns that are only carried along. Often fewer will do: conditions on a row alone are pushed down with the
selection and need no column, neither does what is computed from a row, and of columns that a join makes equal one
tells them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set

from predtrace.infer.folding import matched
from predtrace.infer.models import Models
from predtrace.ir.expressions import Call, Column, ColumnId, Expression
from predtrace.ir.operators import (
    Filter,
    Join,
    JoinKind,
    Operator,
    Project,
    Sort,
    Source,
    walk_operators,
)
from predtrace.ir.parts import columns_of, conjuncts, leaves_of
from predtrace.ir.predicates import Parameter
from predtrace.operators import Selection
from predtrace.operators.pushing import parts_of
from predtrace.symbolic.sorts import equality_is_identity


def likely_keys(operator: Operator, lookup: Selection, models: Models) -> tuple[Column, ...] | None:
    """The columns that the lookup compares with parameters, and those that it or an operator below looks at.

    None if only rows equal in every column stand for each other.
    """
    wanted = set(_looked_at(operator, models))
    for part in filter(has_parameter, parts_of(lookup)):
        read = columns_of(part)
        if matched(part) is None and not all(equality_is_identity(column.type) for column in read):
            return None
        wanted |= {column.id for column in read}
    return tuple(column for column in operator.output if column.id in wanted)


def few_keys(
    operator: Operator, lookup: Selection, models: Models, keys: tuple[Column, ...]
) -> tuple[Column, ...]:
    """Of the likely keys: those that the lookup compares, those that joins and groups go by, and one side only of
    each equality that an inner join goes by."""
    original = _Original(operator)
    places = {original.of(column.id): place for place, column in enumerate(keys)}
    looked_up = (part for part in parts_of(lookup) if has_parameter(part))
    chosen = {original.of(column.id) for part in looked_up for column in columns_of(part)}
    gone_by = places.keys() & {original.of(column) for column in _gone_by(operator, models)}
    equal = [{original.of(one), original.of(other)} for one, other in _equalities(operator)]
    chosen |= gone_by.difference(*equal)
    chosen |= _one_of_each([pair & gone_by for pair in equal if not pair & chosen], places)
    return tuple(column for column in keys if original.of(column.id) in chosen)


def _one_of_each(pairs: list[set[ColumnId]], places: Mapping[ColumnId, int]) -> set[ColumnId]:
    """A column of each pair, those of many pairs first: each tells the rows of all its partners."""
    chosen: set[ColumnId] = set()
    while left := [pair for pair in pairs if pair and not pair & chosen]:
        times = Counter(column for pair in left for column in pair)
        chosen.add(min(times, key=lambda column: (-times[column], places[column])))
    return chosen


class _Original:
    """The column that was renamed, perhaps several times, to become another."""

    def __init__(self, operator: Operator) -> None:
        projects = (below for below in walk_operators(operator) if isinstance(below, Project))
        self._renamed = {
            named.column.id: named.expression.id
            for project in projects
            for named in project.columns
            if isinstance(named.expression, Column)
        }

    def of(self, column: ColumnId) -> ColumnId:
        seen = {column}
        while (before := self._renamed.get(column, column)) not in seen:
            seen.add(before)
            column = before
        return column


def _equalities(operator: Operator) -> Iterator[tuple[ColumnId, ColumnId]]:
    """The columns that inner joins make equal, so that the one is as good as the other."""
    for below in walk_operators(operator):
        if isinstance(below, Join) and below.kind is JoinKind.INNER and below.condition is not None:
            for part in conjuncts(below.condition):
                match part:
                    case Call(function="=", arguments=(Column() as one, Column() as other)):
                        if one.type == other.type and equality_is_identity(one.type):
                            yield one.id, other.id


def has_parameter(part: Expression) -> bool:
    return any(isinstance(node, Parameter) for node in leaves_of(part))


def _looked_at(operator: Operator, models: Models) -> Set[ColumnId]:
    if isinstance(operator, Source):
        return set()
    known = models.looked_at
    if id(operator) not in known:
        below: list[Set[ColumnId]] = [_looked_at(each, models) for each in operator.inputs]
        known[id(operator)] = _without_carried(operator, models, below)
    return known[id(operator)]


def _gone_by(operator: Operator, models: Models) -> Set[ColumnId]:
    """The columns that operators over several rows look at; not those that are looked at in one row alone."""
    match operator:
        case Source():
            return set()
        case Filter() | Sort():
            return _gone_by(operator.input, models)
        case Project(columns=columns):
            below = _gone_by(operator.input, models)
            return {
                n.column.id for n in columns if isinstance(n.expression, Column) and n.expression.id in below
            }
    known = models.gone_by
    if id(operator) not in known:
        known[id(operator)] = _without_carried(
            operator, models, [_gone_by(b, models) for b in operator.inputs]
        )
    return known[id(operator)]


def _without_carried(operator: Operator, models: Models, below: list[Set[ColumnId]]) -> Set[ColumnId]:
    """The columns of an operator that it looks at itself, or hands on where they are looked at below."""
    everything = {column.id for column in operator.output}
    model = models.of(operator)
    if model is None:
        return everything
    needless = {
        carried.output.id
        for carried in model.carried
        if carried.output is not None and not any(column.id in below[at] for at, column in carried.columns)
    }
    return everything - needless
