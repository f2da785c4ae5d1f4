"""What notebooks do that small programs for each method do not: one test for each thing that was found there."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas
import pytest
from pyspark import cloudpickle
from tests.pandas_on_spark.same import given, same

import predtrace
import predtrace.pandas as ours
from predtrace.frontends.pandas.applying.users_functions import prepared

TRIPS = pandas.DataFrame({"city": ["Oslo", "Rome", "Bern", None], "km": [3.0, 8.0, np.nan, 1.0]})
PRICES = pandas.DataFrame(
    {
        "city": ["Oslo", "Rome", "Rome"],
        "price": [2.0, np.nan, 4.0],
        "since": pandas.to_datetime(["2020"] * 3),
    },
    index=pandas.Index([7, 8, 9], name="id"),
)


def test_a_function_looks_into_another_frame(spark: Any) -> None:
    def program(pd: Any, trips: Any, prices: Any) -> Any:
        def price(row: Any) -> Any:
            found = prices[(prices["city"] == row["city"]) & (prices["since"] >= "2019")]
            return found["price"].mean() + found.index.max() if len(found) else -1.0

        trips["price"] = trips.apply(price, axis=1)
        return trips[trips["price"] > 0]

    same(program, trips=TRIPS, prices=PRICES)


def test_rows_are_filtered_by_a_function_that_uses_a_mean(spark: Any) -> None:
    """Spark made the mean a subquery in the function's arguments there, and failed if nothing else was asked for."""

    def program(pd: Any, trips: Any) -> Any:
        mean = trips["km"].mean()
        trips["more"] = trips.apply(lambda row: row["km"] - mean, axis=1)
        trips["much"] = trips["km"].apply(lambda km: km > 2 * mean)
        found = trips[trips["more"] > -2]
        return (
            len(found),
            found.head(1),
            found["more"].sum(),
            trips[trips["much"]].shape,
            len(trips[trips["much"]]),
        )

    same(program, trips=TRIPS)


def test_what_functions_with_a_mean_give_is_of_the_same_rows(spark: Any) -> None:
    def program(pd: Any, trips: Any) -> Any:
        mean, most = trips["km"].mean(), trips["km"].max()
        trips.index = [1, 1, 2, 2]
        less, part = trips["km"].apply(lambda km: km - mean), trips["km"].map(lambda km: km / most)
        trips["less"] = less
        trips["part"] = part
        trips["both"] = less + part
        return trips[trips["both"].notna()]

    same(program, trips=TRIPS)


def test_functions_of_columns_that_were_filled(spark: Any) -> None:
    """Spark compares what functions are given where they run, and fails there if it is a subquery."""

    def program(pd: Any, trips: Any) -> Any:
        trips["km"] = pd.to_numeric(trips["km"].astype(str), errors="coerce")
        trips["km"] = trips["km"].fillna(trips["km"].median())
        trips = trips.dropna(subset="city").reset_index(drop=True)
        trips["far"] = trips["km"].apply(lambda km: "far" if km > 5 else "near")
        trips["part"] = pd.cut(trips["km"], 2, labels=["low", "high"]).apply(lambda part: f"{part} part")
        trips["text"] = trips.apply(lambda trip: f"{trip['city']}: {trip['km']}", axis=1)
        return trips[trips["far"] == "near"]

    same(program, trips=TRIPS)


def test_functions_with_a_mean_need_nothing_of_ours_where_spark_runs(spark: Any) -> None:
    mean = given(TRIPS)["km"].mean()
    function, scalars = prepared(lambda km, mean=mean: km - mean, (), {}, "Series.apply()")
    load = (
        "import sys; sys.modules['predtrace'] = None; from pyspark import cloudpickle; "
        "print(cloudpickle.loads(sys.stdin.buffer.read())(3.0, 1.0))"
    )
    sent = cloudpickle.dumps(function)  # type: ignore[no-untyped-call]
    found = subprocess.run([sys.executable, "-c", load], input=sent, capture_output=True)
    assert (len(scalars), found.stdout.decode().strip()) == (1, "2.0"), found.stderr.decode()


def test_a_function_looks_into_its_own_frame_and_a_series(spark: Any) -> None:
    def program(pd: Any, trips: Any, prices: Any) -> Any:
        trips["city"] = trips["city"].apply(lambda city: f"city of {city}")
        known = prices["price"]
        trips["rank"] = trips["km"].apply(lambda km: (trips["km"] > km).sum() + known.count())
        return trips[trips["rank"] > 2]

    same(program, trips=TRIPS.dropna(subset="city"), prices=PRICES)


def test_rows_depend_on_the_frame_that_a_function_looks_into(spark: Any) -> None:
    trips, prices = given(TRIPS), given(PRICES)
    trips["most"] = trips.apply(lambda row: prices["price"].max() * row["km"], axis=1)
    lineage = predtrace.capture(trips).trace("city = 'Rome'")
    assert lineage.counts() == {"local_1": 1, "local_2": 3}


def test_a_function_that_changes_a_frame_is_refused(spark: Any) -> None:
    trips, prices = given(TRIPS), given(PRICES)

    def changing(row: Any) -> float:
        prices["price"] = 0.0
        return 1.0

    with pytest.raises(TypeError, match="changes a frame outside of it"):
        trips.apply(changing, axis=1)


def test_columns_are_named_by_their_index(spark: Any) -> None:
    def program(pd: Any, trips: Any) -> Any:
        trips.columns.name = "measure"
        wide = trips.dropna().reset_index(drop=True)
        trips.columns.name = None
        return [trips, wide]

    same(program, trips=TRIPS)


@pytest.mark.parametrize("method", ["ffill", "bfill"])
def test_filled_from_the_columns_beside(spark: Any, method: str) -> None:
    numbers = pandas.DataFrame({"a": [1.0, None, 3.0], "b": [None, None, 5.0], "c": [7, 8, 9]})
    same(lambda pd, df: getattr(df, method)(axis=1), df=numbers)
    same(lambda pd, df: getattr(df[["c", "d"]], method)(axis=1), df=numbers.assign(d=1))


@pytest.mark.parametrize("swapped", [False, True])
def test_margins_beside_categories(spark: Any, swapped: bool) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["size"] = pd.cut(df["km"], [0, 2, 5, 10], labels=["short", "middle", "long"])
        keys = (df["city"], df["size"]) if swapped else (df["size"], df["city"])
        return pd.crosstab(*keys, margins=True)

    same(program, df=TRIPS.dropna())


def test_a_scalar_stands_beside_the_rows_once(spark: Any) -> None:
    df = given(TRIPS)
    df["share"] = (df["km"] / df["km"].mean()).round(2)
    plan = predtrace.capture(df).explain()
    assert plan.count("└─ CrossJoin") == 1
    assert "line " in plan, "explain() says which lines made the columns"
    assert isinstance(df, ours.DataFrame)


def test_defaults_of_a_function_that_spark_works_out(spark: Any) -> None:
    def program(pd: Any, trips: Any, prices: Any) -> Any:
        least, most = trips["km"].quantile(0.5), trips["km"].max()

        def weighed(row: Any, least: float = least, *, most: float = most, known: Any = prices) -> Any:
            return (row["km"] - least) / most + len(known)

        trips["weighed"] = trips.apply(weighed, axis=1)
        trips["is_long"] = trips["km"].apply(lambda km, least=least: km > least)
        return trips

    same(program, trips=TRIPS, prices=PRICES)


def test_columns_are_set_that_an_index_names(spark: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        skewed = df[["km", "fee"]].max().sort_values(ascending=False).index
        df[skewed] = np.log1p(df[skewed])
        df[pd.Series(["fee", "tip"])] = df[["km", "fee"]]
        return df

    same(program, df=TRIPS.assign(fee=[1.0, 2.0, 9.5, 4.0]))


def test_ranges_between_what_spark_works_out(spark: Any) -> None:
    def program(pd: Any, prices: Any) -> Any:
        prices["since"] += pd.to_timedelta(prices.index, unit="D")
        daily = prices.groupby("since")["price"].sum()
        return daily.reindex(pd.date_range(end=prices["since"].max() + pd.Timedelta(days=1), periods=9))

    same(program, prices=PRICES)
    same(lambda pd, df: list(pd.date_range(df["since"].min(), df["since"].max())), df=PRICES)


def test_moments_of_what_spark_works_out(spark: Any) -> None:
    def program(pd: Any, prices: Any) -> Any:
        last = pd.Timestamp(prices["since"].max())
        prices["age"] = pd.Timestamp("2024-05-01") - prices["since"]
        prices["year"] = prices["since"].map(pd.Timestamp).dt.year
        day = pd.Timedelta(prices["age"].max())
        known = isinstance(last, pd.Timestamp) and not isinstance(day, pd.Timestamp)
        return [last.strftime("%Y"), known, pd.Timestamp.max > last, prices]

    same(program, prices=PRICES)


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">="])
def test_ordered_categories_before_and_after_one(spark: Any, symbol: str) -> None:
    def program(pd: Any, trips: Any) -> Any:
        trips["length"] = pd.cut(trips["km"], [0, 2, 5, 10], labels=["short", "middle", "long"])
        return eval(f"trips[trips['length'] {symbol} 'middle']")

    same(program, trips=TRIPS)


def test_categories_that_have_no_order(spark: Any) -> None:
    same(lambda pd, trips: trips["city"].astype("category") > "Oslo", trips=TRIPS)
    same(lambda pd, trips: pd.cut(trips["km"], [0, 9], labels=["far"]) > "near", trips=TRIPS)


def test_different_values_of_groups(spark: Any) -> None:
    def program(pd: Any, prices: Any) -> Any:
        found = prices.groupby("city")["price"].unique()
        return [found.apply(len), found.explode()]

    same(program, prices=PRICES)


def test_an_overview_of_the_columns(spark: Any) -> None:
    def program(pd: Any, trips: Any) -> Any:
        types = pd.DataFrame({"dtype": trips.dtypes, "missing": trips.isnull().sum()})
        return [types, types[types["dtype"] == "object"], pd.DataFrame(trips.dtypes).reset_index().shape]

    found = [str(one) for one in program(ours, given(TRIPS))[0].to_pandas()["dtype"]]
    assert found == ["object", "float64"]
    same(lambda pd, trips: program(pd, trips)[1:][0].drop(columns="dtype"), trips=TRIPS)
    same(lambda pd, trips: program(pd, trips)[2], trips=TRIPS)
