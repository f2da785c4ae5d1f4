"""Reading rows, columns and cells: `df[...]`, `loc`, `iloc`, `at`, `head` and the like."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.choosing_programs import check, frames_of, numbers, program

from predtrace.errors import InputError

COLUMNS = [
    "df[['b', 'a']]",
    "df[[]].shape",
    "df['zz']",
    "df[['a', 'zz']]",
    "df.loc[:, 'b':'t']",
    "df.loc[:, ['s', 'a']]",
    "df.loc[:, df.columns != 's']",
    "df.loc[:, lambda f: [c for c in f.columns if c > 'c']]",
    "df.iloc[:, 0]",
    "df.iloc[:, [2, 0]]",
    "df.iloc[:, -2:]",
    "df.iloc[:, [True, False, True, False, False]]",
    "df[df.columns[1:3]]",
    "df[pd.Index(['s', 't'])]",
    "df.get('a')",
    "df.get('q', 7)",
    "df.filter(items=['t', 'q', 'a'])",
    "df.filter(like='a')",
    "df.filter(regex='^[ab]$')",
    "df.select_dtypes('number')",
    "df.select_dtypes(include=['object', 'bool'])",
    "df.select_dtypes(exclude=['float64', 'datetime64'])",
    "df.select_dtypes(include=[np.number], exclude=['int64'])",
    "df[['a']].squeeze()",
    "df[['a']].squeeze('columns')",
    "df.head(1)[['b']].squeeze()",
    "df.take([0, 2], axis=1)",
    "df.xs('a', axis=1)",
]

ROWS = [
    "df[df.a > 1]",
    "df[~(df.a > 1) | df.s.isnull()]",
    "df[df['s'] == 'x']['b']",
    "df[[True, False, True, False, True]]",
    "df[np.array([False, False, False, False, False])]",
    "df[df.a > 100]",
    "df[lambda f: f.a < 3]",
    "df[1:3]",
    "df[:2]",
    "df[-2:]",
    "df[::-1]",
    "df[::2]",
    "df[3:0:-2]",
    "df[df.a > 0][df.b > 0]",
    "df.loc[df.a > 1]",
    "df.loc[df.a > 1, 'b']",
    "df.loc[df.a > 1, ['s', 'b']]",
    "df.loc[lambda f: f.a > 1, 'a':'s']",
    "df.loc[2]",
    "df.loc[2, 'b']",
    "df.loc[2, 's']",
    "df.loc[2, ['a', 'b']]",
    "df.loc[7]",
    "df.loc[7, 'a']",
    "df.loc[1:3]",
    "df.loc[:2, 'a']",
    "df.loc[3:]",
    "df.loc[[3, 0]]",
    "df.loc[[3, 0, 3], 'a']",
    "df.loc[[1, 9]]",
    "df.loc[[]]",
    "df.loc[df[df.a > 1].index]",
    "df.loc[df[df.a > 1].index, 'b']",
    "df.loc[df.a.idxmax()]",
    "df.loc[df.a.idxmax(), 's']",
    "df.at[1, 'a']",
    "df.at[9, 'a']",
    "df.iat[1, 0]",
    "df.iloc[0]",
    "df.iloc[-1]",
    "df.iloc[2]['a']",
    "df.iloc[2].s",
    "df.iloc[3][['a', 'b']]",
    "df.iloc[9]",
    "df.iloc[1, 2]",
    "df.iloc[-2, 0]",
    "df.iloc[1:3, 1:]",
    "df.iloc[:-1]",
    "df.iloc[1:-1, 0]",
    "df.iloc[-3:-1]",
    "df.iloc[2:100]",
    "df.iloc[4:1]",
    "df.iloc[1:4:2]",
    "df.iloc[[2, 0, -1]]",
    "df.iloc[[1, 1], [0]]",
    "df.iloc[[9]]",
    "df.iloc[[True, False, True, False, False], 1]",
    "df.head(2)",
    "df.head(0)",
    "df.head(-2)",
    "df.tail(2)",
    "df.tail(-3)",
    "df.tail(100)",
    "df.take([4, 0])",
    "df.sample(3, random_state=1)",
    "df.sample(frac=1, random_state=7).reset_index(drop=True)",
    "df.sample(n=4, replace=True, random_state=3)",
    "df.a[df.a > 1]",
    "df.a[2]",
    "df.a.loc[2]",
    "df.a.loc[1:2]",
    "df.a.iloc[-1]",
    "df.a.iloc[1:3]",
    "df.a[[4, 1]]",
    "df.a[:2]",
    "df.s.iat[1]",
    "df.s.at[0]",
    "df.b.head(2)",
    "df.a.get(2)",
    "df.a.get(20, 'none')",
    "df.b.first_valid_index()",
    "df.b[1:3].first_valid_index()",
    "df.s.last_valid_index()",
    "df.b[1:2].first_valid_index()",
    "df.a.head(1).item()",
    "df.a.item()",
    "df.a.head(1).squeeze()",
    "df.filter(items=[3, 1, 77], axis=0)",
    "df.xs(2)",
    "df[df.a > df.a.mean()]",
    "df[df > 1] if False else df[['a', 'b']][df[['a', 'b']] > 1]",
    "df.index[2]",
    "df.loc[df.index[1], 'a']",
    "df.loc[df.index[1:3]]",
]

LABELS_OF_COLUMNS = [
    "w['x']",
    "w['y', 'q']",
    "w[('x', 'p')]",
    "w[['y']]",
    "w['z']",
    "w.loc[:, 'x']",
    "w.loc[:, ('x', 'p')]",
    "w.loc[w['x', 'p'] > 1, 'y']",
    "w.sort_values(('x', 'p'))",
    "w.reset_index()",
    "w.droplevel(0, axis=1)",
    "w.droplevel('two', axis='columns')",
    "w.swaplevel(axis=1)",
    "w.drop_duplicates(subset=[('y', 'q')])",
    "v['a']",
    "v[['b', 'a']]",
    "v.loc[v.b > 1]",
    "v.iloc[:, 1]",
    "v[0]",
]


@pytest.mark.parametrize("text", COLUMNS)
def test_columns(spark: Any, text: str) -> None:
    check(text, **frames_of(text))


@pytest.mark.parametrize("text", LABELS_OF_COLUMNS)
def test_columns_whose_labels_have_levels_or_repeat(spark: Any, text: str) -> None:
    labels = pandas.MultiIndex.from_tuples([("x", "p"), ("x", "q"), ("y", "q")], names=["one", "two"])
    levelled = pandas.DataFrame([[2, 1, 5], [1, 3, 5]], columns=labels)
    repeated = pandas.DataFrame([[1, 2, 3], [4, 5, 0]], columns=["a", "a", "b"])
    check(text, **({"w": levelled} if text.startswith("w") else {"v": repeated}))


@pytest.mark.parametrize("text", ROWS)
def test_rows(spark: Any, text: str) -> None:
    check(text, **frames_of(text))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("df.sample(2, weights='a')", "DataFrame.sample"),
        ("df.iloc[0].sum()", "calculating with a row"),
        ("r.sort_index(ascending=False).iloc[[1, 0, 2, 3]].loc[2:5]", "a slice that ends at the label 2"),
    ],
)
def test_what_is_refused(spark: Any, text: str, says: str) -> None:
    import predtrace.pandas as ours

    frames = {name: ours.DataFrame(frame) for name, frame in frames_of(text).items()}
    with pytest.raises(InputError, match=says) as refusal:
        program(text)(ours, **frames)
    assert "line" in str(refusal.value)


def test_a_row_is_a_series_where_its_values_have_one_type(spark: Any) -> None:
    check("df[['a', 'b']].iloc[0].sum()", df=numbers())
    check("df[['a', 'b']].iloc[0] * 2", df=numbers())
    check("dict(df.iloc[3])['s'], len(df.iloc[0]), 'a' in df.iloc[0], list(df.iloc[0].index)", df=numbers())
