"""By which columns the rows of a needed result are told apart.

A needed result is the relation of the rows that its lookup F selects. Below it, a row is selected by its values in
some columns, and by what F demands of a row alone. These need not be all columns: any set that contains those F
compares with parameters selects the very same rows, for a row that has these values in common with a looked-up row
is looked up too. So the fewest columns with which the search goes on exactly are the best: they are what is saved,
compared and joined with. And columns whose values may differ when they are recomputed can be left out.

(Unless F can tell values apart that are equal, such as -0.0 and 0.0 in a string. Then only rows that are equal in
every column stand for each other.)

What is likely to be enough is what F compares and what operators look at: join keys, grouping keys, conditions, but
not the columns that are only carried along.
"""

from __future__ import annotations

from collections.abc import Set

from predtrace.infer.folding import matched
from predtrace.infer.models import Models
from predtrace.ir.expressions import Column, ColumnId, Expression
from predtrace.ir.operators import Operator, Source
from predtrace.ir.parts import columns_of, leaves_of
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


def has_parameter(part: Expression) -> bool:
    return any(isinstance(node, Parameter) for node in leaves_of(part))


def _looked_at(operator: Operator, models: Models) -> Set[ColumnId]:
    if isinstance(operator, Source):
        return set()
    known = models.looked_at
    if id(operator) not in known:
        known[id(operator)] = _newly_looked_at(operator, models)
    return known[id(operator)]


def _newly_looked_at(operator: Operator, models: Models) -> Set[ColumnId]:
    everything = {column.id for column in operator.output}
    model = models.of(operator)
    if model is None:
        return everything
    below = [_looked_at(each, models) for each in operator.inputs]
    needless = {
        carried.output.id
        for carried in model.carried
        if carried.output is not None and not any(column.id in below[at] for at, column in carried.columns)
    }
    return everything - needless
