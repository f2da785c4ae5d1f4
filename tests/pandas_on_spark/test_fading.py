"""`ewm`: means in which older rows weigh less, compared with plain pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import given, same

import predtrace

PRICES = pandas.DataFrame(
    {"close": [np.nan, 3.0, 4.5, np.nan, np.nan, 2.0, np.inf, 7.5], "volume": [5, 5, 5, 1, 0, -2, 8, 9]},
    index=[7, 6, 5, 4, 3, 2, 1, 0],
)


@pytest.mark.parametrize("adjust", [True, False])
@pytest.mark.parametrize("ignore_na", [True, False])
@pytest.mark.parametrize(
    "weights", [{"span": 3}, {"com": 0.5, "min_periods": 3}, {"halflife": 2}, {"alpha": 0.3}]
)
def test_means(spark: Any, weights: dict[str, Any], adjust: bool, ignore_na: bool) -> None:
    same(lambda pd, df: df.ewm(adjust=adjust, ignore_na=ignore_na, **weights).mean(), df=PRICES)


def test_in_the_order_of_the_rows(spark: Any) -> None:
    same(lambda pd, df: df.sort_index()["volume"].ewm(span=4, adjust=False).mean(), df=PRICES)
    same(lambda pd, df: df["volume"].ewm(0.5).mean() - df["volume"].ewm(span=9).mean(), df=PRICES)
    same(lambda pd, df: df["volume"].ewm(span=0.5), df=PRICES)


def test_a_mean_depends_on_the_rows_before(spark: Any) -> None:
    df = given(PRICES)
    df["slow"] = df["volume"].ewm(span=4).mean()
    lineage = predtrace.capture(df).trace("volume = 1")
    assert lineage.counts() == {"local_1": 4}
    assert lineage.exact
