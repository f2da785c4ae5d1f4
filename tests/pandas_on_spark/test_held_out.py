"""What programs do that nobody had in mind when the methods were written: one test for each thing that was found."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.same import given, same

import predtrace
from predtrace.errors import PredtraceError

VISITS = pandas.DataFrame(
    {
        "who": ["ann", "bob", "ann", "cid", "bob"],
        "day": pandas.to_datetime(["2024-01-05", "2024-02-01", "2024-02-03", None, "2024-01-09"]),
        "paid": [3.0, np.nan, 4.5, 1.0, 2.0],
        "tags": ["x, y", "", None, "x,y , z", "z"],
    }
)


def test_functions_of_groups_with_values_that_spark_works_out(spark: Any) -> None:
    """It was refused if there were other functions."""

    def program(pd: Any, visits: Any) -> Any:
        snapshot = visits["day"].max() + datetime.timedelta(days=1)
        mean, most = visits["paid"].mean(), visits["paid"].max()
        return [
            visits.groupby("who").agg(
                {"day": lambda days: (snapshot - days.max()).days, "tags": "count", "paid": "sum"}
            ),
            visits.groupby("who").agg(
                over=("paid", lambda paid: (paid > mean).sum()),
                n=("paid", "size"),
                part=("paid", lambda paid: paid.max() / most + mean),
                spread=("paid", lambda paid: paid.max() - paid.min()),
            ),
        ]

    same(program, visits=VISITS)


def test_groups_depend_on_the_value_that_one_of_the_functions_uses(spark: Any) -> None:
    visits = given(VISITS)
    mean = visits["paid"].mean()
    found = visits.groupby("who").agg(
        over=("paid", lambda paid: (paid > mean).sum()), n=("day", lambda days: len(days))
    )
    lineage = predtrace.capture(found).trace("who = 'cid'")
    assert max(lineage.counts().values()) == 5


def test_rows_of_several_lengths(spark: Any) -> None:
    """A function that makes rows of lists: it was refused, as the rows have different labels."""

    def program(pd: Any, visits: Any) -> Any:
        wide = visits["tags"].str.split(r"\s*,\s*", regex=True).apply(pd.Series)
        return [
            wide,
            wide.stack().reset_index(level=1, drop=True).rename("tag"),
            visits["paid"].apply(lambda paid: pd.Series([1, 2] if paid > 2 else [])),
            visits.apply(
                lambda row: pd.Series([1, 2.5, "x"][: len(row["who"]) - int(row["paid"] > 2)]), axis=1
            ),
        ]

    same(program, visits=VISITS)


def test_rows_with_other_labels_are_refused(spark: Any) -> None:
    with pytest.raises(PredtraceError, match="different labels"):
        given(VISITS)["paid"].apply(lambda paid: given_labels(paid))


def given_labels(paid: float) -> Any:
    return pandas.Series({"a": 1} if paid > 2 else {"b": 1})


def test_levels_of_an_index_are_refused(spark: Any) -> None:
    """pandas has labels there of which no row is left."""
    with pytest.raises(PredtraceError, match="get_level_values"):
        given(VISITS).set_index(["who", "day"]).index.levels  # noqa: B018


def test_lists_that_the_program_writes_down(spark: Any) -> None:
    frame = pandas.DataFrame(
        {
            "who": ["ann", "bob", "cid", "dan"],
            "tags": [["x", "y"], [], None, ["x", "x"]],
            "n": [[1], [2, 3], [], [4]],
        }
    )

    def program(pd: Any, df: Any) -> Any:
        long = df.explode("tags")
        return [
            df,
            long,
            long["tags"].value_counts(),
            df["tags"].str.len(),
            df["tags"].str.join("+"),
            df[df["n"].apply(lambda n: 2 in n)],
        ]

    same(program, df=frame)
    with pytest.raises(PredtraceError, match="object: list"):
        given(pandas.DataFrame({"mixed": [["x", 1], ["y"]]}))


def test_moments_are_moved_by_offsets(spark: Any) -> None:
    def program(pd: Any, visits: Any) -> Any:
        day, last = visits["day"], visits["day"].max()
        return [
            day + pd.DateOffset(months=1),
            day - pd.DateOffset(years=1, months=11, days=3, hours=2),
            2 * pd.DateOffset(weeks=1) + day,
            day + pd.DateOffset(days=30),
            *(day + pd.offsets.MonthEnd(n) for n in (-2, -1, 0, 1, 3)),
            *(day - pd.offsets.MonthBegin(n) for n in (-2, -1, 0, 1, 3)),
            day + pd.offsets.Day(2),
            day.dt.to_period("M").dt.to_timestamp() + pd.offsets.MonthEnd(1),
            (last + pd.DateOffset(days=1) - day).dt.days,
        ]

    days = pandas.to_datetime(
        ["2024-01-31 10:30", "2023-12-31", None, "2024-02-29 23:59:59", "2024-03-01"], format="ISO8601"
    )
    same(program, visits=VISITS.assign(day=days.values))
    with pytest.raises(PredtraceError, match="BusinessDay"):
        given(VISITS)["day"] + pandas.offsets.BDay(1)


def test_the_greatest_values_of_each_group(spark: Any) -> None:
    for frame in (VISITS, VISITS.set_index("tags").rename_axis("t"), VISITS.assign(paid=[2, 1, 2, 2, 5])):
        same(lambda pd, df: df.groupby("who")["paid"].nlargest(2), df=frame)
        same(lambda pd, df: df.groupby("who")["paid"].nsmallest(1), df=frame)
        same(lambda pd, df: df.groupby("who")["paid"].nlargest(3).groupby(level=0).sum(), df=frame)


def test_letters_without_their_accents(spark: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        plain = df["s"].str.normalize("NFKD").str.encode("ascii", errors="ignore").str.decode("utf-8")
        return plain, df["s"].str.encode("latin1", "replace").str.decode("latin1")

    same(program, df=pandas.DataFrame({"s": ["Café", "Ünïque", None, "plain", "日本"]}))
    df = given(pandas.DataFrame({"s": ["a"]}))
    with pytest.raises(PredtraceError, match="Encoded"):
        df["bytes"] = df["s"].str.encode("ascii")


def test_several_aggregates_of_the_rows_around(spark: Any) -> None:
    same(lambda pd, df: df["paid"].rolling(2, min_periods=1).agg(["mean", "max", "sum"]), df=VISITS)
    same(lambda pd, df: df["paid"].expanding().agg(["min", "count"]), df=VISITS)
    same(lambda pd, df: df[["paid"]].rolling(2).agg({"paid": "sum"}), df=VISITS)
