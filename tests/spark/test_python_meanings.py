"""What was read of the user's functions: against Spark calling them, and in the files that a trace skips."""

from __future__ import annotations

import math
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tests.unit.symbolic.python import functions as f
from tests.unit.symbolic.python.plain_evaluation import ITSELF, evaluated
from tests.unit.symbolic.python.test_understanding import EDGES, WHOLE, Function, parameters

from predtrace import capture
from predtrace.ir.expressions import UserCall
from predtrace.ir.operators import walk_operators
from predtrace.ir.parts import walk

SCHEMA = {"int": "bigint", "float": "double", "str": "string", "bool": "boolean"}
RAISING = {f.raises_sometimes, f.overflows, f.arithmetic, f.power, f.smallest, f.inner_function, f.unpacked}
"""Not for all edge values a value that fits."""
SAFE = [
    (function, type_) for function, type_ in WHOLE if function not in RAISING and function is not f.halves
]


def calls_of(frame: DataFrame) -> dict[str, UserCall]:
    operators = walk_operators(capture(frame).captured.operators)
    parts = (part for o in operators for e in o.expressions for part in walk(e))
    return {part.name: part for part in parts if isinstance(part, UserCall)}


@pytest.mark.parametrize("arrow", [False, True], ids=["pickled", "arrow"])
def test_spark_gets_the_values_that_were_read(spark: SparkSession, arrow: bool) -> None:
    columns = {f"{kind}{at}": values[at * 3 :] for kind, values in EDGES.items() for at in range(2)}
    rows = list(zip_longest(*columns.values()))
    frame = spark.createDataFrame(rows, ", ".join(f"{c} {SCHEMA[c[:-1]]}" for c in columns))
    for function, type_ in SAFE:
        called = F.udf(function, type_.sql(), useArrow=arrow)
        inputs = [f"{kind}{at}" for at, kind in enumerate(parameters(function))]
        frame = frame.withColumn(f"= {function.__name__} {id(function)}", called(*inputs))
    calls = calls_of(frame)
    assert len(calls) >= len(SAFE) - 2, "functions of one name"
    for row in frame.collect():
        for function, _ in SAFE:
            _compare(function, row.asDict(), calls[function.__name__])


def _compare(function: Function, row: dict[str, Any], call: UserCall) -> None:
    if function.__name__ == "<lambda>":
        return
    assert call.meaning is not None
    values = {f"p{at}": row[f"{kind}{at}"] for at, kind in enumerate(parameters(function))}
    found, expected = evaluated(call.meaning.body, values), row[f"= {function.__name__} {id(function)}"]
    both_nan = all(isinstance(x, float) and math.isnan(x) for x in (found, expected))
    assert found is ITSELF or both_nan or repr(found) == repr(expected), (function.__name__, values)


@pytest.fixture
def people(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Ages in order, a hundred to a file: each file holds a few years."""
    path = str(tmp_path / "people")
    rows = spark.range(1000).selectExpr("id", "cast(id div 10 as int) as age", "concat('Name', id) as name")
    rows.repartitionByRange(10, "id").sortWithinPartitions("id").write.parquet(path)
    return spark.read.parquet(path)


def test_a_condition_on_a_function_becomes_one_on_the_column(people: DataFrame) -> None:
    group = F.udf(f.fourteen, "string", useArrow=False)
    pipeline = capture(people.select("id", group("age").alias("years")))
    lineage = pipeline.trace("years = 'teen' and id > 0")
    assert lineage.exact
    ages = {row.age for row in lineage[pipeline.sources[0]].to_spark().collect()}
    assert ages == {13, 14, 15, 16, 17}
    assert "fourteen: read" in pipeline.explain()


def test_a_lookup_table_and_a_scale_skip_files(people: DataFrame) -> None:
    months = F.udf(lambda age: age * 12 + 1 if age is not None else None, "bigint")
    pipeline = capture(people.select("name", months("age").alias("months")))
    quote = pipeline.cost("months = 121")
    assert quote.files_left == 1, str(quote)
    lineage = pipeline.trace("months = 121")
    assert {row.age for row in lineage[pipeline.sources[0]].to_spark().collect()} == {10}


def test_what_is_not_read_is_said(people: DataFrame) -> None:
    def risky(age: int) -> str:
        try:
            return str(100 // age)
        except ZeroDivisionError:
            return "none"

    pipeline = capture(people.select("id", F.udf(risky, "string", useArrow=False)("age").alias("part")))
    assert "risky: taken as it is, not looked into (a statement (try))" in pipeline.explain()
    lineage = pipeline.trace("part = 'none'")
    assert lineage.exact
    assert lineage.counts() == {pipeline.sources[0]: 10}
