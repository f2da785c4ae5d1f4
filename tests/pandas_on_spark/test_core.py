"""Assignments, expressions and masks; dtypes that filters do not change; objects made of others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, changes_are_same, results_are_same
from tests.pandas_on_spark.same import same

nan = float("nan")


@pytest.fixture
def numbers() -> Any:
    return pandas.DataFrame({"a": [1, 2, 3, 4], "b": [1.5, nan, -2.5, 0.0], "s": ["x", "y", nan, "x"]})


def test_expressions(spark: Any, numbers: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["c"] = df["a"] * 2 + df.b
        df["d"] = df.a // -3
        df["e"] = df.a / df.b
        df["f"] = df.a % -3
        df["g"] = df.b // 0.4
        df["h"] = (df.s == "x") & (df.a > 1)
        df["i"] = [9, 8, 7, 6]
        df["j"] = 1 - df.a
        df["k"] = df.s != "x"
        df["l"] = df.s + "!"
        df["m"] = -df.b
        return df

    same(program, df=numbers)


def test_parts_of_a_frame_go_back_by_the_index(spark: Any, numbers: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        part = df[df.a > 1]
        df["z"] = part["b"] + 1
        return df[df.b.notnull()]

    same(program, df=numbers)


MORE = pandas.DataFrame({"a": [1, 9, 3], "q": [5, 6, 7], "g": [True, False, False]})


def test_rows_that_are_left_have_the_dtypes_of_all(spark: Any, numbers: Any) -> None:
    """Whole numbers of which one was missing are floats, booleans objects, also where none is missing any more."""
    left = 'df.merge(m, how="left", on="a")'
    results_are_same(
        f"""
        {left}[{left}.q.notnull()]
        {left}.loc[lambda x: x.q > 1]
        {left}.loc[lambda x: x.q > 1].g
        {left}.loc[lambda x: x.q > 1].q + 1
        {left}.loc[lambda x: x.q > 1].q // 2
        {left}.loc[lambda x: x.q > 1].reset_index(drop=True)
        {left}.loc[lambda x: x.q > 1].dropna()
        {left}.dropna()
        {left}.dropna().g.fillna(False)
        {left}.g.fillna(False)
        {left}.head(1)
        {left}.tail(2)
        {left}.iloc[[0, 2]]
        {left}.iloc[0]
        {left}.loc[0, "q"]
        {left}.loc[[2, 0]]
        {left}.drop(1)
        {left}.query("q > 1")
        {left}.nlargest(1, "q")
        {left}.drop_duplicates("a").head(1)
        {left}.sample(1, random_state=1)
        {left}.sort_values("q").head(2).set_index("q")
        {left}.set_index("q").loc[lambda x: x.a == 1]
        df.a.shift().loc[lambda x: x > 1]
        df.a.shift().loc[lambda x: x > 1].sum()
        """,
        df=numbers,
        m=MORE,
    )


def test_booleans_that_are_missing(spark: Any, numbers: Any) -> None:
    objects = pandas.Series([True, False, nan, True], dtype=object)
    flags = numbers.assign(o=objects, f=[False, True, True, False])
    results_are_same(
        """
        df[df.o]
        df.loc[df.o, "a"]
        df.a[df.o]
        ~df.o
        df.o | df.f
        df.f | df.o
        df.o | True
        True | df.o
        df.o ^ df.f
        df.f ^ df.o
        df.o & df.f
        df.a.mask(df.o)
        df.a.where(df.o)
        df[df.s.str.contains("x")]
        df[df[df.a > 1].f]
        df[df.f[::-1]]
        """,
        df=flags,
    )
    all_refused(
        """
        ~df[df.a < 3].o
        df.o + 1
        """,
        df=flags,
    )


def test_objects_of_objects(spark: Any, numbers: Any) -> None:
    results_are_same(
        """
        pd.DataFrame({"x": df.a, "y": df.b * 2, "c": 1, "l": [4, 3, 2, 1]})
        pd.DataFrame({"x": df.a, "y": df[df.a > 1].b})
        pd.DataFrame({"x": df[df.a > 1].a, "y": df.b, "c": 1})
        pd.DataFrame({"x": np.where(df.a > 2, 1, 0), "y": [1, 2, 3, 4]})
        pd.DataFrame({"x": df.index, "y": df.index + 1})
        pd.DataFrame(df.a)
        pd.DataFrame(df.a.rename(None), columns=["q"])
        pd.DataFrame(df, columns=["b", "q"])
        pd.DataFrame(df, index=[1, 7])
        pd.DataFrame(df[["a"]], dtype="float64")
        pd.DataFrame({"m": [df.a.mean(), df.b.max()]}, index=["a", "b"])
        pd.DataFrame([1, 2, 3, 4], index=df.index)
        pd.DataFrame.from_dict({"x": [1, 2], "y": ["a", "b"]})
        pd.DataFrame.from_dict({"r": [1, 2], "q": [3, 4]}, orient="index", columns=["c", "d"])
        pd.DataFrame.from_records([(1, "a"), (2, "b")], columns=["n", "t"])
        pd.Series(df.a)
        pd.Series(df.a, name="q", dtype="float64")
        pd.Series(df.a, index=[3, 1, 9])
        pd.Series(df.index)
        pd.Series(np.where(df[df.a > 1].a > 2, 1, 0), index=df[df.a > 1].index)
        pd.Series([7, 8, 9], index=df[df.a > 1].index)
        pd.DataFrame({("a", "b"): [1]}).iloc[:, :0].columns.nlevels
        """,
        df=numbers,
    )


@pytest.mark.parametrize(
    "statements",
    [
        'x = df["a"]\nx += 1',
        "x = df\nx *= 2",
        'df["a"] *= 1.5',
        'x = df["b"]\nx /= 2\ndf["c"] = x',
        'df.loc[:, "b"].fillna(0, inplace=True)',
        "df.iloc[:, 1].fillna(0, inplace=True)",
        'df.get("b").fillna(0, inplace=True)',
        'x = df.pop("b")\nx.fillna(0, inplace=True)',
        "df.a[0] = 9",
        'df["a"].iloc[0] = 9',
        'df["a"][df.a > 1] = 0',
        'df[["a", "b"]].fillna(0, inplace=True)',
        "x = df[df.a > 1].copy()\nx += 1",
        'df.loc[df.a > 1, "b"] *= df.a',
        'df["b"] += df.sort_values("a", ascending=False).a',
    ],
)
def test_what_is_changed_under_another_name(spark: Any, numbers: Any, statements: str) -> None:
    changes_are_same(statements, df=numbers[["a", "b"]])


def test_categories_are_not_calculated_with(spark: Any, numbers: Any) -> None:
    results_are_same(
        """
        df.s.astype("category") + "x"
        "x" + df.s.astype("category")
        df.s.astype("category") + df.s
        df.s + None
        """,
        df=numbers,
    )


def test_none_among_objects(spark: Any) -> None:
    frame = pandas.DataFrame({"s": ["x", None], "o": [True, None], "n": ["y", nan]})
    all_refused(
        """
        df.s.astype(str)
        df.s.astype(bool)
        df.o.astype(bool)
        df.s.isin(["x", None])
        df.s.isin(df.n)
        df.n.where(df.n == "z", None).astype(str)
        """,
        df=frame,
    )
    results_are_same("df.n.astype(str)\ndf.n.astype(bool)\ndf.s.fillna('').astype(str)", df=frame)


def test_infinite_numbers(spark: Any) -> None:
    results_are_same(
        """
        (df.p - df.q).isnull()
        (df.p * df.q).fillna(7)
        (df.p + df.q).dropna()
        df.p.rolling(2).sum()
        df.p.expanding().mean()
        df.p.cumsum()
        df.p.diff()
        df.replace([np.inf, -np.inf], nan).dropna()
        """,
        df=pandas.DataFrame({"p": [1.0, np.inf, -np.inf, nan, 0.0], "q": [0.0, np.inf, 1.0, 2.0, np.inf]}),
    )


def test_nothing(spark: Any) -> None:
    results_are_same(
        """
        z.i.idxmax()
        z.i.argmin()
        z.v.sum()
        z.i.max()
        z.mean(numeric_only=True)
        z.fillna(0)
        z.i.shift()
        z.s.unique().tolist()
        """,
        z=pandas.DataFrame({"s": [], "v": [], "i": []}).astype({"s": "object", "i": "int64"}),
    )
    all_refused("z.s.sum()", z=pandas.DataFrame({"s": []}, dtype="object"))


def test_small_numbers(spark: Any) -> None:
    results_are_same(
        """
        df.a + df.b
        df.a * 2
        df.a.sum() + df.b
        df.a.sum() * 10 + df.b
        df.f - df.f.mean()
        df.f.fillna(0) / df.a
        """,
        df=pandas.DataFrame(
            {
                "a": np.array([1, 2, 100], dtype="int8"),
                "b": np.array([100, 27, 100], dtype="int8"),
                "f": np.array([1.1, nan, 2.2], dtype="float32"),
            }
        ),
    )


def test_spans_of_time(spark: Any) -> None:
    moments = pandas.to_datetime(["2020-01-01", None, "2019-12-30", "2020-01-01 06:00"], format="mixed")
    results_are_same(
        """
        (df.m - df.n) / np.timedelta64(1, "D")
        (df.m - df.n) / pd.Timedelta("1h")
        (df.m - df.n) // pd.Timedelta("1D")
        (df.m - df.n) / (df.n - df.m)
        (df.m - df.n) * 2
        -(df.m - df.n)
        df.a * pd.Timedelta("1D")
        """,
        df=pandas.DataFrame({"m": moments, "n": pandas.Timestamp("2020-01-01"), "a": [1, 2, 3, 4]}),
    )
