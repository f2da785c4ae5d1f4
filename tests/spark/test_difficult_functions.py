"""Python functions that are hard to read or hard to run: their rows are traced all the same, or it is said why not.

Each function decides which rows stay, what they are grouped by and what is returned. Traces are compared with the
reference tracker: of a pipeline that did not run, of one that did, and of a superset.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from tests.properties.traces import Judge
from tests.spark.oracle import Oracle

import predtrace
from predtrace.errors import SourceProblem

ROWS = [(1, 1), (2, 2), (3, 3), (4, 4), (5, None), (6, 3), (7, -1)]
CALLS = 0


@pytest.fixture
def numbers(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, "id int, v int")


# The functions are made inside others so that they are sent by value: Spark's workers cannot import the tests.


def _counting(folder: Path) -> Callable[[Any], Any]:
    def parity(value: Any) -> Any:
        global CALLS
        CALLS += 1
        return None if value is None else value % 2

    return parity


def _looping(folder: Path) -> Callable[[Any], Any]:
    def parity(value: Any) -> Any:
        while value == 999:
            pass
        return None if value is None else value % 2

    return parity


def _raising() -> Callable[[Any], Any]:
    def parity(value: Any) -> Any:
        if value is None or value < 0:
            raise ValueError(f"no parity of {value}")
        return value % 2

    return parity


def _from_text(folder: Path) -> Callable[[Any], Any]:
    made: dict[str, Any] = {}
    exec("def parity(value):\n    return None if value is None else value % 2", made)
    found: Callable[[Any], Any] = made["parity"]
    return found


def _on_one_line(folder: Path) -> Callable[[Any], Any]:
    # fmt: off
    first, second = (lambda v: None if v is None else v % 2), (lambda v: None if v is None else v % 5)  # noqa: F841
    # fmt: on
    return first


def _reading(folder: Path) -> Callable[[Any], Any]:
    path = folder / "parities"
    path.write_text("0101010101")

    def parity(value: Any) -> Any:
        with open(path) as file:
            return None if value is None else int(file.read()[value])

    return parity


FUNCTIONS: dict[str, Callable[[Path], Callable[[Any], Any]]] = {
    "it changes a global": _counting,
    "it never ends for a value that does not occur": _looping,
    "its source is nowhere": _from_text,
    "its source is a line with another function": _on_one_line,
    "it reads a file": _reading,
}


def traced(frame: DataFrame) -> Iterator[predtrace.Lineage]:
    """Traces of an output row, unsaved and saved, and as a superset: none misses a row of the tracker's."""
    judge = Judge(Oracle(frame), Counter())
    pipeline = predtrace.capture(frame)
    key = max(judge.output, key=repr)
    judge.check_superset(pipeline, [key])
    yield judge.check_trace(pipeline, [key])
    judge.check_run(pipeline)
    yield judge.check_trace(pipeline, [key])


def check(frame: DataFrame) -> None:
    for lineage in traced(frame):
        assert lineage.exact, lineage.why_not_exact


def udf(function: Callable[..., Any], type_: str = "int") -> Callable[..., Column]:
    made: Callable[..., Column] = F.udf(function, type_, useArrow=False)
    return made


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_its_rows_are_traced_exactly(numbers: DataFrame, tmp_path: Path, name: str) -> None:
    parity = udf(FUNCTIONS[name](tmp_path))
    kept = numbers.where("v > 0 or v is null").where(parity("v") < 1)
    check(kept.select("v", parity("v").alias("p")))
    check(numbers.where("v > 0 or v is null").groupBy(parity("v").alias("p")).agg(F.sum("id").alias("n")))


def test_a_function_without_source_is_read(numbers: DataFrame, tmp_path: Path) -> None:
    """From its bytecode, as Spark sent it."""
    parity = udf(_from_text(tmp_path))
    said = predtrace.capture(numbers.where(parity("v") < 1)).explain()
    assert "no source" not in said
    assert "not looked into" not in said
    assert re.search(r"parity.*: read\b", said), said


def test_a_function_that_fails_for_rows_it_never_meets(numbers: DataFrame) -> None:
    """The rows are filtered below it. A predicate that calls it must not meet them either."""
    parity = udf(_raising())
    known = numbers.where("v > 0")
    check(known.groupBy(parity("v").alias("p")).agg(F.count("*").alias("n")))
    check(known.where(parity("v") == 1).select("v"))


def test_a_function_that_fails(numbers: DataFrame) -> None:
    """The user's own run fails; a trace says what failed."""

    def root(value: Any) -> int:
        import math

        return int(math.sqrt(value))

    frame = numbers.groupBy(udf(root)("v").alias("p")).count()
    with pytest.raises(
        SourceProblem, match=r"Python function .* failed: (TypeError|ValueError): .*What to do"
    ):
        predtrace.capture(frame).trace({"p": 1})


def test_a_function_that_is_declared_not_deterministic(numbers: DataFrame) -> None:
    """It happens to return the same each time, so that there is something to compare with."""
    parity: Any = F.udf(lambda v: None if v is None else v % 2, "int", useArrow=False)
    frame = numbers.groupBy(parity.asNondeterministic()("v").alias("p")).agg(F.count("*").alias("n"))
    for lineage in traced(frame):
        assert not lineage.exact
        assert "may differ between runs" in lineage.why_not_exact


def test_a_random_value_that_decides_nothing(numbers: DataFrame) -> None:
    def draw(value: Any) -> float:
        import random

        return random.random()

    drawn: Any = F.udf(draw, "double", useArrow=False)
    for function in (drawn.asNondeterministic(), drawn):
        pipeline = predtrace.capture(numbers.select("id", function("v").alias("r")))
        (row,) = pipeline.trace({"id": 3})["local_1"].to_pandas().values.tolist()
        assert row == [3, 3]
        pipeline.run()
        (row,) = pipeline.trace({"id": 3})["local_1"].to_pandas().values.tolist()
        assert row == [3, 3]


def test_a_function_of_groups_that_changes_what_it_is_given(numbers: DataFrame) -> None:
    def changed(group: pd.DataFrame) -> pd.DataFrame:
        group["v"] = group["v"].max()
        group["id"] = 0
        return group

    check(numbers.where("v is not null").groupBy("v").applyInPandas(changed, "id int, v int"))


def test_a_function_that_fails_for_rows_that_a_join_drops(numbers: DataFrame, spark: SparkSession) -> None:
    def root(value: Any) -> int:
        import math

        return int(math.sqrt(value))

    known = spark.createDataFrame([(1,), (2,), (3,)], "id int")
    check(numbers.join(known, "id").groupBy(udf(root)("v").alias("p")).agg(F.count("*").alias("n")))
