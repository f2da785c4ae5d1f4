"""A row that is known to be there, and that a key tells from all others, needs no more to be said of it.

    course = :target.course and price = :target.price and label(price) = :target.label

selects, of the rows of a group by course, the same row as `course = :target.course` alone. What a function says is
left out then: it may tell -0.0 from 0.0, so its result would select too little of rows that are equal in every
column (`verify`), and an operator would be refuted that has but one row to select. What compares a column with a
value stays: it is of use further down.
"""

from __future__ import annotations

from predtrace.infer.verification import tells_no_equal_rows_apart
from predtrace.ir.operators import Operator
from predtrace.ir.unique import unique_keys
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, known_values, parts_of


def as_far_as_needed(operator: Operator, selection: Selection, exists_if: Selection) -> Selection:
    """A predicate on an operator's output without what tells equal rows apart, if it selects the same rows.

    Of the only row that there can be, nothing is left to say: None, every row.
    """
    if exists_if is not None or selection is None or tells_no_equal_rows_apart(selection):
        return selection
    rest = all_of(part for part in parts_of(selection) if tells_no_equal_rows_apart(part))
    fixed = known_values(rest).keys()
    return rest if any(key <= fixed for key in unique_keys(operator)) else selection
