"""`melt`, `stack`, `get_dummies`, `explode` and `T` give what pandas gives."""

from __future__ import annotations

from typing import Any

import pandas
from tests.pandas_on_spark.expressions import all_refused, results_are_same

nan = float("nan")

P = pandas.DataFrame(
    {
        "i": ["b", "a", "b", "a", "c"],
        "c": ["y", "y", "x", "x", "x"],
        "n": [2, 2, 1, 1, 1],
        "v": [1, 2, 3, 4, 5],
        "w": [1.5, nan, 2.5, 3.5, nan],
        "s": ["p", "q", "r", "s", "t"],
        "f": [True, False, True, True, False],
    }
)
"""No two rows have the same `i` and `c`, and not all combinations are there."""


def test_melt(spark: Any) -> None:
    results_are_same(
        """
        p[["v", "w"]].melt()
        p.melt(id_vars="i", value_vars=["w", "v"])
        p[["i", "v", "w"]].melt(id_vars=["i"])
        p.melt(id_vars="i", value_vars="v", var_name="q", value_name="z")
        p.melt(id_vars="i", value_vars=["w", "v"], ignore_index=False)
        pd.melt(p, id_vars=["i", "n"], value_vars=["s", "c"])
        p[["f"]].melt()
        p.sort_values("v", ascending=False).melt(id_vars="i", value_vars=["w", "v"])
        p[["v", "w"]].set_axis([0, 1], axis=1).melt()
        p[["v", "w"]].set_axis(["a", "A"], axis=1).melt()
        p[["v", "w"]].set_axis(["a.b", "it's `x`"], axis=1).melt()
        p[["i"]].melt(id_vars="i")
        p[p.v > 99].melt(id_vars="i", value_vars=["v", "w"])
        p.pivot(index="i", columns="c", values="v").reset_index().melt(id_vars="i")
        p.melt(id_vars="zz")
        p.melt(id_vars="i", value_vars=["zz", "v"])
        p.rename(columns={"s": "value"})[["i", "value", "v"]].melt(id_vars="i")
        p.melt(id_vars="i", value_vars="v", var_name=["a"])
        """,
        p=P,
    )


def test_stack_and_unstack(spark: Any) -> None:
    results_are_same(
        """
        p.set_index("i")[["v", "w"]].stack()
        p[["v", "w"]].stack(dropna=False)
        p.pivot(index="i", columns="c", values="v").stack()
        p[["v", "w"]].unstack()
        p.set_index(["i", "c"])["v"].unstack()
        p.set_index(["i", "c"])["v"].unstack("i")
        p.set_index(["i", "c"])["v"].unstack(fill_value=0)
        p.set_index(["i", "c"])["v"].unstack(fill_value=0.5)
        p.set_index(["i", "c"])["w"].unstack(fill_value=0)
        p.set_index(["i", "c"])["f"].unstack()
        p.set_index(["i", "c"])["s"].unstack(fill_value="-")
        p.set_index(["i", "c"])[["v", "w"]].unstack()
        p.set_index(["i", "c"])[["v", "w"]].unstack(fill_value=0)
        p.set_index(["i", "c", "f"])["v"].unstack()
        p.set_index(["i", "c", "f"])["v"].unstack(["c", "f"])
        p.groupby(["i", "n"]).size().unstack(fill_value=0)
        p.groupby("i")["c"].value_counts().unstack()
        p.groupby(["i", "c"]).agg({"v": ["sum", "max"]}).unstack()
        p["v"].unstack()
        p.set_index(["i", "c"])["v"].unstack("zz")
        p.set_index(["i", "c"])["v"].unstack(2)
        p.set_index(["c", "n"])["v"].unstack()
        """,
        p=P,
    )


def test_get_dummies(spark: Any) -> None:
    results_are_same(
        """
        pd.get_dummies(p)
        pd.get_dummies(p, columns=["n", "i"])
        pd.get_dummies(p, columns=["w"])
        pd.get_dummies(p.w)
        pd.get_dummies(p.f)
        pd.get_dummies(p[["i", "v"]], drop_first=True)
        pd.get_dummies(p[["i", "c", "v"]], dummy_na=True)
        pd.get_dummies(p[["i", "c"]], prefix="z")
        pd.get_dummies(p[["i", "c"]], prefix=["z", "y"], prefix_sep=".")
        pd.get_dummies(p[["i", "c"]], prefix={"i": "z", "c": "q"})
        pd.get_dummies(p.i, dtype=int)
        pd.get_dummies(p[["i"]], dtype=float)
        pd.get_dummies(p.i, prefix="z", drop_first=True)
        pd.get_dummies(p.n)
        pd.get_dummies(p.n, dummy_na=True)
        pd.get_dummies(p, columns=["n", "w", "f"], dummy_na=True)
        pd.get_dummies(p.set_index("v").i)
        pd.get_dummies(p[["v"]])
        pd.get_dummies(["a", "b"])
        pd.concat([p, pd.get_dummies(p["i"], prefix="i")], axis=1)
        pd.get_dummies(p[["i", "c"]], prefix=["z"])
        pd.get_dummies(p, columns="i")
        pd.get_dummies(p, columns=["zz"])
        pd.get_dummies(p.i, dtype=object)
        """,
        p=P.assign(i=["b", "a", "b", None, "c"]),
    )


def test_dummies_of_categories_and_moments(spark: Any) -> None:
    names = pandas.DataFrame({"q": pandas.Categorical(["x", "y"], ["z", "y", "x"])})
    results_are_same("pd.get_dummies(p)", p=names)
    days = pandas.DataFrame({"d": pandas.to_datetime(["2020-01-01", "2020-01-02"])})
    results_are_same(
        """
        pd.get_dummies(p, columns=["d"])
        pd.get_dummies(p, columns=["d"], dummy_na=True)
        pd.get_dummies(p.d, dummy_na=True)
        """,
        p=days,
    )


def test_explode(spark: Any) -> None:
    results_are_same(
        """
        p.assign(g=lambda d: d["g"].str.split("|")).explode("g")
        p.assign(g=lambda d: d["g"].str.split("|")).explode("g", ignore_index=True)
        p.assign(g=lambda d: d["g"].str.split("|"))["g"].explode()
        p.assign(g=lambda d: d["g"].str.split("|")).explode(["g"])
        p.reset_index(drop=True).assign(g=lambda d: d["g"].str.split("|")).explode("g")
        p.assign(g=lambda d: d["g"].str.split("|")).explode("g").groupby("g")["v"].sum()
        p.explode("v")
        p.explode("zz")
        """,
        p=pandas.DataFrame({"g": ["a|b", None, "c", ""], "v": [1, 2, 3, 4]}, index=[5, 6, 7, 8]),
    )


def test_transpose(spark: Any) -> None:
    results_are_same(
        """
        p.T
        p[["a"]].transpose()
        p.reset_index(drop=True).T
        p.rename_axis("r").T
        p.T.T
        p["a"].T
        (p > 1).T
        """,
        p=pandas.DataFrame({"a": [1, 2], "b": [1.5, nan]}, index=["q", "p"]),
    )


def test_transpose_of_several_levels(spark: Any) -> None:
    results_are_same('p.groupby(["i", "c"])[["v"]].sum().T', p=P)


def test_what_is_refused(spark: Any) -> None:
    all_refused(
        """
        p.T
        p.melt(id_vars="i", value_vars=["s", "v"])
        p[["s", "v"]].stack()
        p.set_index(["i", "c"])["v"].unstack(fill_value="-")
        pd.get_dummies(p, sparse=True)
        pd.get_dummies(p.i, dtype="uint8")
        pd.lreshape(p, {"w": ["v", "s"]})
        """,
        p=P,
    )
