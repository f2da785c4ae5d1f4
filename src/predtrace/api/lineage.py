"""What a trace gives: the rows of each source, read when asked for."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from predtrace.api.answers import Answer
from predtrace.errors import UnknownSource
from predtrace.ir.operators import SourceDescriptor

if TYPE_CHECKING:
    import pandas
    import pyarrow

_SHOWN_ROWS = 20


class Lineage:
    """The source rows behind some output rows. Rows are read when asked for."""

    def __init__(self, descriptors: dict[int, SourceDescriptor], answer: Answer, reasons: list[str]) -> None:
        self._descriptors = descriptors
        self._answer = answer
        self._reasons = reasons

    @property
    def exact(self) -> bool:
        """Whether the rows are the lineage and nothing else; if not, `why_not_exact` says why."""
        return not self._reasons

    @property
    def why_not_exact(self) -> str:
        """The steps that stand in the way of an exact answer; empty if it is exact."""
        return "; ".join(self._reasons)

    @property
    def sources(self) -> list[str]:
        """The names of the pipeline's sources."""
        return source_names(self._descriptors)

    @property
    def references(self) -> list[SourceRows]:
        """The lineage in each reference to a source apart: a table read twice has two."""
        return [self._rows(d.name, (number,)) for number, d in sorted(self._descriptors.items())]

    def __getitem__(self, source: str) -> SourceRows:
        """The lineage in a source: the union over all references to it."""
        numbers = tuple(number for number, d in sorted(self._descriptors.items()) if d.name == source)
        if not numbers:
            raise unknown_source(source, self.sources)
        return self._rows(source, numbers)

    def counts(self) -> dict[str, int]:
        """The number of lineage rows in each source."""
        return {source: self[source].count() for source in self.sources}

    def _rows(self, source: str, numbers: tuple[int, ...]) -> SourceRows:
        return SourceRows(source, numbers, self._answer.rows(numbers))

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "superset"
        return f"<Lineage ({kind}) in {', '.join(self.sources)}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(s)}</td><td>{n:,}</td></tr>" for s, n in self.counts().items())
        note = "exact" if self.exact else f"a superset: {html.escape(self.why_not_exact)}"
        return f"<table><tr><th>source</th><th>rows</th></tr>{rows}</table><p>{note}</p>"


@dataclass(frozen=True)
class SourceRows:
    """Lineage rows of one source, with the source's full schema. Lazy."""

    source: str
    reference_numbers: tuple[int, ...]
    _frame: DataFrame = field(repr=False)

    def count(self) -> int:
        """The number of rows."""
        return int(self._frame.count())

    def show(self, n: int = _SHOWN_ROWS) -> None:
        """Print the first rows."""
        self._frame.show(n, truncate=False)

    def to_spark(self) -> DataFrame:
        """The rows as a Spark DataFrame."""
        return self._frame

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame, in this process's memory."""
        return self._frame.toPandas()

    def to_arrow(self) -> pyarrow.Table:
        """The rows as an Arrow table, in this process's memory."""
        return self._frame.toArrow()

    def _repr_html_(self) -> str:
        first: Any = self._frame.limit(_SHOWN_ROWS).toPandas()
        return f"<p>{html.escape(self.source)}</p>{first.to_html(index=False)}"


def source_names(descriptors: dict[int, SourceDescriptor]) -> list[str]:
    """The names of the sources, in the order the pipeline reads them first."""
    return list(dict.fromkeys(descriptor.name for _, descriptor in sorted(descriptors.items())))


def unknown_source(name: str, known: list[str]) -> UnknownSource:
    return UnknownSource(f"the pipeline has no source {name!r}", todo=f"use one of: {', '.join(known)}")
