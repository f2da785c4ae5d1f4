"""`reindex(method="ffill")` and `asfreq`: the rows of given or of regular labels, compared with plain pandas."""

from __future__ import annotations

from typing import Any

import pandas
from tests.pandas_on_spark.expressions import all_refused, results_are_same
from tests.pandas_on_spark.same import given

import predtrace

nan = float("nan")

RATES = pandas.DataFrame(
    {"i": [1, 2, 3], "y": [1.5, nan, 3.5], "s": list("abc"), "f": [True, False, True]},
    index=pandas.DatetimeIndex(["2024-01-02", "2024-01-04 12:00", "2024-01-07"], name="day"),
)
NUMBERS = pandas.Series([1, 2, 3], index=[0, 2, 4], name="n")


def test_moments(spark: Any) -> None:
    results_are_same(
        """
        df.reindex(pd.date_range("2024-01-01", "2024-01-08"), method="ffill")
        df.reindex(pd.date_range("2024-01-01", "2024-01-08"), method="bfill")
        df.reindex(pd.date_range("2024-01-02", "2024-01-07"), method="ffill")
        df.i.reindex(pd.date_range("2024-01-01", "2024-01-08"), method="pad")
        df.i.reindex(pd.date_range("2024-01-03", "2024-01-05", name="d"), method="backfill")
        df.iloc[[1, 0, 2]].i.reindex(pd.date_range("2024-01-03", "2024-01-05"), method="ffill")
        df.iloc[[1, 1, 2]].i.reindex(pd.date_range("2024-01-03", "2024-01-05"), method="ffill")
        """,
        df=RATES,
    )


def test_numbers(spark: Any) -> None:
    results_are_same(
        """
        n.reindex([5, 3, 1, -1, 3], method="ffill")
        n.reindex([5, 3, 1, -1, 3], method="bfill")
        n.reindex([3, 1], method="ffill") * 2
        """,
        n=NUMBERS,
    )


def test_regular_moments(spark: Any) -> None:
    results_are_same(
        """
        df.asfreq("D")
        df.i.asfreq("D", fill_value=0)
        df.asfreq("D", method="ffill")
        df.y.asfreq("36h", method="bfill")
        df.iloc[1:].asfreq("D")
        df.iloc[[1, 0, 2]].i.asfreq("D")
        df.iloc[[1, 1, 2]].i.asfreq("D")
        df.asfreq("MS")
        df.i.asfreq("no frequency")
        """,
        df=RATES,
    )


def test_what_is_refused(spark: Any) -> None:
    all_refused(
        """
        n.reindex([3, 1], method="nearest")
        n.reindex([3, 1], method="ffill", limit=1)
        n.reindex([3, 1], method="ffill", fill_value=0)
        n.reindex([0.5, 1], method="ffill")
        n.iloc[::-1].reindex([3, 1], method="ffill")
        n.asfreq("D")
        n.to_frame().reindex(columns=["n"], method="ffill")
        """,
        n=NUMBERS,
    )


def test_a_row_depends_on_the_row_it_is_filled_from(spark: Any) -> None:
    filled = given(RATES).reindex(pandas.date_range("2024-01-01", "2024-01-08"), method="ffill")
    made = filled.reset_index(names="day")
    lineage = predtrace.capture(made).trace("day = timestamp_ntz'2024-01-06'")
    assert sorted(lineage.counts().values()) == [1, 1]
    assert lineage.exact, lineage.why_not_exact


def test_a_regular_moment_depends_on_its_row(spark: Any) -> None:
    made = given(RATES).asfreq("D").reset_index()
    lineage = predtrace.capture(made).trace("day = timestamp_ntz'2024-01-07'")
    assert sorted(lineage.counts().values()) == [1, 1]
    assert lineage.exact, lineage.why_not_exact
