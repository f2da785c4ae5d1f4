"""Orders, duplicates and the largest values: `sort_values`, `sort_index`, `drop_duplicates`, `nlargest`."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.choosing_programs import check, frames_of, nan, program

from predtrace.errors import InputError

SORTING = [
    "df.sort_values('a')",
    "df.sort_values(by='b')",
    "df.sort_values('b', ascending=False)",
    "df.sort_values('b', na_position='first')",
    "df.sort_values('b', ascending=False, na_position='first')",
    "df.sort_values(['a', 'b'])",
    "df.sort_values(['t', 'a'], ascending=[False, True])",
    "df.sort_values(['t', 'a'], ascending=[False])",
    "df.sort_values('s')",
    "df.sort_values('d', ascending=False)",
    "df.sort_values('t', kind='stable')",
    "df.sort_values('a', ignore_index=True)",
    "df.sort_values('zz')",
    "df.sort_values('s', key=lambda c: c.str.upper())",
    "df.sort_values('a', key=abs)",
    "df.sort_values('a', inplace=True)\ndf",
    "df.sort_values('a').sort_values('t', kind='stable')",
    "df.sort_values('a').head(2)",
    "df.sort_values('a').iloc[0]",
    "df.sort_values('a').reset_index(drop=True)",
    "df.sort_values('a').reset_index()",
    "df.sort_values('a')['a'].tolist()",
    "df.sort_values('a').loc[2:4]",
    "df.a.sort_values()",
    "df.b.sort_values(ascending=False)",
    "df.b.sort_values(na_position='first', ignore_index=True)",
    "df.s.sort_values().head(2)",
    "df.a.sort_values(key=lambda c: -c)",
    "df.sort_index(ascending=False)",
    "df.sort_index()",
    "df.sort_values('a').sort_index()",
    "df.reset_index(drop=True).sort_index(ascending=False)",
    "df.sort_index(axis=1, ascending=False)",
    "df.sort_values('a', inplace=True)\ndf.sort_index(inplace=True)\ndf",
    "k.sort_index()",
    "k.sort_index(ascending=False, ignore_index=True)",
    "k.rename_axis('i').sort_values('i')",
    "k.rename_axis('i').sort_values(['i', 'a'], ascending=False)",
    "k.a.sort_index()",
    "r.sort_index(ascending=False, kind='stable')",
    "m.sort_index(level='n')",
    "m.sort_index(level=1, ascending=False)",
    "m.sort_index(level=['n', 'k'], ascending=[False, True])",
    "m.sort_index(ascending=[True, False])",
    "m.sort_index(level='n', sort_remaining=False)",
    "m.sort_values('n', kind='stable')",
    "df.astype({'s': pd.CategoricalDtype(['z', 'x', 'y'], ordered=True)}).sort_values('s', kind='stable')",
    "df.nlargest(2, 'a')",
    "df.nlargest(3, 'b')",
    "df.nlargest(10, 'b')",
    "df.nsmallest(2, 'a')",
    "df.nsmallest(2, 'a', keep='all')",
    "df.nsmallest(1, 'a', keep='all')",
    "df.nlargest(3, ['b', 'a'])",
    "df.nlargest(1, 's')",
    "df.b.nlargest(2)",
    "df.b.nsmallest()",
    "df.a.nsmallest(2, keep='all')",
    "df.a.nlargest()",
    "df.d.nlargest(2)",
]

DUPLICATES = [
    "q.drop_duplicates()",
    "q.drop_duplicates(keep='last')",
    "q.drop_duplicates(keep=False)",
    "q.drop_duplicates('x')",
    "q.drop_duplicates(subset=['x'], keep='last')",
    "q.drop_duplicates(subset=['x', 'y'], keep=False)",
    "q.drop_duplicates('x', ignore_index=True)",
    "q.drop_duplicates('x').reset_index(drop=True)",
    "q.drop_duplicates(['zz'])",
    "q.drop_duplicates('x', keep='other')",
    "q.sort_values('z').drop_duplicates('x')",
    "q.sort_values('z', ascending=False).drop_duplicates('x', keep='last')",
    "q.drop_duplicates('x', inplace=True)\nq",
    "q.reset_index(drop=True).drop_duplicates('y')",
    "q.duplicated()",
    "q.duplicated('x')",
    "q.duplicated(['x', 'y'], keep='last')",
    "q.duplicated(keep=False)",
    "q[q.duplicated('x', keep=False)]",
    "q[~q.duplicated('y')]",
    "q.duplicated('x').sum()",
    "q.x.drop_duplicates()",
    "q.x.drop_duplicates(keep='last')",
    "q.y.drop_duplicates(ignore_index=True)",
    "q.y.duplicated()",
    "q.y.duplicated(keep=False)",
    "q.z.duplicated(keep='last')",
    "q.index.duplicated().tolist()",
    "q.drop_duplicates().drop_duplicates('x')",
    "q.drop_duplicates('x').z.sum()",
]


def doubled() -> pandas.DataFrame:
    return pandas.DataFrame(
        {
            "x": ["a", "b", "a", nan, "b", nan, "a"],
            "y": [1.0, 2.0, 1.0, nan, nan, nan, 0.0],
            "z": [5, 2, 5, 1, 7, 1, 3],
        }
    )


@pytest.mark.parametrize("text", SORTING)
def test_orders(spark: Any, text: str) -> None:
    check(text, **frames_of(text))


@pytest.mark.parametrize("text", DUPLICATES)
def test_duplicates(spark: Any, text: str) -> None:
    check(text, q=doubled())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("df.sort_values('a', key=lambda c: [1, 2, 3, 4, 5])", "DataFrame.sort_values.key"),
        ("df.sort_index(key=lambda i: -i)", "DataFrame.sort_index.key"),
        ("df.nlargest(2, 'a', keep='last')", "nlargest.keep='last'"),
        ("df.sort_values(0, axis=1)", "DataFrame.sort_values.axis=1"),
    ],
)
def test_what_is_refused(spark: Any, text: str, says: str) -> None:
    import predtrace.pandas as ours

    with pytest.raises(InputError, match=says) as refusal:
        program(text)(ours, df=ours.DataFrame(frames_of("df")["df"]))
    assert "line" in str(refusal.value)
