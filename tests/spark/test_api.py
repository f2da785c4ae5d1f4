"""The public interface: ways to name a row, what comes back, and what is said when something is wrong."""

from __future__ import annotations

import datetime
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

import predtrace
from predtrace.errors import (
    InputError,
    InvalidCondition,
    NoSuchRow,
    SourceProblem,
    UnknownColumn,
    UnknownSource,
)


@pytest.fixture
def sales(spark: SparkSession) -> SparkSession:
    rows = [
        (1, "north", Decimal("10.50"), datetime.date(2024, 1, 1), float("nan")),
        (2, "north", Decimal("2.00"), datetime.date(2024, 1, 2), 1.5),
        (3, None, Decimal("7.00"), None, -0.0),
        (4, "it's", Decimal("1.00"), datetime.date(2024, 1, 1), 2.0),
    ]
    schema = "id int, region string, amount decimal(10,2), day date, score double"
    spark.createDataFrame(rows, schema).createOrReplaceTempView("sales")
    return spark


def _row(*values: object) -> Row:
    """A row without names: values by position."""
    return Row(*values)


def traced_ids(lineage: predtrace.Lineage) -> list[int]:
    return sorted(lineage["sales"].to_pandas()["id"])


def test_every_way_to_name_rows(sales: SparkSession) -> None:
    frame = sales.sql("select region, sum(amount) as total from sales group by region")
    pipeline = predtrace.capture(frame)
    north: list[Any] = [
        "region = 'north'",
        {"region": "north"},
        {"REGION": "north", "total": Decimal("12.50")},
        Row(region="north", total=Decimal("12.50")),
        _row("north", Decimal("12.50")),
        F.col("region") == "north",
        frame["region"] == "north",
        [{"region": "north"}],
    ]
    for rows in north:
        assert traced_ids(pipeline.trace(rows)) == [1, 2], rows
    assert traced_ids(pipeline.trace({"region": None})) == [3]
    assert traced_ids(pipeline.trace({"region": "it's"})) == [4]
    assert traced_ids(pipeline.trace([{"region": None}, "region = 'north'"])) == [1, 2, 3]


def test_values_of_every_kind(sales: SparkSession) -> None:
    pipeline = predtrace.capture(sales.sql("select day, score, array(id) as ids, struct(id) as s from sales"))
    assert traced_ids(pipeline.trace({"day": datetime.date(2024, 1, 2)})) == [2]
    assert traced_ids(pipeline.trace({"score": float("nan")})) == [1]
    assert traced_ids(pipeline.trace({"score": 0.0})) == [3]
    assert traced_ids(pipeline.trace({"ids": [4]})) == [4]
    assert traced_ids(pipeline.trace({"s": Row(id=2)})) == [2]


@pytest.mark.parametrize(
    "value",
    [
        "map('a', id, 'b', 0)",
        "map(id, map('x', id))",
        "map(cast(id as decimal(10, 2)), 1)",
        "array(map('a', id), cast(null as map<string, int>))",
        "struct(id, map('a', id) as m)",
        "if(id = 2, null, map('a', 1))",
        "if(id = 2, map(), map('a', 1))",
        "if(id = 2, map('a', cast(null as int)), map('b', 1))",
    ],
)
def test_rows_with_maps(sales: SparkSession, value: str) -> None:
    """Maps cannot be compared, but a row that the user holds is found all the same."""
    frame = sales.sql(f"select {value} as value from sales")
    rows = dict(zip([1, 2, 3, 4], frame.collect(), strict=True))
    assert traced_ids(predtrace.capture(frame).trace(rows[2])) == [2]


def test_rows_come_in_every_form(sales: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    lineage = predtrace.capture(sales.sql("select id from sales where id > 2")).trace("id = 4")
    rows = lineage["sales"]
    assert rows.count() == 1
    assert rows.to_spark().columns == ["id", "region", "amount", "day", "score"]
    assert rows.to_arrow().num_rows == 1
    assert list(rows.to_pandas()["region"]) == ["it's"]
    rows.show()
    assert "it's" in capsys.readouterr().out
    assert lineage.counts() == {"sales": 1}
    assert lineage.sources == ["sales"]
    assert "sales" in repr(lineage)
    assert "<table" in lineage._repr_html_()
    assert "it&#x27;s" in rows._repr_html_() or "it's" in rows._repr_html_()


def test_same_names_in_the_output(sales: SparkSession) -> None:
    pipeline = predtrace.capture(sales.sql("select a.id, b.id from sales a join sales b on a.id = b.id + 1"))
    assert [sorted(r.to_pandas()["id"]) for r in pipeline.trace(_row(2, 1)).references] == [[2], [1]]
    with pytest.raises(InvalidCondition, match="2 columns named 'id'"):
        pipeline.trace({"id": 1})
    with pytest.raises(InvalidCondition, match="AMBIGUOUS"):
        pipeline.trace("id = 1")


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ("regoin = 'north'", UnknownColumn, "did you mean region"),
        ({"regoin": "north"}, UnknownColumn, "did you mean region"),
        ("amount > 1", UnknownColumn, "amount"),
        ("region = 'south'", NoSuchRow, "no output row"),
        ("region", InvalidCondition, "does not accept"),
        ("1=1; drop table sales", InvalidCondition, "does not accept"),
        ("region = 'it's'", InvalidCondition, "does not accept"),
        ("count(*) > 1", UnknownColumn, "not in the output"),
        ("rand() > 2", InvalidCondition, "random"),
        ("region in (select region from sales)", InvalidCondition, "subquery"),
        ([], InvalidCondition, "no row"),
        ({}, InvalidCondition, "no column value"),
        (42, InvalidCondition, "int"),
        (Row("north"), InvalidCondition, "a row of 1 values"),
        ({"region": {"a": 1}}, InvalidCondition, "a column that is no map"),
    ],
)
def test_mistakes_get_one_clear_error(sales: SparkSession, rows: object, error: type, words: str) -> None:
    pipeline = predtrace.capture(sales.sql("select region, sum(amount) as total from sales group by region"))
    with pytest.raises(error, match=words) as raised:
        pipeline.trace(rows)  # type: ignore[arg-type]
    assert "What to do" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert sales.table("sales").count() == 4


def test_a_condition_that_calls_a_function_of_the_user_s(sales: SparkSession) -> None:
    sales.udf.register("shouted", lambda text: text.upper(), "string")
    pipeline = predtrace.capture(sales.sql("select region from sales"))
    with pytest.raises(InvalidCondition, match=r"a function of yours.*What to do"):
        pipeline.trace("shouted(region) = 'NORTH'")


def test_a_source_and_an_engine_that_do_not_exist(sales: SparkSession) -> None:
    pipeline = predtrace.capture(sales.sql("select id from sales"))
    with pytest.raises(UnknownSource, match="use one of: sales"):
        pipeline.trace("id = 1")["sale"]
    with pytest.raises(UnknownSource, match="use one of: sales"):
        pipeline.source("sale")
    with pytest.raises(InputError, match="use one of: auto"):
        pipeline.trace("id = 1", engine="postgres")


def test_what_may_differ_between_runs_is_not_called_exact(sales: SparkSession) -> None:
    def trace(sql: str) -> predtrace.Lineage:
        frame = sales.sql(sql)
        return predtrace.capture(frame).trace(frame.collect()[0])

    assert trace("select id from sales order by id limit 2").exact
    assert trace("select region, sum(score) as s from sales where id > 1 group by region").exact
    unsure = {
        "select id from sales limit 2": "unordered",
        "select count(*) from (select id from sales order by region limit 2)": "tie",
        "select region, first(id) from sales group by region": "first",
        "select id, row_number() over (order by region) as n from sales": "tie",
        "select region from sales group by region having sum(score) > -9": "differ between runs",
    }
    for sql, words in unsure.items():
        lineage = trace(sql)
        assert not lineage.exact, sql
        assert words in lineage.why_not_exact, sql


def test_a_source_that_is_gone_is_said_in_one_sentence(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(3).write.parquet(str(tmp_path / "gone"))
    pipeline = predtrace.capture(spark.read.parquet(str(tmp_path / "gone")).filter("id > 0"))
    shutil.rmtree(tmp_path / "gone")
    with pytest.raises(SourceProblem, match="sources are still there") as raised:
        pipeline.trace("id = 1")
    assert "\n" not in str(raised.value)


def test_what_is_explained_is_not_logged_too(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    pipeline = predtrace.capture(spark.range(3).filter("id > 0"))
    for wrong in ("nowhere = 1", "id >", "id = cast('a' as int)"):
        with pytest.raises(predtrace.PredtraceError):
            pipeline.trace(wrong)
    assert not caplog.records


def test_a_trace_leaves_the_settings_of_the_session_alone(spark: SparkSession) -> None:
    before = dict(spark.conf.getAll)
    frame = spark.createDataFrame([(1, 0.5), (2, float("nan"))], "id int, x double")
    assert predtrace.capture(frame.filter("id > 0")).trace({"x": float("nan")}).counts() == {"local_1": 1}
    assert dict(spark.conf.getAll) == before
