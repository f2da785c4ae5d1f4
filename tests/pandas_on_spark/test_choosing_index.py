"""The index: `set_index`, `reset_index`, `reindex`, `index` and names."""

from __future__ import annotations

from typing import Any

import pytest
from tests.pandas_on_spark.choosing_programs import check, frames_of, program

from predtrace.errors import InputError

SETTING = [
    "df.set_index('a')",
    "df.set_index(['s', 'a'])",
    "df.set_index('a', drop=False)",
    "df.set_index('a', append=True)",
    "df.set_index('zz')",
    "df.set_index(['a', 'zz'])",
    "df.set_index('a', inplace=True)\ndf",
    "df.set_index('a', verify_integrity=True)",
    "df.set_index(df.a * 2)",
    "df.set_index([df.a, 's'])",
    "df.set_index([['p', 'q', 'r', 's', 't']])",
    "df.set_index(pd.Index([5, 4, 3, 2, 1], name='n'))",
    "df.set_index('d').loc['2020']",
    "df.set_index('s').loc['x', 'a']",
    "df.set_index('a').sort_index().loc[1:2]",
    "df.set_index('a')['b'] + df.set_index('a')['b']",
    "df.set_index('a').reset_index()",
    "df.set_index('a').reset_index(drop=True)",
    "df.set_index(['s', 'a']).reset_index(level='s')",
    "df.set_index(['s', 'a']).reset_index(level=1, drop=True)",
    "df.set_index(['s', 'a']).reset_index(level=['a', 's'])",
    "df.reset_index()",
    "df.reset_index().reset_index()",
    "df.reset_index(drop=True)",
    "df.reset_index(names='number')",
    "df.rename_axis('a').reset_index()",
    "df.rename_axis('i').reset_index()",
    "df[df.a > 1].reset_index()",
    "df[df.a > 1].reset_index(drop=True)",
    "df.reset_index(inplace=True)\ndf",
    "m.reset_index()",
    "m.reset_index('zz')",
    "m.reset_index(names=['one', 'two'])",
    "m.rename_axis([None, None]).reset_index()",
    "k.reset_index(names='label')",
    "df.a.reset_index()",
    "df.a.reset_index(drop=True)",
    "df.a.reset_index(name='value')",
    "df.a[df.a > 1].reset_index()",
    "m.v.reset_index()",
    "m.v.reset_index(level=0)",
    "(df.a * 2).rename(None).reset_index()",
    "k.rename_axis('name')",
    "k.rename_axis(columns='name')",
    "k.rename_axis('name', axis=1)",
    "k.rename_axis('name', axis='columns').rename_axis(None, axis=1)",
    "m.rename_axis(index={'k': 'key'})",
    "m.rename_axis(index=str.upper)",
    "m.rename_axis(['one', 'two'])",
    "df.a.rename_axis('name')",
    "m.droplevel('k')",
    "m.droplevel(1)",
    "m.droplevel([0, 1])",
    "m.swaplevel()",
    "m.swaplevel('n', 'k').sort_index()",
    "m.reorder_levels(['n', 'k'])",
    "m.v.droplevel(0)",
    "df[['a', 'b']].set_axis(['p', 'q'], axis=1)",
    "k.set_axis([4, 3, 2, 1])",
    "k.set_axis([4, 3])",
]

REINDEXING = [
    "df.reindex([2, 0, 9])",
    "df.reindex([2, 0])",
    "df.reindex(range(7))",
    "df.reindex(columns=['b', 'z', 'a'])",
    "df.reindex(columns=['b', 'z'], fill_value=0)",
    "df.reindex(['b', 'a'], axis=1)",
    "df[['a']].reindex([1, 9], fill_value=0)",
    "df[['a']].reindex([1, 9], fill_value=0.5)",
    "df[['a']].reindex([1, 2], fill_value=0.5)",
    "df[['b', 's']].reindex([1, 9]).fillna({'s': 'none'})",
    "df.reindex(index=[1, 9], columns=['a'])",
    "k.reindex(['w', 'q', 'x'])",
    "k.reindex(['w', 'q'], columns=['s'], fill_value='none')",
    "k.rename_axis('i').reindex(['w', 'q'])",
    "k.rename_axis('i').reindex(pd.Index(['w', 'q'], name='j'))",
    "k.reindex(k.sort_values('s', ascending=False).index)",
    "k.a.reindex(['w', 'q'])",
    "k.a.reindex(['w', 'q'], fill_value=0)",
    "r.reindex([1, 2])",
    "m.reindex([('a', 1), ('q', 1)])",
    "days.reindex(pd.to_datetime(['2020-02-01', '2000-01-01']))",
    "k.reindex_like(k[['a', 's']].sort_index())",
    "df[df.a > 1].reindex(df.index)",
    "df.groupby('s').a.sum().reindex(['x', 'q'], fill_value=0)",
]

INDEX = [
    "k.index.tolist()",
    "list(k.index)",
    "k.index.to_list() == list(k.index.values)",
    "len(k.index), k.index.size, k.index.shape, k.index.nlevels",
    "k.index.name, list(m.index.names)",
    "k.index.name = 'i'\nk",
    "m.index.names = ['p', 'q']\nm",
    "df.index.name = 'i'\ndf.reset_index()",
    "'x' in k.index, 'q' in k.index, 2 in r.index, ('a', 1) in m.index",
    "k[k.index.isin(['x', 'w'])]",
    "df[df.index.isin([0, 3, 77])]",
    "df[df.index > 2]",
    "df.sort_values('a')[df.sort_values('a').index > 2]",
    "df[df.index % 2 == 0]",
    "k[k.index != 'x']",
    "k['i'] = k.index\nk",
    "df['i'] = df.index\ndf",
    "df['i'] = df.index + 1\ndf",
    "df['i'] = k.index[:1].tolist()[0]\ndf",
    "k['n'] = df.index[:4]\nk",
    "days['y'] = days.index.year\ndays",
    "days['y'] = days.index.month\ndays.groupby('y').v.sum()",
    "days[days.index.year == 2020]",
    "days[days.index >= '2020-02-01']",
    "k['u'] = k.index.str.upper()\nk",
    "k[k.index.str.contains('x|y')]",
    "k.index = k.index.str.upper()\nk",
    "k.index = k.index.map(lambda label: label + '!')\nk",
    "k.index = k.index.map({'x': 1, 'z': 2, 'y': 3, 'w': 4})\nk",
    "k.index = [1, 2, 3, 4]\nk",
    "k.index = [1, 2]\nk",
    "k.index = range(4)\nk",
    "k.index = range(1, 5)\nk",
    "k.index = k.a * 2\nk",
    "k.index = pd.Index(list('mnop'), name='l')\nk",
    "k.index = k.sort_values('b').index\nk",
    "df.index = pd.MultiIndex.from_arrays([[1, 1, 2, 2, 3], list('abcde')])\ndf",
    "df.index = pd.date_range('2020-01-01', periods=5)\ndf",
    "df.a.index.tolist()",
    "s = df.a\ns.index = list('vwxyz')\ns",
    "r.index.unique().tolist()",
    "r.index.nunique()",
    "r.index.is_unique, k.index.is_unique",
    "r.index.min(), r.index.max()",
    "k.index.sort_values(ascending=False).tolist()",
    "k.index[0], k.index[-1]",
    "k.index[9]",
    "k.index[1:3].tolist()",
    "k.index[[2, 0]].tolist()",
    "k[k.a > 1].index.tolist()",
    "k.index[k.a > 1].tolist()",
    "df[df.a > 1].index.values",
    "df.drop(df[df.a > 1].index)",
    "k.drop(k[k.a > 1].index, inplace=True)\nk",
    "m.index.get_level_values('k').tolist()",
    "m[m.index.get_level_values('k') == 'a']",
    "m['l'] = m.index.get_level_values(1)\nm",
    "m.index.get_level_values(0).unique().tolist()",
    "k.index.to_series()",
    "m.index.to_frame(index=False)",
    "k.index.astype(str).tolist()",
    "df.index.dtype",
    "[label for label in k.index]",
    "k.index.rename('i').name",
    "k.index.empty, k[k.a > 9].index.empty",
    "df[df['a'].isin(r.index)]",
    "m.index.to_frame()['n'].tolist()",
]


@pytest.mark.parametrize("text", SETTING)
def test_levels_and_columns(spark: Any, text: str) -> None:
    check(text, **frames_of(text))


@pytest.mark.parametrize("text", REINDEXING)
def test_labels_that_are_given(spark: Any, text: str) -> None:
    check(text, **frames_of(text))


@pytest.mark.parametrize("text", INDEX)
def test_the_index(spark: Any, text: str) -> None:
    check(text, **frames_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "df['i'] = df.index\ndf",
        "df[df.index > 2]",
        "df[df.index.isin([0, 3])]",
        "df.index.tolist(), len(df.index), df.index[1]",
        "df.index = df.index + 1\ndf",
        "df.index += 1\ndf",
        "labels = df.index\nlabels += 1\nlabels.tolist(), df.index.tolist()",
        "df.reindex([2, 9])",
        "df.drop(df[df.a > 1].index)",
        "df.set_index('a', append=True)",
        "df.loc[df[df.a > 1].index]",
        "df.rename_axis('i').reset_index()",
        "df.rename_axis('i').sort_values('i', ascending=False)",
    ],
)
def test_rows_that_are_only_counted(spark: Any, text: str) -> None:
    """Where the index is the place of each row."""
    check(f"df = df.sort_values('a', kind='stable').reset_index(drop=True)\n{text}", **frames_of("df"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("df.reindex([1, 9], method='nearest')", "DataFrame.reindex"),
        ("df[['s']].reindex([1, 9], fill_value=0)", "DataFrame.reindex.fill_value=0"),
        ("df.reindex(['x'])", "reindex.. with object labels"),
        ("df.index.union([1])", "Index.union"),
    ],
)
def test_what_is_refused(spark: Any, text: str, says: str) -> None:
    import predtrace.pandas as ours

    with pytest.raises(InputError, match=says) as refusal:
        program(text)(ours, df=ours.DataFrame(frames_of("df")["df"]))
    assert "line" in str(refusal.value)
