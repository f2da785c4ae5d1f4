"""Parquet files that DuckDB reads as Spark does, as SQL.

A file is let through only if its columns have, under the very same names, the types that Spark gave them. So what
Spark would do beyond reading the column (partition values from folder names, missing columns, wider types, old
calendars) never happens here. Spark's settings for reading are taken to be its defaults.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import duckdb

from predtrace.engines.duckdb_sql import NotInDuckDB, Values, file_type, new_name
from predtrace.engines.duckdb_sql.types import FLOATING, identifier
from predtrace.ir.operators import ORIGINALS, UNIQUE, SourceDescriptor
from predtrace.ir.types import DataType

_HARMLESS_OPTIONS = {"serialization.format", ORIGINALS, UNIQUE}
_PATTERN = set("*?[]{}")
_OLD_CALENDAR = ("org.apache.spark.legacyDateTime", "org.apache.spark.legacyINT96")


@dataclass(frozen=True)
class FileColumn:
    """A column to read: its name in the files, its type in Spark, and the name it gets."""

    name: str
    type: DataType
    becomes: str


def files_of(source: SourceDescriptor) -> list[str]:
    """The paths of a source's files; refuses what is not Parquet on this machine."""
    if source.format != "parquet":
        raise NotInDuckDB(f"the source {source.name}, which is {source.format}, not Parquet")
    options = sorted({key for key, _ in source.options} - _HARMLESS_OPTIONS)
    if options:
        raise NotInDuckDB(f"the source {source.name} with the option {options[0]}")
    if source.fingerprint.kind != "files":
        raise NotInDuckDB(f"the source {source.name}, whose files are not known")
    names = {field.name.lower() for field in source.schema.fields}
    paths = [_local(state.path) for state in source.fingerprint.files]
    for folder in {part for path in paths for part in Path(path).parts[:-1] if "=" in part}:
        if folder.split("=")[0].lower() in names:
            raise NotInDuckDB(f"the source {source.name}, whose folders are partitions")
    return paths


def _local(location: str) -> str:
    """The path of a file, from the way Hadoop writes it: `file:/data/x.parquet`."""
    path = location.removeprefix("file:")
    path = "/" + path.lstrip("/") if path != location else path
    if not path.startswith("/"):
        raise NotInDuckDB(f"the file {location}, which is not on this machine")
    if _PATTERN & set(path):
        raise NotInDuckDB(f"the file {location}, whose name looks like a pattern")
    if not Path(path).is_file():
        raise NotInDuckDB(f"the file {location}, which is not there")
    return path


@dataclass(frozen=True)
class _FoundType:
    duckdb: str
    is_int96: bool


_Types = dict[str, _FoundType]
_States = tuple[tuple[str | int, ...], ...]
_FOUND_BEFORE: dict[_States, _Types] = {}
_MOST_REMEMBERED = 1000


class ParquetFiles:
    """Reads files through a connection; looks into each of them once, and only once as long as it stays the same."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._types: dict[tuple[str, ...], _Types] = {}

    def reading(self, files: Sequence[str], columns: Sequence[FileColumn]) -> tuple[str, Values]:
        """The SELECT that reads these columns from the files, and the values bound in it."""
        if not files:
            nothing = (f"CAST(NULL AS {file_type(c.type)}) AS {identifier(c.becomes)}" for c in columns)
            return f"SELECT {', '.join(nothing)} WHERE false", {}
        if len({column.name.lower() for column in columns}) < len(columns):
            raise NotInDuckDB("columns whose names differ in case only")
        key = tuple(files)
        if key not in self._types:
            self._types[key] = self._known_types(list(files))
        types = self._types[key]
        selected = ", ".join(f"{_read(column, types)} AS {identifier(column.becomes)}" for column in columns)
        name = new_name()
        return f"SELECT {selected} FROM read_parquet(${name}, hive_partitioning = false)", {name: list(files)}

    def _known_types(self, files: list[str]) -> _Types:
        states = tuple(map(_state, files))
        known = _FOUND_BEFORE.get(states)
        if known is None:
            known = self._found_types(files)
            if len(_FOUND_BEFORE) >= _MOST_REMEMBERED:
                _FOUND_BEFORE.clear()
            _FOUND_BEFORE[states] = known
        return known

    def _found_types(self, files: list[str]) -> _Types:
        """The types of the columns; refuses files that disagree about them, and dates in an old calendar."""
        run = partial(self._connection.execute, parameters={"files": files})
        marks = run("SELECT DISTINCT decode(key) FROM parquet_kv_metadata($files)").fetchall()
        if any(mark in _OLD_CALENDAR for (mark,) in marks):
            raise NotInDuckDB("files with dates in the calendar of Spark 2")
        by_file: dict[str, list[tuple[Any, ...]]] = {}
        parts = "name, type, converted_type, scale, precision, logical_type, num_children"
        for file, *part in run(f"SELECT file_name, {parts} FROM parquet_schema($files)").fetchall():
            by_file.setdefault(file, []).append(tuple(part))
        schema, *others = by_file.values()
        if any(other[1:] != schema[1:] for other in others):
            raise NotInDuckDB("files with different columns")
        physical = _physical_types(schema)
        found = run("SELECT * FROM read_parquet($files, hive_partitioning = false) LIMIT 0").description or []
        return {name: _FoundType(str(type_), physical.get(name) == "INT96") for name, type_, *_ in found}


def _state(file: str) -> tuple[str | int, ...]:
    """What becomes another one when a file is changed or exchanged, even by one of the same size and age."""
    try:
        found = Path(file).stat()
    except OSError:
        raise NotInDuckDB(f"the file {file}, which is not there") from None
    return file, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _physical_types(schema: list[tuple[Any, ...]]) -> dict[str, str]:
    """How the top-level columns are stored; the schema lists each group before its members."""
    physical: dict[str, str] = {}
    inside = 0  # members, at any depth, that are still to come of the column at hand
    for name, type_, *_, members in schema[1:]:
        if inside == 0:
            physical[name] = type_
            inside = 1
        inside += (members or 0) - 1
    return physical


@lru_cache(maxsize=1000)
def _as_duckdb_calls_it(type_: str) -> str:
    return str(duckdb.type(type_))


def _read(column: FileColumn, types: dict[str, _FoundType]) -> str:
    name, expected = identifier(column.name), file_type(column.type)
    found = types.get(column.name)
    if found is None:
        raise NotInDuckDB(f"the column {column.name}, which the files do not have")
    if column.type.name == "timestamp" and found == _FoundType("TIMESTAMP", True):
        return f"make_timestamptz(epoch_us({name}))"  # Spark's INT96 timestamps are in UTC
    if found != _FoundType(_as_duckdb_calls_it(expected), False):
        raise NotInDuckDB(
            f"the column {column.name}, which is {found.duckdb} in the files and {column.type} in Spark"
        )
    if column.type.name in FLOATING:
        # Statistics in files leave NaN out, and DuckDB trusts them: it would not find a NaN. So it must not look
        # through to the column.
        return f"(CASE WHEN isnan({name}) THEN CAST('NaN' AS {expected}) ELSE {name} END)"
    return name
