"""PIVOT by SQL, by API and by hand: which rows of the index group belong to which cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from .registry import pipeline, sql_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Index A: x 1 (5), 2 (9); y 3 (4), 10 (4); z 4. B: y 5, 6 (NULL); x 7. C: z 8, NULL 9. E: x 11; z 12.

sql_pipeline(
    "pivot_sum",
    "SELECT * FROM (SELECT idx, p, v FROM cells) PIVOT (sum(v) FOR p IN ('x', 'y'))",
    covers=("pivot", "pivot_empty"),
    expected=[
        ({"idx": "A"}, {"cells": {1, 2, 3, 10}}),  # not row 4: z is no column
        ({"idx": "E"}, {"cells": {11}}),
        ({"idx": "B"}, {"cells": {5, 6, 7}}),
        ({"idx": "C"}, {"cells": {8, 9}}),  # no cell at all: the index group
    ],
)
sql_pipeline(
    "pivot_two_one_row_aggregates",
    "SELECT * FROM (SELECT idx, p, v FROM cells) "
    "PIVOT (max(v) AS hi, min(v) AS lo FOR p IN ('x' AS x, 'y' AS y))",
    covers=("pivot_one_row",),
    expected=[({"idx": "A"}, {"cells": {1, 2, 3, 10}}), ({"idx": "B"}, {"cells": {5, 6, 7}})],
)
sql_pipeline(
    "pivot_max_and_count",
    "SELECT * FROM (SELECT idx, p, v FROM cells) "
    "PIVOT (max(v) AS hi, count(v) AS n FOR p IN ('x' AS x, 'y' AS y))",
    covers=("pivot", "note_all_aggregates"),
    # count beside max: the whole cell, row 1 too.
    expected=[({"idx": "A"}, {"cells": {1, 2, 3, 10}}), ({"idx": "E"}, {"cells": {11}})],
)
sql_pipeline(
    "pivot_two_columns",
    "SELECT * FROM (SELECT region, q1, q2, q3 FROM quarterly) "
    "PIVOT (sum(q3) FOR (q1, q2) IN ((10, 20) AS first, (7, 7) AS second))",
    covers=("pivot",),
)
sql_pipeline(
    "pivot_by_hand_max",
    "SELECT idx, max(if(p <=> 'x', v, null)) AS x, max(if(p <=> 'y', v, null)) AS y FROM cells GROUP BY idx",
    covers=("pivot_by_hand", "pivot_one_row", "pivot_empty"),
    expected=[
        ({"idx": "A"}, {"cells": {2, 3, 10}}),
        ({"idx": "E"}, {"cells": {11}}),  # y is NULL for want of a row: the cell is empty, 12 stays out
        ({"idx": "B"}, {"cells": {5, 6, 7}}),  # y is NULL from NULLs: the cell's rows
        ({"idx": "C"}, {"cells": {8, 9}}),
    ],
)
sql_pipeline(
    "pivot_by_hand_sum",
    "SELECT idx, sum(if(p <=> 'x', v, null)) AS x, sum(if(p <=> 'y', v, null)) AS y FROM cells GROUP BY idx",
    covers=("pivot_by_hand", "pivot"),
    expected=[({"idx": "A"}, {"cells": {1, 2, 3, 10}}), ({"idx": "E"}, {"cells": {11}})],
)
sql_pipeline(
    "not_a_pivot_plain_equality_max",
    "SELECT idx, max(if(p = 'x', v, null)) AS x, max(if(p = 'y', v, null)) AS y FROM cells GROUP BY idx",
    covers=("group_by_one_row", "group_by_all_null"),
    # With = it is a GroupBy: a NULL column brings the whole group.
    expected=[
        ({"idx": "A"}, {"cells": {2, 3, 10}}),
        ({"idx": "E"}, {"cells": {11, 12}}),
        ({"idx": "C"}, {"cells": {8, 9}}),
    ],
)
sql_pipeline(
    "not_a_pivot_case_sum",
    "SELECT idx, sum(CASE WHEN p = 'x' THEN v END) AS x, sum(CASE WHEN p = 'y' THEN v END) AS y "
    "FROM cells GROUP BY idx",
    covers=("group_by", "note_whole_group"),
    expected=[({"idx": "A"}, {"cells": {1, 2, 3, 4, 10}}), ({"idx": "E"}, {"cells": {11, 12}})],
)
sql_pipeline(
    "pivot_then_filter",
    "SELECT idx, x FROM (SELECT * FROM (SELECT idx, p, v FROM cells) "
    "PIVOT (max(v) FOR p IN ('x', 'y'))) WHERE x > 2",
    covers=("pivot_one_row", "filter"),
    # y is dropped above, but the pivot computed it.
    expected=[({"idx": "A"}, {"cells": {2, 3, 10}}), ({"idx": "B"}, {"cells": {5, 6, 7}})],
    expected_rows=2,
)


@pipeline(
    "api_pivot_max",
    covers=("pivot", "pivot_one_row", "pivot_empty", "note_not_closed"),
    expected=[
        ({"idx": "A"}, {"cells": {2, 3, 10}}),  # x attained by 2, y by both 3 and 10
        ({"idx": "B"}, {"cells": {5, 6, 7}}),
        ({"idx": "C"}, {"cells": {8, 9}}),
        ({"idx": "E"}, {"cells": {11}}),
    ],
)
def api_pivot_max(spark: SparkSession) -> DataFrame:
    return spark.table("cells").groupBy("idx").pivot("p", ["x", "y"]).max("v")


@pipeline(
    "api_pivot_all_values",
    covers=("pivot",),
    reexecutable=False,
    expected=[({"idx": "A"}, {"cells": {1, 2, 3, 4, 10}}), ({"idx": "C"}, {"cells": {8, 9}})],
)
def api_pivot_all_values(spark: SparkSession) -> DataFrame:
    return spark.table("cells").groupBy("idx").pivot("p").sum("v")


@pipeline(
    "api_pivot_without_index",
    covers=("pivot_one_row", "global_aggregate"),
    expected=[({"x": 9}, {"cells": {2, 3, 10}})],
    expected_rows=1,
)
def api_pivot_without_index(spark: SparkSession) -> DataFrame:
    return spark.table("cells").groupBy().pivot("p", ["x", "y"]).max("v")


@pipeline(
    "api_pivot_collect_list",
    covers=("pivot", "pivot_empty", "note_determinism"),
    deterministic=False,
    # A list is no atomic type: Spark plans this PIVOT in its other shape, agg(if(p <=> literal, ...)).
    expected=[
        ({"idx": "A"}, {"cells": {1, 2, 3, 10}}),
        ({"idx": "E"}, {"cells": {11}}),
        ({"idx": "C"}, {"cells": {8, 9}}),
    ],
)
def api_pivot_collect_list(spark: SparkSession) -> DataFrame:
    return spark.table("cells").groupBy("idx").pivot("p", ["x", "y"]).agg(sf.collect_list("v"))


@pipeline(
    "api_pivot_two_index_columns",
    covers=("pivot",),
    # sales of pens: person 2's 103 and 104, both in February.
    expected=[({"pid": 2, "month": 2}, {"sales": {103, 104}}), ({"pid": 3, "month": None}, {"sales": {108}})],
)
def api_pivot_two_index_columns(spark: SparkSession) -> DataFrame:
    sales = spark.table("sales").withColumn("month", sf.month("day"))
    return sales.groupBy("pid", "month").pivot("item", ["pen", "ink"]).agg(sf.sum("qty"), sf.avg("price"))
