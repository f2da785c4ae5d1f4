"""Dropping, renaming, replacing, filling, converting, masking, and operators of frames."""

from __future__ import annotations

from typing import Any

import pandas
from tests.pandas_on_spark.expressions import (
    all_refused,
    changes_are_same,
    columns_are_same,
    nan,
    people,
    results_are_same,
)


def test_columns_dropped_and_renamed(spark: Any) -> None:
    results_are_same(
        """
        df.drop("a", axis=1)
        df.drop(columns=["a", "b"])
        df.drop(["a", "q"], axis="columns", errors="ignore")
        df.drop(["a", "q"], axis=1)
        df.drop("q", axis=1)
        df.drop()
        df.drop(columns=df.columns[1:3])
        df.rename(columns={"a": "A", "q": "Q"})
        df.rename(columns=str.upper)
        df.rename({"a": "z"}, axis=1)
        df.rename(columns={"q": "Q"}, errors="raise")
        df.add_prefix("p_")
        df.add_suffix("_s")
        df.a.rename("z")
        df.a.rename(None)
        df.assign(c=lambda d: d.a + 1, d=lambda d: d.c * 2, a=5, e=df.b)
        df.infer_objects()
        df.pop("q")
        df.insert(9, "n", 1)
        df.insert(-1, "n", 1)
        df.insert(0, "a", 1)
        """,
        df=people(),
    )
    changes_are_same(
        """
        df.drop("a", axis=1, inplace=True)
        df.rename(columns={"b": "B"}, inplace=True)
        df.insert(0, "first", df.t)
        df.insert(2, "c", 1.5)
        df["popped"] = df.pop("s")
        """,
        df=people(),
    )


def test_labels_of_several_levels(spark: Any) -> None:
    frame = pandas.DataFrame({("x", "a"): [1], ("x", "b"): [2], ("y", "a"): [3]})
    results_are_same(
        """
        df.drop("x", axis=1)
        df.drop(columns=[("x", "a")])
        df.rename(columns={"a": "q"})
        df.rename(columns={"a": "q"}, level=1)
        """,
        df=frame,
    )


def test_rows_dropped_and_labelled(spark: Any) -> None:
    frame = people()[["a", "b"]]
    results_are_same(
        """
        df.drop([0, 2])
        df.drop(7)
        df.drop([0, 7], errors="ignore")
        df.drop(index=[0], columns=["a"])
        df.drop(df[df.a == 2].index)
        df.drop(df[df.b > 100].index)
        df.drop(df.index[1])
        df.a.drop([1, 2])
        df.a.drop(9)
        df.reset_index(drop=True).drop([1])
        df.rename(index={0: 10})
        df.rename(index={0: "q", 1: "w", 2: "e", 3: "r", 4: "t"})
        df.a.rename({0: 9})
        df.a.add_prefix("row_")
        named.drop("x")
        named.drop(["y", "q"])
        named.drop(named.index[:1])
        df.drop(df.a)
        df.drop(df.a[df.a < 3])
        named.rename({"x": "X"})
        """,
        df=frame,
        named=pandas.DataFrame({"v": [1, 2, 3]}, index=["x", "y", "x"]),
    )
    changes_are_same(
        """
        df.drop(df[df.a > 2].index, inplace=True)
        df["c"] = df.a + df.b
        """,
        df=frame,
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


def test_casts(spark: Any) -> None:
    frame = people().assign(
        r=[1e16, 1e-5, 123456789.125, nan, 0.1 + 0.2],
        d=pandas.to_datetime(["2020-01-01", None, "2020-02-03", "1969-12-31", "2021-05-05"]),
        m=pandas.to_datetime(
            ["2020-01-01 10:00", None, "2020-02-03", "1969-12-31 23:59:59", "2021-05-05"], format="mixed"
        ),
        u=["1.5", " 2 ", "inf", nan, "1e3"],
    )
    columns_are_same(
        """
        df.t.astype(int)
        df.t.astype("float")
        df.t.astype("int32")
        df.u.astype(float)
        df.a.astype(float)
        df.a.astype("int8")
        df.a.astype(str)
        df.a.astype(bool)
        df.b.fillna(-1.7).astype(int)
        df.b.astype(str)
        df.b.astype(bool)
        df.b.astype("float32")
        df.r.astype(str)
        df.s.astype(str)
        df.s.astype(bool)
        df.s.astype(object)
        df.f.astype(int)
        df.f.astype(str)
        df.f.astype(float)
        df.d.astype(str)
        df.m.astype(str)
        df.m.astype("int64")
        df.d.dt.date.astype(str)
        df.d.dt.date.astype("datetime64[ns]")
        df.d.astype(str).replace("NaT", nan).astype("datetime64[ns]")
        df.d.isin([pd.Timestamp("2020-01-01"), pd.NaT])
        df.d.isin(["2020-02-03"])
        df.d.replace(pd.Timestamp("2020-01-01"), pd.NaT)
        df.d.map({pd.Timestamp("2020-01-01"): 1})
        df.d.fillna("2022-02-02")
        df.d.fillna(df.d.max())
        df.d.where(df.a > 1, pd.Timestamp("2000-01-01"))
        df.a.where(df.a > 1).astype(str)
        df.a.where(df.a > 0).astype(str)
        df.a.where(df.a > 0).astype(int)
        """,
        df=frame,
    )
    results_are_same(
        """
        df[["a", "t"]].astype(float)
        df.astype({"a": float, "t": "int64"})
        df.astype({"q": int})
        df.s.astype(int)
        df.b.astype(int)
        df.u.astype(int)
        df.u.astype(float).astype(int)
        df.s.astype(float)
        df.a.astype("nonsense")
        df.a.where(df.a > 1).astype(int)
        """,
        df=frame,
    )


def test_categories(spark: Any) -> None:
    results_are_same(
        """
        df.s.astype("category")
        df.a.astype("category")
        df.s.astype("category").cat.codes
        df.a.astype("category").cat.codes
        df.s.astype("category").cat.categories
        df.s.astype("category").cat.ordered
        df.s.astype("category").astype(str)
        df.a.astype("category").astype(int)
        df.s.astype(pd.CategoricalDtype(["y", "x"], ordered=True))
        df.s.astype("category").cat.rename_categories({"x": "X"})
        df.s.astype("category").cat.rename_categories(["p", "q", "r"])
        df.s.astype("category").cat.set_categories(["x", "q"])
        df.s.astype("category").cat.add_categories("q")
        df.s.astype("category").cat.remove_categories(["x"])
        df.s[df.a > 1].astype("category").cat.add_categories("q").cat.remove_unused_categories()
        df.s.astype("category").cat.reorder_categories(["y", "x", " z "], ordered=True)
        df.s.astype("category").cat.as_ordered()
        df.s.astype("category").fillna("x")
        df.s.astype("category").fillna("new")
        df.s.astype("category") == "x"
        df.a.astype("category").isin([1, 2])
        df.s.astype("category").isin(["x", nan])
        df.a.astype("category").cat.rename_categories(["one", "two", "three", "four"])
        pd.cut(df.a, [0, 2, 5]).cat.codes
        pd.cut(df.a, [0, 2, 5]).astype(str)
        pd.cut(df.a, [0, 2, 5]).cat.rename_categories(["low", "high"])
        pd.cut(df.a, [0, 2, 5], labels=["low", "high"]).astype("object")
        df.astype({"s": "category"}).dtypes.astype(str)
        """,
        df=people(),
    )


def test_membership_and_limits(spark: Any) -> None:
    columns_are_same(
        """
        df.a.isin([1, 3])
        df.a.isin([1.0, 2.5, "a"])
        df.a.isin(["1"])
        df.a.isin(set())
        df.a.isin([True])
        df.b.isin([1.5, nan])
        df.b.isin([None])
        df.s.isin(["x", nan])
        df.s.isin({"x": 1})
        df.f.isin([1])
        df.a.isin(df.a[df.a > 2])
        ~df.a.isin(df.a[df.a > 2])
        df.b.isin(df.b[df.b.isnull()])
        df.b.isin(df.a)
        df.s.isin(df.t)
        ~df.s.isin(df.s[df.a == 1])
        df.a.isin(other.k)
        df.a.between(2, 3)
        df.b.between(0, 2, inclusive="neither")
        df.a.between(df.b, 3)
        df.s.between("x", "y")
        df.a.clip(2, 3)
        df.a.clip(3, 2)
        df.a.clip(lower=1.5)
        df.a.clip(lower=0.5)
        df.a.clip(2.0, upper=nan)
        df.b.clip(upper=1)
        df.a.clip(upper=df.a.mean())
        df.a.clip(df.b.fillna(9), 9)
        df.b.round()
        df.b.round(1)
        (df.b * 1.115).round(2)
        (df.a * 5).round(-1)
        df.f.round()
        round(df.b, 1)
        df.b.abs()
        """,
        df=people(),
        other=pandas.DataFrame({"k": [2, 4, 4]}),
    )
    results_are_same(
        """
        df[df.a.isin(other.k)]
        df[~df.a.isin(other.k)]
        df.isin([1, "x"])
        df.isin({"a": [1], "s": ["y"]})
        df.a.isin("a")
        df[["a", "b"]].clip(0, 2)
        df.clip(0, 2)
        df.round(1)
        df.round({"b": 0, "q": 1})
        df[["a", "b", "f"]].abs()
        df.s.round()
        df.s.clip(0)
        df[["s"]].abs()
        df.a.between(1, 2, inclusive="x")
        """,
        df=people(),
        other=pandas.DataFrame({"k": [2, 4, 4]}),
    )


def test_where_and_mask(spark: Any) -> None:
    columns_are_same(
        """
        df.a.where(df.a > 1)
        df.a.where(df.a > 1, 0)
        df.a.where(df.a > 1, 0.5)
        df.a.where(df.a > 0, 0.5)
        df.a.where(df.a > 1, df.b.fillna(9))
        df.a.where(df.a > 1, df.b)
        df.a.where(df.a > 10, "x")
        df.a.where(df.a > 1, None)
        df.b.where(df.b > 0, -df.b)
        df.s.where(df.a > 1, "w")
        df.s.where(df.a > 1, df.t)
        df.f.where(df.a > 1)
        df.f.where(df.a > 1, False)
        df.a.where([True, False, True, False, True])
        df.a.where(df.a[df.a > 1] > 2)
        df.a.mask(df.a[df.a > 1] > 2)
        df.a.mask(df.a > 1, -1)
        df.a.mask(lambda x: x > 1, lambda x: x * 10)
        df.b.mask(df.b.isnull(), df.b.mean())
        """,
        df=people(),
    )
    results_are_same(
        """
        df.where(df > 1)
        df.where(df > 1, -df)
        df.mask(df > 1, 0)
        df.where(df.a > 1, 0)
        df.where(lambda d: d > 1, 0.5)
        df[df > 1]
        df.where(5)
        """,
        df=people()[["a", "b"]],
    )


def test_operators_of_frames(spark: Any) -> None:
    frame = people()[["a", "b"]]
    results_are_same(
        """
        df * 2
        1 - df
        df / df.a.max()
        -df
        df > 1
        ~(df > 1)
        (df > 1) & (df < 3)
        df == 2
        df + df
        df + df[["b", "a"]]
        df + df.rename(columns={"a": "c"})
        df.add(df.rename(columns={"a": "c"}), fill_value=0)
        df - df.mean()
        (df - df.min()) / (df.max() - df.min())
        df * [1, 10]
        df + pd.Series({"a": 1, "c": 3})
        df.div(df.a, axis=0)
        df.mul(df.a, axis="index")
        df.sub([1, 2, 3, 4, 5], axis=0)
        df.rsub(10)
        df + other
        df.add(other, fill_value=0)
        df == df.rename(columns={"a": "c"})
        df.gt(pd.Series({"a": 1, "c": 3}))
        df.eq(df)
        df.a.add(df.b, fill_value=0)
        df.a.add(other.a, fill_value=0)
        df.a.sub(other.a)
        df.b.add(df.b.shift(1), fill_value=0)
        df.b.ne(1.5, fill_value=1.5)
        df.a.rpow(2)
        df.a.floordiv(2)
        df.a.divmod(2)
        df.a.lt(df.b)
        df.a.eq(2)
        abs(df)
        round(df, 1)
        df * [1]
        """,
        df=frame,
        other=pandas.DataFrame({"a": [10, 20, 30], "b": [1, 2, 3]}, index=[1, 2, 9]),
    )


def test_no_rows(spark: Any) -> None:
    results_are_same(
        """
        df.dropna()
        df.fillna({"b": 0})
        df.astype({"a": float})
        df.replace(1, 2)
        df.a.map({1: 2})
        df.a.isin([1])
        df.ffill()
        df.a.where(df.a > 1, 0.5)
        df[["a", "b"]] * 2
        df.s.astype("category").cat.codes
        df.dropna(axis=1)
        """,
        df=people().iloc[:0],
    )


def test_refused(spark: Any) -> None:
    all_refused(
        """
        df.a.replace(1, "x")
        df.a.replace(1, None)
        df.s.fillna(0)
        df.fillna(0)
        df.a.where(df.a > 1, "x")
        df.s.where(df.a > 1, 0)
        df.s.replace("x")
        df.a.astype("Int64")
        df.a.astype("string")
        df.a.astype(object)
        df.convert_dtypes()
        df.b.interpolate(method="cubic")
        df.fillna(0, limit=1)
        df.ffill(axis=1)
        df.isin(df)
        df.rename(index=str)
        df.a.map({1: "x", 2: 5})
        df.s.astype("category").replace("x", "y")
        df.s.astype("category").cat.union(df)
        df.s.cat
        df.m.dt.date.isin([df])
        (df.m - df.m).replace(pd.Timedelta(0), pd.Timedelta(1))
        pd.cut(df.a, [0, 2, 5]).isin([pd.Interval(0, 2)])
        """,
        df=people().assign(m=pandas.Timestamp("2020-01-01")),
    )
