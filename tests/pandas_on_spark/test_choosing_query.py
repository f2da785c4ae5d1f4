"""Expressions that are texts: `query` and `eval`."""

from __future__ import annotations

from typing import Any

import pytest
from tests.pandas_on_spark.choosing_programs import check, frames_of, program

from predtrace.errors import InputError

QUERIES = [
    "df.query('a > 1')",
    "df.query('a > 1 and b < 2')",
    "df.query('a > 1 & b < 2')",
    "df.query('a == 1 | a == 3')",
    "df.query('a == 1 or not t')",
    "df.query('~t')",
    "df.query('t')",
    "df.query('not (a > 1)')",
    "df.query('0 < a <= 2')",
    "df.query('a < b < 10')",
    "df.query('s == \"x\"')",
    "df.query(\"s in ['x', 'z']\")",
    "df.query(\"s not in ['x', 'z']\")",
    "df.query(\"s == ['x', 'z']\")",
    "df.query(\"s != ['x', 'z']\")",
    "df.query('a in (1, 3)')",
    "df.query('a + b > 2')",
    "df.query('a * 2 - 1 > b / 2')",
    "df.query('a % 2 == 0')",
    "df.query('a ** 2 > 4')",
    "df.query('-a > 0')",
    "df.query('a == a.max()')",
    "df.query('a > a.mean()')",
    "df.query('b.isnull()')",
    "df.query('b.notnull() and a > 0')",
    "df.query('s.str.contains(\"x\", na=False)')",
    "df.query('a.isin([1, 3])')",
    "df.query('a.between(1, 2)')",
    "df.query('b == b')",
    "limit = 1\ndf.query('a > @limit')",
    "wanted = ['x', 'y']\ndf.query('s in @wanted')",
    "wanted = ['x', 'y']\ndf.query('s not in @wanted and a > 0')",
    "limits = {'low': 1}\ndf.query('a > @limits[\"low\"]')",
    "df.query('a > @nothing')",
    "df.query('zz > 1')",
    "df.query('index > 2')",
    "df.query('index == 1 or a == 3')",
    "k.rename_axis('name').query('name == \"z\"')",
    "m.query('n == 1 and v > 1')",
    "df.rename(columns={'a': 'the a'}).query('`the a` > 1')",
    "df.rename(columns={'a': 'the a'}).query('`the a` + b > 1 & s == \"x\"')",
    "df.query('d > \"2020-02-01\"')",
    "df.query('a > 1', inplace=True)\ndf",
    "df.query('a > 1').query('b > 0')",
    "df.query('a > 1', engine='python')",
    "df.query('a > 1')[['a']]",
    "df.query('a = 1')",
    "df.query('t == True')",
]

EVALUATIONS = [
    "df.eval('c = a + b')",
    "df.eval('a + b')",
    "df.eval('a > 1')",
    "df.eval('c = a + b\\nd = c * 2')",
    "df.eval('a = a * 10')",
    "df.eval('c = a / 2', inplace=True)\ndf",
    "factor = 3\ndf.eval('c = a * @factor')",
    "df.eval('c = sqrt(b)')",
    "df.eval('c = (a > 1) & t')",
]


@pytest.mark.parametrize("text", QUERIES)
def test_queries(spark: Any, text: str) -> None:
    check(text, **frames_of(text))


@pytest.mark.parametrize("text", EVALUATIONS)
def test_evaluations(spark: Any, text: str) -> None:
    check(text, **frames_of(text))


def test_variables_of_the_function_that_calls(spark: Any) -> None:
    def chosen(frame: Any) -> Any:
        least = 2  # noqa: F841 - the text names it
        return frame.query("a >= @least")

    import predtrace.pandas as ours

    frame = frames_of("df")["df"]
    assert chosen(ours.DataFrame(frame)).to_pandas()["a"].tolist() == chosen(frame)["a"].tolist()


def test_what_is_refused(spark: Any) -> None:
    import predtrace.pandas as ours

    df = ours.DataFrame(frames_of("df")["df"])
    with pytest.raises(InputError, match=r"DataFrame.query\('a if t else b'\)") as refusal:
        program("df.query('a if t else b')")(ours, df=df)
    assert "line" in str(refusal.value)
