"""The laws of push-down: what each operator does, and what it proposes to push to its inputs.

`LAWS` has the operators that can be reasoned about. `Opaque` is not among them, because nobody knows what it does:
nothing is pushed below an operator without laws, and every row of its inputs may count.
"""

from __future__ import annotations

from typing import Any

from predtrace.ir import operators as ir
from predtrace.operators.base import Candidates, OperatorLaws, Selection
from predtrace.operators.choice import ChoiceLaws
from predtrace.operators.generators import GenerateLaws
from predtrace.operators.grouping import DistinctLaws, GroupByLaws
from predtrace.operators.joins import JoinLaws, LateralJoinLaws
from predtrace.operators.maps import CoGroupedMapLaws, GroupedMapLaws
from predtrace.operators.pivots import PivotLaws
from predtrace.operators.row_operators import ExpandLaws, FilterLaws, ProjectLaws, SortLaws
from predtrace.operators.sets import SetLaws
from predtrace.operators.windows import RowNumbersLaws, WindowLaws

__all__ = ["LAWS", "Candidates", "OperatorLaws", "Selection"]

LAWS: dict[type[ir.Operator], OperatorLaws[Any]] = {
    ir.Filter: FilterLaws(),
    ir.Project: ProjectLaws(),
    ir.Sort: SortLaws(),
    ir.Expand: ExpandLaws(),
    ir.Unpivot: ExpandLaws(),
    ir.Generate: GenerateLaws(),
    ir.Limit: ChoiceLaws(),
    ir.Sample: ChoiceLaws(),
    ir.Join: JoinLaws(),
    ir.LateralJoin: LateralJoinLaws(),
    ir.GroupBy: GroupByLaws(),
    ir.GroupByWithExtremes: GroupByLaws(),
    ir.Distinct: DistinctLaws(),
    ir.Pivot: PivotLaws(),
    ir.PivotWithFlag: PivotLaws(),
    ir.Window: WindowLaws(),
    ir.RowNumbers: RowNumbersLaws(),
    ir.GroupedMap: GroupedMapLaws(),
    ir.GroupedMapWithKeys: GroupedMapLaws(),
    ir.CoGroupedMap: CoGroupedMapLaws(),
    ir.CoGroupedMapWithKeys: CoGroupedMapLaws(),
    ir.Union: SetLaws(),
    ir.Intersect: SetLaws(),
    ir.Except: SetLaws(),
}
