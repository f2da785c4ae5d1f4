"""Values along the rows: `shift`, `diff`, cumulative functions, ranks, rolling and expanding windows."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.programs import check
from tests.pandas_on_spark.same import given

from predtrace.frontends.pandas.core.steps import Unfaithful

pytestmark = pytest.mark.filterwarnings("ignore")
nan = float("nan")

FRAME = pandas.DataFrame(
    {
        "i": [3, -1, 4, 4, -5, 0],
        "f": [1.5, nan, -2.5, 0.0, nan, 1.5],
        "b": [True, False, True, True, False, True],
        "s": ["x", "y", nan, "x", "z", "y"],
        "d": pandas.to_datetime(["2020-01-05", None, "2019-12-31", "2020-03-01", "2020-01-05", "2020-01-06"]),
    },
    index=[10, 20, 30, 40, 50, 60],
)
NUMBERS = FRAME[["i", "f"]]
EMPTY = NUMBERS.iloc[:0]


def test_shift(spark: Any) -> None:
    for text in (
        "df.shift()",
        "df.shift(-2)",
        "df.shift(10)",
        "df.i.shift(0)",
        "df.i.shift(1, fill_value=0)",
        "df.i.shift(-1, fill_value=0.5)",
        "df.f.shift(2, fill_value=9)",
        "df.s.shift(periods=1, fill_value='?')",
        "df.b.shift(fill_value=False)",
        "df.i.shift(1, fill_value=df.i.max())",
        "df.i - df.i.shift()",
        "df[df.i.shift() > 0]",
        "df.assign(before=df.i.shift(), twice=df.i.shift().shift())",
        "df.sort_values('i', kind='stable').shift()",
        "df.sort_values('i', ascending=False, kind='stable').i.shift(1)",
        "df.reset_index().i.shift()",
        "df[df.i > 0].i.shift()",
        "df.d - df.d.shift()",
    ):
        check(text, df=FRAME)


def test_differences(spark: Any) -> None:
    for text in (
        "df.i.diff()",
        "df.f.diff(2)",
        "df.i.diff(-1)",
        "df.d.diff()",
        "df.s.diff()",
        "df.i.astype('int8').diff()",
        "df[['i', 'f']].diff()",
        "df.i.pct_change()",
        "df.f.pct_change()",
        "df.f.pct_change(fill_method=None)",
        "df.i.pct_change(2)",
        "df[['i', 'f']].pct_change()",
        "df.d.diff().max()",
    ):
        check(text, df=FRAME)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
def test_cumulated(spark: Any, name: str) -> None:
    check(f"df.{name}()", df=NUMBERS)
    check(f"df.{name}()", df=EMPTY)
    for column in "ifb":
        check(f"df.{column}.{name}()", df=FRAME)
    check(f"df.i.astype('int8').{name}()", df=FRAME)
    check(f"df.sort_values('f', ascending=False).{name}()", df=NUMBERS)
    if name.startswith("cumm"):
        check(f"df.d.{name}()", df=FRAME)
        check(f"df.i.astype(str).{name}()", df=FRAME)


def test_ranks(spark: Any) -> None:
    made = ", ".join(
        f"{column}_{method}_{ascending}_{pct}="
        f"df.{column}.rank(method={method!r}, ascending={ascending}, pct={pct})"
        for method in ["average", "min", "max", "first", "dense"]
        for ascending in (True, False)
        for pct in (True, False)
        for column in "ifd"
    )
    check(f"df.assign({made})", df=FRAME)
    check("df[['i', 'f']].rank(method='min')", df=FRAME)


def test_ranks_of_others(spark: Any) -> None:
    check("df.rank(numeric_only=True)", df=FRAME)
    check("df.b.rank()", df=FRAME)
    check("df.s.rank()", df=FRAME)
    check("df.assign(r=df.i.rank(ascending=False)).sort_values('r', kind='stable')", df=FRAME)


AGGREGATES = ["sum", "mean", "min", "max", "std", "var", "count", "median"]


@pytest.mark.parametrize(
    "window",
    [
        "rolling(3)",
        "rolling(3, min_periods=1)",
        "rolling(window=2, min_periods=0)",
        "rolling(4, center=True, min_periods=1)",
        "rolling(3, center=True)",
        "rolling(1)",
        "expanding()",
        "expanding(2)",
    ],
)
def test_windows(spark: Any, window: str) -> None:
    made = ", ".join(
        f"{column}_{name}=df.{column}.{window}.{name}()" for name in AGGREGATES for column in "if"
    )
    check(f"df.assign({made})", df=NUMBERS)
    check(f"df.{window}.sum()", df=NUMBERS)


def test_more_about_windows(spark: Any) -> None:
    for text in (
        "df.i.rolling(2).agg('mean')",
        "df.iloc[:0].i.rolling(2).sum()",
        "(df.i > 0).rolling(2).mean()",
        "df.rolling(2)['i'].sum()",
        "df.rolling(2)[['i']].sum()",
        "df.rolling(2).i.sum()",
        "df.rolling(2).sum(numeric_only=True)",
        "df.rolling(2).sum()",
        "df.s.rolling(2).sum()",
        "df.i.rolling(2, min_periods=3)",
        "df.sort_values('i', kind='stable').i.rolling(2).sum()",
        "df.assign(m=df.i.rolling(2).mean()).m.max()",
    ):
        check(text, df=FRAME[["i", "f", "s"]])


WHOLE = pandas.DataFrame({"a": [1, 2, 2], "b": [3, 5, 2], "c": [4, 4, 2]})
GAPS = WHOLE.astype(float).mask(pandas.DataFrame({"a": [0, 1, 0], "b": [1, 1, 0], "c": [0, 1, 0]}) == 1)
MIXED = WHOLE.assign(z=[1.5, nan, -0.0])


@pytest.mark.parametrize("frame", [WHOLE, GAPS, MIXED], ids=["whole", "gaps", "mixed"])
def test_along_the_columns(spark: Any, frame: pandas.DataFrame) -> None:
    for text in (
        "df.shift(axis=1)",
        "df.shift(-1, axis='columns')",
        "df.shift(5, axis=1)",
        "df.diff(axis=1)",
        "df.diff(-1, axis=1)",
        "df.pct_change(axis=1)",
        "df.pct_change(2, axis='columns', fill_method=None)",
        "df.cumsum(axis=1)",
        "df.cumprod(axis=1)",
        "df.astype({'a': 'int8'}).cumsum(axis=1)",
        "df[['a']].astype('int8').cumprod(axis=1)",
        "df[['a']].astype('int8').cummax(axis=1)",
        "df.cummax(axis=1)",
        "df.cummin(axis=1)",
        "df.rank(axis=1)",
        "df.rank(axis=1, ascending=False, method='min')",
        "df.rank(axis=1, method='max', pct=True)",
        "df.rank(axis=1, method='first', ascending=False)",
        "df.rank(axis=1, method='dense', pct=True)",
        "df.assign(s='x').rank(axis=1, numeric_only=True)",
        "df.a.shift(axis=1)",
    ):
        check(text, df=frame)


def test_other_dtypes_are_shifted_along_the_columns(spark: Any) -> None:
    check("df[['s', 'd', 'i']].shift(axis=1)", df=FRAME)


def test_functions_of_windows(spark: Any) -> None:
    for text in (
        "df.f.rolling(2).apply(lambda v: v.iloc[-1] - v.iloc[0])",
        "df.f.rolling(2, min_periods=1).apply(len)",
        "df.i.rolling(3, center=True).apply(lambda v: v.median())",
        "df.i.rolling(2).apply(lambda v: v.mean() > 1)",
        "df.i.rolling(3).apply(lambda v: (v - v.shift()).abs().max() + v[v > 0].sum() + v.rank().iloc[-1])",
        "df.f.rolling(3, min_periods=1).apply(lambda v: v.dropna().diff().mean() if len(v) > 1 else v.iloc[0])",
        "df.f.rolling(3, min_periods=1).apply(lambda v: v.sort_values().iloc[0] + v.reset_index(drop=True)[0])",
        "df.i.rolling(2).apply(sum, raw='yes')",
        "df.i.rolling(3).apply(lambda v: v.iloc[0] if v.iloc[0] > 1 else -0.0)",
        "df[['i', 'f']].rolling(2).apply(np.nanmax, raw=True)",
        "df.i.rolling(2).apply(lambda v, k: v.sum() * k, args=(2,))",
        "df.i.rolling(2).apply(lambda v, k=1: v.sum() * k, kwargs={'k': 3})",
        "df.i.rolling(3).apply(lambda v: (v - df.i.mean()).sum())",
        "df.i.expanding(2).apply(lambda v: v.sum())",
        "df.assign(k=df.i % 2).groupby('k').i.rolling(2, min_periods=1).apply(lambda v: v.max() - v.min())",
        "df.assign(r=df.i.rolling(2).apply(np.std, raw=True)).query('r > 0.1')",
        "df.i.rolling(2).agg(lambda v: v.max() - v.min())",
        "df.i.rolling(2).agg(['sum', lambda v: v.max() - v.min()])",
        # What goes wrong in pandas goes wrong here.
        "df.i.rolling(2).apply(lambda v: None)",
        "df.i.rolling(2).apply(lambda v: 'a')",
        "df.i.rolling(2).apply(lambda v: v.no_such_thing)",
        "df.i.rolling(2).apply('sum')",
        "df.s.rolling(2).apply(len)",
    ):
        check(text, df=FRAME)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("df.ewm(span=2).std()", "ewm"),
        ("df.i.rolling(2, win_type='hamming')", "rolling"),
        ("df.i.rolling(2).apply(lambda v: v.index[0])", "apply"),
        ("df.i.rolling(2).apply(lambda v: v[0])", "apply"),
        ("df.i.rolling(2).apply(lambda v: v.index[-1] - v.index[0])", "apply"),
        ("df.set_index('d').i.rolling(2).apply(lambda v: (v.index[-1] - v.index[0]).days)", "apply"),
        ("df.i.rolling(2).apply(lambda v: v.idxmax() - v.idxmin())", "apply"),
        ("df.i.rolling(2).apply(lambda v: v.sort_index().iloc[0])", "apply"),
        ("df.i.rolling(2).apply(lambda v: len(set(v.index)))", "apply"),
        ("df.i.rolling(2).apply(lambda v: v.index.is_unique)", "apply"),
        ("df.i.rolling(2).apply(lambda v: v.index.is_monotonic_increasing)", "apply"),
        ("df.i.rolling(2).apply(sum, engine='numba')", "apply"),
        ("df.i.shift(freq='D')", "shift"),
        ("df.shift(9, axis=1)", "shift"),
        ("df.cumsum(axis=1)", "cumsum"),
        ("df.rank(axis=1)", "rank"),
        ("df.b.diff()", "diff"),
        ("df.i.rank(na_option='top')", "rank"),
        ("df.s.cumsum()", "cumsum"),
    ],
)
def test_what_is_refused_names_the_call_and_the_line(spark: Any, text: str, call: str) -> None:
    with pytest.raises(Unfaithful) as problem:
        eval(text, {"df": given(FRAME), "__name__": "__main__"})
    assert call in str(problem.value)
    assert "line 1" in str(problem.value)
