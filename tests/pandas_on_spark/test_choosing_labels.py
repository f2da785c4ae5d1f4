"""Rows by labels of all kinds, of rows that are only counted, and of frames without rows."""

from __future__ import annotations

from typing import Any

import pytest
from tests.pandas_on_spark.choosing_programs import check, frames_of, numbers
from tests.pandas_on_spark.test_choosing import ROWS

OTHER_INDEXES = [
    "k.loc['z']",
    "k.loc['z', 'a']",
    "k.loc['z':'w']",
    "k.loc[:'y', ['a']]",
    "k.loc['q']",
    "k.loc['q':]",
    "k.loc[['w', 'x']]",
    "k['x':'y']",
    "k.sort_index().loc['w':'y']",
    "k.sort_index().loc['a':'xx']",
    "k.sort_index(ascending=False).loc['y':'w']",
    "k.a['z']",
    "k.a[1]",
    "k.a[[0, 2]]",
    "k.a[['y', 'x']]",
    "k.iloc[1]",
    "k.at['y', 'b']",
    "k.filter(like='z', axis=0)",
    "k.a.filter(items=['w', 'x'])",
    "r.loc[2]",
    "r.loc[1]",
    "r.loc[2, 'a']",
    "r.loc[5, 'b']",
    "r.loc[2:4]",
    "r.loc[[2, 1]]",
    "r.a.loc[2]",
    "r.a[5]",
    "r.loc[r.index[1:3]]",
    "m.loc['a']",
    "m.loc[('a', 1)]",
    "m.loc['a', 1]",
    "m.loc[('a', 1), 'v']",
    "m.loc['a', 'v']",
    "m.loc['zz']",
    "m.loc[('a', 9)]",
    "m.loc['a':'b']",
    "m.loc[['c', 'a']]",
    "m.loc[[('c', 3), ('a', 2)]]",
    "m.loc[(slice(None), 1), :]",
    "m.loc[(['a', 'c'], slice(None)), 'v']",
    "m.loc[('a',), :]",
    "m.v.loc['a']",
    "m.v['b', 1]",
    "m.v.loc[:, 1]",
    "m.xs('a')",
    "m.xs(1, level='n')",
    "m.xs(1, level=1, drop_level=False)",
    "m.xs(('a', 2))",
    "m.xs(7, level='n')",
    "m[m.v > 1]",
    "m.iloc[1:3]",
    "m.iloc[0]",
    "days.loc['2020-01']",
    "days.loc['2020']",
    "days.loc['2020-02-01']",
    "days.loc['2020-02-01 06:30']",
    "days.loc['2020-01-31':'2020-02-01']",
    "days.loc[:'2020-01']",
    "days.loc[pd.Timestamp('2020-02-01')]",
    "days.loc[pd.Timestamp('2020-01-31'):, 'v']",
    "days['2020-02':'2021']",
    "days.loc['1999']",
    "days.v['2020-01']",
]


@pytest.mark.parametrize("text", ROWS[:50:2] + ROWS[50::3])
def test_rows_that_are_only_counted(spark: Any, text: str) -> None:
    """The same where the index is the place of each row."""
    check(f"df = df.sort_values('a', kind='stable').reset_index(drop=True)\n{text}", df=numbers())


@pytest.mark.parametrize("text", OTHER_INDEXES)
def test_rows_of_other_indexes(spark: Any, text: str) -> None:
    check(text, **frames_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "df[df.a > 1]",
        "df.head(3)",
        "df.tail()",
        "df.iloc[1:]",
        "df.iloc[::-1]",
        "df.iloc[0]",
        "df.loc[0]",
        "df.loc[df.a > 0, 'b']",
        "df.loc[:, ['a']]",
        "df.sort_values('a')",
        "df.drop_duplicates()",
        "df.a.item()",
        "df.b.first_valid_index()",
    ],
)
def test_frames_without_rows(spark: Any, text: str) -> None:
    check(text, df=numbers().iloc[:0])
