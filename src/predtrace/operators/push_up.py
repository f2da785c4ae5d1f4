"""What an operator's inputs may tell of its output rows, and of each other: proposals for push-up.

As with push-down, an operator only proposes. `shown_by` are the output columns that may be read off one input row,
`meeting` is the condition under which rows of two inputs come together. What holds is decided by proof
(`infer.push_up`): the columns of an outer join's other side are proposed, and refuted.
"""

from __future__ import annotations

from predtrace.ir.expressions import Call, Column, ColumnId, Expression, Literal
from predtrace.ir.operators import (
    CoGroupedMap,
    CoGroupedMapWithKeys,
    Expand,
    Filter,
    GroupBy,
    GroupedMapWithKeys,
    Join,
    Operator,
    Pivot,
    Project,
    RowNumbers,
    SetOperation,
    Sort,
    Source,
    walk_operators,
)
from predtrace.ir.types import BOOLEAN
from predtrace.operators.base import Selection
from predtrace.operators.pushing import Substitution, all_of, over, parts_of, substituted
from predtrace.symbolic.refinement_laws import other

_ALWAYS = Literal(True, BOOLEAN)


def shown_by(operator: Operator, at: int) -> dict[ColumnId, Expression]:
    """Output columns as expressions over a row of an input."""
    below = operator.inputs[at]
    match operator:
        case Project(columns=named) | GroupBy(keys=named) | Pivot(keys=named):
            found: dict[ColumnId, Expression] = {n.column.id: n.expression for n in named}
        case SetOperation(columns=columns):
            found = {column.id: own for column, own in zip(columns, below.output, strict=True)}
        case Expand(columns=columns, projections=projections):
            ways = zip(columns, zip(*projections, strict=True), strict=True)
            found = {column.id: parts[0] for column, parts in ways if len(set(parts)) == 1}
        case GroupedMapWithKeys(key_columns=columns, keys=keys):
            found = {column.id: key for column, key in zip(columns, keys, strict=True)}
        case CoGroupedMapWithKeys(key_columns=columns, left_keys=left, right_keys=right):
            found = {column.id: key for column, key in zip(columns, (left, right)[at], strict=True)}
        case _:
            own = {column.id: column for column in below.output}
            found = {column.id: own[column.id] for column in operator.output if column.id in own}
    available = {column.id for column in below.output}
    return {column: e for column, e in found.items() if over([e], available)}


def meeting(operator: Operator, of: int, by: int) -> Selection:
    """The condition under which a row of one input comes together with a row of another; None if there is none."""
    own, others = operator.inputs[of].output, operator.inputs[by].output
    match operator:
        case Join(condition=condition):
            return between(_ALWAYS if condition is None else condition, own, others)
        case SetOperation():
            return all_of(map(_equal, own, others))
        case CoGroupedMap(left_keys=left, right_keys=right):
            sides = (left, right)
            return all_of(map(_equal, sides[of], sides[by]))
    return None


def between(condition: Expression, own: tuple[Column, ...], others: tuple[Column, ...]) -> Expression | None:
    """A condition over the rows of two inputs as one over the first; None if it reads more than that."""
    theirs = {column.id: other(column) for column in others}
    if not over([condition], {column.id for column in own} ^ theirs.keys()):
        return None
    return substituted(condition, theirs)


def source_below(operator: Operator) -> tuple[Source, Selection, Substitution] | None:
    """The source that an operator's rows are row by row, the condition on its rows, and the columns over them.

    None where its rows are not made of a source's rows by filters and projections alone.
    """
    match operator:
        case Source():
            return operator, None, {column.id: column for column in operator.columns}
        case Filter(input=below) | Project(input=below) | Sort(input=below):
            found = source_below(below)
            if found is None or not _reads_the_row_alone(operator):
                return None
            source, condition, columns = found
            if isinstance(operator, Filter):
                more = substituted(operator.condition, columns)
                return source, all_of([*parts_of(condition), *parts_of(more)]), columns
            if isinstance(operator, Project):
                shown = {n.column.id: substituted(n.expression, columns) for n in operator.columns}
                return source, condition, shown
            return found
    return None


def _reads_the_row_alone(operator: Operator) -> bool:
    """Whether what an operator computes for a row is the same each time, and needs nothing but the row."""
    same = all(expression.is_deterministic() for expression in operator.expressions)
    return same and not operator.subqueries() and not operator.own_outer_columns()


def positions(operator: Operator) -> frozenset[ColumnId]:
    """The hidden columns of a plan that number rows: of rows that tie, each run may number others first."""
    numbered = (each.numbers for each in walk_operators(operator) if isinstance(each, RowNumbers))
    return frozenset(number.column.id for numbers in numbered for number in numbers)


def _equal(one: Column, its_other: Column) -> Expression:
    return Call("<=>", (one, other(its_other)), BOOLEAN, is_nullable=False)
