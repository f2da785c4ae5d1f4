"""Functions of groups are given whole numbers with NA as pandas has them, and give such back."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, results_are_same
from tests.pandas_on_spark.same import same


@pytest.fixture
def df() -> Any:
    return pandas.DataFrame(
        {
            "k": ["a", "a", "b", "b", "c"],
            "x": [0, 1, 2, 3, 4],
            "f": [1.5, 2.0, 3.0, 4.0, 5.0],
            "i": pandas.array([1, None, 3, 4, None], dtype="Int64"),
            "j": pandas.array([5, 4, 3, 2, 1], dtype="Int64"),
            "u": pandas.array([1, 2, 3, 4, 5], dtype="UInt32"),
        }
    )


def test_columns_that_are_carried_along(spark: Any) -> None:
    """Every function of whole groups was refused where the frame had the weeks of a calendar."""
    orders = pandas.DataFrame(
        {
            "who": ["ann", "bob", "ann", "cid", "bob"],
            "day": pandas.to_datetime(["2024-01-05", "2024-02-01", "2024-02-03", None, "2024-01-09"]),
            "paid": [3.0, 2.5, 4.5, 1.0, 2.0],
        }
    )

    def program(pd: Any, orders: Any) -> Any:
        orders["week"] = orders["day"].dt.isocalendar().week
        groups = orders.groupby("who")
        return [
            orders.assign(share=groups["paid"].transform(lambda paid: paid / paid.sum())),
            groups[["week", "paid"]].apply(lambda rows: rows["paid"].sum()),
            groups[["week", "paid"]].apply(lambda rows: rows.nlargest(1, "paid")),
            groups[["week", "paid"]].apply(lambda rows: pandas.Series({"weeks": rows["week"].nunique()})),
            groups.filter(lambda rows: len(rows) > 1),
            groups["week"].agg(lambda weeks: weeks.max()),
            orders.groupby("week")["paid"].apply(lambda paid: paid.max() - paid.min()),
        ]

    same(program, orders=orders)


def test_apply(spark: Any, df: Any) -> None:
    results_are_same(
        """
        df.groupby("k")[["x", "i"]].apply(lambda g: g.i.sum())
        df.groupby("k")[["x", "i"]].apply(lambda g: g.i.isna().sum())
        df.groupby("k")[["x", "j"]].apply(lambda g: g.j.max())
        df.groupby("k")[["x", "i"]].apply(lambda g: g.i)
        df.groupby("k")[["x", "i"]].apply(lambda g: g.head(1))
        df.groupby("k")[["x", "i", "u"]].apply(lambda g: g.assign(z=g.i * 2))
        df.groupby("k", group_keys=False)[["x", "i"]].apply(lambda g: g.assign(c=g.i.fillna(0).cumsum()))
        df.groupby("k")[["x", "i"]].apply(lambda g: pd.Series({"a": g.i.sum(), "b": len(g)}))
        df.groupby("k")[["j"]].apply(lambda g: g.sum())
        df.groupby("k").i.apply(lambda s: s + 1)
        df.groupby("k").i.apply(lambda s: s.dropna())
        df.groupby("k").i.apply(lambda s: s.value_counts())
        df.groupby("i").f.apply(lambda s: s * 2)
        df.groupby("i", dropna=False).f.apply(lambda s: s.sum())
        df.groupby("i")[["x"]].apply(lambda g: g.name)
        df.set_index("i").groupby("k").f.apply(lambda s: s * 2)
        df.set_index("i").groupby("k")[["f"]].apply(lambda g: g.head(1))
        """,
        df=df,
    )


def test_agg(spark: Any, df: Any) -> None:
    """pandas makes whole numbers with NA of what a function gives for a column of such."""
    results_are_same(
        """
        df.groupby("k").i.agg(lambda s: s.max())
        df.groupby("k").i.agg(lambda s: s.sum())
        df.groupby("k").i.agg(lambda s: s.iloc[0])
        df.groupby("k").i.agg(lambda s: len(s))
        df.groupby("k").i.agg(lambda s: pd.NA)
        df.groupby("k").i.agg(lambda s: f"{len(s)} rows")
        df.groupby("k").u.agg(lambda s: s.sum())
        df.groupby("k", sort=False).i.agg(lambda s: s.max())
        df.groupby("k", as_index=False).agg(a=("i", lambda s: s.max()), b=("x", lambda s: s.max()))
        df.groupby("k").agg(a=("i", "max"), b=("i", lambda s: s.min()), c=("u", "last"), d=("i", "nunique"))
        df.groupby("k")[["i", "u", "j"]].agg(lambda s: s.max())
        """,
        df=df,
    )


def test_transform_and_filter(spark: Any, df: Any) -> None:
    results_are_same(
        """
        df.groupby("k").i.transform(lambda s: s + 1)
        df.groupby("k").i.transform(lambda s: s.fillna(0))
        df.groupby("k").i.transform(lambda s: s.sum())
        df.groupby("k").j.transform(lambda s: s.max())
        df.groupby("k").u.transform(lambda s: s.mean())
        df.groupby("k").x.transform(lambda s: s.astype("Int64"))
        df.groupby("k")[["i", "u", "x"]].transform(lambda s: s + 1)
        df.groupby("i").f.transform(lambda s: s * 2)
        df.assign(z=df.groupby("k").f.transform(lambda s: s - s.mean()))
        df.groupby("k").filter(lambda g: g.i.notna().all())
        df.groupby("i").filter(lambda g: len(g) > 0)
        """,
        df=df,
    )


def test_what_spark_cannot_hold_is_refused(spark: Any, df: Any) -> None:
    """NA among objects, floats and booleans with NA, and numbers without a sign."""
    all_refused(
        """
        df.groupby("k")[["i"]].apply(lambda g: g.i.max())
        df.groupby("k")[["i"]].apply(lambda g: g.max())
        df.groupby("k")[["u"]].apply(lambda g: g.u.max())
        df.groupby("k")[["u"]].apply(lambda g: g.max())
        df.groupby("k")[["i"]].apply(lambda g: g.assign(z=g.i / 2))
        df.groupby("k")[["i"]].apply(lambda g: g.assign(z=g.i > 2))
        df.groupby("k").i.transform(lambda s: s.max())
        df.groupby("k").u.transform(lambda s: s.max())
        df.groupby("k").i.agg(lambda s: s.mean())
        df.groupby("k").i.agg(lambda s: s.max() > 1)
        df.groupby("k").j.agg(lambda s: str(s.iloc[0]))
        df.groupby("k").u.agg(lambda s: -1)
        df.groupby("k").agg(a=("u", "sum"), b=("i", lambda s: s.min()))
        df.groupby("k").agg(a=("u", "size"), b=("i", lambda s: s.min()))
        df.groupby("k")[["i", "x"]].apply(lambda g: g.i if g.x.sum() > 2 else g.x)
        df.groupby("k").x.apply(lambda s: pd.NA if s.sum() > 3 else 1)
        """,
        df=df,
    )


def test_numbers_too_large_for_floats(spark: Any, df: Any) -> None:
    """Python gets floats where one is missing: such numbers would lose digits."""
    large = df.assign(i=pandas.array([1, None, 2**60 + 1, 4, None], dtype="Int64"))
    all_refused("df.groupby('k')[['i']].apply(lambda g: g.i.sum())", df=large)
    results_are_same("df.assign(z=df.groupby('k').f.transform(lambda s: s.sum()))", df=large)
    whole = df.assign(j=pandas.array([1, 1, 2**60 + 1, 4, 4], dtype="Int64"))
    results_are_same("df.groupby('k')[['j']].apply(lambda g: g.j.max())", df=whole)
