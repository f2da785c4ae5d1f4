"""`Series.dt`, compared with plain pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas
import pytest
from tests.pandas_on_spark.same import same

import predtrace.pandas as ours
from predtrace.frontends.pandas.core.steps import Unfaithful

WHEN = [
    "2020-02-29 23:59:59.999999",
    None,
    "1969-12-31 00:00:00",
    "2021-01-01 12:30:15",
    "2024-12-30 08:07:06.5",
    "1999-10-01 00:00:00.000001",
    "2000-03-31 18:00:00",
    "1700-07-04 13:00:00",
]


@pytest.fixture
def moments() -> Any:
    return pandas.DataFrame({"t": pandas.to_datetime(WHEN, format="ISO8601"), "k": range(len(WHEN))})


def _numbers(pd: Any, df: Any) -> Any:
    names = (
        "year month day hour minute second microsecond dayofweek day_of_week weekday dayofyear day_of_year"
    )
    for name in f"{names} quarter days_in_month daysinmonth".split(" "):
        df[name] = getattr(df.t.dt, name)
    for side in ("start", "end"):
        for part in ("month", "quarter", "year"):
            df[f"{part} {side}"] = getattr(df.t.dt, f"is_{part}_{side}")
    df["leap"] = df.t.dt.is_leap_year
    return df


def test_numbers(spark: Any, moments: Any) -> None:
    same(_numbers, df=moments)
    same(lambda pd, df: _numbers(pd, df.dropna().copy()), df=moments)
    same(lambda pd, df: _numbers(pd, df[df.k > 99].copy()), df=moments)


def test_names_texts_and_days(spark: Any, moments: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        dt = df.t.dt
        df["day"] = dt.day_name()
        df["month"] = dt.month_name()
        df["text"] = dt.strftime("%d/%m/%y %H:%M")
        df["date"] = dt.date
        df["midnight"] = dt.normalize()
        df["floor"] = dt.floor("D")
        df["hour"] = dt.floor("h")
        df["quarter"] = dt.floor("15min")
        df["up"] = dt.ceil("h")
        df["near"] = dt.round("D")
        df["same"] = dt.tz_localize(None)
        df["period"] = dt.to_period("M").astype(str)
        df["weekly"] = dt.to_period("W").astype(str)
        df["first"] = dt.to_period("Q").dt.to_timestamp()
        return df

    same(program, df=moments)


def test_iso_calendar(spark: Any, moments: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        df["week"] = df.t.dt.isocalendar().week.astype(int)
        df["year"] = df.t.dt.isocalendar()["year"].astype("int32")
        df["day"] = df.t.dt.isocalendar().day.astype(float)
        return df

    same(program, df=moments.dropna())
    same(lambda pd, df: df.t.dt.isocalendar().week.astype(float), df=moments)
    same(lambda pd, df: df.t.dt.isocalendar().week.astype(int), df=moments)


def test_days_are_objects(spark: Any, moments: Any) -> None:
    same(lambda pd, df: df.t.dt.date == df.t.dt.date, df=moments.dropna())
    same(lambda pd, df: df[df.t.dt.date > (df.t - pd.Timedelta(days=1)).dt.date], df=moments.dropna())
    same(lambda pd, df: df.t.dt.date == "2021-01-01", df=moments)
    same(lambda pd, df: pd.to_datetime(df.t.dt.date), df=moments)
    same(lambda pd, df: df.t.dt.date.apply(lambda day: day.year), df=moments.dropna())


def test_spans(spark: Any, moments: Any) -> None:
    def program(pd: Any, df: Any) -> Any:
        span = df.t - pd.Timestamp("2000-01-01 06:00:00.25")
        df["days"] = span.dt.days
        df["seconds"] = span.dt.seconds
        df["micro"] = span.dt.microseconds
        df["total"] = span.dt.total_seconds()
        return df

    same(program, df=moments[moments.k < 7])
    same(lambda pd, df: program(pd, df.dropna().copy()), df=moments[moments.k < 7])


@pytest.mark.parametrize(
    "program",
    [
        lambda pd, df: df.k.dt.year,
        lambda pd, df: df.t.dt.nothing,
        lambda pd, df: df.t.dt.floor("ME"),
        lambda pd, df: df.t.dt.floor("what"),
        lambda pd, df: df.t.dt.week,
        lambda pd, df: df.t.dt.date.dt,
    ],
)
def test_what_pandas_raises(spark: Any, moments: Any, program: Any) -> None:
    same(program, df=moments)


def test_refusals_name_the_call_and_the_line(spark: Any, moments: Any) -> None:
    frame = ours.DataFrame(moments)
    programs: list[tuple[Callable[[], Any], str]] = [
        (lambda: frame.t.dt.time, "dt.time"),
        (lambda: frame.t.dt.tz_localize("UTC"), "dt.tz_localize"),
        (lambda: frame.t.dt.to_period("W").dt.year, "dt.year"),
        (lambda: frame.t.dt.isocalendar().week.mean(), "UInt32"),
        (lambda: frame.t.dt.day_name("de_DE"), "day_name"),
        (lambda: (frame.t - frame.t).dt.components, "components"),
    ]
    for program, name in programs:
        with pytest.raises(Unfaithful, match=rf"{name}.* line \d+ of test_moments"):
            program()
