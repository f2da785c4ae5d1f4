"""`pivot`, `pivot_table` and `crosstab` give what pandas gives: cells, labels, dtypes, totals and errors."""

from __future__ import annotations

from typing import Any

import pandas
from tests.pandas_on_spark.expressions import all_refused, results_are_same
from tests.pandas_on_spark.same import same

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
FULL = P.iloc[:4]
MANY = pandas.concat([P, P.assign(v=P.v * 10, w=-P.w), P.iloc[:1].assign(i=None)], ignore_index=True)


def test_pivot(spark: Any) -> None:
    results_are_same(
        """
        p.pivot(index="i", columns="c", values="v")
        p.pivot(index="i", columns="c", values="w")
        p.pivot(index="i", columns="c", values="s")
        p.pivot(index="i", columns="c", values="f")
        p.pivot(index="i", columns="n", values="v")
        pd.pivot(p, index="i", columns="c", values=["w", "v"])
        p.pivot(index="i", columns="c", values=["v"])
        p[["i", "c", "v", "s", "f"]].pivot(index="i", columns="c")
        p.pivot(index=["i", "f"], columns="c", values="v")
        p.pivot(index="i", columns=["c", "f"], values="v")
        p.pivot(columns="c", values="v")
        p[["c", "v"]].pivot(columns="c")
        p.assign(i=[None, "a", "b", "a", "c"]).pivot(index="i", columns="c", values="v")
        p.pivot(index="i", columns="c", values="v").reset_index()
        p.pivot(index="i", columns="zz", values="v")
        """,
        p=P,
    )


def test_pivot_without_empty_cells(spark: Any) -> None:
    results_are_same(
        """
        p.pivot(index="i", columns="c", values="v")
        p.pivot(index="i", columns="c", values=["w", "v"])
        p[["i", "c", "v", "f"]].pivot(index="i", columns="c")
        p.pivot_table(values="v", index="i", columns="c", aggfunc="sum")
        p.set_index(["i", "c"])["v"].unstack()
        """,
        p=FULL,
    )


def test_pivot_with_two_values_for_a_cell(spark: Any) -> None:
    results_are_same('p.pivot(index="i", columns="c", values="v")', p=MANY)


def test_pivot_by_moments(spark: Any) -> None:
    days = ["2020-01-02", "2020-01-02", "2020-01-01", "2020-01-01", "2020-01-01"]
    results_are_same(
        """
        p.pivot(index="i", columns="c", values="v")
        p.pivot(index="c", columns="i", values="c")
        """,
        p=P.assign(c=pandas.to_datetime(days)),
    )


def test_pivot_table(spark: Any) -> None:
    results_are_same(
        """
        p.pivot_table(values="v", index="i", columns="c")
        p.pivot_table(values="v", index="i", columns="c", aggfunc="sum", fill_value=0)
        p.pivot_table(values="w", index="i", columns="c", aggfunc="count")
        p.pivot_table(values="w", index="i", columns="c")
        p.pivot_table("v", "i")
        pd.pivot_table(p, values=["w", "v"], index=["i", "c"])
        p.pivot_table(values="v", index="i", aggfunc=["mean", "sum"])
        p.pivot_table(values=["w", "v"], index="i", columns="c", aggfunc=["sum", "mean"])
        p.pivot_table(values="w", index="i", columns="c", aggfunc=["mean", "sum"])
        p.pivot_table(values="w", index="i", aggfunc=["mean", "count"], fill_value=0)
        p.pivot_table(index="i", aggfunc={"v": "sum", "w": "mean"})
        p.pivot_table(index="i", columns="c", aggfunc={"w": "mean", "v": "sum"})
        p.pivot_table(index="i", columns="c", aggfunc={"w": "mean", "v": ["sum", "max"]})
        p.pivot_table(values=["v", "w"], index="i", columns="c", aggfunc={"w": "mean", "v": "sum"}, fill_value=0)
        p[["i", "c", "v", "w"]].pivot_table(index="i", columns="c")
        p.pivot_table(values=["w", "v"], columns="c")
        p.pivot_table(values="v", index="i", columns=["c", "f"])
        p.pivot_table(values="v", index="i", columns="c", aggfunc=np.mean)
        p.pivot_table(values="v", index="i", columns="c", aggfunc=len, fill_value=0)
        p.pivot_table(index="i", columns="c", aggfunc="size")
        p.pivot_table(values="s", index="i", columns="c", aggfunc="first")
        p.pivot_table(values="v", index="i", columns="c", aggfunc="max", fill_value=0.5)
        p.pivot_table(values="f", index="i", columns="c")
        p.pivot_table(values="zz", index="i")
        p.pivot_table(values="v", index="zz")
        p.pivot_table(values="v")
        p.pivot_table(index="i", columns="c")
        p.pivot_table(values="v", index="i", columns="c", aggfunc="sum")
        p.pivot_table(values="v", columns=["c", "n"], aggfunc="sum")
        """,
        p=MANY,
    )


def test_columns_without_values_are_dropped_unless_they_are_filled(spark: Any) -> None:
    results_are_same(
        """
        p.pivot_table(values="w", index="i", columns="c")
        p.pivot_table(values="w", index="i", columns="c", fill_value=0)
        p.pivot_table(values=["v", "w"], index="i", columns="c", aggfunc="mean", fill_value=0)
        p.pivot_table(values=["v", "w"], index="i", columns="c", aggfunc=["mean", "max"], fill_value=0)
        p.pivot_table(values=["v", "w"], index="i", fill_value=0)
        p.pivot_table(values=["v", "w"], columns="i", fill_value=0)
        """,
        p=P.assign(w=[nan, nan, 2.5, 3.5, nan]),
    )
    results_are_same('p.pivot_table(values=["v", "w"], index="i", fill_value=0)', p=P.assign(w=nan))


def test_pivot_table_of_a_users_function(spark: Any) -> None:
    same(
        lambda pd, p: p.pivot_table(values="v", index="i", columns="c", aggfunc=lambda x: x.max() - x.min()),
        p=MANY,
    )


def test_margins(spark: Any) -> None:
    results_are_same(
        """
        p.pivot_table(values="v", index="i", columns="n", aggfunc="sum", margins=True, fill_value=0, margins_name="T")
        p.pivot_table(values="v", index="i", aggfunc="sum", margins=True)
        p.pivot_table(values="w", index="i", columns="c", aggfunc="sum", margins=True)
        p.pivot_table(values=["w", "v"], index="i", columns="c", aggfunc="sum", margins=True)
        p.pivot_table(values="v", index=["i", "s"], columns="c", aggfunc="sum", margins=True)
        p.pivot_table(values="v", index="i", columns="c", aggfunc=["sum", "mean"], margins=True)
        p.pivot_table(values="v", index="i", columns="c", margins=True, margins_name="x")
        p.pivot_table(values="v", index="i", columns=["c", "f"], aggfunc="sum", margins=True)
        p.pivot_table(values="v", index="i", columns=["c", "n"], aggfunc="sum", margins=True, fill_value=0)
        p.pivot_table(values=["v", "w"], index="i", columns=["c", "f"], margins=True)
        pd.crosstab(p.i, [p.c, p.f], margins=True)
        p.assign(i=p.i.astype("category")).pivot_table("v", "i", "c", aggfunc="sum", margins=True)
        pd.crosstab(p.i, p.c, margins=True, margins_name="b")
        pd.crosstab(p.i, p.c, normalize="columns", margins=True, margins_name="x")
        """,
        p=MANY,
    )


def test_crosstab(spark: Any) -> None:
    results_are_same(
        """
        pd.crosstab(p.i, p.n)
        pd.crosstab(p.i, p.n, margins=True)
        pd.crosstab(p.i, p.n, normalize=True)
        pd.crosstab(p.i, p.n, normalize="index")
        pd.crosstab(p.i, p.n, normalize="columns")
        pd.crosstab(p.i, p.c, normalize="index", margins=True)
        pd.crosstab(p.i, p.n, normalize="columns", margins=True)
        pd.crosstab(p.i, p.n, normalize="all", margins=True)
        pd.crosstab(p.i, p.n, values=p.v, aggfunc="sum")
        pd.crosstab(p.i, p.n, values=p.w, aggfunc="mean")
        pd.crosstab(p.i, p.n, values=p.v, aggfunc="sum", margins=True)
        pd.crosstab(p.i, p.n, rownames=["R"], colnames=["C"])
        pd.crosstab([p.i, p.f], p.n)
        pd.crosstab(p.i, [p.n, p.f])
        pd.crosstab(index=p.i, columns="count")
        pd.crosstab(p.i, p.i)
        pd.crosstab(p.i, p.w)
        pd.crosstab(p.i[p.v > 2], p.n)
        pd.crosstab(p.i, p.n, aggfunc="sum")
        pd.crosstab(p.i, p.n, values=p.v)
        pd.crosstab(p.i, p.n, normalize="q")
        """,
        p=MANY,
    )


def test_what_is_refused(spark: Any) -> None:
    all_refused(
        """
        p.pivot(index="i", columns="c", values=["s", "v"])
        p.pivot_table(values="v", index="i", dropna=False)
        p.assign(m=pd.Timestamp("2020-01-01")).pivot_table(values="v", index="m", margins=True)
        p.assign(c=["x", None, "y", "x", "x"]).pivot(index="i", columns="c", values="v")
        pd.crosstab(p.i, p.n, dropna=False)
        """,
        p=P,
    )
