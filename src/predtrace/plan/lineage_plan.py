"""What a trace does, decided once per pipeline and written down as plain data.

A trace works with *relations*, sets of tuples. The first, `target`, holds the output rows to trace. Then, in the
order of `results`, the rows of each needed result that its lookup selects for some tuple of the relation it is
given become the next relation. At last each source reference's predicate selects its lineage rows for the tuples
of its relation. Parameters are named `relation.column-id`.

A needed result is at hand (saved), or is recomputed: the sources below it, and some plan nodes on the way up, are
cut down to what the looked-up rows need (`cuts`), and the lookup is applied to what comes out. Cutting again on the
way up is never necessary (R holds for all tables, so rows computed from cut-down inputs cannot reach a row that the
lookup selects); it is done where it keeps needless rows from being carried along.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

from predtrace.errors import InputError
from predtrace.ir.expressions import Column, Expression
from predtrace.ir.serialise import decode, encode
from predtrace.operators import Selection

VERSION = 1
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
    cuts: tuple[NodeCut, ...]
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
    """All of it. `target` are the output columns of the pipeline, by position."""

    target: tuple[Column, ...]
    results: tuple[ResultPlan, ...]
    sources: tuple[SourcePlan, ...]

    @property
    def exact(self) -> bool:
        return not any(source.why_not_exact for source in self.sources)

    def to_json(self) -> dict[str, Any]:
        """The JSON form, as Python dictionaries and lists."""
        return {"lineage_plan": VERSION, **_written(self)}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> LineagePlan:
        """The plan of a JSON form: `from_json(plan.to_json()) == plan`."""
        version = document.get("lineage_plan") if isinstance(document, dict) else None
        if version != VERSION:
            raise InputError(
                f"this is version {version!r} of the lineage plan format, and only {VERSION} is known",
                todo="capture the pipeline again, or use the version of predtrace that wrote it",
            )
        return _read(cls, {key: value for key, value in document.items() if key != "lineage_plan"})


_RECORDS: dict[type, dict[str, Any]] = {
    LineagePlan: {"results": ResultPlan, "sources": SourcePlan},
    ResultPlan: {"cuts": NodeCut},
    SourcePlan: {},
    NodeCut: {},
}
"""The fields that hold tuples of these records; all others hold parts of the operator model or plain values."""

Record = TypeVar("Record", LineagePlan, ResultPlan, SourcePlan, NodeCut)


def _written(record: Any) -> dict[str, Any]:
    nested = _RECORDS[type(record)]
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {n: [_written(r) for r in v] if n in nested else encode(v) for n, v in values.items()}


def _read(kind: type[Record], document: dict[str, Any]) -> Record:
    nested = _RECORDS[kind]
    wanted = {field.name for field in fields(kind)}
    if set(document) != wanted:
        odd = ", ".join(sorted(set(document) ^ wanted))
        raise InputError(f"{kind.__name__} has other fields than this version knows: {odd}")
    values: dict[str, Any] = {
        n: tuple(_read(nested[n], r) for r in v) if n in nested else decode(v) for n, v in document.items()
    }
    return kind(**values)
