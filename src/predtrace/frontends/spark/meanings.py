"""What the user's functions return, as far as their code can be read (`symbolic.python`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.util import PythonEvalType

from predtrace.frontends.spark.udfs import BY_ROW, goes_through_pandas, is_python, python_function
from predtrace.ir.expressions import AggregateCall, UserCall
from predtrace.symbolic.python import picked, understand


def with_meaning(call: UserCall, live: Any) -> UserCall:
    """A call with the meaning of its function, or with what stood in the way of it; `live` is Spark's call."""
    if not is_python(live):
        return replace(call, gaps=("not a Python function",))
    if not call.deterministic:
        return replace(call, gaps=("declared not deterministic",))
    if live.evalType() not in BY_ROW:
        return replace(call, gaps=("a function of whole batches",))
    if goes_through_pandas(int(live.evalType())):
        return replace(call, gaps=("a function that is given what pandas makes of values",))
    try:
        function = python_function(live)
    except Exception as problem:  # whatever the user's modules do when they are loaded
        return replace(call, gaps=(f"it cannot be loaded here ({type(problem).__name__})",))
    understood = understand(call, function)
    return replace(call, meaning=understood.meaning, gaps=understood.gaps)


_KEPT_BY_PANDAS = {"byte", "short", "integer", "string", "date"}
"""Types whose values come back from pandas as they went there, a NULL among them or not."""


def as_one_row(call: AggregateCall, live: Any) -> AggregateCall:
    """A Python aggregate that always returns one of the values it is given, as such an aggregate; or as it is.

    Floats are left alone: pandas takes NaN for NULL. Large whole numbers beside a NULL become floats.
    """
    if call.condition is not None or call.distinct or not call.arguments:
        return call
    value = call.arguments[0]
    is_kept = value.type.name in _KEPT_BY_PANDAS or (value.type.name == "long" and not value.nullable)
    if value.type != call.type or not is_kept or live.evalType() != PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF:
        return call
    try:
        found = picked(python_function(live))
    except Exception:  # whatever the user's modules do when they are loaded
        return call
    return call if found is None else replace(call, function=found.how)
