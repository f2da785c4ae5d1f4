"""The files in a folder as tables: what `--data` makes of them.

Every Parquet, CSV, JSON or ORC file, and every folder of such files of one kind, is a view named after it. What is
not clearly a table is left out, and said to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from predtrace.cli.reporting import first_line, note
from predtrace.cli.spark_errors import spark_errors
from predtrace.errors import InputError, SourceProblem
from predtrace.frontends.spark.quiet import quiet_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FORMATS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".orc": "orc",
}
_COMPRESSIONS = frozenset({".gz", ".bz2", ".zst", ".lz4", ".deflate", ".snappy"})
_OPTIONS = {"csv": {"header": "true", "inferSchema": "true"}}
_LOGS = ("_delta_log", ".hoodie", "metadata")
"""Folders in which a table format says which files count: to read all files would be to read other rows."""


@dataclass(frozen=True)
class DataTable:
    """A file or folder that is a table."""

    name: str
    format: str
    path: Path


def tables_in(folder: Path) -> list[DataTable]:
    """The tables in a folder."""
    if not folder.is_dir():
        raise InputError(
            f"there is no folder {folder}", where="in --data", todo="give the folder with the data"
        )
    found: dict[str, DataTable] = {}
    for path in sorted(folder.iterdir()):
        table = _table(path)
        if table is None:
            continue
        # Spark does not tell names apart by case.
        other = found.setdefault(table.name.lower(), table)
        if other is not table:
            raise InputError(
                f"{other.path.name} and {table.path.name} would both be the table {table.name!r}",
                where=f"in {folder}",
                todo="rename one, or move it elsewhere",
            )
    if not found:
        raise InputError(
            "no Parquet, CSV, JSON or ORC file or folder",
            where=f"in {folder}",
            todo="give the folder with the data",
        )
    return list(found.values())


def register(session: SparkSession, tables: list[DataTable]) -> None:
    """Make each table a temporary view."""
    for table in tables:
        reader = session.read.format(table.format).options(**_OPTIONS.get(table.format, {}))
        try:
            with quiet_spark():
                rows = reader.load(str(table.path))
        except spark_errors() as problem:
            raise SourceProblem(
                f"{table.path} cannot be read as {table.format}: {first_line(problem)}",
                todo="repair the file, or move it out of the folder",
            ) from None
        rows.createOrReplaceTempView("`" + table.name.replace("`", "``") + "`")


def _table(path: Path) -> DataTable | None:
    if path.name.startswith((".", "_")):
        return None
    name, format_name = _named(path)
    if path.is_file():
        return DataTable(name, format_name, path) if format_name else None
    formats = {_named(file)[1] for file in _data_files(path)}
    has_log = any((path / log).is_dir() for log in _LOGS)
    if has_log or len(formats) > 1:
        why = "it looks like a table with a log of its own" if has_log else "it holds files of several kinds"
        note(f"--data leaves out {path}: {why}.")
        return None
    return next((DataTable(name, inside, path) for inside in formats if inside), None)


def _named(path: Path) -> tuple[str, str]:
    """A path's name without its extension, and its format if the extension tells one.

    >>> _named(Path("data/orders.csv.gz")), _named(Path("2024.q1")), _named(Path("a.snappy.parquet"))
    (('orders', 'csv'), ('2024.q1', ''), ('a.snappy', 'parquet'))
    """
    plain = path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path
    format_name = _FORMATS.get(plain.suffix.lower(), "")
    return (plain.stem, format_name) if format_name else (path.name, "")


def _data_files(folder: Path) -> Iterator[Path]:
    """The files that Spark reads: those directly in a folder or in its partitions."""
    for path in folder.iterdir():
        if path.name.startswith((".", "_")):
            continue
        if path.is_file():
            yield path
        elif "=" in path.name:
            yield from _data_files(path)
