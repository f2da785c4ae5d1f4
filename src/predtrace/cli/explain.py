"""`predtrace explain`: what would be saved and selected, and why. Nothing is run and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from predtrace.cli.pipelines import Job, give
from predtrace.cli.reporting import Report, progress
from predtrace.cli.saying import said_of
from predtrace.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class _Explainer:
    """Explains what a job gives; a script's writes are not done."""

    lets_write = False

    def __init__(self, result_asked: bool) -> None:
        self.documents: list[dict[str, Any]] = []
        self.local_sources: list[str] = []
        self._result_asked = result_asked

    def take(self, target: str, frame: DataFrame) -> None:
        import predtrace

        with progress("Reasoning about the pipeline"):
            pipeline = predtrace.capture(frame)
            text = pipeline.explain()
        descriptors = pipeline.captured.descriptors
        names = {number: source.name for number, source in descriptors.items()}
        local = (source.name for source in descriptors.values() if source.format == "memory")
        self.local_sources += dict.fromkeys(local)
        self.documents.append(
            {
                "target": target,
                "exact": pipeline.plan.exact,
                "saved": [
                    {"name": result.name, "operator": result.operator, "why": result.why}
                    for result in pipeline.plan.results
                ],
                "sources": [
                    {
                        "name": names[source.reference],
                        "exact": not source.why_not_exact,
                        "why_not_exact": source.why_not_exact,
                    }
                    for source in pipeline.plan.sources
                ],
                "text": text,
                "plan": pipeline.plan.to_json(),
            }
        )

    @contextmanager
    def writing(self, target: str, frame: DataFrame) -> Iterator[DataFrame | None]:
        if not self._result_asked:
            self.take(target, frame)
        yield None


def explain_job(job: Job) -> Report:
    """Explain every pipeline of a job."""
    explainer = _Explainer(job.result is not None)
    ran = give(job, explainer)
    if not explainer.documents:
        raise InputError(
            "the script writes no DataFrame",
            where=f"in {job.path}",
            todo="name the variable to explain with --result",
        )
    shown: list[RenderableType] = []
    for document in explainer.documents:
        if document["target"]:
            shown.append(Rule(Text(document["target"]), align="left"))
        shown.append(document["text"])
    found: dict[str, Any] = {"pipelines": explainer.documents}
    if ran is not None:
        found["program"] = ran.document()
        shown += said_of(ran, explainer.local_sources)
    return Report(found, shown)
