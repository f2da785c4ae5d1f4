"""Python functions that Spark calls for every row.

A function that is called here is sent to Spark's processes, so it is one that Python can send as a whole: a lambda,
or a function made inside another. Then nothing of this package has to be installed where Spark runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import Column
from pyspark.sql.types import DataType
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from predtrace.frontends.pandas.core.dtypes import Dtype
from predtrace.frontends.pandas.core.spaces import Value

Function = Callable[..., Any]


def row_function(function: Function, returns: DataType, *arguments: Column, name: str = "") -> Column:
    """The call of a Python function with the values of columns, None where they are missing.

    Values go to Python and back as they are, without Arrow, whose rules for other types are not Python's.
    """
    made = UserDefinedFunction(function, returns, name or None, PythonEvalType.SQL_BATCHED_UDF)
    return made(*arguments)


def called(function: Function, arguments: Sequence[Value], dtype: Dtype, name: str = "") -> Value:
    """What a function returns for each row. It must have an answer for values of any row."""
    first, *others = arguments
    column = row_function(function, dtype.spark, *(value.column for value in arguments), name=name)
    return first.with_column(column, dtype, *others)


def bound_to_its_rows(value: Value) -> Value:
    """A value that can be worked out for its own rows only: for others the function may raise."""
    return replace(value, is_bound=True)


def each(function: Function, value: Value, dtype: Dtype, name: str = "") -> Value:
    """What a function returns for the values that are not missing."""
    return called(unless_missing(function), [value], dtype, name)


def unless_missing(function: Function) -> Function:
    """The function for values that are there; what is missing stays so."""

    def call(value: Any) -> Any:
        return None if value is None else function(value)

    return call
