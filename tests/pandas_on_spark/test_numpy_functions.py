"""numpy's functions over series and frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.expressions import all_refused, columns_are_same, nan, people, results_are_same
from tests.pandas_on_spark.same import given

import predtrace
import predtrace.pandas as ours
from predtrace.frontends.pandas.core.scalars import Scalar


def test_functions_of_each_number(spark: Any) -> None:
    columns_are_same(
        """
        np.log(df.b)
        np.log(df.a)
        np.log(df.b + 2.5)
        np.log1p(df.b)
        np.log1p(df.b + 1.5)
        np.log2(df.a * 2**28)
        np.log10(df.a * 100)
        np.exp(df.b)
        np.expm1(df.b)
        np.sqrt(df.b)
        np.cbrt(df.b)
        np.square(df.a)
        np.abs(df.b)
        np.abs(df.f)
        np.sign(df.a - 2)
        np.sign(df.b)
        np.floor(df.b)
        np.ceil(df.b)
        np.trunc(df.b)
        np.rint(df.b)
        np.floor(df.a)
        np.round(df.b, 1)
        np.around(df.b)
        np.sin(df.b)
        np.cos(df.a)
        np.tan(df.b)
        np.arcsin(df.b)
        np.arctan(df.b)
        np.sinh(df.b)
        np.tanh(df.b)
        np.radians(df.a)
        np.degrees(df.b)
        np.isnan(df.b)
        np.isnan(df.a)
        np.isfinite(df.b / 0)
        np.isinf(df.b / 0)
        np.logical_not(df.a - 1)
        np.negative(df.b)
        np.invert(df.f)
        np.reciprocal(df.b)
        np.nan_to_num(df.b / 0)
        np.nan_to_num(df.b, nan=-1)
        np.digitize(df.b, [0, 1.5, 2])
        np.digitize(df.b, [0, 1.5, 2], right=True)
        np.digitize(df.a, np.array([3, 2, 1]))
        np.digitize(df.b, [2.5, 1.5, -1.0], right=True)
        np.digitize(df.b, [])
        np.digitize(df.b, [1, 3, 2])
        """,
        df=people(),
    )


def test_functions_of_two(spark: Any) -> None:
    columns_are_same(
        """
        np.add(df.a, df.b)
        np.subtract(1, df.a)
        np.multiply(df.a, 2)
        np.divide(df.a, df.b)
        np.floor_divide(df.a, 2)
        np.mod(df.a, -3)
        np.power(df.a, 2)
        np.float64(2) * df.a
        np.array([1, 2, 3, 4, 5]) - df.a
        np.maximum(df.a, df.b)
        np.minimum(df.a, df.b)
        np.fmax(df.a, df.b)
        np.fmin(df.b, 0)
        np.maximum(df.a, 2)
        np.maximum(df.a, 1.5)
        np.minimum(df.a, df.a.mean())
        np.arctan2(df.a, df.b)
        np.hypot(df.a, df.b)
        np.greater(df.a, 2)
        np.greater_equal(2, df.a)
        np.equal(df.s, "x")
        np.logical_and(df.a - 1, df.b)
        np.logical_or(df.f, df.a > 2)
        np.logical_xor(df.f, True)
        np.bitwise_and(df.f, df.a > 1)
        np.isin(df.a, [1, 2])
        np.clip(df.b, 0, 1)
        """,
        df=people(),
    )


def test_choices(spark: Any) -> None:
    columns_are_same(
        """
        np.where(df.a > 2, 1, 0)
        np.where(df.a > 2, "big", "small")
        np.where(df.a > 2, df.a, df.b)
        np.where(df.a > 2, df.a, nan)
        np.where(df.f, df.a, -df.a)
        np.where(df.s.isnull(), "none", df.s)
        np.where(df.s == "x", df.s, nan)
        np.where(df.s == "x", "x", None)
        np.where(df.a > 2, True, False)
        np.where(df.a > 2, True, nan)
        np.where(df.b, 1, 0)
        np.where(df.s, 1, 0)
        np.where(df.a > 2, 1.5, df.a)
        np.where(df.a > 2, df.b.mean(), df.b)
        np.where(df.a > 2, df.a, "n")
        np.where(df.a > 2, df.b, "n")
        np.where(df.a > 2, [1, 2, 3, 4, 5], 0)
        np.where((df.a > 1) & (df.b > 0), np.where(df.a > 2, "x", "y"), "z")
        np.where(df.a.isin(df.a[df.f]), 1, 0)
        np.where(df.a.map({1: 5}).isnull(), df.a, 0)
        np.select([df.a > 3, df.a > 1], ["big", "middle"], default="small")
        np.select([df.a > 3, df.a > 1], [df.b, 2.5])
        np.select([df.a > 3, df.a > 1], [df.s, "m"], default="z")
        np.select([df.a > 3, df.a > 1], ["b", "m"], default=None)
        np.where(df.a > 2, 1, 0).astype(str)
        """,
        df=people(),
    )
    results_are_same(
        """
        np.select([df.a > 3], ["b", "c"])
        np.where(df.a > 2, "x", nan)
        np.select([df.a > 3, df.a > 1], ["big", "middle"])
        np.where(df.a > 2)
        np.log(df.s)
        np.maximum(df.s, 1)
        """,
        df=people(),
    )


def test_reductions(spark: Any) -> None:
    results_are_same(
        """
        np.mean(df.b)
        np.sum(df.a)
        np.std(df.b)
        np.var(df.a)
        np.min(df.b)
        np.max(df.a)
        np.nanmean(df.b)
        np.nanstd(df.b)
        np.median(df.a)
        np.median(df.b)
        np.nanmedian(df.b)
        np.percentile(df.a, 25)
        np.percentile(df.a, [25, 50])
        np.quantile(df.b, 0.5)
        np.unique(df.a)
        np.unique(df.b)
        np.unique(df.t)
        np.cumsum(df.a)
        np.any(df.f)
        np.all(df.f)
        np.shape(df)
        np.size(df.a)
        np.ndim(df)
        np.sum(df[["a", "b"]])
        np.sqrt(df.a.max())
        np.log1p(df.b.mean()) + 1
        np.float64(2) * df.a.mean()
        np.floor(df.b.mean())
        np.array([1, 2]) * df.a.max()
        np.isnan(df.b.mean())
        np.round(df.b.mean(), 2)
        """,
        df=people(),
    )


def test_a_number_worked_out_by_spark_stays_one(spark: Any) -> None:
    frame = ours.DataFrame(people())
    limit = np.float64(2) * np.sqrt(frame.a.max())
    assert isinstance(limit, Scalar)
    frame["c"] = frame.b.fillna(limit)
    # The row itself, and the one that has the greatest number.
    assert predtrace.capture(frame).trace("a = 1").counts() == {"local_1": 2}


def test_frames(spark: Any) -> None:
    results_are_same(
        """
        np.sqrt(df)
        np.log1p(df)
        np.abs(df)
        np.add(df, 1)
        np.maximum(df, 1)
        np.round(df, 1)
        np.clip(df, 0, 1)
        np.isnan(df)
        """,
        df=people()[["a", "b"]],
    )


def test_a_choice_is_no_join(spark: Any) -> None:
    frame = ours.DataFrame(pandas.DataFrame({"a": [1, 2, 3], "b": [nan, 1.0, 2.0]}))
    frame = frame.sort_values("a").reset_index(drop=True)
    frame["c"] = np.where(frame.a > 1, frame.b, 0)
    frame["d"] = np.log(frame.c) + np.where(frame.b.isnull(), 1, frame.a)
    plan = frame.to_spark()._jdf.queryExecution().analyzed().toString()
    assert "Join" not in plan
    assert "Window" not in plan


def test_refused(spark: Any) -> None:
    all_refused(
        """
        np.concatenate([df.a, df.b])
        np.add.reduce(df.a)
        np.add(df.a, 1, dtype="int8")
        np.where(df.a > 1, 1, None)
        np.where(df.a > 1, df.s, 5)
        np.where(df[["a"]] > 1, 1, 0)
        np.where(df.a > 1, df.b[df.a > 2], 0)
        np.exp(df.f)
        np.corrcoef(df.a, df.b)
        """,
        df=people(),
    )


def test_a_refusal_names_the_function(spark: Any) -> None:
    with pytest.raises(Exception, match=r"numpy.corrcoef\(\) is not supported"):
        np.corrcoef(given(people().a), given(people().b))
