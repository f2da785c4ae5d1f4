"""Files as frames: pandas reads them, with all its options, and Spark goes on from a copy (`files/copies.py`).

A frame that is read so has its rows numbered by the column `row` of the copy: 0 is the first row of data. A lineage
shows that number beside the columns of the file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as F

from predtrace.errors import EnvironmentProblem
from predtrace.frontends.pandas.core.dtypes import INT64
from predtrace.frontends.pandas.core.making import known
from predtrace.frontends.pandas.core.mixed import as_spark_writes
from predtrace.frontends.pandas.core.sessions import session
from predtrace.frontends.pandas.core.spaces import Key, fresh
from predtrace.frontends.pandas.core.steps import refused, users_line
from predtrace.frontends.pandas.core.tables import Table, new_table
from predtrace.frontends.pandas.files.chunks import Chunks
from predtrace.frontends.pandas.files.copies import Copy, copy_of
from predtrace.frontends.pandas.files.layouts import Layout
from predtrace.frontends.pandas.files.parts import Undecided, write_parts, write_whole
from predtrace.frontends.pandas.frame import DataFrame
from predtrace.ir.operators import ORIGINALS
from predtrace.ir.types import quoted

_LARGE = 64_000_000
"""Bytes of a file that is read in parts, where its options allow that."""
_ROWS_OF_A_PART = 200_000
_ABOUT_EACH_ROW = (
    "sep delimiter header names usecols index_col dtype encoding encoding_errors na_values keep_default_na "
    "na_filter skiprows thousands decimal comment quotechar quoting escapechar doublequote skipinitialspace "
    "skip_blank_lines true_values false_values converters engine low_memory on_bad_lines compression "
    "lineterminator float_precision memory_map"
)
_PART_OPTIONS = frozenset(_ABOUT_EACH_ROW.split())
"""What says the same of a part of a CSV as of the whole. (The format of dates, say, is guessed from the first.)"""
_COMPRESSIONS = frozenset({".gz", ".bz2", ".zip", ".xz", ".zst"})


def read_csv(filepath_or_buffer: Any, **options: Any) -> Any:
    """The rows of a CSV file, as pandas reads them; several frames of them if chunks are asked for."""
    return _read_or_chunks("read_csv", filepath_or_buffer, options)


def read_table(filepath_or_buffer: Any, **options: Any) -> Any:
    """The rows of a text file with tabs; several frames of them if chunks are asked for."""
    return _read_or_chunks("read_table", filepath_or_buffer, options)


def read_fwf(filepath_or_buffer: Any, **options: Any) -> DataFrame:
    """The rows of a text file with columns of fixed widths."""
    return _read("read_fwf", filepath_or_buffer, options)


def read_json(path_or_buf: Any, **options: Any) -> DataFrame:
    """The rows of a JSON file."""
    if isinstance(path_or_buf, str) and path_or_buf.lstrip().startswith(("{", "[")):
        return _in_memory("read_json", path_or_buf, options)
    return _read("read_json", path_or_buf, options)


def json_normalize(data: Any, *args: Any, **kwargs: Any) -> DataFrame:
    """Records that the program has as dicts, those inside of others in columns of their own."""
    return DataFrame(pandas.json_normalize(known(data), *args, **kwargs))


def read_parquet(path: Any, engine: str = "auto", columns: Any = None, **options: Any) -> DataFrame:
    """The rows of a Parquet file or folder."""
    return _read("read_parquet", path, {"engine": engine, "columns": columns, **options})


def read_feather(path: Any, columns: Any = None, **options: Any) -> DataFrame:
    """The rows of a Feather file."""
    return _read("read_feather", path, {"columns": columns, **options})


def read_pickle(filepath_or_buffer: Any, **options: Any) -> DataFrame:
    """A frame of pandas that was pickled."""
    return _read("read_pickle", filepath_or_buffer, options)


def read_stata(filepath_or_buffer: Any, **options: Any) -> DataFrame:
    """The rows of a Stata file."""
    return _read("read_stata", filepath_or_buffer, options)


def read_excel(io: Any, sheet_name: Any = 0, **options: Any) -> Any:
    """The rows of a sheet; a dict of frames if several are asked for, as in pandas."""
    file = io.path if isinstance(io, ExcelFile) else io
    if sheet_name is None or isinstance(sheet_name, list):
        wanted = sheet_name if sheet_name is not None else ExcelFile(file).sheet_names
        return {name: read_excel(file, name, **options) for name in wanted}
    suffix = f"-{sheet_name}" if sheet_name != 0 else ""
    return _read("read_excel", file, {"sheet_name": sheet_name, **options}, suffix)


class ExcelFile:
    """A workbook: `parse` reads a sheet of it."""

    def __init__(self, path_or_buffer: Any, **options: Any) -> None:
        self.path = path_or_buffer
        with _with_packages("ExcelFile", lambda: pandas.ExcelFile(path_or_buffer, **options)) as opened:
            self.sheet_names: list[Any] = list(opened.sheet_names)

    def parse(self, sheet_name: Any = 0, **options: Any) -> Any:
        """The rows of a sheet."""
        return read_excel(self, sheet_name, **options)

    def close(self) -> None:
        """Nothing is left open: each sheet is read from the file."""

    def __enter__(self) -> ExcelFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _with_packages(call: str, work: Callable[[], Any]) -> Any:
    """pandas reads some formats by packages that may not be there."""
    try:
        return work()
    except ImportError as problem:
        package = re.search(r"dependency '([\w.-]+)'", str(problem))
        raise EnvironmentProblem(
            f"pandas.{call}() needs a package that is not installed",
            where=f"in {users_line()}",
            todo=f"run `pip install {package[1]}`" if package else str(problem).rstrip("."),
        ) from None


def _read_or_chunks(call: str, file: Any, options: dict[str, Any]) -> DataFrame | Chunks:
    if options.get("chunksize") is None and not options.get("iterator"):
        return _read(call, file, options)
    of_all = {name: value for name, value in options.items() if name not in ("chunksize", "iterator")}
    if not isinstance(file, (str, os.PathLike)):
        raise refused(f"pandas.{call}(chunksize=...)", "it reads no file", "read all of it")
    return Chunks(
        f"pandas.{call}(chunksize=...)",
        getattr(pandas, call)(file, **options),
        lambda: _read(call, file, of_all),
    )


def _read(call: str, file: Any, options: Mapping[str, Any], suffix: str = "") -> DataFrame:
    if options.get("chunksize") is not None or options.get("iterator"):
        raise refused(
            f"pandas.{call}(chunksize=...)", "it reads piece by piece", "read the whole: it is lazy"
        )
    if not isinstance(file, (str, os.PathLike)):
        return _in_memory(call, file, options)
    given = os.path.expanduser(os.fspath(file))
    if re.match(r"[A-Za-z][\w+.-]*://", given):
        todo = "download the file first and read it from disk"
        raise refused(f"pandas.{call}() of a URL", "its rows would not be the same for a trace later", todo)
    os.stat(given)  # raises what pandas raises
    path = Path(given).absolute()

    def convert(copy: Path, folder: Path) -> Layout:
        return _converted(f"pandas.{call}()", path, copy, folder, options)

    copy = _with_packages(call, lambda: copy_of(path, _name(path) + suffix, call, options, convert))
    return DataFrame._of(table_of_copy(copy))


def _in_memory(call: str, content: Any, options: Mapping[str, Any]) -> DataFrame:
    """What is in no file is a source like any other values of the program."""
    found = _with_packages(call, lambda: getattr(pandas, call)(content, **options))
    return DataFrame(_frame(f"pandas.{call}()", found))


def _frame(call: str, found: Any) -> pandas.DataFrame:
    if not isinstance(found, pandas.DataFrame):
        raise refused(call, f"it gives a {type(found).__name__} here, and no DataFrame")
    return found


def _name(path: Path) -> str:
    """The base name of a file without its extensions.

    >>> _name(Path("data/orders.csv.gz")), _name(Path("v1.2.csv"))
    ('orders', 'v1.2')
    """
    plain = path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path
    return plain.stem


def _converted(call: str, path: Path, copy: Path, folder: Path, options: Mapping[str, Any]) -> Layout:
    parts = _parts(call, path, options)
    if parts is not None:
        try:
            return write_parts(parts, copy, folder, call)
        except Undecided:
            copy.unlink(missing_ok=True)
    whole = getattr(pandas, call[len("pandas.") : -2])(path, **options)
    return write_whole(_frame(call, whole), copy, call)


def _parts(call: str, path: Path, options: Mapping[str, Any]) -> Iterator[pandas.DataFrame] | None:
    """A large file in parts, if pandas would make the same of the parts; None if it is to be read as a whole."""
    if path.is_dir() or path.stat().st_size < _LARGE:
        return None
    if call in ("pandas.read_csv()", "pandas.read_table()"):
        if not set(options) <= _PART_OPTIONS or "category" in str(options.get("dtype")):
            return None
        reader: Any = pandas.read_csv if call == "pandas.read_csv()" else pandas.read_table
        parts: Iterator[pandas.DataFrame] = reader(path, chunksize=_ROWS_OF_A_PART, **options)
        return parts
    if call == "pandas.read_parquet()" and set(options) == {"engine", "columns"}:
        file = pq.ParquetFile(path)
        if options["engine"] != "fastparquet" and options["columns"] is None and _has_plain_parts(file):
            batches = file.iter_batches(batch_size=_ROWS_OF_A_PART)
            return (pa.Table.from_batches([batch]).to_pandas() for batch in batches)
    return None


def _has_plain_parts(file: pq.ParquetFile) -> bool:
    """Whether nothing in a Parquet file, categories or an index by arithmetic, is about the whole."""
    schema = file.schema_arrow
    levels = (schema.pandas_metadata or {}).get("index_columns", [])
    counted = [level for level in levels if isinstance(level, dict)]
    return not any(map(pa.types.is_dictionary, schema.types)) and all(
        (level.get("start"), level.get("step")) == (0, 1) for level in counted
    )


def table_of_copy(copy: Copy) -> Table:
    """The rows of a copy, in order."""
    layout = copy.layout
    names = {layout.row: fresh("row")} | {one.name: fresh(one.name) for one in layout.stored}
    originals = json.dumps([[one.path, one.size, one.modified] for one in copy.originals])
    reader = session().read.schema(layout.schema()).option(ORIGINALS, originals)
    rows = reader.parquet(str(copy.file))
    row = names[layout.row]
    columns = [
        as_spark_writes(F.col(quoted(one.name)), one.dtype).alias(names[one.name]) for one in layout.stored
    ]
    return new_table(
        rows.select(F.col(quoted(layout.row)).alias(row), *columns),
        [(one.label, names[one.name], one.dtype) for one in layout.columns],
        [(one.label, names[one.name], one.dtype) for one in layout.index]
        or [(layout.numbers_label, row, INT64)],
        [Key(row, is_place=True)],
        is_unique=layout.is_unique,
        column_names=layout.column_names,
    )
