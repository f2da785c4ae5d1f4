"""The laws of push-down: what each operator does, and what it proposes to push to its inputs.

`LAWS` has the operators that can be reasoned about. An operator without an entry is opaque: nothing is pushed
below it.
"""

from __future__ import annotations

from typing import Any

from predtrace.ir.operators import (
    Distinct,
    Except,
    Expand,
    Filter,
    GroupBy,
    Intersect,
    Join,
    Limit,
    Operator,
    Project,
    Sample,
    Sort,
    Union,
    Unpivot,
)
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.choice import ChoiceLaws
from predtrace.operators.grouping import DistinctLaws, GroupByLaws
from predtrace.operators.joins import JoinLaws
from predtrace.operators.row_operators import ExpandLaws, FilterLaws, ProjectLaws, SortLaws
from predtrace.operators.sets import SetLaws

__all__ = ["LAWS", "Candidates", "OperatorLaws", "Selection"]

LAWS: dict[type[Operator], OperatorLaws[Any]] = {
    Filter: FilterLaws(),
    Project: ProjectLaws(),
    Sort: SortLaws(),
    Expand: ExpandLaws(),
    Unpivot: ExpandLaws(),
    Limit: ChoiceLaws(),
    Sample: ChoiceLaws(),
    Join: JoinLaws(),
    GroupBy: GroupByLaws(),
    Distinct: DistinctLaws(),
    Union: SetLaws(),
    Intersect: SetLaws(),
    Except: SetLaws(),
}
