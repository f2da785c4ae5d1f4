"""`groupby`: aggregates, transforms, functions. The oracle is pandas."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.programs import check
from tests.pandas_on_spark.same import given, same

from predtrace.frontends.pandas.core.steps import Unfaithful

pytestmark = pytest.mark.filterwarnings("ignore")
nan = float("nan")

FRAME = pandas.DataFrame(
    {
        "k": ["b", "a", nan, "b", "a", "c", "b"],
        "n": [2, 1, 1, 2, 1, 2, 1],
        "x": [3, -1, 4, 4, -5, 0, 3],
        "y": [1.5, nan, -2.5, 0.0, nan, nan, 1.5],
        "b": [True, False, True, True, False, True, False],
        "s": ["p", "q", nan, "r", "q", nan, "p"],
        "t": ["b", "a", "c", "b", "a", "a", "z"],
        "d": pandas.to_datetime(
            ["2020-01-05", None, "2019-12-31", "2020-03-01", "2020-01-05", None, "2018-01-01"]
        ),
    },
    index=[10, 20, 30, 40, 50, 60, 70],
)
WHOLE = FRAME.dropna(subset=["k"])
COUNTED = FRAME.reset_index(drop=True)
NUMBERS = FRAME[["k", "x", "y"]]
EMPTY = FRAME.iloc[:0]
KINDS = pandas.DataFrame(
    {
        "c": pandas.Series(["u", "v", "u", nan, "v"], dtype=pandas.CategoricalDtype(["w", "v", "u"])),
        "k": [1, 1, 2, 2, 1],
        "x": [1, 2, 3, 4, 5],
    }
)


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
        "df.groupby('k').b.agg(lambda v: v.any())",
        "df.groupby('k').x.agg(lambda v, more: v.sum() + more, 5)",
        "df.groupby('k').x.agg(lambda v: v.index[0])",
        "(lambda mean: df.groupby('k').x.agg(lambda v: v.sum() - mean))(df.x.mean())",
    ):
        check(text, df=FRAME)
    check("df.groupby('k').x.agg(lambda v: v.index[0])", df=COUNTED)
    check("df.reset_index(drop=True).groupby('k').x.agg(lambda v: v.idxmax())", df=FRAME)
    check("df.reset_index(drop=True).groupby('k').x.agg(lambda v: v.sum())", df=FRAME)


def test_values_for_each_row(spark: Any) -> None:
    names = ["mean", "sum", "count", "size", "nunique", "min", "max", "first", "last", "std", "median"]
    for key in "kn":
        made = ", ".join(f"{n}_=df.groupby({key!r}).x.transform({n!r})" for n in [*names, "rank", "cumsum"])
        check(f"df.assign({made})", df=FRAME)
    for text in (
        "df.groupby('k')[['x', 'y']].transform('sum')",
        "df.groupby('k').b.transform('sum')",
        "df.groupby('k').x.transform(np.mean)",
        "df.assign(m=df.groupby('k').x.transform('mean'))",
        "df[df.groupby('k').x.transform('size') > 1]",
        "df.y.fillna(df.groupby('n').y.transform('mean'))",
        "df.x - df.groupby('k').x.transform('mean')",
        "df.groupby('k').x.cumsum()",
        "df.groupby('n')[['x', 'y']].cumsum()",
        "df.groupby('n').x.cumprod()",
        "df.groupby('k').y.cummax()",
        "df.groupby('n').x.cummin()",
        "df.groupby('n').b.cumsum()",
        "df.groupby('k').s.cumsum()",
        "df.groupby('k').cumcount()",
        "df.groupby('n').cumcount(ascending=False)",
        "df.groupby('n').cumcount() + 1",
        "df.groupby('k').ngroup()",
        "df.groupby(['n', 'b']).ngroup()",
        "df.groupby('n').ngroup(ascending=False)",
        "df.groupby('k').x.shift()",
        "df.groupby('n').shift(-1)",
        "df.groupby('n').x.shift(1, fill_value=0)",
        "df.sort_values('x', kind='stable').groupby('n').x.shift()",
        "df.groupby('k').x.diff()",
        "df.groupby('n').d.diff()",
        "df.groupby('n').x.pct_change()",
        "df.groupby('k').x.rank()",
        "df.groupby('n').y.rank(method='dense', ascending=False)",
        "df.groupby('n').x.rank(method='first', pct=True)",
        "df.groupby('k').y.ffill()",
        "df.groupby('n').bfill()",
        "df.groupby('n').y.fillna(0)",
        "df.groupby('k').x.rolling(2).sum()",
        "df.groupby('k')[['x', 'y']].rolling(2, min_periods=1).mean()",
        "df.groupby(['k', 'n']).x.expanding().max()",
        "df.groupby('n').x.rolling(2).mean().reset_index(level=0, drop=True)",
        "df.reset_index(drop=True).groupby('n').x.rolling(2).count()",
    ):
        check(text, df=FRAME)


def test_transform_with_functions(spark: Any) -> None:
    for text in (
        "df.groupby('k').x.transform(lambda v: v - v.mean())",
        "df.groupby('k').y.transform(lambda v: v.fillna(v.mean()))",
        "df.groupby('n')[['x', 'y']].transform(lambda v: v.sum())",
        "df.groupby('n').t.transform(lambda v: v.str.upper())",
        "df.groupby('k').x.transform(lambda v: v.name)",
        "df.groupby('n').x.transform(lambda v, by: v * by, 3)",
        "df.assign(z=df.groupby('k').x.transform(lambda v: v.rank()))",
        "df.reset_index(drop=True).assign(z=df.reset_index(drop=True).groupby('k').x.transform(lambda v: v.max()))",
        "df.sort_values('x', kind='stable').groupby('n').x.transform(lambda v: v.iloc[0])",
        "(lambda top: df.groupby('n').x.transform(lambda v: v * top))(df.x.max())",
    ):
        check(text, df=FRAME)

    def program(pd: Any, df: Any) -> Any:
        df["new"] = df.groupby("k")["x"].transform(lambda v: v / 2)
        return df[df.new > 0]

    same(program, df=FRAME)


def test_apply(spark: Any) -> None:
    for text in (
        "g.apply(lambda d: d.x.sum())",
        "g.apply(lambda d: pd.Series({'total': d.x.sum(), 'count': len(d)}))",
        "g.apply(lambda d: pd.Series({'total': d.x.sum(), 'mean': d.y.mean()}))",
        "g.apply(lambda d: pd.Series({'total': d.x.sum(), 'first': d.t.iloc[0], 'half': 0.5}))",
        "g.apply(lambda d: d.head(1))",
        "g.apply(lambda d: d.sort_values('x', ascending=False))",
        "g.apply(lambda d: d.nlargest(1, 'x'))",
        "g.apply(lambda d: d.assign(z=d.x - d.x.mean()))",
        "g.apply(lambda d: d.head(1)).reset_index(drop=True)",
        "g.apply(lambda d: d.reset_index(drop=True))",
        "g.apply(lambda d: d.iloc[0])",
        "g.apply(lambda d: d.x * 2)",
        "g.apply(lambda d: d.loc[d.x.idxmax(), 't'])",
        "g.apply(lambda d: None if len(d) < 2 else d.x.sum())",
        "g.apply(lambda d: None if len(d) < 2 else d)",
        "g.apply(lambda d, n: d.x.sum() + n, 5)",
        "g.apply(lambda d, n=0: d.x.sum() + n, n=7)",
        "g.apply(lambda d: d.name)",
        "g.apply(len)",
        "g.apply('sum', numeric_only=True)",
        "g[['x', 'y']].apply(lambda d: d.sum())",
        "g.apply(lambda d: d.head(1), include_groups=False)",
        "g.apply(lambda d: (d.x * d.n).sum() / d.n.sum())",
        "g.x.apply(lambda v: v.sum())",
        "g.x.apply(lambda v: v.head(1))",
        "g.x.apply(lambda v: v * 2)",
        "g.x.apply(np.sum)",
        "g.t.apply(list)",
        "g.t.apply(lambda v: ','.join(v))",
        "g.t.apply(lambda v: v.value_counts())",
        "g.x.apply(lambda v: v.describe())",
        "g.x.apply(lambda v: v.to_frame('z'))",
        "(lambda mean: g.apply(lambda d: d.x.mean() - mean))(df.x.mean())",
        "df.groupby('k', group_keys=False).apply(lambda d: d.head(1))",
        "df.groupby('k', group_keys=False).apply(lambda d: d.assign(z=1))",
        "df.groupby('k', group_keys=False).x.apply(lambda v: v * 2)",
        "df.groupby('k', sort=False).apply(lambda d: d.x.sum())",
        "df.groupby('k', sort=False).apply(lambda d: d.tail(1))",
        "df.groupby(['k', 'n']).apply(lambda d: d.x.sum())",
        "df.groupby(['k', 'n']).apply(lambda d: d.head(1))",
        "df.groupby('k', as_index=False).apply(lambda d: d.x.sum())",
        "df.groupby('k', as_index=False).apply(lambda d: pd.Series({'m': d.x.sum()}))",
        "df.groupby('k', as_index=False).x.apply(lambda v: v.sum())",
    ):
        check(f"(lambda g: {text})(df.groupby('k'))", df=FRAME)


def test_apply_to_rows_that_are_counted(spark: Any) -> None:
    for text in (
        "df.reset_index(drop=True).groupby('k').apply(lambda d: d.x.sum())",
        "df.reset_index(drop=True).groupby('k').apply(lambda d: d.index[0])",
        "df.reset_index(drop=True).groupby('k').apply(lambda d: d.head(1))",
        "df.reset_index(drop=True).groupby('k').apply(lambda d: d.loc[d.x.idxmax()])",
        "df.reset_index(drop=True).groupby('k').t.apply(lambda v: v.value_counts())",
    ):
        check(text, df=FRAME)


def test_some_rows(spark: Any) -> None:
    for text in (
        "df.groupby('k').head(1)",
        "df.groupby('k').tail(2)",
        "df.groupby('n').head(-1)",
        "df.groupby('n').tail(-2)",
        "df.sort_values('x', ascending=False, kind='stable').groupby('k').head(1)",
        "df.groupby('k').nth(0)",
        "df.groupby('n').nth([0, -1])",
        "df.groupby('k').x.nth(1)",
        "df.groupby('k').x.head(1)",
        "df.groupby('k')[['x']].tail(1)",
        "df.reset_index(drop=True).groupby('k').head(1)",
        "df.groupby('k').filter(lambda d: d.x.sum() > 0)",
        "df.groupby('n').filter(lambda d: len(d) > 3)",
        "df.groupby('k').x.filter(lambda v: v.max() > 3)",
        "df.reset_index(drop=True).groupby('k').filter(lambda d: len(d) > 1)",
        "[(key, len(group)) for key, group in df.groupby('k')]",
        "[(key, group) for key, group in df.groupby(['k', 'n'])]",
        "[key for key, _ in df.groupby(['n'])]",
        "[group for _, group in df.groupby('n').x]",
        "[key for key, _ in df.groupby('k', sort=False)]",
        "[key for key, _ in df.groupby('d')]",
        "df.groupby('k').get_group('a')",
        "df.groupby(['k', 'n']).get_group(('b', 1))",
        "df.groupby('k').get_group('nope')",
        "df.groupby('k').x.get_group('b')",
        "df.groupby('k').ngroups",
        "len(df.groupby('n'))",
        "{key: list(value) for key, value in df.groupby('k').groups.items()}",
        "df.groupby('k').pipe(lambda g: g.x.sum())",
    ):
        check(text, df=FRAME)


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
        "df.groupby('c', as_index=False).x.sum()",
        "df.groupby('c').x.transform('sum')",
        "df.groupby('c', observed=True).apply(lambda d: d.x.sum())",
        "df.groupby(pd.cut(df.x, [0, 2, 4, 6, 8])).x.count()",
        "df.groupby(pd.cut(df.x, [0, 2, 4, 6, 8], labels=['a', 'b', 'c', 'd'])).x.mean()",
    ):
        check(text, df=KINDS)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("df.groupby(lambda label: label // 20)", "groupby"),
        ("df.groupby({10: 1})", "groupby"),
        ("df.groupby(pd.Grouper(key='d', freq='D'))", "Grouper"),
        ("df.groupby('k').x.agg(set)", "agg(set)"),
        ("df.groupby('k').apply(lambda d: {'a': 1})", "apply"),
        ("df.groupby('k').apply(lambda d: 1 if len(d) > 1 else d)", "apply"),
        ("df.groupby('k').s.sum()", "sum"),
        ("df.groupby('k').x.quantile([0.1, 0.9])", "quantile"),
        ("df.groupby('k').x.rolling(2).apply(sum)", "rolling"),
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
