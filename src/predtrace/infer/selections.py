"""What inference decides, as plain data.

A predicate speaks of a row and of the values of one tuple of a *relation*: its parameters are named
`relation.column`. The first relation, `target`, holds the output rows to trace. Each needed result is another
one: those rows of an operator's output that its lookup predicate selects for some tuple of the relation it is
given. A source's lineage is the rows that its predicate selects for some tuple of its relation. So many
target rows cost one pass, like one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from predtrace.ir.expressions import Call, Column, Expression
from predtrace.ir.operators import Operator
from predtrace.ir.predicates import Parameter
from predtrace.ir.types import BOOLEAN
from predtrace.operators import Selection
from predtrace.operators.pushing import all_of, known_values, with_values

TARGET = "target"
EXACT = "exact"


@dataclass(frozen=True)
class Cut:
    """What must stay of an operator's output to recompute what is above it, and of its inputs likewise."""

    selection: Selection
    inputs: tuple[Cut, ...]


@dataclass(frozen=True)
class NeededResult:
    """An operator's output that must be at hand because no predicate passes it exactly."""

    name: str
    operator: Operator
    lookup: Selection
    given: str
    why: str


@dataclass(frozen=True)
class SourceSelection:
    """The predicate that selects a source reference's lineage; `why_not_exact` is empty if it is exact.

    A rewriting may have copied a reference (a subquery that Spark evaluates in two places): then it has several of
    these, each over the columns of its copy, and its lineage is what any of them selects.
    """

    reference: int
    columns: tuple[Column, ...]
    predicate: Selection
    given: str
    why_not_exact: str


@dataclass(frozen=True)
class Step:
    """The predicate that reached an operator, over tuples of the relation `given`, and what became of it.

    `needed` names the result that is needed there, or is empty. `verdicts` say for each input `EXACT` or, in words,
    why what is pushed to it (from the needed result, if there is one) is not.
    """

    operator: Operator
    selection: Selection
    given: str
    needed: str
    verdicts: tuple[str, ...]


@dataclass(frozen=True)
class Inferred:
    """The outcome for a pipeline: what is needed, from the output down, and what to select from each reference.

    `steps` tell it for each operator, from the output down, depth first. `cut` is what must stay, from the output
    down, to run the pipeline again for a target row and what is needed to trace it.
    """

    needed: tuple[NeededResult, ...]
    sources: tuple[SourceSelection, ...]
    steps: tuple[Step, ...]
    cut: Cut

    @property
    def exact(self) -> bool:
        return not any(source.why_not_exact for source in self.sources)


def values_by_lookup(lookups: Iterable[tuple[str, Selection]]) -> dict[str, Expression]:
    """The parameters of needed results whose value their lookup fixes, as values of the target or constants.

    `lookups` are those of the results by name, from the output down.
    """
    found: dict[str, Expression] = {}
    for name, lookup in lookups:
        values = known_values(with_values(lookup, found))
        found |= {f"{name}.{column}": value for column, value in values.items()}
    return found


def row_selection(columns: Iterable[Column], relation: str) -> Expression | None:
    """Every column has the value of a tuple of the relation, NULL being equal to NULL."""
    return all_of(
        Call("<=>", (column, Parameter(f"{relation}.{column.id}", column.type)), BOOLEAN, is_nullable=False)
        for column in columns
    )
