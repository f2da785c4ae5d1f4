"""Python functions in traces that DuckDB answers: the rows that Spark selects, each input asked once."""

from __future__ import annotations

import decimal
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tests.properties.traces import Judge
from tests.spark.oracle import Oracle
from tests.spark.test_duckdb_traces import assert_same

import predtrace
from predtrace import capture
from predtrace.errors import InputError, UntrustedFunctions

NAN = float("nan")
ROWS = [
    (1, 1, 1.5, Decimal("1.50"), date(2024, 2, 29), "straße", True),
    (2, 2, NAN, Decimal("0.00"), date(1000, 1, 1), "STRASSE", False),
    (3, 3, 0.0, None, date(9999, 12, 31), "日本", None),
    (4, 2, -0.0, Decimal("-2.25"), None, "", True),
    (5, None, None, Decimal("99999999.99"), date(2024, 2, 29), None, False),
    (6, 1, 1.5, Decimal("1.50"), date(1969, 7, 20), "a\u0000b", True),
    (7, 3, float("-inf"), Decimal("1.50"), date(1582, 10, 4), "\U0001f600", None),
]
SCHEMA = "id int, n int, x double, price decimal(10,2), day date, name string, flag boolean"


@pytest.fixture(scope="module")
def things(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = str(tmp_path_factory.mktemp("things") / "things")
    spark.createDataFrame(ROWS, SCHEMA).coalesce(1).write.parquet(path)
    return spark.read.parquet(path)


@pytest.fixture(scope="module")
def others(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = str(tmp_path_factory.mktemp("others") / "others")
    rows = [("STRASSE",), ("x",), (None,), ("日本",)]
    spark.createDataFrame(rows, "called string").coalesce(1).write.parquet(path)
    return spark.read.parquet(path)


def udf(function: Callable[..., Any], returns: str, arrow: bool = False) -> Any:
    return F.udf(function, returns, useArrow=arrow)


def _folded(text: str | None) -> str | None:
    return None if text is None else text.casefold()


def _inverse(n: int) -> int:
    return 6 // (n - 2)  # raises for 2 and for None


def _total(t: DataFrame, key: Any) -> DataFrame:
    return t.groupBy(key.alias("k")).agg(F.count("*").alias("c"))


def _of_every_type(t: DataFrame, arrow: bool) -> DataFrame:
    """What Python is given and what it returns, for each type."""
    functions = {
        "price": [(lambda p: p and p / 2, "decimal(12,3)"), (repr, "string")],
        "day": [(lambda d: d and d.replace(day=1), "date"), (repr, "string")],
        "name": [(_folded, "string"), (repr, "string")],
        "flag": [(lambda f: f is not False, "boolean"), (repr, "string")],
        "cast(n as tinyint)": [(lambda n: n and -n, "tinyint"), (lambda n: n and n / 3, "double")],
    }
    made = [udf(f, returns, arrow)(F.expr(of)) for of, each in functions.items() for f, returns in each]
    return t.select(*(column.alias(f"c{at}") for at, column in enumerate(made)))


def _written_so(text: str) -> Any:
    return udf(lambda x: repr(x) == text, "boolean")


def _same_name(t: DataFrame, o: DataFrame, how: str) -> DataFrame:
    return t.join(o, udf(_folded, "string")("name") == udf(_folded, "string")("called"), how)


CASES: dict[str, Callable[[DataFrame, DataFrame], DataFrame]] = {
    "every type": lambda t, o: _of_every_type(t, arrow=False),
    "every type by Arrow": lambda t, o: _of_every_type(t, arrow=True),
    "a filter": lambda t, o: t.where(udf(lambda n: hash(str(n)) % 2 == 0, "boolean")("n")).select("id"),
    "a group": lambda t, o: _total(t, udf(_folded, "string")("name")),
    "signs of zero": lambda t, o: t.where(_written_so("-0.0")("x")).select("id"),
    "NaN, as a float of 32 bits": lambda t, o: t.where(_written_so("nan")(F.expr("cast(x as float)"))).select(
        "id"
    ),
    "a function of a function": lambda t, o: _total(
        t, udf(len, "int")(udf(lambda n: f"{n}", "string")(F.expr("n + id")))
    ),
    "two functions": lambda t, o: (
        t.where(udf(lambda n: n != 3, "boolean")("n"))
        .where("id > 1")
        .select("id", udf(_folded, "string")("name").alias("k"))
    ),
    "one that raises": lambda t, o: _total(t.where("n <> 2"), udf(_inverse, "int")("n")),
    "a join": lambda t, o: _same_name(t, o, "inner").groupBy("called").count(),
    "a semi join": lambda t, o: _same_name(t, o, "left_semi").select("name"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_rows_are_those_of_spark_and_of_the_tracker(
    things: DataFrame, others: DataFrame, tmp_path: Path, name: str
) -> None:
    judge = Judge(Oracle(CASES[name](things, others)))
    pipeline = capture(judge.oracle.frame)
    pipeline.run(store=str(tmp_path))
    keys = list(judge.output)
    lineage = judge.check_trace(pipeline, keys)
    assert (lineage.exact, lineage.engine) == (True, "duckdb"), lineage.explain()
    assert_same(lineage, pipeline.trace([judge.output[key] for key in keys], engine="spark"))


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("name", ["two functions", "one that raises", "a join"])
def test_nothing_was_saved(things: DataFrame, others: DataFrame, name: str, exact: bool) -> None:
    pipeline = capture(CASES[name](things, others))
    row = pipeline.captured.dataframe.first()
    assert row is not None
    found, expected = (pipeline.trace(row, exact=exact, engine=engine) for engine in ("auto", "spark"))
    assert_same(found, expected)
    assert found.counts()["things"] > 0


WRONG = {
    "a number for text": lambda n: n,
    "a number that is too large": lambda n: 2**40,
    "a truth for a number": lambda n: True,
    "text that is none": lambda n: "\ud800",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_spark_converts_is_left_to_spark(things: DataFrame, name: str) -> None:
    returns = "string" if "text" in name else "int"
    frame = things.select("id", udf(WRONG[name], returns)("n").alias("k"))
    pipeline = capture(frame)
    assert pipeline.plan.exact
    expected = pipeline.trace("id = 4", engine="spark")
    found = pipeline.trace("id = 4")
    assert (found.counts(), found.engine) == (expected.counts(), "spark")
    with pytest.raises(InputError, match="DuckDB cannot answer this as Spark would: the function"):
        pipeline.trace("id = 4", engine="duckdb")


def _asked(log: Path) -> list[str]:
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return sorted(lines)


def test_each_input_is_asked_once_and_only_where_the_rest_leaves_a_row(
    spark: SparkSession, tmp_path: Path
) -> None:
    log = tmp_path / "asked"

    def bucket(word: str) -> int:
        with open(log, "a") as lines:
            lines.write(f"{word}\n")
        return len(word)

    rows = [(n, n % 2, f"w{n % 40}") for n in range(4000)]
    spark.createDataFrame(rows, "id int, half int, word string").write.parquet(str(tmp_path / "words"))
    words = spark.read.parquet(str(tmp_path / "words"))
    grouped = words.groupBy("half", udf(bucket, "int")("word").alias("size")).count()
    pipeline = capture(grouped)
    pipeline.run(store=str(tmp_path / "store"))
    _asked(log)
    lineage = pipeline.trace("half = 1 and size = 2")
    assert lineage.counts() == {"words": 500}
    assert lineage["words"].to_arrow().num_rows == 500
    assert lineage.engine == "duckdb"
    assert _asked(log) == sorted(f"w{n}" for n in range(1, 40, 2))


def test_functions_run_as_in_the_workers_of_spark(things: DataFrame, tmp_path: Path) -> None:
    """Not as in this process, which may have been set otherwise."""

    def told(n: int) -> str:
        import decimal
        import os

        return f"{decimal.Decimal(n or 0) / 7} {os.environ.get('LATER')} {os.getpid() == here}"

    here = os.getpid()
    pipeline = capture(things.select("id", udf(told, "string")("n").alias("k")))
    pipeline.run(store=str(tmp_path))
    row = pipeline.captured.dataframe.where("id = 1").first()
    assert row is not None
    assert row.k.endswith("False")
    os.environ["LATER"] = "set"
    try:
        with decimal.localcontext(decimal.Context(prec=5)):
            lineage = pipeline.trace(row, engine="duckdb")
            assert lineage.counts() == {"things": 1}
    finally:
        del os.environ["LATER"]


def test_what_only_spark_has_is_left_to_it(spark: SparkSession, things: DataFrame) -> None:
    from pyspark import TaskContext

    factors = spark.sparkContext.broadcast({1: 10})
    by_broadcast = udf(lambda n: factors.value.get(n), "int")
    by_task = udf(lambda n: n if TaskContext.get() is not None else None, "int")
    for function in (by_broadcast, by_task):
        pipeline = capture(things.select("id", function("n").alias("k")))
        lineage = pipeline.trace("id = 1")
        assert (lineage.counts(), lineage.engine) == ({"things": 1}, "spark")


def test_without_java(things: DataFrame, tmp_path: Path) -> None:
    """Another process traces by functions from a store it trusts, and Spark is never started."""
    pipeline = capture(_total(things, udf(_folded, "string")("name")))
    pipeline.run(store=str(tmp_path / "store"))
    assert pipeline.trace({"k": "strasse"}, engine="spark").counts() == {"things": 2}
    stored = predtrace.open(str(tmp_path / "store"))
    with pytest.raises(UntrustedFunctions, match="runs whatever code"):
        stored.trace({"k": "strasse"}, engine="duckdb")
    program = f"""
import predtrace
stored = predtrace.open({str(tmp_path / "store")!r})
lineage = stored.trace({{"k": "strasse"}}, trust_udfs=True)
print(sorted(lineage["things"].to_arrow()["id"].to_pylist()), lineage.engine)
try:
    stored.trace({{"k": "strasse"}})
except predtrace.PredtraceError as problem:
    print(type(problem).__name__)
"""
    environment = {"PATH": "", "JAVA_HOME": "/there/is/no/java", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["[1, 2] duckdb", "UntrustedFunctions"], done.stderr
