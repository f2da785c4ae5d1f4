"""Frames made of values that the program took out of Spark: each of their rows may depend on every row that left.

What a program does with plain values (a loop over `iterrows()` that builds a list of rows, say) nobody sees. So a
frame that it makes of values of its own, after some have left, is an opaque step over all frames that they were in:

    MapInArrow made_outside_of_spark       gives the rows that the program made where it reads the mark
     └─ union of the frames that left, and of one row, the mark

Traces go on below it, and say that they are not exact. Where many frames left, or one of them came back before, what
they read stands for them: then a row may depend on every row of that.

So it is in a program that is run as a whole, by `predtrace run`: only there it is known what left. A statement
that names nothing but pandas, numpy and the like holds all of its values itself (`pd.DataFrame({"day": ["Mon"]})`):
such a frame is a source, as before anything has left.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Callable, Iterator
from functools import reduce
from types import FrameType, ModuleType
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame as Rows
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from predtrace.frontends.pandas.core.sessions import session
from predtrace.frontends.pandas.core.steps import users_frame
from predtrace.frontends.pandas.core.watching import frames_that_left, tell_come_back
from predtrace.frontends.spark.leaves import dataframe_of
from predtrace.frontends.spark.rewrite import PlanTree, inline_ctes

_WITHOUT_VALUES_OF_PROGRAMS = frozenset({"pandas", "numpy", "datetime", "math", "predtrace", "decimal"})
_NAME = "made_outside_of_spark"
_LEFT, _MARK = "left_spark", 1
_MOST = 20
"""So many frames are put below one step."""


def rows_of_program(values: pa.Table, schema: StructType) -> Rows:
    """Rows that the program made of its own values."""
    left = frames_that_left()
    if not left or _says_all_itself(users_frame()):
        return session().createDataFrame(values, schema)
    if len(left) > _MOST or any(map(_came_back, left)):
        left = _sources_of(left)
    tell_come_back()
    mark = session().sql(f"select {_MARK} as {_LEFT}")
    read = reduce(Rows.union, (mark, *(frame.select(F.lit(0).alias(_LEFT)) for frame in left)))
    return read.mapInArrow(_giving(values.cast(_types_for_python(schema))), schema)


def _came_back(rows: Rows) -> bool:
    plan: Any = rows._jdf.queryExecution().analyzed()
    return _NAME in str(plan.toString())


def _sources_of(frames: list[Rows]) -> list[Rows]:
    """All that the frames read: with steps below steps, each over all that left before it, plans would double."""
    found: list[Rows] = []
    for frame in frames:
        plan: Any = frame._jdf.queryExecution().analyzed()
        for leaf in PlanTree.of(inline_ctes(session(), plan)).references().values():
            source = dataframe_of(session(), leaf)
            if not any(source.sameSemantics(known) for known in found):
                found.append(source)
    return found


def _types_for_python(schema: StructType) -> pa.Schema:
    """The types in which Spark takes rows from Python."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(schema)


def _giving(values: pa.Table) -> Callable[[Iterator[Any]], Iterator[Any]]:
    name, mark = _LEFT, _MARK

    def made_outside_of_spark(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            if mark in batch.column(name).to_pylist():  # once, however the rows are parted
                yield from values.to_batches()

    return made_outside_of_spark


def _says_all_itself(frame: FrameType | None) -> bool:
    """Whether the statement of the program that runs now names nothing that could hold values from elsewhere."""
    statement = None if frame is None else _statement(frame)
    if frame is None or statement is None:
        return False
    names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    known = {**vars(builtins), **frame.f_globals, **frame.f_locals}
    return all(_holds_no_values(known.get(name)) for name in names)


def _holds_no_values(named: Any) -> bool:
    if isinstance(named, ModuleType):
        return named.__name__.split(".")[0] in _WITHOUT_VALUES_OF_PROGRAMS
    return any(named is each for each in (range, list, dict, tuple, zip, int, float, str))


def _statement(frame: FrameType) -> ast.stmt | None:
    """The innermost statement at the line that runs; None if the source is not there."""
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except (SyntaxError, ValueError):
        return None
    line = frame.f_lineno
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return min(around, key=lambda node: (node.end_lineno or node.lineno) - node.lineno, default=None)
