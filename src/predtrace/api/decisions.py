"""What is decided of a pipeline, once for all its traces: each decision is made when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path

from predtrace.api.collecting import without_collecting
from predtrace.engines.footers import rows_in_files
from predtrace.frontends.spark.capture import Captured
from predtrace.infer.algorithm_1 import infer
from predtrace.infer.refinement import refine
from predtrace.infer.selections import Inferred
from predtrace.infer.side_cuts import SideCut, side_cuts
from predtrace.ir.determinism import unstable_steps
from predtrace.ir.operators import Opaque, Operator, SourceDescriptor, walk_operators
from predtrace.operators.hidden import with_hidden_columns
from predtrace.plan.building import lineage_plan
from predtrace.plan.lineage_plan import LineagePlan
from predtrace.plan.refinement_plan import RefinementPlan, refinement_plan
from predtrace.plan.sizes import Sizes, smaller_later
from predtrace.store.files import is_local, local_path


class Decisions:
    """Decisions about a captured pipeline. `counted` are the rows of plan nodes that an earlier run has counted."""

    def __init__(self, captured: Captured, counted: Mapping[int, int] | None = None) -> None:
        self._captured = captured
        self._counted = dict(counted or {})

    def knowing(self, counted: Mapping[int, int]) -> Decisions:
        """The decisions with these rows counted; the same ones if that is no news."""
        return self if counted == self._counted else Decisions(self._captured, counted)

    @cached_property
    def operators(self) -> Operator:
        """The pipeline with the hidden columns of its results."""
        return with_hidden_columns(self._captured.operators)

    @cached_property
    def inferred(self) -> Inferred:
        """How the lineage of any output row is found."""
        in_files = cache(lambda reference: _rows_of(self._captured.descriptors[reference]))
        sizes = Sizes(self._captured.nodes.estimated_rows, in_files, self._counted)
        with without_collecting():
            return infer(self.operators, better_later=smaller_later(sizes))

    @cached_property
    def plan(self) -> LineagePlan:
        """The same, as what is to be asked of the sources and of which results."""
        return lineage_plan(self.inferred, self.operators)

    @cached_property
    def plan_without_results(self) -> LineagePlan:
        """The same for traces that may neither look up saved results nor run the pipeline again: often not exact."""
        return lineage_plan(infer(self.operators, keep_nothing=True), self.operators)

    @cached_property
    def side_cuts(self) -> tuple[SideCut, ...]:
        """How a run for a trace may be cut down beyond the plan's cuts."""
        return side_cuts(self.operators, self.inferred)

    @cached_property
    def refinement(self) -> RefinementPlan:
        """How a superset is found by predicates and semi joins on the sources alone."""
        return refinement_plan(refine(self.operators), self.operators)

    @cached_property
    def opaque_steps(self) -> list[str]:
        """Steps that nobody can look into, with the reason."""
        operators = walk_operators(self._captured.operators)
        return [f"{one.title()}: {one.why}" for one in operators if isinstance(one, Opaque)]

    @cached_property
    def unstable_steps(self) -> list[str]:
        """Steps that may give other rows when they run again, with the reason."""
        return unstable_steps(self._captured.operators)


def _rows_of(source: SourceDescriptor) -> int | None:
    """How many rows a source has, if its files say so."""
    files = source.fingerprint.files
    if (
        source.format != "parquet"
        or source.fingerprint.kind != "files"
        or not all(is_local(f.path) for f in files)
    ):
        return None

    def sizes() -> Iterator[tuple[Path, int]]:
        for file in files:
            yield local_path(file.path), file.size

    return rows_in_files(sizes())
