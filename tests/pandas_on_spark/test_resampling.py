"""`resample` and `groupby` with `pd.Grouper` give what pandas gives: spans of time, also those without rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, results_are_same
from tests.pandas_on_spark.same import same

import predtrace
import predtrace.pandas as ours

nan = float("nan")

EVENTS = pandas.DataFrame(
    {
        "d": pandas.to_datetime(
            ["2023-01-31 10:00", "2023-01-02", "2023-04-05 23:59:59.5", None, "2023-01-02 05:30"],
            format="ISO8601",
        ),
        "x": [1, 2, 3, 4, 5],
        "y": [1.5, nan, 2.5, 3.5, nan],
        "s": list("abcde"),
        "g": list("uvuvu"),
    }
)
"""Not in the order of time, one moment is missing, and no event is in February and March."""
BY_TIME = EVENTS.dropna(subset=["d"]).set_index("d")


def test_frequencies(spark: Any) -> None:
    results_are_same(
        """
        e.x.resample("D").sum()
        e.x.resample("6h").sum()
        e.x.iloc[:2].resample("90s").count().tail(3)
        e.x.resample("W").sum()
        e.x.resample("W-WED").sum()
        e.x.resample("MS").sum()
        e.x.resample("ME").sum()
        e.x.resample("M").sum()
        e.x.resample("QS").sum()
        e.x.resample("Q").sum()
        e.x.resample("Y").sum()
        e.x.resample("YS").sum()
        """,
        e=BY_TIME,
    )


def test_months_of_different_lengths(spark: Any) -> None:
    days = pandas.to_datetime(
        ["2023-12-31 23:00", "2024-03-30", "2024-07-31", "2025-02-28 12:00"], format="ISO8601"
    )
    results_are_same(
        """
        e.x.resample("ME").sum()
        e.x.resample("QE").sum()
        e.x.resample("QE-SEP").sum()
        e.x.resample("YE").sum()
        """,
        e=pandas.DataFrame({"x": range(4)}, index=days),
    )


def test_aggregates_of_spans_without_rows(spark: Any) -> None:
    results_are_same(
        """
        e[["x", "y"]].resample("M").agg(["sum", "mean", "min", "count", "first", "last", "nunique", "size", "std"])
        e.resample("M").agg({"x": "sum", "s": "first"})
        e.resample("M").size()
        e.resample("M").size().reset_index(name="n")
        e.resample("M")["x"].size()
        e.resample("M").count()
        e.resample("M").first()
        e.resample("M").mean(numeric_only=True)
        e.resample("M")[["x"]].agg(total=("x", "sum"))
        e.resample("M").x.sum().cumsum()
        e.resample("M")["y"].mean().fillna(0)
        e.resample("M").mean()
        e.iloc[:0].resample("M")["x"].sum()
        """,
        e=BY_TIME,
    )


def test_by_a_column(spark: Any) -> None:
    results_are_same(
        """
        e.resample("M", on="d")[["x", "y"]].mean()
        e.groupby(pd.Grouper(key="d", freq="M"))["x"].sum()
        e.groupby([pd.Grouper(key="d", freq="M")])["x"].first()
        e.groupby(pd.Grouper(key="d", freq="M")).agg(total=("x", "sum"), n=("s", "nunique"))
        e.groupby(pd.Grouper(key="d", freq="M"))[["x"]].describe()
        e.groupby(["g", pd.Grouper(key="d", freq="M")])["x"].sum()
        e.groupby([pd.Grouper(key="d", freq="MS"), "g"], as_index=False)["x"].sum()
        e.groupby([e.g, pd.Grouper(key="d", freq="MS")])["x"].transform("sum")
        e.groupby(["g", pd.Grouper(key="d", freq="MS")]).apply(lambda part: part.x.sum())
        e.groupby(pd.Grouper(key="d", freq="M"), dropna=False, sort=False)["x"].sum()
        e.groupby(["g", pd.Grouper(key="d", freq="M")], dropna=False)["x"].sum()
        e.groupby(pd.Grouper(key="d", freq="M"))["d"].count()
        e.groupby(pd.Grouper(key="g"))["x"].sum()
        e.set_index("d").groupby(pd.Grouper(freq="M"))["x"].sum()
        e.set_index(["g", "d"]).groupby(pd.Grouper(level="d", freq="M"))["x"].sum()
        e.resample("M", on="x").sum()
        e.resample("M", on="zz").sum()
        e.resample("hello", on="d").sum()
        """,
        e=EVENTS,
    )


def test_functions_are_given_the_rows_in_the_order_of_time(spark: Any) -> None:
    same(lambda pd, e: e.iloc[:2].resample("ME")["x"].apply(lambda v: v.iloc[0] * 10), e=BY_TIME)


def test_what_is_refused(spark: Any) -> None:
    all_refused(
        """
        e.resample("2D")["x"].sum()
        e.resample("B")["x"].sum()
        e.resample("M", label="left")["x"].sum()
        e.resample("M")["s"].sum()
        e.resample("M")["x"].apply(lambda v: len(v))
        e.groupby("g", sort=False).resample("M")["x"].sum()
        e.groupby(pd.Grouper(freq="M"))["x"].transform("sum")
        e.groupby(pd.Grouper(freq="M"))["x"].apply(lambda v: len(v))
        e.groupby(pd.Grouper(freq="M"), as_index=False)["x"].sum()
        e.groupby(["g", pd.Grouper(freq="M")], sort=False)["x"].sum()
        e.assign(g=e.g.astype("category")).groupby(["g", pd.Grouper(freq="M")])["x"].sum()
        """,
        e=BY_TIME,
    )


def test_the_rows_of_a_span_are_its_lineage(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREDTRACE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "events.csv").write_text("d,x\n2023-01-31,1\n2023-04-05,2\n2023-01-02,3\n")
    events = ours.read_csv(tmp_path / "events.csv", parse_dates=["d"])
    pipeline = predtrace.capture(events.resample("MS", on="d")["x"].sum().reset_index())
    found = {}
    for month in ("01", "02", "04"):
        lineage = pipeline.trace(f"d = timestamp_ntz'2023-{month}-01'")
        assert lineage.exact
        found[month] = sorted(lineage["events"].to_pandas()["row"])
    assert found == {"01": [0, 2], "02": [], "04": [1]}
