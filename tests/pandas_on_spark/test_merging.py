"""`merge` and `join` give what pandas gives: rows, order, index, dtypes and errors."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, lines, value_of
from tests.pandas_on_spark.same import same

nan = float("nan")
HOWS = ("inner", "left", "right", "outer")

LEFT = pandas.DataFrame(
    {"k": ["b", "a", None, "b", "z"], "v": [1, 2, 3, 4, 5], "w": [1.5, nan, 3.5, -1.0, 0.0]}
)
RIGHT = pandas.DataFrame(
    {"k": ["a", "b", None, "b", "q"], "v": [10, 20, 30, 40, 50], "f": [True, False, True, True, False]}
)
LEFT_2 = pandas.DataFrame({"a": [2, 1, 1, 2], "b": ["x", None, "y", "x"], "v": [1, 2, 3, 4]})
RIGHT_2 = pandas.DataFrame({"a": [1, 2, 1, 3], "b": ["y", "x", None, "a"], "v": [10, 20, 30, 40]})
ONE = pandas.DataFrame({"k": ["b", "a", "z"], "x": [1, 2, 3]}).set_index("k")
OTHER = pandas.DataFrame({"k": ["q", "a", "b"], "y": [1, 2, 3]}).set_index("k")


def results_are_same(expressions: str, how: str = "", **frames: Any) -> None:
    """Each line gives the same with plain pandas and with ours."""
    for line in lines(expressions):

        def program(pd: Any, line: str = line, **frames: Any) -> Any:
            return value_of(line, pd, how=how, **frames)

        try:
            same(program, **frames)
        except Exception as problem:
            raise AssertionError(f"{line}\n{problem}") from problem


@pytest.mark.parametrize("how", HOWS)
def test_merge_on_columns(spark: Any, how: str) -> None:
    results_are_same(
        """
        left.merge(right, on="k", how=how)
        pd.merge(left, right, how=how, on=["k"], sort=True)
        left.merge(right.rename(columns={"k": "kk"}), left_on="k", right_on="kk", how=how)
        left.merge(right, on="k", how=how, indicator=True, suffixes=("", "_r"))
        left.merge(right[["k"]], how=how)
        """,
        left=LEFT,
        right=RIGHT,
        how=how,
    )


@pytest.mark.parametrize("how", HOWS)
def test_merge_on_several_columns(spark: Any, how: str) -> None:
    results_are_same(
        """
        left.merge(right, on=["a", "b"], how=how)
        left.merge(right, on=["b", "a"], how=how, indicator="from")
        left.merge(right.rename(columns={"b": "c"}), left_on=["b", "a"], right_on=["c", "a"], how=how)
        left.merge(right, left_on="v", right_on="a", how=how)
        """,
        left=LEFT_2,
        right=RIGHT_2,
        how=how,
    )


@pytest.mark.parametrize("how", HOWS)
def test_merge_with_an_index(spark: Any, how: str) -> None:
    results_are_same(
        """
        left.set_index("v").merge(right.set_index("k"), left_on="k", right_index=True, how=how)
        left.merge(right.set_index("k")[["f"]], left_on="k", right_index=True, how=how)
        left.set_index("k")[["v"]].merge(right.set_index("v"), left_index=True, right_on="k", how=how)
        left.set_index("k").merge(right.set_index("k"), how, left_index=True, right_index=True, suffixes=("_l", "_r"))
        left.merge(right, left_index=True, right_index=True, how=how)
        """,
        left=LEFT,
        right=RIGHT,
        how=how,
    )


@pytest.mark.parametrize("how", HOWS)
def test_join(spark: Any, how: str) -> None:
    results_are_same(
        """
        one.join(other, how=how)
        one.join(other.rename_axis("j"), how=how)
        one.join(one.rename(columns={"x": "xx"}), how=how)
        left.join(other, on="k", how=how)
        left[["v"]].join(left[["w"]], how=how)
        left[["v"]].join(left[left.v > 2][["w"]], how=how)
        left[left.v > 2][["v"]].join(left[["w"]], how=how)
        """,
        one=ONE,
        other=OTHER,
        left=LEFT,
        how=how,
    )


def test_join_of_several_levels(spark: Any) -> None:
    for how in HOWS:
        results_are_same(
            """
            left.set_index(["a", "b"]).join(right.set_index(["a", "b"]), how=how, lsuffix="_l", rsuffix="_r")
            """,
            left=LEFT_2,
            right=RIGHT_2,
            how=how,
        )
    results_are_same(
        """
        left.join(right.set_index(["a", "b"]), on=["a", "b"], rsuffix="_r")
        left.join(right.dropna().set_index(["a", "b"]), on=["a", "b"], how="inner", rsuffix="_r")
        """,
        left=LEFT_2,
        right=RIGHT_2,
    )


def test_join_of_several_frames(spark: Any) -> None:
    results_are_same(
        """
        left.join([right.add_suffix("1"), right.add_suffix("2").head(2)])
        left.join([right.add_suffix("1"), right.add_suffix("2").head(2)], how="inner")
        left.join([right.add_suffix("1")[right.a > 1], right.add_suffix("2").head(3)], how="outer")
        left.join([right, right.add_suffix("2")])
        left.join([right], on="a")
        left.set_index("a").join([right.add_suffix("1").set_index("a1"), right.add_suffix("2").set_index("a2")])
        """,
        left=LEFT_2,
        right=RIGHT_2,
    )


def test_merge_on_names_of_index_levels(spark: Any) -> None:
    results_are_same(
        """
        left.merge(right.set_index("a"), on="a")
        left.set_index("a").merge(right, on="a")
        left.set_index("a").merge(right.set_index("a"), on="a")
        left.set_index("a").merge(right.set_index("a"), on="a", how="outer")
        left.set_index("a").merge(right, on="a", how="outer")
        left.set_index(["a", "b"]).merge(right, on=["a", "b"])
        left.merge(right.set_index("a")[["v"]].rename(columns={"v": "z"}), left_on="v", right_on="a")
        left.set_index("a").join(right.set_index("a"), on="a", rsuffix="_r")
        """,
        left=LEFT_2,
        right=RIGHT_2,
    )


@pytest.mark.parametrize("how", ["left", "right", "outer"])
def test_keys_of_different_types(spark: Any, how: str) -> None:
    whole = pandas.DataFrame({"k": [1, 2, 3], "v": [1, 2, 3]})
    floats = pandas.DataFrame({"k": [1.0, 2.5, nan], "w": [1, 2, 3]})
    subset = pandas.DataFrame({"k": [1.0, 2.0], "w": [1, 2]})
    small = whole.astype({"k": "int32"})
    days = pandas.DataFrame({"k": pandas.to_datetime(["2020-01-02", "2020-01-01", None]), "d": [1, 2, 3]})
    one = pandas.DataFrame({"k": pandas.Categorical(["b", "a"], ["b", "a"]), "c": [1, 2]})
    other = pandas.DataFrame({"k": pandas.Categorical(["b", "c"], ["b", "c"]), "d": [1, 2]})
    texts = pandas.DataFrame({"k": ["a", "b", "c"], "t": [1, 2, 3]})
    for left, right in (
        (whole, floats),
        (floats, whole),
        (whole, subset),
        (small, whole),
        (days, days),
        (one, texts),
        (texts, one),
        (one, one),
        (one.assign(k=one.k[:1]), one),
        (one, other),
        (whole, texts),
        (days, texts),
        (whole, days),
    ):
        results_are_same('left.merge(right, on="k", how=how)', left=left, right=right, how=how)
    results_are_same(
        """
        left.set_index("k").join(left.set_index("k"), how=how, rsuffix="_r")
        left.set_index("k").join(right.set_index("k"), how=how, rsuffix="_r")
        """,
        left=days,
        right=pandas.concat([days, days]),
        how=how,
    )


def test_cross_and_self(spark: Any) -> None:
    results_are_same(
        """
        left.merge(right, how="cross")
        left.merge(left, on="a")
        left.merge(left, on="a").merge(left, on="a", how="left")
        left.join(right, how="cross", lsuffix="_l", rsuffix="_r")
        left.join(right, how="cross")
        left[left.a > 9].merge(right, on="a", how="outer")
        left.merge(right[right.a > 9], on="a", how="left")
        left.merge(right["v"], left_on="a", right_index=True)
        left.rename(columns={"v": 0}).merge(right.rename(columns={"v": 0}), on="a")
        """,
        left=LEFT_2,
        right=RIGHT_2,
    )


def test_errors_of_merge(spark: Any) -> None:
    results_are_same(
        """
        left.merge(right, on="zz")
        left.merge(right.drop(columns="v"), on="v")
        left.merge(right.rename(columns={"a": "x", "b": "y", "v": "z"}))
        left.merge(right, left_on="a")
        left.merge(right, left_on=["a", "v"], right_on="a")
        left.merge(right, on="a", left_on="v")
        left.merge(right, on="a", left_index=True)
        left.merge(right, left_index=True)
        left.merge(right, left_on="a", left_index=True)
        left.merge(right, on="a", suffixes=(None, None))
        left.merge(right, on="a", suffixes=(None, "_r"))
        left.merge(right, on="a", suffixes="ab")
        left.merge(right, on="a", suffixes=("a", "b", "c"))
        left.assign(v_x=1).merge(right, on="a")
        left.assign(v_y=1).merge(right, on="a")
        left.merge(right, on="a", validate="1:1")
        left.merge(right, on="a", validate="one_to_many")
        left.merge(right, on="a", validate="m:1")
        left.merge(right, on="a", validate="m:m")
        left.merge(right.drop_duplicates("a"), on="a", validate="m:1")
        left.merge(right, on="a", validate="foo")
        left.merge(right["v"].rename(None), left_on="a", right_index=True)
        left.merge([1], on="a")
        left.assign(_merge=1).merge(right, on="a", indicator=True)
        left.merge(right, how="cross", on="a")
        left.rename_axis("a").merge(right, on="a")
        left.join(right)
        """,
        left=LEFT_2,
        right=RIGHT_2,
    )


def test_what_is_refused(spark: Any) -> None:
    all_refused(
        """
        a.merge(a, left_on=a["a"], right_on="a")
        a.assign(c=True).merge(a, left_on="c", right_on="a")
        a.join(a.set_index("b"), rsuffix="_r")
        a.set_index(["a", "b"], drop=False).join(a.set_index("a"), rsuffix="_r")
        a.join(a.set_index(["a", "b"], drop=False), on=["a", "b"], how="outer", rsuffix="_r")
        a.combine(a, np.minimum)
        """,
        a=pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
    )
