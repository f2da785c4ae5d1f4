"""`groupby`: a value for each row, some of the rows, and functions of whole groups. The oracle is pandas."""

from __future__ import annotations

from typing import Any

import pytest
from tests.pandas_on_spark.grouping_frames import FRAME
from tests.pandas_on_spark.programs import check
from tests.pandas_on_spark.same import same

import predtrace.pandas as ours
from predtrace.frontends.pandas.core.steps import Unfaithful

pytestmark = pytest.mark.filterwarnings("ignore")


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
        "df.groupby('k').x.shift(1, fill_value=0)",
        "df.groupby('k').y.shift(-1, fill_value=9.5)",
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


def test_apply_with_numbers_of_groups(spark: Any) -> None:
    for text in (
        "g.apply(lambda d: d.nlargest(1, 'x'))",
        "g.apply(lambda d: d.nlargest(1, 'x')).reset_index(drop=True)",
        "g.apply(lambda d: d.assign(z=d.x.cumsum()))",
        "g.apply(lambda d: d.head(1)).loc[0]",
        "g.apply(lambda d: d[[]]).reset_index()",
        "df.groupby(['n', 'b'], as_index=False).apply(lambda d: d.head(2))",
        "df.set_index('d').groupby('k', as_index=False).apply(lambda d: d.head(1))",
        "df.groupby('k', as_index=False, group_keys=False).apply(lambda d: d.head(1))",
    ):
        check(f"(lambda g: {text})(df.groupby('k', as_index=False))", df=FRAME)


@pytest.mark.parametrize(
    "text",
    [
        "df.groupby('k', as_index=False).apply(lambda d: d[d.x > 2])",
        "df.groupby('k', as_index=False).x.apply(lambda v: v.head(1))",
        "df.groupby('k', as_index=False, sort=False).apply(lambda d: d.head(1))",
    ],
)
def test_numbers_of_groups_that_are_not_known(spark: Any, text: str) -> None:
    with pytest.raises(Unfaithful, match="pandas"):
        eval(text, {"df": ours.DataFrame(FRAME)})


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
