"""What a trace does, decided once per pipeline and written down as plain data.

A trace works with *relations*, sets of tuples. The first, `target`, holds the output rows to trace. Then, in the
order of `results`, the rows of each needed result that its lookup selects for some tuple of the relation it is
given become the next relation. At last each source reference's predicate selects its lineage rows for the tuples
of its relation. Parameters are named `relation.column-id`.

The needed results were kept when the pipeline ran. If it did not run through predtrace, it runs again: the sources,
and some plan nodes on the way up, are cut down to what the target rows and the lookups need (`cuts`). Cutting again
on the way up is never necessary (R holds for all tables, so rows computed from cut-down inputs cannot reach a row
that is looked at); it is done where it keeps needless rows from being carried along.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from predtrace.ir.expressions import Column, Expression
from predtrace.ir.types import is_comparable
from predtrace.operators import Selection
from predtrace.plan.records import Nesting, document, from_document

VERSION = 2
"""Of the JSON form."""


@dataclass(frozen=True)
class NodeCut:
    """The rows of a plan node that must stay."""

    plan_node: int
    selection: Expression


@dataclass(frozen=True)
class ResultPlan:
    """A needed result: which plan node, which of its columns, how its rows are looked up, and why it is needed."""

    name: str
    plan_node: int
    operator: str
    columns: tuple[Column, ...]
    lookup: Selection
    given: str
    why: str


@dataclass(frozen=True)
class SourcePlan:
    """How the lineage in one source reference is selected; `why_not_exact` is empty if it is exact."""

    reference: int
    columns: tuple[Column, ...]
    predicate: Selection
    given: str
    why_not_exact: str


@dataclass(frozen=True)
class LineagePlan:
    """All of it. `target` are the pipeline's output columns, by position; of `cuts`, inputs come before consumers."""

    target: tuple[Column, ...]
    results: tuple[ResultPlan, ...]
    sources: tuple[SourcePlan, ...]
    cuts: tuple[NodeCut, ...] = ()

    @property
    def exact(self) -> bool:
        return not any(source.why_not_exact for source in self.sources)

    @property
    def results_can_be_looked_up(self) -> bool:
        """Whether the values of the needed results can be compared with others: maps cannot."""
        return all(is_comparable(column.type) for result in self.results for column in result.columns)

    def to_json(self) -> dict[str, Any]:
        """The JSON form, as Python dictionaries and lists."""
        return document(_NAME, VERSION, self, _NESTING)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> LineagePlan:
        """The plan of a JSON form: `from_json(plan.to_json()) == plan`."""
        return from_document(_NAME, VERSION, cls, found, _NESTING)


_NAME = "lineage_plan"
_NESTING: Nesting = {
    LineagePlan: {"results": ResultPlan, "sources": SourcePlan, "cuts": NodeCut},
    ResultPlan: {},
    SourcePlan: {},
    NodeCut: {},
}
