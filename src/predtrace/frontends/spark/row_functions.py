"""The user's row functions under names of their own, for predicates to call.

A predicate is asked of source rows, and a function in it may meet rows that never reached it in the pipeline: they
were filtered out before, or handed to another branch. There it may raise. Predicates are proved for functions that
return anything at all, so it may as well return NULL there; other parts of the predicate leave the row out. This is
for exceptions that values cause: what is missing on the machine (a module, a file) is an error as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import _parse_datatype_json_string
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from predtrace.frontends.spark.udfs import is_python, is_row_function, python_function, register_function
from predtrace.ir.spark_sql import user_function_name

_OF_VALUES = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, AssertionError)


def register_row_functions(session: SparkSession, functions: Mapping[str, Any]) -> None:
    """Make the user's Python functions, given as Spark's calls of them, callable from SQL text."""
    for identity, call in functions.items():
        if is_python(call) and is_row_function(call):
            _register(session, user_function_name(identity), call)


def _register(session: SparkSession, name: str, call: Any) -> None:
    try:
        function = python_function(call)
    except Exception:  # it cannot be loaded here; Spark's workers may be able to
        register_function(session, name, call)
        return
    returns = _parse_datatype_json_string(str(call.dataType().json()))
    register_tolerant(session, name, function, returns, int(call.evalType()), bool(call.udfDeterministic()))


def register_tolerant(
    session: SparkSession,
    name: str,
    function: Callable[..., Any],
    returns: Any,
    evaluation: int,
    deterministic: bool = True,
) -> None:
    """Make a function callable from SQL text that returns NULL where the values it is given make it raise."""
    code = tolerant(function, evaluation)
    callable_ = UserDefinedFunction(code, returns, name, evaluation, deterministic=deterministic)
    session._jsparkSession.udf().registerPython(name, callable_._judf)


def tolerant(function: Callable[..., Any], evaluation: int) -> Callable[..., Any]:
    """A function that returns NULL where the values it is given make it raise; `evaluation` says how it is called."""
    made_tolerant = _TOLERANT.get(evaluation)
    return function if made_tolerant is None else made_tolerant(function)


def _by_row(function: Callable[..., Any]) -> Callable[..., Any]:
    caught = _OF_VALUES

    def or_null(*values: Any, **named: Any) -> Any:
        try:
            return function(*values, **named)
        except caught:
            return None

    return or_null


def _by_batch(function: Callable[..., Any]) -> Callable[..., Any]:
    caught = _OF_VALUES

    def or_null(*batches: Any) -> Any:
        try:
            return function(*batches)
        except caught:
            import pandas

            found = []
            for at in range(len(batches[0])):
                try:
                    found.append(function(*(batch.iloc[at : at + 1] for batch in batches)).iloc[0])
                except caught:
                    found.append(None)
            return pandas.Series(found, dtype=object)

    return or_null


_TOLERANT: dict[int, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    PythonEvalType.SQL_BATCHED_UDF: _by_row,
    PythonEvalType.SQL_ARROW_BATCHED_UDF: _by_row,
    PythonEvalType.SQL_SCALAR_PANDAS_UDF: _by_batch,
}
