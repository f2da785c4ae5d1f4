"""The key of its group with every row that a Python function returns.

The function of the node is wrapped: it calls the user's own function and adds the key to what that returns. A
function that takes partitions and treats each row by itself is called for one row after the other: the key is the
row.

pandas does not keep values apart that Spark does (NULL and NaN, large numbers beside a NULL, the two hours when
clocks are set back). So the key goes through Python as one JSON text, which Spark writes below the node and reads
above it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pyspark import SparkContext
from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructType, _parse_datatype_json_string
from pyspark.sql.udf import _wrap_function
from pyspark.util import PythonEvalType

from predtrace.frontends.spark.catalyst import JavaExpression, JavaPlan, catalyst, items, with_arguments
from predtrace.frontends.spark.udfs import python_function
from predtrace.ir.expressions import Column, ColumnId
from predtrace.ir.types import contains

_TAKES_FRAMES = {
    PythonEvalType.SQL_GROUPED_MAP_PANDAS_UDF: 1,
    PythonEvalType.SQL_GROUPED_MAP_ARROW_UDF: 1,
    PythonEvalType.SQL_COGROUPED_MAP_PANDAS_UDF: 2,
    PythonEvalType.SQL_COGROUPED_MAP_ARROW_UDF: 2,
    PythonEvalType.SQL_MAP_PANDAS_ITER_UDF: 0,
    PythonEvalType.SQL_MAP_ARROW_ITER_UDF: 0,
}
"""How many groups the function is given (0: partitions); all other kinds take and return iterators over one group."""

_KEY = "predtrace_key"
_JSON = {
    "mode": "FAILFAST",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


def with_group_keys(
    plan: JavaPlan, wanted: Mapping[Column, int]
) -> tuple[JavaPlan, dict[ColumnId, JavaExpression]]:
    """The node with parts of its groups' keys in its output, and the attribute of each: `wanted` has their places."""
    spark = catalyst()
    sides = _keys_of_children(plan)
    # A map cannot be read back from JSON, nor do predicates compare it: nobody will look at it.
    told = {column: place for column, place in wanted.items() if not contains(column.type, "map")}
    children = [
        _with_text(child, [keys[at] for at in told.values()])
        for child, keys in zip(items(plan.children()), sides, strict=True)
    ]
    texts = [items(child.output())[-1] for child in children]
    keyed = _returning_text(plan.withNewChildren(spark.sequence(children)), texts)
    output = items(keyed.output())
    schema = StructType()
    for position, at in enumerate(told.values()):
        schema.add(f"k{position}", _python_type(sides[0][at].dataType()))
    key = F.from_json(_column(output[-1]), schema, _JSON)
    parts = {column: key[f"k{position}"] for position, column in enumerate(told)}
    shown = [parts.get(c, F.lit(None).cast(c.type.sql())).alias(c.name) for c in wanted]
    plan = _projected(keyed, [*map(_column, output[:-1]), *shown])
    attributes = items(plan.output())[-len(shown) :]
    return plan, {column.id: attribute for column, attribute in zip(wanted, attributes, strict=True)}


def _keys_of_children(plan: JavaPlan) -> list[list[JavaExpression]]:
    """The attributes that make up the key of a group, in each child."""
    if plan.children().size() == 2:
        return [items(plan.leftAttributes()), items(plan.rightAttributes())]
    takes_groups = plan.nodeName().startswith("FlatMapGroups")
    return [items(plan.groupingAttributes() if takes_groups else plan.child().output())]


def _with_text(child: JavaPlan, keys: list[JavaExpression]) -> JavaPlan:
    """The rows with their key as a text, in a last column."""
    key = F.struct(*(_column(part).alias(f"k{at}") for at, part in enumerate(keys)))
    text = F.to_json(key, _JSON) if keys else F.lit("{}")
    return _projected(child, [*map(_column, items(child.output())), text.alias(_KEY)])


def _returning_text(plan: JavaPlan, texts: list[JavaExpression]) -> JavaPlan:
    """The node with the text of its last argument in a last column."""
    spark = catalyst()
    call = plan.functionExpr()
    fields = StructType.fromJson(json.loads(call.dataType().json())).add(_KEY, StringType())
    context = SparkContext._active_spark_context
    assert context is not None
    changed = with_arguments(
        call,
        func=_wrap_function(context, _adding_key(call), fields),
        dataType=spark.type_from_json(fields.json()),
        children=spark.sequence([*items(call.children()), *texts]),
    )
    key = spark.attribute(
        _KEY, texts[0].dataType(), True, spark.no_metadata, spark.new_id(), spark.sequence([])
    )
    output = spark.sequence([*items(plan.output()), key])
    return with_arguments(plan, functionExpr=changed, output=output)


def _adding_key(call: JavaExpression) -> Callable[..., Any]:
    """The wrapper. It refers to nothing in this package, which a cluster's workers need not have.

    Spark counts a function's arguments to see whether it wants the key, so they are spelled out.
    """
    users = python_function(call)
    groups = _TAKES_FRAMES.get(call.evalType())
    takes_key = len(inspect.signature(users).parameters) > (groups or 1)
    names = [field.name() for field in items(call.dataType().toSeq())]
    name = _KEY

    def is_arrow(rows: Any) -> bool:
        return hasattr(rows, "num_rows")

    def given(rows: Any) -> Any:
        """What the user's function is to see."""
        return rows.select(range(rows.num_columns - 1)) if is_arrow(rows) else rows.iloc[:, :-1]

    def text_of(rows: Any) -> Any:
        if is_arrow(rows):
            return rows.column(rows.num_columns - 1)[0].as_py()
        return rows.iloc[0, -1]

    def added(result: Any, text: Any) -> Any:
        if is_arrow(result):
            import pyarrow

            return result.append_column(name, pyarrow.array([text] * result.num_rows, pyarrow.string()))
        if not len(result.columns):  # no rows, as Spark understands it
            return result
        import pandas

        result = result.copy()
        if not all(isinstance(label, str) for label in result.columns):
            result.columns = names  # Spark then goes by position
        result[name] = pandas.array([text] * len(result), dtype="object")
        return result

    def of_group(key: Any, group: Any) -> Any:
        result = users(key, given(group)) if takes_key else users(given(group))
        return added(result, text_of(group))

    def of_groups(key: Any, left: Any, right: Any) -> Any:
        text = text_of(left if len(left) else right)
        sides = given(left), given(right)
        return added(users(key, *sides) if takes_key else users(*sides), text)

    def of_iterator(key: Any, parts: Any) -> Iterator[Any]:
        from itertools import chain

        remaining = iter(parts)
        first = next(remaining)
        own = map(given, chain([first], remaining))
        for result in users(key, own) if takes_key else users(own):
            yield added(result, text_of(first))

    def of_rows(batches: Any) -> Iterator[Any]:
        for batch in batches:
            for at in range(len(batch)):
                row = batch.slice(at, 1) if is_arrow(batch) else batch[at : at + 1].reset_index(drop=True)
                for result in users(iter([given(row)])):
                    if len(result):
                        yield added(result, text_of(row))

    wrappers: dict[int | None, Callable[..., Any]] = {
        0: of_rows,
        1: of_group,
        2: of_groups,
        None: of_iterator,
    }
    return wrappers[groups]


def _column(expression: JavaExpression) -> SparkColumn:
    return SparkColumn(catalyst().column_of(expression))


def _projected(plan: JavaPlan, columns: list[SparkColumn]) -> JavaPlan:
    """The plan of a selection from a plan's rows."""
    spark = catalyst()
    session = spark.active_session()
    frame = spark.of_rows(session, plan)
    return frame.select(spark.sequence([column._jc for column in columns])).queryExecution().analyzed()


def _python_type(java_type: Any) -> Any:
    return _parse_datatype_json_string(java_type.json())
