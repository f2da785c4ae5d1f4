"""One value from many: reductions, counts, descriptions. The oracle is pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from tests.pandas_on_spark.programs import check
from tests.pandas_on_spark.same import assert_same, given

import predtrace.pandas as ours
from predtrace.frontends.pandas.core.scalars import Scalar
from predtrace.frontends.pandas.core.steps import Unfaithful

pytestmark = pytest.mark.filterwarnings("ignore")
nan = float("nan")

MIXED = pandas.DataFrame(
    {
        "i": [3, -1, 4, 4, -5, 0],
        "f": [1.5, nan, -2.5, 0.0, nan, 1.5],
        "b": [True, False, True, True, False, True],
        "s": ["x", "y", nan, "x", "z", "y"],
        "t": ["b", "a", "c", "b", "a", "a"],
        "d": pandas.to_datetime(["2020-01-05", None, "2019-12-31", "2020-03-01", "2020-01-05", None]),
        "c": pandas.Series(["u", "v", "u", nan, "v", "u"], dtype=pandas.CategoricalDtype(["v", "u", "w"])),
    },
    index=[10, 20, 30, 40, 50, 60],
)
NUMBERS = MIXED[["i", "f"]]
EMPTY = MIXED[["i", "f", "t"]].iloc[:0]
MISSING = pandas.DataFrame({"f": [nan, nan, nan], "i": [1, 2, 3]})


FEW = ["sum()", "mean()", "median()", "std()", "min()", "any()", "all()", "nunique()", "idxmax()", "prod()"]
MANY = [
    *FEW,
    "max()",
    "var(ddof=0)",
    "sem()",
    "skew()",
    "kurt()",
    "count()",
    "idxmin()",
    "argmax()",
    "nunique(dropna=False)",
    "sum(min_count=5)",
    "mean(skipna=False)",
    "sum(skipna=False)",
]


@pytest.mark.parametrize(("column", "calls"), [("i", MANY), ("f", MANY), ("b", FEW)])
def test_a_series_of_numbers(spark: Any, column: str, calls: list[str]) -> None:
    for call in calls:
        check(f"df[{column!r}].{call}", df=MIXED)


def test_a_series_of_others(spark: Any) -> None:
    for text in (
        "df.t.sum()",
        "df.t.min()",
        "df.t.max()",
        "df.t.nunique()",
        "df.s.count()",
        "df.s.sum()",
        "df.t.mean()",
        "df.t.std()",
        "df.s.any()",
        "df.d.min()",
        "df.d.max()",
        "df.d.mean()",
        "df.d.median()",
        "df.d.quantile(0.25)",
        "df.d.idxmin()",
        "(df.d - df.d.min()).sum()",
        "(df.d - df.d.min()).mean()",
        "df.c.nunique()",
        "df.c.min()",
        "df.i.sum() + df.f.mean()",
        "df.f.fillna(df.f.mean())",
        "df.i - df.i.mean()",
        "df[df.i > df.i.median()]",
        "df.i.quantile(0.3)",
        "df.i.quantile([0.1, 0.5, 1])",
        "df.i.corr(df.f)",
        "df.i.cov(df.f)",
        "df.i.corr(df.i * 2 + 1)",
        "df.b.quantile(0.5)",
        "len(df.i)",
        "df.i.size",
        "df.i.is_monotonic_increasing",
        "df.i.cumsum().is_monotonic_increasing",
    ):
        check(text, df=MIXED)


@pytest.mark.parametrize("frame", [EMPTY, MISSING], ids=["empty", "missing"])
def test_nothing_to_reduce(spark: Any, frame: pandas.DataFrame) -> None:
    for call in [
        "sum()",
        "mean()",
        "median()",
        "min()",
        "std()",
        "skew()",
        "count()",
        "nunique()",
        "any()",
        "all()",
        "prod()",
        "quantile()",
        "unique()",
        "mode()",
    ]:
        check(f"df.f.{call}", df=frame)
    check("df.i.sum()", df=frame)
    check("df.count()", df=frame)
    check("df.f.value_counts()", df=frame)


def test_the_mean_of_whole_numbers_that_are_large(spark: Any) -> None:
    large = pandas.DataFrame({"k": list("aab"), "i": [2**62, 2**62, 2**62 + 2**20]})
    check("df.i.mean()", df=large)
    check("df.groupby('k').i.mean()", df=large)
    check("df.groupby('k').i.transform('mean')", df=large)


@pytest.mark.parametrize("rows", [slice(None), slice(1, None)])
def test_ranks_of_two_series_go_together(spark: Any, rows: slice) -> None:
    """The oracle is a frame of the two: for two series pandas needs SciPy, which is not installed here."""
    expected = NUMBERS.iloc[rows].corr(method="spearman").loc["i", "f"]
    df = given(NUMBERS)
    found = df["i"].iloc[rows].corr(df["f"], method="spearman")
    assert float(found) == pytest.approx(expected)


def test_a_frame_by_columns(spark: Any) -> None:
    for text in (
        "df.sum()",
        "df.mean()",
        "df.median()",
        "df.min()",
        "df.std()",
        "df.var(ddof=0)",
        "df.quantile(0.25)",
        "df.quantile([0.25, 0.75])",
        "df.idxmax()",
        "df.prod()",
        "df.agg('mean')",
        "df.agg(['sum', 'mean'])",
        "df.agg(['min', 'max'])",
        "df.agg(np.mean)",
        "df.agg(lambda s: s.max() - s.min())",
        "df.agg({'i': 'sum', 'f': 'mean'})",
        "df.agg({'i': ['sum', 'min'], 'f': ['max']})",
        "df.agg({'i': 'sum', 'f': ['mean', 'max']})",
        "df.corr()",
        "df.cov()",
        "df.corrwith(df.i)",
        "df[['i', 'f']].corrwith(df.f.iloc[1:])",
        "df.dropna().corr(method='spearman')",
        "df.describe()",
        "df.describe(percentiles=[0.1])",
        "df.isnull().sum()",
        "df.isnull().sum() / len(df)",
        "df.isnull().sum().sum()",
        "df.isnull().any()",
        "df.notnull().all()",
        "df.mean().mean()",
        "df.mode()",
        "df.i.mode()",
        "df.fillna(df.mean())",
    ):
        check(text, df=NUMBERS)
    for text in (
        "df.count()",
        "df.nunique()",
        "df.mean(numeric_only=True)",
        "df.sum(numeric_only=True)",
        "df.corr(numeric_only=True)",
        "df[['i', 't']].corr(method='spearman', numeric_only=True)",
        "df.corrwith(df.i, numeric_only=True)",
        "df.corrwith(df.i)",
        "df.mean()",
        "df.corr()",
        "df[['s', 't']].any()",
        "df[['t']].min()",
        "df[['d']].max()",
        "df.t.mode()",
        "df.s.mode()",
        "df.c.mode()",
        "df.agg({'nope': 'sum'})",
        "df.agg({'i': 'nope'})",
        "df.agg(['count', 'nunique'])",
    ):
        check(text, df=MIXED)


def test_whole_numbers_with_missing_ones_are_floats(spark: Any) -> None:
    for text in (
        "df.i.shift().sum()",
        "df.i.shift().min()",
        "df.set_index('t').i.shift(-1).max()",
        "df[['i', 'b']].shift().count()",
        "df.assign(j=df.i.shift()).sum(numeric_only=True)",
    ):
        check(text, df=MIXED)


def test_a_frame_by_rows(spark: Any) -> None:
    whole = pandas.DataFrame({"a": [3, 1, 2], "b": [2, 5, 2], "c": [0, 0, 7]})
    parts = pandas.DataFrame({"a": [1.5, nan, nan], "b": [2, 5, 2], "c": [0.5, nan, 7]})
    truths = pandas.DataFrame({"a": [True, False, True], "b": [True, True, False]})
    gone = pandas.DataFrame({"a": [1.5, nan, nan], "b": [nan, nan, 2]})
    names = ["sum", "mean", "min", "max", "std", "var", "median", "prod", "count", "any", "all", "nunique"]
    made = ", ".join(f"{name}_=df.{name}(axis=1)" for name in [*names, "idxmax", "idxmin"])
    for frame in (whole, parts, truths, gone):
        check(f"df.assign({made})", df=frame)
        check("df.sum(axis=1)", df=frame)
    check("df.sum(axis='columns', skipna=False)", df=parts)
    check("df.mean(axis=1, numeric_only=True)", df=MIXED[["i", "f", "t"]])
    check("df[['i', 't']].mean(axis=1)", df=MIXED)
    check("df.isnull().sum(axis=1)", df=MIXED)
    check("df[['d', 'd']].set_axis(['a', 'b'], axis=1).max(axis=1)", df=MIXED)


def test_aggregates_of_a_series(spark: Any) -> None:
    for text in (
        "df.i.agg('sum')",
        "df.i.agg(['sum', 'mean', 'max'])",
        "df.i.agg(['min', 'max'])",
        "df.i.agg({'low': 'min', 'high': 'max'})",
        "df.i.agg(np.mean)",
        "df.i.agg(lambda s: s.max() - s.min())",
        "df.i.agg([lambda s: s.max() - s.min(), 'sum'])",
        "df.i.agg(len)",
        "df.t.agg(['count', 'nunique'])",
        "df.i.agg('nope')",
    ):
        check(text, df=MIXED)


def test_value_counts(spark: Any) -> None:
    for text in (
        "df.s.value_counts()",
        "df.s.value_counts(normalize=True)",
        "df.s.value_counts(dropna=False)",
        "df.s.value_counts(dropna=False, normalize=True, ascending=True).sort_index()",
        "df.s.value_counts(sort=False)",
        "df.t.value_counts(ascending=True)",
        "df.i.value_counts()",
        "df.f.value_counts()",
        "df.b.value_counts()",
        "df.d.value_counts()",
        "df.c.value_counts()",
        "df.c.value_counts(sort=False)",
        "df.sort_values('t', ascending=False, kind='stable').t.value_counts()",
        "df.t.value_counts().index[0]",
        "df.t.value_counts().max()",
        "df.t.value_counts().reset_index()",
        "df[['t', 'b']].value_counts()",
        "df[['t', 'b']].value_counts(normalize=True)",
        "df.value_counts(['s', 'b'])",
        "df.value_counts(['s', 'b'], dropna=False, sort=False)",
        "pd.value_counts(df.t)",
        "df.i.shift().value_counts()",
    ):
        check(text, df=MIXED)


def test_unique_values(spark: Any) -> None:
    for column in "ifbsdct":
        found, expected = given(MIXED)[column].unique(), MIXED[column].unique()
        assert type(found) is type(expected)
        assert_same(pandas.Series(found), pandas.Series(expected))
    check("pd.unique(df.t)", df=MIXED)
    check("df.sort_values('t', ascending=False, kind='stable').i.unique()", df=MIXED)
    check("df.t.is_unique", df=MIXED)


@pytest.mark.parametrize(
    "text",
    [
        "df.s.describe()",
        "df.b.describe()",
        "df.d.describe()",
        "df.describe(include='all')",
        "df.describe(include='object')",
        "df.describe(include=[np.number])",
        "df.describe(exclude=['object', 'category'])",
        "df.describe()",
        "df[['s', 't']].describe()",
        "df.i.describe()",
        "df[['i', 'f', 's']].describe(include='all')",
    ],
)
def test_describe(spark: Any, text: str) -> None:
    def of(pd: Any, df: Any) -> Any:
        return eval(text, {"pd": pd, "df": df, "np": np})

    assert_same(of(ours, given(MIXED)).to_pandas(), of(pandas, MIXED))


def test_cells_of_a_description_are_scalars(spark: Any) -> None:
    found = given(MIXED).describe(include="all")
    assert isinstance(found.loc["top", "t"], Scalar)
    assert str(found.loc["top", "t"]) == "a"
    assert found.loc["mean", "i"] == pytest.approx(MIXED.i.mean())
    assert given(MIXED).t.describe()["freq"] == 3


def test_a_reduction_is_a_query_until_python_needs_it(spark: Any) -> None:
    found = given(MIXED).i.sum()
    assert isinstance(found, Scalar)
    assert int(found) == 5
    assert isinstance(found._known, np.int64)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("df.i.value_counts(bins=3)", "value_counts"),
        ("df.i.quantile(0.5, interpolation='lower')", "quantile"),
        ("df.i.std(ddof=2)", "std"),
        ("df[['i', 't']].min()", "DataFrame.min"),
        ("df[['i', 'b']].max(axis=1)", "DataFrame.max"),
        ("df.i.corr(df.f, method='kendall')", "corr"),
        ("df[['f']].corr(method='spearman')", "corr"),
        ("df.corrwith(df)", "corrwith"),
        ("df[['t']].value_counts()", "value_counts"),
        ("df.i.agg(lambda value: value + 1)", "agg"),
    ],
)
def test_what_is_refused_names_the_call_and_the_line(spark: Any, text: str, call: str) -> None:
    with pytest.raises(Unfaithful) as problem:
        eval(text, {"df": given(MIXED), "__name__": "__main__"})
    assert call in str(problem.value)
    assert "line 1" in str(problem.value)
