"""Frames written to one Parquet file, whole or in parts.

A large file is read in parts, so that it need not fit into memory. Each part has dtypes of its own, and what pandas
would have made of the whole must follow from them:

| the parts have | the whole has |
|---|---|
| one dtype | that dtype |
| that, and parts where all is missing | that dtype, with missing values; whole numbers are then floats |
| whole numbers and floats | floats |
| anything else | pandas is asked: it reads the whole |

`Undecided` says that it is the last row's case.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from predtrace.frontends.pandas.core.dtypes import FLOAT64, Dtype
from predtrace.frontends.pandas.core.steps import Unfaithful
from predtrace.frontends.pandas.files.layouts import Layout, Stored, arrow_table, layout_of

_ROWS_TOGETHER = 1 << 17
_EXACT_IN_FLOATS = 1 << 53


class Undecided(Exception):
    """The dtypes of the parts do not tell those of the whole."""


def write_whole(frame: pd.DataFrame, file: Path, call: str) -> Layout:
    """Write a frame."""
    layout = layout_of(frame, call)
    table = arrow_table(frame, layout).replace_schema_metadata(layout.to_metadata())
    pq.write_table(table, file, row_group_size=_ROWS_TOGETHER)
    return layout


def write_parts(parts: Iterable[pd.DataFrame], file: Path, folder: Path, call: str) -> Layout:
    """Write frames one below the other, as if they were one. Their default index goes on from part to part."""
    pieces: list[tuple[Path, _Known]] = []
    first_row = 0
    for part in parts:
        numbered = part.reset_index(drop=True) if isinstance(part.index, pd.RangeIndex) else part
        try:
            layout = layout_of(numbered, call)
        except Unfaithful:
            raise Undecided from None
        piece = folder / f"part-{len(pieces)}.parquet"
        pq.write_table(arrow_table(numbered, layout, first_row), piece)
        pieces.append((piece, _Known(numbered, layout)))
        first_row += len(part)
    return _together(pieces, file)


class _Known:
    """The layout of a part, and in which of its columns nothing or a large number is."""

    def __init__(self, part: pd.DataFrame, layout: Layout) -> None:
        self.layout = layout
        levels = [part.index.get_level_values(place).to_series() for place in range(len(layout.index))]
        columns = [*levels, *(part.iloc[:, place] for place in range(part.shape[1]))]
        self.missing = {
            one.name
            for one, values in self._with(columns)
            if one.dtype.name == "float64" and values.isna().all()
        }
        self.large = {
            one.name
            for one, values in self._with(columns)
            if one.dtype.is_integer and len(values) and int(values.abs().max()) > _EXACT_IN_FLOATS
        }

    def _with(self, columns: list[pd.Series]) -> Iterable[tuple[Stored, pd.Series]]:
        return zip(self.layout.stored, columns, strict=True)


def _together(pieces: list[tuple[Path, _Known]], file: Path) -> Layout:
    layouts = [known.layout for _, known in pieces]
    first = layouts[0]
    if any(_shape(layout) != _shape(first) for layout in layouts):
        raise Undecided
    dtypes = {one.name: _settled(one.name, [known for _, known in pieces]) for one in first.stored}
    layout = replace(
        first,
        columns=tuple(replace(one, dtype=dtypes[one.name]) for one in first.columns),
        index=tuple(replace(one, dtype=dtypes[one.name]) for one in first.index),
        is_unique=first.is_unique and (len(pieces) == 1 or not first.index),
    )
    fields = [pa.field(layout.row, pa.int64()), *(pa.field(n, _arrow(d)) for n, d in dtypes.items())]
    with pq.ParquetWriter(file, pa.schema(fields, layout.to_metadata())) as writer:
        for piece, known in pieces:
            table = pq.read_table(piece)
            columns = [
                pa.nulls(table.num_rows, field.type)
                if field.name in known.missing
                else table[field.name].cast(field.type)
                for field in fields
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=writer.schema), _ROWS_TOGETHER)
            piece.unlink()
    return layout


def _shape(layout: Layout) -> object:
    return layout.row, [(one.label, one.name) for one in layout.stored], len(layout.index)


def _settled(name: str, parts: list[_Known]) -> Dtype:
    full = [known for known in parts if name not in known.missing]
    found = [next(one.dtype for one in known.layout.stored if one.name == name) for known in full]
    kinds = {(dtype.name, str(dtype.spark)) for dtype in found}
    misses = len(full) < len(parts) or any(dtype.may_miss for dtype in found)
    if len(parts) > 1 and misses and name in {one.name for one in parts[0].layout.index}:
        raise Undecided  # an index has rules of its own for what is missing
    if not found:
        return FLOAT64
    dtype = found[0]
    whole_and_missing = dtype.is_integer and misses
    if len(kinds) == 1 and not whole_and_missing and dtype.categories is None:
        return dtype if dtype.is_float else dtype.missing(misses)
    if {kind for kind, _ in kinds} <= {"int64", "float64"} and not any(name in known.large for known in full):
        return FLOAT64
    raise Undecided


def _arrow(dtype: Dtype) -> pa.DataType:
    from pyspark.sql.pandas.types import to_arrow_type

    return to_arrow_type(dtype.spark)
