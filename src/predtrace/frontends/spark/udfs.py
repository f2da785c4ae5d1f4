"""The user's Python functions, taken from the live plan.

Unpickling runs code, so functions are only ever read from the plan of the running session, which has run or
will run them anyway; never from a file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyspark
from pyspark import Broadcast, SparkContext, cloudpickle
from pyspark.core import broadcast
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.util import PythonEvalType

from predtrace.ir.operators import OneFor

_ROW_FUNCTIONS = frozenset(
    getattr(PythonEvalType, name)
    for name in dir(PythonEvalType)
    if name.startswith("SQL_") and ("SCALAR" in name or "BATCHED" in name or "GROUPED_AGG" in name)
)
BY_ROW = frozenset({PythonEvalType.SQL_BATCHED_UDF, PythonEvalType.SQL_ARROW_BATCHED_UDF})
"""Functions that are called with one row's values, as Python objects."""
_THROUGH_PANDAS = "spark.sql.legacy.execution.pythonUDF.pandas.conversion.enabled"
_ARROW = frozenset(
    getattr(PythonEvalType, name)
    for name in dir(PythonEvalType)
    if name.startswith("SQL_") and "ARROW" in name and "MAP" in name
)


def is_python(call: Any) -> bool:
    """Whether a user's function is a Python one; Spark has Java and Scala ones too."""
    return bool(call.getClass().getSimpleName().startswith("Python"))


def is_row_function(call: Any) -> bool:
    """Whether a function can stand in an expression (as against one over whole groups or partitions)."""
    return call.evalType() in _ROW_FUNCTIONS


def takes_arrow(call: Any) -> bool:
    """Whether a function over groups takes and returns Arrow tables instead of pandas frames."""
    return call.evalType() in _ARROW


def goes_through_pandas(evaluation: int) -> bool:
    """Whether a function that is called row by row is given what pandas makes of values.

    Versions of Spark without the setting always did that with Arrow.
    """
    if evaluation != PythonEvalType.SQL_ARROW_BATCHED_UDF:
        return False
    session = SparkSession.getActiveSession()
    if session is None:
        return tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 1)
    try:
        return session.conf.get(_THROUGH_PANDAS) == "true"
    except PySparkException:
        return True


def python_function(call: Any) -> Callable[..., Any]:
    """The user's own function object; of a table function, the class that makes its rows."""
    _know_broadcasts(call.func().broadcastVars())
    found = cloudpickle.loads(bytes(call.func().command().unsafeArray()))
    if isinstance(found, Broadcast):  # Spark sends a large function by a broadcast of its own
        found = cloudpickle.loads(found.value)
    # Beside a function stands its type.
    return found if isinstance(found, type) else found[0]


def _know_broadcasts(variables: Any) -> None:
    """Make broadcast variables known by their ids, as Spark's workers do, and fit to be sent again from here."""
    context = SparkContext._active_spark_context
    assert context is not None
    for variable in (variables.get(at) for at in range(variables.size())):
        if variable.id() not in broadcast._broadcastRegistry:
            known = Broadcast[Any](path=variable.value().path())
            known._jbroadcast = variable
            known._pickle_registry = context._pickled_broadcast_vars
            broadcast._broadcastRegistry[variable.id()] = known


ROWWISE = "predtrace_rowwise"
"""The attribute that `predtrace.rowwise` sets."""


def is_declared_rowwise(call: Any) -> bool:
    """Whether the user said that a function over partitions, or a table function, treats each row by itself."""
    try:
        # Of a class its own attributes: nobody has said anything of one that is derived from it.
        return bool(vars(python_function(call)).get(ROWWISE, False))
    except Exception:  # a function that cannot be unpickled here may still run on the workers
        return False


_HANDED_ON = "predtrace_handed_on"


def declare_handed_on(function: Callable[..., Any], one_for: OneFor, columns: dict[str, str]) -> None:
    """Say what a function over groups gives one row for at most, and which columns come back as they went.

    `columns`: their names in what it gives, and in the rows of the group (or its keys, if a row is for a group).
    """
    setattr(function, _HANDED_ON, (one_for, columns))


def handed_on(call: Any) -> tuple[OneFor, dict[str, str]]:
    """What was declared of the function of a live call. No function is unpickled of which nothing was."""
    try:
        if _HANDED_ON.encode() in bytes(call.func().command().unsafeArray()):
            one_for, columns = vars(python_function(call))[_HANDED_ON]
            return one_for, columns
    except Exception:  # as above
        pass
    return OneFor.UNKNOWN, {}


def register_function(session: SparkSession, name: str, call: Any) -> None:
    """Make the function of a live call callable from SQL under another name."""
    context = SparkContext._active_spark_context
    assert context is not None
    jvm: Any = context._jvm
    name_of_class = "org.apache.spark.sql.execution.python.UserDefinedPythonFunction"
    parameters = jvm.java.lang.Class.forName(name_of_class).getConstructors()[0].getParameterCount()
    # Spark 4.3 can also be given a translation of the function to SQL; there is none, the function is to run.
    translation: list[Any] = [[], []][: parameters - 5]
    definition = getattr(jvm, name_of_class)(
        name, call.func(), call.dataType(), call.evalType(), call.udfDeterministic(), *translation
    )
    session._jsparkSession.udf().registerPython(name, definition)
