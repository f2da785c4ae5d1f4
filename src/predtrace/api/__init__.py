"""The public interface: `capture` a DataFrame, `run` it, `trace` rows of its output, look at the `Lineage`."""

from predtrace.api.lineage import Lineage, SourceRows
from predtrace.api.pipeline import Pipeline, capture
from predtrace.api.stored import StoredRun, open_run

__all__ = ["Lineage", "Pipeline", "SourceRows", "StoredRun", "capture", "open_run"]
