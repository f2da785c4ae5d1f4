"""What the footers of Parquet files say of the values in each row group. No data is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from predtrace.engines.arrow_types import arrow_schema
from predtrace.engines.extents import Comparison, Extent
from predtrace.ir.types import DataType, Field, StructType

MOST_FOOTERS = 200
"""As many files are looked into for one quote: it must cost far less than what it is a quote of."""


@dataclass(frozen=True)
class RowGroup:
    """A row group: the bytes of all its columns, and what is known of those that are compared."""

    bytes: int
    extents: dict[str, Extent]


def rows_in_files(files: Iterable[tuple[Path, int]], most: int = MOST_FOOTERS) -> int | None:
    """How many rows Parquet files of these sizes hold; None if they are not those files, or too many to look into."""
    rows = 0
    for number, (file, size) in enumerate(files):
        if number == most:
            return None
        try:
            if file.stat().st_size != size:
                return None
            rows += pyarrow.parquet.read_metadata(file).num_rows
        except (OSError, pyarrow.ArrowException):
            return None
    return rows


class Footers:
    """Reads the footers of files, of a limited number of them."""

    def __init__(self, most: int = MOST_FOOTERS) -> None:
        self._remaining = most

    def row_groups(self, file: Path, size: int, comparisons: Collection[Comparison]) -> list[RowGroup] | None:
        """The row groups of a file with the columns that are compared; None if it was not looked into."""
        if self._remaining == 0:
            return None
        self._remaining -= 1
        try:
            if file.stat().st_size != size:  # no longer the file that was captured
                return None
            with pyarrow.parquet.ParquetFile(file) as opened:
                return list(_row_groups(opened.metadata, {one.column: one.type for one in comparisons}))
        except (OSError, pyarrow.ArrowException):
            return None


def _row_groups(metadata: Any, types: dict[str, DataType]) -> Iterator[RowGroup]:
    places = _places(metadata, types)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        compressed = sum(group.column(at).total_compressed_size for at in range(group.num_columns))
        yield RowGroup(compressed, {name: _extent(group, at, types[name]) for name, at in places.items()})


def _places(metadata: Any, types: dict[str, DataType]) -> dict[str, int]:
    """Where the columns are that have in the file the very type they have in Spark."""
    stored = metadata.schema.to_arrow_schema()
    found: dict[str, int] = {}
    for at in range(metadata.num_columns):
        column = metadata.schema.column(at)
        if column.path != column.name or stored.names.count(column.name) != 1:
            continue  # a part of a column, or one of several with this name
        if column.name in types and _is_stored_as(types[column.name], stored.field(column.name).type):
            found[column.name] = at
    return found


def _is_stored_as(type_: DataType, stored: pyarrow.DataType) -> bool:
    if pyarrow.types.is_dictionary(stored):
        stored = stored.value_type
    if pyarrow.types.is_large_string(stored):
        stored = pyarrow.string()
    time_zone = getattr(stored, "tz", None) or "UTC"  # what is stored is in UTC, whatever is noted beside it
    expected = arrow_schema(StructType("struct", (Field("value", type_),)), time_zone)
    return bool(expected.field(0).type == stored)


def _extent(group: Any, at: int, type_: DataType) -> Extent:
    found = group.column(at).statistics
    if found is None:
        return Extent()
    nulls = found.null_count if found.has_null_count else None
    return replace(_bounds(found, type_), has_nulls=nulls != 0, has_values=nulls != group.num_rows)


def _bounds(found: Any, type_: DataType) -> Extent:
    if not found.has_min_max:
        return Extent()
    try:
        if type_.name == "string":
            # Writers shorten long strings. So nothing that begins like the greatest one lies beyond it: no UTF-8 has
            # this byte. And as bytes, since it may end within a character.
            return Extent.between(found.min_raw, found.max_raw + b"\xff", type_)
        return Extent.between(found.min, found.max, type_)
    except (OverflowError, ValueError, pyarrow.ArrowException):  # a date that Python does not have
        return Extent()
