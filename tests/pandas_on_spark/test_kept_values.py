"""Periods and whole numbers with NA: rows are grouped, sorted, joined and shown by them, as pandas does it."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, results_are_same
from tests.pandas_on_spark.same import same


@pytest.fixture
def df() -> Any:
    days = pandas.to_datetime(
        pandas.Series(["2021-01-01", "2021-02-03", None, "2021-02-28", "2020-12-31", "2021-01-01"])
    )
    return pandas.DataFrame(
        {
            "k": ["a", "b", "a", "c", "c", "b"],
            "x": [1, 2, 3, 4, 5, 6],
            "d": days,
            "p": days.dt.to_period("M"),
            "q": days.dt.to_period("Q"),
            "i": pandas.array([3, None, 1, 3, 2, 7], dtype="Int64"),
        }
    )


def test_periods_are_made_of_moments(spark: Any, df: Any) -> None:
    results_are_same(
        """
        df.d.dt.to_period("D")
        df.d.dt.to_period("M")
        df.d.dt.to_period("Q")
        df.d.dt.to_period("Y")
        df.d.dt.to_period("W")
        df.d.dt.to_period("W-WED")
        df.d.dt.to_period("Q-NOV")
        df.d.astype("period[M]")
        df.p.dt.to_timestamp()
        df.q.dt.to_timestamp()
        df.p.astype("datetime64[ns]")
        df.p.dt.year
        df.p.dt.month
        df.q.dt.quarter
        df.d.dt.to_period("D").dt.dayofweek
        df.p.dt.strftime("%Y/%m")
        df.p.astype(str)
        df.q.astype(str)
        """,
        df=df,
    )


def test_weeks_of_the_iso_calendar(spark: Any, df: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["week"] = df.d.dt.isocalendar().week
        return df

    same(program, df=df)
    results_are_same(
        """
        df.d.dt.isocalendar()
        df.assign(w=df.d.dt.isocalendar().week).groupby("w").x.sum()
        df.groupby(df.d.dt.isocalendar().week).x.sum()
        df.assign(w=df.d.dt.isocalendar().week).pivot_table(index="w", columns="k", values="x")
        df.dropna().d.dt.isocalendar().week.astype(int)
        df.d.dt.isocalendar().week.astype(int)
        df.d.dt.isocalendar().week.astype(float)
        """,
        df=df,
    )


def test_whole_numbers_with_na(spark: Any, df: Any) -> None:
    results_are_same(
        """
        df.x.astype("Int64")
        df.i.astype(float)
        df.i.astype(int)
        df.i.dropna().astype(int)
        df.i.astype(str)
        (df.x / 2).astype("Int64")
        (df.x / 2).round().astype("Int64")
        df.x.where(df.x > 2).astype("Int64")
        (df.x > 2).astype("Int64")
        """,
        df=df[["k", "x", "i"]],
    )


@pytest.mark.parametrize("c", ["p", "i"])
def test_rows_go_by_them(spark: Any, df: Any, c: str) -> None:
    text = """
        df.sort_values(C)
        df.sort_values([C, "x"], ascending=[False, True])
        df.groupby(C).x.sum()
        df.groupby(C, as_index=False).x.sum()
        df.groupby(C, dropna=False).x.sum()
        df.groupby([C, "k"]).x.mean()
        df.groupby("k")[C].min()
        df.groupby("k")[C].nunique()
        df.groupby("k").agg(a=(C, "max"), b=("x", "sum"))
        df.groupby("k")[C].transform("min")
        df.groupby(C).x.transform("mean")
        df.groupby(C).cumcount()
        df.groupby(pd.Grouper(key=C)).x.sum()
        df.pivot_table(index=C, columns="k", values="x", aggfunc="sum")
        df.set_index(C).sort_index()
        df.set_index(C).reset_index()
        df.merge(df.groupby(C).size().reset_index(name="n"), on=C, how="left")
        df.merge(df[["k", C]], on="k", suffixes=("", "_r"))
        pd.concat([df, df])
        df.drop_duplicates(C)
        df[df[C].notna()]
        df.dropna()
        df[C].isna()
        df[C].min()
        df[C].max()
        df[C].nunique()
        df[C].ffill()
        df[C].iloc[1]
        """
    results_are_same(text.replace("C", repr(c)), df=df[["k", "x", c]])


def test_periods_are_compared(spark: Any, df: Any) -> None:
    results_are_same(
        """
        df[df.p == "2021-01"]
        df[df.p != "2021-01"]
        df[df.p >= pd.Period("2021-01", "M")]
        df[df.p == df.p.max()]
        df.p == df.p.shift()
        df.p.value_counts()
        df.set_index("p").loc["2021-01"]
        df.groupby("k").p.value_counts()
        df.shift()
        df.p.shift()
        df.groupby(["k", "p"]).size().unstack(fill_value=0)
        df.pivot_table(index="k", columns="p", values="x", aggfunc="sum")
        """,
        df=df[["k", "x", "p"]],
    )


def test_what_would_calculate_is_refused(spark: Any, df: Any) -> None:
    all_refused(
        """
        df.i + 1
        df.i == 3
        df.i > 2
        df.i == df.x
        df.i.sum()
        df.i.mean()
        df.i.rank()
        df.i.map({3: "three"})
        df.i.replace(3, 4)
        df.i.value_counts()
        df.i.agg(["min", "max"])
        df.i.interpolate()
        df.i.apply(lambda v: v)
        df.groupby("k").i.sum()
        df.groupby("k").i.count()
        df.groupby(["k", "i"]).size().unstack()
        df[["k", "i"]].sum(numeric_only=True)
        df[["k", "i"]].apply(lambda r: str(r["i"]), axis=1)
        np.where(df.x > 2, df.i, df.i)
        df.p + 1
        df.p.rank()
        df.p.median()
        df.p.map(lambda v: v)
        df.p == df.q
        df.p == df.d
        df[["p", "x"]].query("p == '2021-01'")
        df.i.astype("string")
        df.x.astype("Int8")
        df.q.dt.month
        df.d.dt.to_period("W").dt.year
        df.d.dt.to_period("Q-NOV").dt.year
        df.d.dt.to_period("Y-JUN").dt.year
        df.p.replace("2021-01", "?")
        df.p.astype(pd.CategoricalDtype([pd.Period("2021-01", "M")]))
        df.groupby("p").x.sum() + df.groupby("q").x.sum()
        df.groupby("p").x.sum() + df.groupby("d").x.sum()
        df.set_index("d").assign(month=df.groupby("p").x.sum())
        df.set_index("p").x.loc[["2021-01"]]
        """,
        df=df,
    )
