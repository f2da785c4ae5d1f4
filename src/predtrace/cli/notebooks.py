"""The code of a notebook: its cells in order, without what is not Python.

Lines for IPython (`%matplotlib inline`, `!pip install`, `df?`) are left out where Python does not understand them; of
`%time` the statement is kept, and of `%%time` and the like the rest of the cell. Line numbers stay what they were.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from predtrace.errors import InputError

_TIMED_LINE = re.compile(r"^(\s*)%time\s+(?=\S)")
_MAGIC_LINE = re.compile(r"^(\s*)(?:[%!?]|(?P<name>\w+)\s*=\s*[%!])|\?\s*$")
_CELLS_OF_PYTHON = ("%%time", "%%timeit", "%%capture", "%%prun")


@dataclass(frozen=True)
class Piece:
    """Code that is run as a whole: a cell or a script."""

    file: str
    """Its name in tracebacks, such as `report.ipynb[3]`."""
    source: str
    is_cell: bool
    skipped: tuple[str, ...] = ()
    """The lines that were left out."""


def pieces_of(path: Path) -> list[Piece]:
    """The code of a script or a notebook."""
    text = _text(path)
    if path.suffix != ".ipynb":
        return [Piece(str(path), text, is_cell=False)]
    sources = _code_cells(path, text)
    return [_piece(f"{path}[{number}]", source) for number, source in enumerate(sources, 1)]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is no text in UTF-8", todo="give a script or a notebook") from None


def _code_cells(path: Path, text: str) -> list[str]:
    try:
        notebook: Any = json.loads(text)
        # Before version 4 of the format, cells were in sheets, and their source was an input.
        cells = notebook["cells"] if "cells" in notebook else notebook["worksheets"][0]["cells"]
        metadata = notebook.get("metadata", {})
        language = metadata.get("language_info", metadata.get("kernelspec", {})).get("name", "python")
        sources = [
            cell.get("source", cell.get("input", "")) for cell in cells if cell.get("cell_type") == "code"
        ]
        code = ["".join(source) for source in sources]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise InputError(f"{path} is no notebook", todo="give a .ipynb file as Jupyter saves it") from None
    if not str(language).lower().startswith("python"):
        raise InputError(f"{path} is a notebook in {language}", todo="give a notebook in Python")
    return code


def _piece(file: str, source: str) -> Piece:
    lines = source.split("\n")
    skipped: list[str] = []
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if not lines[first].split()[0].startswith(_CELLS_OF_PYTHON):
            return Piece(file, "", True, (lines[first].strip(),))
        skipped.append(lines[first].strip())
        lines[first] = ""
    while (number := _misunderstood(lines)) is not None:
        line = lines[number]
        lines[number] = _without_magic(line)
        skipped.append(line.strip())
    return Piece(file, "\n".join(lines), True, tuple(skipped))


def _misunderstood(lines: list[str]) -> int | None:
    """The first line that is for IPython; other mistakes are found when the cell is run."""
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as problem:
        number = (problem.lineno or 1) - 1
        # An unfinished line before it may take the blame.
        for place in (number, number + 1):
            if place < len(lines) and _MAGIC_LINE.search(lines[place]):
                return place
    return None


def _without_magic(line: str) -> str:
    timed = _TIMED_LINE.sub(r"\1", line)
    if timed != line:
        return timed
    found = _MAGIC_LINE.search(line)
    name = found["name"] if found else None
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}{name} = get_ipython()" if name else f"{indent}pass"
