"""Values converted, compared and masked, and operators of frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from tests.pandas_on_spark.expressions import (
    all_refused,
    columns_are_same,
    nan,
    people,
    results_are_same,
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


def test_where_by_an_array_of_cells(spark: Any) -> None:
    """As half of a matrix of correlations is taken, of which the other half says the same."""
    numbers = pandas.DataFrame(
        {"a": [1.5, 2, 3, 4], "b": [2, 1, 4, nan], "c": [9.0, 7, 8, 1]}, index=["x", "y", "x", "z"]
    )
    results_are_same(
        """
        df.corr().where(np.triu(np.ones(df.corr().shape), k=1).astype(bool))
        df.corr().mask(np.triu(np.ones_like(df.corr(), dtype=bool)))
        df.corr().abs().where(np.triu(np.ones((3, 3)), k=1).astype(bool)).stack()
        df.where(np.array([[True, False, True]] * 4))
        df.mask(np.array([[True, False, True], [False] * 3] * 2), 0)
        df.mask(np.isnan(df.to_numpy()), -1)
        df[["a"]].where(np.array([[True], [False], [True], [True]]))
        df.where(np.ones((2, 3)) > 0)
        df.where(np.ones((4, 2)) > 0)
        df.where(np.ones((4, 3)))
        np.ones_like(df)
        np.zeros_like(df.a)
        np.full_like(df.b, 7)
        np.zeros_like(df, dtype=int)
        np.ones_like(df.assign(s=df.a > 2)[["a", "s"]]).dtype
        """,
        df=numbers,
    )
    all_refused("df[['a', 'a']].where(np.array([[True, False]] * 4))", df=numbers)
    results_are_same(
        "df.where(np.arange(140).reshape(2, 70) % 3 == 0)",
        df=pandas.DataFrame(np.arange(140.0).reshape(2, 70)),
    )


def test_refused(spark: Any) -> None:
    all_refused(
        """
        df.f.replace(True, "x")
        df.a.replace(1, None)
        df.m.where(df.a > 1).fillna(0)
        df.m.where(df.a > 1, "x")
        df.s.replace("x")
        df.a.astype("string")
        df.a.astype(object)
        df.convert_dtypes()
        df.b.interpolate(method="cubic")
        df.fillna(0, limit=1)
        df.ffill(axis=1)
        df.isin(df)
        df.rename(index=str)
        df.a.map({1: "x", 2: True})
        df.s.astype("category").replace("x", "y")
        df.s.astype("category").cat.union(df)
        df.s.cat
        df.m.dt.date.isin([df])
        (df.m - df.m).replace(pd.Timedelta(0), pd.Timedelta(1))
        pd.cut(df.a, [0, 2, 5]).isin([pd.Interval(0, 2)])
        """,
        df=people().assign(m=pandas.Timestamp("2020-01-01")),
    )
