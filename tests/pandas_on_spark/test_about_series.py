"""What a series, or a row, says about itself, compared with plain pandas."""

from __future__ import annotations

from typing import Any

import pandas
from tests.pandas_on_spark.same import same

ROOMS = pandas.DataFrame({"room": ["a", "b", "a"], "guests": [2, 1, 4], "price": [9.5, None, 7.0]})


def test_shape_dtype_and_labels(spark: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        price = df["price"]
        cheap = df[df["price"] < 9]["price"]
        return [
            price.shape,
            cheap.shape[0],
            price.dtypes,
            price.hasnans,
            df["guests"].hasnans,
            list(price.axes[0]),
        ]

    same(program, df=ROOMS)


def test_keys_are_the_index(spark: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        kinds = df.nunique()
        return [kinds[kinds == 2].keys().tolist(), df["room"].value_counts().keys()]

    same(program, df=ROOMS)


def test_signs_of_a_row(spark: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        row = df[["guests", "price"]].iloc[0]
        return [-row, abs(-row), ~(df[["guests", "price"]] > 3).iloc[0]]

    same(program, df=ROOMS)
