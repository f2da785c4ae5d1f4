"""Columns and rows dropped, renamed and labelled anew."""

from __future__ import annotations

from typing import Any

import pandas
from tests.pandas_on_spark.expressions import (
    changes_are_same,
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
