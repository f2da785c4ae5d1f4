"""How values belong to rows: by the index, by their places, or to the columns; and what rows depend on then."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, changes_are_same, results_are_same
from tests.pandas_on_spark.same import given

import predtrace

nan = float("nan")


@pytest.fixture
def numbers() -> Any:
    return pandas.DataFrame({"a": [1, 2, 3, 4], "b": [1.5, nan, -2.5, 0.0], "s": ["x", "y", nan, "x"]})


def test_arrays_belong_to_rows_by_their_places(spark: Any, numbers: Any) -> None:
    results_are_same(
        """
        df[df.a > 1].assign(z=lambda x: np.where(x.a > 2, "big", "small"))
        df.assign(z=np.where(df[df.a > 1].a > 2, 1, 0))
        df.sort_values("b").assign(z=np.where(df.a > 2, 1, 0))
        df.sort_values("b").reset_index(drop=True).assign(z=np.where(df.a > 2, 1, 0))
        df.a + np.where(df.a > 2, 1, 0)
        np.where(df.a > 2, 1, 0) + df.a
        df.sort_values("b").a + np.where(df.a > 2, 1, 0)
        df.sort_values("b").a.fillna(0).where(df.index > 2, -1)
        df[df.index.isin([1, 2])]
        df[df.a > 1][df[df.a > 1].index > 1]
        df.assign(z=np.select([df.a > 3, df.a > 1], ["big", "middle"], default="small")).z
        df[df.a > 1].assign(z=(np.where(df[df.a > 1].a > 2, 1, 0) + 1) * 2)
        pd.Series(np.where(df[df.a > 1].a > 2, 1, 0))
        np.where(df[df.a > 1].a > 2, 1, 0)[0]
        np.where(df.a > 2, 1, 0).sum()
        np.where(df.a > 2, 1, 0).mean()
        """,
        df=numbers,
    )
    all_refused(
        """
        np.where(df.sort_values("b").a > 2, df.a, 0)
        np.where(df.a > 2, 1, 0).std()
        np.where(df.a > 1, df.b, 0).mean()
        df.iloc[df.a > 1]
        """,
        df=numbers,
    )
    changes_are_same(
        """
        df.loc[df.a > 2, "a"] = np.where(df[df.a > 2].b < 0, 7, 8)
        df["z"] = np.where(df.a > 2, df.a, 0)
        df.loc[df[df.a > 2].index, "b"] = 9
        """,
        df=numbers,
    )


def test_equal_indexes_stay_as_they_are(spark: Any) -> None:
    results_are_same(
        """
        one.a + two.b
        one + two.rename(columns={"b": "a"})
        one.a + two.b.sort_index()
        one.a.combine_first(two.b)
        twice.a + twice_too.b
        """,
        one=pandas.DataFrame({"a": [1, 2, 3]}, index=["z", "b", "m"]),
        two=pandas.DataFrame({"b": [10, 20, 30]}, index=["z", "b", "m"]),
        twice=pandas.DataFrame({"a": [1, 2, 3]}, index=["p", "p", "q"]),
        twice_too=pandas.DataFrame({"b": [10, 20, 30]}, index=["p", "p", "q"]),
    )
    all_refused(
        "df.a + other.b",
        df=pandas.DataFrame({"a": [1, 2, 3]}, index=["p", "p", "q"]),
        other=pandas.DataFrame({"b": [1, 2]}, index=["p", "q"]),
    )


def test_the_same_rows_in_another_order(spark: Any) -> None:
    """pandas goes by the labels then: what is calculated comes in their order."""
    one = pandas.DataFrame({"x": [1.0, nan, 3.0, 4.0], "y": [5, 3, 3, 1]}, index=[3, 1, 4, 2])
    results_are_same(
        """
        u.y + u.sort_values("y").y
        u.sort_values("y").y + u.y
        u.sort_values("y") + u
        u.sort_values("y").y + u[u.y > 2].y
        u[u.sort_values("y").y > 1]
        u.assign(w=u.sort_values("y").y)
        u.assign(w=u[u.y > 2].y)
        u.sort_values("y").x.combine_first(u.y)
        u.sort_values("y").x.fillna(u.y)
        d.assign(w=d.sort_values("y").y)
        d.assign(w=d[d.y > 2].y)
        d.assign(w=d[d.y < 2].y)
        d[d.y > 2].assign(w=d.y)
        d[d.y > 2].assign(w=lambda x: x.y * 2)
        d.y + d.y
        """,
        u=one,
        d=one.set_axis([3, 1, 4, 1]),
    )
    all_refused(
        """
        d.y + d.sort_values("y").y
        d.y + d[d.y > 2].y
        """,
        d=one.set_axis([3, 1, 4, 1]),
    )


def test_a_value_for_each_column(spark: Any, numbers: Any) -> None:
    results_are_same(
        """
        n - n.mean()
        (n - n.mean()) / n.std()
        n.fillna(n.mean() + 1)
        (n - n.min()) / (n.max() - n.min())
        n[["b", "a"]].max() - n[["b", "a"]].min()
        n[(n >= n.quantile(0.25) - 1.5 * (n.quantile(0.75) - n.quantile(0.25))).all(axis=1)]
        n.max() - n.min().sort_values()
        n.max() - n.min()[::-1]
        n.mean() + n[["a"]].mean()
        n.sum().cumsum() - n.min()
        """,
        n=numbers[["a", "b"]],
    )


def test_a_value_for_each_column_stands_beside_the_rows(spark: Any) -> None:
    """No column's mean is looked up by its label in a table of all means."""
    frame = given(pandas.DataFrame({"a": [1.0, 2.0, nan], "b": [3.0, nan, 5.0]}))
    for made in (frame.fillna(frame.mean()), (frame - frame.min()) / (frame.max() - frame.min())):
        plan = made.to_spark()._jdf.queryExecution().analyzed().toString()
        assert "Generate" not in plan
        assert re.findall(r"Join (\w+)", plan) == ["Cross"] * plan.count("Join")


def test_rows_of_a_filled_frame_depend_on_the_mean(spark: Any) -> None:
    frame = given(pandas.DataFrame({"a": [1.0, 2.0, nan], "b": [3.0, nan, 5.0], "k": [0, 1, 2]}))
    numbers = frame[["a", "b"]]
    numbers = numbers.fillna(numbers.mean())
    numbers["k"] = frame["k"]
    lineage = predtrace.capture(numbers).trace("k = 0")
    assert lineage.exact
    found = sorted(rows.count() for rows in lineage.references)
    assert found == [1, 3, 3]  # the row itself, and all rows for each mean
    assert np.isclose(numbers.to_pandas().loc[2, "a"], 1.5)
