"""Eager tracking: the query runs with the addresses of source rows carried along each row, and they are saved.

This is the paper's baseline for data-science pipelines (an extra column with table and row of every input row that
contributed), here for everything that our reference tracker knows: it is that tracker, its result written to Parquet
beside the output. A trace reads the row's addresses and selects them from the sources. Each row's addresses are a
set: the tracker was written to be obviously right, not to be quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from benchmarks.baselines.answers import Answer, known_values, same
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from predtrace.frontends.spark.capture import Captured
from predtrace.reference import frames
from predtrace.reference.addresses import ADDRESS
from predtrace.reference.tracker import Tracker


class Eager:
    """Traces from the addresses that its run saved."""

    def __init__(self, captured: Captured) -> None:
        self.captured = captured
        self.tracker = Tracker(captured)
        self._folder = ""
        self._references: tuple[int, ...] = ()

    def run(self, folder: str) -> None:
        tracked = self.tracker.track(self.captured.written)
        tracked.rows.write.mode("overwrite").parquet(f"{folder}/tracked")
        self._folder, self._references = f"{folder}/tracked", tuple(sorted(tracked.references))

    def trace(self, row: Row) -> Answer:
        rows = self.captured.session.read.parquet(self._folder)
        for column, value in known_values(self.captured.written.output, row).items():
            rows = rows.filter(frames.sql(same(column, value)))
        by_source: dict[str, list[int]] = {}
        for reference in self._references:
            by_source.setdefault(self.captured.descriptors[reference].name, []).append(reference)
        read = tuple(self._rows(rows, references) for references in by_source.values())
        return Answer(read, {reference: self._rows(rows, [reference]) for reference in self._references})

    def _rows(self, rows: DataFrame, references: Sequence[int]) -> DataFrame:
        """The lineage in a source, which the pipeline reads as these references."""
        cells = [f"`{frames.column_name(frames.lineage_column(reference))}`" for reference in references]
        addresses = reduce(DataFrame.union, (rows.select(F.explode(cell).alias(ADDRESS)) for cell in cells))
        source = self.tracker.addresses.rows(references[0])
        return source.join(addresses, ADDRESS, "left_semi").drop(ADDRESS)
