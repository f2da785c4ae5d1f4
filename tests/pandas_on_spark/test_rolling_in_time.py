"""`rolling("7D")`: aggregates of the rows of some time up to each row, compared with plain pandas."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, results_are_same
from tests.pandas_on_spark.same import given

import predtrace

nan = float("nan")

SALES = pandas.DataFrame(
    {
        "shop": list("abbab"),
        "x": [1, 2, 3, 4, 5],
        "day": pandas.to_datetime(["2024-01-01", "2024-01-03", "2024-01-08", "2024-01-09", "2024-01-20"]),
        "y": [1.5, nan, -3.0, 4.5, nan],
    },
    index=[7, 8, 9, 10, 11],
)
NUMBERS = SALES[["x", "day", "y"]]
BY_DAY = NUMBERS.set_index("day")
REPEATED = BY_DAY.set_axis(
    pandas.DatetimeIndex(["2024-01-01", "2024-01-03", "2024-01-03", "2024-01-03", "2024-01-04"], name="day")
)


@pytest.mark.parametrize("name", ["mean", "sum", "count", "min", "max", "std", "median"])
def test_of_an_index(spark: Any, name: str) -> None:
    results_are_same(
        f"""
        df.rolling("7D").{name}()
        df["y"].rolling("7D").{name}()
        df["x"].rolling("36h", min_periods=2).{name}()
        repeated.rolling("2D").{name}()
        repeated.rolling("24h", closed="both").{name}()
        """,
        df=BY_DAY,
        repeated=REPEATED,
    )


def test_of_a_column(spark: Any) -> None:
    results_are_same(
        """
        df.rolling("7D", on="day").sum()
        df.rolling("7D", on="day")["x"].mean()
        df.rolling("7D", on="day").x.mean()
        df.rolling("7D", on="day")[["y"]].max()
        df.rolling("7D", on="day")[["y", "x"]].max()
        df.rename(columns={"x": "z"}).rolling("7D", on="day").sum()
        df.rolling("7D", on="day").agg("sum")
        df.rolling("7D", on="day").agg({"x": "sum", "y": "mean"})
        df[["day", "y", "x"]].rolling(pd.Timedelta("5D"), on="day", min_periods=2).sum()
        df.iloc[:0].rolling("7D", on="day").sum()
        df.assign(week=df.rolling("7D", on="day")["x"].sum())
        df.reset_index(drop=True).rolling("7D", on="day").count()
        """,
        df=NUMBERS,
    )


def test_by_group(spark: Any) -> None:
    results_are_same(
        """
        df.groupby("shop").rolling("7D", on="day")["x"].sum()
        df.groupby("shop").rolling("7D", on="day")[["y", "x"]].mean()
        df.groupby("shop").rolling("7D", on="day").agg({"x": "sum"})
        df.groupby("shop").rolling("7D", on="day").x.agg(["sum", "mean"])
        df.set_index("day").groupby("shop")["x"].rolling("7D").sum()
        df.set_index("day").groupby("shop").rolling("7D", min_periods=2).mean()
        df.set_index("day").groupby("shop").rolling("7D").x.sum().reset_index()
        df.assign(day=df["day"].dt.to_period("M").dt.to_timestamp()).groupby("shop").rolling("7D", on="day").x.sum()
        df.assign(shop=df["shop"].where(df["x"] > 1)).groupby("shop").rolling("7D", on="day").x.sum()
        df.iloc[:0].groupby("shop").rolling("7D", on="day").x.sum()
        """,
        df=SALES,
    )


def test_what_pandas_does_not_know_either(spark: Any) -> None:
    results_are_same(
        """
        df.rolling("7D")
        df.rolling("7D", on="x")
        df.rolling("7D", on="zz")
        df.rolling("ME", on="day")
        df.rolling("7 of them", on="day")
        df.iloc[[0, 2, 1]].rolling("7D", on="day")
        df.assign(day=df["day"].shift()).rolling("7D", on="day")
        df.rolling("7D", on="day", min_periods=-1)
        """,
        df=NUMBERS,
    )


def test_what_is_refused(spark: Any) -> None:
    all_refused(
        """
        df.rolling("7D", on="day", center=True)
        df.rolling("7D", on="day", closed="left")
        df.rolling("0D", on="day")
        df.rolling("7D", on="day")["day"]
        df.iloc[::-1].rolling("7D", on="day")
        df.groupby("shop").rolling("7D", on="day").sum()
        df.groupby("shop")["x"].rolling("7D", on="day").sum()
        """,
        df=SALES,
    )


@pytest.mark.parametrize(("x", "rows"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 1)])
def test_a_row_depends_on_the_rows_of_its_time(spark: Any, x: int, rows: int) -> None:
    df = given(NUMBERS)
    df["week"] = df.rolling("7D", on="day")["x"].sum()
    lineage = predtrace.capture(df).trace(f"x = {x}")
    assert lineage.counts() == {"local_1": rows}
    assert lineage.exact


def test_a_row_does_not_depend_on_those_of_its_moment_after_it(spark: Any) -> None:
    df = given(REPEATED.reset_index())
    df["week"] = df.rolling("1D", on="day")["x"].sum()
    counts = [predtrace.capture(df).trace(f"x = {x}").counts()["local_1"] for x in (2, 3, 4, 5)]
    assert counts == [1, 2, 3, 1]
