"""Spark's errors, as Python sees them. Imports nothing of Spark before it must."""

from __future__ import annotations


def spark_errors() -> tuple[type[Exception], ...]:
    """What Spark raises: PySpark translates most of its errors, but not those of a failed job."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JJavaError


def condition_of(problem: Exception) -> str:
    """The name of Spark's error condition, such as TABLE_OR_VIEW_NOT_FOUND."""
    from pyspark.errors import PySparkException

    return (problem.getCondition() or "") if isinstance(problem, PySparkException) else ""
