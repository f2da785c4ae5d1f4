"""The public interface: `capture` a DataFrame, `run` it, `trace` rows of its output, look at the `Lineage`.

What needs Spark is imported when it is asked for: a stored run is opened and traced without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from predtrace.api.cost import Cost
from predtrace.api.lineage import Lineage, SourceRows
from predtrace.api.stored import StoredRun, open_run

if TYPE_CHECKING:
    from predtrace.api.declarations import rowwise
    from predtrace.api.pipeline import Pipeline, capture

__all__ = ["Cost", "Lineage", "Pipeline", "SourceRows", "StoredRun", "capture", "open_run", "rowwise"]


def __getattr__(name: str) -> Any:
    if name in ("Pipeline", "capture"):
        from predtrace.api import pipeline

        return getattr(pipeline, name)
    if name == "rowwise":
        from predtrace.api import declarations

        return declarations.rowwise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
