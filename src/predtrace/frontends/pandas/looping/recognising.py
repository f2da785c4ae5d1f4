"""Which loops over `iterrows()` or `itertuples()` are a function of the row, by their text.

    for i, row in df.iterrows():
        if pd.isnull(row["rent"]):
            df.at[i, "rent"] = areas[areas["area"] == row["area"]]["median"].values[0]

Each turn of this loop reads its row and other tables, and does no more than set cells of that row. Others append to a
list. The body of such a loop is the body of a function:

| in the loop | in the function |
|---|---|
| `df.at[i, "rent"] = value`, `df.loc[i, "rent"] = value` | `cells["rent"] = value` |
| `lines.append(value)` | `appended.setdefault("lines", []).append(value)` |
| a variable that is set | a variable of the function |
| `continue` | `return` |

A variable that a turn has from the one before it is not set in the function, which raises then; so no such loop is
taken for a function of the row. (`try` might hide that, and is not recognised.) Neither is whatever else a loop may
do to the things around it. Loops over `itertuples()` are read as if their rows were series.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

CELLS, APPENDED = "cells_of_the_row", "appended_for_the_row"
_OF_OBJECTS = (
    "append extend insert add update setdefault pop popitem remove discard clear sort reverse send write writelines "
    "writerow read readline readlines seek close"
)
_OF_PYTHON = "next input print exec eval globals locals vars setattr delattr"
CHANGING = frozenset([*_OF_OBJECTS.split(), *_OF_PYTHON.split()])
"""Names of what changes the object that it is called on, or something else."""
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Pass)
_UNKNOWN = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)


@dataclass(frozen=True)
class RowLoop:
    """A loop over a frame's rows. `cells`: the columns of which it sets cells; `lists`: what it appends to."""

    frame: ast.expr
    row: str
    label: str | None
    as_tuples: bool
    body: list[ast.stmt]
    cells: tuple[str | int, ...]
    lists: tuple[str, ...]
    read: tuple[str, ...]
    """The names that it takes from around it."""

    def function(self, name: str, returns: str) -> str:
        """The source of a function of the row, which returns something of the cells and of what was appended."""
        result = ast.parse(returns, mode="eval").body
        lines = [f"{CELLS}, {APPENDED} = {{}}, {{}}"]
        if self.label and self.label in _names(self.body, ast.Load):
            lines.append(f"{self.label} = {self.row}.name")
        body = [_Returning(result).visit(deepcopy(statement)) for statement in self.body]
        made = ast.parse(f"def {name}({self.row}): pass").body[0]
        assert isinstance(made, ast.FunctionDef)
        made.body = [*ast.parse("\n".join(lines)).body, *body, ast.Return(result)]
        return ast.unparse(ast.fix_missing_locations(made))


def recognised(statement: ast.stmt) -> RowLoop | None:
    """The loop, if each of its turns is a function of the row.

    >>> text = "for i, row in df.iterrows():\\n    if row['x'] > 1:\\n        found.append(row['y'] * 2)"
    >>> loop = recognised(ast.parse(text).body[0])
    >>> print(loop.function("doubled", f"'found' in {APPENDED}"))
    def doubled(row):
        cells_of_the_row, appended_for_the_row = ({}, {})
        if row['x'] > 1:
            appended_for_the_row.setdefault('found', []).append(row['y'] * 2)
        return 'found' in appended_for_the_row
    >>> recognised(ast.parse("for i, row in df.iterrows(): print(row)").body[0])
    """
    match statement:
        case ast.For(target=target, iter=ast.Call(func=ast.Attribute(value=frame)) as call, orelse=[]):
            try:
                return _reading(target, frame, call).loop(statement.body)
            except _NotOfTheRow:
                return None
    return None


def _reading(target: ast.expr, frame: ast.expr, call: ast.Call) -> _Reading:
    assert isinstance(call.func, ast.Attribute)
    given = {one.arg: one.value.value for one in call.keywords if isinstance(one.value, ast.Constant)}
    match target, call.func.attr:
        case ast.Tuple(elts=[ast.Name(id=label), ast.Name(id=row)]), "iterrows" if label != row:
            if not (call.args or call.keywords):
                return _Reading(frame, row, label)
        case ast.Name(id=row), "itertuples" if not call.args and len(given) == len(call.keywords):
            if set(given) <= {"index", "name"} and given.get("name", "Row"):
                return _Reading(frame, row, "" if given.get("index", True) else None, as_tuples=True)
    raise _NotOfTheRow


class _NotOfTheRow(Exception):
    """The loop does something else than a function of the row could."""


@dataclass
class _Reading:
    frame: ast.expr
    row: str
    label: str | None
    """The variable of the row's label; "": an attribute of the row; None: there is none."""
    as_tuples: bool = False
    cells: dict[str | int, tuple[int, int]] = field(default_factory=dict)
    """Where a cell of a column is set first."""
    lists: list[str] = field(default_factory=list)
    targets: set[int] = field(default_factory=set)

    def loop(self, body: list[ast.stmt]) -> RowLoop:
        made = self._all(body, in_another=False)
        if self.as_tuples:
            made = [_AsSeries(self.row, self.label is not None).visit(deepcopy(one)) for one in made]
        stored, loaded = _names(made, ast.Store), _names(made, ast.Load) - {CELLS, APPENDED}
        if {self.label or "", self.row, *self.lists, CELLS, APPENDED} & stored or set(self.lists) & loaded:
            raise _NotOfTheRow
        if self.cells and not (isinstance(self.frame, ast.Name) and self.frame.id not in loaded | stored):
            raise _NotOfTheRow
        if not (self.cells or self.lists):
            raise _NotOfTheRow  # it does nothing that a function could return
        self._check(body)
        read = tuple(sorted(loaded - stored - {self.label, self.row}))
        cells, lists = tuple(self.cells), tuple(dict.fromkeys(self.lists))
        return RowLoop(self.frame, self.row, self.label, self.as_tuples, made, cells, lists, read)

    def _all(self, statements: Sequence[ast.stmt], in_another: bool) -> list[ast.stmt]:
        return [self._one(statement, in_another) for statement in statements]

    def _one(self, statement: ast.stmt, in_another: bool) -> ast.stmt:
        match statement:
            case ast.Assign(targets=[ast.Subscript() as target]):
                return ast.Assign([self._cell(target)], statement.value)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(id=name), "append"), [value], [])):
                self.lists.append(name)
                call = ast.parse(f"{APPENDED}.setdefault({name!r}, []).append(None)").body[0]
                assert isinstance(call, ast.Expr)
                assert isinstance(call.value, ast.Call)
                call.value.args = [value]
                return call
            case ast.If():
                rest = self._all(statement.orelse, in_another)
                return ast.If(statement.test, self._all(statement.body, in_another), rest)
            case ast.For(orelse=[]):
                return ast.For(statement.target, statement.iter, self._all(statement.body, True), [])
            case ast.Continue():
                return statement
            case ast.Break() if in_another:
                return statement
            case ast.Expr(ast.Constant()):
                return statement
        if isinstance(statement, _SIMPLE):
            return statement
        raise _NotOfTheRow

    def _cell(self, target: ast.Subscript) -> ast.Subscript:
        match target:
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=frame), attr="at" | "loc"),
                slice=ast.Tuple(elts=[label, ast.Constant(value=str() | int() as column)]),
            ) if self._is_label(label) and isinstance(self.frame, ast.Name) and frame == self.frame.id:
                self.targets.add(id(target))
                self.cells.setdefault(column, (target.lineno, target.col_offset))
                return ast.Subscript(ast.Name(CELLS, ast.Load()), ast.Constant(column), ast.Store())
        raise _NotOfTheRow

    def _is_label(self, node: ast.expr) -> bool:
        match node:
            case ast.Name(id=name):
                return bool(self.label) and name == self.label
            case ast.Attribute(value=ast.Name(id=self.row), attr="Index"):
                return self.label == ""
        return False

    def _check(self, body: Iterable[ast.stmt]) -> None:
        """Refuse expressions that change something, or read from the row what may have been set."""
        appends = {id(call) for call in _appending(body)}
        for node in _all_of(body):
            match node:
                case ast.Attribute(attr=name) if name in CHANGING and id(node) not in appends:
                    raise _NotOfTheRow
                case ast.Name(id=name, ctx=ast.Load()) if name in CHANGING:
                    raise _NotOfTheRow
                case (
                    ast.Subscript(value=ast.Name(id=self.row), slice=ast.Constant(value=column))
                    | ast.Attribute(value=ast.Name(id=self.row), attr=column)
                ):
                    # (The row may be a view of the frame in pandas.)
                    first = next((at for label, at in self.cells.items() if label == column), None)
                    if first is not None and (node.lineno, node.col_offset) > first:
                        raise _NotOfTheRow
            if isinstance(node, _UNKNOWN):
                raise _NotOfTheRow
            is_part = isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load)
            if is_part and id(node) not in self.targets:
                raise _NotOfTheRow


class _AsSeries(ast.NodeTransformer):
    """Takes values from a series that were taken from a tuple with names."""

    def __init__(self, row: str, has_label: bool) -> None:
        self._row, self._has_label = row, has_label

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not (isinstance(node.value, ast.Name) and node.value.id == self._row):
            self.generic_visit(node)
            return node
        if node.attr == "Index" and self._has_label:
            return ast.Attribute(node.value, "name", ast.Load())
        return ast.Subscript(node.value, ast.Constant(node.attr), ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == self._row:
            raise _NotOfTheRow  # the tuple as a whole
        return node


class _Returning(ast.NodeTransformer):
    """Ends the function where a turn of the loop ended."""

    def __init__(self, result: ast.expr) -> None:
        self._result = result

    def visit_Continue(self, node: ast.Continue) -> ast.stmt:
        return ast.Return(self._result)

    def visit_For(self, node: ast.For) -> ast.stmt:
        return node  # what it goes on with is its own


def _appending(body: Iterable[ast.stmt]) -> Iterator[ast.Attribute]:
    """The functions that are called by statements of their own to append."""
    for node in _all_of(body):
        match node:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(), "append") as function, [_], [])):
                yield function


def _all_of(statements: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    for statement in statements:
        yield from ast.walk(statement)


def _names(statements: Iterable[ast.stmt], how: type[ast.expr_context]) -> set[str]:
    names = {
        node.id for node in _all_of(statements) if isinstance(node, ast.Name) and isinstance(node.ctx, how)
    }
    if how is ast.Load:  # `x += 1` reads x, too
        parts = (node.target for node in _all_of(statements) if isinstance(node, ast.AugAssign))
        names |= {part.id for part in parts if isinstance(part, ast.Name)}
    return names
