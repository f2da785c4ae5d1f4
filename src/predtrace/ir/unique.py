"""Columns that no two rows of an operator's output have alike: rows told apart by them never tie in an order.

NULL counts as a value here, as in grouping. What is not known to be unique is not claimed to be: the rules below are
those of the operators alone, and of sources whose rows are numbered (`SourceDescriptor.unique`).

| operator | unique columns |
|---|---|
| Source | each numbering column |
| Filter, Sort, Limit, Window... | those of the input |
| RowNumbers | the same, and a numbering of all rows |
| Project | those of the input that it hands on |
| GroupedMap | of rows, those that it is known to hand on; of groups, their keys, if it does |
| GroupBy, Pivot, Distinct | the keys; without keys there is one row, which no columns tell from none |
| Join | one of the left and one of the right together; those of one side where each row has one partner at most |
| LateralJoin | one of the left and one of the right together: the latter holds for the rows of one left row |
| Union, Expand | a constant that tells the branches apart, with what is unique in each |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from predtrace.ir.expressions import Call, Case, Cast, Column, ColumnId, Expression, Literal
from predtrace.ir.operators import (
    Distinct,
    Expand,
    Filter,
    GroupBy,
    GroupedMap,
    Join,
    JoinKind,
    LateralJoin,
    Limit,
    OneFor,
    OneRow,
    Operator,
    Pivot,
    Project,
    RowNumbers,
    Sample,
    Sort,
    Source,
    Union,
    Window,
)
from predtrace.ir.parts import columns_of, conjuncts
from predtrace.ir.types import is_collated

Key = frozenset[ColumnId]
_WHOLE = ("byte", "short", "integer", "long")
_MOST = 8
"""Keys that are followed through the operators above: few are ever needed, and pairs of them multiply."""


def unique_keys(operator: Operator) -> tuple[Key, ...]:
    """Sets of columns that tell any two rows apart, the smallest first."""
    found = dict.fromkeys(_keys(operator))
    smallest = [key for key in found if not any(other < key for other in found)]
    return tuple(islice(sorted(smallest, key=lambda key: (len(key), sorted(key))), _MOST))


def _keys(operator: Operator) -> Iterator[Key]:
    match operator:
        case Source(columns=columns, descriptor=descriptor):
            for column in columns:
                if column.name in descriptor.unique:
                    yield frozenset({column.id})
        case OneRow():
            yield frozenset()
        case RowNumbers(numbers=numbers):
            yield from unique_keys(operator.input)
            for number in numbers:
                partition = {part.id for part in number.partition if isinstance(part, Column)}
                if len(partition) == len(number.partition):
                    yield frozenset({number.column.id, *partition})
        case Filter() | Sort() | Limit() | Window():
            yield from unique_keys(operator.input)
        case Sample(with_replacement=False):
            yield from unique_keys(operator.input)
        case Project(columns=columns):
            told = ((_as_told_apart(n.expression, operator.input), n.column.id) for n in columns)
            yield from _renamed(unique_keys(operator.input), ((old.id, new) for old, new in told if old))
        case GroupedMap(one_for=OneFor.ROW, handed_on=places, arguments=given, columns=columns):
            handed_on = ((given[old].id, columns[new].id) for new, old in places)
            yield from _renamed(unique_keys(operator.input), handed_on)
        case GroupedMap(one_for=OneFor.GROUP, handed_on=places, keys=given, columns=columns):
            if {old for _, old in places} == set(range(len(given))):
                yield frozenset(columns[new].id for new, _ in places)
        case GroupBy(keys=keys) | Pivot(keys=keys):
            yield frozenset(named.column.id for named in keys)
        case Distinct(on=on):
            yield from unique_keys(operator.input)
            yield frozenset(column.id for column in on)
        case Join():
            yield from _of_join(operator)
        case Union(branches=branches, columns=columns):
            yield from _of_union(branches, columns)
        case Expand():
            yield from _of_expand(operator)


def _as_told_apart(expression: Expression, rows: Operator) -> Column | None:
    """The column whose values this tells apart as the column itself does: a cast to more digits, a numbering."""
    if isinstance(expression, Column):
        return expression
    if isinstance(expression, Case):
        return _numbered(expression, rows)
    if isinstance(expression, Cast) and isinstance(expression.child, Column):
        kinds = [kind.name for kind in (expression.child.type, expression.type)]
        if all(kind in _WHOLE for kind in kinds) and _WHOLE.index(kinds[0]) <= _WHOLE.index(kinds[1]):
            return expression.child
    return None


def _numbered(case: Case, rows: Operator) -> Column | None:
    """The column that a CASE tells apart: for each value that it has, a constant of its own."""
    columns = columns_of(case)
    if len(columns) != 1 or not _all_differ([value for _, value in case.branches]):
        return None
    (column,) = columns
    listed = []
    for test, _ in case.branches:
        if not isinstance(test, Call) or test.function != "=" or test.arguments[0] != column:
            return None
        listed.append(test.arguments[1])
    values = _values_of(rows, column.id)
    if values is None or is_collated(column.type) or not _all_differ(listed):
        return None
    return column if all(value in listed for value in values) else None


def _values_of(rows: Operator, column: ColumnId) -> list[Expression] | None:
    """The constants that a column has, as far as operators that name its rows say; None if they do not."""
    match rows:
        case Filter() | Sort() | Limit():
            return _values_of(rows.input, column)
        case Project(columns=columns):
            handed_on = next(n.expression for n in columns if n.column.id == column)
            return _values_of(rows.input, handed_on.id) if isinstance(handed_on, Column) else None
        case Expand(columns=columns, projections=projections):
            place = [one.id for one in columns].index(column)
            return [values[place] for values in projections]
    return None


def _renamed(keys: Iterable[Key], handed_on: Iterable[tuple[ColumnId, ColumnId]]) -> Iterator[Key]:
    """The keys whose columns are all handed on, under each of their new names."""
    names: dict[ColumnId, list[ColumnId]] = {}
    for old, new in handed_on:
        names.setdefault(old, []).append(new)
    for key in keys:
        if key <= names.keys():
            yield from map(frozenset, islice(product(*(names[column] for column in sorted(key))), _MOST))


def _of_join(join: Join) -> Iterator[Key]:
    left, right = unique_keys(join.left), unique_keys(join.right)
    if join.kind in (JoinKind.SEMI, JoinKind.ANTI, JoinKind.EXISTENCE, JoinKind.SCALAR):
        yield from left  # of an outer row there is one
        return
    pairs = [one | other for one, other in product(left, right)]
    if isinstance(join, LateralJoin):
        yield from pairs  # a key of the right side tells apart the rows of one left row
        return
    if join.kind is JoinKind.FULL:
        # A row without a partner has NULLs in its place: not to be confused with a key that is NULL itself. Two rows
        # may come of one on each side, if they are no partners.
        present = {
            column.id for side in (join.left, join.right) for column in side.output if not column.nullable
        }
        yield from (pair for pair in pairs if pair and pair <= present)
        return
    yield from pairs
    if join.kind in (JoinKind.INNER, JoinKind.LEFT) and _has_one_partner(join, right, join.right):
        yield from left
    if join.kind in (JoinKind.INNER, JoinKind.RIGHT) and _has_one_partner(join, left, join.left):
        yield from right


def _has_one_partner(join: Join, keys: Sequence[Key], side: Operator) -> bool:
    """Whether a row of the other side has at most one partner: the condition fixes a key of this side."""
    own = {column.id for column in side.output}
    fixed: set[ColumnId] = set()
    for part in conjuncts(join.condition) if join.condition is not None else ():
        if isinstance(part, Call) and part.function in ("=", "<=>"):
            for one, other in (part.arguments, part.arguments[::-1]):
                if isinstance(one, Column) and one.id in own and not own & {c.id for c in columns_of(other)}:
                    fixed.add(one.id)
    return any(key <= fixed for key in keys)


def _of_union(branches: Sequence[Operator], columns: Sequence[Column]) -> Iterator[Key]:
    marks = [_constants(branch) for branch in branches]
    shared: set[frozenset[int]] | None = None
    for branch in branches:
        places = {column.id: place for place, column in reversed(list(enumerate(branch.output)))}
        keys = {frozenset(places[c] for c in key) for key in unique_keys(branch)}
        shared = keys if shared is None else shared & keys
    for mark in range(len(columns)):
        values = [of_branch.get(mark) for of_branch in marks]
        if _all_differ(values) and not is_collated(columns[mark].type):
            for key in sorted(shared or (), key=sorted):
                yield frozenset({columns[mark].id, *(columns[place].id for place in key)})


def _of_expand(expand: Expand) -> Iterator[Key]:
    for mark in range(len(expand.columns)):
        is_mark = not is_collated(expand.columns[mark].type)
        if not is_mark or not _all_differ([row[mark] for row in expand.projections]):
            continue
        handed_on = [
            (values[0].id, column.id)
            for column, values in zip(expand.columns, zip(*expand.projections, strict=True), strict=True)
            if isinstance(values[0], Column) and all(value == values[0] for value in values)
        ]
        for key in _renamed(unique_keys(expand.input), handed_on):
            yield key | {expand.columns[mark].id}


def _constants(operator: Operator) -> dict[int, Expression]:
    """The columns that are one constant in every row, by position."""
    while isinstance(operator, (Filter, Sort, Limit)):
        operator = operator.input
    if not isinstance(operator, Project):
        return {}
    return {i: n.expression for i, n in enumerate(operator.columns) if isinstance(n.expression, Literal)}


def _all_differ(values: Sequence[Expression | None]) -> bool:
    """Whether all are constants, and no two the same."""
    known = [
        value.value for value in values if isinstance(value, Literal) and isinstance(value.value, (int, str))
    ]
    return len(known) == len(values) == len(set(known)) and len({type(value) for value in known}) == 1
