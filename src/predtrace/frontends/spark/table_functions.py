"""Python table functions, called for the rows of any frame.

Spark converts what a table function yields by rules of its own, other than those for a Python UDF. So it is Spark
that calls it here too, by a node as it makes one of a lateral join: the user's call with other arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from predtrace.frontends.spark.catalyst import JavaExpression, catalyst, items
from predtrace.frontends.spark.leaves import dataframe_of

_ARGUMENT = "predtrace_argument"


def with_yielded(
    rows: DataFrame, call: JavaExpression, arguments: Sequence[str], names: Sequence[str]
) -> DataFrame:
    """Each row with each of the rows that a live call's function yields for arguments given as SQL texts."""
    spark = catalyst()
    texts = (F.expr(text).alias(f"{_ARGUMENT}_{at}") for at, text in enumerate(arguments))
    below = rows.select("*", *texts)._jdf.queryExecution().analyzed()
    values = items(below.output())[len(rows.columns) :]
    given = zip(items(call.children()), values, strict=True)
    generator = call.withNewChildren(spark.sequence([_argument(old, value) for old, value in given]))
    nothing = spark.sequence([])
    generated = [
        spark.attribute(name, field.dataType(), True, spark.no_metadata, spark.new_id(), nothing)
        for name, field in zip(names, items(call.elementSchema().toSeq()), strict=True)
    ]
    node = spark.generate(generator, nothing, False, spark.none, spark.sequence(generated), below)
    return dataframe_of(rows.sparkSession, node).select(*(f"`{name}`" for name in (*rows.columns, *names)))


def _argument(old: JavaExpression, value: JavaExpression) -> JavaExpression:
    """The value in the place of an argument, under its name if it was given by name."""
    if old.getClass().getSimpleName() != "NamedArgumentExpression":
        return value
    return old.withNewChildren(catalyst().sequence([value]))
