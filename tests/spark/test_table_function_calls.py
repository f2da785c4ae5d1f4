"""What may be declared of a table function, in which ways it may be called, and what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from tests.spark.market import EXPANDED, ORDERS, Items, Letters, of_orders, open_market, traced

import predtrace
from predtrace.errors import InputError, UnsupportedOperator

udtf: Any = F.udtf  # whose type is that of its decorator, too


@pytest.fixture
def market(spark: SparkSession, tmp_path: Path) -> Iterator[SparkSession]:
    with open_market(spark, tmp_path) as session:
        yield session


def test_the_frame_interface(market: SparkSession) -> None:
    @predtrace.rowwise
    @udtf(returnType="item string, place int")
    class Declared(Items):  # type: ignore[misc]
        pass

    function: Any = Declared
    outer = market.table("orders").lateralJoin(function(F.col("items").outer()))
    _, found = traced(outer.groupBy("item").agg(F.max("place").alias("last")))
    last = {
        item: max(place for _, _, other, place in EXPANDED if other == item) for _, _, item, _ in EXPANDED
    }
    attaining = [(n, item) for n, _, item, place in EXPANDED if place == last[item]]
    assert found == of_orders(*(((item, last[item]), n) for n, item in attaining))
    alone = predtrace.capture(function(F.lit("a b")))
    lineage = alone.trace({"item": "b"})
    assert (lineage.exact, lineage.counts()) == (True, {})
    assert sorted(row.item for row in alone.run().collect()) == ["a", "b"]


def test_a_left_join_without_a_condition_has_the_rows_that_spark_gives_it(market: SparkSession) -> None:
    """Spark 4.3 drops rows that yield nothing there, of any generator: whatever it does, a run does the same."""
    frame = market.sql("SELECT id, item FROM orders LEFT JOIN LATERAL items_of(items)")
    pipeline = predtrace.capture(frame)
    for _ in range(2):
        lineage = pipeline.trace({"id": 1, "item": "tea"})
        assert lineage.exact
        assert set(lineage["orders"].to_pandas()["id"]) == {1}
        assert Counter(pipeline.run().collect()) == Counter(frame.collect())


@pytest.mark.parametrize("arrow", [False, True])
def test_what_is_yielded_is_converted_by_spark(spark: SparkSession, arrow: bool) -> None:
    """Rows of every kind, and values of another type than is declared, which depend on how Spark evaluates it."""

    class Kinds:
        def eval(self, number: int | None) -> list[Any] | None:
            if number is None:
                return None
            others = [] if arrow else [None, [number, "list"], (number + 0.5, "float"), (str(number), 5)]
            return [Row(whole=number, text="row"), (None, None), (number, "tuple"), *others] * number

    numbers = spark.createDataFrame([(1,), (2,), (None,), (0,)], "n int")
    function: Any = predtrace.rowwise(udtf(Kinds, returnType="whole int, text string", useArrow=arrow))
    pipeline, _ = traced(numbers.lateralJoin(function(F.col("n").outer())).drop("n"))
    assert pipeline.plan.exact


def test_arguments_and_results_of_every_kind(spark: SparkSession) -> None:
    class Same:
        def eval(self, *values: Any) -> Iterator[Any]:
            yield values
            yield values

    rows = spark.sql("""
        select * from values
        (1, 9007199254740993L, timestamp'2024-11-03 05:30:00.123456Z', 1.50BD, X'00FF', array(1, null)),
        (2, 9007199254740993L, timestamp'2024-11-03 06:30:00.123456Z', 1.50BD, X'00FF', array(1, null)),
        (3, null, null, null, null, null)
        as t(n, l, t, c, b, a)""")
    names = rows.columns[1:]
    schema = ", ".join(f"y{at} {rows.schema[name].dataType.simpleString()}" for at, name in enumerate(names))
    function: Any = predtrace.rowwise(udtf(Same, returnType=schema))
    yielded = rows.lateralJoin(function(*(F.col(name).outer() for name in names)))
    pipeline, _ = traced(yielded.select(*(f"y{at}" for at in range(len(names)))))
    assert pipeline.plan.exact


def test_zeros_and_maps_are_tracked_if_they_must_be(spark: SparkSession) -> None:
    class Signs:
        def eval(self, number: float) -> Iterator[tuple[str]]:
            yield (str(number),)

    class Keys:
        def eval(self, parts: dict[str, int]) -> Iterator[tuple[str]]:
            for key in parts:
                yield (key,)

    doubles = spark.createDataFrame([(1, 0.0), (2, -0.0), (3, float("nan"))], "id int, d double")
    maps = spark.createDataFrame([(1, {"a": 1, "b": 2}), (2, {"b": 3})], "id int, m map<string, int>")
    signs: Any = predtrace.rowwise(udtf(Signs, returnType="y string"))
    keys: Any = predtrace.rowwise(udtf(Keys, returnType="y string"))
    cases = [
        (doubles.lateralJoin(signs(F.col("d").outer())), {"-0.0": {2}, "0.0": {1}, "nan": {3}}),
        (maps.lateralJoin(keys(F.col("m").outer())), {"a": {1}, "b": {1, 2}}),
    ]
    for frame, expected in cases:
        for pipeline in (
            predtrace.capture(frame.select("y")),
            predtrace.capture(frame.select("id", "y")),
        ):
            assert sorted({row.y for row in pipeline.run().collect()}) == sorted(expected)
            for value, ids in expected.items():
                lineage = pipeline.trace(f"y = '{value}'")
                (source,) = lineage.sources
                found = {row["id"] for row in lineage[source].to_spark().collect()}
                assert (lineage.exact, found) == (True, ids), (value, lineage.method)


def test_rows_that_a_filter_leaves_out_never_reach_it(market: SparkSession) -> None:
    class Strict:
        def eval(self, text: str) -> Iterator[tuple[str]]:
            for item in text.split():
                yield (item,)

    market.udtf.register("strict", predtrace.rowwise(udtf(Strict, returnType="item string")))
    known = "(SELECT * FROM orders WHERE items IS NOT NULL)"
    frame = market.sql(f"SELECT item FROM {known} o, LATERAL strict(o.items)")
    _, found = traced(frame)
    assert found == of_orders(*(((item,), n) for n, _, item, _ in EXPANDED))
    superset = predtrace.capture(frame).trace({"item": "oat"}, exact=False)
    assert set(superset["orders"].to_pandas()["id"]) >= {6}


def test_a_schema_that_is_analyzed_for_the_call(market: SparkSession) -> None:
    from pyspark.sql.types import StringType, StructType
    from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult

    class Split:
        def __init__(self, analyzed: AnalyzeResult) -> None:
            self.width = len(analyzed.schema)

        @staticmethod
        def analyze(text: AnalyzeArgument, width: AnalyzeArgument) -> AnalyzeResult:
            schema = StructType()
            for at in range(width.value):  # type: ignore[arg-type]
                schema = schema.add(f"w{at}", StringType())
            return AnalyzeResult(schema)

        def eval(self, text: str | None, width: int) -> Iterator[tuple[str | None, ...]]:
            words = (text or "").split()
            if words:
                yield tuple([*words, *[None] * self.width][: self.width])

    market.udtf.register("first_words", predtrace.rowwise(udtf(Split)))
    _, found = traced(
        market.sql(
            "SELECT a.w0, b.w1 FROM orders, LATERAL first_words(items, 1) a, LATERAL first_words(items, 2) b"
        )
    )
    known = [(n, [*text.split(), None]) for n, _, text in ORDERS if text]
    assert found == of_orders(*(((words[0], words[1]), n) for n, words in known))


@pytest.mark.parametrize("size", [10, 2_000_000])
def test_functions_with_broadcasts_and_large_ones(market: SparkSession, size: int) -> None:
    """Spark sends a class of more than a megabyte by a broadcast of its own."""
    names = market.sparkContext.broadcast({"ann": "Anna", "bob": "Robert"})

    class Named:
        padding = "x" * size

        def eval(self, name: str) -> Iterator[tuple[str, int]]:
            if name in names.value:
                yield names.value[name], len(self.padding)

    market.udtf.register("named", predtrace.rowwise(udtf(Named, returnType="full string, size int")))
    _, found = traced(market.sql("SELECT full, size FROM orders, LATERAL named(customer)"))
    assert found == of_orders(
        (("Anna", size), 1), (("Anna", size), 3), (("Robert", size), 2), (("Robert", size), 5)
    )


def test_what_cannot_be_declared() -> None:
    class Total(Items):  # type: ignore[misc]
        def terminate(self) -> Iterator[tuple[str, int]]:
            yield "all", 0

    table_function: Any = udtf(Total, returnType="item string, place int")
    cases: list[tuple[Any, str]] = [
        (Total, "terminate.*applyInPandas"),
        (table_function, "terminate.*applyInPandas"),
        (DataFrame, "not <class"),
        (5, "not 5"),
    ]
    for refused, reason in cases:
        with pytest.raises(InputError, match=f"(?s){reason}"):
            predtrace.rowwise(refused)
    arrow_udtf: Callable[..., Any] | None = getattr(F, "arrow_udtf", None)
    if arrow_udtf is not None:
        with pytest.raises(InputError, match=r"(?s)Arrow batches.*udtf"):
            predtrace.rowwise(arrow_udtf(Letters, returnType="letter string"))


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT * FROM orders, LATERAL undeclared(items)", "undeclared.*predtrace.rowwise"),
        ("SELECT * FROM orders, LATERAL derived(items)", "derived.*predtrace.rowwise"),
        ("SELECT * FROM labels_of(TABLE(orders) PARTITION BY customer)", "PARTITION BY.*applyInPandas"),
    ],
)
def test_what_is_refused(market: SparkSession, query: str, reason: str) -> None:
    schema = "item string, place int"
    market.udtf.register("undeclared", udtf(Items, returnType=schema))

    class Derived(predtrace.rowwise(Items)):  # type: ignore[misc]
        """Of this one nobody has said anything."""

    market.udtf.register("derived", udtf(Derived, returnType=schema))
    with pytest.raises(UnsupportedOperator, match=f"(?s){reason}"):
        predtrace.capture(market.sql(query))


def test_batches_are_refused(market: SparkSession) -> None:
    arrow_udtf: Callable[..., Any] | None = getattr(F, "arrow_udtf", None)
    if arrow_udtf is None:
        pytest.skip("this Spark has no table functions over Arrow batches")
    market.udtf.register("batches", arrow_udtf(predtrace.rowwise(Letters), returnType="letter string"))
    with pytest.raises(UnsupportedOperator, match=r"(?s)Arrow batches.*What to do"):
        predtrace.capture(market.sql("SELECT * FROM batches(TABLE(orders))"))
