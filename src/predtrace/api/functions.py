"""The user's Python functions that predicates call, kept in a store as Spark pickled them.

To read a pickle is to run what is in it. So nobody reads one unless the user says that the store is to be trusted; a
checksum in the manifest tells damage, not malice. Code is pickled for one version of Python, and read by no other.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.types import _parse_datatype_json_string

from predtrace.errors import StoreProblem
from predtrace.frontends.spark.row_functions import register_tolerant
from predtrace.frontends.spark.udfs import is_python, is_row_function
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
        pickled = bytes(call.func().command().unsafeArray())
        file = f"functions/{number}.pickle"
        files.write_whole(f"{run}/{file}", pickled)
        checksum = hashlib.sha256(pickled).hexdigest()
        saved.append(
            SavedFunction(name, file, checksum, _python(), int(call.evalType()), str(call.dataType().json()))
        )
    return tuple(saved)


def load_functions(session: SparkSession, files: Files, run: str, functions: Iterable[SavedFunction]) -> None:
    """Make saved functions callable from SQL. Runs what is in them."""
    for function in functions:
        where = files.location(f"{run}/{function.file}")
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
            pickled = files.read(f"{run}/{function.file}")
        except OSError as problem:
            raise StoreProblem(
                f"a function cannot be read: {problem}", where, "run the pipeline again"
            ) from None
        if hashlib.sha256(pickled).hexdigest() != function.checksum:
            raise StoreProblem(
                f"the function {function.name} is not what the run saved", where, "run the pipeline again"
            )
        code, _ = cloudpickle.loads(pickled)
        returns = _parse_datatype_json_string(function.returns)
        register_tolerant(session, user_function_name(function.name), code, returns, function.evaluation)


def _python() -> str:
    return ".".join(platform.python_version_tuple()[:2])
