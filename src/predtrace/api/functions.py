"""The Python functions that predicates call: those of a live plan, and those kept in a store as Spark pickled them.

To read a pickle is to run what is in it. So nobody reads one of a store unless the user says that it is to be
trusted; a checksum in the manifest tells damage, not malice. Code is pickled for one version of Python, and read by
no other. Of functions of ours a store keeps no code (`own_functions`).
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.types import _parse_datatype_json_string
from pyspark.util import PythonEvalType

from predtrace.engines.duckdb_functions import Functions
from predtrace.engines.duckdb_sql import NotInDuckDB
from predtrace.engines.python_functions import RowFunction
from predtrace.engines.spark_workers import NoSuchWorker, pickled, worker
from predtrace.errors import StoreProblem
from predtrace.frontends.own_functions import by_row, made_again, recipe_of
from predtrace.frontends.spark.row_functions import register_tolerant, tolerant
from predtrace.frontends.spark.udfs import (
    BY_ROW,
    goes_through_pandas,
    is_python,
    is_row_function,
    python_function,
)
from predtrace.ir.spark_sql import user_function_name
from predtrace.store.files import Files
from predtrace.store.manifest import SavedFunction


def save_functions(
    files: Files, run: str, names: Iterable[str], calls: Mapping[str, Any]
) -> tuple[SavedFunction, ...]:
    """Keep the functions of live calls; those of Java and Scala are named only."""
    saved = []
    for number, name in enumerate(names):
        call = calls[name]
        if not (is_python(call) and is_row_function(call)):
            saved.append(SavedFunction(name, "", "", "", 0, ""))
            continue
        evaluation, returns = int(call.evalType()), str(call.dataType().json())
        recipe = recipe_of(python_function(call))
        if recipe:
            saved.append(SavedFunction(name, "", "", "", evaluation, returns, recipe))
            continue
        content = bytes(call.func().command().unsafeArray())
        file = f"functions/{number}.pickle"
        files.write_whole(f"{run}/{file}", content)
        checksum = hashlib.sha256(content).hexdigest()
        saved.append(SavedFunction(name, file, checksum, _python(), evaluation, returns))
    return tuple(saved)


def load_functions(session: SparkSession, files: Files, run: str, functions: Iterable[SavedFunction]) -> None:
    """Make saved functions callable from SQL. Runs what is in them."""
    for function in functions:
        code = _loaded(files, run, function)
        returns = _parse_datatype_json_string(function.returns)
        register_tolerant(session, user_function_name(function.name), code, returns, function.evaluation)


def saved_functions(files: Files, run: str, functions: Iterable[SavedFunction]) -> Functions:
    """Saved functions for predicates in DuckDB. Runs what is in them when they are asked for."""
    saved = {function.name: function for function in functions}

    def by_identity(identity: str, name: str) -> RowFunction:
        function = saved[identity]
        return _row_function(name, lambda: _loaded(files, run, function), function.evaluation)

    return _each_once(by_identity)


def live_functions(calls: Mapping[str, Any]) -> Functions:
    """The functions of a live plan, given as Spark's calls of them, for predicates in DuckDB."""

    def by_identity(identity: str, name: str) -> RowFunction:
        call = calls[identity]
        if not is_python(call):
            raise NotInDuckDB(f"the function {name}, which is not a Python one")
        return _row_function(name, lambda: python_function(call), int(call.evalType()))

    return _each_once(by_identity)


def _each_once(by_identity: Callable[[str, str], RowFunction]) -> Functions:
    known = cache(by_identity)
    return lambda call: known(call.function, call.name)


def _row_function(name: str, load: Callable[[], Callable[..., Any]], evaluation: int) -> RowFunction:
    if evaluation not in BY_ROW:
        own = by_row(load())
        if own is None:
            raise NotInDuckDB(f"the function {name}, which is not called row by row")
        load, evaluation = lambda: own, PythonEvalType.SQL_BATCHED_UDF
    if goes_through_pandas(evaluation):
        raise NotInDuckDB(f"the function {name}, which is given what pandas makes of values")
    try:
        place = worker()
        return RowFunction(name, pickled(tolerant(load(), evaluation)), place)
    except StoreProblem:
        raise
    except NoSuchWorker as problem:
        raise NotInDuckDB(f"the function {name} with {problem}") from None
    except (
        Exception
    ) as problem:  # whatever the user's modules do when they are loaded; Spark's workers may have them
        raise NotInDuckDB(
            f"the function {name}, which cannot be loaded here ({type(problem).__name__})"
        ) from None


def _loaded(files: Files, run: str, function: SavedFunction) -> Callable[..., Any]:
    """The function object. Runs what is in the pickle."""
    where = files.location(f"{run}/{function.file}")
    if function.recipe:
        try:
            return made_again(function.recipe)
        except (KeyError, TypeError, ValueError):
            raise StoreProblem(
                f"how the function {function.name} is made is not known here", where, "run the pipeline again"
            ) from None
    if not function.file:
        raise StoreProblem(
            f"the function {function.name} is not a Python one, and a store keeps no others",
            todo="trace with predtrace.capture(df) where it is registered",
        )
    if function.python != _python():
        raise StoreProblem(
            f"the function {function.name} was saved by Python {function.python}, and this is {_python()}",
            where,
            f"trace with Python {function.python}",
        )
    try:
        content = files.read(f"{run}/{function.file}")
    except OSError as problem:
        raise StoreProblem(f"a function cannot be read: {problem}", where, "run the pipeline again") from None
    if hashlib.sha256(content).hexdigest() != function.checksum:
        raise StoreProblem(
            f"the function {function.name} is not what the run saved", where, "run the pipeline again"
        )
    code, _ = cloudpickle.loads(content)
    return code  # type: ignore[no-any-return]


def _python() -> str:
    return ".".join(platform.python_version_tuple()[:2])
