"""Values replaced, mapped and filled in; rows without them dropped."""

from __future__ import annotations

from typing import Any

import pandas
from tests.pandas_on_spark.expressions import (
    changes_are_same,
    columns_are_same,
    nan,
    people,
    results_are_same,
)


def test_replace_in_columns(spark: Any) -> None:
    columns_are_same(
        """
        df.a.replace(1, 10)
        df.a.replace({1: 2, 2: 3})
        df.a.replace([1, 2], 9)
        df.a.replace([1, 2], [7, 8])
        df.a.replace(1, 1.5)
        df.a.replace(1, 2.0)
        df.a.replace(77, 1.5)
        df.a.replace(1, nan)
        df.a.replace({1: "one", 2: "two", 3: "three", 4: "four"})
        df.a.replace("1", "x")
        df.a.replace(True, 5)
        df.a.replace({1: True, 2: False, 3: False, 4: True})
        df.b.replace(nan, 0)
        df.b.replace({nan: -1, 0: 5})
        df.s.replace("x", "w")
        df.s.replace("x", nan)
        df.s.replace("x", None)
        df.s.replace(nan, "none")
        df.s.replace({"x": 1, "y": 2, " z ": 3})
        df.s.replace({"x": 1.5, "y": 2, " z ": 3})
        df.s.fillna("q").replace(["x", "y", "q", " z "], [1, 0, 1, 0])
        df.s.fillna("q").replace({"x": True, "y": True, "q": False, " z ": False})
        df.f.replace({True: 1, False: 0})
        df.f.replace({True: "yes", False: "no"})
        df.f.replace(1, 5)
        df.t.replace(1, 5)
        """,
        df=people(),
    )


def test_replace_by_patterns(spark: Any) -> None:
    frame = pandas.DataFrame({"s": ["foo", "bar ", "", nan, "a1b22"], "n": [1, 2, 3, 4, 5]})
    columns_are_same(
        r"""
        df.s.replace("o", "0", regex=True)
        df.s.replace(r"^f.*", "X", regex=True)
        df.s.replace(r"^\s*$", nan, regex=True)
        df.s.replace({"o": "a", "a": "b"}, regex=True)
        df.s.replace(["o", r"\s+$"], "", regex=True)
        df.s.replace(regex={"o": "a"})
        df.s.replace(regex="o", value="x")
        df.s.replace(r"(\d)b(\d)", r"\2b\1", regex=True)
        df.s.replace(re.compile("FOO", re.I), "x", regex=True)
        df.s.replace({"^$|^[ab]": 0, "^f": 1}, regex=True)
        df.n.replace("1", "x", regex=True)
        """,
        df=frame,
    )
    results_are_same(
        r"""
        df.replace({"foo": "x", 1: 9})
        df.replace({"s": {"foo": "x"}, "n": {1: 2}})
        df.replace({"n": 1}, 5)
        df.replace({"s": "foo", "n": 1}, {"s": "q", "n": 7})
        df.replace("?", nan)
        df.replace(r"^\s*$", nan, regex=True)
        df.replace({"s": {"o": "0"}}, regex=True)
        df.replace({"zz": {1: 2}})
        df.replace([1, 2], [3])
        df.replace({"s": {"foo": "x"}, "n": 1})
        df.replace(1, {"n": 8})
        """,
        df=frame,
    )


def test_map_by_tables(spark: Any) -> None:
    columns_are_same(
        """
        df.a.map({1: "one", 2: "two"})
        df.a.map({1: 10, 2: 20, 3: 30, 4: 40})
        df.a.map({1: 10})
        df.b.map({1.5: "x", nan: "missing"})
        df.b.map({2: True, 0: False})
        df.s.map({"x": True})
        df.s.map({})
        df.a.map({True: "t"})
        df.f.map({1: "t"})
        df.f.map({True: "t", False: "f"})
        df.s.map(defaultdict(int, {"x": 5}))
        df.a.map(dict((n, n * n) for n in range(200)))
        df.a.map(table)
        df.b.map(table)
        df.s.map(table)
        df.a.map(df.groupby("a").b.sum())
        df.a + df.a.map(table)
        df.a.map(table) * df.b
        """,
        df=people(),
        table=pandas.Series([1.5, 2.5, 9.0], index=[1, 2, 77]),
    )
    results_are_same(
        """
        df.a.map(twice)
        df.reset_index(drop=True).a.map({1: 5})
        df[df.a.map({1: True, 2: False, 3: True, 4: True})]
        """,
        df=people(),
        twice=pandas.Series([1, 2], index=[1, 1]),
    )


def test_a_mapped_column_is_a_column_of_the_same_frame(spark: Any) -> None:
    changes_are_same(
        """
        df = df.sort_values("a", ascending=False).reset_index(drop=True)
        old = df["b"]
        df["m"] = df["a"].map(table)
        df["o"] = old * 2
        df["n"] = df["m"] + df["b"] + old
        df = df[df["a"].isin(table.index.tolist())]
        """,
        df=people(),
        table=pandas.Series([1.5, 2.5, 9.0], index=[1, 2, 77]),
    )


def test_fill(spark: Any) -> None:
    columns_are_same(
        """
        df.b.fillna(0)
        df.b.fillna(df.b.mean())
        df.b.fillna(df.a)
        df.b.fillna({1: 5, 2: 6})
        df.b.fillna(df.b[df.a > 2])
        df.a.fillna("x")
        df.a.fillna(df.b)
        df.s.fillna("none")
        df.s.fillna(df.t)
        df.s.fillna(df.s.mode()[0])
        df.a.where(df.a > 1).fillna(0)
        df.a.where(df.a > 0).fillna(0)
        df.a.where(df.a > 1).fillna(1.5)
        df.f.where(df.a > 1).fillna(False)
        df.b.fillna(method="ffill")
        df.b.ffill()
        df.b.bfill()
        df.b.shift(1).bfill()
        df.s.ffill()
        df.a.where(df.a > 1).ffill()
        df.a.where(df.a < 4).ffill()
        df.f.where(df.a < 4).ffill()
        df.b.where(df.a > 3).bfill(limit=2)
        df.b.where(df.a == 1).ffill(limit=2)
        df.b.where(df.a != 3).interpolate()
        df.b.where((df.a == 1) | (df.a == 4)).interpolate()
        df.a.interpolate()
        df.b.fillna(df.groupby("a").b.transform("mean"))
        df.b.fillna(df.groupby("f").b.transform("median")).astype(int)
        """,
        df=people(),
    )


def test_fill_frames(spark: Any) -> None:
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": [nan, 1.0, nan], "s": ["x", nan, nan]})
    numbers = frame[["a", "b"]]
    results_are_same(
        """
        df.fillna({"b": 1.5, "s": "y", "q": 3})
        n.fillna(0)
        n.fillna(n.mean())
        n.fillna(n.median())
        n.fillna(n.iloc[1])
        df.fillna(df.mode().iloc[0])
        df.where(df.notnull(), None)
        n.fillna(n * 10)
        df.ffill()
        df.bfill()
        df.fillna(method="bfill", limit=1)
        n.interpolate()
        df.fillna()
        df.fillna(method="x")
        df.s.fillna([1, 2])
        df.sort_values("a", ascending=False).ffill()
        df.isnull()
        df.notna()
        pd.isnull(df.b)
        pd.notnull(df)
        pd.isna(None)
        pd.isna(df.b.max())
        n.combine_first(pd.DataFrame({"b": [5.0, 6.0, 7.0, 8.0], "c": ["p", "q", "r", "s"]}))
        df.b.combine_first(df.a)
        df.a.combine_first(pd.Series([9, 9, 9, 9]))
        """,
        df=frame,
        n=numbers,
    )
    changes_are_same(
        """
        df["b"].fillna(0)
        df.fillna({"b": 0}, inplace=True)
        df.ffill(inplace=True)
        df.update(pd.DataFrame({"b": [nan, 5.5]}))
        df.update(pd.DataFrame({"a": [nan, 7.0], "zz": [1, 1]}))
        """,
        df=frame,
    )


def test_drop_missing(spark: Any) -> None:
    frame = people()
    results_are_same(
        """
        df.dropna()
        df.dropna(subset=["b"])
        df.dropna(subset="b")
        df.dropna(how="all")
        df.dropna(how="all", subset=["b", "s"])
        df.dropna(thresh=5)
        df.dropna(axis=1)
        df.dropna(axis=1, how="all")
        df.dropna(axis="columns", thresh=5)
        df.dropna(ignore_index=True)
        df.b.dropna()
        df.b.dropna().reset_index(drop=True)
        df.reset_index(drop=True).dropna()
        df.a.where(df.a > 1).dropna()
        df.assign(m=df.a.map({1: 5, 2: 6})).dropna(subset=["m"])
        df.dropna(subset=["q"])
        df.dropna(how="q")
        df.dropna(how="any", thresh=2)
        """,
        df=frame,
    )
