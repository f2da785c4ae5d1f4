"""What notebooks do that small programs for each method do not: one test for each thing that was found there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import given, same

import predtrace
import predtrace.pandas as ours

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


def test_a_scalar_is_one_subquery(spark: Any) -> None:
    df = given(TRIPS)
    df["share"] = (df["km"] / df["km"].mean()).round(2)
    plan = predtrace.capture(df).explain()
    assert plan.count("ScalarJoin") == 1
    assert "line " in plan, "explain() says which lines made the columns"
    assert isinstance(df, ours.DataFrame)
