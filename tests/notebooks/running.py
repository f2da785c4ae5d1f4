"""Runs a notebook as Jupyter does, cell by cell in one namespace, with the pandas that is given.

Magics and shell lines are dropped, what is drawn or trained is absorbed (`stand_ins.py`). The notebook works in a
folder of its own with a link to `data`, so what it writes stays out of the repository.
"""

from __future__ import annotations

import ast
import builtins
import json
import linecache
import os
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pandas as plain_pandas
from tests.notebooks import stand_ins

FOLDER = Path(__file__).parent

NOT_PYTHON = re.compile(r"^\s*[%!].*$", re.MULTILINE)


def cells(file: str) -> list[str]:
    """The code of a notebook, cell by cell, magics left blank; a script is one cell."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    if not file.endswith(".ipynb"):
        return [text]
    sources = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return [NOT_PYTHON.sub("", "".join(source)) for source in sources]


def run(
    file: str,
    folder: Path,
    pandas: ModuleType = plain_pandas,
    display: Callable[[Any], object] = lambda value: None,
) -> dict[str, Any]:
    """Run a notebook in a folder; its variables afterwards. `display` gets what its cells show."""
    variables: dict[str, Any] = {
        "__name__": "__main__",  # scripts ask for it, and functions of this module are pickled by value
        "__builtins__": {**vars(builtins), "__import__": _importing(pandas)},
        "display": display,
    }
    with _working_in(folder), _own_settings():
        for statements, shown in _compiled(file):
            exec(statements, variables)
            value = eval(shown, variables)
            if value is not None:
                display(value)
    return variables


@cache
def _compiled(file: str) -> list[tuple[CodeType, CodeType]]:
    """Each cell's statements, and the expression at its end, whose value is shown."""
    made = []
    for number, code in enumerate(cells(file), start=1):
        name = str(FOLDER / file)
        if file.endswith(".ipynb"):
            name = f"{file}, cell {number}"
            # So that the source of the notebook's functions can be found, as it can in Jupyter.
            linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        tree = ast.parse(code, name)
        shown: ast.expr = ast.Constant(None, lineno=1, col_offset=0)
        if tree.body and isinstance(last := tree.body[-1], ast.Expr):
            shown = last.value
            del tree.body[-1]
        made.append((_code(tree, name, "exec"), _code(ast.Expression(shown), name, "eval")))
    return made


def _code(tree: ast.Module | ast.Expression, name: str, mode: str) -> CodeType:
    code = compile(tree, name, mode, dont_inherit=True)
    assert isinstance(code, CodeType)
    return code


def _importing(pandas: ModuleType) -> Callable[..., Any]:
    """What `import` does in a notebook. Nobody else's imports are changed."""

    def imported(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "pandas":
            return pandas
        if name.split(".")[0] in stand_ins.REPLACED:
            return stand_ins.StandIn()
        return builtins.__import__(name, *args, **kwargs)

    return imported


@contextmanager
def _own_settings() -> Iterator[None]:
    """What a notebook sets for warnings and for printing is set for it alone; pandas draws with a stand-in."""
    rows = plain_pandas.get_option("display.max_rows")
    with (
        warnings.catch_warnings(),
        plain_pandas.option_context("plotting.backend", stand_ins.__name__, "display.max_rows", rows),
    ):
        yield


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    link = folder / "data"
    if not link.exists():
        link.symlink_to(FOLDER / "data", target_is_directory=True)
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
