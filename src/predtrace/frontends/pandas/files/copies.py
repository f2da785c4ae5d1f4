"""A user's file as a Parquet file that Spark reads: pandas itself reads the file, once, and the copy is cached.

So a CSV has the very values and dtypes that pandas gives it, whatever the options. A copy is found again by the path,
size and time of change of the file and the options it was read with. It bears the file's name, by which lineages
name the source, and Spark is told which file it was made from, so that a change of that file is noticed.

Options that are functions have no name of their own: then the file is read each time, and equal copies are one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from predtrace.cache import cache_folder
from predtrace.frontends.pandas.files.layouts import Layout
from predtrace.ir.operators import FileState

_FORMAT = 1
"""Another number makes all copies anew."""


@dataclass(frozen=True)
class Copy:
    """A Parquet file, how a frame lies in it, and the files it was made from."""

    file: Path
    layout: Layout
    originals: tuple[FileState, ...]


Convert = Callable[[Path, Path], Layout]
"""Writes the copy to a file; may use a folder meanwhile."""


def copy_of(path: Path, name: str, call: str, options: Mapping[str, Any], convert: Convert) -> Copy:
    """The copy of a file, made now if there is none."""
    originals = tuple(_states(path))
    found = [
        call,
        pd.__version__,
        str(path),
        _options_named(options),
        [vars(one) for one in originals],
        _FORMAT,
    ]
    key = None if found[3] is None else _digest(json.dumps(found).encode())
    folder, file_name = cache_folder("pandas"), f"{_as_file_name(name)}.parquet"
    if key is not None:
        file = folder / key / file_name
        layout = Layout.from_metadata(pq.read_schema(file).metadata) if file.is_file() else None
        if layout is not None:
            return Copy(file, layout, originals)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder))
    try:
        file = draft / "copy" / file_name
        file.parent.mkdir()
        layout = convert(file, draft)
        # A copy that is made again is the same file as before, for runs that were made from it.
        os.utime(file, ns=(originals[0].modified * 1_000_000,) * 2)
        chosen = folder / (key or _digest(str(path).encode(), file))
        return Copy(_published(file, chosen), layout, originals)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _published(file: Path, folder: Path) -> Path:
    """Give the finished copy its place; where someone else was faster, theirs is as good."""
    chosen = folder / file.name
    try:
        file.parent.rename(folder)
    except OSError:
        if not chosen.is_file():
            raise
    return chosen


def _states(path: Path) -> list[FileState]:
    """The file; or the folder, and all that is in it."""
    inside = sorted(path.rglob("*")) if path.is_dir() else []
    found = [(one, one.stat()) for one in [path, *inside]]
    return [FileState(str(one), stat.st_size, stat.st_mtime_ns // 1_000_000) for one, stat in found]


def _digest(content: bytes, file: Path | None = None) -> str:
    found = hashlib.sha256(content)
    if file is not None:
        with file.open("rb") as opened:
            while block := opened.read(1 << 20):
                found.update(block)
    return found.hexdigest()[:32]


def _as_file_name(name: str) -> str:
    """A name that neither Spark nor DuckDB takes for a pattern, a hidden file or a part of a URL.

    >>> _as_file_name("sales 2020 (v1.2)"), _as_file_name("_a[1]*")
    ('sales 2020 (v1.2)', 'a_1__')
    """
    return re.sub(r"[*?\[\]{}%#:\\/\x00-\x1f]", "_", name).lstrip("_. ") or "file"


def _options_named(options: Mapping[str, Any]) -> str | None:
    """What options say, for the key of a copy; None if one of them is a function."""
    try:
        return repr(sorted((name, _named(value)) for name, value in options.items()))
    except TypeError:
        return None


def _named(value: Any) -> str:
    if value is None or isinstance(value, (str, bytes, bool, int, float, np.generic, np.dtype, type)):
        return repr(value)
    if isinstance(value, (list, tuple, range)):
        return f"{type(value).__name__}{[_named(one) for one in value]}"
    if isinstance(value, (set, frozenset)):
        return f"set{sorted(_named(one) for one in value)}"
    if isinstance(value, Mapping):
        return f"dict{[(_named(key), _named(one)) for key, one in value.items()]}"
    if isinstance(value, (np.ndarray, pd.Index)):
        return f"array{[_named(one) for one in value.tolist()]}"
    raise TypeError(f"a {type(value).__name__} has no name")
