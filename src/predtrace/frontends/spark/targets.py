"""The rows a user wants traced, as a condition over the pipeline's output columns.

Whatever form it comes in, Spark itself resolves it against the user's DataFrame; the resolved condition is then
read like any other expression. So names, ambiguity, types and coercions mean what they mean in Spark, and a
condition is never pasted into other SQL text.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    MapType,
    StructType,
    VariantType,
)

from predtrace.errors import InvalidCondition, UnknownColumn
from predtrace.frontends.spark.catalyst import items
from predtrace.frontends.spark.expressions import read_expression
from predtrace.frontends.spark.plans.reader import NodeScope, Reading
from predtrace.frontends.spark.quiet import quiet_spark
from predtrace.ir.expressions import Column, Expression, UserCall
from predtrace.ir.parts import subqueries_of, walk

Target = str | Mapping[str, Any] | Row | SparkColumn | Sequence[Any]
_FORMS = "give a SQL condition, a dict or Row of column values, a Column, or a list of these"


def target_condition(frame: DataFrame, columns: dict[int, Column], rows: Target) -> Expression:
    """The condition that selects the rows to trace from an output.

    `columns` are those that the condition is to be over, by the expression ids of the frame's output.
    """
    try:
        with quiet_spark():
            filtered = frame.filter(_as_column(frame, rows))
        plan = filtered._jdf.queryExecution().analyzed()
    except PySparkException as problem:
        raise _explained(problem, frame) from None
    if plan.nodeName() != "Filter" or not plan.child().sameResult(frame._jdf.queryExecution().analyzed()):
        raise UnknownColumn(
            "the condition reads something that is not in the output",
            todo=f"use only: {', '.join(frame.columns)}",
        )
    live = plan.condition()
    scope = NodeScope(Reading(_no_plans, _no_plans), columns, None)
    condition = read_expression(json.loads(live.toJSON()), scope, lambda: live)
    if subqueries_of(condition):
        raise InvalidCondition("the condition contains a subquery", todo="compare output columns with values")
    if any(isinstance(part, UserCall) for part in walk(condition)):
        raise InvalidCondition(
            "the condition calls a function of yours", todo="compare output columns with values"
        )
    if not condition.is_deterministic():
        raise InvalidCondition("the condition is random", todo="compare output columns with values")
    return condition


def columns_by_id(frame: DataFrame, columns: Sequence[Column]) -> dict[int, Column]:
    """Columns by the expression ids of a frame whose output they are."""
    output = items(frame._jdf.queryExecution().analyzed().output())
    return {attribute.exprId().id(): column for attribute, column in zip(output, columns, strict=True)}


def _no_plans(*_: Any) -> Any:
    raise InvalidCondition("the condition contains a subquery", todo="compare output columns with values")


def _as_column(frame: DataFrame, rows: Target) -> SparkColumn:
    if isinstance(rows, SparkColumn):
        return rows
    if isinstance(rows, str):
        return F.expr(rows)
    if isinstance(rows, Row):
        return _of_values(frame, _by_position(frame, rows))
    if isinstance(rows, Mapping):
        return _of_values(frame, {_position(frame, name): value for name, value in rows.items()})
    if isinstance(rows, Sequence) and not isinstance(rows, bytes):
        if not rows:
            raise InvalidCondition("no row to trace was given", todo=_FORMS)
        return reduce(lambda one, other: one | other, (_as_column(frame, row) for row in rows))
    raise InvalidCondition(f"rows to trace cannot be given as {type(rows).__name__}", todo=_FORMS)


def _by_position(frame: DataFrame, row: Row) -> dict[int, Any]:
    names = getattr(row, "__fields__", None)
    if names is None or list(names) == frame.columns:
        if len(row) != len(frame.columns):
            raise InvalidCondition(
                f"a row of {len(row)} values for an output of {len(frame.columns)} columns", todo=_FORMS
            )
        return dict(enumerate(row))
    return {_position(frame, name): value for name, value in zip(names, row, strict=True)}


def _position(frame: DataFrame, name: str) -> int:
    if not isinstance(name, str):
        raise InvalidCondition(f"a column name is {name!r}", todo=_FORMS)
    exact = [i for i, known in enumerate(frame.columns) if known == name]
    found = exact or [i for i, known in enumerate(frame.columns) if known.lower() == name.lower()]
    if not found:
        raise _unknown(name, frame)
    if len(found) > 1:
        raise InvalidCondition(f"the output has {len(found)} columns named {name!r}", todo="pass a whole Row")
    return found[0]


def _unknown(name: str, frame: DataFrame) -> UnknownColumn:
    close = difflib.get_close_matches(name, frame.columns, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}? " if close else ""
    return UnknownColumn(
        f"the output has no column {name!r}", todo=f"{hint}the columns are: {', '.join(frame.columns)}"
    )


def _of_values(frame: DataFrame, values: Mapping[int, Any]) -> SparkColumn:
    if not values:
        raise InvalidCondition("no column value was given", todo=_FORMS)
    attributes = frame._jdf.queryExecution().analyzed().output()
    jvm: Any = frame.sparkSession._jvm
    utilities = jvm.org.apache.spark.sql.classic.ExpressionUtils
    conditions = []
    for position, value in values.items():
        column = SparkColumn(utilities.column(attributes.apply(position)))
        conditions.append(_equals(column, frame.schema[position].dataType, value))
    return _all(conditions)


def _all(conditions: Iterable[SparkColumn]) -> SparkColumn:
    return reduce(lambda one, other: one & other, conditions)


def _equals(column: SparkColumn, kind: DataType, value: Any) -> SparkColumn:
    """Whether a column has this value. Of a map, and of what has one in it, Spark compares only the parts."""
    if _is_compared(kind):
        return column.eqNullSafe(_literal(value))
    if value is None:
        return column.isNull()
    if isinstance(kind, MapType) and isinstance(value, Mapping):
        parts = [F.size(column) == len(value)]
        for key, of_key in value.items():
            there = _literal(key).cast(kind.keyType)
            parts.append(F.map_contains_key(column, there))
            parts.append(_equals(F.element_at(column, there), kind.valueType, of_key))
        return _all(parts)
    if isinstance(kind, ArrayType) and isinstance(value, (list, tuple)):
        parts = [_equals(F.get(column, F.lit(i)), kind.elementType, part) for i, part in enumerate(value)]
        return _all([F.size(column) == len(value), *parts])
    if isinstance(kind, StructType) and isinstance(value, Row) and len(value) == len(kind):
        parts = [
            _equals(column.getField(field.name), field.dataType, part)
            for field, part in zip(kind, value, strict=True)
        ]
        return _all([column.isNotNull(), *parts])
    raise InvalidCondition(
        f"values of type {kind.simpleString()} cannot be compared with {type(value).__name__}",
        todo="leave this column out, the others may do",
    )


def _is_compared(kind: DataType) -> bool:
    """Whether Spark compares values of the type."""
    match kind:
        case ArrayType():
            return _is_compared(kind.elementType)
        case StructType():
            return all(_is_compared(field.dataType) for field in kind)
    return not isinstance(kind, (MapType, VariantType, CalendarIntervalType))


def _literal(value: Any) -> SparkColumn:
    if isinstance(value, Row):
        names = getattr(value, "__fields__", [f"col{i + 1}" for i in range(len(value))])
        return F.struct(*(_literal(part).alias(name) for name, part in zip(names, value, strict=True)))
    if isinstance(value, (list, tuple)):
        return F.array(*(_literal(part) for part in value))
    if isinstance(value, dict):
        raise InvalidCondition("a dict is given for a column that is no map", todo="give a struct as a Row")
    if isinstance(value, bytearray):
        value = bytes(value)
    return F.lit(value)


def _explained(problem: PySparkException, frame: DataFrame) -> InvalidCondition | UnknownColumn:
    parameters = problem.getMessageParameters() or {}
    condition = problem.getCondition() or ""
    if condition.startswith("UNRESOLVED_COLUMN"):
        return _unknown(str(parameters.get("objectName", "")).replace("`", ""), frame)
    first_line = str(problem).strip().split("\n")[0]
    return InvalidCondition(f"Spark does not accept the condition: {first_line}".rstrip("."), todo=_FORMS)
