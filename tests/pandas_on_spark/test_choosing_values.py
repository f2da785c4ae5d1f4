"""Setting several values: series, frames and lists; in series; and for labels that are new."""

from __future__ import annotations

from typing import Any

import pytest
from tests.pandas_on_spark.choosing_programs import check, frames_of
from tests.pandas_on_spark.test_choosing_setting import SCALARS

SEVERAL = [
    "df.loc[df.a > 1, 'a'] = df.a * 2",
    "df.loc[df.a > 1, 'a'] = df.b",
    "df.loc[df.a > 1, 'a'] = df.a / 1",
    "df.loc[df.a > 1, 'a'] = df.a / 2",
    "df.loc[df.a > 1, 'b'] = df.a",
    "df.loc[df.a > 1, 'b'] = df.loc[df.a > 1, 'a'] * 10",
    "df.loc[df.a > 1, 'a'] = df.a[:1]",
    "df.loc[df.a > 100, 'a'] = df.b",
    "df.loc[df.a > 1, 's'] = df.s + '!'",
    "df.loc[df.a > 1, 'n'] = df.a",
    "df.loc[df.a > 1, 'n'] = df.s",
    "df.loc[df.a > 1, 'n'] = df.d",
    "df.loc[df.a > 1, 'a'] = [100, 200]",
    "df.loc[df.a > 1, 'a'] = [1, 2, 3, 4]",
    "df.loc[df.a > 1, 'a'] = np.array([0.5, 1.5])",
    "df.loc[df.a > 1, 'a'] = [5]",
    "df.loc[:, 'a'] = [5, 4, 3, 2, 1]",
    "df.loc[:, 'a'] = df.b",
    "df.loc[:, 'a'] = df.a / 1",
    "df.loc[:, 'b'] = df.a",
    "df.loc[:, 't'] = df.a",
    "df.loc[:, 'd'] = df.a",
    "df.loc[df.a > 1, ['a', 'b']] = df[['a', 'b']] * 2",
    "df.loc[df.a > 1, ['a', 'b']] = df[['b', 'a']]",
    "df.loc[df.a > 1, ['a', 'b']] = df[['a', 's']].rename(columns={'s': 'q'})",
    "df.loc[df.a > 1, ['a', 'b']] = [[1, 2.5], [3, 4.5]]",
    "df.loc[df.a > 1, ['a', 'b']] = np.array([[1, 2], [3, 4]])",
    "df.iloc[:2, 0] = df.a.iloc[:2] * 2",
    "df.iloc[:, 0] = df.a * 2",
    "df.iloc[1:3, 0] = [7, 8]",
    "df[df[['a', 'b']] > 1] = 0\ndf = df[['a', 'b']]",
    "df.loc[df.s == 'x', 'a'] = pd.Series([70, 80, 90], index=[0, 3, 4])",
    "df.loc[df.a > 1, 'b'] = df.groupby('t').b.transform('mean')",
]

ENLARGING = [
    "df.loc[5] = [1, 2.5, 'q', True, pd.Timestamp('2020-01-01')]",
    "df.loc[len(df)] = [1, nan, None, True, None]",
    "df.loc[20] = [1, 2.5, 'q', True, pd.NaT]",
    "df = df[['a', 'b']]\ndf.loc[5] = [1, 2]",
    "df = df[['a', 'b']]\ndf.loc[5] = {'b': 1}",
    "df = df[['a']]\ndf.loc[5] = 3",
    "df.loc[5, 'a'] = 3",
    "df.loc[5, 'n'] = 3",
    "df.at[5, 's'] = 'new'",
    "df.loc[5] = [1, 2]",
    "k.loc['new'] = [5, 5.5, 't']\ndf = k",
    "k.loc['new', 'a'] = 5\ndf = k",
    "df = df[['a', 'b', 's']].reset_index(drop=True)\ndf.loc[len(df)] = [7, 7.5, 'u']\ndf.loc[len(df)] = [8, 8, 'v']",
]

OF_SERIES = [
    "s[s > 1] = 0",
    "s[2] = 100",
    "s.loc[1:2] = 0",
    "s.loc[s > 1] = s * 2",
    "s.iloc[0] = 77",
    "s.iloc[-2:] = 0",
    "s[9] = 1",
    "s[0:2] = 5",
    "s.at[3] = 1.5",
    "s.loc[[0, 1]] = [5, 6]",
]


@pytest.mark.parametrize("text", SEVERAL)
def test_several_values(spark: Any, text: str) -> None:
    check(f"{text}\ndf", **frames_of("df"))


@pytest.mark.parametrize("text", SCALARS[:50:4] + SEVERAL[::3])
def test_in_rows_that_are_only_counted(spark: Any, text: str) -> None:
    """The same where the index is the place of each row."""
    check(f"df = df.sort_values('b', kind='stable').reset_index(drop=True)\n{text}\ndf", **frames_of("df"))


@pytest.mark.parametrize("text", ENLARGING)
def test_labels_that_are_new(spark: Any, text: str) -> None:
    check(f"{text}\ndf", **frames_of(f"{text} df"))


@pytest.mark.parametrize("text", OF_SERIES)
def test_in_a_series(spark: Any, text: str) -> None:
    check(f"s = df.a.copy()\n{text}\ns", **frames_of("df"))


@pytest.mark.parametrize(
    "text",
    [
        "k.loc['y', 'a'] = 9",
        "k.loc[['w', 'x'], 'b'] = [1.5, 2.5]",
        "k.loc['z':'y', 'a'] = 0",
        "k.loc[k.a > 1, 's'] = k.s",
        "k.loc[k.a > 1, 'a'] = k.sort_index().a * 10",
        "k = r\nk.loc[2, 'a'] = 0",
        "k = r\nk.loc[2, 'a'] = [7, 8]",
        "k = m\nk.loc['a', 'v'] = 0",
        "k = m\nk.loc[('a', 2), 'w'] = 0",
        "k = m\nk.loc[(slice(None), 1), 'w'] = 0",
        "k = m\nk.loc[k.v > 1, 'w'] = k.v",
        "k = days\nk.loc['2020-01', 'v'] = 0",
    ],
)
def test_by_other_indexes(spark: Any, text: str) -> None:
    check(f"{text}\nk", **frames_of(text))
