"""`groupby`: keys and aggregates, also by functions. The oracle is pandas."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.grouping_frames import COUNTED, EMPTY, FRAME, KINDS, NUMBERS
from tests.pandas_on_spark.programs import check
from tests.pandas_on_spark.same import given

from predtrace.frontends.pandas.core.steps import Unfaithful

pytestmark = pytest.mark.filterwarnings("ignore")

AGGREGATES = [
    "sum",
    "mean",
    "median",
    "min",
    "max",
    "std",
    "var",
    "sem",
    "count",
    "nunique",
    "first",
    "last",
    "prod",
    "any",
    "all",
    "quantile",
    "skew",
    "idxmax",
    "idxmin",
    "size",
]


def test_aggregates(spark: Any) -> None:
    for name in AGGREGATES:
        check(f"df.groupby('k').{name}()", df=NUMBERS)
        check(f"df.groupby('n').b.{name}()", df=FRAME)
    for name in ("sum", "median", "first", "size", "nunique"):
        check(f"df.groupby(['k', 'n'])['x'].{name}()", df=FRAME)
        check(f"df.groupby('k')[['y', 'x']].{name}()", df=FRAME)
        check(f"df.groupby('k', as_index=False).{name}()", df=NUMBERS)
    check(f"df.groupby(['k', 'n'])[['x', 'y']].agg({AGGREGATES!r})", df=FRAME)


def test_aggregates_of_other_columns(spark: Any) -> None:
    for text in (
        "df.groupby('k').t.sum()",
        "df.groupby('k').s.min()",
        "df.groupby('k').d.max()",
        "df.groupby('k').d.mean()",
        "df.groupby('k').s.first()",
        "df.groupby('k').s.last()",
        "df.sort_values('t', ascending=False, kind='stable').groupby('k').t.first()",
        "df.sort_values('x', ascending=False, kind='stable').groupby('k').x.first()",
        "df.groupby('k').mean()",
        "df.groupby('k').mean(numeric_only=True)",
        "df.groupby('k').count()",
        "df.groupby('k').first()",
        "df.groupby('k').nunique()",
        "df.groupby('k').nunique(dropna=False)",
        "df.groupby('k').x.sum(min_count=2)",
        "df.groupby('k').y.sum(min_count=1)",
        "df.groupby('k').x.std(ddof=0)",
        "df.groupby('k').x.quantile(0.25)",
        "df.groupby('k').x.mean().sort_values()",
        "df.groupby('k').x.sum().reset_index()",
        "df.groupby('k').x.sum() / df.x.sum()",
        "df.groupby('n').x.sum().loc[2]",
        "df.groupby('k').x.describe()",
        "df.groupby('k')[['x', 'y']].describe()",
    ):
        check(text, df=FRAME)


def test_keys(spark: Any) -> None:
    for text in (
        "df.groupby('k', dropna=False).x.sum()",
        "df.groupby(['k', 's'], dropna=False).x.sum()",
        "df.groupby('k', sort=False).x.sum()",
        "df.groupby(['t', 'n'], sort=False).agg({'x': 'sum'})",
        "df.sort_values('t', ascending=False, kind='stable').groupby('k', sort=False).x.sum()",
        "df.groupby(df.k).x.sum()",
        "df.groupby(df['k']).sum(numeric_only=True)",
        "df.groupby(df.t.str.upper()).x.sum()",
        "df.groupby(df.x > 0).x.mean()",
        "df.groupby(['k', df.x > 0]).y.count()",
        "df.groupby([df.d.dt.year, 'k']).x.sum()",
        "df.groupby(level=0).x.sum()",
        "df.set_index(['k', 'n']).groupby(level=1).x.sum()",
        "df.set_index(['k', 'n']).groupby(level='k').x.sum()",
        "df.set_index('k').groupby('k').x.sum()",
        "df.x.groupby(df.k).sum()",
        "df.x.groupby([df.k, df.n]).sum()",
        "df.set_index('k').x.groupby(level=0).mean()",
        "df.groupby([1, 1, 2, 2, 1, 1, 2]).x.sum()",
        "df.groupby(np.array([1, 1, 2, 2, 1, 1, 2])).x.sum()",
        "df.groupby('d').x.sum()",
        "df.groupby(df.index).x.sum()",
        "df.dropna().set_index('d').pipe(lambda t: t.groupby(t.index.month).x.sum())",
        "df.dropna().set_index('d').pipe(lambda t: t.groupby([t.index.year, 'k']).x.sum())",
        "df.dropna().set_index('d').pipe(lambda t: t.groupby(t.index.date).x.sum())",
        "df.dropna().set_index('d').pipe(lambda t: t.groupby(t.index.is_month_end).x.sum())",
        "df.groupby('b').x.sum()",
        "df.groupby('y').x.sum()",
        "df.groupby(['k', 'n'], as_index=False).x.sum()",
        "df.groupby(df.t.str.upper(), as_index=False).x.sum()",
        "df.groupby(df.t.str.upper(), as_index=False).size()",
        "df.groupby('k', as_index=False)['x'].agg(['sum', 'mean'])",
        "df.groupby(df.n.shift()).x.sum()",
        "df.groupby('nope').x.sum()",
        "df.groupby('k').nope",
        "df.groupby('k')['nope']",
        "df.groupby('k')[['x', 'nope']]",
        "df.groupby('k')['k'].count()",
        "df.groupby([]).x.sum()",
        "df.groupby().x.sum()",
        "df.groupby('k').x.nope()",
    ):
        check(text, df=FRAME)
    check("df.groupby('k').x.sum()", df=EMPTY)
    check("df.groupby('k').agg({'x': 'mean', 'b': 'sum'})", df=EMPTY)


def test_agg(spark: Any) -> None:
    for text in (
        "df.groupby('k').x.agg('sum')",
        "df.groupby('k').x.agg(['sum', 'mean', np.max, len])",
        "df.groupby('k')[['x', 'y']].agg(['sum', 'mean'])",
        "df.groupby('k').agg({'x': 'sum', 's': 'first', 'd': 'max'})",
        "df.groupby('k').agg({'x': ['sum', 'mean'], 'y': 'max'})",
        "df.groupby('k', as_index=False).agg({'x': ['sum', 'mean'], 'y': 'max'})",
        "df.groupby('k').agg(total=('x', 'sum'), first=('s', 'first'), size=('x', 'size'))",
        "df.groupby('k').agg(total=pd.NamedAgg(column='x', aggfunc='sum'))",
        "df.groupby(['k', 'n']).agg(total=('x', 'sum')).reset_index()",
        "df.groupby('k', as_index=False).agg(total=('x', 'sum'))",
        "df.groupby('k').x.agg(low='min', high='max')",
        "df.groupby('k').x.agg([('low', 'min'), ('high', 'max')])",
        "df.groupby('k').x.agg(np.mean)",
        "df.groupby('k').x.agg(sum)",
        "df.groupby('k')[['x', 'y']].agg(np.std)",
        "df.groupby('k').agg({'x': np.sum, 'k': 'count'})",
        "df.groupby('k').x.agg(pd.Series.nunique)",
        "df.groupby('k').agg({'nope': 'sum'})",
        "df.groupby('k').x.agg('nope')",
        "df.groupby('k').x.agg({'a': 'sum'})",
        "df.groupby('k').x.agg(['sum', 'sum'])",
        "df.groupby('k')[['x', 'y']].agg(['sum', 'sum'])",
        "df.groupby('k').agg()",
        "df.groupby('k').agg({'x': 'idxmax'})",
        "df.groupby('k').x.aggregate('max')",
        "df.groupby('k').agg('size')",
        "df.groupby('k').x.agg('size')",
        "df.groupby('k').agg({'x': 'size'})",
        "df.groupby('k').agg('sum', numeric_only=True)",
        "df.groupby('k').x.agg('describe')",
        "df.drop(columns='d').groupby('k').describe()",
        "df.groupby('k').t.agg(pd.Series.mode)",
        "df.groupby('t').n.agg(lambda v: pd.Series.mode(v)[0])",
    ):
        check(text, df=FRAME)


def test_agg_with_functions(spark: Any) -> None:
    for text in (
        "df.groupby('k').x.agg(lambda v: v.max() - v.min())",
        "df.groupby('k')[['x', 'y']].agg(lambda v: v.sum())",
        "df.groupby('k').agg({'x': lambda v: v.iloc[0], 's': 'first'})",
        "df.groupby('k').x.agg(['sum', lambda v: v.iloc[-1], lambda v: len(v)])",
        "df.groupby('k').agg(a=('x', 'sum'), b=('t', lambda v: '-'.join(v)))",
        "df.groupby('k').t.agg(', '.join)",
        "df.groupby('k').t.agg(list)",
        "df.groupby('k', sort=False).x.agg(lambda v: v.iloc[0] / 2)",
        "df.groupby('k', as_index=False).agg({'x': lambda v: v.mean()})",
        "df.groupby('k').s.agg(lambda v: v.mode().iloc[0] if v.notna().any() else nan)",
        "df.groupby('k').d.agg(lambda v: v.max())",
        "df.groupby('k').d.agg(lambda v: v.max() - v.min())",
        "df.groupby('k').b.agg(lambda v: v.any())",
        "df.groupby('k').x.agg(lambda v, more: v.sum() + more, 5)",
        "df.groupby('k').x.agg(lambda v: v.index[0])",
        "(lambda mean: df.groupby('k').x.agg(lambda v: v.sum() - mean))(df.x.mean())",
        "df.groupby('k').x.agg(lambda v: (v > df['x'].mean()).sum())",
    ):
        check(text, df=FRAME)
    check("df.groupby('k').x.agg(lambda v: v.index[0])", df=COUNTED)
    check("df.reset_index(drop=True).groupby('k').x.agg(lambda v: v.idxmax())", df=FRAME)
    check("df.reset_index(drop=True).groupby('k').x.agg(lambda v: v.sum())", df=FRAME)


def test_value_counts(spark: Any) -> None:
    for text in (
        "df.groupby('n').t.value_counts()",
        "df.groupby('n').t.value_counts(normalize=True)",
        "df.groupby('n').t.value_counts(sort=False)",
        "df.groupby('n').t.value_counts(ascending=True)",
        "df.groupby('n').s.value_counts(dropna=False)",
        "df.groupby(['k', 'n']).b.value_counts()",
    ):
        check(text, df=FRAME)


def test_categories(spark: Any) -> None:
    for text in (
        "df.groupby('c').x.sum()",
        "df.groupby('c').x.mean()",
        "df.groupby('c', observed=True).x.sum()",
        "df.groupby(['c', 'k']).x.agg(['sum', 'mean', 'count', 'min', 'nunique'])",
        "df.groupby(['k', 'c'], observed=True).size()",
        "df.groupby('c').size()",
        "df.groupby('k').c.first()",
        "df.groupby('k').c.agg(lambda v: len(v))",
        "df.groupby('k').c.apply(lambda v: v.iloc[0])",
        "df.groupby('c', as_index=False).x.sum()",
        "df.groupby('c').x.transform('sum')",
        "df.groupby('c', observed=True).apply(lambda d: d.x.sum())",
        "df.groupby('c').x.describe()",
        "df.groupby('c', observed=True).x.agg(lambda v: v.max() - v.min())",
        "df[df.x < 3].assign(c=lambda d: d.c.cat.remove_unused_categories()).groupby('c').x.agg(lambda v: v.sum())",
        "df.groupby(pd.cut(df.x, [0, 2, 4, 6, 8])).x.count()",
        "df.groupby(pd.cut(df.x, [0, 2, 4, 6, 8], labels=['a', 'b', 'c', 'd'])).x.mean()",
    ):
        check(text, df=KINDS)


@pytest.mark.parametrize(
    "text",
    [
        "df.groupby('c').x.agg(lambda v: len(v))",
        "df.groupby('c').apply(lambda d: len(d))",
        "df.assign(t='z').groupby('c').t.sum()",
        "df.groupby('c').ngroups",
        "[key for key, _ in df.groupby('c')]",
    ],
)
def test_functions_are_not_called_for_categories_without_rows(spark: Any, text: str) -> None:
    with pytest.raises(Unfaithful, match="categories without rows"):
        eval(text, {"df": given(KINDS), "__name__": "__main__"})


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("df.groupby('k').describe()", "describe"),
        ("df.groupby(df.b.where(df.n > 1), dropna=False)", "dropna=False"),
        ("df.set_axis([*'kxxybstd'], axis=1).groupby('k').x", "several columns 'x'"),
        ("df.set_axis([*'kxxybstd'], axis=1).groupby('k').count()", "several columns 'x'"),
        ("df.groupby('k').x.agg(set)", "agg(set)"),
        ("df.assign(s=df.s.astype('category')).groupby('n').s.agg(lambda v: v.iloc[0])", "categories"),
        ("df.groupby('k').apply(lambda d: {'a': 1})", "apply"),
        ("df.groupby('k').apply(lambda d: 1 if len(d) > 1 else d)", "apply"),
        ("df.groupby('k').s.sum()", "sum"),
        ("df.groupby('k').x.rolling(2).quantile(0.5)", "rolling"),
        ("df.groupby('k').corr()", "corr"),
    ],
)
def test_what_is_refused_names_the_call_and_the_line(spark: Any, text: str, call: str) -> None:
    with pytest.raises(Unfaithful) as problem:
        eval(text, {"df": given(FRAME), "pd": pandas, "__name__": "__main__"})
    assert call in str(problem.value)
    assert "line 1" in str(problem.value)


def test_the_users_function_is_found_in_the_plan(spark: Any) -> None:
    def spread(values: Any) -> Any:
        return values.max() - values.min()

    from predtrace.frontends.spark.udfs import python_function

    found = given(FRAME).groupby("k").x.agg(spread).to_spark()
    plan = found._jdf.queryExecution().analyzed()
    nodes = plan.collectLeaves()
    assert nodes.size() == 1
    node = plan
    while node.getClass().getSimpleName() != "FlatMapGroupsInPandas":
        node = node.children().apply(0)
    wrapper = python_function(node.functionExpr())
    cells = [cell.cell_contents for cell in wrapper.__closure__ or ()]
    calls = next(cell for cell in cells if isinstance(cell, list) and cell and isinstance(cell[0], tuple))
    assert any(getattr(part, "__name__", "") == "spread" for call in calls for part in call)
