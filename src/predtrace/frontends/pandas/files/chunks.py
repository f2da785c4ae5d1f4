"""`read_csv(chunksize=...)`: a file in frames of so many rows.

The whole file is one source, as it is without `chunksize`, and each frame has some of its rows. pandas reads the
chunks, too, one after the other: a chunk has dtypes of its own, whole numbers where the whole has floats, say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.frame import DataFrame

_NUMBERS = "biuf"
"""The kinds of numpy's dtypes that are the same numbers in another dtype."""


class Chunks(Iterator[DataFrame]):
    """What reads a file in chunks. `reader`: that of pandas; `whole`: the file's rows, read when they are needed."""

    def __init__(self, call: str, reader: Any, whole: Callable[[], DataFrame]) -> None:
        self._call = call
        self._reader = reader
        self._read_whole = whole
        self._whole: DataFrame | None = None
        self._done = 0

    def __next__(self) -> DataFrame:
        return self._chunk(next(self._reader))

    def get_chunk(self, size: int | None = None) -> DataFrame:
        """The next rows: as many as are asked for."""
        return self._chunk(self._reader.get_chunk(size))

    def read(self, nrows: int | None = None) -> DataFrame:
        """The next rows, or all that are left."""
        return self._chunk(self._reader.read(nrows))

    def close(self) -> None:
        """Read no further."""
        self._reader.close()

    def __enter__(self) -> Chunks:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _chunk(self, found: pd.DataFrame) -> DataFrame:
        if self._whole is None:
            self._whole = self._read_whole()
        first, self._done = self._done, self._done + len(found)
        table = self._whole._table
        (row,) = table.order
        number = F.col(row.name)
        kept = Value(table.space, (number >= first) & (number < self._done), frozenset({row.name}), BOOL)
        return self._with_dtypes(DataFrame._of(table.kept(kept)), found)

    def _with_dtypes(self, chunk: DataFrame, found: pd.DataFrame) -> DataFrame:
        """The chunk with the dtypes that pandas gives it."""
        if chunk._table.labels != list(found.columns):
            raise refused(self._call, "a chunk has other columns than the file")
        others = {}
        for label, here, there in zip(found.columns, chunk._shown_dtypes(), found.dtypes, strict=True):
            is_empty = bool(found[label].isna().all())
            if here == there or (is_empty and here.kind == "f"):
                continue
            if not (is_empty and there.kind == "f") and {here.kind, there.kind} - set(_NUMBERS):
                raise refused(
                    self._call,
                    f"{label!r} has {there} in a chunk, but {here} in the file",
                    f"name its dtype: dtype={{{label!r}: ...}}",
                )
            others[label] = there
        return chunk.astype(others) if others else chunk
