"""`interpolate` towards both ends and by time, compared with plain pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import given, same

from predtrace.errors import PredtraceError

LEVELS = pandas.DataFrame(
    {"water": [np.nan, 2.0, np.nan, np.nan, 9.0, np.nan], "n": range(6)},
    index=pandas.to_datetime(
        ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-07", "2020-01-08", "2020-02-01"]
    ),
)


@pytest.mark.parametrize("direction", ["forward", "backward", "both"])
@pytest.mark.parametrize("method", ["linear", "time"])
def test_directions(spark: Any, direction: str, method: str) -> None:
    same(lambda pd, df: df.interpolate(method=method, limit_direction=direction), df=LEVELS)
    same(
        lambda pd, df: df["water"].interpolate(method, limit_direction=direction, limit_area="inside"),
        df=LEVELS,
    )


def test_time_needs_moments_in_order(spark: Any) -> None:
    same(lambda pd, df: df.reset_index(drop=True).interpolate(method="time"), df=LEVELS)
    with pytest.raises(PredtraceError, match="sort_index"):
        given(LEVELS[::-1])["water"].interpolate(method="time")


@pytest.mark.parametrize("direction", ["forward", "backward", "both"])
def test_equal_moments_have_the_last_value_that_is_there(spark: Any, direction: str) -> None:
    """Each of them had a value of its own, by the rows before and after; some had none."""
    days = pandas.to_datetime([f"2020-01-0{day}" for day in (1, 1, 1, 2, 4, 4, 4, 4, 5, 7, 7)])
    nan = np.nan
    levels = pandas.DataFrame(
        {
            "early": [nan, 3.0, nan, nan, nan, 5.0, 6.0, nan, nan, 9.0, nan],
            "late": [nan, nan, 1.0, nan, nan, nan, nan, 7.0, nan, nan, nan],
        },
        index=days,
    )
    same(lambda pd, df: df.interpolate(method="time", limit_direction=direction), df=levels)
    same(lambda pd, df: df.interpolate("time", limit_area="inside"), df=levels)
