"""Runs a program that uses pandas, a script or a notebook, with our pandas in place of its own.

It is run statement by statement. Drawings and models are skipped; where a statement needs the value of one, it is
skipped, too, and the names it would have set stand for what is missing. So is what only shows something that Spark
cannot have. Everything that was skipped is told.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import os
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import predtrace.pandas
from predtrace.cli.looking import only_shows
from predtrace.cli.notebooks import Piece, pieces_of
from predtrace.cli.results import Results
from predtrace.cli.scripts import as_the_program, from_the_script, script_failed
from predtrace.cli.skipping import Skips, needs_skipped
from predtrace.errors import InputError, PredtraceError
from predtrace.frontends.pandas.core.steps import Unfaithful
from predtrace.frontends.pandas.core.watching import listening
from predtrace.frontends.pandas.looping.recognising import recognised
from predtrace.frontends.pandas.looping.row_loops import done_on_spark
from predtrace.frontends.pandas.redirecting import Redirection
from predtrace.frontends.pandas.standing_in import Skipped, telling_of_calls


@dataclass(frozen=True)
class Ran:
    """What a program left: the frame that is meant, and what is to be said of the run."""

    name: str
    frame: Any
    why: str
    skipped: list[dict[str, Any]]
    left: list[str]

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "result": self.name,
            "chosen": self.why,
            "skipped": self.skipped,
            "values_left_spark": self.left,
        }


def run_program(
    path: Path, arguments: Sequence[str], result: str | None, quiet: bool, lets_write: bool
) -> Ran:
    """Run a program and find the frame that is meant."""
    pieces = pieces_of(path)
    module = ModuleType("__main__")
    module.__file__ = str(path)
    results, skips = Results(module.__dict__, lets_write), Skips()
    names = {"display": results.display, "get_ipython": Skipped("IPython")}
    redirection = Redirection(predtrace.pandas, names)
    module.__dict__["__builtins__"] = redirection.builtins
    with ExitStack() as around:
        around.enter_context(as_the_program(module, path, arguments))
        around.enter_context(redirection.modules_beside(path.resolve().parent))
        around.enter_context(listening(results))
        around.enter_context(telling_of_calls(skips.called))
        if quiet:
            around.enter_context(redirect_stdout(sys.stderr))
        if path.suffix == ".ipynb":
            around.enter_context(_in_folder(path.resolve().parent))
        program = _Program(module.__dict__, results, skips, _names_read(pieces))
        for piece in pieces:
            if not program.run(piece, path):
                break
        name, frame, why = results.chosen(result, path)
    return Ran(name, frame, why, skips.document(redirection.skipped), list(dict.fromkeys(results.left_at)))


@contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """Notebooks run where they are."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class _Program:
    def __init__(
        self, variables: dict[str, Any], results: Results, skips: Skips, names_read: Counter[str]
    ) -> None:
        self._variables = variables
        self._names_read = names_read
        self._results = results
        self._skips = skips
        self._flags = 0

    def run(self, piece: Piece, path: Path) -> bool:
        """Run a cell or a script; whether the program goes on after it."""
        linecache.cache[piece.file] = (
            len(piece.source),
            None,
            piece.source.splitlines(keepends=True),
            piece.file,
        )
        for line in piece.skipped:
            self._skips.line(line, Path(piece.file).name)
        try:
            body = ast.parse(piece.source, piece.file).body
            for place, statement in enumerate(body):
                is_shown = (
                    piece.is_cell and place == len(body) - 1 and not piece.source.rstrip().endswith(";")
                )
                self._run(statement, piece, is_shown)
        except SystemExit as end:
            if end.code not in (None, 0):
                raise script_failed(path, f"ended with exit code {end.code}") from None
            return False
        except PredtraceError:
            raise
        except Exception as problem:
            shown = problem.with_traceback(from_the_script(problem.__traceback__))
            traceback.print_exception(shown, file=sys.stderr)
            raise InputError(
                f"{path.name} raised {type(problem).__name__}: {problem}".rstrip(". "),
                where=_place(piece, problem),
                todo="see what it says above",
            ) from None
        return True

    def _run(self, statement: ast.stmt, piece: Piece, is_shown: bool) -> None:
        self._results.at(statement, f"line {statement.lineno} of {Path(piece.file).name}")
        try:
            if is_shown and isinstance(statement, ast.Expr):
                value = eval(self._compiled(ast.Expression(statement.value), piece, "eval"), self._variables)
                self._results.show_value(value)
            elif not self._is_done_on_spark(statement, piece):
                exec(self._compiled(ast.Module([statement], []), piece, "exec"), self._variables)
        except Exception as problem:
            if isinstance(problem, Unfaithful) and only_shows(statement):
                self._results.not_shown(problem)
            elif not needs_skipped(problem):
                raise
            self._skips.statement(problem, Path(piece.file).name)
            for name in stored_names(statement):
                self._variables[name] = Skipped(name)
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                self._flags |= getattr(__future__, alias.name).compiler_flag
        self._results.assigned(stored_names(statement, with_parts=True))

    def _is_done_on_spark(self, statement: ast.stmt, piece: Piece) -> bool:
        """Whether the statement is a loop over rows that could be done as a whole."""
        loop = recognised(statement)
        if loop is None:
            return False
        elsewhere = self._names_read - names_read_in(statement)
        where = f"line {statement.lineno} of {Path(piece.file).name}"
        call = ast.copy_location(ast.parse("do()", mode="eval").body, statement)  # in the program's own line
        code = self._compiled(ast.fix_missing_locations(ast.Expression(call)), piece, "eval")
        do = partial(done_on_spark, loop, self._variables, elsewhere.__contains__, where)
        return bool(eval(code, self._variables, {"do": do}))

    def _compiled(self, tree: ast.Module | ast.Expression, piece: Piece, how: str) -> Any:
        return compile(tree, piece.file, how, flags=self._flags, dont_inherit=True)


def stored_names(statement: ast.stmt, with_parts: bool = False) -> list[str]:
    """The variables of the program that a statement sets; with those of which it sets a part.

    >>> stored_names(ast.parse("for a in b: c['x'] = d = 1").body[0], with_parts=True)
    ['a', 'c', 'd']
    """
    found: list[str] = []
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, (ast.Name, ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            base: ast.expr = node
            while with_parts and isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            if isinstance(base, ast.Name):
                found.append(base.id)
        waiting.extend(ast.iter_child_nodes(node))
    return list(dict.fromkeys(found))


def _names_read(pieces: Sequence[Piece]) -> Counter[str]:
    found: Counter[str] = Counter()
    for piece in pieces:
        with suppress(SyntaxError):  # it is told of when the piece is run
            found += names_read_in(ast.parse(piece.source))
    return found


def names_read_in(tree: ast.AST) -> Counter[str]:
    """How often variables are read.

    >>> names_read_in(ast.parse("a = b + c * b"))
    Counter({'b': 2, 'c': 1})
    """
    nodes = ast.walk(tree)
    return Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


def _place(piece: Piece, problem: BaseException) -> str:
    """Where in the program an error came from: the last of its own lines on the way there."""
    if isinstance(problem, SyntaxError) and problem.filename == piece.file:
        file, line = piece.file, problem.lineno
    else:
        steps = traceback.extract_tb(problem.__traceback__)
        own = [
            (step.filename, step.lineno) for step in steps if step.filename in (piece.file, *_cells(piece))
        ]
        file, line = own[-1] if own else (piece.file, None)
    name, _, cell = file.rpartition("[")
    where = f"in cell {cell[:-1]}" if piece.is_cell and name else f"in {Path(file).name}"
    return f"{where}, line {line}" if line else where


def _cells(piece: Piece) -> list[str]:
    """All cells of the notebook that a cell is of: functions may be of another cell."""
    notebook = piece.file.rpartition("[")[0]
    return [file for file in linecache.cache if piece.is_cell and str(file).startswith(f"{notebook}[")]
