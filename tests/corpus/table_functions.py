"""Python table functions (UDTFs), declared to treat each row by itself and not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from predtrace import rowwise

from .registry import pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pipeline("python_table_function", covers=("row_expand", "python_udtf"), opaque=True)
def python_table_function(spark: SparkSession) -> DataFrame:
    repeat: Any = sf.udtf(_repeat(), returnType="number int")
    spark.udtf.register("corpus_repeat", repeat)
    return spark.sql("SELECT s.sid, r.number FROM sales s, LATERAL corpus_repeat(s.qty) r")


@pipeline(
    "rowwise_table_function",
    covers=("row_expand", "rowwise", "python_udtf"),
    # Every sale of more than that many; one whose quantity is not known yields nothing.
    expected=[({"number": 2}, {"sales": {101, 103, 106, 108, 111}}), ({"number": 4}, {"sales": {103, 106}})],
)
def rowwise_table_function(spark: SparkSession) -> DataFrame:
    repeat: Any = rowwise(sf.udtf(_repeat(), returnType="number int"))
    spark.udtf.register("corpus_repeat_by_row", repeat)
    return spark.sql("SELECT r.number FROM sales s, LATERAL corpus_repeat_by_row(s.qty) r")


@pipeline(
    "rowwise_table_function_outer",
    covers=("row_expand", "rowwise", "python_udtf", "left_outer_join"),
    # A sale that yields nothing, or nothing that the condition lets in, is kept.
    expected=[
        ({"sid": 101, "number": 2}, {"sales": {101}}),
        ({"sid": 102, "number": None}, {"sales": {102}}),
        ({"sid": 104, "number": None}, {"sales": {104}}),
    ],
)
def rowwise_table_function_outer(spark: SparkSession) -> DataFrame:
    repeat: Any = rowwise(sf.udtf(_repeat(), returnType="number int"))
    spark.udtf.register("corpus_repeat_by_row", repeat)
    return spark.sql(
        """SELECT s.sid, r.number FROM sales s
           LEFT JOIN LATERAL corpus_repeat_by_row(s.qty) r ON r.number > 1"""
    )


def _repeat() -> type:
    class Repeat:
        def eval(self, count: int | None) -> Iterator[tuple[int]]:
            for number in range(count or 0):
                yield (number,)

    return Repeat
