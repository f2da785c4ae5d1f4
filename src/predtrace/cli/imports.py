"""Which libraries a program uses: itself, or through the modules beside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from predtrace.cli.notebooks import pieces_of


def uses_pandas(path: Path) -> bool:
    """Whether a program's frames are those of pandas: it imports pandas, and Spark nowhere."""
    libraries = libraries_of(path)
    return "pandas" in libraries and "pyspark" not in libraries


def libraries_of(path: Path) -> set[str]:
    """The names of all modules that a program and the modules beside it import."""
    found: set[str] = set()
    looked_at: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in looked_at:
            continue
        looked_at.add(file)
        for name in _imported(file):
            found.add("pandas" if name == "predtrace.pandas" else name.partition(".")[0])
            waiting += _beside(path.parent, name)
    return found


def _imported(file: Path) -> Iterator[str]:
    for piece in pieces_of(file):
        try:
            tree = ast.parse(piece.source)
        except SyntaxError:
            continue  # whoever runs it says so
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _beside(folder: Path, name: str) -> list[Path]:
    """The files of a module that lies in the program's folder."""
    parts = name.split(".")
    found: list[Path] = []
    for depth in range(1, len(parts) + 1):
        at = folder.joinpath(*parts[:depth])
        found += [file for file in (at.with_suffix(".py"), at / "__init__.py") if file.is_file()]
    return found
