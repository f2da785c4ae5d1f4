"""One period minus another is an offset in pandas, `<2 * MonthEnds>`: functions of cohorts take its number."""

from __future__ import annotations

from operator import attrgetter, itemgetter, methodcaller, neg
from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, results_are_same
from tests.pandas_on_spark.same import given, same

import predtrace


@pytest.fixture
def df() -> Any:
    """Orders, of which one has no day, and one no first day."""
    days = pandas.to_datetime(pandas.Series(["2021-01-01", "2021-02-03", None, "2021-02-28", "2019-12-31"]))
    first = pandas.to_datetime(pandas.Series(["2020-01-01", None, "2020-01-01", "2021-02-27", "2020-03-01"]))
    return pandas.DataFrame(
        {
            "k": ["a", "b", "a", "c", "b"],
            "x": [1, 2, 3, 4, 5],
            "d": days,
            "e": first,
            "p": days.dt.to_period("M"),
            "q": first.dt.to_period("M"),
        }
    )


def test_cohorts(spark: Any, df: Any) -> None:
    """Every notebook about cohorts was refused at this line."""

    def program(pd: Any, df: Any) -> Any:
        df = df[["k", "x", "d"]].dropna()
        df["month"] = df["d"].dt.to_period("M")
        df["cohort"] = df.groupby("k")["d"].transform("min").dt.to_period("M")
        df["by_getter"] = (df["month"] - df["cohort"]).apply(attrgetter("n"))
        df["by_lambda"] = (df["month"] - df["cohort"]).apply(lambda x: x.n + 1)
        df["by_map"] = (df["month"] - df["cohort"]).map(lambda x: x.n)
        df["difference"] = df["month"] - df["cohort"]
        table = df.groupby(["cohort", "by_getter"]).agg(n=("x", "nunique")).reset_index()
        return [df, table, table.pivot(index="cohort", columns="by_getter", values="n")]

    same(program, df=df)


@pytest.mark.parametrize("freq", ["D", "W", "W-WED", "M", "2M", "Q", "Q-NOV", "Y", "Y-JUN", "h", "3D"])
def test_of_all_frequencies(spark: Any, df: Any, freq: str) -> None:
    text = """
        df.d.dt.to_period(F) - df.e.dt.to_period(F)
        (df.d.dt.to_period(F) - df.e.dt.to_period(F)).dropna().apply(lambda x: x.n)
        """
    results_are_same(text.replace("F", repr(freq)), df=df)


def test_values_as_pandas_has_them(spark: Any, df: Any) -> None:
    results_are_same(
        """
        df.p - df.q
        df.q - df.p
        df.p.sub(df.q)
        df.p.rsub(df.q)
        df.p - pd.Period("2020-11", "M")
        pd.Period("2020-11", "M") - df.p
        df.p - df.p.min()
        df.p - df.p.shift()
        df.p.max() - df.p.min()
        (df.p.max() - df.p.min()).n
        (df.p - df.q).dtype
        (df.p - df.q).isna()
        (df.p - df.q).count()
        (df.p - df.q).dropna()
        (df.p - df.q).iloc[0]
        (df.p - df.q).iloc[1]
        (df.p - df.q).tolist()
        (df.p - df.q).apply(lambda x: x.n)
        (df.p - df.q).apply(lambda x: x.n if pd.notna(x) else np.nan)
        (df.p - df.q).apply(lambda x: -1 if x is pd.NaT else x.n)
        (df.p - df.q).map(str)
        df.assign(r=df.p - df.q)
        df.assign(r=df.p - df.q)[df.x > 2]
        df.assign(r=df.p - df.q).sort_values("x", ascending=False)
        df.assign(r=df.p - df.q).drop_duplicates("r")
        df.assign(r=df.p - df.q).apply(lambda row: f"{row['r']} {row['k']}", axis=1)
        df.assign(r=df.p - df.q).groupby("k").x.sum()
        df.assign(r=df.p - df.q).groupby("k").r.count()
        df.assign(r=df.p - df.q).groupby("k")[["r"]].apply(lambda g: g.r.dropna().map(lambda v: v.n).sum())
        df.assign(r=df.p - df.q).groupby("k").filter(lambda g: len(g) > 1)
        df.assign(r=df.p - df.q).merge(df[["k", "x"]], on="k")
        df.assign(r=df.p - df.q).to_csv()
        df.p - df.d.dt.to_period("Q")
        df.p - pd.Period("2020-11-01", "D")
        """,
        df=df,
    )


def test_what_else_goes_by_them_is_refused(spark: Any, df: Any) -> None:
    text = """
        made.r + 1
        made.r == 2
        made.r > 2
        -made.r
        made.r.astype(int)
        made.r.astype(float)
        made.r.sum()
        made.r.max()
        made.r.nunique()
        made.r.mode()
        made.r.value_counts()
        made.r.shift()
        made.r.fillna(0)
        made.r.where(made.x > 2)
        made.r.apply(lambda x: x)
        made.r.sort_values()
        made.sort_values(["k", "r"])
        made.set_index("r")
        made.groupby("r").x.sum()
        made.groupby("k").r.max()
        made.groupby("k").r.ffill()
        made.groupby("k")[["r"]].apply(lambda rows: rows.head(1))
        made.merge(made, on="r")
        made[["k"]].merge(made[["k", "r"]], on="k", how="left")
        made.assign(z=made.r[made.x > 2])
        pd.get_dummies(made.r)
        pd.concat([made, made[["k"]]])
        df.p - df.d
        df.p - "2021-01"
        """
    all_refused(text.replace("made", "df.assign(r=df.p - df.q)"), df=df)


def test_functions_of_the_module_operator(spark: Any, df: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        return [
            df["x"].apply(neg),
            df["k"].map(methodcaller("upper")),
            df["p"].dropna().map(attrgetter("year")),
            (df["p"] - df["q"]).dropna().map(attrgetter("n")) + 1,
            df.apply(itemgetter("x"), axis=1),
        ]

    same(program, df=df)


def test_missing_ones_that_are_passed_over(spark: Any, df: Any) -> None:
    """They came out as NaN, and the numbers as floats; pandas has NaT among whole numbers."""
    all_refused("df.p.map(lambda x: x.year, na_action='ignore')", df=df)
    results_are_same("df.p.dropna().map(lambda x: x.year, na_action='ignore')", df=df)


def test_a_difference_depends_on_its_row(spark: Any, df: Any) -> None:
    orders = given(df).dropna()
    orders["n"] = (orders["p"] - orders["q"]).apply(attrgetter("n"))
    lineage = predtrace.capture(orders[["k", "n"]]).trace("n = 12")
    assert lineage.exact
    assert max(lineage.counts().values()) == 1
