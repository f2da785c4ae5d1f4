"""Setting values in some rows: `df.loc[rows, columns] = values` and what is like it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.pandas_on_spark.choosing_programs import check, frames_of, program

from predtrace.errors import InputError

SCALARS = [
    "df.loc[df.a > 1, 'a'] = 9",
    "df.loc[df.a > 1, 'a'] = 2.0",
    "df.loc[df.a > 1, 'a'] = 2.5",
    "df.loc[df.a > 100, 'a'] = 2.5",
    "df.loc[df.a > 1, 'a'] = nan",
    "df.loc[df.a > 100, 'a'] = None",
    "df.loc[df.a > 1, 'b'] = 3",
    "df.loc[df.b.isnull(), 'b'] = df.b.mean()",
    "df.loc[df.b.isnull(), 'a'] = df.a.mean()",
    "df.loc[df.b.isnull(), 'a'] = df.a.max()",
    "df.loc[df.s == 'x', 's'] = 'new'",
    "df.loc[df.s == 'x', 's'] = None",
    "df.loc[df.s == 'x', 't'] = True",
    "df.loc[df.s == 'x', 't'] = nan",
    "df.loc[df.s == 'x', 'd'] = pd.Timestamp('2000-01-01')",
    "df.loc[df.s == 'x', 'd'] = '2000-01-01'",
    "df.loc[df.s == 'x', 'd'] = pd.NaT",
    "df.loc[df.a > 1, 'n'] = 1",
    "df.loc[df.a > 1, 'n'] = 'yes'",
    "df.loc[df.a > 1, 'n'] = True",
    "df.loc[df.a > -100, 'n'] = 1",
    "df.loc[df.a > 1, 'n'] = 1\ndf.loc[df.a <= 1, 'n'] = 0",
    "df.loc[df.a > 1, 'n'] = 'big'\ndf.loc[df.a <= 1, 'n'] = 'small'",
    "df['n'] = nan\ndf.loc[df.a > 1, 'n'] = 'big'",
    "df['n'] = ''\ndf.loc[df.a > 1, 'n'] = 'big'",
    "df['n'] = None\ndf.loc[df.a > 1, 'n'] = 'big'",
    "df['n'] = 0\ndf.loc[(df.a > 1) & (df.b > 0), 'n'] = 1",
    "df.loc[:, 'a'] = 7",
    "df.loc[:, 'a'] = 1.5",
    "df.loc[:, 'a'] = 'text'",
    "df.loc[:, 'b'] = 1",
    "df.loc[:, 'n'] = 1",
    "df.loc[df.a > 1, ['a', 'b']] = 0",
    "df.loc[df.a > 1, ['a', 'b']] = [10, 0.5]",
    "df.loc[df.a > 1, ['a', 'n']] = 5",
    "df.loc[1:2, 'a'] = 0",
    "df.loc[3:, 'b':'s'] = nan",
    "df.loc[[0, 4], 'a'] = 0",
    "df.loc[[4, 0], 'a'] = [40, 100]",
    "df.loc[[4, 0], ['a', 'b']] = [[1, 2.5], [3, 4.5]]",
    "df.loc[[0, 9], 'a'] = 0",
    "df.loc[2, 'a'] = 0",
    "df.loc[2, 'a'] = 0.5",
    "df.loc[2, 'n'] = 4",
    "df.loc[2, ['a', 'b']] = [8, 8.5]",
    "df.at[2, 's'] = 'here'",
    "df.iat[0, 1] = -1",
    "df.iloc[0, 0] = 12",
    "df.iloc[-1, 0] = 12",
    "df.iloc[1:3, 1] = 0",
    "df.iloc[:, 0] = 0",
    "df.iloc[[0, 2], [0, 1]] = 0",
    "df.iloc[[2, 0], 0] = [20, 100]",
    "df.iloc[9, 0] = 1",
    "df[df.a > 1] = 0 if False else nan\ndf = df[['a', 'b']]",
    "df.loc[lambda f: f.a > 1, 'a'] = 9",
    "df.loc[~df.t, 'a'] += 10",
    "df.loc[df.t, 'b'] *= df.a",
    "df[['a', 'b']] = df[['b', 'a']].values",
    "df[['p', 'q']] = [1, 'x']",
    "df[['p', 'q']] = 0",
    "df[['p', 'q']] = [1, 2, 3]",
    "df[pd.Index(['a', 'b'])] = df[['b', 'a']]",
    "df.loc[:, ['p', 'q']] = 1",
    "df.loc[df.a > 1, ['p', 'q']] = [1, 'x']",
    "df = df[['a', 'b']]\ndf.loc[1] = {'a': 7, 'b': 1}",
    "df = df[['a', 'b']]\ndf.loc[1] = pd.Series({'a': 7, 'b': 1})",
    "df = df[['a', 'b']]\ndf.loc[1] = df.loc[0]",
    "df = df[['a', 'b']]\ndf.iloc[0] = [5, 6.5]",
    "df = df[['a', 'b']]\ndf.iloc[0] = df.iloc[1]",
    "df = df[['a', 'b']]\ndf.loc[df.a > 1] = [7, 8]",
    "df = df[['a', 'b']]\ndf[:] = 0",
    "df = df[['a', 'b']]\ndf.loc[[0, 1]] = df.loc[[1, 0]]",
    "df.loc[0, 'a':'b'] = [9, 9.5]",
    "df.at[0, 'z'] = 'q'",
    "df.loc[df.a > 1].loc[:, 'a'] = 0",
    "df.loc[df.s == 'x', 's'] += '!'",
    "df.loc[df.a.between(1, 2), 'b'] = df.b.max()",
]


@pytest.mark.parametrize("text", SCALARS)
def test_scalars(spark: Any, text: str) -> None:
    check(f"{text}\ndf", **frames_of("df"))


def test_the_column_of_a_frame_and_the_frame_change_together(spark: Any) -> None:
    check("df['a'][df.b > 0] = 0\ndf", **frames_of("df"))
    check("df.a.loc[df.b > 0] = 0\ndf", **frames_of("df"))
    check("df['b'].fillna(0, inplace=True)\ndf", **frames_of("df"))
    check("c = df['b'].copy()\nc[:] = 0\ndf", **frames_of("df"))
    check("c = df['b']\ndf['b'] = 1\nc.fillna(5, inplace=True)\ndf", **frames_of("df"))


def test_a_masked_assignment_is_an_expression(spark: Any) -> None:
    import predtrace.pandas as ours

    for start in ("", "df = df.sort_values('a').reset_index(drop=True)\n"):
        text = f"{start}df.loc[df.a > 1, 'b'] = df.b * 2\ndf.loc[df.a < 0, 'a'] += 1\ndf"
        made = program(text)(ours, df=ours.DataFrame(frames_of("df")["df"]))
        plan = made.to_spark()._jdf.queryExecution().optimizedPlan().toString()
        assert "Join" not in plan, plan


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("df.loc[df.a > 1, 'a'] = 'text'", "setting object values in the column 'a'"),
        ("df.loc[df.a > 1, 's'] = 1", "setting int64 values in the column 's'"),
        ("df.loc[df.a > 1, 'a'] = True", "setting bool values in the column 'a'"),
        ("df.loc[df.a > 1, ['a', 'b']] = df.a", "setting a series in several columns"),
        ("row = df.iloc[0]\nrow['a'] = 5", "row.label. = value"),
        ("df.loc[df.a > 1] = df.loc[1]", "loc.rows. = a row"),
        ("df.loc[9] = ['x', 1, 2, 3, 4]", "adding a row with a object value in 'a'"),
    ],
)
def test_what_is_refused(spark: Any, text: str, says: str) -> None:
    import predtrace.pandas as ours

    with pytest.raises(InputError, match=says) as refusal:
        program(f"{text}\ndf")(ours, df=ours.DataFrame(frames_of("df")["df"]))
    assert "line" in str(refusal.value)
