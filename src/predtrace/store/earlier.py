"""What earlier runs in a store found out about a pipeline.

They are about the same pipeline if its plan has the same operators in the same places. Constants may differ, such as
the day that a daily run is about. What is found is used for estimates only, so a store that cannot be read says
nothing here.
"""

from __future__ import annotations

from predtrace.errors import StoreProblem
from predtrace.ir.operators import Operator, walk_operators
from predtrace.store.runs import Runs

_MOST_RUNS = 5
"""So many are looked at, the last ones first: other pipelines may run into the same store."""


def rows_counted(runs: Runs, operators: Operator) -> dict[int, int]:
    """The numbers of rows of plan nodes, as the last run of the same pipeline has them."""
    shape = _shape(operators)
    try:
        for run in reversed(runs.complete()[-_MOST_RUNS:]):
            manifest = runs.manifest(run)
            if _shape(manifest.operators) == shape:
                return dict(manifest.counted)
    except (StoreProblem, OSError):
        pass
    return {}


def _shape(operators: Operator) -> list[tuple[str, int | None, int]]:
    return [(type(each).__name__, each.plan_node, len(each.inputs)) for each in walk_operators(operators)]
