"""Traces by predicates that once were wrong, each in the smallest form that was found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from tests.properties.settings import configured
from tests.properties.traces import Judge
from tests.spark.oracle import Oracle
from tests.spark.predicates import assert_traced_exactly

import predtrace
from predtrace.errors import NoSuchRow


@pytest.fixture
def tables(spark: SparkSession) -> SparkSession:
    rows = [(1, 1), (2, 2), (3, None)]
    spark.createDataFrame(rows, "i int, m int").createOrReplaceTempView("t0")
    spark.createDataFrame([(1,), (2,)], "i int").createOrReplaceTempView("t1")
    grouped = [("a", 1), ("a", 2), ("a", 3), ("a", 4), ("b", 1), ("b", 2), ("b", 3), ("c", 1)]
    spark.createDataFrame(grouped, "k string, m int").createOrReplaceTempView("t3")
    return spark


EXACT = {
    # No row has a pivoted value, because all values are NULL: then every row of the group counts.
    "pivot over nulls": "select * from (select nullif(i, i) as p, 2 as v from t1) pivot (sum(v) for p in (0, 1))",
    # The domain of the subquery is the outer join once more, as the same object in Spark's plan.
    "a node that occurs twice": "select a.i from t0 c full join t0 a on a.m = c.m"
    " where a.i >= (select min(b.i) from t0 b where b.m <> c.m)",
    # Nothing reaches the aggregate, so the scalar subquery of its filter counts for nothing.
    "a lookup of everything for nobody": "select count(*) as n from t1 where i > (select max(i) from t0)",
    # The group has more rows than the tables that proofs are made on: there must be room for a violator all the same.
    "a count above the bound": "select sum(m) as s, count(*) as n from t3 group by k having n > 2",
    # Duplicate columns in Spark's own plan: what is not read may be the copy that is.
    "a column twice": "select i, row_number() over (partition by m order by i) rn,"
    " rank() over (order by m, i) r from t0",
}


@pytest.mark.parametrize("name", sorted(EXACT))
def test_traced_exactly(tables: SparkSession, name: str) -> None:
    oracle = Oracle(tables.sql(EXACT[name]))
    expected = oracle.tracked(oracle.captured.written)
    assert assert_traced_exactly(oracle, expected.lineage).plan.exact


def test_a_result_above_another_finds_the_columns_it_keeps(tables: SparkSession) -> None:
    tables.createDataFrame(
        [(0, None), (None, 3), (2, 0), (1, 3), (1, 3)], "i int, v int"
    ).createOrReplaceTempView("t2")
    frame = tables.sql(
        "select q.v, e.x from (select v, row_number() over (order by v) as c from t2) q"
        " lateral view explode(array(q.v, q.v)) e as x"
    )
    pipeline = predtrace.capture(frame)
    pipeline.run()
    lineage = pipeline.trace("v = 3")
    assert lineage.exact
    assert lineage.counts() == {"t2": 5}


def test_a_copy_of_the_outer_query_is_known_where_settings_cut_the_text_of_plans_short(
    tables: SparkSession,
) -> None:
    query = "select a.k from t3 a, lateral (select max(b.i) as x from t0 b where b.m = a.m)"
    with configured(tables, {"spark.sql.maxPlanStringLength": "0"}):
        oracle = Oracle(tables.sql(query))
        expected = oracle.tracked(oracle.captured.written)
        assert assert_traced_exactly(oracle, expected.lineage).plan.exact


def test_a_plan_that_spark_cannot_decorrelate_is_tracked(tables: SparkSession) -> None:
    subquery = "(select min(b.i) from t1 b)"
    frame = tables.sql(f"select {subquery} as c, sum(nullif(1, 2)) as n from t0 a group by a.m, {subquery}")
    pipeline = predtrace.capture(frame)
    assert "could not turn into a join" in pipeline.explain()
    lineage = pipeline.trace("true")
    assert lineage.exact
    assert lineage.counts() == {"t0": 3, "t1": 1}


def written(table: dict[str, list[object]], folder: Path) -> str:
    """A file whose statistics leave NaN out, as other writers than Spark's leave it out."""
    pq.write_table(pyarrow.table(table), folder / "t.parquet")
    return str(folder / "t.parquet")


def test_a_fraction_in_the_target_changes_nothing_in_the_pipeline(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Spark's own filter for NaN misses rows, by the statistics of the file: the output is what it is."""
    spark.read.parquet(written({"i": [0, 1], "d": [math.nan, 0.0]}, tmp_path)).createOrReplaceTempView("t")
    frame = spark.sql(
        "select id, 0.5D as x from range(1) except select i, 0.5D from t where d = double('NaN')"
    )
    assert frame.count() == 1
    assert predtrace.capture(frame).trace({"x": 0.5}).counts() == {"range": 1, "t": 0}


@pytest.mark.parametrize("name", ["d", "s.d"])
def test_a_target_with_nan_is_found(spark: SparkSession, tmp_path: Path, name: str) -> None:
    table: dict[str, list[object]] = {"i": [0, 1], "d": [math.nan, 0.5], "s": [{"d": math.nan}, {"d": 0.5}]}
    pipeline = predtrace.capture(spark.read.parquet(written(table, tmp_path)).filter("i < 5"))
    lineage = pipeline.trace(f"{name} = double('NaN')")
    assert [row["i"] for row in lineage.references[0].to_arrow().to_pylist()] == [0]


def test_a_side_of_an_outer_join_that_did_not_match_has_no_flag(tables: SparkSession) -> None:
    """Spark took the flag for one that is never NULL, and read NULL as false."""
    some = "(select i from t1 where exists (select 1 from t0 where t0.m = t1.i and t0.i < 2))"
    pipeline = predtrace.capture(
        tables.sql(f"select count(*) as n from t0 a left join {some} b on a.i = b.i")
    )
    pipeline.run()
    ((kept, *_),) = [pipeline.saved.values()]
    (flag,) = (name for name in kept.columns if "matched" in name)
    assert kept.schema[flag].nullable
    assert sorted(row[flag] is None for row in kept.collect()) == [False, True, True]


def test_a_join_whose_sides_share_a_column_is_tracked(tables: SparkSession) -> None:
    """Catalyst's rules leave one for an EXISTS with HAVING below a correlated subquery."""
    inner = (
        "select b.i, b.m, exists (select 1 from t0 d where d.i = b.i having count(*) in (cast(null as int))) as e"
        " from t0 b join t0 c on b.i = b.m"
    )
    frame = tables.sql(
        f"select a.i from t0 a where a.i <> (select count(distinct q.m) from ({inner}) q where q.i <=> a.i)"
    )
    pipeline = predtrace.capture(frame)
    assert "could not turn into a join" in pipeline.explain()
    pipeline.run()
    assert {row.i for row in frame.collect()} == {2, 3}
    lineage = pipeline.trace("i = 2")
    assert (lineage.exact, lineage.method) == (True, "tracking")


def test_a_group_whose_key_is_nan(spark: SparkSession) -> None:
    """pandas, where the key went through, has one value for NULL and NaN: the NULL group was taken for the other."""

    def total(group: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"n": [int(group["i"].sum())]})

    def totals(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"n": [int(left["i"].sum() + 100 * right["i"].sum())]})

    rows = [(1, math.nan), (2, None), (3, math.nan), (4, 0.0), (5, -0.0)]
    one = spark.createDataFrame(rows, "i int, d double").groupBy("d")
    other = spark.createDataFrame(rows[1:3], "i int, d double").groupBy("d")
    for frame in (one.applyInPandas(total, "n int"), one.cogroup(other).applyInPandas(totals, "n int")):
        oracle = Oracle(frame)
        expected = oracle.tracked(oracle.captured.written)
        assert assert_traced_exactly(oracle, expected.lineage).plan.exact


def test_a_group_that_has_no_rows_and_no_columns(spark: SparkSession) -> None:
    """Spark takes an empty frame without columns; with a column for the key it was refused."""

    def large(group: pd.DataFrame) -> pd.DataFrame:
        return group if len(group) > 1 else pd.DataFrame() if group["i"][0] == 3 else group.head(0)

    rows = spark.createDataFrame([(1, "a"), (2, "a"), (3, "b"), (4, "c")], "i int, k string")
    oracle = Oracle(rows.groupBy("k").applyInPandas(large, rows.schema))
    expected = oracle.tracked(oracle.captured.written)
    assert assert_traced_exactly(oracle, expected.lineage).plan.exact


def test_the_key_of_a_group_is_a_column_that_spark_renames(tables: SparkSession) -> None:
    """A CTE read twice: its columns have other ids on one side, which the key was looked for by."""

    def present(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            yield batch.filter(batch.column(0).is_valid())

    frame = tables.sql(
        "with w as (select max(i) as most, min(i) as least from t0 group by m)"
        " select a.most, b.least from w a cross join w b where b.least <= b.most"
    )
    oracle = Oracle(frame.mapInArrow(predtrace.rowwise(present), frame.schema))
    expected = oracle.tracked(oracle.captured.written)
    assert assert_traced_exactly(oracle, expected.lineage).plan.exact
    lineage = predtrace.capture(oracle.frame).trace(oracle.frame.collect()[0])
    assert (lineage.exact, lineage.method) == (True, "predicates")


def test_texts_that_are_equal_under_a_collation_are_not_one_text(spark: SparkSession) -> None:
    """A column that is computed lost its collation, so what one text of a group says was asked of all its rows."""
    rows = [(1, "a"), (2, "A"), (3, "b")]
    spark.createDataFrame(rows, "i int, k string").createOrReplaceTempView("texts")
    collated = "select collate(k, 'UTF8_LCASE') as k, i from texts"
    frame = spark.sql(f"select hex(k) as shown, count(*) as n from ({collated}) group by k")
    lineage = predtrace.capture(frame).trace("n = 2")
    assert lineage.exact
    assert sorted(lineage["texts"].to_pandas()["i"]) == [1, 2]


def test_copies_of_a_subquery_go_on_from_the_same_saved_rows(tables: SparkSession) -> None:
    """Catalyst evaluates twice what `nullif` compares. One copy read the saved rows and the other one its source,
    under one expression id: where Spark merged one of them with another subquery, it could not plan the rest.
    """
    ends = "(select max(i) from t0) - (select min(i) from t0)"
    with configured(tables, {"spark.sql.adaptive.enabled": "true"}):  # as users have it: it goes by the ids
        judge = Judge(Oracle(tables.sql(f"select i, (select nullif({ends}, 0)) as width from t0")))
        pipeline = predtrace.Pipeline(judge.oracle.captured)
        assert pipeline.plan.results
        judge.check_run(pipeline)
        for key in judge.output:
            assert judge.check_trace(pipeline, [key]).exact


def test_functions_of_sums_do_not_hinder_groups_from_being_found(spark: SparkSession) -> None:
    """What a function says of a group that its key tells from all others was taken for a condition of its own."""
    rows = [("a", 0.0), ("a", -0.0), ("b", -0.0), ("c", 1.5), ("c", None), (None, 2.0), (None, -2.0)]
    spark.createDataFrame(rows, "k string, v double").createOrReplaceTempView("signed")
    frame = spark.sql("select k, cast(sum(v) as string) as label from signed group by k")
    oracle = Oracle(frame)
    expected = oracle.tracked(oracle.captured.written)
    pipeline = assert_traced_exactly(oracle, expected.lineage)
    assert pipeline.plan.exact
    assert not pipeline.plan.results
    with pytest.raises(NoSuchRow):
        predtrace.capture(frame).trace({"k": "c", "label": "2.5"}).counts()


@pytest.mark.parametrize("label", ["cast(coalesce(s, t) as string)", "concat('', coalesce(s, t))"])
def test_two_rows_of_a_full_join_of_one_row_each_are_told_apart(spark: SparkSession, label: str) -> None:
    """Each side has one row, so their join was taken to have one: it has two if they are no partners."""
    spark.createDataFrame([(1, 1.0), (1, 2.0)], "u int, v double").createOrReplaceTempView("ta")
    spark.createDataFrame([(1, 5.0), (1, 7.0)], "u int, v double").createOrReplaceTempView("tb")
    one, other = (
        f"(select max(v) {v}, max(u) {u} from {t})" for t, v, u in (("ta", "s", "u"), ("tb", "t", "w"))
    )
    judge = Judge(
        Oracle(spark.sql(f"select {label} x, coalesce(u, w) u from {one} full join {other} on s = t"))
    )
    assert len(judge.output) == 2
    pipeline = predtrace.Pipeline(judge.oracle.captured)
    for key in judge.output:
        judge.check_trace(pipeline, [key])


def test_a_label_of_a_mean_over_everything_needs_no_tracker(spark: SparkSession) -> None:
    """Nothing is left to say of the only row; that was taken for not knowing anything."""
    spark.createDataFrame([(1.0,), (2.0,)], "v double").createOrReplaceTempView("tv")
    judge = Judge(Oracle(spark.sql("select cast(max(v) as string) label from tv")))
    pipeline = predtrace.Pipeline(judge.oracle.captured)
    assert pipeline.plan.exact
    for key in judge.output:
        assert judge.check_trace(pipeline, [key]).exact
