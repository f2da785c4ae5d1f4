"""A row that is known to be there, and that a key tells from all others, needs no more to be said of it.

    course = :target.course and price = :target.price and label(price) = :target.label

selects, of the rows of a group by course, the same row as `course = :target.course` alone. What compares a column
with a value stays: it is of use further down. What is said of computed values is left out

- where it tells equal rows apart: a function may tell -0.0 from 0.0, so its result would select too little of rows
  that are equal in every column (`verify`), and an operator would be refuted that has but one row to select;
- where an operator is refuted with it: what is computed from several inputs says too little of each of them.
"""

from __future__ import annotations

from collections.abc import Callable

from predtrace.infer.verification import tells_no_equal_rows_apart
from predtrace.ir.expressions import Expression
from predtrace.ir.operators import Operator
from predtrace.ir.unique import unique_keys
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, known_values, parts_of


def as_far_as_needed(operator: Operator, selection: Selection, exists_if: Selection) -> Selection:
    """A predicate on an operator's output without what tells equal rows apart, if it selects the same rows.

    Of the only row that there can be, nothing is left to say: None, every row.
    """
    return _without(operator, selection, exists_if, tells_no_equal_rows_apart)


def values_alone(operator: Operator, selection: Selection, exists_if: Selection) -> Selection:
    """A predicate on an operator's output that only compares columns with values, if it selects the same rows."""
    return _without(operator, selection, exists_if, lambda part: bool(known_values(part)))


def _without(
    operator: Operator, selection: Selection, exists_if: Selection, stays: Callable[[Expression], bool]
) -> Selection:
    parts = parts_of(selection)
    if exists_if is not None or all(map(stays, parts)):
        return selection
    rest = all_of(filter(stays, parts))
    fixed = known_values(rest).keys()
    return rest if any(key <= fixed for key in unique_keys(operator)) else selection
