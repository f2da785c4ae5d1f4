"""Addresses of source rows: file and row index for Parquet, a generated id elsewhere.

An address is one number. Two references to one source give the same row the same address, because both are
read from the same addressed frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from predtrace.frontends.spark.capture import Captured
from predtrace.ir.operators import Source
from predtrace.reference.frames import Tracked, column_name, fixed, lineage_column

ADDRESS = "predtrace_address"
_ROW_BITS = 40
"""Enough for the rows of any one file; the file's number stands above them."""


@dataclass
class AddressBook:
    """The sources of a pipeline, each row with its address."""

    captured: Captured
    by_name: dict[str, DataFrame] = field(default_factory=dict)

    def rows(self, reference: int) -> DataFrame:
        """A source's rows, columns as the source names them, and their address as the last column."""
        name = self.captured.descriptors[reference].name
        if name not in self.by_name:
            self.by_name[name] = self._addressed(reference)
        return self.by_name[name]

    def _addressed(self, reference: int) -> DataFrame:
        rows = self.captured.source_rows(reference)
        if self.captured.descriptors[reference].format == "parquet":
            return _by_file_and_row(rows)
        return fixed(rows.withColumn(ADDRESS, F.monotonically_increasing_id()))

    def track(self, source: Source, reference: int, place: int) -> Tracked:
        """A reference as tracked rows: the lineage of a source row is itself, carried under a place's number."""
        lineage = column_name(lineage_column(place))
        rows = self.rows(reference).toDF(*map(column_name, source.columns), lineage)
        return Tracked(
            rows.withColumn(lineage, F.array(F.col(f"`{lineage}`"))),
            source.columns,
            frozenset({place}),
        )

    def untracked(self, source: Source) -> Tracked:
        """The rows of a copy that is no reference: they have no lineage."""
        rows = self.captured.source_rows(self._copied_from(source))
        return Tracked(rows.toDF(*map(column_name, source.columns)), source.columns, frozenset())

    def _copied_from(self, source: Source) -> int:
        descriptors = self.captured.descriptors
        return next(number for number, known in descriptors.items() if known == source.descriptor)


def _by_file_and_row(rows: DataFrame) -> DataFrame:
    files = sorted(row[0] for row in rows.select("_metadata.file_path").distinct().collect())
    numbers = F.create_map(
        *(F.lit(part) for pair in zip(files, range(len(files)), strict=True) for part in pair)
    )
    file_number = F.element_at(numbers, F.col("_metadata.file_path")) if files else F.lit(0)
    address = F.shiftleft(file_number.cast("bigint"), _ROW_BITS) + F.col("_metadata.row_index")
    return rows.select("*", address.alias(ADDRESS))
