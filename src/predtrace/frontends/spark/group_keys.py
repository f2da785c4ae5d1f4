"""The key of its group with every row that a Python function over groups returns.

The function of the node is wrapped: it calls the user's own function and adds the key to what that returns. Spark
hands a function its key when it asks for one; the wrapper always does.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any

from pyspark import SparkContext
from pyspark.sql.types import StructType, _parse_datatype_json_string
from pyspark.sql.udf import _wrap_function
from pyspark.util import PythonEvalType

from predtrace.frontends.spark.catalyst import JavaExpression, JavaPlan, catalyst, items, with_arguments
from predtrace.frontends.spark.udfs import python_function
from predtrace.ir.expressions import Column

_TAKES_FRAMES = {
    PythonEvalType.SQL_GROUPED_MAP_PANDAS_UDF: 1,
    PythonEvalType.SQL_GROUPED_MAP_ARROW_UDF: 1,
    PythonEvalType.SQL_COGROUPED_MAP_PANDAS_UDF: 2,
    PythonEvalType.SQL_COGROUPED_MAP_ARROW_UDF: 2,
}
"""How many groups the function is given; all other kinds take and return iterators over one group."""


def with_group_key(plan: JavaPlan, of: str, column: Column) -> tuple[JavaPlan, JavaExpression]:
    """The node with one part of the group's key, the column `of`, as its last column."""
    spark = catalyst()
    call = plan.functionExpr()
    keys = items(plan.groupingAttributes() if plan.children().size() == 1 else plan.leftAttributes())
    position = next(at for at, key in enumerate(keys) if str(key.exprId().id()) == of.split(".")[0])
    key = keys[position]
    attribute = spark.attribute(
        column.name, key.dataType(), True, spark.no_metadata, spark.new_id(), spark.sequence([])
    )
    fields = StructType.fromJson(_json(call.dataType())).add(column.name, _python_type(key.dataType()))
    context = SparkContext._active_spark_context
    assert context is not None
    wrapped = _wrap_function(context, _adding_key(call, position, column.name), fields)
    java_type = spark.type_from_json(fields.json())
    changed = with_arguments(call, func=wrapped, dataType=java_type)
    output = spark.sequence([*items(plan.output()), attribute])
    return with_arguments(plan, functionExpr=changed, output=output), attribute


def _adding_key(call: JavaExpression, position: int, name: str) -> Callable[..., Any]:
    """The wrapper. It refers to nothing in this package, which a cluster's workers need not have.

    Spark counts a function's arguments to see whether it wants the key, so they are spelled out.
    """
    users = python_function(call)
    groups = _TAKES_FRAMES.get(call.evalType())
    takes_key = len(inspect.signature(users).parameters) > (groups or 1)
    names = [field.name() for field in items(call.dataType().toSeq())]

    def added(result: Any, key: Any) -> Any:
        if hasattr(result, "append_column"):  # an Arrow table or batch
            import pyarrow

            value = key[position]
            return result.append_column(name, pyarrow.array([value.as_py()] * result.num_rows, value.type))
        result = result.copy()
        if not all(isinstance(label, str) for label in result.columns):
            result.columns = names  # Spark then goes by position
        result[name] = [key[position]] * len(result)
        return result

    def of_group(key: Any, group: Any) -> Any:
        return added(users(key, group) if takes_key else users(group), key)

    def of_groups(key: Any, left: Any, right: Any) -> Any:
        return added(users(key, left, right) if takes_key else users(left, right), key)

    def of_iterator(key: Any, parts: Any) -> Iterator[Any]:
        for result in users(key, parts) if takes_key else users(parts):
            yield added(result, key)

    wrappers: dict[int | None, Callable[..., Any]] = {1: of_group, 2: of_groups, None: of_iterator}
    return wrappers[groups]


def _json(java_type: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(java_type.json())
    return found


def _python_type(java_type: Any) -> Any:
    return _parse_datatype_json_string(java_type.json())
