"""What the user's row functions return, as far as their code can be read (`symbolic.python`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.util import PythonEvalType

from predtrace.frontends.spark.udfs import is_python, python_function
from predtrace.ir.expressions import UserCall
from predtrace.symbolic.python import understand

_BY_ROW = {PythonEvalType.SQL_BATCHED_UDF, PythonEvalType.SQL_ARROW_BATCHED_UDF}
"""Functions that are called with one row's values, as Python objects."""


def with_meaning(call: UserCall, live: Any) -> UserCall:
    """A call with the meaning of its function, or with what stood in the way of it; `live` is Spark's call."""
    if not is_python(live):
        return replace(call, gaps=("not a Python function",))
    if not call.deterministic:
        return replace(call, gaps=("declared not deterministic",))
    if live.evalType() not in _BY_ROW:
        return replace(call, gaps=("a function of whole batches",))
    try:
        function = python_function(live)
    except Exception as problem:  # whatever the user's modules do when they are loaded
        return replace(call, gaps=(f"it cannot be loaded here ({type(problem).__name__})",))
    understood = understand(call, function)
    return replace(call, meaning=understood.meaning, gaps=understood.gaps)
