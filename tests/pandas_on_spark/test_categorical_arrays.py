"""`pd.Categorical` and `pd.factorize` of columns, compared with plain pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, results_are_same
from tests.pandas_on_spark.same import given, same

import predtrace
import predtrace.pandas as ours

SIZES = pandas.DataFrame(
    {"size": ["M", "S", None, "M", "XL"], "n": [3, 1, 3, 2, 2], "price": [1.5, np.nan, 2.0, 1.5, 0.0]},
    index=[4, 2, 0, 1, 3],
)


@pytest.mark.parametrize("column", ["size", "n", "price"])
def test_the_categories_there_are(spark: Any, column: str) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["kind"] = pd.Categorical(df[column])
        df["code"] = pd.Categorical(df[column]).codes
        return [df, pd.Categorical(df[column]).categories]

    same(program, df=SIZES)


def test_categories_that_are_listed(spark: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["size"] = pd.Categorical(df["size"], categories=["S", "M", "L"], ordered=True)
        few = df[df.n > 1].assign(kind=lambda d: pd.Categorical(d["n"], [3, 2]).as_ordered())
        return [df.sort_values("size"), few, few.groupby("kind", observed=False)["price"].sum()]

    same(program, df=SIZES)
    assert isinstance(ours.Categorical(["a", "b"]), pandas.Categorical), "of the program's own values"


def test_an_array_goes_by_place(spark: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["kind"] = pd.Categorical(df["size"].reset_index(drop=True))
        return df

    same(program, df=SIZES)


def test_rows_of_an_array_are_traced(spark: Any) -> None:
    df = given(SIZES)
    df["size"] = ours.Categorical(df["size"], categories=["S", "M"])
    assert predtrace.capture(df).trace("n = 1").counts() == {"local_1": 1}


@pytest.mark.parametrize("column", ["size", "n", "price"])
@pytest.mark.parametrize("sort", [False, True])
def test_factorize(spark: Any, column: str, sort: bool) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["number"] = pd.factorize(df[column], sort=sort)[0]
        df["again"], uniques = df[column].factorize(sort=sort)
        return [df, uniques]

    same(program, df=SIZES)


def test_an_order_stays_unless_another_is_asked_for(spark: Any) -> None:
    frame = pandas.DataFrame({"s": pandas.Categorical(["a", "b", "a", None], ["b", "a"], ordered=True)})
    results_are_same(
        """
        pd.Categorical(df.s, categories=["a", "b"]).ordered
        pd.Categorical(df.s, ordered=False).ordered
        pd.Categorical(df.s).ordered
        df.s.astype(pd.CategoricalDtype(ordered=False)).cat.ordered
        pd.Categorical.from_codes([0, 1], ["x", "y"]).tolist()
        isinstance(pd.Categorical(["a"]), pd.Categorical)
        isinstance(pd.Categorical(df.s), pd.Categorical)
        """,
        df=frame,
    )
    all_refused("pd.Categorical(df.s).value_counts()\npd.Categorical(df.s).describe()", df=frame)
