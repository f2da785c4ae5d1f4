"""What a trace gives: the rows of each source, read when asked for, whichever engine selects them."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from predtrace.api.asking import source_named, source_names
from predtrace.api.tables import print_rows
from predtrace.api.timings import Stopwatch, Timings, WatchedRows
from predtrace.ir.operators import SourceDescriptor

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from pyspark.sql import DataFrame

_SHOWN_ROWS = 20


class Rows(Protocol):
    """Rows to come, with the columns of a source."""

    def count(self) -> int:
        """The number of rows."""

    def to_arrow(self, limit: int | None = None) -> pyarrow.Table:
        """The rows, or the first of them, in this process's memory."""

    def to_spark(self) -> DataFrame:
        """The rows as a Spark DataFrame."""

    def write_parquet(self, folder: str) -> None:
        """Write the rows to a new folder."""


class Answer(Protocol):
    """Who knows the lineage of the rows of one trace."""

    @property
    def engine(self) -> str:
        """What selects the rows: `spark` or `duckdb`."""

    @property
    def method(self) -> str:
        """How: by `predicates`, by `refinement` of a superset, or by `tracking` every row again."""

    def steps(self) -> Iterator[str]:
        """What was run, in words."""

    def rows(self, references: Sequence[int]) -> Rows:
        """The lineage in a source, given all references to it that count."""


class Lineage:
    """The source rows behind some output rows. Rows are read when asked for."""

    def __init__(
        self,
        descriptors: Mapping[int, SourceDescriptor],
        answer: Answer,
        reasons: Sequence[str],
        watch: Stopwatch | None = None,
    ) -> None:
        self._descriptors = descriptors
        self._answer = answer
        self._reasons = reasons
        self._watch = watch or Timings().stopwatch()

    def timed_by(self, watch: Stopwatch) -> Lineage:
        """The same lineage, whose reading is measured."""
        watch.answered_by(self.method, self.engine)
        return Lineage(self._descriptors, self._answer, self._reasons, watch)

    @property
    def exact(self) -> bool:
        """Whether the rows are the lineage and nothing else; if not, `why_not_exact` says why."""
        return not self._reasons

    @property
    def why_not_exact(self) -> str:
        """The steps that stand in the way of an exact answer; empty if it is exact."""
        return "; ".join(self._reasons)

    @property
    def engine(self) -> str:
        """What selects the rows: `spark` or `duckdb`."""
        return self._answer.engine

    @property
    def method(self) -> str:
        """How rows are found: by `predicates`, by `refinement` of a superset, or by `tracking` every row again."""
        return self._answer.method

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
        source_named(source, self._descriptors)
        numbers = tuple(number for number, d in sorted(self._descriptors.items()) if d.name == source)
        return self._rows(source, numbers)

    def counts(self) -> dict[str, int]:
        """The number of lineage rows in each source."""
        return {source: self[source].count() for source in self.sources}

    def explain(self) -> str:
        """How the lineage was found: by whom, what was run, and why it is not exact if it is not."""
        verdict = "exact" if self.exact else f"a superset: {self.why_not_exact}"
        return "\n".join([f"{verdict} (by {self.method}, {self.engine})", *self._answer.steps()])

    def _rows(self, source: str, numbers: tuple[int, ...]) -> SourceRows:
        return SourceRows(source, numbers, WatchedRows(self._answer.rows(numbers), source, self._watch))

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
    _rows: Rows = field(repr=False)

    def count(self) -> int:
        """The number of rows."""
        return self._rows.count()

    def first(self, n: int = _SHOWN_ROWS) -> pyarrow.Table:
        """The first rows as an Arrow table. Which ones they are is not defined."""
        return self._rows.to_arrow(n)

    def show(self, n: int = _SHOWN_ROWS) -> None:
        """Print the first rows."""
        first = self._rows.to_arrow(n + 1)
        more = f" (the first {n})" if first.num_rows > n else ""
        print_rows(f"{self.source}{more}", first.slice(0, n))

    def to_spark(self) -> DataFrame:
        """The rows as a Spark DataFrame."""
        return self._rows.to_spark()

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas DataFrame, in this process's memory."""
        return self.to_arrow().to_pandas()

    def to_arrow(self) -> pyarrow.Table:
        """The rows as an Arrow table, in this process's memory."""
        return self._rows.to_arrow()

    def write_parquet(self, folder: str) -> None:
        """Write the rows as Parquet to a new folder."""
        self._rows.write_parquet(folder)

    def _repr_html_(self) -> str:
        first: Any = self.first().to_pandas()
        return f"<p>{html.escape(self.source)}</p>{first.to_html(index=False)}"
