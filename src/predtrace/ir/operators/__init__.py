"""The operators of semantics.md as data. What an operator *means* (pushdown, tracking) lives elsewhere."""

from predtrace.ir.operators.base import Named, Operator, walk_everything, walk_operators
from predtrace.ir.operators.grouping import (
    CoGroupedMap,
    Distinct,
    GroupBy,
    GroupedMap,
    Pivot,
    PivotCell,
    Window,
)
from predtrace.ir.operators.joins import Join, JoinKind, LateralJoin
from predtrace.ir.operators.rows import Expand, Filter, Generate, Limit, Project, Sample, Sort, Unary, Unpivot
from predtrace.ir.operators.sets import Except, Intersect, SetOperation, Union
from predtrace.ir.operators.sources import (
    FileState,
    Fingerprint,
    OneRow,
    Opaque,
    Source,
    SourceDescriptor,
)

__all__ = [
    "CoGroupedMap",
    "Distinct",
    "Except",
    "Expand",
    "FileState",
    "Filter",
    "Fingerprint",
    "Generate",
    "GroupBy",
    "GroupedMap",
    "Intersect",
    "Join",
    "JoinKind",
    "LateralJoin",
    "Limit",
    "Named",
    "OneRow",
    "Opaque",
    "Operator",
    "Pivot",
    "PivotCell",
    "Project",
    "Sample",
    "SetOperation",
    "Sort",
    "Source",
    "SourceDescriptor",
    "Unary",
    "Union",
    "Unpivot",
    "Window",
    "walk_everything",
    "walk_operators",
]
