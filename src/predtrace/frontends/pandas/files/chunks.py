"""`read_csv(chunksize=...)`: a file in frames of so many rows.

The whole file is one source, as it is without `chunksize`, and each frame has some of its rows. pandas reads the
chunks, too, one after the other: a chunk has dtypes of its own, whole numbers where the whole has floats, say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import functions as F

from predtrace.frontends.pandas.core.dtypes import BOOL, Dtype
from predtrace.frontends.pandas.core.spaces import Value
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.frame import DataFrame

_NUMBERS = "biuf"
"""The kinds of numpy's dtypes that are the same numbers in another dtype."""
_EXACT_AS_FLOATS = 2**53


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

    @property
    def chunksize(self) -> int | None:
        """How many rows a chunk has."""
        return self._reader.chunksize  # type: ignore[no-any-return]

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
        table = chunk._table
        if table.labels != list(found.columns):
            raise refused(self._call, "a chunk has other columns than the file")
        others = {}
        for (label, value), here, (_, there) in zip(
            table.columns, chunk._shown_dtypes(), found.items(), strict=True
        ):
            if self._is_changed(repr(label), value.dtype, here, there):
                others[label] = there.dtype
        if not isinstance(found.index, pd.RangeIndex):
            for place, level in enumerate(table.levels()):
                there = found.index.get_level_values(place).to_series()
                here = level.value.dtype.shown(False)
                if self._is_changed("the index", level.value.dtype, here, there):
                    raise self._refused("the index", here, there.dtype)
        return chunk.astype(others) if others else chunk

    def _is_changed(self, what: str, dtype: Dtype, here: Any, there: pd.Series) -> bool:
        """Whether a column of the file has another dtype in a chunk, of the same values."""
        if here == there.dtype:
            kinds = {type(one) for one in there.dropna()} if here.kind == "O" else set()
            if (dtype.is_text and kinds - {str}) or (dtype.is_bool and kinds - {bool}):
                raise self._refused(what, "texts" if dtype.is_text else "booleans", "other objects")
            return False
        if there.isna().all() and there.dtype.kind == "f":
            return True
        if {here.kind, there.dtype.kind} - set(_NUMBERS):
            raise self._refused(what, here, there.dtype)
        if here.kind == "f" and there.dtype.kind in "iu" and int(there.abs().max()) > _EXACT_AS_FLOATS:
            raise self._refused(what, here, f"{there.dtype} that no {here} holds")
        return True

    def _refused(self, what: str, here: Any, there: Any) -> Exception:
        todo = f"name its dtype: dtype={{{what}: ...}}"
        if isinstance(here, pd.CategoricalDtype):
            here, there, todo = "the categories of all rows", "others", "make categories of it afterwards"
        elif what == "the index":
            todo = "read it as a column, with its dtype, and make it the index afterwards"
        return refused(self._call, f"{what} has {there} in a chunk, but {here} in the file", todo)
