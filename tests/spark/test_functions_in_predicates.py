"""Python functions in predicates: asked of rows that the pipeline kept from them, in semi joins, beside DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas import functions as pandas_functions

from predtrace import capture
from predtrace.errors import PredtraceError


@pytest.fixture(scope="module")
def sensors(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = str(tmp_path_factory.mktemp("sensors") / "sensors")
    rows = [(1, 21, 40, "Ann"), (2, None, 50, "bob"), (3, 22, None, None)]
    schema = "id int, temp int, humidity int, name string"
    spark.createDataFrame(rows, schema).coalesce(1).write.parquet(path)
    return spark.read.parquet(path)


def ids(lineage_rows: DataFrame) -> list[int]:
    return sorted(row.id for row in lineage_rows.collect())


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("kind", ["pickled", "arrow", "pandas"])
def test_a_function_may_fail_for_rows_that_were_kept_from_it(
    sensors: DataFrame, kind: str, exact: bool
) -> None:
    if kind == "pandas":
        pandas_udf: Any = pandas_functions.pandas_udf
        ok = pandas_udf(lambda values: _all_positive(values), "boolean")
    else:
        ok = F.udf(lambda value: value > 0, "boolean", useArrow=kind == "arrow")
    long = sensors.unpivot(["id"], ["temp", "humidity"], "channel", "value")
    pipeline = capture(long.where("value is not null").where(ok("value")))
    wanted = {"id": 3, "channel": "temp", "value": 22}
    assert ids(pipeline.trace(wanted, exact=exact)[pipeline.sources[0]].to_spark()) == [3]
    pipeline.run()
    assert ids(pipeline.trace(wanted, exact=exact)[pipeline.sources[0]].to_spark()) == [3]


def _all_positive(values: pd.Series) -> pd.Series:
    if values.isnull().any():
        raise ValueError("a value is missing")
    return values > 0


def test_what_is_missing_on_the_machine_is_an_error(sensors: DataFrame) -> None:
    def looked_up(value: int) -> int:
        with open("no such file") as lines:
            return len(lines.readlines()) + value

    pipeline = capture(
        sensors.select("id", F.udf(looked_up, "int", useArrow=False)("temp").alias("looked_up"))
    )
    with pytest.raises(PredtraceError, match=r"a Python function.*FileNotFoundError.*No such file"):
        pipeline.trace("looked_up = 21 and id > 0", exact=False).counts()


def test_a_function_of_both_sides_of_a_join(spark: SparkSession, sensors: DataFrame) -> None:
    teams = spark.createDataFrame([(1, "ANN"), (2, "Bob"), (1, "Bob")], "team int, captain string")
    same = F.udf(
        lambda a, b: a is not None and b is not None and a.lower() == b.lower(), "boolean", useArrow=False
    )
    joined = sensors.join(teams, same("name", "captain")).groupBy("team").count()
    pipeline = capture(joined)
    for exact in (True, False):
        lineage = pipeline.trace({"team": 1, "count": 2}, exact=exact)
        assert ids(lineage[pipeline.sources[0]].to_spark()) == [1, 2]
        lineage = pipeline.trace({"team": 2, "count": 1}, exact=exact)
        assert ids(lineage[pipeline.sources[0]].to_spark()) == [2]


@pytest.mark.parametrize(
    ("text", "engine"),
    [("lower(name)", "spark"), ("regexp_replace(name, 'b', '')", "spark"), ("shout(name)", "duckdb")],
)
def test_a_superset_that_duckdb_cannot_select_comes_from_spark(
    spark: SparkSession, sensors: DataFrame, text: str, engine: str
) -> None:
    spark.udf.register("shout", lambda name: name and name.upper(), "string")
    pipeline = capture(sensors.selectExpr("id", f"{text} as called"))
    value = pipeline.captured.dataframe.where("id = 2").first()
    assert value is not None
    lineage = pipeline.trace({"id": 2, "called": value.called}, exact=False)
    assert lineage.counts() == {pipeline.sources[0]: 1}
    assert lineage.engine == engine


def test_a_function_of_doubles_that_was_read_is_proved_exact(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(1, 10.0), (2, 0.0), (3, -0.0), (4, None)], "id int, celsius double")
    warmer = F.udf(lambda c: c * 1.8 + 32 if c is not None else None, "double", useArrow=False)
    pipeline = capture(rows.select(warmer("celsius").alias("fahrenheit")))
    assert pipeline.plan.exact
    source = pipeline.sources[0]
    assert ids(pipeline.trace("fahrenheit = 32")[source].to_spark()) == [2, 3]
    assert ids(pipeline.trace("fahrenheit = 50")[source].to_spark()) == [1]
    assert ids(pipeline.trace("fahrenheit is null")[source].to_spark()) == [4]


FAILING = {
    "a group by a quotient": lambda t: t.groupBy(F.expr("10 div temp").alias("k")).count(),
    "a group by a function": lambda t: t.groupBy(
        F.udf(lambda v: 10 // v, "int", useArrow=False)("temp").alias("k")
    ).count(),
    "a quotient": lambda t: t.select("id", F.expr("10 / temp").alias("k")),
    "a remainder": lambda t: t.select("id", F.expr("10 % temp + 10").alias("k")),
    "a sum": lambda t: t.select("id", F.expr("temp + 2147483646 - 2147483637").alias("k")),
    "a cast": lambda t: t.select("id", F.expr("cast(if(temp = 1, '10', 'x') as int)").alias("k")),
}


@pytest.mark.parametrize("what", FAILING)
def test_what_fails_for_rows_that_a_join_leaves_out(spark: SparkSession, tmp_path: Path, what: str) -> None:
    """Under Spark's ANSI mode, a row that found no partner is never asked to be divided by."""
    spark.createDataFrame([(1, 1), (3, 0), (4, 7), (5, None)], "id int, temp int").write.parquet(
        f"{tmp_path}/t"
    )
    spark.createDataFrame([(1,), (2,)], "id int").write.parquet(f"{tmp_path}/s")
    joined = spark.read.parquet(f"{tmp_path}/t").join(spark.read.parquet(f"{tmp_path}/s"), "id")
    pipeline = capture(FAILING[what](joined))
    for exact, engine in ((True, "auto"), (True, "spark"), (False, "auto"), (False, "spark")):
        assert pipeline.trace("k = 10", exact=exact, engine=engine).counts() == {"t": 1, "s": 1}
    pipeline.run()
    assert pipeline.trace("k = 10").counts() == {"t": 1, "s": 1}


@pytest.mark.parametrize("kind", ["pickled", "arrow"])
def test_a_function_is_called_once_for_each_of_its_inputs(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    noted = tmp_path / "inputs"

    def shop(text: str | None) -> str:
        with open(noted, "a") as lines:
            lines.write(f"{text}\n")
        return "none" if text is None else text.swapcase()

    rows = [(id_, [None, "a", "B", "c"][id_ % 4]) for id_ in range(400)]
    spark.createDataFrame(rows, "id int, text string").repartition(3).write.parquet(str(tmp_path / "sales"))
    sales = spark.read.parquet(str(tmp_path / "sales"))
    named = sales.select(F.udf(shop, "string", useArrow=kind == "arrow")("text").alias("shop"))
    pipeline = capture(named.groupBy("shop").count())
    pipeline.run()
    lineage = pipeline.trace({"shop": "b", "count": 100}, engine="spark")
    noted.unlink()  # what was noted when the pipeline ran, to see whether there is such a row
    assert ids(lineage[pipeline.sources[0]].to_spark()) == list(range(2, 400, 4))
    assert sorted(noted.read_text().split()) == ["B", "None", "a", "c"]


def test_a_function_of_both_sides_tells_zeros_apart(spark: SparkSession) -> None:
    spark.createDataFrame([(1, 0.0), (2, -0.0)], "id int, x double").createOrReplaceTempView("numbers")
    spark.createDataFrame([("0.0",), ("1.0",)], "text string").createOrReplaceTempView("texts")

    def is_written(value: float, text: str) -> bool:
        return repr(value) == text

    spark.udf.register("is_written", is_written, "boolean")
    pipeline = capture(spark.sql("select text, x from numbers join texts on is_written(x, text)"))
    pipeline.run()
    lineage = pipeline.trace("text = '0.0'", engine="spark")
    assert ids(lineage["numbers"].to_spark()) == [1]
