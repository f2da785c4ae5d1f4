"""`resample("D").ffill()`, `bfill`, `asfreq` and `interpolate`, compared with plain pandas."""

from __future__ import annotations

from typing import Any

import pandas
from tests.pandas_on_spark.expressions import all_refused, results_are_same
from tests.pandas_on_spark.same import given

import predtrace

nan = float("nan")

EVERY_36_HOURS = pandas.DataFrame(
    {"v": [1.0, 2, nan, 4, 5, 6], "n": range(6), "k": list("abcabc")},
    index=pandas.date_range("2024-01-01", periods=6, freq="36h", name="t"),
)
DAILY = pandas.Series([1, 2, 3, 4.0], index=pandas.date_range("2024-01-01 10:00", periods=4, freq="D"))
MIXED_UP = pandas.Series(
    [1, 2, 3, 4],
    index=pandas.to_datetime(
        ["2024-01-05", "2024-01-01", "2024-01-03", "2024-02-09 03:00"], format="ISO8601"
    ),
    name="g",
)
TWICE = pandas.Series([1, 2, 3], index=pandas.to_datetime(["2024-01-05", "2024-01-05", "2024-01-07"]))


def test_rows_at_the_names_of_spans(spark: Any) -> None:
    results_are_same(
        """
        df.resample("D").ffill()
        df.v.resample("D").ffill()
        df.resample("12h").bfill()
        df.n.resample("D").asfreq()
        df.n.resample("D").asfreq(fill_value=0)
        df[["v", "n"]].resample("D").interpolate()
        df.resample("D").ffill().reset_index().groupby("k")["n"].sum()
        mixed.resample("D").interpolate()
        mixed.resample("D").interpolate(method="time")
        mixed.resample("D").ffill()
        mixed.resample("W").ffill()
        mixed.resample("MS").bfill()
        mixed.resample("ME").ffill()
        mixed.resample("h").ffill().resample("D").mean()
        twice.resample("D").ffill()
        """,
        df=EVERY_36_HOURS,
        mixed=MIXED_UP,
        twice=TWICE,
    )


def test_moments_as_regular_as_the_spans(spark: Any) -> None:
    """pandas only gives them other names, though none of them is there at the name of its span."""
    results_are_same(
        """
        daily.resample("D").ffill()
        daily.resample("D").asfreq()
        daily.resample("D").interpolate()
        daily.resample("12h").ffill()
        daily[:2].resample("D").ffill()
        """,
        daily=DAILY,
    )


def test_what_is_refused(spark: Any) -> None:
    all_refused(
        """
        df.resample("D").ffill(limit=1)
        df.groupby("k").resample("D").ffill()
        df[:0].resample("D").ffill()
        gaps.resample("D").asfreq()
        """,
        df=EVERY_36_HOURS,
        gaps=pandas.Series([1, 2], index=pandas.to_datetime(["2024-01-01", None])),
    )


def test_a_row_depends_on_the_one_it_is_filled_from(spark: Any) -> None:
    filled = given(EVERY_36_HOURS).resample("D").ffill()
    lineage = predtrace.capture(filled).trace("t = timestamp_ntz'2024-01-03'")
    assert lineage.exact
    assert sorted(lineage.counts().values()) == [1, 1]  # the moment, and the row
