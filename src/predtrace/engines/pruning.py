"""How much of a source's files may hold rows that comparisons select, by partition folders and Parquet footers.

A file or row group is left out only if it is certain that no row in it is selected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from predtrace.engines.extents import Comparison, Extent
from predtrace.engines.footers import Footers
from predtrace.ir.types import DataType

Way = tuple[Comparison, ...]
"""A way to select rows: all of these hold. None at all: every row is selected."""

_NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_WHOLE = re.compile(r"-?[0-9]{1,19}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class DataFile:
    """A file of a source. `folders` are those between the source's root and the file; `footer_at` is its path if it
    is a Parquet file on this machine."""

    size: int
    folders: tuple[str, ...] = ()
    footer_at: Path | None = None


@dataclass(frozen=True)
class Left:
    """What is left to scan. `unopened` files would have been looked into, had it been possible."""

    files: int = 0
    bytes: int = 0
    unopened: int = 0

    def and_also(self, other: Left) -> Left:
        """Both together."""
        return Left(self.files + other.files, self.bytes + other.bytes, self.unopened + other.unopened)


def left_of(files: Iterable[DataFile], ways: Sequence[Way], footers: Footers) -> Left:
    """What is left of files when only rows are looked for that are selected in one of these ways.

    >>> from predtrace.engines.extents import comparison
    >>> from predtrace.ir.types import INTEGER
    >>> files = [DataFile(100, ("year=2024",)), DataFile(300, ("year=2025",))]
    >>> left_of(files, [(comparison("year", INTEGER, ">", (2024,)),)], Footers())
    Left(files=1, bytes=300, unopened=0)
    """
    left = Left()
    for file in files:
        left = left.and_also(_left_of_file(file, ways, footers))
    return left


def _left_of_file(file: DataFile, ways: Sequence[Way], footers: Footers) -> Left:
    folders = partition_values(file.folders)
    possible = [way for way in ways if _may_hold(way, _extents(folders, way))]
    if not possible:
        return Left()
    whole = Left(1, file.size)
    inside = [tuple(one for one in way if one.column not in folders) for way in possible]
    if file.footer_at is None or not all(inside):
        return whole
    groups = footers.row_groups(file.footer_at, file.size, {one for way in inside for one in way})
    if groups is None:
        return Left(1, file.size, unopened=1)
    skipped = [group for group in groups if not any(_may_hold(way, group.extents) for way in inside)]
    if len(skipped) == len(groups):
        return Left()
    return Left(1, file.size - sum(group.bytes for group in skipped))


def _may_hold(way: Way, extents: Mapping[str, Extent]) -> bool:
    return all(one.may_hold(extents.get(one.column, Extent())) for one in way)


def _extents(folders: Mapping[str, str | None], way: Way) -> dict[str, Extent]:
    return {one.column: _of_folder(folders[one.column], one.type) for one in way if one.column in folders}


def partition_values(folders: Iterable[str]) -> dict[str, str | None]:
    """The columns that partition folders give a value, as text; None for NULL.

    Escapes are read as Spark does, one character each.

    >>> partition_values(["day=2024-01-02", "shop=a%2Fb", "kind=__HIVE_DEFAULT_PARTITION__"])
    {'day': '2024-01-02', 'shop': 'a/b', 'kind': None}
    """
    pairs = (folder.partition("=") for folder in folders)
    return {
        _unescaped(name): None if value == _NULL_FOLDER else _unescaped(value)
        for name, equals, value in pairs
        if name and equals
    }


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def _of_folder(text: str | None, type_: DataType) -> Extent:
    if text is None:
        return Extent(has_values=False)
    try:
        value = _value(text, type_)
    except (ValueError, UnicodeEncodeError):
        return Extent()
    if value is None:
        return Extent()
    return Extent(value, value, has_nulls=False)


def _value(text: str, type_: DataType) -> Any:
    """The value that Spark reads from a folder's name; None where that depends on more than the name."""
    match type_.name:
        case "byte" | "short" | "integer" | "long" if _WHOLE.fullmatch(text):
            return int(text)
        case "string":
            return text.encode()
        case "date" if _DATE.fullmatch(text):
            return date.fromisoformat(text)
    return None
