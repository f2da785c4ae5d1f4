"""Capture: sources and their names, what is refused and how, and that no Spark job runs."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pandas
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import predtrace
from predtrace.errors import InputError, UnsupportedExpression, UnsupportedOperator
from predtrace.ir.operators import GroupBy, Join, JoinKind, Opaque, Pivot, Source, Window, walk_operators

QUERIES = sorted((Path(__file__).parents[1] / "data" / "tpch").glob("q*.sql"))


def kinds(pipeline: predtrace.Pipeline) -> list[str]:
    return [operator.title() for operator in walk_operators(pipeline.captured.operators)]


def test_capture_runs_no_job(tpch: SparkSession) -> None:
    context = tpch.sparkContext
    frame = tpch.sql(QUERIES[19].read_text(encoding="utf-8"))
    context.setJobGroup("capture", "must stay empty")
    predtrace.capture(frame)
    assert list(context.statusTracker().getJobIdsForGroup("capture")) == []
    frame.limit(1).collect()
    assert list(context.statusTracker().getJobIdsForGroup("capture")) != []
    context.setJobGroup("", "")


def test_capture_of_tpch_takes_well_under_a_second(tpch: SparkSession) -> None:
    frames = [tpch.sql(path.read_text(encoding="utf-8")) for path in QUERIES]
    predtrace.capture(frames[0])  # the first one looks up Spark's classes
    seconds = [min(_seconds_to_capture(frame) for _ in range(2)) for frame in frames]
    assert sorted(seconds)[len(seconds) // 2] < 0.6, seconds


def _seconds_to_capture(frame: DataFrame) -> float:
    start = time.perf_counter()
    predtrace.capture(frame)
    return time.perf_counter() - start


def test_files_are_named_by_their_base_name_and_described(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(3).write.parquet(str(tmp_path / "my sales"))
    (tmp_path / "people.csv").write_text("name;age\nann;3\n", encoding="utf-8")
    sales = spark.read.parquet(str(tmp_path / "my sales"))
    people = spark.read.option("header", True).option("sep", ";").csv(str(tmp_path / "people.csv"))
    pipeline = predtrace.capture(sales.crossJoin(people))
    assert pipeline.sources == ["my sales", "people"]
    csv = pipeline.source("people")
    assert csv.format == "csv"
    assert dict(csv.options) == {"header": "true", "sep": ";"}
    assert [field.name for field in csv.schema.fields] == ["name", "age"]
    assert csv.locations[0].endswith("/people.csv")
    (state,) = csv.fingerprint.files
    assert state.size == (tmp_path / "people.csv").stat().st_size
    assert state.modified == os.stat(tmp_path / "people.csv").st_mtime_ns // 1_000_000


def test_two_sources_of_one_name_are_told_apart(spark: SparkSession, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        spark.range(2).write.parquet(str(tmp_path / folder / "data.parquet"))
    one, other = (spark.read.parquet(str(tmp_path / folder / "data.parquet")) for folder in ("a", "b"))
    assert predtrace.capture(one.union(other).union(one)).sources == ["data", "data#2"]


def test_a_frame_of_values_is_one_source_however_often_it_is_read(spark: SparkSession) -> None:
    """Spark has a leaf of its own for frames of pandas, and a rewritten one holds its rows in another list."""
    values = pandas.DataFrame({"x": [1, 2]})
    frame, other = spark.createDataFrame(values), spark.createDataFrame(values)
    joined = frame.join(frame.groupBy("x").count(), "x").join(other.select("x"), "x")
    assert predtrace.capture(joined).sources == ["local_1", "local_2"]
    lineage = predtrace.capture(frame.crossJoin(frame.selectExpr("sum(x) AS total"))).trace("x = 1")
    assert lineage.counts() == {"local_1": 2}


def test_memory_and_tables_are_named(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1,)], "x int")
    other = spark.createDataFrame([(1,)], "x int")
    assert predtrace.capture(frame.join(other, "x").join(frame, "x")).sources == ["local_1", "local_2"]
    spark.range(3).write.mode("overwrite").saveAsTable("captured_table")
    frame = spark.table("captured_table").alias("t").filter("t.id > 0")
    assert predtrace.capture(frame).sources == ["captured_table"]
    spark.sql("drop table captured_table")
    assert predtrace.capture(spark.sql("select x from {rows}", rows=other)).sources == ["local_1"]


def test_jdbc_keeps_no_password(spark: SparkSession, tmp_path: Path) -> None:
    url = f"jdbc:derby:{tmp_path / 'db'};create=true"
    spark.range(3).write.jdbc(url, "numbers", properties={"user": "app", "password": "hunter2"})
    frame = spark.read.jdbc(url, "numbers", properties={"user": "app", "password": "hunter2"})
    pipeline = predtrace.capture(frame)
    assert pipeline.sources == ["numbers"]
    assert "hunter2" not in repr(pipeline.source("numbers"))
    assert pipeline.trace("id = 2")["numbers"].count() == 1


def test_a_cached_frame_is_captured_down_to_its_sources(spark: SparkSession) -> None:
    frame = spark.range(4).withColumn("k", F.col("id") % 2).cache()
    frame.count()
    assert predtrace.capture(frame.groupBy("k").count()).sources == ["range"]
    frame.unpersist()


def test_a_cte_used_twice_is_two_references(spark: SparkSession) -> None:
    spark.range(4).createOrReplaceTempView("numbers")
    frame = spark.sql("with c as (select id from numbers) select a.id from c a join c b on a.id = b.id + 1")
    pipeline = predtrace.capture(frame)
    sources = [o for o in walk_operators(pipeline.captured.operators) if isinstance(o, Source)]
    assert [source.reference for source in sources] == [0, 1]
    assert pipeline.sources == ["numbers"]
    lineage = pipeline.trace("id = 2")
    found = [sorted(rows.to_pandas()["id"]) for rows in lineage.references]
    assert found == [[2], [1]]
    assert sorted(lineage["numbers"].to_pandas()["id"]) == [1, 2]


def test_subqueries_become_joins(spark: SparkSession) -> None:
    spark.range(4).createOrReplaceTempView("a")
    spark.range(4).createOrReplaceTempView("b")
    sql = "select * from a where {} "
    expected = {
        "exists (select 1 from b where b.id = a.id)": JoinKind.SEMI,
        "id in (select id from b)": JoinKind.SEMI,
        "id not in (select id from b)": JoinKind.ANTI,
        "id > 1 or exists (select 1 from b where b.id = a.id)": JoinKind.EXISTENCE,
        "id = (select max(id) from b)": JoinKind.SCALAR,
        "id = (select max(b.id) from b where b.id = a.id)": JoinKind.LEFT,
    }
    for condition, kind in expected.items():
        operators = predtrace.capture(spark.sql(sql.format(condition))).captured.operators
        joins = [operator for operator in walk_operators(operators) if isinstance(operator, Join)]
        assert [join.kind for join in joins] == [kind], condition


def test_operators_of_the_dataframe_api(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "a", 2.0)], "id int, k string, v double")
    pivot = predtrace.capture(frame.groupBy("id").pivot("k", ["a", "b"]).agg(F.sum("v")))
    assert any(isinstance(o, Pivot) for o in walk_operators(pipeline_operators(pivot)))
    window = spark.sql("select sum(v) over (partition by k), rank() over (order by v) from {t}", t=frame)
    windows = [
        o for o in walk_operators(pipeline_operators(predtrace.capture(window))) if isinstance(o, Window)
    ]
    assert [len(o.functions) for o in windows] == [2], "the windows of one SELECT are one operator"
    group = predtrace.capture(frame.groupBy(F.upper("k")).agg((F.sum("v") + 1).alias("s")).select("s"))
    (grouping,) = [o for o in walk_operators(pipeline_operators(group)) if isinstance(o, GroupBy)]
    assert len(grouping.keys) == 1
    assert len(grouping.aggregates) == 1


def pipeline_operators(pipeline: predtrace.Pipeline):  # type: ignore[no-untyped-def]
    return pipeline.captured.operators


def test_code_nobody_can_look_into_is_opaque_and_said_so(spark: SparkSession) -> None:
    def anything(batches):  # type: ignore[no-untyped-def]
        yield from batches

    frame = spark.range(4).filter("id > 0").mapInPandas(anything, "id long")
    pipeline = predtrace.capture(frame)
    assert any(isinstance(o, Opaque) for o in walk_operators(pipeline.captured.operators))
    lineage = pipeline.trace("id = 2")
    assert not lineage.exact
    assert "anything" in lineage.why_not_exact
    assert lineage.counts() == {"range": 3}


def test_streams_are_refused(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load()
    with pytest.raises(UnsupportedOperator, match=r"streaming.*What to do"):
        predtrace.capture(stream)


def test_an_unknown_expression_names_itself(spark: SparkSession) -> None:
    spark.range(2).createOrReplaceTempView("numbers")
    day = "window(timestamp_ntz'2024-01-01 00:00:00', '1 day')"
    frame = spark.sql(f"select id,\n  {day} as x\nfrom numbers")
    with pytest.raises(UnsupportedExpression, match=r"not supported.*What to do"):
        predtrace.capture(frame)


def test_something_else_is_refused() -> None:
    with pytest.raises(InputError, match="DataFrame"):
        predtrace.capture("select 1")  # type: ignore[arg-type]


def test_collations_are_part_of_types(spark: SparkSession) -> None:
    """Different texts may be equal under one; where Spark's JSON has the type of a field, it has it elsewhere."""
    frame = spark.sql(
        """select lower(c) as plain, array(c) as listed, map(c, 1) as mapped, named_struct('f', c) as inside, min(c)
        from (select 'a' collate UTF8_LCASE as c) group by c"""
    )
    types = [column.type.sql() for column in predtrace.capture(frame).captured.operators.output]
    text = "STRING COLLATE UTF8_LCASE"
    assert types == [text, f"ARRAY<{text}>", f"MAP<{text}, INT>", f"STRUCT<`f`: {text}>", text]
