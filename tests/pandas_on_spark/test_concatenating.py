"""`concat` and `append` give what pandas gives: rows, order, index, dtypes and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from tests.pandas_on_spark.expressions import all_refused, results_are_same

import predtrace.pandas as ours

nan = float("nan")

A = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]})
B = pandas.DataFrame({"b": ["z"], "c": [True]})


def test_concat_rows(spark: Any) -> None:
    results_are_same(
        """
        pd.concat([a, b])
        pd.concat([b, a], sort=True)
        pd.concat([a, b], join="inner")
        pd.concat([a, b], ignore_index=True)
        pd.concat([a, a, b, a], ignore_index=True)
        pd.concat([a, b], keys=["p", "q"])
        pd.concat([a, b], keys=["p", "q"], names=["src", "row"])
        pd.concat([a, b], keys=[1, 2], names=["src"])
        pd.concat({"p": a, "q": b})
        pd.concat({"p": a, "q": b}, keys=["q"])
        pd.concat([a[["b", "a"]], a])
        pd.concat((one for one in [a, None, b]))
        pd.concat([a.rename_axis("i"), b])
        pd.concat([a.rename_axis("i"), b.rename_axis("i")])
        pd.concat([a.set_index("b"), a.set_index("b")])
        pd.concat([a.set_index(["a", "b"], drop=False), a.set_index(["a", "b"], drop=False)])
        pd.concat([a.sort_values("a", ascending=False), a.sort_values("b")], ignore_index=True)
        pd.concat([a.reset_index(drop=True), b.reset_index(drop=True)])
        pd.concat([a[a.a > 5], b[["b"]]], ignore_index=True)
        pd.concat([a, b])[lambda d: d.b != "x"]
        """,
        a=A,
        b=B,
    )


def test_dtypes_of_concat(spark: Any) -> None:
    floats = pandas.DataFrame({"a": [1.5, nan]})
    missing = pandas.DataFrame({"a": [nan, nan], "b": [nan, nan]})
    nothing = pandas.DataFrame({"a": [None, None]})
    days = pandas.DataFrame({"a": pandas.to_datetime(["2020-01-01"])})
    texts = A[["b"]].rename(columns={"b": "a"})
    one = pandas.DataFrame({"a": pandas.Categorical(["x"], ["x", "y"])})
    other = pandas.DataFrame({"a": pandas.Categorical(["z"], ["z", "y"])})
    empty = pandas.DataFrame(columns=["a", "b"])
    for left, right in (
        (A, floats),
        (A.astype({"a": "int32"}), A),
        (missing, texts),
        (missing[["a"]], days),
        (nothing, days),
        (nothing, floats),
        (nothing, A[["a"]]),
        (one, one),
        (one, other),
        (one, texts),
        (empty, A),
        (empty, floats),
        (pandas.DataFrame(), A),
        (A, days.rename(columns={"a": "d"})),
    ):
        results_are_same("pd.concat([left, right], ignore_index=True)", left=left, right=right)


def test_concat_series(spark: Any) -> None:
    results_are_same(
        """
        pd.concat([a.a, a.a])
        pd.concat([a.a, a.a.rename("z")], ignore_index=True)
        pd.concat([a.a, a.a + 1], keys=["p", "q"])
        pd.concat({"p": a.a, "q": a.a})
        pd.concat([a, a.a])
        pd.concat([a, a.a], ignore_index=True)
        pd.concat([a, a.a.rename(None)])
        """,
        a=A,
        b=B,
    )


def test_errors_of_concat(spark: Any) -> None:
    results_are_same(
        """
        pd.concat([])
        pd.concat([None])
        pd.concat(a)
        pd.concat([a, 3])
        pd.concat([a, a], verify_integrity=True)
        pd.concat([a, a], join="left")
        pd.concat([a, a], axis=2)
        pd.concat([a.set_axis(["x", "x"], axis=1), a])
        pd.concat([a.set_axis(["x", "x"], axis=1)] * 2)
        pd.concat([a, a], axis=1, verify_integrity=True)
        """,
        a=A,
    )


X = A.set_index("b")
Y = pandas.DataFrame({"b": ["z", "y", "w", "x"], "w": [1, 2, 3, 4]}).set_index("b")


def test_concat_columns(spark: Any) -> None:
    results_are_same(
        """
        pd.concat([a, b], axis=1)
        pd.concat([x, y], axis=1)
        pd.concat([y, x], axis="columns")
        pd.concat([y, x], axis=1, sort=True)
        pd.concat([y, x], axis=1, join="inner")
        pd.concat([x, y], axis=1, join="inner")
        pd.concat([x.rename_axis("o"), y], axis=1)
        pd.concat([x, y, y.add_suffix("2")[y.w > 2]], axis=1)
        pd.concat([a.a, a.b], axis=1)
        pd.concat([a.a.rename(None), a.b, a.a.rename(None)], axis=1)
        pd.concat([a.a, a.b], axis=1, keys=["p", "q"])
        pd.concat({"p": a.a, "q": a.b}, axis=1)
        pd.concat([a, a.b.rename(None), a.a.rename(None), a.a], axis=1)
        pd.concat([a, a], axis=1, keys=["p", "q"])
        pd.concat([a, a.a], axis=1, keys=["p", "q"], names=["u", "w"])
        pd.concat([a, b], axis=1, ignore_index=True)
        pd.concat([a, pd.DataFrame()], axis=1)
        pd.concat([a, a[a.a > 1].add_suffix("2")], axis=1)
        pd.concat([a[a.a > 1].add_suffix("2"), a], axis=1)
        pd.concat([a.sort_values("a", ascending=False).reset_index(drop=True), b.reset_index(drop=True)], axis=1)
        pd.concat([a.sort_values("a", ascending=False), b], axis=1)
        """,
        a=A,
        b=B,
        x=X,
        y=Y,
    )


def test_concat_columns_by_moments(spark: Any) -> None:
    some = pandas.DataFrame({"d": pandas.to_datetime(["2020-01-03", "2020-01-01"]), "v": [1, 2]}).set_index(
        "d"
    )
    more = pandas.DataFrame({"d": pandas.to_datetime(["2020-01-02", "2020-01-03"]), "v": [1, 2]}).set_index(
        "d"
    )
    for left, right in ((some, more), (some, some), (some, some.iloc[1:]), (some, some.iloc[::-1])):
        results_are_same(
            """
            pd.concat([left, right], axis=1)
            pd.concat([left, right], axis=1, join="inner")
            pd.concat([left, left.sort_values("v", ascending=False)], axis=1)
            """,
            left=left,
            right=right,
        )


def test_concat_needs_no_join_for_the_same_rows(spark: Any) -> None:
    frame = ours.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    beside = ours.concat([frame[["a"]], frame["b"], ours.get_dummies(frame["b"])], axis=1)
    plan = beside.to_spark()._jdf.queryExecution().analyzed().toString()
    assert "Join" not in plan


def test_append(spark: Any) -> None:
    results_are_same(
        """
        a._append({"a": 5, "b": "q"}, ignore_index=True)
        a._append({"a": 5}, ignore_index=True)
        a._append({"a": 5.5, "z": "q"}, ignore_index=True)
        a._append({"a": a.a.max(), "b": "q"}, ignore_index=True)
        a._append({"a": a.a.mean(), "c": 3}, ignore_index=True)
        a._append({"a": 5, "b": "q"})
        a._append(b)
        a._append([b, a], ignore_index=True)
        a._append([{"a": 1}], ignore_index=True)
        a._append(a.iloc[0], ignore_index=True)
        a._append(pd.Series([5, 6], index=["a", "c"]), ignore_index=True)
        a._append(pd.Series([5, 6], index=["a", "c"]))
        pd.DataFrame()._append({"a": 1, "b": "x"}, ignore_index=True)
        pd.DataFrame(columns=["m", "s"])._append({"m": "LR", "s": 0.9}, ignore_index=True)
        pd.DataFrame(columns=["m", "s"])._append({"m": "LR", "s": 1}, ignore_index=True)
        a.a._append(a.a)
        """,
        a=A,
        b=B,
    )


def test_append_by_its_old_name(spark: Any) -> None:
    frame = ours.DataFrame({"a": [1, 2]})
    found = frame.append({"a": 3}, ignore_index=True).to_pandas()
    pandas.testing.assert_frame_equal(found, pandas.DataFrame({"a": [1, 2, 3]}))
    both = frame["a"].append(frame["a"], ignore_index=True).to_pandas()
    np.testing.assert_array_equal(both.to_numpy(), [1, 2, 1, 2])


def test_what_is_refused(spark: Any) -> None:
    all_refused(
        """
        pd.concat([a, a.rename(columns={"a": "b", "b": "a"})])
        pd.concat([a, a.set_index("b")])
        pd.concat([a.set_index("b").iloc[[0, 0]], a.set_index("b")], axis=1)
        """,
        a=A,
    )
