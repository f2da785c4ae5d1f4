"""Frames of pandas are captured and traced like any others, down to the rows of the files that were read."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest
from pyspark.sql.functions import avg, lit

import predtrace
import predtrace.pandas as pd
from predtrace import StoredRun
from predtrace.errors import StaleSource, StoreProblem
from predtrace.ir.determinism import unstable_steps
from predtrace.ir.operators import GroupedMap, walk_operators
from predtrace.ir.unique import unique_keys

ORDERS = "id,who,price\n1,ann,10.5\n2,bob,\n3,ann,7\n4,cy,3\n5,,1\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREDTRACE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "My orders.csv"
    path.write_text(ORDERS)
    return path


def rows(lineage: Any, source: str = "My orders") -> list[int]:
    return sorted(lineage[source].to_pandas()["row"])


def result(path: Path) -> Any:
    df = pd.read_csv(path)
    df["dear"] = df["price"] > 5
    df["net"] = df["price"] / 1.2
    return df[df["dear"] & (df["who"] == "ann")][["who", "net"]]


def test_a_row_of_a_frame(spark: Any, orders: Path) -> None:
    pipeline = predtrace.capture(result(orders))
    assert pipeline.sources == ["My orders"]
    assert "My orders" in pipeline.explain()
    lineage = pipeline.trace({"index": 2})
    assert lineage.exact
    found = lineage["My orders"].to_pandas()
    assert found.to_dict("records") == [{"row": 2, "id": 3, "who": "ann", "price": 7.0}]
    assert pipeline.source("My orders").originals[0].path == str(orders)
    assert pipeline.source("My orders").unique == ("row",)


STEPS = """
df = pd.read_csv(path)
df = df[df["price"] > 2]
df = df.merge(pd.DataFrame({"who": ["ann", "cy"], "age": [3, 4]}), on="who")
df["most"] = df.groupby("who")["price"].transform(lambda prices: prices.max() + 1)
df = df.groupby("age", as_index=False)["most"].sum()
"""


def test_every_step_is_shown_with_its_line(spark: Any, orders: Path) -> None:
    variables: dict[str, Any] = {"pd": pd, "path": orders}
    exec(compile(STEPS, "report.py", "exec"), variables)
    shown = predtrace.capture(variables["df"]).explain().split("Saved or recomputed")[0].splitlines()
    steps = [line.lstrip(" │├└─") for line in shown if "exact" not in line and "lineage:" not in line]
    made = [step for step in steps if step][
        2:
    ]  # above them the result is put in order, and its columns are named
    assert all("   (line " in step for step in made), made
    for step, line in {
        "Source My orders (My orders.csv)": 2,
        "Filter ": 3,
        "InnerJoin ": 4,
        "GroupedMap <lambda> of each": 5,
        "GroupBy age": 6,
    }.items():
        ends = [one.endswith(f"(line {line} of report.py)") for one in made if one.startswith(step)]
        assert ends == [True], (step, made)


def test_moments_are_read_again_without_trust_in_a_store(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "days.csv").write_text("id,day\n1,24/12/2025\n2,25/12/2025\n3,\n4,24/12/2025\n")
    df = pd.read_csv(tmp_path / "days.csv")
    df["day"] = pd.to_datetime(df["day"], format="%d/%m/%Y")
    pipeline = predtrace.capture(df.groupby("day")["id"].sum())
    pipeline.run(store=str(tmp_path / "store"))
    stored = predtrace.open(str(tmp_path / "store"))
    (function,) = stored.manifest.functions
    assert (function.file, function.recipe[:15]) == ("", '["to_datetime",')
    lineage = stored.trace("id = 5")
    assert (lineage.engine, lineage.exact, rows(lineage, "days")) == ("duckdb", True, [0, 3])
    assert rows(stored.trace("id = 5", engine="spark"), "days") == [0, 3]
    assert rows(pipeline.trace("id = 2"), "days") == [1]
    other = replace(stored.manifest, functions=(replace(function, recipe='["system", {}]'),))
    with pytest.raises(StoreProblem, match=r"how the function .* is made is not known"):
        StoredRun(stored._runs, other).trace("id = 5")


def test_a_series_and_a_frame_by_its_index(spark: Any, orders: Path) -> None:
    prices = pd.read_csv(orders, index_col="id")["price"] * 2
    assert rows(predtrace.capture(prices).trace("id = 4 and price = 6")) == [3]


def test_labels_that_spark_cannot_tell_apart(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("a,A,row,x.y,b c,`q`\n1,2,3,4,5,6\n7,8,9,10,11,12\n")
    df = pd.read_csv(path)
    df["s"] = df["x.y"] + df["A"]
    lineage = predtrace.capture(df[["s"]]).trace("s = 18")
    (found,) = lineage["labels"].to_pandas().to_dict("records")
    assert found == {"row_2": 1, "a": 7, "A_2": 8, "row": 9, "x.y": 10, "b c": 11, "`q`": 12}


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_from_a_store(spark: Any, orders: Path, tmp_path: Path, engine: str) -> None:
    store = str(tmp_path / "store")
    predtrace.capture(result(orders)).run(store=store)
    stored = predtrace.open(store)
    lineage = stored.trace("who = 'ann' and net < 6", engine=engine)
    assert (lineage.exact, lineage.engine, rows(lineage)) == (True, engine, [2])


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_a_merge_and_its_groups(spark: Any, orders: Path, tmp_path: Path, engine: str) -> None:
    (tmp_path / "people.csv").write_text("who,city\ncy,Rome\nann,Oslo\nbob,Rome\n")
    both = pd.read_csv(orders).merge(pd.read_csv(tmp_path / "people.csv"), on="who")
    totals = both.groupby("city", as_index=False)["price"].sum()
    assert totals.to_pandas().values.tolist() == [["Oslo", 17.5], ["Rome", 3.0]]
    store = str(tmp_path / "store")
    pipeline = predtrace.capture(totals)
    before = pipeline.trace("city = 'Oslo'", engine="spark")
    pipeline.run(store=store)
    for lineage in (before, predtrace.open(store).trace("city = 'Oslo'", engine=engine)):
        assert lineage.exact
        assert (rows(lineage), rows(lineage, "people")) == ([0, 2], [1])


def test_a_changed_file_is_noticed(spark: Any, orders: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    pipeline = predtrace.capture(result(orders))
    pipeline.run(store=store)
    orders.write_text(ORDERS + "6,ann,8\n")
    for traced in (pipeline, predtrace.open(store)):
        with pytest.raises(StaleSource, match=r"My orders.csv of My orders is replaced"):
            traced.trace("who = 'ann'")
        assert rows(traced.trace("who = 'ann'", allow_stale=True)) == [0, 2]
    orders.unlink()
    with pytest.raises(StaleSource, match=r"My orders.csv of My orders is gone"):
        pipeline.trace("who = 'ann'")


def test_a_lost_cache_is_made_again(spark: Any, orders: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    predtrace.capture(result(orders)).run(store=store)
    (copy,) = (tmp_path / "cache").rglob("*.parquet")
    os.remove(copy)
    with pytest.raises(StaleSource, match=r"parquet of My orders is gone"):
        predtrace.open(store).trace("who = 'ann'")
    pd.read_csv(orders)
    assert rows(predtrace.open(store).trace("who = 'ann'")) == [0, 2]


def test_one_file_read_twice_is_one_source(spark: Any, orders: Path) -> None:
    one, other = pd.read_csv(orders, index_col="id"), pd.read_csv(orders, index_col="id")
    one["more"] = other["price"] + 1
    pipeline = predtrace.capture(one)
    assert pipeline.sources == ["My orders"]
    assert rows(pipeline.trace("id = 3")) == [2]


def test_values_of_the_program_are_a_source(spark: Any) -> None:
    df = pd.DataFrame(pandas.DataFrame({"a": [1, 2, 3]}))
    lineage = predtrace.capture(df[df["a"] > 1]).trace("a = 3")
    assert lineage.counts() == {"local_1": 1}


def test_a_function_sees_pandas_itself(spark: Any) -> None:
    from pyspark.sql import functions as F

    known = F.udf(lambda value: pd.__name__ + str(pd.isnull(value)))
    assert spark.range(1).select(known("id")).collect()[0][0] == "pandasFalse"


def widest(group: Any) -> Any:
    return group.max() - group.min()


@pytest.mark.parametrize(
    "program",
    [
        "df.assign(m=df.groupby('who').price.transform(widest)).sort_values('m').groupby('who').head(1)",
        "df.groupby('who').filter(lambda g: len(g) > 1).groupby('who').head(1)",
        "df.groupby('who', as_index=False).agg(m=('price', widest)).sort_values('m').head(1)",
        "pd.concat([df, df]).drop_duplicates()",
        "df.melt('who').sort_values('value').groupby('who').head(1)",
        "df[df.groupby('who').id.transform('mean') > 2]",
        "df[df.price > df.price.median()]",
        "df[df.price > df.price.quantile(0.3)]",
        "df[df.price.rolling(2).mean() > 8]",
    ],
)
def test_what_is_in_order_comes_out_alike_in_every_run(spark: Any, orders: Path, program: str) -> None:
    made = eval(program, {"df": pd.read_csv(orders), "pd": pd, "widest": widest})
    assert unstable_steps(predtrace.capture(made).captured.operators) == []


def test_the_order_of_a_sum_of_doubles_is_not_known(spark: Any, orders: Path) -> None:
    df = pd.read_csv(orders)
    decided = df[df.groupby("who").price.transform("sum") > 10]
    assert len(unstable_steps(predtrace.capture(decided).captured.operators)) == 1


@pytest.mark.parametrize(
    "program",
    [
        # NaN and what is missing are one value in Python: such a key may stand for two groups.
        "df.groupby('price', dropna=False, as_index=False, sort=False).agg(m=('id', widest)).groupby('m').head(1)",
        # Whole numbers of which one is missing are floats there: two large ones may come back as one.
        "df.groupby('id', dropna=False, as_index=False).price.max().groupby('price').filter(lambda g: True)",
    ],
)
def test_what_python_may_not_tell_apart_is_not_taken_for_unique(
    spark: Any, orders: Path, program: str
) -> None:
    made = eval(program, {"df": pd.read_csv(orders), "pd": pd, "widest": widest})
    operators = predtrace.capture(made).captured.operators
    maps = [one for one in walk_operators(operators) if isinstance(one, GroupedMap)]
    assert [unique_keys(one) for one in maps] == [()]


@pytest.mark.parametrize(
    ("keep", "traced", "expected"),
    [
        ("first", "price = 10.5", [0, 2, 5]),
        ("last", "price = 8", [0, 2, 5]),
        ("last", "who = 'bob'", [1]),
        (False, "who = 'cy'", [3]),
    ],
)
def test_a_row_without_duplicates_is_made_of_all_that_it_stands_for(
    spark: Any, tmp_path: Path, keep: Any, traced: str, expected: list[int]
) -> None:
    """Every row with the same values is in the lineage, not only the one that stays."""
    path = tmp_path / "My orders.csv"
    path.write_text(ORDERS + "6,ann,8\n")
    df = pd.read_csv(path)
    for kept in (df.drop_duplicates("who", keep=keep), df[~df.duplicated("who", keep=keep)]):
        pipeline = predtrace.capture(kept)
        assert not pipeline.plan.results
        lineage = pipeline.trace(traced)
        assert lineage.exact
        assert rows(lineage) == expected
    ordered = df.sort_values("price", ascending=False, kind="stable").drop_duplicates("who", keep=keep)
    lineage = predtrace.capture(ordered).trace("who = 'ann'" if keep else traced)
    assert rows(lineage) == ([0, 2, 5] if keep else expected)


@pytest.mark.parametrize(
    ("table", "label"),
    [("df[['id', 'price']].sum()", "price"), ("df.describe()", "mean"), ("df[['id', 'price']].corr()", "id")],
)
def test_a_line_of_sums_is_found_by_its_label(spark: Any, orders: Path, table: str, label: str) -> None:
    """A sum of doubles may come out otherwise in another run; which line it is in does not depend on that."""
    df = pd.read_csv(orders)
    pipeline = predtrace.capture(eval(table, {"df": df}).reset_index())
    lineage = pipeline.trace({"index": label})
    assert lineage.exact
    assert not pipeline.plan.results
    assert rows(lineage) == [0, 1, 2, 3, 4]


def test_numbers_of_rows_that_were_put_together_are_not_unique(
    spark: Any, orders: Path, tmp_path: Path
) -> None:
    """Spark hands on that a column numbers rows, and writes it into files: each number may be there twice then."""
    rows = pd.read_csv(orders).reset_index().to_spark()
    for day in (1, 2):
        rows.withColumn("day", lit(day)).write.mode("append").parquet(str(tmp_path / "days"))
    days = spark.read.parquet(str(tmp_path / "days"))
    both = spark.createDataFrame(rows.union(rows).collect(), rows.schema)
    for frame in (days, both):
        pipeline = predtrace.capture(frame)
        (source,) = pipeline.sources
        assert pipeline.source(source).unique == ()
    assert unique_keys(predtrace.capture(rows).captured.operators)
    mean = days.agg(avg("id").alias("mean"))
    pipeline = predtrace.capture(days.crossJoin(mean).selectExpr("index", "id - mean + day as d"))
    lineage = pipeline.trace("index = 1 and d = 0")
    assert lineage.exact
    # The row itself, whose number another row has too; and all rows, of which the mean is.
    assert sorted(rows.count() for rows in lineage.references) == [1, 10]
